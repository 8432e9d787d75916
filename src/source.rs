//! The seam to the outside world: a live cluster or a capture gives facts, and what fails there becomes a gap with a name.

mod change;
mod clock;
mod convert;
mod failure;
mod items;
pub mod live;
pub mod outside;
mod probing;
mod record;
pub mod replay;
mod version_at;
mod withhold;

use std::future::Future;

use chrono::{DateTime, Utc};
use tokio::sync::mpsc::Sender;

pub use change::{Answer, Answers, Change, Link};
pub use clock::Clock;
pub use failure::nothing_read;
pub use probing::Probing;
pub use record::Told;
pub use version_at::VersionAt;
pub use withhold::unknown_secret;

use crate::model::{PodRef, Scope, Snapshot, Want};
use crate::remedy::{Approved, Prepared, Write, WriteError, Written};

/// Where facts come from. All of it reads, but for [`Source::write`], which takes what a person approved.
pub trait Source: Send + Sync {
    /// Reads the lists of a scope, all at once. A list that fails is a gap; only when nothing at all could be read is it an error.
    fn lists(
        &self,
        scope: &Scope,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> impl Future<Output = Result<Snapshot, SourceError>> + Send;

    /// Answers further questions about a snapshot, all at once: facts or gaps.
    fn answer(
        &self,
        snapshot: &Snapshot,
        wants: Vec<Want>,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> impl Future<Output = Answers> + Send;

    /// Hears what the user agreed to beyond observing, from now on. A capture has nothing to be agreed to.
    fn permit(&self, _probing: Probing) {}

    /// Whether a further read may be asked for: one that needs consent is held back until there is some.
    fn permits(&self, want: &Want) -> bool {
        !want.probes()
    }

    /// Looks at what is meant to be written, without writing: rights, refusals, and the object as it is.
    fn prepare(
        &self,
        _meant: Vec<Write>,
    ) -> impl Future<Output = Result<Prepared, WriteError>> + Send {
        async { Err(WriteError::ReadOnly("a capture is a file")) }
    }

    /// Writes what was approved, once.
    fn write(
        &self,
        _approved: Approved,
    ) -> impl Future<Output = Result<Written, WriteError>> + Send {
        async { Err(WriteError::ReadOnly("a capture is a file")) }
    }

    /// Takes out of a snapshot what must not be shown and was not known when it was read.
    fn redact(&self, snapshot: &mut Snapshot);

    /// Reads the lists of a scope and tells what changes from then on, for as long as anybody listens. It ends by itself
    /// where nothing can change, or with the error that makes going on useless.
    fn watch(
        &self,
        scope: &Scope,
        changes: Sender<Change>,
    ) -> impl Future<Output = Result<(), SourceError>> + Send;

    /// Tells each line that a container logs after a moment, until its run ends or nobody listens.
    fn follow(
        &self,
        pod: &PodRef,
        container: &str,
        after: Option<DateTime<Utc>>,
        changes: Sender<Change>,
    ) -> impl Future<Output = ()> + Send;
}

/// What has arrived so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// A list is complete.
    Listed {
        resource: &'static str,
        count: usize,
    },
    /// A list failed and became a gap.
    Failed { resource: &'static str },
    /// So many of the further reads are done.
    Answered { done: usize, of: usize },
}

/// Nothing could be read. The message says what was wrong and where; the hint what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SourceError {
    pub message: String,
    pub hint: Option<String>,
}
