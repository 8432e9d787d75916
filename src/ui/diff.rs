//! What differs between two sides, a key at a time: what is compared in words, the rows on screen, or the list of keys.

mod heading;
mod line;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

use super::{paint, text, theme};
use crate::analysis::Incident;
use crate::app::App;
use crate::app::diff::{Body, Change, DiffView};
use crate::app::screen::Sheet;

/// Rows that the lines of a diff get at least, before the heading is given more than it needs.
const ROOM: u16 = 12;

pub(super) fn draw(
    app: &App,
    sheet: &Sheet,
    incident: &Incident,
    frame: &mut Frame<'_>,
    area: Rect,
) {
    let view = &sheet.diff;
    let rows = if area.height >= ROOM { 2 } else { 1 };
    let heading = heading::lines(app, view, incident, usize::from(area.width), rows);
    let [head, body] = Layout::vertical([
        Constraint::Length(u16::try_from(heading.len()).unwrap_or(3)),
        Constraint::Fill(1),
    ])
    .areas(area);
    paint::lines(frame, head, heading);
    match view.list {
        Some(cursor) => keys(view, incident, cursor, frame, body),
        None => key(view, frame, body),
    }
}

fn key(view: &DiffView, frame: &mut Frame<'_>, area: Rect) {
    let columns = usize::from(area.width);
    match &view.body {
        Body::Said(sentence) => {
            let lines = text::wrap(sentence, columns.saturating_sub(4));
            paint::lines(
                frame,
                area,
                lines
                    .into_iter()
                    .map(|line| Line::from(format!("   {line}"))),
            );
        }
        Body::Text { text, .. } => {
            let stop = text.stops.get(view.stop).map(|stop| stop.row);
            let rows = text.rows.iter().enumerate().skip(view.scroll);
            let lines = rows
                .take(usize::from(area.height))
                .map(|(at, row)| line::draw(text, row, Some(at) == stop, view.across, columns));
            paint::lines(frame, area, lines);
            let below = text
                .rows
                .len()
                .saturating_sub(view.scroll + usize::from(area.height));
            if below > 0 {
                paint::corner(frame, area, &format!(" ↓ {below} more: j "));
            }
        }
    }
}

/// Every key, a row each, with how it differs.
fn keys(view: &DiffView, incident: &Incident, cursor: usize, frame: &mut Frame<'_>, area: Rect) {
    let columns = usize::from(area.width).saturating_sub(2);
    let taken = view.taken(incident);
    paint::list(frame, area, cursor, view.keys.len(), |at| {
        let Some(key) = view.keys.get(at) else {
            return Line::default();
        };
        let (sign, word, style) = match key.change {
            Change::Changed => ("~", "changed", theme::accent()),
            Change::Added => ("+", "added", theme::accent()),
            Change::Removed => ("-", "removed", theme::bold()),
            Change::Same => (" ", "unchanged", theme::plain()),
        };
        let aside = taken
            .as_ref()
            .is_some_and(|taken| !taken.contains(key.name.as_str()));
        let note = if aside {
            "  not taken by this replica"
        } else {
            ""
        };
        let room = columns.saturating_sub(14 + text::width(note));
        Line::from(vec![
            Span::styled(format!("{sign} {word:<9}  "), style),
            Span::styled(text::cut_middle(&key.name, room), style),
            Span::styled(note, theme::dim()),
        ])
    });
}
