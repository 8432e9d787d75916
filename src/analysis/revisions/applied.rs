//! A content that was applied or written once, and is no more what is live.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};

use super::outside::Candidate;
use crate::analysis::incident::ContentSource;
use crate::model::{Config, Content, Interval, ManagedEntry};

/// When the last of some writes happened.
pub(super) fn last_of(writes: &[&ManagedEntry]) -> Interval {
    let last = writes.iter().filter_map(|e| e.time).max();
    last.map_or(Interval::UNKNOWN, Interval::second)
}

/// A content that was applied or written once.
pub(super) struct Applied<'a> {
    pub(super) content: &'a Content,
    pub(super) source: ContentSource,
    /// The field manager of whoever applies so.
    pub(super) manager: Option<&'a str>,
    /// When, where the source says so; else it is the time of the manager's entry.
    pub(super) at: Option<DateTime<Utc>>,
    /// The number of what shows it, or what is to be cited.
    pub(super) evidence: Result<usize, &'a Candidate>,
}

impl<'a> Applied<'a> {
    pub(super) fn of(candidate: &'a Candidate) -> Self {
        Self {
            content: &candidate.content,
            source: candidate.source.clone(),
            manager: match candidate.source {
                ContentSource::Helm { .. } => Some("helm"),
                _ => None,
            },
            at: candidate.at,
            evidence: Err(candidate),
        }
    }

    pub(super) fn is_written(&self) -> bool {
        self.evidence.as_ref().is_err_and(|c| c.is_written())
    }

    /// It is all that the object held, and not just what somebody applied of it.
    pub(super) fn is_whole(&self) -> bool {
        self.is_written() || self.source.is_exact()
    }

    /// That it was live is the user's word.
    pub(super) fn is_named(&self) -> bool {
        matches!(
            self.source,
            ContentSource::File { .. } | ContentSource::Git { .. }
        )
    }

    pub(super) fn entry<'c>(&self, config: &'c Config) -> Option<&'c ManagedEntry> {
        let manager = self.manager?;
        config.managed.iter().find(|e| e.manager == manager)
    }

    /// The keys that it holds and that hold something else now. Keys that others own were never part of what was applied: only
    /// the applied ones tell.
    pub(super) fn changed(&self, content: &Content) -> Vec<String> {
        let mut keys = self.content.keys();
        if self.is_whole() {
            keys.extend(content.keys());
        }
        let other = keys
            .into_iter()
            .filter(|key| !self.content.same_at(content, key));
        other.map(str::to_owned).collect()
    }
}

/// The live content with the keys that were applied as they were applied, and without those of which nothing is known.
pub(super) fn with_applied(
    live: &Content,
    applied: &Content,
    unknown: &BTreeSet<String>,
) -> Content {
    let mut before = live.clone();
    if let (
        Content::Plain { data, binary },
        Content::Plain {
            data: applied_data,
            binary: applied_binary,
        },
    ) = (&mut before, applied)
    {
        data.retain(|key, _| !unknown.contains(key));
        binary.retain(|key, _| !unknown.contains(key));
        data.extend(applied_data.clone());
        binary.extend(applied_binary.clone());
    }
    before
}
