//! The remedy: its plan to agree to, then how far it has come. One text that is scrolled.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};

use super::{overlay, paint};
use crate::app::App;

pub(super) fn draw(app: &App, scroll: usize, frame: &mut Frame<'_>, area: Rect) {
    let [title, body] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
    let heading = match &app.remedy {
        Some(remedy) => format!(
            "{}   {} → {}",
            remedy.kind.as_str(),
            remedy.config,
            remedy.workload
        ),
        None => "Remedy".to_owned(),
    };
    frame.render_widget(paint::rule(&heading, title.width), title);
    let notes = app.notes_of_remedy();
    let columns = usize::from(area.width).saturating_sub(3);
    let height = usize::from(body.height);
    let all = overlay::lines(&notes, 0, columns);
    let from = scroll.min(all.len().saturating_sub(height));
    let cut = all.len() - from > height;
    paint::lines(frame, body, all.into_iter().skip(from));
    if cut {
        paint::corner(frame, body, " ↓ more: j ");
    }
}
