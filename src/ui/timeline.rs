//! One time axis for everything: a lane for each config and pod, gone ones too, and the entries in words below.

mod axis;
mod lane;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

use super::paint::Clickable;
use super::{paint, spark, text, theme, time};
use crate::analysis::{Entry, Incident, Lane, Replica};
use crate::app::lists::Rows;
use crate::app::screen::{Sheet, Tab};
use crate::app::{App, shown};
use axis::Axis;

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
    let lanes = lanes(incident);
    let names = names(&lanes);
    let width = usize::from(area.width);
    let longest = names.iter().map(|name| text::width(name)).max();
    let name = longest.unwrap_or(0).clamp(6, width / 5);
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
    let shown = window(&lanes, entry, room);

    let [head, plot, rule, list] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(u16::try_from(shown.len()).unwrap_or(1)),
        Constraint::Length(1),
        Constraint::Fill(1),
    ])
    .areas(area);
    let end = app.diagnosis().map(|diagnosis| diagnosis.taken_at);
    let axis = Axis::fit(incident, end, plan.plot);
    frame.render_widget(heading(app, &axis, &plan), head);
    let drawn = shown.iter().filter_map(|at| {
        let (lane, name) = (lanes.get(*at)?, names.get(*at)?);
        Some(row(incident, lane, name, entry, &axis, &plan))
    });
    paint::lines(frame, plot, drawn);
    let found = app.rows(Tab::Timeline).unwrap_or_default();
    let mut title = format!("What happened{}", paint::place_in("entry", cursor, &found));
    if shown.len() < lanes.len() {
        title.push_str(&format!(
            "   {} of {} lanes above",
            shown.len(),
            lanes.len()
        ));
    }
    frame.render_widget(paint::rule(&title, rule.width), rule);
    entries(app, sheet, incident, &found, (&lanes, &names), frame, list)
}

/// Configs first, then workloads, then pods by their start; every lane that has an entry, and every replica's pod.
fn lanes(incident: &Incident) -> Vec<Lane> {
    let mut lanes = vec![Lane::Config(incident.config.name.clone())];
    lanes.extend(incident.timeline.iter().map(|entry| entry.lane.clone()));
    lanes.extend(
        incident
            .replicas
            .iter()
            .map(|replica| Lane::Pod(replica.pod.name.clone())),
    );
    let begin = |lane: &Lane| {
        let entry = incident.timeline.iter().find(|entry| entry.lane == *lane);
        let anchor = entry.and_then(|entry| entry.at.anchor());
        anchor.or_else(|| replica(incident, lane)?.started_at)
    };
    let rank = |lane: &Lane| match lane {
        Lane::Config(name) => usize::from(*name != incident.config.name),
        Lane::Workload(_) => 2,
        Lane::Pod(_) => 3,
        Lane::Coverage => 4,
    };
    lanes.sort_by(|a, b| (rank(a), begin(a), a.name()).cmp(&(rank(b), begin(b), b.name())));
    lanes.dedup();
    lanes
}

/// Pods' names are shortened among themselves, the others stay.
fn names(lanes: &[Lane]) -> Vec<String> {
    let pod = |lane: &Lane| matches!(lane, Lane::Pod(_));
    let pods: Vec<&str> = lanes.iter().filter(|l| pod(l)).map(Lane::name).collect();
    let mut short = text::shorten(&pods).into_iter();
    lanes
        .iter()
        .map(|lane| match lane {
            Lane::Pod(name) => short.next().unwrap_or_else(|| name.clone()),
            other => other.name().to_owned(),
        })
        .collect()
}

/// The lanes that fit: the config's own, and those around the selected entry's.
fn window(lanes: &[Lane], entry: Option<&Entry>, room: usize) -> Vec<usize> {
    if lanes.len() <= room {
        return (0..lanes.len()).collect();
    }
    let selected = entry.and_then(|entry| lanes.iter().position(|lane| *lane == entry.lane));
    let others = room.saturating_sub(1);
    let first = paint::first_row(
        selected.unwrap_or(0).saturating_sub(1),
        lanes.len() - 1,
        others,
    );
    std::iter::once(0)
        .chain(first + 1..=first + others)
        .collect()
}

fn replica<'a>(incident: &'a Incident, lane: &Lane) -> Option<&'a Replica> {
    let Lane::Pod(name) = lane else { return None };
    incident.replicas.iter().find(|r| r.pod.name == *name)
}

fn heading(app: &App, axis: &Axis, plan: &Plan) -> Line<'static> {
    let note = if axis.even { "" } else { "not to scale" };
    let left = 2 + plan.name + 1 + STATE + 1;
    Line::from(vec![
        Span::styled(text::pad(&format!("  {note}"), left), theme::dim()),
        Span::styled(axis.labels(|at| time::moment(app, at)), theme::dim()),
    ])
}

fn row(
    incident: &Incident,
    lane: &Lane,
    name: &str,
    entry: Option<&Entry>,
    axis: &Axis,
    plan: &Plan,
) -> Line<'static> {
    let replica = replica(incident, lane);
    let selected = entry.filter(|entry| entry.lane == *lane);
    let pointer = if selected.is_some() { "> " } else { "  " };
    let mut spans = vec![Span::raw(pointer)];
    match lane {
        Lane::Pod(_) => {
            let revision = replica.and_then(|r| r.loaded.as_deref());
            let state = match replica {
                Some(replica) => theme::live_word(replica.live),
                None => "gone",
            };
            spans.push(Span::raw(text::pad(
                &text::cut_middle(name, plan.name),
                plan.name,
            )));
            let letter = text::pad(revision.unwrap_or(" "), 2);
            spans.push(Span::styled(format!(" {letter}"), theme::bold()));
            spans.push(Span::raw(text::pad(state, STATE - 2)));
        }
        _ => {
            let columns = plan.name + 1 + STATE;
            spans.push(Span::styled(
                text::pad(&text::cut_middle(name, columns), columns),
                theme::bold(),
            ));
        }
    }
    spans.push(Span::raw(" "));
    spans.extend(lane::draw(incident, lane, replica, selected, axis));
    if let Some(replica) = replica {
        let route = spark::worst_route(incident);
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
    (lanes, names): (&[Lane], &[String]),
    frame: &mut Frame<'_>,
    area: Rect,
) -> Clickable {
    let times: Vec<String> = incident
        .timeline
        .iter()
        .map(|entry| time::interval(app, entry.at))
        .collect();
    let time = times.iter().map(|t| text::width(t)).max().unwrap_or(0);
    let name = names
        .iter()
        .map(|n| text::width(n))
        .max()
        .unwrap_or(0)
        .min(20);
    let columns = usize::from(area.width);
    paint::rows(frame, area, sheet.entry, found, sheet.filter(), |at| {
        let (Some(entry), Some(when)) = (incident.timeline.get(at), times.get(at)) else {
            return Line::default();
        };
        let lane = lanes.iter().position(|lane| *lane == entry.lane);
        let lane = lane.and_then(|at| names.get(at)).map_or("", String::as_str);
        let numbers = shown::numbers(&entry.evidence);
        let room = columns.saturating_sub(2 + time + 4 + name + 1);
        let what = text::cut(&format!("{} {numbers}", entry.what), room);
        Line::from(vec![
            Span::raw(text::pad(when, time)),
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
