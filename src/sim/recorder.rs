//! Events, as the recorders of kubelet, controllers and scheduler write them: one that is the same again only counts up.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use serde_json::{Value, json};

use super::object::{self, micros, seconds};
use super::schedule::Due;
use super::store::{Deletion, Key, Write};
use super::world::World;

/// How long the API server keeps an event.
const TTL: TimeDelta = TimeDelta::hours(1);

/// Who records, and of what part of the object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) component: &'a str,
    /// The node, of a kubelet.
    pub(crate) host: Option<&'a str>,
    /// `spec.containers{nginx}`.
    pub(crate) field: Option<&'a str>,
}

impl<'a> Source<'a> {
    pub(crate) fn controller(component: &'a str) -> Self {
        Self {
            component,
            host: None,
            field: None,
        }
    }

    /// The field manager of the recorder's writes.
    fn manager(self) -> &'a str {
        match self.host {
            Some(_) => "kubelet",
            None => "kube-controller-manager",
        }
    }
}

/// Which events were written, so that the same one is found again.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    known: BTreeMap<String, Key>,
    count: i64,
}

impl World {
    /// Records an event as the older recorder does: with a count and two times.
    pub(crate) fn record(
        &mut self,
        object: &Value,
        source: Source<'_>,
        (kind, reason): (&str, &str),
        message: &str,
    ) {
        let same = format!(
            "{}/{}/{}/{kind}/{reason}/{message}/{}",
            source.component,
            source.host.unwrap_or_default(),
            object::uid(object),
            source.field.unwrap_or_default()
        );
        let write = Write::by(source.manager(), self.now);
        if let Some(key) = self.recorder.known.get(&same).cloned()
            && let Some(event) = self.store.get(&key)
        {
            let mut event = Value::clone(event);
            event["count"] = json!(object::number(&event, "/count").unwrap_or(1) + 1);
            event["lastTimestamp"] = json!(seconds(self.now));
            if self.store.update(&key, event, &write).is_ok() {
                self.schedule.put(self.now + TTL, Due::Expire(key));
            }
            return;
        }
        let mut involved = involved(object);
        if let Some(field) = source.field {
            involved["fieldPath"] = json!(field);
        }
        let mut told_by = json!({"component": source.component});
        if let Some(host) = source.host {
            told_by["host"] = json!(host);
        }
        let event = json!({
            "involvedObject": involved,
            "reason": reason,
            "message": message,
            "source": told_by,
            "firstTimestamp": seconds(self.now),
            "lastTimestamp": seconds(self.now),
            "count": 1,
            "type": kind,
            "eventTime": null,
            "reportingComponent": source.component,
            "reportingInstance": source.host.unwrap_or_default(),
        });
        let key = self.put_event(object, event, &write);
        self.recorder.known.insert(same, key);
    }

    /// Records an event as the newer recorder does, the scheduler's: with a time of its own.
    pub(crate) fn record_of_scheduler(
        &mut self,
        pod: &Value,
        (kind, reason): (&str, &str),
        message: &str,
    ) {
        let event = json!({
            "involvedObject": involved(pod),
            "reason": reason,
            "message": message,
            "source": {},
            "firstTimestamp": null,
            "lastTimestamp": null,
            "type": kind,
            "eventTime": micros(self.now),
            "action": if reason == "Scheduled" { "Binding" } else { "Scheduling" },
            "reportingComponent": "default-scheduler",
            "reportingInstance": "default-scheduler-kind-control-plane",
        });
        let write = Write::by("kube-scheduler", self.now);
        self.put_event(pod, event, &write);
    }

    fn put_event(&mut self, object: &Value, mut event: Value, write: &Write<'_>) -> Key {
        // Two events of one moment must not have one name.
        self.recorder.count += 1;
        let stamp = self.now.timestamp_nanos_opt().unwrap_or_default() + self.recorder.count;
        let name = format!("{}.{stamp:x}", object::name(object));
        let namespace = match object::namespace(object) {
            "" => "default",
            namespace => namespace,
        };
        let key = object::key("events", namespace, &name);
        event["apiVersion"] = json!("v1");
        event["kind"] = json!("Event");
        event["metadata"] = json!({"name": name, "namespace": namespace});
        if self.store.create(&key, event, write).is_ok() {
            self.schedule.put(self.now + TTL, Due::Expire(key.clone()));
        }
        key
    }

    /// Removes an event whose time is over.
    pub(crate) fn expire(&mut self, key: &Key) {
        let Some(event) = self.store.get(key) else {
            return;
        };
        let last = object::time(event, "/lastTimestamp")
            .or_else(|| object::time(event, "/eventTime"))
            .or_else(|| object::time(event, "/firstTimestamp"));
        if last.is_some_and(|last| self.now - last < TTL) {
            return;
        }
        let write = Write::by("kube-apiserver", self.now);
        if self.store.delete(key, &Deletion::default(), &write).is_ok() {
            self.recorder.known.retain(|_, known| known != key);
        }
    }
}

fn involved(object: &Value) -> Value {
    json!({
        "kind": object["kind"],
        "namespace": object::namespace(object),
        "name": object::name(object),
        "uid": object::uid(object),
        "apiVersion": object["apiVersion"],
        "resourceVersion": object["metadata"]["resourceVersion"],
    })
}
