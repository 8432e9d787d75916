//! The logs of an incident's replicas in one stream: what is known of them, what tells the replicas apart, and the lines.

mod head;
mod row;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::{paint, text, theme};
use crate::app::App;
use crate::app::logs::{Asked, Logs, Pattern, Prompt};
use crate::text::harmless;
use row::Columns;

pub(super) fn draw(app: &App, logs: &Logs, frame: &mut Frame<'_>, area: Rect) {
    let head = head::lines(app, logs, usize::from(area.width));
    let rows = u16::try_from(head.len()).unwrap_or(3);
    let [top, body, bottom] = Layout::vertical([
        Constraint::Length(rows),
        Constraint::Fill(1),
        Constraint::Length(u16::from(logs.prompt.is_some())),
    ])
    .areas(area);
    paint::lines(frame, top, head);
    if logs.is_empty() {
        paint::lines(frame, body, [Line::from(format!("   {}", nothing(logs)))]);
    } else {
        lines(app, logs, frame, body);
    }
    if let Some(prompt) = &logs.prompt {
        ask(prompt, frame, bottom);
    }
}

fn nothing(logs: &Logs) -> &'static str {
    match (logs.keep(), logs.only()) {
        (Some(_), _) => "No line is kept; Esc shows all again.",
        (None, Some(_)) => "No line of this replica; Esc shows all again.",
        (None, None) => "No line was read of any replica.",
    }
}

/// The line in which a pattern is typed.
fn ask(prompt: &Prompt, frame: &mut Frame<'_>, area: Rect) {
    let sign = match prompt.what {
        Asked::Search => " / ",
        Asked::Keep => " & ",
    };
    let value = prompt.input.value();
    let pattern = Pattern::new(match prompt.what {
        Asked::Search => value,
        Asked::Keep => value.strip_prefix('!').unwrap_or(value),
    });
    let note = match pattern {
        Some(pattern) if pattern.literal => "no regular expression: taken as it stands",
        _ => "Enter takes it, Esc leaves",
    };
    let columns = usize::from(area.width);
    let room = columns.saturating_sub(text::width(sign) + text::width(note) + 3);
    let before: String = value.chars().take(prompt.input.cursor()).collect();
    let before = harmless(&before).into_owned();
    // The end that is being typed stays in sight.
    let over = text::width(&before).saturating_sub(room.saturating_sub(1));
    let shown: String = harmless(value).chars().skip(over).collect();
    frame.render_widget(
        Line::from(vec![
            Span::styled(sign, theme::accent()),
            Span::styled(text::pad(&shown, room), theme::bold()),
            Span::styled(format!("  {note}"), theme::dim()),
        ]),
        area,
    );
    let at = text::width(sign) + text::width(&before).min(room.saturating_sub(1));
    let x = area.x.saturating_add(u16::try_from(at).unwrap_or(0));
    if area.contains((x, area.y).into()) {
        frame.set_cursor_position((x, area.y));
    }
}

/// The lines around the cursor, each in one row, or in several where they are wrapped.
fn lines(app: &App, logs: &Logs, frame: &mut Frame<'_>, area: Rect) {
    let height = usize::from(area.height);
    if height == 0 {
        return;
    }
    let cursor = logs.cursor.min(logs.len().saturating_sub(1));
    let first = paint::first_row(cursor, logs.len(), height);
    let columns = Columns::new(app, logs, first..first + height, usize::from(area.width));
    let block = |at: usize| row::draw(app, logs, at, &columns, height);
    let (blocks, start) = match logs.wrap {
        false => (
            (first..logs.len().min(first + height))
                .map(|at| (at, block(at)))
                .collect(),
            0,
        ),
        true => around(cursor, logs.len(), height, block),
    };
    let rows = blocks
        .into_iter()
        .flat_map(|(at, rows)| rows.into_iter().map(move |row| (at, row)))
        .skip(start);
    for ((at, line), area) in rows.zip(area.rows()) {
        let mut line = line;
        if at == cursor {
            line = line.patch_style(theme::selected());
            frame.buffer_mut().set_style(area, theme::selected());
        }
        frame.render_widget(line, area);
    }
}

type Blocks = Vec<(usize, Vec<Line<'static>>)>;

/// Blocks of rows around the one under the cursor, and how many of their rows are above the screen.
fn around(
    cursor: usize,
    len: usize,
    height: usize,
    block: impl Fn(usize) -> Vec<Line<'static>>,
) -> (Blocks, usize) {
    let middle = block(cursor);
    let own = middle.len();
    let mut blocks = vec![(cursor, middle)];
    let mut below = own;
    for at in cursor + 1..len {
        if below >= height {
            break;
        }
        let rows = block(at);
        below += rows.len();
        blocks.push((at, rows));
    }
    // As much above as there is room for: half of the screen, or what the end leaves free.
    let wanted = (height / 2)
        .max(height.saturating_sub(below))
        .min(height.saturating_sub(own));
    let mut above = 0;
    for at in (0..cursor).rev() {
        if above >= wanted {
            break;
        }
        let rows = block(at);
        above += rows.len();
        blocks.insert(0, (at, rows));
    }
    (blocks, above.saturating_sub(wanted))
}

/// A style where a condition holds.
fn when(holds: bool, style: Style) -> Style {
    if holds { style } else { theme::plain() }
}
