//! A config's contents in order of age: what is known to have been live, from when to when, and who wrote it.

mod applied;
mod draft;
mod outside;
mod writes;

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};

use self::draft::{Draft, floor_of};
use self::writes::describe_writes;
use super::evidence::{Book, show_config, show_earlier};
use super::incident::{ContentSource, Person, Revision};
use crate::model::{ChainEnd, Config, Content, Interval, Snapshot};

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
    /// Who made it, where the audit log tells.
    pub(crate) by: Option<Person>,
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
    /// The config is not there any more: the revisions are of the object that was.
    pub(crate) absent: bool,
}

/// What is known of a config beside what was read of it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Known {
    /// So many revisions come before, of configs that it took the place of.
    pub(crate) after: usize,
    /// A replica is known to run something else than what is live: there was another content.
    pub(crate) edited: bool,
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
        let exact =
            |source: &Option<ContentSource>| source.as_ref().is_some_and(ContentSource::is_exact);
        self.revisions
            .iter()
            .all(|r| exact(&r.source) && r.unknown_keys.is_empty())
            // Between revisions that are not known to be neighbours there may have been others.
            && self.edits.iter().all(|edit| edit.keys.is_none())
    }

    pub(crate) fn live(&self) -> usize {
        self.revisions.len() - 1
    }

    /// What a revision held, as far as it is known.
    pub(crate) fn content(&self, index: usize) -> Option<&Content> {
        self.revisions.get(index)?.content.as_ref()
    }

    pub(crate) fn live_content(&self) -> Option<&Content> {
        self.content(self.live())
    }

    /// Every content that is known, the oldest first.
    pub(crate) fn contents(&self) -> impl Iterator<Item = &Content> {
        self.revisions.iter().filter_map(|r| r.content.as_ref())
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
pub(crate) fn history(
    snapshot: &Snapshot,
    config: &Config,
    known: Known,
    book: &mut Book<'_>,
) -> History {
    let found = history_with(snapshot, config, known, true, book);
    let width = |history: &History| {
        let at = history.last_edit()?.at;
        Some(at.latest? - at.earliest?)
    };
    let precise = TimeDelta::seconds(2);
    if snapshot.outside.is_empty() || width(&found).is_some_and(|width| width <= precise) {
        return found;
    }
    // A former content of which it is not known until when it was live must not blur when the last edit was.
    let without = history_with(snapshot, config, known, false, book);
    match width(&without) {
        Some(width) if width <= precise => without,
        _ => found,
    }
}

/// The same, with contents that were found outside as revisions of their own or only beside others.
fn history_with(
    snapshot: &Snapshot,
    config: &Config,
    known: Known,
    outside_too: bool,
    book: &mut Book<'_>,
) -> History {
    let earlier = snapshot
        .earlier
        .iter()
        .find(|e| e.reference == config.reference);
    let versions = earlier.map_or(&[][..], |e| e.versions.as_slice());
    let absent = config.is_absent();
    // Of one that is gone the last version that is known stands at the end.
    let (config, versions) = match (absent, versions.split_last()) {
        (true, Some((last, before))) => (last, before),
        _ => (config, versions),
    };
    let evidence = cite_newest(snapshot, config, absent, book);
    let mut draft = Draft::of_newest(config, !absent, evidence);
    let mut oldest = config;
    for version in versions.iter().rev() {
        let read_at = earlier.map_or(snapshot.taken_at, |e| e.read_at);
        draft.step_back_exact(oldest, version, read_at, book);
        oldest = version;
    }
    while let Some(kept) = outside::before(snapshot, oldest) {
        draft.step_back_kept(oldest, kept, book);
        oldest = &kept.config;
    }
    // A history that begins with the object begins with a version that nobody had written to since.
    let whole =
        earlier.is_some_and(|e| e.end == ChainEnd::Created) && same_object(versions, oldest);
    let candidates = outside::candidates(snapshot, config, &draft.chain);
    if !whole {
        let taken = if outside_too { &candidates[..] } else { &[] };
        draft.add_applied(oldest, taken, evidence, book);
    }
    if !whole && draft.revisions.len() == 1 {
        draft.add_unseen(oldest, known.edited);
    }
    let floor = (!whole).then(|| floor_of(&draft, oldest)).flatten();
    let made = Made {
        at: oldest.created,
        resource_version: whole.then(|| oldest.resource_version.clone()),
        immutable: oldest.immutable,
        version: oldest.resource_version.parse().ok(),
        last_write: oldest.managed.iter().filter_map(|e| e.time).max(),
        whole,
        written_at_once: writes::written_at_once(oldest),
        owners: writes::owners(oldest),
    };
    let mut history = draft.finish(config, floor, made, known.after);
    history.absent = absent;
    outside::name_persons(snapshot, &config.reference, &mut history, book);
    outside::note_others(&mut history, &candidates, book);
    history
}

/// Whether the chain that was read from the API is what goes back furthest.
fn same_object(versions: &[Config], oldest: &Config) -> bool {
    versions
        .first()
        .is_none_or(|first| first.resource_version == oldest.resource_version)
}

fn cite_newest(snapshot: &Snapshot, config: &Config, absent: bool, book: &mut Book<'_>) -> usize {
    if absent {
        let gone = config.is_absent();
        return book.add(
            format!(
                "{}, {}",
                config.reference,
                if gone { "not there" } else { "as it was" }
            ),
            &match gone {
                true => show_config(&config.reference),
                false => show_earlier(&config.reference, &config.resource_version),
            },
            snapshot.taken_at,
            match gone {
                true => "not found".to_owned(),
                false => describe_writes(config),
            },
        );
    }
    book.add(
        format!("{}, live", config.reference),
        &show_config(&config.reference),
        snapshot.taken_at,
        describe_writes(config),
    )
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
