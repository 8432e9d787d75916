//! Putting lines on the screen, and lists with a cursor.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{text, theme};

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
