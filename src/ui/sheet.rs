//! One incident: its title, the summary, the tabs, and the tab that is open.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

use super::paint::Clickable;
use super::{diff, evidence, logs, plan, replicas, summary, text, theme, timeline};
use crate::app::screen::{Sheet, Tab};
use crate::app::{App, Hit};

/// Rows that the open tab keeps at least.
const BODY: u16 = 9;

pub(super) fn draw(app: &App, sheet: &Sheet, frame: &mut Frame<'_>, area: Rect) -> Clickable {
    let Some((incident, plans)) = app.incident() else {
        return Clickable::default();
    };
    let [title_row, below] =
        Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
    title(app, sheet, frame, title_row);
    if sheet.tab == Tab::Logs && sheet.logs.full {
        let [tabs_row, body] =
            Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(below);
        logs::draw(app, &sheet.logs, frame, body);
        return tabs(sheet.tab, frame, tabs_row);
    }
    let room = Rect {
        height: below.height.saturating_sub(BODY + 1),
        ..below
    };
    let used = summary::draw(incident, plans, frame, room);
    // On a high screen, a free line before the tabs.
    let gap = u16::from(room.height > used + 1);
    let [_, tabs_row, body] = Layout::vertical([
        Constraint::Length(used + gap),
        Constraint::Length(1),
        Constraint::Fill(1),
    ])
    .areas(below);
    let mut clickable = tabs(sheet.tab, frame, tabs_row);
    let rows = match sheet.tab {
        Tab::Timeline => timeline::draw(app, sheet, incident, frame, body),
        Tab::Replicas => replicas::draw(app, sheet, frame, body),
        Tab::Diff => {
            diff::draw(app, sheet, incident, frame, body);
            Clickable::default()
        }
        Tab::Logs => {
            logs::draw(app, &sheet.logs, frame, body);
            Clickable::default()
        }
        Tab::Evidence => evidence::draw(app, sheet, frame, body),
        Tab::Plan => {
            let rows = app.rows(Tab::Plan).unwrap_or_default();
            plan::draw(sheet, plans, &rows, frame, body)
        }
    };
    clickable.join(rows);
    clickable
}

fn title(app: &App, sheet: &Sheet, frame: &mut Frame<'_>, area: Rect) {
    let columns = usize::from(area.width);
    let code = app
        .incident()
        .and_then(|(incident, _)| Some(incident.findings.first()?.code.as_str()))
        .unwrap_or("");
    let of = app.incidents().len();
    let mut right = code.to_owned();
    if of > 1 {
        right.push_str(&format!("  {} of {of} incidents", sheet.index + 1));
    }
    right.push(' ');
    let mut left = format!(" {} → {}", sheet.config, sheet.workload);
    if app.options.scope.namespace.is_none() {
        left = format!(" {}: {}", sheet.workload.namespace, left.trim_start());
    }
    let room = columns.saturating_sub(text::width(&right) + 1);
    let line = Line::from(vec![
        Span::styled(text::pad(&left, room), theme::bold()),
        Span::raw(" "),
        Span::styled(right, theme::bold()),
    ]);
    frame.render_widget(line, area);
}

fn tabs(open: Tab, frame: &mut Frame<'_>, area: Rect) -> Clickable {
    let mut clickable = Clickable::default();
    let mut spans = vec![Span::raw(" ")];
    let mut x = area.x + 1;
    for (at, tab) in Tab::ALL.into_iter().enumerate() {
        let style = if tab == open {
            theme::accent().patch(theme::selected())
        } else {
            theme::plain()
        };
        // Brackets too, for those who see neither colour nor reverse.
        let label = if tab == open {
            format!("[{} {}]", at + 1, tab.title())
        } else {
            format!(" {} {} ", at + 1, tab.title())
        };
        let width = u16::try_from(label.len()).unwrap_or(0);
        let at = Rect { x, width, ..area };
        clickable.add(at.intersection(area), Hit::Tab(tab));
        x = x.saturating_add(width);
        spans.push(Span::styled(label, style));
    }
    frame.render_widget(Line::from(spans), area);
    clickable
}
