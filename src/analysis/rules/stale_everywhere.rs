//! stale-everywhere: no replica has loaded the live revision.

use super::words::{Sides, and_unknown, being_delivered, edited, evidence, named, sides, verb};
use super::{Decision, edited_back, recreated};
use crate::analysis::case::Case;
use crate::analysis::evidence::Book;
use crate::analysis::incident::{Code, Finding, Replica, Use};

pub(super) fn decide(case: &Case<'_>, _book: &mut Book<'_>) -> Decision {
    let sides = sides(case);
    let one_revision = sides
        .stale
        .iter()
        .all(|r| Some(&r.loaded) == sides.stale.first().map(|first| &first.loaded));
    let said = edited_back::holds(case, &sides) || recreated::holds(case, &sides);
    if sides.stale.is_empty() || !sides.live.is_empty() || !one_revision || said {
        return Decision::No;
    }
    let Some(edit) = case.last_write() else {
        return Decision::No;
    };
    if let Some(why) = being_delivered(case, &sides.stale, edit) {
        return Decision::CannotTell(why);
    }
    let loaded = loaded(&sides);
    let all = case.replicas.len();
    let who = if sides.stale.len() == all {
        format!(
            "None of the {all} {} {} has loaded it",
            case.workload.name,
            if all == 1 { "replica" } else { "replicas" }
        )
    } else {
        format!(
            "{} of {all} {} replicas {} not loaded it",
            sides.stale.len(),
            case.workload.name,
            verb(&sides.stale, "has", "have"),
        )
    };
    let delivery = if case.workload.kind == "Job" {
        "A Job ends with what it began with; the next one takes the edit."
    } else {
        delivery(&sides.stale)
    };
    let mut sentence = format!(
        "The edit reached no replica of {}{}. {}. {who}: {} {} since before the edit and {} {loaded}. {delivery}",
        case.workload.name,
        if sides.unknown.is_empty() {
            ""
        } else {
            " that is known"
        },
        edited(case, edit),
        named(case, &sides.stale),
        verb(&sides.stale, "has run", "have run"),
        verb(&sides.stale, "runs", "run"),
    );
    sentence.push_str(&and_unknown(case, &sides.unknown));
    let shown: Vec<&Replica> = sides.stale.clone();
    Decision::Yes(Finding {
        code: Code::StaleEverywhere,
        sentence,
        evidence: evidence(case, shown),
    })
}

/// What they run instead.
fn loaded(sides: &Sides<'_>) -> String {
    let name = sides.stale.first().and_then(|r| r.loaded.as_ref());
    name.map_or_else(
        || "a content that is not live, of a revision that is not known".to_owned(),
        |name| format!("revision {name}"),
    )
}

/// What brings the edit to them.
fn delivery(stale: &[&Replica]) -> &'static str {
    let swaps = stale
        .iter()
        .flat_map(|r| &r.uses)
        .any(|u| matches!(u.via, Use::Volume { .. } | Use::Projected { .. }));
    if swaps {
        "They have not read their files again; a restart delivers it."
    } else {
        "Nothing delivers it but a restart."
    }
}
