//! The first screen: every incident, in the order that was chosen, and the selected one's sentence below.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

use super::paint::Clickable;
use super::{paint, spark, text, theme};
use crate::analysis::{Grade, Incident};
use crate::app::rows::TriageRow;
use crate::app::triage::{self, Listed};
use crate::app::{App, Reading, shown};
use crate::model::Facts;
use crate::source::Progress;

const CODE: usize = 17;
const SPLIT: usize = 12;
const FAILING: usize = 16;

pub(super) fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) -> Clickable {
    match (app.diagnosis(), &app.reading) {
        (None, Reading::Failed(error)) => failed(error, frame, area),
        (None, Reading::Running(progress)) => loading(progress, frame, area),
        (Some(_), _) if app.listed_count() > 0 => return list(app, frame, area),
        (Some(_), Reading::Running(progress)) => loading(progress, frame, area),
        (_, _) => nothing(app, frame, area),
    }
    Clickable::default()
}

fn list(app: &App, frame: &mut Frame<'_>, area: Rect) -> Clickable {
    let rows = app.triage_rows();
    let height = u16::try_from(rows.places.len().max(1)).unwrap_or(u16::MAX);
    let [order, head, list, rule, below] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Length(height.min(area.height.saturating_sub(12))),
        Constraint::Length(1),
        Constraint::Fill(1),
    ])
    .areas(area);
    let columns = usize::from(area.width);
    frame.render_widget(ordered(app), order);
    frame.render_widget(heading(columns), head);
    let clickable = paint::rows(frame, list, app.triage, &rows, app.filter(), |at| {
        app.listed_at(at).map_or_else(Line::default, |listed| {
            row(&TriageRow::of(app, listed), columns)
        })
    });
    let shown = app.listed_at(app.triage);
    if let Some(listed) = shown.filter(|_| !rows.places.is_empty()) {
        let title = format!(
            "{} → {}{}",
            listed.config(),
            listed.workload(),
            paint::place_in(app.triage_noun(), app.triage, &rows)
        );
        frame.render_widget(paint::rule(&title, rule.width), rule);
        match listed {
            Listed::Incident(incident) => selected(incident, frame, below),
            Listed::Suspect(suspect) => {
                let [sentence, rest] =
                    Layout::vertical([Constraint::Length(4), Constraint::Fill(1)]).areas(below);
                let columns = usize::from(sentence.width).saturating_sub(2);
                let text = text::wrap(&triage::sentence(app, suspect), columns);
                let lines = text.into_iter().map(|line| Line::from(format!(" {line}")));
                paint::lines(frame, sentence, lines);
                if app.incidents().is_empty() {
                    nothing(app, frame, rest);
                }
            }
        }
    }
    clickable
}

/// `7 incidents, worst first`.
fn ordered(app: &App) -> Line<'static> {
    let counted = |number: usize, noun: &str| match number {
        1 => format!("1 {noun}"),
        number => format!("{number} {noun}s"),
    };
    let incidents = counted(app.incidents().len(), "incident");
    let mut text = match app.suspects().len() {
        0 => format!(" {incidents}"),
        suspects => format!(" {incidents}, {}", counted(suspects, "suspect")),
    };
    if app.listed_count() > 1 {
        text.push_str(&format!(", {}", app.sort.words()));
    }
    Line::styled(text, theme::bold())
}

/// The columns that the failures get: none on a narrow screen, where the names need them and the text below tells.
fn failing_columns(columns: usize) -> usize {
    if columns < 100 { 0 } else { FAILING + 1 }
}

/// The columns that the age gets: on a narrow screen without its "ago".
fn age_columns(columns: usize) -> usize {
    if columns < 100 { 10 } else { 14 }
}

/// The columns that config and workload get.
fn flexible(columns: usize) -> usize {
    columns.saturating_sub(2 + CODE + SPLIT + age_columns(columns) + 3 + failing_columns(columns))
}

fn heading(columns: usize) -> Line<'static> {
    let text = format!(
        "  {} {} {} {}{}",
        text::pad("CAUSE", CODE),
        text::pad("CONFIG → WORKLOAD", flexible(columns)),
        text::pad("REPLICAS", SPLIT),
        text::pad_left("LAST EDIT", age_columns(columns)),
        text::pad_left("FAILING", failing_columns(columns)),
    );
    Line::styled(text, theme::dim())
}

fn row(row: &TriageRow, columns: usize) -> Line<'static> {
    let age = match columns {
        ..100 => row.age.strip_suffix(" ago").unwrap_or(&row.age),
        _ => &row.age,
    };
    Line::from(vec![
        Span::styled(text::pad(row.code, CODE), theme::bold()),
        Span::raw(" "),
        Span::raw(text::pad(
            &text::cut_middle(&row.target, flexible(columns)),
            flexible(columns),
        )),
        Span::raw(" "),
        Span::styled(text::pad(&row.split, SPLIT), theme::bold()),
        Span::raw(" "),
        Span::raw(text::pad_left(age, age_columns(columns))),
        Span::styled(
            text::pad_left(&row.failing.text, failing_columns(columns)),
            spark::style(&row.failing),
        ),
    ])
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
    for paragraph in [
        error.message.as_str(),
        hint,
        "R reads again, ! goes to a shell or the login command, q quits.",
    ] {
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
        // Where they could not be listed, the verdict says so.
        if !(diagnosis.counts.is_empty() && lacks_a_list(app.facts())) {
            lines.push(indented(counts(&diagnosis.counts)));
            lines.push(Line::default());
        }
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

/// Whether the replicas or their configs could not be listed.
fn lacks_a_list(facts: &Facts) -> bool {
    let mut gaps = facts.parts.iter().flat_map(|part| &part.gaps);
    gaps.any(|gap| {
        gap.verb == "list"
            && gap.name.is_none()
            && matches!(gap.resource.as_str(), "pods" | "configmaps")
    })
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
