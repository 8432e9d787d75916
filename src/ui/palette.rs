//! The commands that could be meant, in a list right above the line in which they are typed.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Clear;

use super::{paint, text, theme};
use crate::app::App;
use crate::app::palette::{self, Candidate};
use crate::app::prompt::Prompt;

/// Rows of the list at most.
const ROWS: usize = 10;
/// Columns of a name, and of keys.
const NAME: usize = 16;
const KEYS: usize = 18;

pub(super) fn draw(app: &App, prompt: &Prompt, frame: &mut Frame<'_>, area: Rect) {
    let found = palette::candidates(app, prompt.text());
    let rows = found.len().min(ROWS).min(usize::from(area.height) / 2);
    let height = u16::try_from(rows + 1).unwrap_or(1).min(area.height);
    let area = Rect {
        y: area.bottom().saturating_sub(height),
        height,
        ..area
    };
    frame.render_widget(Clear, area);
    let columns = usize::from(area.width);
    let title = match found.len() {
        0 => "No such command".to_owned(),
        n if n > rows => format!("Commands   {rows} of {n}: type on, or choose with the arrows"),
        _ => "Commands   Enter runs, Tab completes, Esc closes".to_owned(),
    };
    // What is wrong stands where the eye is, and has more room than beside the line.
    let title = prompt
        .note
        .as_ref()
        .map_or(title, |note| format!("Not run: {note}"));
    frame.render_widget(paint::rule(&title, area.width), area);
    let list = Rect {
        y: area.y + 1,
        height: height.saturating_sub(1),
        ..area
    };
    // What Enter takes is marked from the start.
    let chosen = prompt.choice.unwrap_or(0);
    paint::list(frame, list, chosen, found.len(), |at| {
        found
            .get(at)
            .map_or_else(Line::default, |candidate| row(candidate, columns))
    });
}

/// A name with its explanation, or an explanation with its keys.
fn row(candidate: &Candidate, columns: usize) -> Line<'static> {
    let label = if candidate.named {
        NAME
    } else {
        columns.saturating_sub(KEYS + 3)
    };
    let aside = columns.saturating_sub(label + 3);
    Line::from(vec![
        Span::styled(text::pad(&candidate.label, label), theme::bold()),
        Span::raw(" "),
        Span::raw(text::cut(&candidate.aside, aside)),
    ])
}
