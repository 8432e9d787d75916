//! Watches: what changes, as it changes, until the time is over or the client goes away.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures::stream;
use serde_json::{Value, json};
use tokio::sync::watch::Receiver;
use tokio::time::Instant;

use super::Answer;
use super::asked::Asked;
use super::form::{self, Form};
use super::options::{self, matching};
use super::select::Selector;
use crate::sim::Sim;
use crate::sim::status::Failure;
use crate::sim::store::{Record, Store};

/// A watch that says no time is ended after this.
const LONGEST: Duration = Duration::from_secs(30 * 60);
/// Bookmarks come so often.
const BOOKMARKS: Duration = Duration::from_secs(60);
/// And so long before the end.
const BEFORE_END: Duration = Duration::from_secs(2);

struct Watch {
    sim: Sim,
    asked: Asked,
    selector: Selector,
    form: Form,
    changes: Receiver<u64>,
    /// All up to this was told.
    version: u64,
    ready: VecDeque<Bytes>,
    end: Instant,
    bookmark: Option<Instant>,
    over: bool,
}

pub(super) fn answer(sim: &Sim, asked: &Asked) -> Answer {
    let form = form::accepted(asked)?;
    let selector = super::list::selector(asked)?;
    matching(&asked.query, true)?;
    let from = asked.query.get("resourceVersion").map(options::version);
    let from = from.transpose().map_err(|why| Failure::new(500, "", why))?;
    let from = from.unwrap_or(0);
    let seconds = asked.query.number("timeoutSeconds")?.unwrap_or(0);
    let timeout = match u64::try_from(seconds) {
        Ok(seconds) if seconds > 0 => Duration::from_secs(seconds),
        _ => LONGEST,
    };
    let end = Instant::now() + timeout;
    let mut watch = Watch {
        sim: sim.clone(),
        asked: asked.clone(),
        selector,
        form,
        changes: sim.changes(),
        version: from,
        ready: VecDeque::new(),
        end,
        bookmark: None,
        over: false,
    };
    if asked.query.is_on("allowWatchBookmarks") {
        watch.bookmark = Some(watch.next_bookmark(Instant::now()));
    }
    watch.begin(from);
    let events = stream::unfold(watch, |mut watch| async move {
        let event = watch.next().await?;
        Some((Ok::<_, std::convert::Infallible>(event), watch))
    });
    Ok(super::typed(
        200,
        "application/json",
        Body::from_stream(events),
    ))
}

impl Watch {
    /// What is there comes first, where no version says from when on.
    fn begin(&mut self, from: u64) {
        let initial = self.asked.query.is_on("sendInitialEvents");
        let state = from == 0 && self.asked.query.get("sendInitialEvents").is_none();
        let sim = self.sim.clone();
        sim.with(|world| {
            let store = world.store();
            if from > store.version() {
                let failure = options::too_large(from, store.version());
                self.fail(&failure);
                return;
            }
            if initial || state {
                let all = store.list(self.asked.resource, self.asked.namespace.as_deref());
                let chosen = all.filter(|(_, object)| self.selector.matches(object));
                for object in chosen.map(|(_, o)| Arc::clone(o)).collect::<Vec<_>>() {
                    self.tell("ADDED", &object);
                }
                self.version = store.version();
            } else if from == 0 {
                self.version = store.version();
            }
            if initial && self.bookmark.is_some() {
                self.mark(json!({"k8s.io/initial-events-end": "true"}));
            }
        });
    }

    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if self.over {
                return None;
            }
            self.changes.mark_unchanged();
            self.look();
            if !self.ready.is_empty() || self.over {
                continue;
            }
            let bookmark = self.bookmark.unwrap_or(self.end);
            tokio::select! {
                changed = self.changes.changed() => {
                    self.over = changed.is_err();
                }
                () = tokio::time::sleep_until(self.end) => return None,
                () = tokio::time::sleep_until(bookmark), if self.bookmark.is_some() => {
                    self.mark(Value::Null);
                    let next = self.next_bookmark(Instant::now());
                    self.bookmark = (next < self.end).then_some(next);
                }
            }
        }
    }

    fn next_bookmark(&self, now: Instant) -> Instant {
        let last = self.end.checked_sub(BEFORE_END).unwrap_or(self.end);
        let next = now + BOOKMARKS;
        if now < last { next.min(last) } else { self.end }
    }

    /// Takes in what happened since the last look.
    fn look(&mut self) {
        let sim = self.sim.clone();
        sim.with(|world| self.take(world.store()));
    }

    fn take(&mut self, store: &Store) {
        let Some(records) = store.since(self.version) else {
            let message = format!(
                "too old resource version: {} ({})",
                self.version,
                store.compacted()
            );
            self.fail(&Failure::expired(message));
            return;
        };
        for record in records {
            self.record(record);
        }
        self.version = store.version();
    }

    fn record(&mut self, record: &Record) {
        let key = &record.key;
        let other = |namespace: &String| key.namespace.as_ref() != Some(namespace);
        if key.resource != self.asked.resource || self.asked.namespace.as_ref().is_some_and(other) {
            return;
        }
        let chosen = |object: &&Arc<Value>| self.selector.matches(object);
        let before = record.before.as_ref().filter(chosen).cloned();
        let after = record.after.as_ref().filter(chosen).cloned();
        match (before, after) {
            (None, Some(after)) => self.tell("ADDED", &after),
            (Some(_), Some(after)) => self.tell("MODIFIED", &after),
            (Some(before), None) => {
                let mut last = Value::clone(&before);
                last["metadata"]["resourceVersion"] = json!(record.version.to_string());
                self.tell("DELETED", &last);
            }
            (None, None) => {}
        }
    }

    fn tell(&mut self, event: &str, object: &Value) {
        let now = self.sim.clock().now();
        let object = form::one(self.form, self.asked.resource, object, now);
        self.push(event, &object);
    }

    fn mark(&mut self, annotations: Value) {
        let (kind, version) = match self.form {
            Form::Metadata => ("PartialObjectMetadata", "meta.k8s.io/v1".to_owned()),
            _ => (self.asked.resource.kind, self.asked.resource.api_version()),
        };
        let mut meta = json!({"resourceVersion": self.version.to_string()});
        if !annotations.is_null() {
            meta["annotations"] = annotations;
        }
        let object = json!({"kind": kind, "apiVersion": version, "metadata": meta});
        self.push("BOOKMARK", &object);
    }

    fn fail(&mut self, failure: &Failure) {
        self.push("ERROR", &failure.status());
        self.over = true;
    }

    fn push(&mut self, event: &str, object: &Value) {
        let line = format!("{{\"type\":\"{event}\",\"object\":{object}}}\n");
        self.ready.push_back(Bytes::from(line));
    }
}
