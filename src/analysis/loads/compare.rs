//! Revisions compared, as far as they reach a process by one use.

use std::collections::BTreeSet;

use crate::analysis::content::{Set, differing, same};
use crate::analysis::revisions::History;
use crate::analysis::uses::ConfigUse;
use crate::model::Content;

/// Whether a revision is what is live, as far as is known.
pub(super) fn is_live(history: &History, index: usize, usage: &ConfigUse) -> bool {
    alike(history, index, history.live(), usage)
}

/// Whether two revisions are certainly the same for this use.
pub(super) fn alike(history: &History, a: usize, b: usize, usage: &ConfigUse) -> bool {
    compared(history, a, b, usage) == Some(true)
}

/// Whether two revisions are the same for this use; `None` where a content is not known, or whether what differs reaches the
/// process.
pub(super) fn compared(history: &History, a: usize, b: usize, usage: &ConfigUse) -> Option<bool> {
    if a == b {
        return Some(true);
    }
    match (history.content(a), history.content(b)) {
        (Some(one), Some(other)) if partly_known(history, a.min(b), usage) => {
            let unknown = &history.revisions.get(a.min(b))?.unknown_keys;
            partly(one, other, usage, unknown)
        }
        (Some(one), Some(other)) => same(one, other, &usage.keys)
            .filter(|same| !same || !meanwhile(history, a.min(b), a.max(b), usage)),
        // The write that replaced an unknown content touched no other keys than those that its manager owns.
        _ => untouched(history, a.min(b), a.max(b), usage).then_some(true),
    }
}

/// Whether a revision is known but for keys that may reach the process.
fn partly_known(history: &History, index: usize, usage: &ConfigUse) -> bool {
    let live = history.live_content();
    let unknown = history.revisions.get(index).map(|r| &r.unknown_keys);
    let mut unknown = unknown.into_iter().flatten();
    unknown.any(|key| usage.keys.reaches_in(key, live))
}

/// Whether a key that may reach the process was written between two revisions that are not known to be neighbours: it may have held
/// anything in between.
fn meanwhile(history: &History, from: usize, to: usize, usage: &ConfigUse) -> bool {
    let live = history.live_content();
    let edits = history.edits.get(from..to).unwrap_or_default();
    let mut written = edits.iter().flat_map(|edit| edit.keys.iter().flatten());
    written.any(|key| usage.keys.reaches_in(key, live))
}

/// Two contents, of which the first may be known in part only.
fn partly(
    one: &Content,
    other: &Content,
    usage: &ConfigUse,
    unknown: &BTreeSet<String>,
) -> Option<bool> {
    let differ = differing(one, other, &usage.keys);
    let certain = differ.iter().any(|key| !unknown.contains(key));
    (certain && same(one, other, &usage.keys) == Some(false)).then_some(false)
}

/// Only of keys that are there can be said that nobody wrote them since: whoever removes one leaves no trace.
fn untouched(history: &History, from: usize, to: usize, usage: &ConfigUse) -> bool {
    let edits = history.edits.get(from..to).unwrap_or_default();
    let live = history.live_content();
    let (Set::Only(keys), Some(live)) = (&usage.keys.set, live) else {
        return false;
    };
    let held = live.keys();
    !edits.is_empty()
        && keys.iter().all(|key| held.contains(key.as_str()))
        && edits.iter().all(|edit| {
            let written = edit.keys.as_ref();
            written.is_some_and(|written| keys.is_disjoint(written))
        })
}
