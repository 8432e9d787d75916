//! What was there when a container started, by the order of its start and the edits.

use super::compare::alike;
use super::former::{frozen, unknown_object};
use super::{Known, SWAP, Seen};
use crate::analysis::evidence::Book;
use crate::analysis::incident::{Grade, Use};
use crate::analysis::names::clock_time;
use crate::analysis::ordering::{Relation, Side, relation};
use crate::analysis::revisions::Edit;
use crate::analysis::uses::ConfigUse;

/// The load at the start.
pub(super) fn at_start(seen: &Seen<'_>, usage: &ConfigUse, book: &mut Book<'_>) -> Known {
    if usage.via == Use::Api {
        return only_content(seen);
    }
    if let Some(why) = unknown_object(seen, usage.optional, book) {
        return Known::nothing(why);
    }
    let history = seen.history;
    let mut before = Before {
        grade: Grade::Ordered,
        why: Vec::new(),
        evidence: Vec::new(),
    };
    for (index, edit) in history.edits.iter().enumerate().rev() {
        if alike(history, index, index + 1, usage) {
            continue;
        }
        let found = relation(seen.snapshot, seen.pod, seen.taker, edit, book);
        match found.side {
            Side::Unclear => return Known::nothing(found.why),
            Side::Before => before = Before::of(found, before.grade),
            Side::After => return after(seen, usage, index + 1, found, before),
        }
    }
    before_all(seen, usage, before, book)
}

/// The relation to the edit that follows.
struct Before {
    grade: Grade,
    why: Vec<String>,
    evidence: Vec<usize>,
}

impl Before {
    fn of(found: Relation, grade: Grade) -> Self {
        Self {
            grade: grade.max(found.grade),
            why: vec![found.why],
            evidence: found.evidence,
        }
    }
}

/// It started after the edit that made a revision, and before the next one.
fn after(
    seen: &Seen<'_>,
    usage: &ConfigUse,
    index: usize,
    found: Relation,
    before: Before,
) -> Known {
    if let Some(why) = frozen(seen.history, index).or_else(|| too_soon(seen, usage, &found)) {
        return Known::nothing(why);
    }
    let mut why = vec![found.why];
    let next = before.why.into_iter();
    why.extend(next.map(|why| format!("of the next edit: {why}")));
    let mut evidence = found.evidence;
    evidence.extend(before.evidence);
    Known {
        index: Some(index),
        live_unknown: false,
        grade: before.grade.max(found.grade),
        why,
        evidence,
    }
}

/// The start is before every known edit that matters: it loaded the oldest known revision, unless that one was itself written
/// over something unknown after the start.
fn before_all(seen: &Seen<'_>, usage: &ConfigUse, before: Before, book: &mut Book<'_>) -> Known {
    let Before {
        mut grade,
        mut why,
        evidence,
    } = before;
    if let Some(floor) = &seen.history.floor {
        let found = relation(seen.snapshot, seen.pod, seen.taker, floor, book);
        if found.side != Side::After {
            return Known::nothing(unknown_content(seen, floor));
        }
        if let Some(why) = too_soon(seen, usage, &found) {
            return Known::nothing(why);
        }
        grade = grade.max(found.grade);
        if why.is_empty() {
            why.push(found.why);
        }
    }
    if why.is_empty() {
        // Nothing else can have been loaded, whatever the clocks say.
        why.push(never(seen).to_owned());
        grade = Grade::Inferred;
    }
    Known {
        index: Some(0),
        live_unknown: false,
        grade,
        why,
        evidence,
    }
}

fn never(seen: &Seen<'_>) -> &'static str {
    if seen.history.edits.is_empty() {
        "the config was never edited since it was created"
    } else {
        "no edit since the config was created touched what this container takes"
    }
}

/// A program that reads the object itself may do so at any time: only where there never was another content it is known.
fn only_content(seen: &Seen<'_>) -> Known {
    if seen.history.edits.is_empty() && seen.history.floor.is_none() {
        return Known {
            index: Some(0),
            live_unknown: false,
            grade: Grade::Inferred,
            why: vec![never(seen).to_owned()],
            evidence: Vec::new(),
        };
    }
    Known::nothing(
        "it seems to read the object through the API by itself, and when it did so last is not known".to_owned(),
    )
}

/// In a pod that is older than the edit the files of a volume may still have been the old ones, for as long as the kubelet
/// takes to swap them, or as it failed to.
fn too_soon(seen: &Seen<'_>, usage: &ConfigUse, after: &Relation) -> Option<String> {
    if !usage.lags() || after.new_pod {
        return None;
    }
    if after.after_by.is_none_or(|by| by < SWAP) {
        return Some(
            "ambiguous: it started in a running pod so soon after the edit that its files may not have been swapped yet"
                .to_owned(),
        );
    }
    mount_failed(seen).then(|| {
        "ambiguous: the kubelet failed to swap the files of this pod's volumes (event FailedMount)".to_owned()
    })
}

/// Whether the kubelet says that it could not refresh a volume of this pod.
pub(super) fn mount_failed(seen: &Seen<'_>) -> bool {
    let uid = Some(seen.pod.reference.uid.as_str());
    let created = seen.pod.created;
    seen.snapshot.events.iter().any(|event| {
        // While the pod starts it is tried until it succeeds.
        event.reason == "FailedMount"
            && event.uid.as_deref() == uid
            && event.last > created.map(|at| at + SWAP)
    })
}

fn unknown_content(seen: &Seen<'_>, floor: &Edit) -> String {
    let now = seen.snapshot.now();
    let by = floor.manager.as_deref().unwrap_or("an unknown manager");
    let latest = floor
        .at
        .latest
        .map_or_else(|| "an unknown time".to_owned(), |at| clock_time(at, now));
    format!(
        "it may have started before a write by {by} (at the latest {latest}); what that write changed, if anything, is not known"
    )
}
