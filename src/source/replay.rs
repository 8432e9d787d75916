//! A capture as a source: it answers from the file what the cluster answered then.

use std::path::Path;

use chrono::{DateTime, Utc};
use tokio::sync::mpsc::Sender;

use super::outside::{About, Loaded};
use super::{Answer, Answers, Change, Progress, Source, SourceError};
use crate::capture::{self, OpenError, Opened};
use crate::model::{GapReason, PodRef, Scope, Snapshot, Want};

/// An opened capture. Its snapshot holds the answers to everything that was asked when it was taken.
#[derive(Debug)]
pub struct Replay {
    opened: Opened,
    /// What was named beside the capture.
    outside: Loaded,
}

impl Replay {
    /// Opens the capture in a file.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        capture::open(path).map(|opened| Self {
            opened,
            outside: Loaded::default(),
        })
    }

    /// Also knows what came from outside, as if it had been known then.
    #[must_use]
    pub fn with_outside(mut self, outside: Loaded) -> Self {
        self.outside = outside;
        self
    }

    /// What old contents are read for, where they are read beside this capture.
    pub fn about(&self) -> About {
        About {
            namespace: self.scope().namespace.clone(),
            server: self.opened.snapshot.cluster.server.clone(),
        }
    }

    /// What was asked for when it was taken.
    pub fn scope(&self) -> &Scope {
        &self.opened.snapshot.scope
    }

    /// The snapshot and what is known of the file.
    pub fn opened(&self) -> &Opened {
        &self.opened
    }
}

impl Source for Replay {
    /// The captured snapshot whatever the namespace: nothing else is in the file. A target narrows the report down.
    async fn lists(
        &self,
        scope: &Scope,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Snapshot, SourceError> {
        let mut snapshot = self.opened.snapshot.clone();
        if scope.target.is_some() {
            snapshot.scope.target.clone_from(&scope.target);
        }
        if scope.route.is_some() {
            snapshot.scope.route.clone_from(&scope.route);
        }
        if scope.client.is_some() {
            snapshot.scope.client.clone_from(&scope.client);
        }
        self.outside.clone().into_snapshot(&mut snapshot);
        progress(Progress::Listed {
            resource: "records",
            count: snapshot.configs.len() + snapshot.pods.len() + snapshot.events.len(),
        });
        Ok(snapshot)
    }

    /// Nothing new can be read. What was asked then has its answer already; what was not is a gap.
    async fn answer(
        &self,
        snapshot: &Snapshot,
        wants: Vec<Want>,
        _progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Answers {
        let answer = |want: Want| {
            let answer = if snapshot.asked.contains(&want) {
                Answer::Known
            } else {
                let why = "it was not read when the capture was taken".to_owned();
                Answer::Gap(want.gap(GapReason::Capture(why)))
            };
            (want, answer)
        };
        Answers(wants.into_iter().map(answer).collect())
    }

    /// It was done when the capture was taken.
    fn redact(&self, _snapshot: &mut Snapshot) {}

    async fn watch(&self, scope: &Scope, changes: Sender<Change>) -> Result<(), SourceError> {
        let snapshot = self.lists(scope, &|_| {}).await?;
        // The dashboard may have been quit meanwhile.
        let _ = changes.send(Change::Whole(Box::new(snapshot))).await;
        Ok(())
    }

    /// Nobody logs anything any more.
    async fn follow(
        &self,
        _pod: &PodRef,
        _container: &str,
        _after: Option<DateTime<Utc>>,
        _changes: Sender<Change>,
    ) {
    }
}
