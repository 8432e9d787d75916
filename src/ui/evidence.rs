//! The evidence by number: where it is from, the command that shows it, and the part that matters.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

use super::paint::Clickable;
use super::{paint, text, theme, time};
use crate::analysis::Evidence;
use crate::app::App;
use crate::app::screen::{Sheet, Tab};

pub(super) fn draw(app: &App, sheet: &Sheet, frame: &mut Frame<'_>, area: Rect) -> Clickable {
    let items = app.evidence();
    let columns = usize::from(area.width);
    if items.is_empty() {
        let none = Line::from("   No evidence is numbered for this incident.");
        paint::lines(frame, area, [none]);
        return Clickable::default();
    }
    let cursor = sheet.evidence.min(items.len() - 1);
    let rows = app.rows(Tab::Evidence).unwrap_or_default();
    let height = u16::try_from(rows.places.len().max(1)).unwrap_or(u16::MAX);
    let [list, below] = Layout::vertical([
        Constraint::Length(height.min(area.height / 2)),
        Constraint::Fill(1),
    ])
    .areas(area);
    let clickable = paint::rows(frame, list, cursor, &rows, sheet.filter(), |at| {
        items
            .get(at)
            .map_or_else(Line::default, |item| row(app, item, columns))
    });
    if let Some(item) = items.get(cursor).filter(|_| !rows.places.is_empty()) {
        let place = paint::place_in("item", cursor, &rows);
        detail(item, &place, frame, below);
    }
    clickable
}

fn row(app: &App, item: &Evidence, columns: usize) -> Line<'static> {
    let taken = time::moment(app, item.taken_at);
    let room = columns.saturating_sub(2 + 5 + text::width(&taken) + 2);
    Line::from(vec![
        Span::styled(
            text::pad_left(&format!("[{}]", item.number), 4),
            theme::bold(),
        ),
        Span::raw(" "),
        Span::raw(text::pad(&item.source, room)),
        Span::raw(" "),
        Span::styled(taken, theme::dim()),
    ])
}

fn detail(item: &Evidence, place: &str, frame: &mut Frame<'_>, area: Rect) {
    let columns = usize::from(area.width);
    let title = format!("[{}] how to see it yourself{place}", item.number);
    let mut lines = vec![paint::rule(&title, area.width)];
    lines.extend(command(&item.command, columns, 3));
    for line in item.excerpt.lines() {
        for part in text::wrap_kept(line, columns.saturating_sub(3)) {
            lines.push(Line::from(format!("   {part}")));
        }
    }
    let height = usize::from(area.height);
    if lines.len() > height && height > 1 {
        lines.truncate(height - 1);
        lines.push(Line::styled(
            "   … the command shows the rest",
            theme::dim(),
        ));
    }
    paint::lines(frame, area, lines);
}

/// A command line as it can be typed, wrapped to at most `rows`.
pub(super) fn command(command: &str, columns: usize, rows: usize) -> Vec<Line<'static>> {
    let room = columns.saturating_sub(5);
    let mut lines: Vec<String> = command
        .lines()
        .flat_map(|line| text::wrap_kept(line, room))
        .collect();
    if lines.len() > rows {
        lines.truncate(rows.max(1));
        if let Some(last) = lines.last_mut() {
            *last = text::cut(&format!("{last} … y copies all of it"), room);
        }
    }
    lines
        .into_iter()
        .enumerate()
        .map(|(at, line)| {
            let sign = if at == 0 { " $ " } else { "   " };
            Line::from(vec![
                Span::styled(sign, theme::accent()),
                Span::styled(line, theme::bold()),
            ])
        })
        .collect()
}
