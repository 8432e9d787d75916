//! What a watch tells of ConfigMaps, as lines of the program's own history: which version followed which, and what is not known.

mod aim;
mod seen;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;

use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest, Sha256};

pub(super) use aim::Aim;
pub(super) use seen::Seen;

use super::{Clock, Link};
use crate::capture::history::{Book, Entry, Newest};
use crate::model::{Config, ConfigRef, Content, GapReason, Kept};

/// What could not be written is tried again after so long.
const AGAIN: TimeDelta = TimeDelta::seconds(10);

/// What is told to whoever records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// A version is on disk; of a config that was known before or not.
    Kept { kept: Box<Kept>, known: bool },
    /// That a config is gone is on disk.
    Gone(ConfigRef),
    /// Nothing can be written for now. So many newest versions wait.
    Failing { why: String, waiting: usize },
    /// It can be written again. So many versions were lost meanwhile.
    Working { lost: u64 },
    /// How the watch keeps up.
    Link(Link),
    /// It cannot be read, and trying again would not help.
    Denied {
        resource: &'static str,
        reason: GapReason,
    },
}

/// Where entries are written: a book, or a test's.
pub(super) trait Shelf {
    fn write(&mut self, entries: &[Entry], now: DateTime<Utc>) -> io::Result<()>;
}

impl Shelf for Book {
    fn write(&mut self, entries: &[Entry], now: DateTime<Utc>) -> io::Result<()> {
        Self::write(self, entries, now)
    }
}

/// What is known of a config now.
#[derive(Debug)]
struct Known {
    uid: String,
    /// The version that it has.
    version: String,
    /// The version under which this content is kept: writes of labels alone are not.
    kept: String,
    sum: [u8; 32],
    /// Something may have been missed since.
    broken: bool,
}

/// Which ConfigMaps are recorded.
#[derive(Debug)]
enum Wanted {
    All,
    One(String),
    /// Those that were seen to be meant; of all others the newest version, which may turn out to be meant.
    Meant {
        these: BTreeSet<ConfigRef>,
        others: HashMap<ConfigRef, Config>,
    },
}

impl Wanted {
    fn has(&self, config: &ConfigRef) -> bool {
        match self {
            Self::All => true,
            Self::One(name) => config.name == *name,
            Self::Meant { these, .. } => these.contains(config),
        }
    }
}

/// Makes entries of what is seen.
#[derive(Debug)]
pub(super) struct Recorder<S> {
    shelf: S,
    clock: Clock,
    wanted: Wanted,
    known: HashMap<ConfigRef, Known>,
    listed: HashSet<ConfigRef>,
    /// What waits to be written.
    pending: Vec<(Entry, bool)>,
    failing: Option<(String, DateTime<Utc>)>,
    lost: u64,
}

impl<S: Shelf> Recorder<S> {
    /// Of a namespace, or of all; `newest` is what the store holds already.
    pub(super) fn new(
        shelf: S,
        newest: Newest,
        namespace: Option<&str>,
        aim: &Aim,
        clock: impl Into<Clock>,
    ) -> Self {
        let here = |config: &ConfigRef| namespace.is_none_or(|asked| config.namespace == asked);
        let newest = newest.into_iter().filter(|(config, _)| here(config));
        let newest = newest.map(|(config, kept)| (config, now_known(&kept.config)));
        let wanted = match aim.fixed() {
            Some(None) => Wanted::All,
            Some(Some(name)) => Wanted::One(name),
            None => Wanted::Meant {
                these: BTreeSet::new(),
                others: HashMap::new(),
            },
        };
        Self {
            shelf,
            clock: clock.into(),
            known: newest.collect(),
            wanted,
            listed: HashSet::new(),
            pending: Vec::new(),
            failing: None,
            lost: 0,
        }
    }

    /// Takes in what was seen, writes down what is new of it, and says what came of that.
    pub(super) fn take(&mut self, seen: Seen) -> Vec<Told> {
        let mut told = Vec::new();
        match seen {
            Seen::Listing(configs) => {
                for config in configs {
                    self.listed.insert(config.reference.clone());
                    self.saw(config, true);
                }
            }
            Seen::Listed => {
                let listed = std::mem::take(&mut self.listed);
                let mut gone: Vec<ConfigRef> = self.known.keys().cloned().collect();
                gone.retain(|config| !listed.contains(config));
                gone.sort();
                gone.into_iter().for_each(|config| self.gone(config));
            }
            Seen::Unlisted => self.listed.clear(),
            Seen::Put(config) => self.saw(*config, false),
            Seen::Gone(config) => self.gone(config),
            Seen::Missed(config) => self.missed(config.as_ref()),
            Seen::Denied(kind, reason) => told.push(Told::Denied {
                resource: kind.resource(),
                reason,
            }),
            Seen::Link(link) => told.push(Told::Link(link)),
            Seen::Meant(configs) => self.meant(configs),
            Seen::Tick => {}
        }
        self.write(&mut told);
        told
    }

    /// What still waits is tried once more.
    pub(super) fn finish(&mut self) -> Vec<Told> {
        let mut told = Vec::new();
        if let Some((_, next)) = &mut self.failing {
            *next = self.clock.now();
        }
        self.write(&mut told);
        told
    }

    fn saw(&mut self, config: Config, listed: bool) {
        if !self.wanted.has(&config.reference) {
            if let Wanted::Meant { others, .. } = &mut self.wanted {
                others.insert(config.reference.clone(), config);
            }
            return;
        }
        let fresh = now_known(&config);
        let before = self.known.get_mut(&config.reference);
        let was_known = before.is_some();
        let mut follows = None;
        if let Some(before) = before.filter(|before| before.uid == fresh.uid) {
            if before.version == fresh.version {
                // What was missed of others is not of this one.
                before.broken = false;
                return;
            }
            // A list does not tell what was between, nor a watch that lost something.
            if !listed && !before.broken {
                if before.sum == fresh.sum {
                    before.version = fresh.version;
                    return;
                }
                follows = Some(before.kept.clone());
            }
        }
        self.known.insert(config.reference.clone(), fresh);
        let kept = Kept {
            config,
            follows,
            seen_at: self.clock.now(),
            file: String::new(),
        };
        self.push(Entry::Kept(Box::new(kept)), was_known);
    }

    /// Once meant, a ConfigMap stays so: a roll-out may be taken back.
    fn meant(&mut self, configs: BTreeSet<ConfigRef>) {
        let Wanted::Meant { these, others } = &mut self.wanted else {
            return;
        };
        let fresh = configs
            .into_iter()
            .filter(|config| these.insert(config.clone()));
        let fresh: Vec<Config> = fresh.filter_map(|config| others.remove(&config)).collect();
        // What was before this version was not looked at.
        fresh.into_iter().for_each(|config| self.saw(config, true));
    }

    fn gone(&mut self, config: ConfigRef) {
        if let Wanted::Meant { others, .. } = &mut self.wanted {
            others.remove(&config);
        }
        if self.wanted.has(&config) && self.known.remove(&config).is_some() {
            let at = self.clock.now();
            self.push(
                Entry::Gone {
                    reference: config,
                    at,
                },
                true,
            );
        }
    }

    fn missed(&mut self, config: Option<&ConfigRef>) {
        let all = self.known.iter_mut();
        let these = all.filter(|(known, _)| config.is_none_or(|config| config == *known));
        these.for_each(|(_, known)| known.broken = true);
    }

    /// While nothing can be written the newest of each waits; what it takes the place of was never kept, so it follows nothing.
    fn push(&mut self, mut entry: Entry, known: bool) {
        if self.failing.is_some() {
            let before = self.pending.len();
            self.pending
                .retain(|(waits, _)| reference(waits) != reference(&entry));
            let lost = before - self.pending.len();
            self.lost += lost as u64;
            if let Entry::Kept(kept) = &mut entry
                && lost > 0
            {
                kept.follows = None;
            }
        }
        self.pending.push((entry, known));
    }

    fn write(&mut self, told: &mut Vec<Told>) {
        let now = self.clock.now();
        let early = self.failing.as_ref().is_some_and(|(_, next)| now < *next);
        if self.pending.is_empty() || early {
            return;
        }
        let entries: Vec<Entry> = self
            .pending
            .iter()
            .map(|(entry, _)| entry.clone())
            .collect();
        if let Err(error) = self.shelf.write(&entries, now) {
            let why = error.to_string();
            if self.failing.as_ref().is_none_or(|(known, _)| *known != why) {
                let waiting = self.pending.len();
                told.push(Told::Failing {
                    why: why.clone(),
                    waiting,
                });
            }
            self.failing = Some((why, now + AGAIN));
            return;
        }
        if self.failing.take().is_some() {
            let lost = std::mem::take(&mut self.lost);
            told.push(Told::Working { lost });
        }
        told.extend(self.pending.drain(..).map(|(entry, known)| match entry {
            Entry::Kept(kept) => Told::Kept { kept, known },
            Entry::Gone { reference, .. } => Told::Gone(reference),
        }));
    }
}

fn reference(entry: &Entry) -> &ConfigRef {
    match entry {
        Entry::Kept(kept) => &kept.config.reference,
        Entry::Gone { reference, .. } => reference,
    }
}

fn now_known(config: &Config) -> Known {
    Known {
        uid: config.uid.clone(),
        version: config.resource_version.clone(),
        kept: config.resource_version.clone(),
        sum: sum(config.content.as_ref()),
        broken: false,
    }
}

/// Contents are compared by their sums: thousands of them may be a gigabyte.
fn sum(content: Option<&Content>) -> [u8; 32] {
    let mut hasher = Sha256::new();
    let mut part = |bytes: &[u8]| {
        hasher.update((bytes.len() as u64).to_be_bytes());
        hasher.update(bytes);
    };
    if let Some(Content::Plain { data, binary }) = content {
        for (key, value) in data {
            part(key.as_bytes());
            part(value.as_bytes());
        }
        // No key is empty, so nothing else looks like this.
        part(b"");
        for (key, value) in binary {
            part(key.as_bytes());
            part(value);
        }
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests;
