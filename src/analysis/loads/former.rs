//! Objects that were deleted and made again under their name, as far as that touches what a container loaded.
//!
//! Two things go wrong there. A container that started before the new object was made holds the former one's content. And a
//! kubelet that knows an immutable config does not read it again while any pod on its node refers to it: even a pod made
//! after the new object runs the former one's content (kubernetes/website#42359, and seen on 1.37).

use chrono::{DateTime, TimeDelta, Utc};

use super::Seen;
use crate::analysis::evidence::Book;
use crate::analysis::names::clock_time;
use crate::analysis::ordering::{Relation, Side, relation};
use crate::analysis::revisions::{Edit, History};
use crate::model::{Config, Interval};

/// The write that made the oldest object that is known.
fn creation(history: &History) -> Option<Edit> {
    Some(Edit {
        at: Interval::second(history.oldest.at?),
        resource_version: history.oldest.resource_version.clone(),
        manager: None,
        keys: None,
        after_former: None,
        by: None,
    })
}

/// How a container's start relates to the creation of the oldest object that is known, where it may have started before or after
/// it; or why then nothing is known.
pub(super) fn since_creation(
    seen: &Seen<'_>,
    optional: bool,
    book: &mut Book<'_>,
) -> Result<Option<Relation>, String> {
    let (Some(made), Some(creation)) = (seen.history.oldest.at, creation(seen.history)) else {
        return Ok(None);
    };
    let now = seen.snapshot.now();
    let replaced = replaced(seen);
    if !optional && !replaced {
        return younger(seen, made).map_or(Ok(None), Err);
    }
    let found = relation(seen.snapshot, seen.pod, seen.taker, &creation, book);
    if found.side != Side::After {
        let what = if optional && !replaced {
            "the config is optional, and the container may have started before it was made"
        } else {
            "the container may have started before this object was made, and hold a former one of its name"
        };
        return Err(format!("{what} {}", clock_time(made, now)));
    }
    if !replaced {
        return Ok(Some(found));
    }
    Err({
        let immutable = if seen.history.oldest.immutable {
            "this immutable config"
        } else {
            "this config"
        };
        format!(
            "{immutable} was made again under its name {}: had the former object been immutable, a kubelet that knew it would not read it anew (kubernetes/website#42359)",
            clock_time(made, now)
        )
    })
}

/// A config that is younger than the container was made after it: under this name there was another one, or none.
fn younger(seen: &Seen<'_>, made: DateTime<Utc>) -> Option<String> {
    let started = seen.taker.started_at()?;
    let now = seen.snapshot.now();
    (started + TimeDelta::seconds(3) < made).then(|| {
        format!(
            "the config was created {}, after this container started {}: it held a former object of that name, or none",
            clock_time(made, now),
            clock_time(started, now)
        )
    })
}

/// Why a load that the order tells is none: a known former object was immutable, so the kubelet may not have read on.
pub(super) fn frozen(history: &History, loaded: usize) -> Option<String> {
    let edits = history.edits.get(..loaded)?;
    let mut former = edits.iter().filter_map(|edit| edit.after_former);
    former.any(|former| former.immutable).then(|| {
        "the immutable object of this name was deleted and made again: a kubelet that knows the former one does not read it anew (kubernetes/website#42359)"
            .to_owned()
    })
}

/// Whether there may have been another object under this name when the pod's template was made.
///
/// Pods of one template (a ReplicaSet, or one revision of a StatefulSet or DaemonSet) refer to the config from the moment that
/// the template is there. A template that is older than the object had another one, or its pods waited for it.
fn replaced(seen: &Seen<'_>) -> bool {
    let Some(made) = seen.history.oldest.at else {
        return false;
    };
    let older = |at: Option<DateTime<Utc>>| at.is_some_and(|at| at < made);
    // Pods of any workload make a kubelet know an object.
    older(seen.owner_made) || older(seen.first_taker)
}

/// Whether a config may have been made again: its object is younger than a pod that takes it, or than a template.
pub(crate) fn perhaps_replaced(
    config: &Config,
    first_taker: Option<DateTime<Utc>>,
    owners: impl Iterator<Item = DateTime<Utc>>,
) -> bool {
    let Some(made) = config.created else {
        return false;
    };
    owners.chain(first_taker).any(|at| at < made)
}
