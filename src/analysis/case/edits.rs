//! Which edits a case is about, and what its contents name in vain.

use super::Case;
use crate::analysis::content::same;
use crate::analysis::dead_ends::DeadEnds;
use crate::analysis::revisions::Edit;
use crate::analysis::signals::HostPort;
use crate::model::Content;

impl Case<'_> {
    /// The last edit that reaches a replica, if one is known.
    pub(crate) fn edit(&self) -> Option<(&Edit, usize)> {
        self.reaching().next_back()
    }

    /// The edits that reach a replica, each with the revision that it brought, the oldest first.
    fn reaching(&self) -> impl DoubleEndedIterator<Item = (&Edit, usize)> {
        let edits = self.history.edits.iter().enumerate();
        edits
            .map(|(index, edit)| (edit, index + 1))
            .filter(|(_, brought)| !self.are_same(brought - 1, *brought))
    }

    /// Whether two revisions are known to hold the same, as far as it reaches a replica.
    pub(crate) fn are_same(&self, one: usize, other: usize) -> bool {
        match (self.history.content(one), self.history.content(other)) {
            (Some(a), Some(b)) => same(a, b, &self.keys) == Some(true),
            _ => false,
        }
    }

    /// The edit from which on its replicas may differ: the first after the oldest revision that one of them runs. Where that is
    /// not known, or all run what is live, the last edit.
    pub(crate) fn onset(&self) -> Option<&Edit> {
        let loaded = self.replicas.iter().filter_map(|r| r.loaded.as_deref());
        let oldest = loaded.filter_map(|name| self.history.place(name)).min();
        let after = oldest.and_then(|oldest| {
            let mut edits = self.reaching();
            edits.find(|(_, brought)| *brought > oldest)
        });
        let found = after.or_else(|| self.edit());
        found.map(|(edit, _)| edit)
    }

    /// What is live names in vain, but for what every revision before is known to name too: no edit brought that.
    pub(crate) fn brought_in_vain(&self) -> DeadEnds<'_> {
        let earlier = 0..self.history.live();
        let of_old = |named: &HostPort| {
            earlier.clone().all(|place| {
                let content = self.history.content(place);
                content.is_some_and(|_| self.dead_ends(content).names(named))
            })
        };
        self.dead_ends(self.history.live_content()).without(of_old)
    }

    /// What a content names in vain, seen from the workload.
    pub(crate) fn dead_ends(&self, content: Option<&Content>) -> DeadEnds<'_> {
        DeadEnds::of(self.index, &self.workload.namespace, content)
    }

    /// The last write that may have been an edit, where no edit is known.
    pub(crate) fn last_write(&self) -> Option<&Edit> {
        let edit = self.edit().map(|(edit, _)| edit);
        edit.or(self.history.floor.as_ref())
    }
}
