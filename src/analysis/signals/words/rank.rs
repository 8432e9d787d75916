//! Which terms separate one group of replicas from all others, by how many replicas and lines, and against chance.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::Digest;
use super::terms::{self, Sort};

/// Shown of each group.
const SHOWN: usize = 5;
/// Of ten replicas so many must log it.
const NEARLY_ALL: usize = 9;
/// That any of the terms falls to one group alone by chance has to be less likely than this.
const CHANCE: f64 = 0.05;

/// The replicas of one group, and what each logs.
#[derive(Debug)]
pub(crate) struct Side {
    pub(crate) digests: Vec<Arc<Digest>>,
}

/// What one group logs alone.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    /// The place of the group.
    pub(crate) side: usize,
    /// What varies in it is a star.
    pub(crate) text: String,
    pub(crate) lines: usize,
    /// Of the group's replicas, those that log it, by their places.
    pub(crate) with: BTreeMap<usize, Came>,
    /// Lines of the other groups, of which none holds it.
    pub(crate) other_lines: usize,
}

/// How it came in one replica's log.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Came {
    pub(crate) lines: usize,
    moments: usize,
    pub(crate) first: DateTime<Utc>,
    pub(crate) last: DateTime<Utc>,
    /// Where its last line is: which piece of the log, and where in that.
    pub(crate) place: (usize, usize, usize),
}

struct Tally {
    sort: Sort,
    /// Its place in a line: the first words of one say most.
    nth: usize,
    with: BTreeMap<usize, Came>,
    /// The kinds of lines that hold it.
    kinds: HashSet<u64>,
}

/// What each group logs and no other does, most lines first. `told` is what is known of the replicas already: lines that hold
/// it are said to separate them by that.
pub(crate) fn separating(sides: &[Side], told: &[&str]) -> Vec<Found> {
    let distinct: HashSet<u64> = sides.iter().flat_map(terms_of).collect();
    let mut found = Vec::new();
    for (place, side) in sides.iter().enumerate() {
        let others = || {
            let others = sides
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != place);
            others.map(|(_, other)| other)
        };
        let other_lines: usize = others().map(lines_of).sum();
        // Of replicas that say nothing it means nothing that they do not say this.
        if other_lines == 0 || side.digests.is_empty() {
            continue;
        }
        let replicas: usize = others().map(|other| other.digests.len()).sum();
        let share = f64::max(
            ratio(side.digests.len(), replicas),
            ratio(lines_of(side), other_lines),
        );
        let theirs: HashSet<u64> = others().flat_map(terms_of).collect();
        let known = told_kinds(side, told);
        let mut all: Vec<(String, Tally)> = alone(side, &theirs).into_iter().collect();
        all.retain(|(_, tally)| {
            let nearly_all = tally.with.len() * 10 >= side.digests.len() * NEARLY_ALL;
            // What stands in lines that are told apart already says nothing more.
            let more = tally.kinds.is_disjoint(&known);
            more && nearly_all && tally.by_chance(share) * as_f64(distinct.len()) < CHANCE
        });
        for (text, tally) in worthiest(all) {
            found.push(Found {
                side: place,
                text: terms::shown(&text),
                lines: tally.lines(),
                with: tally.with,
                other_lines,
            });
        }
    }
    found
}

impl Tally {
    fn lines(&self) -> usize {
        self.with.values().map(|came| came.lines).sum()
    }

    /// How likely it is that all its moments fell to this group, were it logged by all alike.
    fn by_chance(&self, share: f64) -> f64 {
        let moments: usize = self.with.values().map(|came| came.moments).sum();
        share.powi(i32::try_from(moments).unwrap_or(i32::MAX))
    }
}

/// The first few, by how many replicas and lines. One line has many words: the first that stands for it is enough.
fn worthiest(mut all: Vec<(String, Tally)>) -> Vec<(String, Tally)> {
    all.sort_by(|(a, x), (b, y)| {
        let much = (y.with.len(), y.lines()).cmp(&(x.with.len(), x.lines()));
        much.then_with(|| (x.sort, x.nth, a).cmp(&(y.sort, y.nth, b)))
    });
    let (mut chosen, mut said) = (Vec::new(), HashSet::new());
    for (text, tally) in all {
        if chosen.len() < SHOWN && !tally.kinds.is_subset(&said) {
            said.extend(&tally.kinds);
            chosen.push((text, tally));
        }
    }
    chosen
}

/// The kinds of lines that hold what is known already.
fn told_kinds(side: &Side, told: &[&str]) -> HashSet<u64> {
    let kinds = side.digests.iter().flat_map(|digest| &digest.kinds);
    kinds
        .filter(|(_, kind)| {
            let terms = terms::of(&kind.text);
            !told.is_empty() && terms.iter().any(|term| is_told(&term.text, told))
        })
        .map(|(key, _)| *key)
        .collect()
}

fn terms_of(side: &Side) -> impl Iterator<Item = u64> {
    let kinds = side.digests.iter().flat_map(|digest| digest.kinds.values());
    kinds.flat_map(|kind| kind.terms.iter().copied())
}

fn lines_of(side: &Side) -> usize {
    side.digests.iter().map(|digest| digest.lines).sum()
}

fn ratio(ours: usize, theirs: usize) -> f64 {
    as_f64(ours) / as_f64(ours + theirs).max(1.0)
}

fn as_f64(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

/// Whether a signal says so already: `*:8000` where an upstream 10.96.10.144:8000 is known.
fn is_told(text: &str, told: &[&str]) -> bool {
    let bare = terms::shown(text);
    let bare = bare.trim_start_matches('*');
    told.iter()
        .any(|told| *told == bare || (bare.starts_with(':') && told.ends_with(bare)))
}

/// The terms that no other group has.
fn alone(side: &Side, theirs: &HashSet<u64>) -> HashMap<String, Tally> {
    let mut tallies: HashMap<String, Tally> = HashMap::new();
    for (replica, digest) in side.digests.iter().enumerate() {
        for (key, kind) in &digest.kinds {
            if kind.terms.iter().all(|term| theirs.contains(term)) {
                continue;
            }
            let terms = terms::of(&kind.text).into_iter().enumerate();
            for ((nth, term), _) in terms
                .zip(kind.terms.iter())
                .filter(|(_, hash)| !theirs.contains(hash))
            {
                let tally = tallies
                    .entry(term.text.into_owned())
                    .or_insert_with(|| Tally {
                        sort: term.sort,
                        nth,
                        with: BTreeMap::new(),
                        kinds: HashSet::new(),
                    });
                tally.kinds.insert(*key);
                tally.nth = tally.nth.min(nth);
                let came = tally.with.entry(replica).or_insert_with(|| Came {
                    lines: 0,
                    moments: 0,
                    first: kind.first,
                    last: kind.last,
                    place: kind.place,
                });
                came.lines += kind.lines;
                // Lines of several kinds may belong to one moment.
                came.moments = came.moments.max(kind.moments);
                came.first = came.first.min(kind.first);
                came.last = came.last.max(kind.last);
                came.place = came.place.max(kind.place);
            }
        }
    }
    tallies
}
