//! Revisions compared, as far as they reach a process by one use.

use crate::analysis::content::same;
use crate::analysis::revisions::History;
use crate::analysis::uses::ConfigUse;

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
    let content = |index: usize| history.revisions.get(index)?.content.as_ref();
    match (content(a), content(b)) {
        (Some(a), Some(b)) => same(a, b, &usage.keys),
        // The write that replaced an unknown content touched no other keys than those that its manager owns.
        _ => untouched(history, a.min(b), a.max(b), usage).then_some(true),
    }
}

fn untouched(history: &History, from: usize, to: usize, usage: &ConfigUse) -> bool {
    let edits = history.edits.get(from..to).unwrap_or_default();
    let live = history.revisions.last().and_then(|r| r.content.as_ref());
    !edits.is_empty()
        && edits.iter().all(|edit| {
            edit.keys
                .as_ref()
                .is_some_and(|keys| keys.iter().all(|key| !usage.keys.reaches_in(key, live)))
        })
}
