//! Putting lines on the screen, and lists with a cursor, which tell what a click on them meets.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{text, theme};
use crate::app::Hit;
use crate::app::filter::Filter;
use crate::app::lists::Rows;

/// What can be clicked on a screen as it was drawn.
#[derive(Debug, Clone, Default)]
pub struct Clickable(Vec<(Rect, Hit)>);

impl Clickable {
    pub(super) fn add(&mut self, area: Rect, hit: Hit) {
        self.0.push((area, hit));
    }

    pub(super) fn join(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// What lies there.
    pub fn at(&self, column: u16, row: u16) -> Option<Hit> {
        let meets = |area: &Rect| area.contains((column, row).into());
        let found = self.0.iter().find(|(area, _)| meets(area));
        found.map(|(_, hit)| *hit)
    }
}

/// Draws lines from the top of an area; those that do not fit are not drawn.
pub(super) fn lines<'a>(
    frame: &mut Frame<'_>,
    area: Rect,
    lines: impl IntoIterator<Item = Line<'a>>,
) {
    for (row, line) in area.rows().zip(lines) {
        frame.render_widget(line, row);
    }
}

/// A list of one-line rows around its cursor.
pub(super) fn list<'a>(
    frame: &mut Frame<'_>,
    area: Rect,
    cursor: usize,
    len: usize,
    row: impl Fn(usize) -> Line<'a>,
) {
    let height = usize::from(area.height);
    let first = first_row(cursor, len, height);
    for (at, area) in (first..len).zip(area.rows()) {
        let mut line = row(at);
        line.spans.insert(0, pointer(at == cursor));
        if at == cursor {
            line = line.patch_style(theme::selected());
            frame.buffer_mut().set_style(area, theme::selected());
        }
        frame.render_widget(line, area);
    }
}

/// The rows of a list that its filter left, around the cursor; what the filter found is underlined.
pub(super) fn rows<'a>(
    frame: &mut Frame<'_>,
    area: Rect,
    cursor: usize,
    rows: &Rows,
    filter: &Filter,
    line: impl Fn(usize) -> Line<'a>,
) -> Clickable {
    let mut clickable = Clickable::default();
    if rows.places.is_empty() && rows.of > 0 {
        let text = text::cut(filter.text(), 30);
        let none = format!("   Nothing here has `{text}`; Esc takes the filter away.");
        lines(frame, area, [Line::from(none)]);
        return clickable;
    }
    let cursor = rows.row(cursor).unwrap_or(0);
    let len = rows.places.len();
    list(frame, area, cursor, len, |at| {
        rows.places
            .get(at)
            .map_or_else(Line::default, |place| line(*place))
    });
    let first = first_row(cursor, len, usize::from(area.height));
    for (place, row) in rows.places.iter().skip(first).zip(area.rows()) {
        clickable.add(row, Hit::Row(*place));
    }
    underline(frame, area, filter);
    clickable
}

/// Underlines what the filter found in the rows of an area.
pub(super) fn underline(frame: &mut Frame<'_>, area: Rect, filter: &Filter) {
    if filter.is_empty() {
        return;
    }
    for row in area.rows() {
        let mut text = String::new();
        let mut begins = Vec::new();
        for at in row.columns() {
            if let Some(cell) = frame.buffer_mut().cell(at.as_position()) {
                begins.push((text.len(), at));
                text.push_str(cell.symbol());
            }
        }
        for range in filter.found(&text) {
            for (_, at) in begins.iter().filter(|(begin, _)| range.contains(begin)) {
                frame.buffer_mut().set_style(*at, theme::found());
            }
        }
    }
}

/// `   entry 2 of 3 found, 12 in all`; without a filter as [`place`].
pub(super) fn place_in(noun: &str, cursor: usize, rows: &Rows) -> String {
    let row = rows.row(cursor).unwrap_or(0);
    let len = rows.places.len();
    if len == rows.of {
        return place(noun, row, len);
    }
    format!("   {noun} {} of {len} found, {} in all", row + 1, rows.of)
}

/// `   entry 3 of 7`, for the title beside a list; nothing where there is only one.
pub(super) fn place(noun: &str, cursor: usize, len: usize) -> String {
    match len {
        0 | 1 => String::new(),
        len => format!("   {noun} {} of {len}", cursor + 1),
    }
}

/// Something small at the right end of an area's last row.
pub(super) fn corner(frame: &mut Frame<'_>, area: Rect, note: &str) {
    let note = text::cut(note, usize::from(area.width));
    let columns = u16::try_from(text::width(&note)).unwrap_or(area.width);
    let at = Rect {
        x: area.right().saturating_sub(columns),
        y: area.bottom().saturating_sub(1),
        width: columns,
        height: 1,
    };
    frame.render_widget(Span::styled(note, theme::dim()), at);
}

/// The first row on screen that keeps the cursor in its middle where the ends allow.
pub(super) fn first_row(cursor: usize, len: usize, height: usize) -> usize {
    cursor
        .saturating_sub(height / 2)
        .min(len.saturating_sub(height))
}

fn pointer(selected: bool) -> Span<'static> {
    Span::raw(if selected { "> " } else { "  " })
}

/// A thin line with a title in it, between two parts of a screen.
pub(super) fn rule(title: &str, width: u16) -> Line<'static> {
    let title = text::cut(title, usize::from(width).saturating_sub(4));
    let rest = usize::from(width).saturating_sub(text::width(&title) + 3);
    Line::from(vec![
        Span::styled("─ ", theme::dim()),
        Span::styled(title, theme::bold()),
        Span::styled(format!(" {}", "─".repeat(rest)), theme::dim()),
    ])
}
