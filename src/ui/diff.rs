//! What differs between two revisions, a key at a time: signs before lines, changed words marked, whitespace made visible.

use std::borrow::Cow;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::{paint, text, theme};
use crate::analysis::{Incident, Revision};
use crate::app::diff::{self, Body, DiffView, LineKind};
use crate::app::screen::Sheet;
use crate::text::harmless;

/// Columns before a line's text: its number, a space, the sign, a space.
const GUTTER: usize = 8;

pub(super) fn draw(sheet: &Sheet, incident: &Incident, frame: &mut Frame<'_>, area: Rect) {
    let view = &sheet.diff;
    let [head, body] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
    frame.render_widget(heading(view, incident, area.width), head);
    let columns = usize::from(area.width);
    let nothing = |sentence: &str| -> Vec<Line<'static>> {
        text::wrap(sentence, columns.saturating_sub(4))
            .into_iter()
            .map(|line| Line::from(format!("   {line}")))
            .collect()
    };
    let lines = match &view.body {
        Body::Nothing(why) => nothing(why),
        Body::Hidden => nothing("The value differs. Values of Secrets are not shown."),
        Body::Binary { left, right } => nothing(&format!(
            "Binary: {} became {}.",
            bytes(*left),
            bytes(*right)
        )),
        Body::Text(lines) => lines
            .iter()
            // At the end the last page stays full.
            .skip(
                view.scroll
                    .min(lines.len().saturating_sub(usize::from(body.height))),
            )
            .take(usize::from(body.height))
            .map(|line| draw_line(line, columns))
            .collect(),
    };
    paint::lines(frame, body, lines);
}

fn bytes(length: Option<usize>) -> String {
    length.map_or_else(|| "nothing".into(), |n| format!("{n} bytes"))
}

/// `- A (until 20:35:33)  + B =live   default.conf   key 1 of 3 changed`.
fn heading(view: &DiffView, incident: &Incident, width: u16) -> Line<'static> {
    let at = |place: Option<usize>| incident.revisions.get(place?);
    let mut spans = vec![Span::raw(" ")];
    if let Some(left) = at(view.left) {
        spans.push(Span::styled(
            format!("- {}", name(left, width)),
            theme::bold(),
        ));
        spans.push(Span::raw("  "));
    }
    if let Some(right) = at(view.right) {
        spans.push(Span::styled(
            format!("+ {}", name(right, width)),
            theme::bold(),
        ));
    }
    if let Some(key) = view.keys.get(view.key) {
        let place = format!("key {} of {} changed", view.key + 1, view.keys.len());
        let used: usize = spans.iter().map(|span| text::width(&span.content)).sum();
        let room = usize::from(width).saturating_sub(used + place.len() + 6);
        spans.push(Span::styled(
            format!("  {}  ", text::cut_middle(key, room)),
            theme::accent(),
        ));
        spans.push(Span::styled(place, theme::dim()));
    }
    Line::from(spans)
}

fn name(revision: &Revision, width: u16) -> String {
    let live = if revision.live { " =live" } else { "" };
    if width < 100 && revision.hash.is_some() {
        return format!("{}{live}", revision.name);
    }
    let hash = revision.hash.as_deref().unwrap_or("content unknown");
    format!("{}{live} ({})", revision.name, text::cut(hash, 15))
}

fn draw_line(line: &diff::Line, columns: usize) -> Line<'static> {
    let (sign, style) = match line.kind {
        LineKind::Skipped(count) => {
            let noun = if count == 1 { "line" } else { "lines" };
            return Line::styled(
                format!("{:GUTTER$}… {count} {noun} unchanged", ""),
                theme::dim(),
            );
        }
        LineKind::Context => (" ", theme::plain()),
        LineKind::Removed => ("-", theme::bold()),
        LineKind::Added => ("+", theme::accent()),
    };
    let mut spans = vec![
        Span::styled(format!("{:>5} ", line.number), theme::dim()),
        Span::styled(format!("{sign} "), style),
    ];
    spans.extend(pieces(line, style, columns.saturating_sub(GUTTER)));
    Line::from(spans)
}

/// The line's text within so many columns. A long line begins a little before what changed in it.
fn pieces(line: &diff::Line, style: Style, columns: usize) -> Vec<Span<'static>> {
    let changed_line = line.kind != LineKind::Context;
    let mut pieces: Vec<(bool, String)> = Vec::new();
    let last = line.parts.len().saturating_sub(1);
    for (at, (marked, part)) in line.parts.iter().enumerate() {
        pieces.push((
            *marked,
            visible(part, changed_line, *marked, at == last).into_owned(),
        ));
    }
    if line.unterminated && changed_line {
        pieces.push((true, " (no newline at end)".into()));
    }
    skip_to_change(&mut pieces, columns);
    let mut left = columns;
    let mut spans = Vec::new();
    for (marked, piece) in pieces {
        if left == 0 {
            break;
        }
        let piece = text::cut(&piece, left);
        left -= text::width(&piece);
        let style = if marked {
            style.patch(theme::changed())
        } else {
            style
        };
        spans.push(Span::styled(piece, style));
    }
    spans
}

/// Drops the beginning of an unchanged first piece, where the change would else lie beyond the right edge.
fn skip_to_change(pieces: &mut [(bool, String)], columns: usize) {
    let [(false, first), (true, change), ..] = pieces else {
        return;
    };
    let wanted = text::width(change).min(columns / 2);
    if text::width(first) + wanted <= columns {
        return;
    }
    let keep = columns.saturating_sub(wanted) / 2;
    let tail: String = first
        .chars()
        .rev()
        .take(keep)
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .collect();
    *first = format!("…{tail}");
}

/// In a changed line: tabs, carriage returns, spaces that changed, and spaces at the end can be seen.
fn visible(part: &str, changed_line: bool, marked: bool, last: bool) -> Cow<'_, str> {
    if !changed_line {
        return harmless(part.trim_end_matches('\r'));
    }
    let body = part.trim_end_matches('\r');
    let returns = part.len() - body.len();
    let kept = body.trim_end_matches(' ');
    let trailing = if last { body.len() - kept.len() } else { 0 };
    let body = &body[..body.len() - trailing];
    let body = if marked {
        body.replace(' ', "·")
    } else {
        body.to_owned()
    };
    let body = body.replace('\t', "→   ");
    Cow::Owned(format!(
        "{}{}{}",
        harmless(&body),
        "·".repeat(trailing),
        "␍".repeat(returns)
    ))
}
