//! The last line: what just happened, what failed, or the keys.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{text, theme};
use crate::app::{App, Reading, keymap};

pub(super) fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let columns = usize::from(area.width).saturating_sub(1);
    let line = match (&app.notice, &app.reading) {
        (Some(notice), _) => {
            Line::styled(format!(" {}", text::cut(notice, columns)), theme::accent())
        }
        (None, Reading::Failed(error)) if app.diagnosis().is_some() => {
            let message = format!("{} R reads again.", error.message);
            Line::styled(format!(" {}", text::cut(&message, columns)), theme::fail())
        }
        // What is typed means nothing else.
        _ if app.is_typing() => Line::default(),
        _ => keys(app, columns),
    };
    frame.render_widget(line, area);
}

fn keys(app: &App, columns: usize) -> Line<'static> {
    let mut spans = vec![Span::raw(" ")];
    let mut used = 0;
    for binding in keymap::bindings(app.context()).filter(|b| !b.footer.is_empty()) {
        let key = binding.key();
        let item = text::width(&key) + binding.footer.len() + 3;
        if used + item > columns {
            break;
        }
        used += item;
        spans.push(Span::styled(key, theme::bold()));
        spans.push(Span::styled(format!(" {}  ", binding.footer), theme::dim()));
    }
    Line::from(spans)
}
