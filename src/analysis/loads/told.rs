//! What the log says of a load: confirming it, contradicting it, or telling it alone.

use super::compare::{alike, is_live};
use super::files::of_program;
use super::{Known, SWAP, Seen, Shown};
use crate::analysis::incident::Grade;
use crate::analysis::revisions::History;
use crate::analysis::uses::ConfigUse;

/// What a signal says of a program that may read again: only one logged after the edit says anything of now.
pub(super) fn by_shown(
    seen: &Seen<'_>,
    usage: &ConfigUse,
    known: &Known,
    shown: &Shown,
) -> Option<Known> {
    let index = one_of(seen.history, &shown.revisions, usage, known.index)?;
    let edited = seen.history.last_edit().and_then(|edit| edit.at.latest)?;
    if shown.last.is_none_or(|last| last <= edited) {
        return None;
    }
    if known.index.is_some_and(|start| index < start)
        && !alike(seen.history, index, known.index?, usage)
    {
        return Some(against(known, shown));
    }
    let agrees = known
        .index
        .is_none_or(|start| alike(seen.history, start, index, usage));
    let mut why = known.why.clone();
    if known.index.is_none() {
        why.clear();
    }
    why.push(if agrees {
        format!("its {} shows {}", shown.within, shown.text)
    } else {
        format!(
            "but its {} shows {} at last, so it read the files again",
            shown.within, shown.text
        )
    });
    let mut evidence = known.evidence.clone();
    evidence.push(shown.evidence);
    let grade = if agrees && known.grade == Grade::Ordered && is_live(seen.history, index, usage) {
        Grade::Ordered
    } else {
        Grade::Shown
    };
    let swapping = of_program(seen, &usage.via).is_none()
        && !is_live(seen.history, index, usage)
        && seen.snapshot.now() < edited + SWAP;
    if swapping {
        why.push(
            "its files may still be swapped for the live ones, which takes up to two minutes"
                .to_owned(),
        );
    }
    Some(Known {
        index: Some(index),
        live_unknown: swapping,
        grade,
        why,
        evidence,
    })
}

/// Files never go back: a log that shows an older value than the pod was born with speaks of something else.
fn against(known: &Known, shown: &Shown) -> Known {
    let mut known = known.clone();
    known.evidence.push(shown.evidence);
    known.why.push(format!(
        "its {} shows {}, which speaks against it",
        shown.within, shown.text
    ));
    if known.grade > Grade::Ordered {
        known.index = None;
        known.live_unknown = true;
        known.grade = Grade::Unknown;
    }
    known
}

/// The one revision that a signal means for this use: the expected one if it is among them, or one like all the others.
fn one_of(
    history: &History,
    revisions: &[usize],
    usage: &ConfigUse,
    expected: Option<usize>,
) -> Option<usize> {
    if let Some(expected) = expected
        && revisions
            .iter()
            .any(|r| alike(history, *r, expected, usage))
    {
        return Some(expected);
    }
    let last = *revisions.last()?;
    revisions
        .iter()
        .all(|r| alike(history, *r, last, usage))
        .then_some(last)
}

/// A load that is fixed from the start: what the log shows confirms it, or contradicts it.
pub(super) fn with_shown(seen: &Seen<'_>, usage: &ConfigUse, known: Known) -> Known {
    let mut known = known;
    for shown in seen.shown {
        let Some(index) = one_of(seen.history, &shown.revisions, usage, known.index) else {
            continue;
        };
        match known.index {
            Some(start) if alike(seen.history, start, index, usage) => {
                known.grade = known.grade.min(Grade::Shown);
                known
                    .why
                    .push(format!("its {} shows {}", shown.within, shown.text));
            }
            Some(_) if known.grade < Grade::Shown => known.why.push(format!(
                "its {} also shows {}, which speaks against it; the order is the stronger",
                shown.within, shown.text
            )),
            Some(_) if known.grade == Grade::Shown => {
                return Known {
                    evidence: known.evidence,
                    ..Known::nothing(format!(
                        "its {} contradicts itself: {}",
                        shown.within, shown.text
                    ))
                };
            }
            _ => {
                let against = known.index.is_some();
                known.index = Some(index);
                known.live_unknown = false;
                known.grade = Grade::Shown;
                let shows = format!("its {} shows {}", shown.within, shown.text);
                if against {
                    known
                        .why
                        .push(format!("but {shows}, which is the stronger"));
                } else {
                    known.why = vec![shows];
                }
            }
        }
        known.evidence.push(shown.evidence);
    }
    known.evidence.dedup();
    known
}
