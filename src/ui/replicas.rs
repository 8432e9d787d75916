//! The replicas, grouped by revision: which one runs what, how that is known, and how it fares.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

use super::{paint, spark, text, theme, time};
use crate::analysis::{Incident, Replica};
use crate::app::screen::Sheet;
use crate::app::{App, shown};

/// Widths of the columns; the name takes what it needs, the signals what is left.
struct Columns {
    name: usize,
    started: usize,
    failures: usize,
    signals: usize,
}

pub(super) fn draw(
    app: &App,
    sheet: &Sheet,
    incident: &Incident,
    frame: &mut Frame<'_>,
    area: Rect,
) {
    let order = shown::replicas(incident);
    let names = names(incident, &order);
    let route = spark::worst_route(incident);
    let columns = columns(app, &order, &names, route, usize::from(area.width));
    let rows = u16::try_from(order.len()).unwrap_or(u16::MAX);
    let [head, list, rule, below] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(rows.min(area.height.saturating_sub(6).max(1))),
        Constraint::Length(1),
        Constraint::Fill(1),
    ])
    .areas(area);
    frame.render_widget(heading(&columns, route), head);
    let cursor = sheet.replica.min(order.len().saturating_sub(1));
    paint::list(frame, list, cursor, order.len(), |at| {
        match (order.get(at), names.get(at)) {
            (Some(replica), Some(name)) => row(app, replica, name, &columns, route),
            _ => Line::default(),
        }
    });
    if let Some(replica) = order.get(cursor) {
        let mut title = format!("{} / {}", replica.pod.name, replica.container);
        if let Some(node) = &replica.node {
            title.push_str(&format!(" on {node}"));
        }
        title.push_str(&paint::place("replica", cursor, order.len()));
        frame.render_widget(paint::rule(&title, rule.width), rule);
        detail(app, replica, frame, below);
    }
}

/// The pods' names, shortened; with the container where pods have several.
fn names(incident: &Incident, order: &[&Replica]) -> Vec<String> {
    let pods: Vec<&str> = order.iter().map(|r| r.pod.name.as_str()).collect();
    let several = incident
        .replicas
        .iter()
        .any(|replica| Some(&replica.container) != incident.replicas.first().map(|r| &r.container));
    text::shorten(&pods)
        .into_iter()
        .zip(order)
        .map(|(name, replica)| match several {
            true => format!("{name}/{}", replica.container),
            false => name,
        })
        .collect()
}

fn columns(
    app: &App,
    order: &[&Replica],
    names: &[String],
    route: Option<&str>,
    width: usize,
) -> Columns {
    let longest = |lengths: &mut dyn Iterator<Item = usize>, least: usize, most: usize| {
        lengths.max().unwrap_or(0).clamp(least, most)
    };
    let name = longest(&mut names.iter().map(|n| text::width(n)), 7, width * 3 / 10);
    let started = longest(
        &mut order.iter().map(|r| text::width(&started(app, r))),
        8,
        14,
    );
    let failures = longest(
        &mut order
            .iter()
            .map(|r| text::width(&spark::failures(spark::traffic(r, route)).0))
            .chain(route.map(text::width)),
        8,
        18,
    );
    // pointer, revision, live, grade, ready, restarts, and a space before each column
    let fixed = 2 + 4 + 6 + 9 + 6 + 9 + 3;
    Columns {
        name,
        started,
        failures,
        signals: width.saturating_sub(name + started + failures + fixed + 1),
    }
}

fn started(app: &App, replica: &Replica) -> String {
    replica
        .started_at
        .map_or_else(|| "-".into(), |at| time::moment(app, at))
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

fn row(
    app: &App,
    replica: &Replica,
    name: &str,
    columns: &Columns,
    route: Option<&str>,
) -> Line<'static> {
    let (failures, style) = spark::failures(spark::traffic(replica, route));
    let ready = match (replica.ready, replica.state.as_str()) {
        (true, _) => "yes".to_owned(),
        (false, "Running") => "NO".to_owned(),
        (false, state) => state.to_owned(),
    };
    let ready_style = if replica.ready {
        theme::plain()
    } else {
        theme::fail()
    };
    let revision = replica.loaded.as_deref().unwrap_or("?");
    let name = text::pad(&text::cut_middle(name, columns.name), columns.name);
    Line::from(vec![
        Span::raw(name),
        Span::styled(format!(" {} ", text::pad(revision, 3)), theme::bold()),
        Span::raw(text::pad(theme::live_word(replica.live), 5)),
        Span::raw(format!(" {} ", text::pad(replica.grade.as_str(), 8))),
        Span::raw(text::pad(&started(app, replica), columns.started)),
        Span::styled(format!(" {} ", text::pad(&ready, 5)), ready_style),
        Span::raw(format!("{:>8} ", replica.restarts)),
        Span::styled(text::pad_left(&failures, columns.failures), style),
        Span::raw(format!(
            " {}",
            text::pad(&signals(replica), columns.signals)
        )),
    ])
}

fn signals(replica: &Replica) -> String {
    let texts: Vec<&str> = replica.signals.iter().map(spark::short).collect();
    texts.join(" ")
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
