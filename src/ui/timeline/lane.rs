//! One lane: a line for as long as something lived, marks for what happened, dashes where a moment is known only within bounds.

use chrono::{DateTime, Utc};
use ratatui::style::Style;
use ratatui::text::Span;

use super::theme;
use crate::analysis::{Entry, EntryKind, Incident, Lane, Replica};
use crate::app::axis::{self, Axis};
use crate::app::lanes::Row;
use crate::model::Interval;

type Cells = Vec<(char, Style)>;

/// The lane's cells as spans, as wide as the axis.
pub(super) fn draw(
    incident: &Incident,
    lane: &Row,
    replica: Option<&Replica>,
    selected: Option<&Entry>,
    axis: &Axis,
) -> Vec<Span<'static>> {
    let mut cells: Cells = vec![(' ', theme::plain()); axis.columns()];
    let entries = lane.entries(incident);
    let of_incident = matches!(&lane.lane, Lane::Config(name) if *name == incident.config.name);
    if of_incident {
        config(&mut cells, incident, &entries, axis);
    } else if lane.lane == Lane::Coverage {
        unseen(&mut cells, &entries, axis);
    } else {
        life(&mut cells, replica, &entries, axis);
    }
    // What matters most is drawn last, so that it stays where two fall into one column.
    let mut ordered = entries.clone();
    ordered.sort_by_key(|entry| (entry.kind == EntryKind::FirstFailure, weight(entry.kind)));
    for entry in ordered {
        mark(&mut cells, entry, axis);
    }
    if let Some(at) = selected.and_then(|entry| entry.at.anchor())
        && let Some(cell) = cells.get_mut(axis.column(at))
    {
        cell.1 = cell.1.patch(theme::selected());
    }
    spans(cells)
}

fn weight(kind: EntryKind) -> u8 {
    match kind {
        EntryKind::Event => 0,
        EntryKind::Signal => 1,
        EntryKind::Created | EntryKind::Reloaded => 2,
        EntryKind::Started | EntryKind::Restarted => 3,
        _ => 4,
    }
}

fn fill(cells: &mut Cells, from: usize, to: usize, sign: char, style: Style) {
    for cell in cells.iter_mut().take(to).skip(from) {
        *cell = (sign, style);
    }
}

/// A config's line, with the letter of each revision where it began.
fn config(cells: &mut Cells, incident: &Incident, entries: &[&Entry], axis: &Axis) {
    let begins = entries.first().and_then(|entry| entry.at.anchor());
    let known = incident.revisions.first().and_then(|r| r.from.anchor());
    let start = begins.or(known).map_or(0, |at| axis.column(at));
    let start = match known {
        Some(_) => start,
        None => 0,
    };
    let end = cells.len();
    fill(cells, start, end, '─', theme::plain());
    for revision in &incident.revisions {
        bounds(cells, revision.from, axis);
    }
    let begins: Vec<Option<usize>> = incident
        .revisions
        .iter()
        .map(|revision| Some(axis.column(begin(revision.from)?)))
        .collect();
    for (at, revision) in incident.revisions.iter().enumerate() {
        let column = match begins.get(at) {
            // Behind its mark; an edit known within bounds has the mark at their beginning.
            Some(Some(column)) if is_point(revision.from) => column + 1,
            Some(Some(column)) => *column,
            _ if at == 0 => 0,
            _ => continue,
        };
        // Up to where the next edit may have begun.
        let next = incident.revisions.get(at + 1).and_then(|r| r.from.anchor());
        let room = next
            .map_or(cells.len(), |next| axis.column(next))
            .saturating_sub(column);
        let width = revision.name.chars().count();
        let label = match room {
            room if room >= width + 2 => format!(" {} ", revision.name),
            room if room > width => format!(" {}", revision.name),
            room if room == width => revision.name.clone(),
            _ => {
                before(cells, column.saturating_sub(1), &revision.name);
                continue;
            }
        };
        for (cell, letter) in cells.iter_mut().skip(column).zip(label.chars()) {
            *cell = (letter, theme::bold());
        }
    }
}

/// The letter in front of its mark, where nothing else is.
fn before(cells: &mut Cells, mark: usize, name: &str) {
    let Some(start) = mark.checked_sub(name.chars().count()) else {
        return;
    };
    if cells[start..mark].iter().all(|(sign, _)| *sign == ' ') {
        for (cell, letter) in cells.iter_mut().skip(start).zip(name.chars()) {
            *cell = (letter, theme::bold());
        }
    }
}

fn is_point(at: Interval) -> bool {
    let [earliest, latest] = axis::ends(at);
    earliest.is_none() || latest.is_none()
}

/// From when on a revision was surely live.
fn begin(from: Interval) -> Option<DateTime<Utc>> {
    let [earliest, latest] = axis::ends(from);
    latest.or(earliest)
}

/// A pod's line: from its first sign of life to its last.
fn life(cells: &mut Cells, replica: Option<&Replica>, entries: &[&Entry], axis: &Axis) {
    let born = |kind| matches!(kind, EntryKind::Started | EntryKind::Created);
    let begin = match entries.iter().find(|entry| born(entry.kind)) {
        Some(entry) => entry.at.anchor().map_or(0, |at| axis.column(at)),
        None => match replica.and_then(|r| r.started_at) {
            // It was restarted in place: the pod is older than that.
            Some(_) if replica.is_some_and(|r| r.restarts > 0) => 0,
            Some(at) => axis.column(at),
            None => 0,
        },
    };
    let gone = entries
        .iter()
        .rev()
        .find(|entry| entry.kind == EntryKind::Killed)
        .filter(|_| replica.is_none());
    let killed = gone.and_then(|entry| entry.at.anchor());
    let end = killed.map_or(cells.len(), |at| axis.column(at));
    fill(cells, begin, end, '━', theme::plain());
    for entry in entries {
        bounds(cells, entry.at, axis);
    }
    if killed.is_some() {
        for (cell, letter) in cells.iter_mut().skip(end + 1).zip(" killed".chars()) {
            *cell = (letter, theme::dim());
        }
    }
    let started = entries.iter().any(|e| e.kind != EntryKind::Event);
    if let Some(cell) = cells
        .get_mut(begin)
        .filter(|_| !started && replica.is_some())
    {
        *cell = (theme::mark(EntryKind::Started), theme::bold());
    }
}

/// The stretches in which nothing could be seen.
fn unseen(cells: &mut Cells, entries: &[&Entry], axis: &Axis) {
    for entry in entries {
        if let (Some(from), Some(until)) = (entry.at.earliest, entry.at.latest) {
            let (from, until) = (axis.column(from), axis.column(until));
            fill(cells, from, until + 1, '░', theme::plain());
        }
    }
}

fn bounds(cells: &mut Cells, at: Interval, axis: &Axis) {
    if let [Some(from), Some(to)] = axis::ends(at) {
        let (from, to) = (axis.column(from), axis.column(to));
        fill(cells, from, to, '╌', theme::accent());
    }
}

fn mark(cells: &mut Cells, entry: &Entry, axis: &Axis) {
    let Some(at) = entry.at.anchor() else { return };
    if let Some(cell) = cells.get_mut(axis.column(at)) {
        *cell = (theme::mark(entry.kind), theme::mark_style(entry.kind));
    }
}

fn spans(cells: Cells) -> Vec<Span<'static>> {
    let mut spans: Vec<(String, Style)> = Vec::new();
    for (sign, style) in cells {
        match spans.last_mut() {
            Some((text, last)) if *last == style => text.push(sign),
            _ => spans.push((sign.to_string(), style)),
        }
    }
    spans
        .into_iter()
        .map(|(text, style)| Span::styled(text, style))
        .collect()
}
