//! Longer texts over the whole screen: the keys, what was not checked, an incident in full, and the choice of exports.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

use super::paint::Clickable;
use super::{paint, text, theme};
use crate::analysis::EntryKind;
use crate::app::App;
use crate::app::lists::Rows;
use crate::app::screen::Overlay;
use crate::app::shown::Note;

pub(super) fn draw(
    app: &App,
    overlay: Overlay,
    scroll: usize,
    frame: &mut Frame<'_>,
    area: Rect,
) -> Clickable {
    let [title, body] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
    frame.render_widget(paint::rule(&heading(app, overlay), title.width), title);
    let found = app.filtered_notes(overlay);
    if overlay == Overlay::Export {
        return menu(app, &found, scroll, frame, body);
    }
    if found.is_empty() {
        let text = text::cut(app.filter().text(), 30);
        let none = format!("  Nothing here has `{text}`; Esc takes the filter away.");
        paint::lines(frame, body, [Line::from(none)]);
        return Clickable::default();
    }
    let body = match overlay {
        Overlay::Probe => question(app, frame, body),
        _ => body,
    };
    let columns = usize::from(area.width).saturating_sub(3);
    let height = usize::from(body.height);
    // At the end the last page stays full.
    let from = (0..=scroll)
        .rev()
        .find(|from| *from == 0 || lines(&found, *from, columns).len() >= height);
    let lines = lines(&found, from.unwrap_or(0), columns);
    let cut = lines.len() > height;
    paint::lines(frame, body, lines);
    paint::underline(frame, body, app.filter());
    if cut {
        paint::corner(frame, body, " ↓ more: j ");
    }
    Clickable::default()
}

fn heading(app: &App, overlay: Overlay) -> String {
    match overlay {
        Overlay::Help => "Keys of this screen".into(),
        Overlay::NotChecked => "Not checked".into(),
        Overlay::Whole => "All text".into(),
        Overlay::Probe => "Read inside containers? These commands alone would be run".into(),
        Overlay::Left => "A remedy was left open: C goes on, U undoes, Esc leaves it".into(),
        Overlay::Summary => "Summary for a chat: y copies it again, Esc closes".into(),
        Overlay::Export => match app.incident() {
            Some((incident, _)) => format!("Export   {} → {}", incident.config, incident.workload),
            None => "Export".into(),
        },
    }
}

/// Yes or no, below the text; what is left for that.
fn question(app: &App, frame: &mut Frame<'_>, area: Rect) -> Rect {
    let [text, answers] =
        Layout::vertical([Constraint::Fill(1), Constraint::Length(1)]).areas(area);
    let answer = |yes: bool, word: &'static str| {
        let chosen = app.probing.yes == yes;
        let mark = if chosen { "> " } else { "  " };
        let style = if chosen { theme::bold() } else { theme::dim() };
        Span::styled(format!("{mark}{word}   "), style)
    };
    let line = vec![
        Span::raw("  "),
        answer(false, "No, run nothing"),
        answer(true, "Yes, in this session"),
    ];
    frame.render_widget(Line::from(line), answers);
    text
}

/// What can be exported, a row each.
fn menu(
    app: &App,
    choices: &[Note],
    chosen: usize,
    frame: &mut Frame<'_>,
    area: Rect,
) -> Clickable {
    let rows = Rows::all(choices.len());
    let [list, _, below] = Layout::vertical([
        Constraint::Length(u16::try_from(choices.len()).unwrap_or(0)),
        Constraint::Length(1),
        Constraint::Fill(1),
    ])
    .areas(area);
    let clickable = paint::rows(frame, list, chosen, &rows, app.filter(), |at| {
        choices
            .get(at)
            .map_or_else(Line::default, |note| match note {
                Note::Key(key, what) => Line::from(vec![
                    Span::styled(format!("{key}  "), theme::bold()),
                    Span::raw(what.clone()),
                ]),
                other => Line::from(other.text()),
            })
    });
    let columns = usize::from(area.width).saturating_sub(3);
    let note = "The summary is of this incident, reports and capture of everything in scope. Files go to the \
                current directory (setting `export` names another), under a new name, readable by you \
                alone. A capture holds ConfigMaps and logs as they are, and a report what an edit \
                changed: look before you hand one on.";
    let wrapped = text::wrap(note, columns);
    paint::lines(
        frame,
        below,
        wrapped
            .into_iter()
            .map(|line| Line::from(format!("  {line}"))),
    );
    clickable
}

fn legend() -> Line<'static> {
    let names = [
        (EntryKind::Created, "created"),
        (EntryKind::Edited, "edited"),
        (EntryKind::Started, "started"),
        (EntryKind::Restarted, "restarted"),
        (EntryKind::Killed, "killed"),
        (EntryKind::Crashed, "crashed"),
        (EntryKind::Reloaded, "reloaded"),
        (EntryKind::FirstFailure, "first failure"),
        (EntryKind::Unwatched, "not watched"),
    ];
    let mut spans = vec![Span::raw("  ")];
    for (kind, name) in names {
        spans.push(Span::styled(
            theme::mark(kind).to_string(),
            theme::mark_style(kind),
        ));
        spans.push(Span::raw(format!(" {name} ")));
    }
    Line::from(spans)
}

/// Of a diff's line and a checklist's, by its sign.
fn line_style(text: &str) -> ratatui::style::Style {
    match text.chars().next() {
        Some('-' | '✗') => theme::fail(),
        Some('+' | '✓') => theme::accent(),
        _ => theme::plain(),
    }
}

/// The lines of the paragraphs from one on.
pub(super) fn lines(notes: &[Note], from: usize, columns: usize) -> Vec<Line<'static>> {
    notes
        .iter()
        .skip(from)
        .flat_map(|note| match note {
            Note::Heading(text) => text::wrap(text, columns)
                .into_iter()
                .map(|line| Line::styled(format!(" {line}"), theme::accent()))
                .collect(),
            Note::Text(text) => text::wrap(text, columns)
                .into_iter()
                .map(|line| Line::from(format!("  {line}")))
                .collect(),
            Note::Command(command) => text::wrap_kept(&format!("$ {command}"), columns)
                .into_iter()
                .map(|line| Line::styled(format!("  {line}"), theme::bold()))
                .collect(),
            Note::Line(text) => text::wrap_kept(text, columns)
                .into_iter()
                .map(|line| Line::styled(format!("  {line}"), line_style(text)))
                .collect(),
            Note::Key(keys, what) => vec![Line::from(vec![
                Span::styled(format!("  {}  ", text::pad(keys, 18)), theme::bold()),
                Span::raw(text::cut(what, columns.saturating_sub(20))),
            ])],
            Note::Signs => vec![legend()],
            Note::Empty => vec![Line::default()],
        })
        .collect()
}
