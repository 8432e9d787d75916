//! rollback-broken: an older ReplicaSet that an undo would bring back names a config or a key that is gone.

use super::Decision;
use crate::analysis::case::{Case, is_met};
use crate::analysis::evidence::{Book, show_workload};
use crate::analysis::gaps::unlisted;
use crate::analysis::incident::{Code, Finding};
use crate::analysis::index::Index;
use crate::analysis::names::list;
use crate::model::Workload;

pub(super) fn decide(case: &Case<'_>, book: &mut Book<'_>) -> Decision {
    if case.workload.kind != "Deployment" {
        return Decision::No;
    }
    if let Some(why) = unlisted(case.snapshot, "replicasets") {
        return Decision::CannotTell(format!("what an undo would bring back: {why}"));
    }
    let sets = case.index.sets(&case.workload);
    let broken: Vec<(&Workload, Vec<String>)> = sets
        .iter()
        .skip(1)
        .filter_map(|set| {
            let gone = gone(case.index, set);
            (!gone.is_empty()).then_some((*set, gone))
        })
        .collect();
    let Some((first, gone)) = broken.first() else {
        return Decision::No;
    };
    let revision = first.revision.as_deref().unwrap_or("?");
    let number = book.add(
        format!(
            "ReplicaSet/{}, what its template names",
            first.reference.name
        ),
        &show_workload(&first.reference),
        case.snapshot.taken_at,
        format!("revision {revision}; gone: {}", list(gone)),
    );
    let more = match broken.len() - 1 {
        0 => String::new(),
        1 => " 1 older revision is broken so too.".to_owned(),
        many => format!(" {many} older revisions are broken so too."),
    };
    Decision::Yes(Finding {
        code: Code::RollbackBroken,
        sentence: format!(
            "An undo is no way back: revision {revision} of {} ({}) names {}, which {} not there any more, so its pods would not start.{more}",
            case.workload.name,
            first.reference.name,
            list(gone),
            if gone.len() == 1 { "is" } else { "are" },
        ),
        evidence: vec![number],
    })
}

/// What a template needs and is not there.
fn gone(index: &Index<'_>, set: &Workload) -> Vec<String> {
    let all = set
        .needs
        .iter()
        .filter(|need| is_met(index, need) == Some(false));
    let mut gone: Vec<String> = all
        .map(|need| match (&need.key, index.config(&need.config)) {
            (Some(key), Some(_)) => format!("key {key} of {}", need.config),
            _ => need.config.to_string(),
        })
        .collect();
    gone.dedup();
    gone
}
