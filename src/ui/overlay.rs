//! Longer texts over the whole screen: the keys, what was not checked, and an incident in full.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{paint, text, theme};
use crate::analysis::EntryKind;
use crate::app::App;
use crate::app::keymap::{self, Context};
use crate::app::screen::{Overlay, Tab};
use crate::app::shown::{self, Note};

pub(super) fn draw(app: &App, overlay: Overlay, scroll: usize, frame: &mut Frame<'_>, area: Rect) {
    let columns = usize::from(area.width).saturating_sub(3);
    let (title, lines) = match overlay {
        Overlay::Help => ("Keys of this screen", help(app, scroll)),
        Overlay::NotChecked => (
            "Not checked",
            notes(&shown::not_checked(app), scroll, columns),
        ),
        Overlay::Whole => ("All text", notes(&shown::whole(app), scroll, columns)),
    };
    let height = usize::from(area.height);
    // At the end the last page stays full.
    if lines.len() + 1 < height && scroll > 0 {
        return draw(app, overlay, scroll - 1, frame, area);
    }
    let cut = lines.len() + 1 > height;
    let title_line = paint::rule(title, area.width);
    paint::lines(frame, area, std::iter::once(title_line).chain(lines));
    if cut {
        paint::corner(frame, area, " ↓ more: j ");
    }
}

fn help(app: &App, scroll: usize) -> Vec<Line<'static>> {
    let context = app.context_below();
    let mut lines: Vec<Line<'static>> = keymap::bindings(context)
        .map(|binding| {
            Line::from(vec![
                Span::styled(
                    format!("  {}  ", text::pad(&binding.keys(), 16)),
                    theme::bold(),
                ),
                Span::raw(binding.help),
            ])
        })
        .collect();
    if context == Context::Sheet(Tab::Timeline) {
        lines.push(legend());
    }
    lines.into_iter().skip(scroll).collect()
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

fn notes(notes: &[Note], scroll: usize, columns: usize) -> Vec<Line<'static>> {
    notes
        .iter()
        .skip(scroll)
        .flat_map(|note| match note {
            Note::Heading(text) => vec![Line::styled(
                format!(" {}", text::cut(text, columns)),
                theme::accent(),
            )],
            Note::Text(text) => text::wrap(text, columns)
                .into_iter()
                .map(|line| Line::from(format!("  {line}")))
                .collect(),
            Note::Command(command) => text::wrap_kept(&format!("$ {command}"), columns)
                .into_iter()
                .map(|line| Line::styled(format!("  {line}"), theme::bold()))
                .collect(),
            Note::Empty => vec![Line::default()],
        })
        .collect()
}
