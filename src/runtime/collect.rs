//! Reads until nothing more would help: the lists, then what the analysis still asks for.

use crate::analysis;
use crate::model::{Scope, Snapshot};
use crate::source::{Progress, Source, SourceError};

/// Each answer may raise further questions, but never for long.
const ROUNDS: usize = 5;

/// Reads everything about a scope from a source.
pub async fn collect<S: Source>(
    source: &S,
    scope: &Scope,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Snapshot, SourceError> {
    let mut snapshot = source.lists(scope, progress).await?;
    for _ in 0..ROUNDS {
        let wants = analysis::wanted(&snapshot);
        if wants.is_empty() {
            break;
        }
        source.answer(&mut snapshot, wants, progress).await;
    }
    Ok(snapshot)
}
