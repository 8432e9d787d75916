//! The replicas, grouped by revision: which one runs what, how that is known, and how it fares.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

use super::paint::Clickable;
use super::{paint, spark, text, theme, time};
use crate::analysis::Replica;
use crate::app::rows::{self, ReplicaRow, Replicas};
use crate::app::screen::{Sheet, Tab};
use crate::app::{App, shown};

/// Widths of the columns; the name takes what it needs, the signals what is left.
struct Columns {
    name: usize,
    started: usize,
    failures: usize,
    signals: usize,
}

pub(super) fn draw(app: &App, sheet: &Sheet, frame: &mut Frame<'_>, area: Rect) -> Clickable {
    let Some(order) = app.replicas() else {
        return Clickable::default();
    };
    let route = order.route();
    let columns = columns(app, &order, usize::from(area.width));
    let rows = app.rows(Tab::Replicas).unwrap_or_default();
    let height = u16::try_from(rows.places.len().max(1)).unwrap_or(u16::MAX);
    let [head, list, rule, below] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(height.min(area.height.saturating_sub(6).max(1))),
        Constraint::Length(1),
        Constraint::Fill(1),
    ])
    .areas(area);
    frame.render_widget(heading(&columns, route), head);
    let cursor = sheet.replica.min(order.len().saturating_sub(1));
    let clickable = paint::rows(frame, list, cursor, &rows, sheet.filter(), |at| {
        order.get(at).map_or_else(Line::default, |replica| {
            row(&order.row(app, replica), &columns)
        })
    });
    if rows.places.is_empty() {
        return clickable;
    }
    if let Some(replica) = order.get(cursor) {
        let mut title = format!("{} / {}", replica.pod.name, replica.container);
        if let Some(node) = &replica.node {
            title.push_str(&format!(" on {node}"));
        }
        title.push_str(&paint::place_in("replica", cursor, &rows));
        frame.render_widget(paint::rule(&title, rule.width), rule);
        detail(app, replica, frame, below);
    }
    clickable
}

fn columns(app: &App, order: &Replicas<'_>, width: usize) -> Columns {
    let key = (app.place(), time::today(app));
    let longest = app.kept.replica_columns.get(key, || longest(app, order));
    let [name, started, failures] = *longest;
    let name = name.clamp(7, width * 3 / 10);
    let started = started.clamp(8, 14);
    let failures = failures.clamp(8, 18);
    // pointer, revision, live, grade, ready, restarts, and a space before each column
    let fixed = 2 + 4 + 6 + 9 + 6 + 9 + 3;
    Columns {
        name,
        started,
        failures,
        signals: width.saturating_sub(name + started + failures + fixed + 1),
    }
}

/// The columns that name, start and failures take at most.
fn longest(app: &App, order: &Replicas<'_>) -> [usize; 3] {
    let mut most = [0, 0, order.route().map_or(0, text::width)];
    for replica in order.iter() {
        let traffic = spark::traffic(replica, order.route());
        let texts = [
            order.name(replica),
            rows::started(app, replica),
            rows::failures(traffic).text,
        ];
        for (most, text) in most.iter_mut().zip(&texts) {
            *most = text::width(text).max(*most);
        }
    }
    most
}

fn heading(columns: &Columns, route: Option<&str>) -> Line<'static> {
    let fails = text::pad_left(route.unwrap_or("FAILURES"), columns.failures);
    Line::styled(
        format!(
            "  {} REV {} {} {} {} {} {fails} {}",
            text::pad("REPLICA", columns.name),
            text::pad("LIVE?", 5),
            text::pad("GRADE", 8),
            text::pad("STARTED", columns.started),
            text::pad("READY", 5),
            text::pad_left("RESTARTS", 8),
            text::pad("SIGNALS", columns.signals),
        ),
        theme::dim(),
    )
}

fn row(row: &ReplicaRow, columns: &Columns) -> Line<'static> {
    let ready_style = match row.ready.as_str() {
        "yes" => theme::plain(),
        _ => theme::fail(),
    };
    let name = text::pad(&text::cut_middle(&row.name, columns.name), columns.name);
    Line::from(vec![
        Span::raw(name),
        Span::styled(format!(" {} ", text::pad(&row.revision, 3)), theme::bold()),
        Span::raw(text::pad(row.live, 5)),
        Span::raw(format!(" {} ", text::pad(row.grade, 8))),
        Span::raw(text::pad(&row.started, columns.started)),
        Span::styled(format!(" {} ", text::pad(&row.ready, 5)), ready_style),
        Span::raw(format!("{:>8} ", row.restarts)),
        Span::styled(
            text::pad_left(&row.failures.text, columns.failures),
            spark::style(&row.failures),
        ),
        Span::raw(format!(" {}", text::pad(&row.signals, columns.signals))),
    ])
}

fn detail(app: &App, replica: &Replica, frame: &mut Frame<'_>, area: Rect) {
    let columns = usize::from(area.width).saturating_sub(2);
    let why = format!("{} {}", replica.why, shown::numbers(&replica.evidence));
    let mut paragraphs = vec![why];
    if !replica.ready {
        paragraphs.push(format!("State: {}.", replica.state));
    }
    for signal in &replica.signals {
        let explained = signal
            .revision
            .as_ref()
            .map_or_else(String::new, |name| format!(", which only {name} explains"));
        let last = signal.last.map_or_else(String::new, |at| {
            format!(", last {}", time::moment(app, at))
        });
        paragraphs.push(format!(
            "Log: {} ×{}{last}{explained} {}",
            signal.text,
            signal.count,
            shown::numbers(&signal.evidence)
        ));
    }
    if replica.uses.len() > 1 {
        for load in &replica.uses {
            let key = load.key.as_deref().unwrap_or("all keys");
            paragraphs.push(format!(
                "{} {key}: {} {} {}. {}",
                load.via.as_str(),
                load.loaded.as_deref().unwrap_or("?"),
                theme::live_word(load.live),
                load.grade,
                load.why
            ));
        }
    }
    let lines = paragraphs
        .iter()
        .flat_map(|text| text::wrap(text, columns))
        .map(|line| Line::from(format!(" {line}")));
    paint::lines(frame, area, lines);
}
