//! split-replicas: replicas of one workload run different revisions.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};

use super::words::{
    Sides, again, and_unknown, being_delivered, edited, evidence, named, sides, verb, whereabouts,
};
use super::{Decision, edited_back};
use crate::analysis::case::Case;
use crate::analysis::evidence::Book;
use crate::analysis::incident::{Code, Finding, Replica};
use crate::analysis::revisions::Edit;

pub(super) fn decide(case: &Case<'_>, _book: &mut Book<'_>) -> Decision {
    let sides = sides(case);
    let stale: BTreeSet<_> = sides
        .stale
        .iter()
        .filter_map(|r| r.loaded.as_ref())
        .collect();
    let nameless = sides.stale.iter().any(|r| r.loaded.is_none());
    let revisions = stale.len() + usize::from(nameless);
    let split = !sides.stale.is_empty() && (!sides.live.is_empty() || revisions > 1);
    // What is the same seen more closely is not said twice.
    if split && edited_back::holds(case, &sides) {
        return Decision::No;
    }
    if !split {
        let open = !sides.unknown.is_empty()
            && (!case.history.edits.is_empty() || case.history.floor.is_some())
            && case.replicas.len() > 1;
        return if open {
            Decision::CannotTell(format!(
                "which revision {} {}: {}",
                named(case, &sides.unknown),
                verb(&sides.unknown, "runs", "run"),
                sides.unknown.first().map_or("", |r| r.why.as_str())
            ))
        } else {
            Decision::No
        };
    }
    let Some(edit) = case.last_write() else {
        return Decision::No;
    };
    if let Some(why) = being_delivered(case, &sides.stale, edit) {
        return Decision::CannotTell(why);
    }
    let what = match again(case) {
        Some(name) => format!("what is live, which is again what revision {name} held"),
        None => "the edited config".to_owned(),
    };
    let mut sentence = format!(
        "{} of {} {} replicas {} {what}. {}. {}",
        sides.live.len(),
        case.replicas.len(),
        case.workload.name,
        verb(&sides.live, "runs", "run"),
        edited(case, edit),
        who(case, &sides, edit),
    );
    sentence.push_str(&and_unknown(case, &sides.unknown));
    let shown = case
        .replicas
        .iter()
        .filter(|r| sides.live.contains(r) || sides.stale.contains(r));
    Decision::Yes(Finding {
        code: Code::SplitReplicas,
        sentence,
        evidence: evidence(case, shown),
    })
}

fn who(case: &Case<'_>, sides: &Sides<'_>, edit: &Edit) -> String {
    let mut parts = Vec::new();
    if !sides.live.is_empty() {
        let name = case.live_name().unwrap_or_default();
        parts.push(format!(
            "{}{} {} revision {name}, live now",
            named(case, &sides.live),
            if again(case).is_none() {
                started(&sides.live, edit)
            } else {
                ""
            },
            verb(&sides.live, "runs", "run"),
        ));
    }
    let mut older: Vec<&str> = sides
        .stale
        .iter()
        .filter_map(|r| r.loaded.as_deref())
        .collect();
    older.sort_unstable();
    older.dedup();
    for name in older {
        let on: Vec<&Replica> = sides
            .stale
            .iter()
            .copied()
            .filter(|r| r.loaded.as_deref() == Some(name))
            .collect();
        parts.push(format!(
            "{}{} still {} revision {name}, {}",
            named(case, &on),
            started(&on, edit),
            verb(&on, "runs", "run"),
            whereabouts(case, name)
        ));
    }
    let nameless: Vec<&Replica> = sides
        .stale
        .iter()
        .copied()
        .filter(|r| r.loaded.is_none())
        .collect();
    if !nameless.is_empty() {
        parts.push(format!(
            "{}{} {} a content that is not live, of a revision that is not known",
            named(case, &nameless),
            started(&nameless, edit),
            verb(&nameless, "runs", "run"),
        ));
    }
    format!("{}.", parts.join("; "))
}

/// `, started after it,` where the times of all of them say so.
fn started(replicas: &[&Replica], edit: &Edit) -> &'static str {
    let all = |holds: &dyn Fn(DateTime<Utc>) -> bool| {
        replicas.iter().all(|r| r.started_at.is_some_and(holds))
    };
    if all(&|at| edit.at.latest.is_some_and(|latest| at >= latest)) {
        " started after it and"
    } else if all(&|at| edit.at.earliest.is_some_and(|earliest| at < earliest)) {
        " started before it and"
    } else {
        ""
    }
}
