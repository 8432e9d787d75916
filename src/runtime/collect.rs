//! Reads until nothing more would help: the lists, then what the analysis still asks for.

use crate::analysis::{Analyst, Diagnosis};
use crate::model::{Gap, GapReason, Scope, Snapshot, Want};
use crate::source::{Progress, Source, SourceError};

/// Each answer may raise further questions, but never for long.
const ROUNDS: usize = 7;

/// Everything about a scope, and the report on it.
pub async fn collect<S: Source>(
    source: &S,
    scope: &Scope,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<(Snapshot, Diagnosis), SourceError> {
    let mut snapshot = source.lists(scope, progress).await?;
    let mut analyst = Analyst::default();
    // What nobody agreed to stays wanted: it is neither asked nor a gap.
    let permitted = |wanted: Vec<Want>| -> Vec<Want> {
        let wanted = wanted.into_iter();
        wanted.filter(|want| source.permits(want)).collect()
    };
    for _ in 0..ROUNDS {
        let look = analyst.look(&snapshot);
        let wanted = permitted(look.wanted);
        if wanted.is_empty() {
            return Ok((snapshot, look.diagnosis));
        }
        let answers = source.answer(&snapshot, wanted, progress).await;
        answers.into_snapshot(&mut snapshot);
        source.redact(&mut snapshot);
    }
    let wants = permitted(analyst.look(&snapshot).wanted);
    if !wants.is_empty() {
        give_up(&mut snapshot, wants);
    }
    let diagnosis = analyst.look(&snapshot).diagnosis;
    Ok((snapshot, diagnosis))
}

/// What is still wanted counts as asked, so that a capture of this asks nothing either, and is a gap.
fn give_up(snapshot: &mut Snapshot, wants: Vec<Want>) {
    snapshot.gaps.push(Gap {
        verb: "get".to_owned(),
        resource: "further reads".to_owned(),
        namespace: snapshot.scope.namespace.clone(),
        name: None,
        reason: GapReason::Bounded(format!("{} were left after {ROUNDS} rounds", wants.len())),
    });
    snapshot.asked.extend(wants);
}
