//! The program's own history of a live cluster: read beside its facts, and written where that was asked for.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;
use tokio::sync::mpsc::{self, Sender};
use tokio::task::JoinHandle;

use super::{Live, watch};
use crate::capture::history::{self, Book, Bounds, Cluster};
use crate::model::{Gap, GapReason, Outside, Scope, Target};
use crate::source::outside::Loaded;
use crate::source::record::{Aim, Recorder, Seen, Told};
use crate::source::{Change, SourceError};

/// How far the watch may be ahead of those who write.
const WAITING: usize = 256;

/// Where old contents come from beside the API, and whether what is watched is kept.
#[derive(Debug, Default)]
pub(super) struct Outsiders {
    /// What was named, read already.
    pub(super) given: Arc<Loaded>,
    /// Where the program's own history is, if there is one.
    pub(super) store: Option<PathBuf>,
    /// What is seen is kept there, within these bounds.
    pub(super) keep: Option<Bounds>,
}

/// What is recorded, and where.
#[derive(Debug, Clone)]
pub struct Recording {
    pub scope: Scope,
    /// One ConfigMap alone, or those of a workload or a Service.
    pub target: Option<Target>,
    pub store: PathBuf,
    pub bounds: Bounds,
}

#[derive(Deserialize)]
struct Namespace {
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Metadata {
    uid: String,
}

impl Live {
    /// What is known from outside the API for a scope. Whatever fails in the history is a gap.
    pub(super) async fn outside(&self, scope: &Scope) -> Loaded {
        let mut loaded = Loaded::clone(&self.outside.given);
        let server = self.cluster.server.clone();
        let store = self.outside.store.clone();
        let Some(store) = store.filter(|store| history::exists(store, &server)) else {
            return loaded;
        };
        // Where it cannot be asked, what is there may still be of one cluster alone.
        let uid = self.uid().await.unwrap_or(None);
        let cluster = Cluster { server, uid };
        let (namespace, place) = (scope.namespace.clone(), store.clone());
        let read = move || history::read(&place, &cluster, namespace.as_deref());
        let (kept, notes) = tokio::task::spawn_blocking(read).await.unwrap_or_default();
        let outside = Outside {
            kept,
            ..Outside::default()
        };
        let gaps = notes.into_iter().map(|why| gap("read", scope, &store, why));
        loaded.add(Loaded {
            outside,
            gaps: gaps.collect(),
        });
        loaded
    }

    /// The same, told to whoever watches.
    pub(super) async fn tell_outside(&self, scope: &Scope, changes: &Sender<Change>) {
        let loaded = self.outside(scope).await;
        if !loaded.is_empty() {
            // The dashboard may have been quit meanwhile.
            let _ = changes.send(Change::Outside(Box::new(loaded))).await;
        }
    }

    /// What tells this cluster from another at the same address: its first namespace. Not everybody may see that.
    pub(super) async fn uid(&self) -> Result<Option<String>, GapReason> {
        match self.api.get("/api/v1/namespaces/kube-system").await {
            Ok(body) => {
                let namespace = serde_json::from_slice::<Namespace>(&body).ok();
                let uid = namespace.map(|namespace| namespace.metadata.uid);
                Ok(uid.filter(|uid| !uid.is_empty()))
            }
            Err(GapReason::Forbidden | GapReason::NotFound) => Ok(None),
            Err(reason) => Err(reason),
        }
    }

    /// Keeps every revision of the ConfigMaps in scope and tells of each, until nobody listens.
    pub async fn record(
        &self,
        recording: Recording,
        told: Sender<Told>,
    ) -> Result<(), SourceError> {
        self.api.ready().await?;
        let uid = self.uid().await.map_err(|reason| self.unreached(&reason))?;
        let (sender, mut changes) = mpsc::channel(WAITING);
        let (seen, all_seen) = mpsc::channel(WAITING);
        let scope = recording.scope.clone();
        let mut aim = Aim::new(recording.target.clone());
        let kinds = aim.kinds();
        let writing = self.write(recording, &aim, uid, all_seen, told).await?;
        let pass_on = async move {
            while let Some(change) = changes.recv().await {
                if let Some(one) = Seen::of(&change, &mut aim)
                    && seen.send(one).await.is_err()
                {
                    return;
                }
            }
        };
        let watching = watch::only(self, &scope, &kinds, sender);
        let (watched, (), _) = tokio::join!(watching, pass_on, writing);
        watched
    }

    /// Opens the history, and writes down what is seen from then on, on a thread of its own.
    async fn write(
        &self,
        recording: Recording,
        aim: &Aim,
        uid: Option<String>,
        mut seen: mpsc::Receiver<Seen>,
        told: Sender<Told>,
    ) -> Result<JoinHandle<()>, SourceError> {
        let clock = self.clock.clone();
        let cluster = Cluster {
            server: self.cluster.server.clone(),
            uid,
        };
        let Recording {
            store,
            bounds,
            scope,
            ..
        } = recording;
        // Reading what is there takes a while, and so may whoever else is opening it.
        let now = clock.now();
        let open = move || Book::open(&store, cluster, bounds, now);
        let opened = tokio::task::spawn_blocking(open).await;
        let opened = opened.map_err(|_| SourceError {
            message: "Opening the history broke off.".to_owned(),
            hint: None,
        })?;
        let (book, newest) = opened.map_err(|error| SourceError {
            message: error.to_string(),
            hint: Some(error.hint().to_owned()),
        })?;
        let namespace = scope.namespace.as_deref();
        let mut recorder = Recorder::new(book, newest, namespace, aim, clock);
        Ok(tokio::task::spawn_blocking(move || {
            while let Some(one) = seen.blocking_recv() {
                for one in recorder.take(one) {
                    if told.blocking_send(one).is_err() {
                        return;
                    }
                }
            }
            for one in recorder.finish() {
                // Whoever ended it may be gone.
                let _ = told.blocking_send(one);
            }
        }))
    }

    fn unreached(&self, reason: &GapReason) -> SourceError {
        let why = match reason {
            GapReason::Connection(why) => why.clone(),
            GapReason::TimedOut { seconds } => format!("no answer in {seconds} s"),
            GapReason::Unauthorized => "the login is missing or has expired".to_owned(),
            GapReason::Status { code, message } => format!("it answered {code}: {message}"),
            other => format!("{other:?}"),
        };
        SourceError {
            message: format!("{} could not be reached: {why}.", self.cluster.server),
            hint: Some("Check the address, the network and the login, as with kubectl.".to_owned()),
        }
    }

    /// Watches, and keeps what is seen where the settings ask for it. A history that cannot be written is a gap.
    pub(super) async fn watch_and_keep(
        &self,
        scope: &Scope,
        changes: Sender<Change>,
    ) -> Result<(), SourceError> {
        let (Some(store), Some(bounds)) = (&self.outside.store, self.outside.keep) else {
            return watch::watch(self, scope, changes).await;
        };
        let recording = Recording {
            scope: scope.clone(),
            target: None,
            store: store.clone(),
            bounds,
        };
        let (sender, mut inner) = mpsc::channel(WAITING);
        // Unbounded, since the screen must not wait for a disk, nor for what tells which cluster this is.
        let (seen, all_seen) = mpsc::unbounded_channel();
        let pass_on = async {
            let mut aim = Aim::new(None);
            while let Some(change) = inner.recv().await {
                if let Some(one) = Seen::of(&change, &mut aim) {
                    // Where nobody writes, that was told.
                    let _ = seen.send(one);
                }
                if changes.send(change).await.is_err() {
                    return;
                }
            }
        };
        let keeping = async {
            if let Err(error) = self.keep(recording, all_seen, &changes).await {
                self.tell_unkept(scope, store, error.message, &changes)
                    .await;
            }
            std::future::pending().await
        };
        tokio::select! {
            (watched, ()) = async { tokio::join!(watch::watch(self, scope, sender), pass_on) } => watched,
            () = keeping => Ok(()),
        }
    }

    /// Writes down what is seen while the dashboard is open, and tells where that fails.
    async fn keep(
        &self,
        recording: Recording,
        mut all_seen: mpsc::UnboundedReceiver<Seen>,
        changes: &Sender<Change>,
    ) -> Result<(), SourceError> {
        let (scope, store) = (recording.scope.clone(), recording.store.clone());
        let uid = self.uid().await.map_err(|reason| self.unreached(&reason))?;
        let (seen, bounded) = mpsc::channel(WAITING);
        let (told, mut tells) = mpsc::channel(WAITING);
        // It ends by itself when nothing is seen any more.
        let aim = Aim::new(None);
        drop(self.write(recording, &aim, uid, bounded, told).await?);
        let feed = async {
            while let Some(one) = all_seen.recv().await {
                if seen.send(one).await.is_err() {
                    return;
                }
            }
        };
        let tell = async {
            while let Some(one) = tells.recv().await {
                if let Told::Failing { why, .. } = one {
                    self.tell_unkept(&scope, &store, why, changes).await;
                }
            }
        };
        tokio::join!(feed, tell);
        Ok(())
    }

    async fn tell_unkept(
        &self,
        scope: &Scope,
        store: &std::path::Path,
        why: String,
        changes: &Sender<Change>,
    ) {
        let loaded = Loaded {
            outside: Outside::default(),
            gaps: vec![gap("write", scope, store, why)],
        };
        // The dashboard may have been quit meanwhile.
        let _ = changes.send(Change::Outside(Box::new(loaded))).await;
    }
}

fn gap(verb: &str, scope: &Scope, store: &std::path::Path, why: String) -> Gap {
    Gap {
        verb: verb.to_owned(),
        resource: "own history".to_owned(),
        namespace: scope.namespace.clone(),
        name: Some(store.display().to_string()),
        reason: GapReason::Bounded(why),
    }
}
