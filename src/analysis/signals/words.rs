//! The words that separate: what the replicas of one group log and no other does, in a log of whatever format.
//!
//! Each line is masked ([`mask`]), so that lines which differ in times, ids, counters and clients' text alone are of one kind; a log is
//! the list of its kinds with how often each came. What is left of a line (words, settings, ports) is compared between the groups
//! ([`rank`]). It is a hint: what separates may also be their traffic or their age.

mod mask;
mod rank;
mod terms;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::model::{ConfigRef, Log, LogLine, PodRef};

pub(crate) use mask::Names;
pub(crate) use rank::{Found, Side, separating};
pub(crate) use terms::pattern;

/// So many kinds of lines are told apart in one log.
const KINDS: usize = 1_000;

/// What one log says in a window: its kinds of lines.
#[derive(Debug, Clone, Default)]
pub(crate) struct Digest {
    kinds: HashMap<u64, Kind>,
    /// Lines in the window.
    pub(crate) lines: usize,
    /// Lines that are of none of its kinds, since it has too many.
    pub(crate) unlike: usize,
    /// The time of the last line that had one.
    at: Option<DateTime<Utc>>,
}

/// Lines that are the same but for what varies.
#[derive(Debug, Clone)]
struct Kind {
    /// A line, masked.
    text: Box<str>,
    /// What it is compared by, hashed.
    terms: Box<[u64]>,
    lines: usize,
    /// Seconds in which it came: what comes in bursts is not the more certain for it.
    moments: usize,
    first: DateTime<Utc>,
    last: DateTime<Utc>,
    /// Where the last line of it is: which piece of the log, and where in that.
    place: (usize, usize, usize),
}

impl Digest {
    /// Reads one more piece of the log.
    fn take(&mut self, piece: &str, number: usize, asked: &Asked) {
        let mut masked = String::new();
        let mut start = 0;
        for whole in piece.split_inclusive('\n') {
            let place = (number, start, start + whole.len());
            start += whole.len();
            let line = LogLine::parse(whole.trim_end_matches(['\n', '\r']));
            self.at = line.at.or(self.at);
            let Some(at) = self.at.filter(|at| *at >= asked.since) else {
                continue;
            };
            mask::mask(line.text, &asked.names, &mut masked);
            // A line of which nothing is left was logged all the same.
            self.lines += 1;
            if !masked.is_empty() {
                self.count(&masked, at, place);
            }
        }
    }

    fn count(&mut self, masked: &str, at: DateTime<Utc>, place: (usize, usize, usize)) {
        let full = self.kinds.len() >= KINDS;
        let key = hash(masked);
        if full && !self.kinds.contains_key(&key) {
            self.unlike += 1;
            return;
        }
        let kind = self.kinds.entry(key).or_insert_with(|| Kind {
            text: masked.into(),
            terms: terms::of(masked)
                .iter()
                .map(|term| hash(&term.text))
                .collect(),
            lines: 0,
            moments: 0,
            first: at,
            last: at,
            place,
        });
        kind.lines += 1;
        if kind.moments == 0 || kind.last.timestamp() != at.timestamp() {
            kind.moments += 1;
        }
        kind.last = at;
        kind.place = place;
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// What a digest is of.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Asked {
    since: DateTime<Utc>,
    names: Arc<Names>,
}

/// The digests of the last look: a log that grew is read on from where it ended.
#[derive(Debug, Default)]
pub(crate) struct Words {
    known: HashMap<(ConfigRef, PodRef, String), Read>,
    look: u64,
}

#[derive(Debug)]
struct Read {
    /// Kept, so that none of their addresses can mean another one.
    pieces: Vec<Arc<str>>,
    asked: Asked,
    digest: Arc<Digest>,
    look: u64,
}

impl Words {
    /// What a log says from a moment on.
    pub(crate) fn digest(
        &mut self,
        config: &ConfigRef,
        log: &Log,
        since: DateTime<Utc>,
        names: &Arc<Names>,
    ) -> Arc<Digest> {
        let asked = Asked {
            since,
            names: names.clone(),
        };
        let key = (config.clone(), log.pod.clone(), log.container.clone());
        let known = self.known.entry(key).or_insert_with(|| Read {
            pieces: Vec::new(),
            asked: asked.clone(),
            digest: Arc::default(),
            look: self.look,
        });
        let pieces = log.text.pieces();
        let mut both = known.pieces.iter().zip(pieces);
        let grown = known.pieces.len() <= pieces.len() && both.all(|(a, b)| Arc::ptr_eq(a, b));
        if !grown || known.asked != asked {
            known.pieces.clear();
            known.asked = asked;
            known.digest = Arc::default();
        }
        let fresh = pieces.get(known.pieces.len()..).unwrap_or_default();
        if !fresh.is_empty() {
            let digest = Arc::make_mut(&mut known.digest);
            for piece in fresh {
                digest.take(piece, known.pieces.len(), &known.asked);
                known.pieces.push(piece.clone());
            }
        }
        known.look = self.look;
        known.digest.clone()
    }

    /// Forgets what the last look did not ask for.
    pub(crate) fn tidy(&mut self) {
        let look = self.look;
        self.known.retain(|_, read| read.look == look);
        self.look += 1;
    }
}

#[cfg(test)]
mod tests;
