//! The first screen: every incident, worst first, and the selected one's sentence below.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::{paint, text, theme, time};
use crate::analysis::{Grade, Incident};
use crate::app::{App, Reading, shown};
use crate::source::Progress;

const CODE: usize = 17;
const SPLIT: usize = 12;
const AGE: usize = 10;
const FAILING: usize = 16;

pub(super) fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    match (app.diagnosis(), &app.reading) {
        (None, Reading::Failed(error)) => failed(error, frame, area),
        (None, Reading::Running(progress)) => loading(progress, frame, area),
        (Some(_), _) if !app.incidents().is_empty() => list(app, frame, area),
        (Some(_), Reading::Running(progress)) => loading(progress, frame, area),
        (_, _) => nothing(app, frame, area),
    }
}

fn list(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let incidents = app.incidents();
    let rows = u16::try_from(incidents.len()).unwrap_or(u16::MAX);
    let [head, rows, rule, below] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(rows.min(area.height.saturating_sub(11))),
        Constraint::Length(1),
        Constraint::Fill(1),
    ])
    .areas(area);
    let columns = usize::from(area.width);
    frame.render_widget(heading(columns), head);
    paint::list(frame, rows, app.triage, incidents.len(), |at| {
        incidents
            .get(at)
            .map_or_else(Line::default, |incident| row(app, incident, columns))
    });
    if let Some((incident, _)) = app.incident() {
        let title = format!(
            "{} → {}{}",
            incident.config,
            incident.workload,
            paint::place("incident", app.triage, incidents.len())
        );
        frame.render_widget(paint::rule(&title, rule.width), rule);
        selected(incident, frame, below);
    }
}

/// The columns that the failures get: none on a narrow screen, where the names need them and the text below tells.
fn failing_columns(columns: usize) -> usize {
    if columns < 100 { 0 } else { FAILING + 1 }
}

/// The columns that config and workload get.
fn flexible(columns: usize) -> usize {
    columns.saturating_sub(2 + CODE + SPLIT + AGE + 3 + failing_columns(columns))
}

fn heading(columns: usize) -> Line<'static> {
    let text = format!(
        "  {} {} {} {}{}",
        text::pad("CAUSE", CODE),
        text::pad("CONFIG → WORKLOAD", flexible(columns)),
        text::pad("REPLICAS", SPLIT),
        text::pad_left("EDITED", AGE),
        text::pad_left("FAILING", failing_columns(columns)),
    );
    Line::styled(text, theme::dim())
}

fn row(app: &App, incident: &Incident, columns: usize) -> Line<'static> {
    let code = incident.findings.first().map_or("?", |f| f.code.as_str());
    let target = format!(
        "{}/{} → {}/{}",
        short_kind(incident.config.kind.as_str()),
        incident.config.name,
        short_kind(&incident.workload.kind),
        incident.workload.name
    );
    let target = match app.options.scope.namespace {
        Some(_) => target,
        None => format!("{} {target}", incident.config.namespace),
    };
    let split = shown::split(incident)
        .into_iter()
        .map(|(name, count)| format!("{count} {name}"))
        .collect::<Vec<_>>()
        .join(" | ");
    let (failing, style) = failing(incident);
    Line::from(vec![
        Span::styled(text::pad(code, CODE), theme::bold()),
        Span::raw(" "),
        Span::raw(text::pad(
            &text::cut_middle(&target, flexible(columns)),
            flexible(columns),
        )),
        Span::raw(" "),
        Span::styled(text::pad(&split, SPLIT), theme::bold()),
        Span::raw(" "),
        Span::raw(text::pad_left(&age(app, incident), AGE)),
        Span::styled(text::pad_left(&failing, failing_columns(columns)), style),
    ])
}

/// As kubectl abbreviates the kinds that it abbreviates.
fn short_kind(kind: &str) -> &str {
    match kind {
        "ConfigMap" => "cm",
        "Secret" => "secret",
        "Deployment" => "deploy",
        "StatefulSet" => "sts",
        "DaemonSet" => "ds",
        "ReplicaSet" => "rs",
        "Job" => "job",
        "Pod" => "pod",
        other => other,
    }
}

fn age(app: &App, incident: &Incident) -> String {
    let live = incident.revisions.iter().find(|revision| revision.live);
    match live.and_then(|live| live.from.latest.or(live.from.earliest)) {
        Some(at) => time::ago(app, at),
        None => "unknown".into(),
    }
}

/// Requests that failed within the impact's window, over all replicas and routes.
fn failing(incident: &Incident) -> (String, Style) {
    let traffic = || incident.replicas.iter().flat_map(|r| &r.traffic);
    let total: usize = traffic().map(|t| t.total).sum();
    let failed: usize = traffic().map(|t| t.failed).sum();
    match (failed, total) {
        (_, 0) => ("not known".into(), theme::plain()),
        (0, total) => (format!("0 of {total}"), theme::plain()),
        (failed, total) => (format!("{failed} of {total} FAIL"), theme::fail()),
    }
}

fn selected(incident: &Incident, frame: &mut Frame<'_>, area: Rect) {
    let columns = usize::from(area.width).saturating_sub(2);
    let cause = incident.findings.first().map_or("", |f| &f.sentence);
    let mut lines: Vec<Line<'_>> = text::wrap(cause, columns)
        .into_iter()
        .map(|line| Line::styled(format!(" {line}"), theme::bold()))
        .collect();
    let impact = shown::impact(incident);
    lines.extend(
        text::wrap(&impact, columns)
            .into_iter()
            .map(|line| Line::from(format!(" {line}"))),
    );
    paint::lines(frame, area, lines);
}

fn loading(progress: &[Progress], frame: &mut Frame<'_>, area: Rect) {
    let mut lines = vec![
        Line::default(),
        Line::styled(" Reading the cluster…", theme::bold()),
        Line::default(),
    ];
    lines.extend(progress.iter().map(|step| match step {
        Progress::Listed { resource, count } => Line::from(format!(" {count:>7}  {resource}")),
        Progress::Failed { resource } => {
            Line::styled(format!("  FAILED  {resource}"), theme::fail())
        }
        Progress::Answered { done, of } => {
            Line::from(format!(" {done:>7}  of {of} logs and earlier versions"))
        }
    }));
    paint::lines(frame, area, lines);
}

fn failed(error: &crate::source::SourceError, frame: &mut Frame<'_>, area: Rect) {
    let columns = usize::from(area.width).saturating_sub(2);
    let mut lines = vec![
        Line::default(),
        Line::styled(" Nothing could be read.", theme::fail()),
        Line::default(),
    ];
    let hint = error.hint.as_deref().unwrap_or("");
    for paragraph in [error.message.as_str(), hint, "R reads again, q quits."] {
        let wrapped = text::wrap(paragraph, columns);
        lines.extend(
            wrapped
                .into_iter()
                .map(|line| Line::from(format!(" {line}"))),
        );
    }
    paint::lines(frame, area, lines);
}

fn nothing(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let columns = usize::from(area.width).saturating_sub(2);
    let indented = |line: String| Line::from(format!(" {line}"));
    let mut lines = vec![Line::default()];
    if let Some(diagnosis) = app.diagnosis() {
        let verdict = text::wrap(&diagnosis.verdict, columns);
        lines.extend(
            verdict
                .into_iter()
                .map(|line| indented(line).style(theme::bold())),
        );
        lines.push(Line::default());
        lines.push(indented(counts(&diagnosis.counts)));
        lines.push(Line::default());
        lines.push(Line::styled(" NOT CHECKED", theme::accent()));
        if diagnosis.not_checked.is_empty() {
            lines.push(indented("Nothing was left out.".into()));
        }
        for gap in &diagnosis.not_checked {
            let text = format!("{}: {}", gap.what, gap.why);
            lines.extend(text::wrap(&text, columns).into_iter().map(indented));
        }
    }
    if lines.len() > usize::from(area.height) {
        lines.truncate(usize::from(area.height).saturating_sub(1));
        lines.push(Line::styled(" … more: w", theme::dim()));
    }
    paint::lines(frame, area, lines);
}

fn counts(counts: &std::collections::BTreeMap<Grade, usize>) -> String {
    let parts: Vec<String> = counts
        .iter()
        .map(|(grade, count)| format!("{count} {grade}"))
        .collect();
    if parts.is_empty() {
        "No replica in scope uses a config.".into()
    } else {
        format!(
            "What each replica loaded is known so: {}.",
            parts.join(", ")
        )
    }
}
