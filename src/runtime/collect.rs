//! Reads until nothing more would help: the lists, then what the analysis still asks for.

use crate::analysis::{Analyst, Diagnosis};
use crate::model::{Gap, GapReason, Scope, Snapshot, Want};
use crate::source::{Progress, Source, SourceError};

/// Each answer may raise further questions, but never for long.
const ROUNDS: usize = 5;

/// Everything about a scope, and the report on it.
pub async fn collect<S: Source>(
    source: &S,
    scope: &Scope,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<(Snapshot, Diagnosis), SourceError> {
    let mut snapshot = source.lists(scope, progress).await?;
    let mut analyst = Analyst::default();
    for _ in 0..ROUNDS {
        let mut look = analyst.look(&snapshot);
        look.wanted.retain(|want| !want.probes());
        if look.wanted.is_empty() {
            return Ok((snapshot, look.diagnosis));
        }
        let answers = source.answer(&snapshot, look.wanted, progress).await;
        answers.into_snapshot(&mut snapshot);
        source.redact(&mut snapshot);
    }
    let mut wants = analyst.look(&snapshot).wanted;
    wants.retain(|want| !want.probes());
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
