//! edited-back: live is again what an earlier revision held, and some replica loaded the one between.

use super::Decision;
use super::words::{Sides, again_at, and_unknown, by, evidence, named, sides, verb};
use crate::analysis::case::Case;
use crate::analysis::evidence::Book;
use crate::analysis::incident::{Code, Finding};
use crate::analysis::names::when;

/// Whether every replica that is behind loaded a revision between the live one and the earlier one that is the same.
pub(super) fn holds(case: &Case<'_>, sides: &Sides<'_>) -> bool {
    let Some(first) = again_at(case) else {
        return false;
    };
    let between = |name: &String| {
        let place = case.history.place(name);
        place.is_some_and(|place| place > first && place < case.history.live())
    };
    !sides.stale.is_empty()
        && sides
            .stale
            .iter()
            .all(|r| r.loaded.as_ref().is_some_and(between))
}

pub(super) fn decide(case: &Case<'_>, _book: &mut Book<'_>) -> Decision {
    let sides = sides(case);
    let Some(first) = again_at(case) else {
        return Decision::No;
    };
    if !holds(case, &sides) {
        let open = sides.stale.is_empty() && !sides.unknown.is_empty();
        return if open {
            Decision::CannotTell(format!(
                "whether {} loaded what was live between: {}",
                named(case, &sides.unknown),
                sides.unknown.first().map_or("", |r| r.why.as_str())
            ))
        } else {
            Decision::No
        };
    }
    let now = case.snapshot.now();
    let edit = |place: usize| {
        let edit = case.history.edits.get(place);
        edit.map_or_else(
            || "at an unknown time".to_owned(),
            |edit| format!("{} UTC {}", when(&edit.at, now), by(edit)),
        )
    };
    let mut between: Vec<&str> = sides
        .stale
        .iter()
        .filter_map(|r| r.loaded.as_deref())
        .collect();
    between.sort_unstable();
    between.dedup();
    let (who, all) = (named(case, &sides.stale), case.replicas.len());
    let mut sentence = format!(
        "{} was edited {} and edited back {}: what is live is again what revision {} held. {} of {all} {} {}, {who}, started between and still {} revision {}. Only {} a restart.",
        case.config.reference.name,
        edit(first),
        edit(case.history.live().saturating_sub(1)),
        case.history.name(first).unwrap_or_default(),
        sides.stale.len(),
        case.workload.name,
        if all == 1 { "replica" } else { "replicas" },
        verb(&sides.stale, "runs", "run"),
        between.join(" or "),
        verb(
            &sides.stale,
            &format!("{who} needs"),
            &format!("{who} need")
        ),
    );
    sentence.push_str(&and_unknown(case, &sides.unknown));
    Decision::Yes(Finding {
        code: Code::EditedBack,
        sentence,
        evidence: evidence(case, sides.stale.iter().chain(&sides.live).copied()),
    })
}
