//! The plans: the recommended one first, its steps in order, and the selected step's command.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

use super::paint::Clickable;
use super::{evidence, paint, text, theme};
use crate::app::lists::Rows;
use crate::app::screen::Sheet;
use crate::app::shown;
use crate::remedy::{Plan, Step};

pub(super) fn draw(
    sheet: &Sheet,
    plans: &[Plan],
    rows: &Rows,
    frame: &mut Frame<'_>,
    area: Rect,
) -> Clickable {
    let columns = usize::from(area.width);
    let steps = shown::steps(plans);
    if steps.is_empty() {
        without_steps(plans, frame, area);
        return Clickable::default();
    }
    let cursor = sheet.step.min(steps.len() - 1);
    let height = u16::try_from(rows.places.len().max(1)).unwrap_or(u16::MAX);
    let [list, below] = Layout::vertical([
        Constraint::Length(height.min(area.height.saturating_sub(5).max(2))),
        Constraint::Fill(1),
    ])
    .areas(area);
    let kinds = steps
        .iter()
        .map(|(plan, _, _)| plan.kind.as_str().len())
        .max()
        .unwrap_or(0);
    let clickable = paint::rows(frame, list, cursor, rows, sheet.filter(), |at| {
        let Some(step) = steps.get(at) else {
            return Line::default();
        };
        // The plan's name stands where its steps begin on screen.
        let begins = rows
            .row(at)
            .and_then(|row| row.checked_sub(1))
            .is_none_or(|above| {
                let above = rows.places.get(above).and_then(|at| steps.get(*at));
                above.is_none_or(|(plan, _, _)| plan.kind != step.0.kind)
            });
        row(*step, begins, kinds, columns)
    });
    if let Some(step) = steps.get(cursor).filter(|_| !rows.places.is_empty()) {
        detail(*step, kinds, frame, below);
    }
    clickable
}

fn row(
    (plan, number, step): (&Plan, usize, &Step),
    begins: bool,
    kinds: usize,
    columns: usize,
) -> Line<'static> {
    let kind = if begins { plan.kind.as_str() } else { "" };
    let mark = if begins && plan.recommended { "*" } else { " " };
    let style = if plan.recommended {
        theme::bold()
    } else {
        theme::plain()
    };
    Line::from(vec![
        Span::styled(format!("{mark}{}", text::pad(kind, kinds)), theme::accent()),
        Span::styled(format!(" {number:>2}. "), style),
        Span::styled(
            text::cut(&step.what, columns.saturating_sub(kinds + 8)),
            style,
        ),
    ])
}

/// The selected step in full: what, the command, and why this plan.
fn detail(
    (plan, number, step): (&Plan, usize, &Step),
    kinds: usize,
    frame: &mut Frame<'_>,
    area: Rect,
) {
    let columns = usize::from(area.width);
    let title = format!(
        "{}, step {number} of {}",
        shown::plan_title(plan),
        plan.steps.len()
    );
    let mut lines = vec![paint::rule(&title, area.width)];
    if text::width(&step.what) > columns.saturating_sub(kinds + 8) {
        let what = text::wrap(&step.what, columns.saturating_sub(2));
        lines.extend(what.into_iter().map(|line| Line::from(format!(" {line}"))));
    }
    let left = usize::from(area.height)
        .saturating_sub(lines.len() + 1)
        .max(1);
    lines.extend(evidence::command(&step.command, columns, left));
    let why = text::wrap(&plan.why, columns.saturating_sub(2));
    lines.extend(
        why.into_iter()
            .map(|line| Line::styled(format!(" {line}"), theme::dim())),
    );
    paint::lines(frame, area, lines);
}

fn without_steps(plans: &[Plan], frame: &mut Frame<'_>, area: Rect) {
    let columns = usize::from(area.width).saturating_sub(3);
    let mut lines = Vec::new();
    if plans.is_empty() {
        lines.push(Line::from("   There is no plan for this."));
    }
    for plan in plans {
        lines.push(Line::styled(
            format!("   {}", shown::plan_title(plan)),
            theme::bold(),
        ));
        let why = text::wrap(&plan.why, columns);
        lines.extend(why.into_iter().map(|line| Line::from(format!("   {line}"))));
    }
    paint::lines(frame, area, lines);
}

#[cfg(test)]
mod tests;
