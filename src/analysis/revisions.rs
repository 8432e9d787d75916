//! A config's contents in order of age: what is known to have been live, from when to when, and who wrote it.

mod writes;

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};

use self::writes::{
    data_entries, describe_writes, possible_edits, seconds_apart, since_apply, write_between,
    writer,
};
use super::content::hash;
use super::evidence::{Book, show_config, show_earlier};
use super::incident::{ContentSource, Revision};
use crate::model::{ChainEnd, Config, Content, EarlierConfig, Interval, ManagedEntry, Snapshot};

/// A moment at which a config's content became another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) at: Interval,
    /// The resourceVersion of the write, where it is known to be this one.
    pub(crate) resource_version: Option<String>,
    pub(crate) manager: Option<String>,
    /// The keys that it can have touched, where the contents do not tell.
    pub(crate) keys: Option<BTreeSet<String>>,
    /// It made the object anew, after one of the same name that was immutable or not.
    pub(crate) after_former: Option<Former>,
}

/// What is known of the object that bore the name before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Former {
    pub(crate) immutable: bool,
}

/// All that is known of a config's contents.
#[derive(Debug, Clone)]
pub(crate) struct History {
    /// Oldest first, the live one last; never empty.
    pub(crate) revisions: Vec<Revision>,
    /// `edits[i]` made `revisions[i + 1]` of `revisions[i]`.
    pub(crate) edits: Vec<Edit>,
    /// The latest moment at which the oldest known revision may have been written over something that is not known.
    /// `None` where it is known to be the first.
    pub(crate) floor: Option<Edit>,
    /// Numbers of evidence: of the live object, then of earlier ones.
    pub(crate) evidence: Vec<usize>,
    /// The oldest object of this name that is known: when it was made, and by which write.
    pub(crate) oldest: Made,
}

/// When and by which write an object was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Made {
    pub(crate) at: Option<DateTime<Utc>>,
    /// Where its history goes back so far.
    pub(crate) resource_version: Option<String>,
    pub(crate) immutable: bool,
    /// The resourceVersion of its oldest version that is known, and the last write that it records.
    pub(crate) version: Option<u64>,
    pub(crate) last_write: Option<DateTime<Utc>>,
    /// Its history is known from its beginning.
    pub(crate) whole: bool,
    /// Another write than the one that made it, within the same second or the next.
    pub(crate) written_at_once: Option<DateTime<Utc>>,
    /// The latest time of those who own a key.
    pub(crate) owners: BTreeMap<String, DateTime<Utc>>,
}

impl History {
    /// Every revision is known as it was, and none can be missing between the oldest and the live one.
    pub(crate) fn is_exact(&self) -> bool {
        let exact = |source: &Option<ContentSource>| {
            matches!(
                source,
                Some(ContentSource::Live | ContentSource::Exact { .. })
            )
        };
        self.revisions
            .iter()
            .all(|r| exact(&r.source) && r.unknown_keys.is_empty())
    }

    pub(crate) fn live(&self) -> usize {
        self.revisions.len() - 1
    }

    pub(crate) fn name(&self, index: usize) -> Option<String> {
        self.revisions.get(index).map(|r| r.name.clone())
    }

    /// The place of the revision of this name.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.revisions.iter().position(|r| r.name == name)
    }

    /// When the edit that brought a revision may have begun; nothing for the first.
    pub(crate) fn began(&self, index: usize) -> Option<DateTime<Utc>> {
        let edit = self.edits.get(index.checked_sub(1)?)?;
        edit.at.earliest
    }

    /// The last edit that is known.
    pub(crate) fn last_edit(&self) -> Option<&Edit> {
        self.edits.last()
    }

    /// The last moment at which the content may have changed.
    pub(crate) fn last_possible_edit(&self) -> Option<&Edit> {
        self.edits.last().or(self.floor.as_ref())
    }
}

/// The history of a config.
pub(crate) fn history(snapshot: &Snapshot, config: &Config, book: &mut Book<'_>) -> History {
    let live_evidence = book.add(
        format!("{}, live", config.reference),
        &show_config(&config.reference),
        snapshot.taken_at,
        describe_writes(config),
    );
    let mut draft = Draft::of_live(config, live_evidence);
    let earlier = snapshot
        .earlier
        .iter()
        .find(|e| e.reference == config.reference);
    let mut oldest = config;
    if let Some(earlier) = earlier {
        for version in earlier.versions.iter().rev() {
            draft.step_back(oldest, version, earlier, book);
            oldest = version;
        }
    }
    // A history that begins with the object begins with a version that nobody had written to since.
    let whole = earlier.is_some_and(|e| e.end == ChainEnd::Created);
    if !whole {
        draft.add_last_applied(oldest, live_evidence);
    }
    if !whole && draft.revisions.len() == 1 {
        draft.add_unseen(oldest);
    }
    let floor = (!whole).then(|| floor_of(&draft, oldest)).flatten();
    let reaches = whole;
    let made = Made {
        at: oldest.created,
        resource_version: reaches.then(|| oldest.resource_version.clone()),
        immutable: oldest.immutable,
        version: oldest.resource_version.parse().ok(),
        last_write: oldest.managed.iter().filter_map(|e| e.time).max(),
        whole,
        written_at_once: writes::written_at_once(oldest),
        owners: writes::owners(oldest),
    };
    draft.finish(config, floor, made)
}

/// Built newest first.
struct Draft {
    revisions: Vec<Revision>,
    edits: Vec<Edit>,
    evidence: Vec<usize>,
    /// Whether the oldest revision's beginning is known to be the object's creation or an apply.
    grounded: bool,
    /// The oldest revision is the last-applied one: when that was applied.
    applied_at: Option<Option<DateTime<Utc>>>,
}

impl Draft {
    fn of_live(config: &Config, evidence: usize) -> Self {
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
    fn step_back(
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
    fn add_last_applied(&mut self, oldest: &Config, evidence: usize) {
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
    fn add_unseen(&mut self, oldest: &Config) {
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

    fn finish(mut self, config: &Config, floor: Option<Edit>, oldest: Made) -> History {
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
fn floor_of(draft: &Draft, oldest: &Config) -> Option<Edit> {
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

/// The resourceVersion just before, for a read at the state that a write replaced.
pub(crate) fn predecessor(version: &str) -> String {
    version
        .parse::<u64>()
        .map_or_else(|_| version.to_owned(), |v| v.saturating_sub(1).to_string())
}

/// A, B, ... Z, AA, AB, ...
pub(crate) fn letters(index: usize) -> String {
    let mut rest = index + 1;
    let mut name = Vec::new();
    while rest > 0 {
        rest -= 1;
        name.push(char::from(b'A' + u8::try_from(rest % 26).unwrap_or(0)));
        rest /= 26;
    }
    name.iter().rev().collect()
}

#[cfg(test)]
mod tests;
