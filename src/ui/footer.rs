//! The last line: what is typed, what just happened, what failed, or the filter and the keys.

use std::rc::Rc;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::{text, theme};
use crate::app::keymap::{self, Binding, Command};
use crate::app::lists::Rows;
use crate::app::prompt::{Asking, Prompt};
use crate::app::{App, Reading};

pub(super) fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let columns = usize::from(area.width).saturating_sub(1);
    let line = match (&app.prompt, &app.notice, &app.reading) {
        (Some(prompt), _, _) => return typing(app, prompt, frame, area),
        (None, Some(notice), _) => {
            Line::styled(format!(" {}", text::cut(notice, columns)), theme::accent())
        }
        (None, None, Reading::Failed(error)) if app.diagnosis().is_some() => {
            let message = format!("{} R reads again, ! logs in.", error.message);
            Line::styled(format!(" {}", text::cut(&message, columns)), theme::fail())
        }
        // What is typed means nothing else.
        _ if app.is_typing() => Line::default(),
        _ => keys(app, columns),
    };
    frame.render_widget(line, area);
}

/// The line that is typed, with the cursor in it, and what it comes to.
fn typing(app: &App, prompt: &Prompt, frame: &mut Frame<'_>, area: Rect) {
    let columns = usize::from(area.width);
    let (sign, aside) = match prompt.asking {
        Asking::Filter => ('/', found(app)),
        Asking::Command => (':', String::new()),
        Asking::Confirm => (
            '>',
            format!(
                "type {} to agree; Esc cancels",
                app.wanted_words().unwrap_or_default()
            ),
        ),
    };
    let aside = text::cut(&aside, columns * 2 / 3);
    let room = columns.saturating_sub(text::width(&aside) + 5).max(1);
    // The part of the line around its cursor.
    let (before, column) = (prompt.before_cursor(), prompt.column());
    let skipped = text::skip(before, column.saturating_sub(room.saturating_sub(1)));
    let shown = text::pad(&prompt.text()[skipped..], room);
    let at = text::width(&before[skipped..]);
    let line = Line::from(vec![
        Span::styled(format!(" {sign}"), theme::accent()),
        Span::raw(shown),
        Span::raw("  "),
        Span::styled(aside, theme::bold()),
    ]);
    frame.render_widget(line, area);
    let cursor = u16::try_from(2 + at).unwrap_or(u16::MAX);
    let x = area
        .x
        .saturating_add(cursor)
        .min(area.right().saturating_sub(1));
    frame.set_cursor_position(Position { x, y: area.y });
}

/// `3 of 12 entries`, and how the filter is taken.
fn found(app: &App) -> String {
    let count = count(app.top().as_ref());
    match app.filter().note() {
        Some(note) => format!("{count}; {note}"),
        None => format!("{count}, Enter keeps, Esc clears"),
    }
}

fn count(top: Option<&(Rc<Rows>, &str)>) -> String {
    top.map_or_else(String::new, |(rows, noun)| {
        format!("{} of {} {noun}", rows.places.len(), rows.of)
    })
}

fn keys(app: &App, columns: usize) -> Line<'static> {
    let mut spans = vec![Span::raw(" ")];
    let mut room = columns;
    let top = app.top();
    if !app.filter().is_empty() {
        let typed = text::cut(app.filter().text(), 20);
        let filter = format!("/{typed}  {}, Esc clears  ", count(top.as_ref()));
        room = room.saturating_sub(text::width(&filter));
        spans.push(Span::styled(filter, theme::accent()));
    }
    // The way out and the way to all other keys are always there, at the end.
    let last = |binding: &&Binding| matches!(binding.command, Command::Help | Command::Quit);
    let rows = top.as_ref().map(|(rows, _)| &**rows);
    let offered = || {
        keymap::bindings(app.context())
            .filter(|binding| !binding.footer.is_empty() && app.offers(binding.command, rows))
    };
    let kept: Vec<_> = offered().filter(last).collect();
    room = room.saturating_sub(kept.iter().map(|binding| columns_of(binding)).sum());
    for binding in offered().filter(|binding| !last(binding)) {
        let Some(left) = room.checked_sub(columns_of(binding)) else {
            break;
        };
        room = left;
        push(&mut spans, binding);
    }
    for binding in kept {
        push(&mut spans, binding);
    }
    Line::from(spans)
}

fn columns_of(binding: &Binding) -> usize {
    text::width(&binding.key()) + binding.footer.len() + 3
}

fn push(spans: &mut Vec<Span<'static>>, binding: &'static Binding) {
    spans.push(Span::styled(binding.key(), theme::bold()));
    spans.push(Span::styled(format!(" {}  ", binding.footer), theme::dim()));
}
