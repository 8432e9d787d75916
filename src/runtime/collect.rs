//! Reads until nothing more would help: the lists, then what the analysis still asks for.

use crate::analysis;
use crate::model::{Gap, GapReason, Scope, Snapshot};
use crate::source::{Progress, Source, SourceError};

/// Each answer may raise further questions, but never for long.
const ROUNDS: usize = 5;

/// Reads everything about a scope from a source. `seen` is shown the snapshot before each round of further questions.
pub async fn collect<S: Source>(
    source: &S,
    scope: &Scope,
    progress: &(dyn Fn(Progress) + Send + Sync),
    seen: &(dyn Fn(&Snapshot) + Send + Sync),
) -> Result<Snapshot, SourceError> {
    let mut snapshot = source.lists(scope, progress).await?;
    for _ in 0..ROUNDS {
        let wants = analysis::wanted(&snapshot);
        if wants.is_empty() {
            return Ok(snapshot);
        }
        seen(&snapshot);
        source.answer(&mut snapshot, wants, progress).await;
    }
    give_up(&mut snapshot);
    Ok(snapshot)
}

/// What is still wanted counts as asked, so that a capture of this asks nothing either, and is a gap.
fn give_up(snapshot: &mut Snapshot) {
    let wants = analysis::wanted(snapshot);
    if wants.is_empty() {
        return;
    }
    snapshot.gaps.push(Gap {
        verb: "get".to_owned(),
        resource: "further reads".to_owned(),
        namespace: snapshot.scope.namespace.clone(),
        name: None,
        reason: GapReason::Bounded(format!("{} were left after {ROUNDS} rounds", wants.len())),
    });
    snapshot.asked.extend(wants);
}
