//! The seam to the outside world: a live cluster or a capture gives facts, and what fails there becomes a gap with a name.

mod convert;
pub mod live;
pub mod replay;

use std::future::Future;

use crate::model::{Scope, Snapshot, Want};

/// Where facts come from. All of it reads; nothing here writes to a cluster.
pub trait Source: Send + Sync {
    /// Reads the lists of a scope, all at once. A list that fails is a gap; only when nothing at all could be read is it an error.
    fn lists(
        &self,
        scope: &Scope,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> impl Future<Output = Result<Snapshot, SourceError>> + Send;

    /// Answers further questions, all at once, into the snapshot: facts or gaps. Every want is added to `snapshot.asked`.
    fn answer(
        &self,
        snapshot: &mut Snapshot,
        wants: Vec<Want>,
        progress: &(dyn Fn(Progress) + Send + Sync),
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
