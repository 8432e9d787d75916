//! A history in the making, newest first: each step back is a read version, what was applied last, or what only the managed fields
//! tell of.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};

use super::applied::{Applied, last_of, with_applied};
use super::outside::{Candidate, show_kept};
use super::writes::{
    data_entries, describe_writes, possible_edits, seconds_apart, since_apply, write_between,
    writer,
};
use super::{Edit, Former, History, Made, letters, predecessor};
use crate::analysis::content::hash;
use crate::analysis::evidence::{Book, show_earlier};
use crate::analysis::incident::{ContentSource, Revision};
use crate::model::{Config, Content, Interval, Kept, ManagedEntry};

/// Built newest first.
pub(super) struct Draft {
    pub(super) revisions: Vec<Revision>,
    edits: Vec<Edit>,
    evidence: Vec<usize>,
    /// Whether the oldest revision's beginning is known to be the object's creation or an apply.
    grounded: bool,
    /// The oldest revision is one that was applied: when, and by whom.
    applied: Option<(Option<DateTime<Utc>>, Option<String>)>,
    /// The resourceVersions that were taken in, one after the other.
    pub(super) chain: Vec<String>,
}

impl Draft {
    pub(super) fn of_newest(config: &Config, live: bool, evidence: usize) -> Self {
        let source = match live {
            true => ContentSource::Live,
            false => ContentSource::Exact {
                resource_version: config.resource_version.clone(),
            },
        };
        let revision = revision(config, source, vec![evidence]);
        Self {
            revisions: vec![Revision { live, ..revision }],
            edits: Vec::new(),
            evidence: vec![evidence],
            grounded: false,
            applied: None,
            chain: vec![config.resource_version.clone()],
        }
    }

    /// Takes the version before `newer` in, as the API server still had it.
    pub(super) fn step_back_exact(
        &mut self,
        newer: &Config,
        version: &Config,
        read_at: DateTime<Utc>,
        book: &mut Book<'_>,
    ) {
        let source = ContentSource::Exact {
            resource_version: version.resource_version.clone(),
        };
        self.step_back(newer, version, source, &mut || {
            let before = predecessor(&newer.resource_version);
            book.add(
                format!(
                    "{} as it was before resourceVersion {}",
                    version.reference, newer.resource_version
                ),
                &show_earlier(&version.reference, &before),
                read_at,
                describe_writes(version),
            )
        });
    }

    /// Takes the version before `newer` in, as it was kept by one who saw the one follow the other.
    pub(super) fn step_back_kept(&mut self, newer: &Config, kept: &Kept, book: &mut Book<'_>) {
        let source = ContentSource::Kept {
            file: kept.file.clone(),
        };
        self.step_back(newer, &kept.config, source, &mut || {
            let (source, command) = show_kept(kept);
            book.add_line(source, command, kept.seen_at, describe_writes(&kept.config))
        });
    }

    /// Another content begins a revision, the same content moves its beginning back.
    fn step_back(
        &mut self,
        newer: &Config,
        version: &Config,
        source: ContentSource,
        cite: &mut dyn FnMut() -> usize,
    ) {
        self.chain.push(version.resource_version.clone());
        let same_object = newer.uid == version.uid;
        if newer.content.is_none() || (newer.content == version.content && same_object) {
            if let Some(oldest) = self.revisions.last_mut() {
                oldest.resource_version = Some(version.resource_version.clone());
                oldest.writer = writer(version);
            }
            return;
        }
        let number = cite();
        self.evidence.push(number);
        let (at, manager) = write_between(version, newer);
        self.edits.push(Edit {
            by: None,
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
        self.revisions.push(revision(version, source, vec![number]));
    }

    /// What was applied or written before, where later writes by others made something else of it: the best known of what
    /// `kubectl apply` left in the object, an audit log, a Helm release, or what the user names.
    pub(super) fn add_applied(
        &mut self,
        oldest: &Config,
        candidates: &[Candidate],
        evidence: usize,
        book: &mut Book<'_>,
    ) {
        let Some(content) = &oldest.content else {
            return;
        };
        let last_applied = oldest.last_applied.as_ref().map(|applied| Applied {
            content: &applied.content,
            source: ContentSource::LastApplied,
            manager: Some("kubectl-client-side-apply"),
            at: None,
            evidence: Ok(evidence),
        });
        let others = candidates.iter().map(Applied::of);
        let (certain, named): (Vec<Applied<'_>>, Vec<Applied<'_>>) = others
            .filter(|applied| applied.content != content)
            .partition(|applied| applied.source.is_exact() || applied.is_written());
        let all = certain.into_iter().chain(last_applied).chain(named);
        for applied in all {
            let since = self.since(oldest, &applied);
            // What the user names, or a release holds, is only a former content where something was written since.
            let ours = matches!(applied.source, ContentSource::LastApplied);
            if applied.changed(content).is_empty() || (!ours && since.is_empty()) {
                continue;
            }
            self.put_applied(oldest, content, &applied, &since, book);
            return;
        }
    }

    /// The writes that may have come after what was applied.
    fn since<'c>(&self, oldest: &'c Config, applied: &Applied<'_>) -> Vec<&'c ManagedEntry> {
        let apply = applied.entry(oldest);
        let at = applied.at.or(apply.and_then(|e| e.time));
        possible_edits(oldest)
            .filter(|e| Some(*e) != apply && e.time >= at)
            .collect()
    }

    fn put_applied(
        &mut self,
        oldest: &Config,
        content: &Content,
        applied: &Applied<'_>,
        since: &[&ManagedEntry],
        book: &mut Book<'_>,
    ) {
        let apply = applied.entry(oldest);
        let changed = applied.changed(content);
        let editor = oldest
            .managed
            .iter()
            .filter(|e| changed.iter().any(|key| e.data_keys.contains(key)))
            .max_by_key(|e| e.time);
        let applied_at = applied.at.or(apply.and_then(|e| e.time));
        // Of what others own by now it is not known since when, where they wrote after the apply.
        let others = since.iter().flat_map(|e| e.data_keys.iter().cloned());
        let mut unknown: BTreeSet<String> = others.collect();
        let touched = unknown.clone();
        unknown.retain(|key| !applied.content.keys().contains(key.as_str()));
        if applied.is_whole() {
            unknown.clear();
        }
        let before = match applied.is_whole() {
            true => applied.content.clone(),
            false => with_applied(content, applied.content, &unknown),
        };
        self.edits.push(Edit {
            at: match applied.is_named() {
                // Whoever names a former content means the one before the last write.
                true => last_of(since),
                false => since_apply(since, applied_at.or(oldest.created)),
            },
            resource_version: None,
            manager: editor.map(|e| e.manager.clone()),
            keys: Some(touched),
            after_former: None,
            by: None,
        });
        if let Some(newer) = self.revisions.last_mut() {
            newer.writer = editor.map(|e| e.manager.clone());
            newer.resource_version = None;
        }
        let number = match &applied.evidence {
            Ok(number) => *number,
            Err(candidate) => candidate.cite(book),
        };
        if !self.evidence.contains(&number) {
            self.evidence.push(number);
        }
        let manager = apply.map(|e| e.manager.clone());
        // The user's word is that it is what was there before.
        self.grounded = applied.is_named() || seconds_apart(applied_at, oldest.created) <= 1;
        self.applied = Some((applied_at, manager.clone()));
        self.revisions.push(Revision {
            content: Some(before.clone()),
            hash: unknown.is_empty().then(|| hash(&before)),
            unknown_keys: unknown,
            source: Some(applied.source.clone()),
            from: applied_at.map_or(Interval::UNKNOWN, Interval::second),
            writer: manager,
            resource_version: None,
            ..revision(oldest, applied.source.clone(), vec![number])
        });
    }

    /// An entry that owns nothing but data, younger than the object, is an edit; what was there before is not known. So is an
    /// apply of what was fetched before (its own resourceVersion stands in it), and any write where a replica is known to run
    /// something else.
    pub(super) fn add_unseen(&mut self, oldest: &Config, edited: bool) {
        let fetched = oldest
            .last_applied
            .as_ref()
            .is_some_and(|applied| applied.resource_version.is_some());
        let is_edit = |e: &&ManagedEntry| {
            let by_apply = fetched && e.manager == "kubectl-client-side-apply";
            !e.data_keys.is_empty() && (!e.owns_other || by_apply || edited)
        };
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
            by: None,
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

    pub(super) fn finish(
        mut self,
        config: &Config,
        floor: Option<Edit>,
        oldest: Made,
        after: usize,
    ) -> History {
        self.revisions.reverse();
        self.edits.reverse();
        for (index, revision) in self.revisions.iter_mut().enumerate() {
            revision.name = letters(after + index);
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
            absent: false,
        }
    }
}

fn revision(config: &Config, source: ContentSource, evidence: Vec<usize>) -> Revision {
    Revision {
        name: String::new(),
        config: config.reference.clone(),
        hash: config.content.as_ref().map(hash),
        source: config.content.is_some().then_some(source),
        also: Vec::new(),
        person: None,
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
    if let Some((applied_at, manager)) = &draft.applied {
        return Some(Edit {
            at: Interval::between(
                oldest.created,
                applied_at.map(|at| at + TimeDelta::seconds(1)),
            ),
            resource_version: None,
            manager: manager.clone(),
            keys: None,
            after_former: None,
            by: None,
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
        by: None,
    })
}
