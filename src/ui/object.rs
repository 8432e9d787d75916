//! A whole config, and who uses it: the rows from the first one on screen on, laid out as they are drawn.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

use super::{paint, text, theme, time};
use crate::app::App;
use crate::app::object::{ObjectView, Row, Told};
use crate::text::harmless;

/// Columns of a field's name.
const NAME: usize = 18;
/// Rows that one sentence gets.
const ROWS: usize = 4;

pub(super) fn draw(app: &App, view: &ObjectView, frame: &mut Frame<'_>, area: Rect) {
    let [title, body] = Layout::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(area);
    let name = view.config();
    let name = name.map_or_else(String::new, |of| format!("{of} in {}", of.namespace));
    let of = match view.configs.len() {
        0 | 1 => String::new(),
        of => format!("   config {} of {of} of {}", view.at + 1, view.workload),
    };
    let across = match view.across {
        0 => String::new(),
        across => format!("   values from column {}", across + 1),
    };
    let heading = paint::rule(&format!("{name}{of}{across}"), title.width);
    frame.render_widget(heading, title);
    let columns = usize::from(body.width).saturating_sub(2);
    let height = usize::from(body.height);
    let rows = view.rows.iter().skip(view.scroll).take(height);
    let lines: Vec<Line<'static>> = rows
        .flat_map(|row| lay_out(app, view, row, columns))
        .collect();
    let below = view.scroll + height < view.rows.len() || lines.len() > height;
    paint::lines(frame, body, lines);
    if below {
        let note = format!(" row {} of {} ↓ j ", view.scroll + 1, view.rows.len());
        paint::corner(frame, body, &note);
    }
}

fn lay_out(app: &App, view: &ObjectView, row: &Row, columns: usize) -> Vec<Line<'static>> {
    match row {
        Row::Empty => vec![Line::default()],
        Row::Heading(title) => {
            vec![Line::styled(
                format!(" {}", text::cut(title, columns)),
                theme::accent(),
            )]
        }
        Row::Field(name, told) => {
            let told = match told {
                Told::Text(text) => text.clone(),
                Told::Time(at) => format!("{} ({})", time::dated(app, *at), time::ago(app, *at)),
            };
            field(name, &told, columns)
        }
        Row::Key(key, note) => {
            let room = columns.saturating_sub(text::width(note) + 5);
            vec![Line::from(vec![
                Span::styled(
                    format!("   {}:", text::cut_middle(key, room)),
                    theme::bold(),
                ),
                Span::styled(format!("  {}", text::cut(note, columns)), theme::dim()),
            ])]
        }
        Row::Value(place, bytes) => {
            let value = view
                .values
                .get(*place)
                .and_then(|value| value.get(bytes.clone()));
            vec![value_line(
                value.unwrap_or_default(),
                view.across,
                columns.saturating_sub(5),
            )]
        }
        Row::Note(note) => {
            let indent = note.len() - note.trim_start().len();
            text::wrap_to(note, columns.saturating_sub(indent + 2), ROWS, "…")
                .into_iter()
                .map(|line| Line::from(format!("   {:indent$}{line}", "")))
                .collect()
        }
        Row::Writer { .. } => vec![writer(app, row, columns)],
    }
}

fn writer(app: &App, row: &Row, columns: usize) -> Line<'static> {
    let Row::Writer {
        manager,
        operation,
        time,
        owns,
    } = row
    else {
        return Line::default();
    };
    let at = time.map_or_else(|| "unknown time".to_owned(), |at| time::moment(app, at));
    let head = format!(
        "   {} {} {}  ",
        text::pad(&text::cut_middle(manager, 26), 26),
        text::pad(operation, 6),
        text::pad(&at, 14)
    );
    let room = columns.saturating_sub(text::width(&head));
    Line::from(format!("{head}{}", text::cut(owns, room)))
}

fn field(name: &str, told: &str, columns: usize) -> Vec<Line<'static>> {
    let name = text::cut_middle(name, columns / 2);
    let gap = NAME.max(text::width(&name) + 2);
    let lines = text::wrap_to(told, columns.saturating_sub(gap + 2), ROWS, "…");
    lines
        .into_iter()
        .enumerate()
        .map(|(at, line)| {
            let name = if at == 0 { name.as_str() } else { "" };
            Line::from(vec![
                Span::styled(format!("   {}", text::pad(name, gap)), theme::dim()),
                Span::raw(line),
            ])
        })
        .collect()
}

/// A line of a value from a character on; what ends it but a line feed is shown.
fn value_line(line: &str, across: usize, columns: usize) -> Line<'static> {
    let start = line
        .char_indices()
        .nth(across)
        .map_or(line.len(), |(at, _)| at);
    let rest = line.get(start..).unwrap_or_default();
    // A column has no more than a few characters worth drawing.
    let end = rest
        .char_indices()
        .nth(columns * 4)
        .map_or(rest.len(), |(at, _)| at);
    let shown = rest.get(..end).unwrap_or_default();
    let mut shown = harmless(shown).into_owned();
    if start > 0 {
        shown.insert(0, '…');
    }
    Line::from(format!("     {}", text::cut(&shown, columns)))
}
