//! One time axis for everything: a lane for each config and pod, gone ones too, and the entries in words below.

mod lane;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

use super::paint::Clickable;
use super::{paint, spark, text, theme};
use crate::analysis::{Entry, Incident, Lane, Replica};
use crate::app::axis::Axis;
use crate::app::lanes::{self, Lanes};
use crate::app::lists::Rows;
use crate::app::rows::Replicas;
use crate::app::screen::{Sheet, Tab};
use crate::app::{App, shown, time};

/// Columns right of the lanes: the signal, the status, the bars.
const RIGHT: usize = 22;
/// Revision and whether it is live.
const STATE: usize = 8;

/// The columns of the lanes, shared by all of them.
struct Plan {
    name: usize,
    plot: usize,
}

pub(super) fn draw(
    app: &App,
    sheet: &Sheet,
    incident: &Incident,
    frame: &mut Frame<'_>,
    area: Rect,
) -> Clickable {
    let Some(lanes) = app.lanes() else {
        return Clickable::default();
    };
    let width = usize::from(area.width);
    let name = lanes.longest.clamp(6, width / 5);
    let plan = Plan {
        name,
        plot: width.saturating_sub(2 + name + 1 + STATE + 1 + RIGHT),
    };
    let cursor = sheet.entry.min(incident.timeline.len().saturating_sub(1));
    let entry = incident.timeline.get(cursor);
    // Where rows are few the lanes come first: they show which replica fails.
    let entries_shown = if area.height < 14 { 2 } else { 4 };
    let least = entries_shown.min(incident.timeline.len()) + 1;
    let room = usize::from(area.height).saturating_sub(1 + least).max(1);
    let shown = window(lanes.rows.len(), lanes.of_entry(cursor), room);

    let [head, plot, rule, list] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(u16::try_from(shown.len()).unwrap_or(1)),
        Constraint::Length(1),
        Constraint::Fill(1),
    ])
    .areas(area);
    let Some(axis) = app.axis(plan.plot) else {
        return Clickable::default();
    };
    frame.render_widget(heading(app, &axis, &plan), head);
    let replicas = app.replicas();
    let route = replicas.as_ref().and_then(Replicas::route);
    let drawn = shown.iter().filter_map(|at| {
        let lane = lanes.rows.get(*at)?;
        Some(row(incident, lane, route, entry, &axis, &plan))
    });
    paint::lines(frame, plot, drawn);
    let found = app.rows(Tab::Timeline).unwrap_or_default();
    let mut title = format!("What happened{}", paint::place_in("entry", cursor, &found));
    if shown.len() < lanes.rows.len() {
        title.push_str(&format!(
            "   {} of {} lanes above",
            shown.len(),
            lanes.rows.len()
        ));
    }
    frame.render_widget(paint::rule(&title, rule.width), rule);
    entries(app, sheet, incident, &found, &lanes, frame, list)
}

/// The lanes that fit: the config's own, and those around the selected entry's.
fn window(lanes: usize, selected: Option<usize>, room: usize) -> Vec<usize> {
    if lanes <= room {
        return (0..lanes).collect();
    }
    let others = room.saturating_sub(1);
    let first = paint::first_row(selected.unwrap_or(0).saturating_sub(1), lanes - 1, others);
    std::iter::once(0)
        .chain(first + 1..=first + others)
        .collect()
}

fn heading(app: &App, axis: &Axis, plan: &Plan) -> Line<'static> {
    let note = if axis.even { "" } else { "not to scale" };
    let left = 2 + plan.name + 1 + STATE + 1;
    let key = (app.place(), plan.plot, time::today(app));
    let labels = app
        .kept
        .labels
        .get(key, || axis.labels(|at| time::moment(app, at)));
    Line::from(vec![
        Span::styled(text::pad(&format!("  {note}"), left), theme::dim()),
        Span::styled(labels.to_string(), theme::dim()),
    ])
}

fn row(
    incident: &Incident,
    lane: &lanes::Row,
    route: Option<&str>,
    entry: Option<&Entry>,
    axis: &Axis,
    plan: &Plan,
) -> Line<'static> {
    let replica = lane.replica(incident);
    let selected = entry.filter(|entry| entry.lane == lane.lane);
    let pointer = if selected.is_some() { "> " } else { "  " };
    let mut spans = vec![Span::raw(pointer)];
    match lane.lane {
        Lane::Pod(_) => {
            let revision = replica.and_then(|r| r.loaded.as_deref());
            let state = match replica {
                Some(replica) => theme::live_word(replica.live),
                None => "gone",
            };
            spans.push(Span::raw(text::pad(
                &text::cut_middle(&lane.name, plan.name),
                plan.name,
            )));
            let letter = text::pad(revision.unwrap_or(" "), 2);
            spans.push(Span::styled(format!(" {letter}"), theme::bold()));
            spans.push(Span::raw(text::pad(state, STATE - 2)));
        }
        _ => {
            let columns = plan.name + 1 + STATE;
            spans.push(Span::styled(
                text::pad(&text::cut_middle(&lane.name, columns), columns),
                theme::bold(),
            ));
        }
    }
    spans.push(Span::raw(" "));
    spans.extend(lane::draw(incident, lane, replica, selected, axis));
    if let Some(replica) = replica {
        let traffic = spark::traffic(replica, route);
        spans.push(Span::raw(format!(" {} ", text::pad(&signal(replica), 8))));
        spans.extend(spark::draw(incident, traffic, RIGHT - 11));
    }
    Line::from(spans)
}

/// What tells this replica from the others, short: of an address the port.
fn signal(replica: &Replica) -> String {
    let explained = replica.signals.iter().find(|s| s.revision.is_some());
    let Some(signal) = explained.or(replica.signals.first()) else {
        return String::new();
    };
    spark::short(signal).to_owned()
}

fn entries(
    app: &App,
    sheet: &Sheet,
    incident: &Incident,
    found: &Rows,
    lanes: &Lanes,
    frame: &mut Frame<'_>,
    area: Rect,
) -> Clickable {
    let key = (app.place(), time::today(app));
    let longest = || {
        let times = incident.timeline.iter();
        let widths = times.map(|entry| text::width(&time::interval(app, entry.at)));
        widths.max().unwrap_or(0)
    };
    let time = *app.kept.time_column.get(key, longest);
    let name = lanes.longest.min(20);
    let columns = usize::from(area.width);
    paint::rows(frame, area, sheet.entry, found, sheet.filter(), |at| {
        let Some(entry) = incident.timeline.get(at) else {
            return Line::default();
        };
        let when = time::interval(app, entry.at);
        let lane = lanes.of_entry(at).and_then(|at| lanes.rows.get(at));
        let lane = lane.map_or("", |lane| &lane.name);
        let numbers = shown::numbers(&entry.evidence);
        let room = columns.saturating_sub(2 + time + 4 + name + 1);
        let what = text::cut(&format!("{} {numbers}", entry.what), room);
        Line::from(vec![
            Span::raw(text::pad(&when, time)),
            Span::styled(
                format!(" {} ", theme::mark(entry.kind)),
                theme::mark_style(entry.kind),
            ),
            Span::raw(text::pad(&text::cut_middle(lane, name), name)),
            Span::raw(" "),
            Span::raw(what),
        ])
    })
}

#[cfg(test)]
mod tests;
