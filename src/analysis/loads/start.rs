//! What was there when a container started, by the order of its start and the edits.

use chrono::{DateTime, TimeDelta, Utc};

use super::compare::alike;
use super::former::{frozen, since_creation};
use super::{Known, SWAP, Seen};
use crate::analysis::content::Set;
use crate::analysis::evidence::Book;
use crate::analysis::incident::{Grade, Use};
use crate::analysis::names::clock_time;
use crate::analysis::ordering::{Relation, Side, relation};
use crate::analysis::revisions::Edit;
use crate::analysis::uses::ConfigUse;
use crate::model::Interval;

/// The load at the start.
pub(super) struct AtStart {
    pub(super) known: Known,
    /// It took what the oldest known object, or a later one, held.
    after_creation: bool,
}

impl AtStart {
    fn nothing(why: String) -> Self {
        Self {
            known: Known::nothing(why),
            after_creation: false,
        }
    }

    /// Whether nothing can have been loaded but a known revision, even where it is not known which.
    pub(super) fn is_within(&self, seen: &Seen<'_>, usage: &ConfigUse) -> bool {
        if !self.after_creation {
            return false;
        }
        if seen.history.oldest.whole {
            return true;
        }
        // What else it takes may have held more, and whoever removed that left no trace.
        if keys_written(seen, usage).is_none() || unseen_write(seen, usage).is_some() {
            return false;
        }
        let Some(floor) = &floor_of(seen, usage) else {
            return true;
        };
        // A floor is told by times alone: nothing is cited.
        let mut mute = Book::mute(&seen.snapshot.cluster);
        let found = relation(seen.snapshot, seen.pod, seen.taker, floor, &mut mute);
        found.side == Side::After && too_soon(seen, usage, &found).is_none()
    }
}

pub(super) fn at_start(seen: &Seen<'_>, usage: &ConfigUse, book: &mut Book<'_>) -> AtStart {
    if usage.via == Use::Api {
        return AtStart {
            known: only_content(seen),
            after_creation: true,
        };
    }
    let made = match since_creation(seen, usage.optional, book) {
        Err(why) => return AtStart::nothing(why),
        Ok(made) => made,
    };
    if let Some(why) = made.as_ref().and_then(|made| too_soon(seen, usage, made)) {
        return AtStart::nothing(why);
    }
    let grade = made.map_or(Grade::Ordered, |made| made.grade);
    AtStart {
        known: by_edits(seen, usage, grade, book),
        after_creation: true,
    }
}

fn by_edits(seen: &Seen<'_>, usage: &ConfigUse, grade: Grade, book: &mut Book<'_>) -> Known {
    let history = seen.history;
    let mut before = Before {
        grade,
        why: Vec::new(),
        evidence: Vec::new(),
    };
    for (index, edit) in history.edits.iter().enumerate().rev() {
        let absent = edit.after_former.is_some() && usage.optional;
        if alike(history, index, index + 1, usage) && !absent {
            continue;
        }
        let found = relation(seen.snapshot, seen.pod, seen.taker, edit, book);
        match found.side {
            Side::Before if absent => return Known::nothing(while_absent().to_owned()),
            Side::Unclear => return Known::nothing(found.why),
            Side::Before => before = Before::of(found, before.grade.max(weakened(edit))),
            Side::After => return after(seen, usage, index + 1, found, before),
        }
    }
    before_all(seen, usage, before, book)
}

fn while_absent() -> &'static str {
    "the config is optional and was deleted and made again; the container may have started while there was none"
}

/// Between the former object that was found and the one that was made after it there may have been yet another.
fn weakened(edit: &Edit) -> Grade {
    match edit.after_former {
        Some(_) => Grade::Inferred,
        None => Grade::Ordered,
    }
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
    if let Some(why) = unseen_write(seen, usage).filter(|_| before.why.is_empty()) {
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
        differs: false,
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
    if let Some(floor) = &floor_of(seen, usage) {
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
    if let Some(why) = unseen_write(seen, usage) {
        return Known::nothing(why);
    }
    if !seen.history.oldest.whole {
        // That nothing was written between is told by times.
        grade = grade.max(Grade::Inferred);
    }
    if why.is_empty() {
        // Nothing else can have been loaded, whatever the clocks say.
        why.push(never(seen).to_owned());
        grade = Grade::Inferred;
    }
    Known {
        index: Some(0),
        live_unknown: false,
        differs: false,
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
            differs: false,
            grade: Grade::Inferred,
            why: vec![never(seen).to_owned()],
            evidence: Vec::new(),
        };
    }
    Known::nothing(
        "it seems to read the object through the API by itself, and when it did so last is not known".to_owned(),
    )
}

/// The last write that may have set one of the keys of a use that takes just these, and holds them all: whoever set a key last owns
/// it, and its time is not earlier.
fn keys_written(seen: &Seen<'_>, usage: &ConfigUse) -> Option<DateTime<Utc>> {
    let Set::Only(keys) = &usage.keys.set else {
        return None;
    };
    let content = seen.history.content(0)?;
    let owners = &seen.history.oldest.owners;
    let held = content.keys();
    let written = keys.iter().map(|key| {
        let held = held.contains(key.as_str());
        owners.get(key).copied().filter(|_| held)
    });
    written.collect::<Option<Vec<_>>>()?.into_iter().max()
}

/// The last write that may have put what a use takes of the oldest known revision over something unknown.
fn floor_of(seen: &Seen<'_>, usage: &ConfigUse) -> Option<Edit> {
    let floor = seen.history.floor.clone().or_else(|| first_second(seen))?;
    let Some(written) = keys_written(seen, usage) else {
        return Some(floor);
    };
    let created = seen.history.oldest.at?;
    let early = first_second(seen).is_some();
    (early || written - created > TimeDelta::seconds(1)).then(|| Edit {
        at: Interval::between(Some(created), Some(written + TimeDelta::seconds(1))),
        ..floor
    })
}

/// Of a pod that is as old as the object: it may have started on what was there first, where that was written over at once.
fn first_second(seen: &Seen<'_>) -> Option<Edit> {
    let oldest = &seen.history.oldest;
    let created = oldest.at.filter(|_| !oldest.whole)?;
    let waited = seen.pod.created < Some(created);
    let last = match oldest.written_at_once {
        Some(last) if seen.pod.created <= Some(last) => last.max(created),
        _ if waited => created,
        _ => return None,
    };
    Some(Edit {
        at: Interval::between(Some(created), Some(last + TimeDelta::seconds(1))),
        resource_version: None,
        manager: None,
        keys: None,
        after_former: None,
        by: None,
    })
}

/// A write that only removes something leaves neither an entry nor a time in the managed fields. That there was one is told by the
/// resourceVersion alone: it is greater than that of the pod, which was written last when it had started, and no write since is
/// recorded.
fn unseen_write(seen: &Seen<'_>, usage: &ConfigUse) -> Option<String> {
    let oldest = &seen.history.oldest;
    let known = oldest.whole || seen.snapshot.one_counter != Some(true);
    if known || keys_written(seen, usage).is_some() {
        return None;
    }
    let pod: u64 = seen.pod.resource_version.parse().ok()?;
    let reported = seen.pod.reported?;
    let recorded = oldest.last_write.is_some_and(|at| at >= reported);
    (oldest.version? > pod && !recorded).then(|| {
        "its resourceVersion tells of a write after this container's start that left no time, as one that only removes a key does".to_owned()
    })
}

/// In a pod that is older than the edit the files of a volume may still have been the old ones, for as long as the kubelet
/// takes to swap them, or as it failed to.
fn too_soon(seen: &Seen<'_>, usage: &ConfigUse, after: &Relation) -> Option<String> {
    if !usage.lags() || after.new_pod {
        return None;
    }
    // The volumes were mounted when the pod began, however long its image took to come.
    let first = seen
        .taker
        .status
        .as_ref()
        .is_none_or(|status| status.restarts == 0);
    if first {
        return Some(
            "ambiguous: its pod is older than the edit, and its files may be as old as the pod"
                .to_owned(),
        );
    }
    if after.after_by.is_none_or(|by| by < SWAP) {
        return Some(
            "ambiguous: it started in a running pod so soon after the edit that its files may not have been swapped yet"
                .to_owned(),
        );
    }
    (mount_failed(seen) || lacks(seen)).then(|| {
        "ambiguous: the kubelet failed to swap the files of this pod's volumes (event FailedMount)".to_owned()
    })
}

/// Whether a volume of this pod names a key that is not there, or was not at some time: then the kubelet could not refresh it
/// (kubernetes#112081).
fn lacks(seen: &Seen<'_>) -> bool {
    let snapshot = seen.snapshot;
    let mut sources = seen.pod.volumes.iter().flat_map(|v| &v.sources);
    sources.any(|source| {
        let live = snapshot
            .configs
            .iter()
            .find(|c| c.reference == source.config);
        let earlier = snapshot
            .earlier
            .iter()
            .filter(|e| e.reference == source.config);
        let versions = earlier.flat_map(|e| &e.versions).chain(live.map(|c| &**c));
        let contents = versions.filter_map(|config| config.content.as_ref());
        let mut missing = contents.flat_map(|content| {
            let held = content.keys();
            let items = source.items.iter().flatten();
            items.filter(move |(key, _)| !held.contains(key.as_str()))
        });
        let missing = missing.next().is_some();
        !source.optional && (live.is_none() || missing)
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
