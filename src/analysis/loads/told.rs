//! What the log says of a load: confirming it, contradicting it, or telling it alone.

use chrono::{DateTime, Utc};

use super::compare::{alike, is_live};
use super::files::of_program;
use super::start::AtStart;
use super::{Known, SWAP, Seen, Shown};
use crate::analysis::content::{Keys, same};
use crate::analysis::incident::Grade;
use crate::analysis::ordering::clock_known;
use crate::analysis::revisions::History;
use crate::analysis::uses::ConfigUse;

/// What a signal says of a program that may read again: only one logged after the edit says anything of now.
pub(super) fn by_shown(
    seen: &Seen<'_>,
    usage: &ConfigUse,
    start: &AtStart,
    shown: &Shown,
) -> Option<Known> {
    let known = &start.known;
    let edited = seen.history.last_edit().and_then(|edit| edit.at.latest)?;
    let index = last_shown(seen, usage, start, shown, edited)?;
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
    let grade = graded(seen, usage, known, (index, agrees));
    let swapping = of_program(seen, &usage.via).is_none()
        && !is_live(seen.history, index, usage)
        && shown.last < Some(edited + SWAP);
    if swapping {
        why.push(
            "its files may still be swapped for the live ones, which takes up to two minutes"
                .to_owned(),
        );
        return Some(Known {
            evidence,
            ..Known::nothing(why.join("; "))
        });
    }
    Some(Known {
        index: Some(index),
        live_unknown: false,
        differs: false,
        grade,
        why,
        evidence,
    })
}

/// The revision that a signal shows, if it says anything of what was read last.
fn last_shown(
    seen: &Seen<'_>,
    usage: &ConfigUse,
    start: &AtStart,
    shown: &Shown,
    edited: DateTime<Utc>,
) -> Option<usize> {
    if shown.last.is_none_or(|last| last <= edited) {
        return None;
    }
    // What it read after that it has not shown yet.
    let reloaded = seen.scan.and_then(|scan| scan.reloads.last());
    if reloaded.is_some_and(|(at, _)| *at >= shown.last) {
        return None;
    }
    match meant(seen.history, &shown.revisions, usage) {
        Meant::One(index) if tells_which(seen, usage, start, shown) => Some(index),
        Meant::One(_) | Meant::Several => None,
    }
}

/// Whether nothing but a known revision can stand behind a signal that only some of them explain: no other can have been loaded, or
/// any other with this value would be the same for the use.
fn tells_which(seen: &Seen<'_>, usage: &ConfigUse, start: &AtStart, shown: &Shown) -> bool {
    covers(shown, usage) || (seen.history.is_exact() && start.is_within(seen, usage))
}

fn graded(
    seen: &Seen<'_>,
    usage: &ConfigUse,
    known: &Known,
    (index, agrees): (usize, bool),
) -> Grade {
    if agrees && known.grade == Grade::Ordered && is_live(seen.history, index, usage) {
        Grade::Ordered
    } else if !clock_known(seen.snapshot, seen.pod) && of_program(seen, &usage.via).is_none() {
        // That it was logged after the edit is told by two clocks of which it is not known how far they are apart.
        Grade::Inferred
    } else {
        Grade::Shown
    }
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

/// What a signal means for a use.
enum Meant {
    /// This revision, or those like it.
    One(usize),
    Several,
}

fn meant(history: &History, revisions: &[usize], usage: &ConfigUse) -> Meant {
    match revisions.last() {
        Some(last) if revisions.iter().all(|r| alike(history, *r, *last, usage)) => {
            Meant::One(*last)
        }
        _ => Meant::Several,
    }
}

/// Whether the keys that a signal tells of are all that reach the process by a use: then an unknown revision with the same value is
/// the same for it.
fn covers(shown: &Shown, usage: &ConfigUse) -> bool {
    // What else an unknown one held is not known where any key may reach.
    let (Some(keys), Some(single)) = (&shown.keys, usage.keys.single()) else {
        return false;
    };
    keys.contains(single)
}

/// Whether the revisions that a signal means all differ from what is live in the very keys that it tells of.
fn differs_from_live(seen: &Seen<'_>, shown: &Shown) -> bool {
    let history = seen.history;
    let (Some(keys), Some(live)) = (&shown.keys, history.live_content()) else {
        return false;
    };
    let keys = Keys::only(keys.iter().cloned());
    let differs = |index: &usize| {
        let content = history.content(*index);
        content.is_some_and(|content| same(content, live, &keys) == Some(false))
    };
    !shown.revisions.contains(&history.live()) && shown.revisions.iter().all(differs)
}

/// A load that is fixed from the start: what the log shows confirms it, or contradicts it.
pub(super) fn with_shown(
    seen: &Seen<'_>,
    usage: &ConfigUse,
    start: &AtStart,
    shown: &[&Shown],
) -> Known {
    let mut known = start.known.clone();
    for shown in shown {
        let agrees = known.index.map(|index| {
            let fits = |r: &usize| alike(seen.history, index, *r, usage);
            (
                shown.revisions.iter().any(fits),
                shown.revisions.iter().all(fits),
            )
        });
        match (agrees, meant(seen.history, &shown.revisions, usage)) {
            (Some((_, true)), _) => {
                // Between revisions that are known by halves there may have been others with this value.
                if tells_which(seen, usage, start, shown) {
                    known.grade = known.grade.min(Grade::Shown);
                }
                known.why.push(shows(shown));
            }
            // It fits, and others would too.
            (Some((true, false)), _) => known.why.push(format!("{}, which fits", shows(shown))),
            (Some(_), _) if known.grade < Grade::Shown => known.why.push(format!(
                "its {} also shows {}, which speaks against it; the order is the stronger",
                shown.within, shown.text
            )),
            (Some(_), _) if known.grade == Grade::Shown => {
                return Known {
                    evidence: known.evidence,
                    ..Known::nothing(format!(
                        "its {} contradicts itself: {}",
                        shown.within, shown.text
                    ))
                };
            }
            (_, Meant::One(index)) if tells_which(seen, usage, start, shown) => {
                known = told_alone(known, index, shown);
            }
            _ if differs_from_live(seen, shown) => {
                known.index = None;
                known.differs = true;
                known.grade = Grade::Shown;
                known.why = vec![format!(
                    "{}, which is not live; which revision it is of, is not known",
                    shows(shown)
                )];
            }
            (Some(_), _) => {
                return Known {
                    evidence: known.evidence,
                    ..Known::nothing(format!(
                        "{}, which speaks against what the times say",
                        shows(shown)
                    ))
                };
            }
            (None, _) => continue,
        }
        known.evidence.push(shown.evidence);
    }
    known.evidence.dedup();
    known
}

fn shows(shown: &Shown) -> String {
    format!("its {} shows {}", shown.within, shown.text)
}

fn told_alone(mut known: Known, index: usize, shown: &Shown) -> Known {
    if known.index.is_some() {
        known
            .why
            .push(format!("but {}, which is the stronger", shows(shown)));
    } else {
        known.why = vec![shows(shown)];
    }
    known.index = Some(index);
    known.live_unknown = false;
    known.differs = false;
    known.grade = Grade::Shown;
    known
}
