//! Draws the state. Every file is one region of the screen; all of them read, none of them changes anything.
//!
//! ```text
//! ┌ header ──────────────────────────────────────────────────┐  program, scope, how fresh, context, mode, zone
//! │ title ─ config → workload, cause code                     │  ┐
//! │ summary ─ CAUSE, ALSO, IMPACT, NEXT                       │  │
//! │ tabs ─ 1 Timeline 2 Replicas 3 Diff 4 Logs 5 Evidence … │  │ sheet (or triage: list and the selected one's text)
//! │ body ─ timeline | replicas | diff | logs | evidence | plan│  │
//! │                                                           │  ┘
//! └ footer ─ a notice, or the keys ───────────────────────────┘
//! ```
//!
//! Help and the longer texts lie over all of it (`overlay`).

mod diff;
mod evidence;
mod footer;
mod header;
mod logs;
mod object;
mod overlay;
mod paint;
mod palette;
mod plan;
mod remedy;
mod replicas;
mod sheet;
mod spark;
mod summary;
mod text;
mod theme;
mod timeline;
mod triage;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout};

use crate::app::prompt::Asking;
use crate::app::screen::Screen;
use crate::app::time;
use crate::app::{App, Theme};
pub use paint::Clickable;

/// The smallest screen on which everything has its place.
pub const SMALLEST: (u16, u16) = (80, 24);

/// Draws the whole screen, and tells what a click on it meets.
pub fn draw(app: &App, frame: &mut Frame<'_>) -> Clickable {
    let mut clickable = Clickable::default();
    let area = frame.area();
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        let message = format!(
            "confsplit needs {}×{}, this is {}×{}.",
            SMALLEST.0, SMALLEST.1, area.width, area.height
        );
        let lines = text::wrap(&message, usize::from(area.width));
        paint::lines(frame, area, lines.into_iter().map(Into::into));
    } else {
        let [top, middle, bottom] = Layout::vertical([
            Constraint::Length(1),
            Constraint::Fill(1),
            Constraint::Length(1),
        ])
        .areas(area);
        header::draw(app, frame, top);
        clickable = match (&app.screen, app.overlay) {
            (_, Some((overlay, scroll))) => overlay::draw(app, overlay, scroll, frame, middle),
            (Screen::Triage, None) => triage::draw(app, frame, middle),
            (Screen::Sheet(sheet), None) => sheet::draw(app, sheet, frame, middle),
            (Screen::Remedy(below), None) => {
                remedy::draw(app, below.scroll, frame, middle);
                Clickable::default()
            }
            (Screen::Object(object), None) => {
                object::draw(app, object, frame, middle);
                Clickable::default()
            }
        };
        if let Some(prompt) = app.prompt.as_ref().filter(|p| p.asking == Asking::Command) {
            palette::draw(app, prompt, frame, middle);
            clickable = Clickable::default();
        }
        footer::draw(app, frame, bottom);
    }
    let theme = match app.options.no_color {
        true => Theme::Mono,
        false => app.options.preferences.theme,
    };
    theme::fit(frame.buffer_mut(), theme);
    if app.options.ascii {
        theme::to_ascii(frame.buffer_mut());
    }
    clickable
}
