//! The time axis: even where that shows every step, else each stretch between two moments shrunk by its length.

use chrono::{DateTime, TimeDelta, Utc};

use crate::analysis::{EntryKind, Incident};
use crate::model::Interval;

/// What every step gets on an uneven axis, however short it was: the revision's letter stands in it.
const STEP: f64 = 1.0;

/// Room for a start, before starts are left out of the axis's shape.
const COLUMNS_A_START: usize = 10;

/// A label of today: where that has no room, none has.
const SHORTEST: usize = "│20:35:25".len() - "│".len() + 1;

/// A mapping from moments to columns.
#[derive(Debug)]
pub struct Axis {
    columns: usize,
    /// Moments in order, and the column of each.
    stops: Vec<(DateTime<Utc>, f64)>,
    /// The moments worth a label, the most important first.
    wanted: Vec<DateTime<Utc>>,
    /// A second takes the same room everywhere.
    pub even: bool,
}

impl Axis {
    pub fn fit(incident: &Incident, end: Option<DateTime<Utc>>, columns: usize) -> Self {
        let mut moments = moments(incident, columns);
        // What was read later than everything else bounds the axis to the right.
        let end = end.map(|end| steady(end, &moments));
        moments.extend(end.filter(|end| moments.iter().all(|at| at < end)));
        let wanted = wanted(incident, &moments);
        moments.sort_unstable();
        moments.dedup();
        let seconds: Vec<f64> = moments
            .windows(2)
            .map(|pair| (pair[1] - pair[0]).num_milliseconds() as f64 / 1000.0)
            .collect();
        let room = columns.saturating_sub(2) as f64;
        let total: f64 = seconds.iter().sum();
        let shortest = seconds
            .iter()
            .copied()
            .filter(|s| *s >= 1.0)
            .reduce(f64::min);
        let even = shortest.is_none_or(|shortest| shortest / total.max(1.0) * room >= 2.0);
        let weights: Vec<f64> = match even {
            true => seconds,
            false => seconds.iter().map(|s| STEP + (1.0 + s).ln()).collect(),
        };
        let sum: f64 = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let mut at = 0.0;
        let mut stops = Vec::with_capacity(moments.len());
        for (index, moment) in moments.into_iter().enumerate() {
            if let Some(weight) = index.checked_sub(1).and_then(|before| weights.get(before)) {
                at += weight / sum * room;
            }
            stops.push((moment, at));
        }
        Self {
            columns,
            stops,
            wanted,
            even,
        }
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The column of a moment, within the axis.
    pub fn column(&self, at: DateTime<Utc>) -> usize {
        let after = self.stops.partition_point(|(moment, _)| *moment <= at);
        let position = match (
            after.checked_sub(1).map(|i| self.stops[i]),
            self.stops.get(after),
        ) {
            (Some((from, start)), Some((to, end))) => {
                let part = (at - from).num_milliseconds() as f64;
                let whole = (*to - from).num_milliseconds().max(1) as f64;
                start + (end - start) * part / whole
            }
            (Some((_, start)), None) => start,
            (None, _) => 0.0,
        };
        // Bounded above by the columns, which are few.
        (position.round().max(0.0) as usize).min(self.columns.saturating_sub(1))
    }

    /// The labels of the axis, `│20:35:25` with the stroke at the moment's column.
    pub fn labels(&self, text: impl Fn(DateTime<Utc>) -> String) -> String {
        let mut cells = vec![' '; self.columns];
        // Of ten thousand moments most fall where something stands already.
        let mut tried = vec![false; self.columns];
        for at in &self.wanted {
            let column = self.column(*at);
            if tried.get(column).is_none_or(|tried| *tried) {
                continue;
            }
            let label: Vec<char> = std::iter::once('│').chain(text(*at).chars()).collect();
            let range = column.saturating_sub(1)..column + label.len() + 1;
            let free = |cells: &[char]| {
                column + label.len() <= cells.len()
                    && cells[range.start..range.end.min(cells.len())]
                        .iter()
                        .all(|cell| *cell == ' ')
            };
            if free(&cells) {
                cells[column..column + label.len()].copy_from_slice(&label);
            }
            tried[column] = cells[column] != ' ' || label.len() <= SHORTEST;
        }
        cells.into_iter().collect()
    }
}

/// The end in steps: where time goes on by itself, marks would else move a column now and then, and read as news.
fn steady(end: DateTime<Utc>, moments: &[DateTime<Utc>]) -> DateTime<Utc> {
    let Some(first) = moments.iter().min().filter(|first| **first < end) else {
        return end;
    };
    let span = (end - *first).num_seconds().max(1);
    let step = (span / 8).max(10);
    *first + TimeDelta::seconds((span / step + 1) * step)
}

/// Every moment that shapes the axis. Of many starts only some do, so that the edit keeps its room; the others lie between.
fn moments(incident: &Incident, columns: usize) -> Vec<DateTime<Utc>> {
    let entries = incident.timeline.iter().flat_map(|entry| ends(entry.at));
    let mut starts: Vec<_> = incident.replicas.iter().map(|r| r.started_at).collect();
    starts.sort_unstable();
    starts.dedup();
    let every = (starts.len() * COLUMNS_A_START)
        .div_ceil(columns.max(1))
        .max(1);
    let last = starts.last().copied();
    let starts = starts.into_iter().step_by(every).chain(last);
    let edits = incident
        .revisions
        .iter()
        .flat_map(|revision| ends(revision.from));
    entries.chain(starts).chain(edits).flatten().collect()
}

/// Both ends of an interval; of what the API wrote in whole seconds, just that second.
pub fn ends(at: Interval) -> [Option<DateTime<Utc>>; 2] {
    match (at.earliest, at.latest) {
        (Some(from), Some(to)) if to - from <= TimeDelta::seconds(1) => [Some(from), None],
        (from, to) => [from, to],
    }
}

/// The edits, then the ends, then the starts.
fn wanted(incident: &Incident, moments: &[DateTime<Utc>]) -> Vec<DateTime<Utc>> {
    let of = |kinds: &'static [EntryKind]| {
        incident
            .timeline
            .iter()
            .filter(|entry| kinds.contains(&entry.kind))
            .filter_map(|entry| entry.at.anchor())
    };
    of(&[EntryKind::Edited])
        .chain(moments.iter().min().copied())
        .chain(of(&[EntryKind::FirstFailure]))
        .chain(of(&[EntryKind::Started, EntryKind::Restarted]))
        .chain(moments.iter().max().copied())
        .chain(moments.iter().copied())
        .collect()
}
