//! A history in the making, newest first: each step back is a read version, what was applied last, or what only the managed fields
//! tell of.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};

use super::writes::{
    data_entries, describe_writes, possible_edits, seconds_apart, since_apply, write_between,
    writer,
};
use super::{Edit, Former, History, Made, letters, predecessor};
use crate::analysis::content::hash;
use crate::analysis::evidence::{Book, show_earlier};
use crate::analysis::incident::{ContentSource, Revision};
use crate::model::{Config, Content, EarlierConfig, Interval, ManagedEntry};

/// Built newest first.
pub(super) struct Draft {
    pub(super) revisions: Vec<Revision>,
    edits: Vec<Edit>,
    evidence: Vec<usize>,
    /// Whether the oldest revision's beginning is known to be the object's creation or an apply.
    grounded: bool,
    /// The oldest revision is the last-applied one: when that was applied.
    applied_at: Option<Option<DateTime<Utc>>>,
}

impl Draft {
    pub(super) fn of_live(config: &Config, evidence: usize) -> Self {
        let revision = revision(config, ContentSource::Live, vec![evidence]);
        Self {
            revisions: vec![Revision {
                live: true,
                ..revision
            }],
            edits: Vec::new(),
            evidence: vec![evidence],
            grounded: false,
            applied_at: None,
        }
    }

    /// Takes the version before `newer` in: another content begins a revision, the same content moves its beginning back.
    pub(super) fn step_back(
        &mut self,
        newer: &Config,
        version: &Config,
        earlier: &EarlierConfig,
        book: &mut Book<'_>,
    ) {
        let same_object = newer.uid == version.uid;
        if newer.content.is_none() || (newer.content == version.content && same_object) {
            if let Some(oldest) = self.revisions.last_mut() {
                oldest.resource_version = Some(version.resource_version.clone());
                oldest.writer = writer(version);
            }
            return;
        }
        let before = predecessor(&newer.resource_version);
        let number = book.add(
            format!(
                "{} as it was before resourceVersion {}",
                version.reference, newer.resource_version
            ),
            &show_earlier(&version.reference, &before),
            earlier.read_at,
            describe_writes(version),
        );
        self.evidence.push(number);
        let (at, manager) = write_between(version, newer);
        self.edits.push(Edit {
            after_former: (version.uid != newer.uid).then_some(Former {
                immutable: version.immutable,
            }),
            at,
            resource_version: Some(newer.resource_version.clone()),
            manager: manager.clone(),
            keys: None,
        });
        if let Some(oldest) = self.revisions.last_mut() {
            oldest.writer = manager;
            oldest.resource_version = Some(newer.resource_version.clone());
        }
        let source = ContentSource::Exact {
            resource_version: version.resource_version.clone(),
        };
        self.revisions.push(revision(version, source, vec![number]));
    }

    /// What `kubectl apply` last applied, where later writes by others made something else of it.
    pub(super) fn add_last_applied(&mut self, oldest: &Config, evidence: usize) {
        let (Some(applied), Some(content)) = (&oldest.last_applied, &oldest.content) else {
            return;
        };
        let apply = oldest
            .managed
            .iter()
            .find(|e| e.manager == "kubectl-client-side-apply");
        // Keys that others own were never part of what was applied: only the applied ones tell.
        let changed: Vec<String> = applied
            .content
            .keys()
            .into_iter()
            .filter(|key| !applied.content.same_at(content, key))
            .map(str::to_owned)
            .collect();
        if changed.is_empty() {
            return;
        }
        let editor = oldest
            .managed
            .iter()
            .filter(|e| changed.iter().any(|key| e.data_keys.contains(key)))
            .max_by_key(|e| e.time);
        let applied_at = apply.and_then(|e| e.time);
        let since: Vec<&ManagedEntry> = possible_edits(oldest)
            .filter(|e| Some(*e) != apply && e.time >= applied_at)
            .collect();
        // Of what others own by now it is not known since when, where they wrote after the apply.
        let others = since.iter().flat_map(|e| e.data_keys.iter().cloned());
        let mut unknown: BTreeSet<String> = others.collect();
        let touched = unknown.clone();
        unknown.retain(|key| !applied.content.keys().contains(key.as_str()));
        let before = with_applied(content, &applied.content, &unknown);
        self.edits.push(Edit {
            at: since_apply(&since, applied_at.or(oldest.created)),
            resource_version: None,
            manager: editor.map(|e| e.manager.clone()),
            keys: Some(touched),
            after_former: None,
        });
        if let Some(newer) = self.revisions.last_mut() {
            newer.writer = editor.map(|e| e.manager.clone());
            newer.resource_version = None;
        }
        self.grounded = seconds_apart(applied_at, oldest.created) <= 1;
        self.applied_at = Some(applied_at);
        self.revisions.push(Revision {
            content: Some(before.clone()),
            hash: unknown.is_empty().then(|| hash(&before)),
            unknown_keys: unknown,
            source: Some(ContentSource::LastApplied),
            from: applied_at.map_or(Interval::UNKNOWN, Interval::second),
            writer: apply.map(|e| e.manager.clone()),
            resource_version: None,
            ..revision(oldest, ContentSource::LastApplied, vec![evidence])
        });
    }

    /// An entry that owns nothing but data, younger than the object, is an edit; what was there before is not known.
    pub(super) fn add_unseen(&mut self, oldest: &Config) {
        let is_edit = |e: &&ManagedEntry| !e.owns_other && !e.data_keys.is_empty();
        let Some(editor) = possible_edits(oldest)
            .filter(is_edit)
            .max_by_key(|e| e.time)
        else {
            return;
        };
        // Each manager is recorded with its last write alone, and another's may have been of data too.
        let all: Vec<&ManagedEntry> = possible_edits(oldest).collect();
        let first = all.iter().filter_map(|e| e.time).min();
        let last = all.iter().filter_map(|e| e.time).max();
        let keys = all.iter().flat_map(|e| e.data_keys.iter().cloned());
        self.edits.push(Edit {
            at: Interval::between(first, last.map(|at| at + TimeDelta::seconds(1))),
            resource_version: None,
            manager: Some(editor.manager.clone()),
            keys: Some(keys.collect()),
            after_former: None,
        });
        let numbers = self.evidence.clone();
        if let Some(newer) = self.revisions.last_mut() {
            newer.writer = Some(editor.manager.clone());
        }
        self.revisions.push(Revision {
            content: None,
            hash: None,
            source: None,
            writer: None,
            resource_version: None,
            ..revision(oldest, ContentSource::Live, numbers)
        });
        self.grounded = true;
    }

    pub(super) fn finish(mut self, config: &Config, floor: Option<Edit>, oldest: Made) -> History {
        self.revisions.reverse();
        self.edits.reverse();
        for (index, revision) in self.revisions.iter_mut().enumerate() {
            revision.name = letters(index);
            if let Some(before) = index.checked_sub(1).and_then(|i| self.edits.get(i)) {
                revision.from = before.at;
            } else if revision.from == Interval::UNKNOWN {
                revision.from = match &floor {
                    None => oldest
                        .at
                        .or(config.created)
                        .map_or(Interval::UNKNOWN, Interval::second),
                    Some(edit) => edit.at,
                };
            }
            if let Some(after) = self.edits.get(index) {
                revision.until = after.at;
            }
        }
        History {
            revisions: self.revisions,
            edits: self.edits,
            floor,
            evidence: self.evidence,
            oldest,
        }
    }
}

/// The live content with the keys that were applied as they were applied, and without those of which nothing is known.
fn with_applied(live: &Content, applied: &Content, unknown: &BTreeSet<String>) -> Content {
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

fn revision(config: &Config, source: ContentSource, evidence: Vec<usize>) -> Revision {
    Revision {
        name: String::new(),
        config: config.reference.clone(),
        hash: config.content.as_ref().map(hash),
        source: config.content.is_some().then_some(source),
        content: config.content.clone(),
        unknown_keys: BTreeSet::new(),
        live: false,
        from: Interval::UNKNOWN,
        until: Interval::UNKNOWN,
        writer: writer(config),
        resource_version: Some(config.resource_version.clone()),
        evidence,
    }
}

/// The write that may have put the oldest known content over an unknown one.
pub(super) fn floor_of(draft: &Draft, oldest: &Config) -> Option<Edit> {
    if draft.grounded {
        return None;
    }
    if let Some(applied_at) = draft.applied_at {
        return Some(Edit {
            at: Interval::between(
                oldest.created,
                applied_at.map(|at| at + TimeDelta::seconds(1)),
            ),
            resource_version: None,
            manager: Some("kubectl-client-side-apply".to_owned()),
            keys: None,
            after_former: None,
        });
    }
    let edit = draft.edits.last();
    let before = edit.and_then(|edit| edit.at.earliest);
    let last = data_entries(oldest)
        .filter(|e| before.is_none() || e.time <= before)
        .filter(|e| {
            edit.is_none_or(|edit| edit.manager.as_ref() != Some(&e.manager) || e.time != before)
        })
        .max_by_key(|e| e.time)?;
    let time = last.time?;
    let untouched = oldest
        .created
        .is_some_and(|created| (time - created).num_seconds() <= 1);
    (!untouched).then(|| Edit {
        at: Interval::between(oldest.created, Some(time + TimeDelta::seconds(1))),
        resource_version: None,
        manager: Some(last.manager.clone()),
        keys: None,
        after_former: None,
    })
}
