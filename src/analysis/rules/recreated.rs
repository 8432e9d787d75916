//! recreated: the config was deleted and made again with other content, and no replica has it.

use super::Decision;
use super::words::{Sides, and_unknown, by, evidence, named, sides, verb, whereabouts};
use crate::analysis::case::Case;
use crate::analysis::diff::describe_all;
use crate::analysis::evidence::Book;
use crate::analysis::incident::{Code, Finding};
use crate::analysis::names::when;

/// The place of the former object's last revision, where every replica that is known loaded one of the former object.
fn former(case: &Case<'_>, sides: &Sides<'_>) -> Option<usize> {
    let made_anew = case.history.edits.iter();
    let last = made_anew
        .enumerate()
        .rev()
        .find(|(_, edit)| edit.after_former.is_some())?
        .0;
    let of_former = |name: &String| case.history.place(name).is_some_and(|place| place <= last);
    let all = sides
        .stale
        .iter()
        .all(|r| r.loaded.as_ref().is_some_and(of_former));
    (all && sides.live.is_empty() && !sides.stale.is_empty()).then_some(last)
}

pub(super) fn holds(case: &Case<'_>, sides: &Sides<'_>) -> bool {
    former(case, sides).is_some()
}

pub(super) fn decide(case: &Case<'_>, _book: &mut Book<'_>) -> Decision {
    let sides = sides(case);
    let known = case.history.edits.iter().any(|e| e.after_former.is_some());
    let Some(last) = former(case, &sides) else {
        let open = case.perhaps_replaced && !known && !sides.unknown.is_empty();
        return if open && sides.live.is_empty() {
            Decision::CannotTell(
                "what an object of this name held before it was made again: the API server keeps it no longer".to_owned(),
            )
        } else {
            Decision::No
        };
    };
    let Some(edit) = case.history.edits.get(last) else {
        return Decision::No;
    };
    let what = match case.changes.as_slice() {
        [] => "with other content".to_owned(),
        changes => format!("with other content: {}", describe_all(changes)),
    };
    let name = sides.stale.first().and_then(|r| r.loaded.as_deref());
    let mut sentence = format!(
        "{} {} was deleted and made again {} UTC {} {what}. No replica of {} has it: {} still {} what the former object held, revision {}, {}. Its creationTimestamp is newer than they are, and nothing delivers it but a restart.",
        case.config.reference.kind,
        case.config.reference.name,
        when(&edit.at, case.snapshot.now()),
        by(edit),
        case.workload.name,
        named(case, &sides.stale),
        verb(&sides.stale, "runs", "run"),
        name.unwrap_or("?"),
        name.map(|name| whereabouts(case, name)).unwrap_or_default(),
    );
    sentence.push_str(&and_unknown(case, &sides.unknown));
    Decision::Yes(Finding {
        code: Code::Recreated,
        sentence,
        evidence: evidence(case, sides.stale.iter().copied()),
    })
}
