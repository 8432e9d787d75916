//! One row of a diff: its number, its sign, and as much of the line as fits, with all that is not seen made visible.

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthChar;

use crate::app::diff;
use crate::app::diff::text::{Kind, Row, Text};
use crate::text::harmless;
use crate::ui::theme;

/// Columns before a line's text: a pointer, its number, a space, the sign, a space.
const GUTTER: usize = 9;
/// So many marks may stand upon one character; more are told by their numbers.
const MARKS: usize = 3;

pub(super) fn draw(
    text: &Text,
    row: &Row,
    current: bool,
    across: Option<usize>,
    columns: usize,
) -> Line<'static> {
    let (sign, style) = match row.kind {
        Kind::Skipped(count) => {
            let noun = if count == 1 { "line" } else { "lines" };
            return Line::styled(
                format!("{:GUTTER$}… {count} {noun} unchanged", ""),
                theme::dim(),
            );
        }
        Kind::Context => (" ", theme::plain()),
        Kind::Removed => ("-", theme::bold()),
        Kind::Added => ("+", theme::accent()),
    };
    let pointer = if current { ">" } else { " " };
    let number = row.new.or(row.old).map_or(0, |line| line + 1);
    let mut spans = vec![
        Span::styled(pointer, theme::accent()),
        Span::styled(format!("{number:>5} "), theme::dim()),
        Span::styled(format!("{sign} "), style),
    ];
    let room = columns.saturating_sub(GUTTER);
    let (line, unterminated) = text.line(row);
    let start = diff::start(line, &row.marks, room, across);
    let mut writer = Writer::new(style, room);
    if start > 0 {
        writer.put("…", 1, false);
    }
    let changed = row.kind != Kind::Context;
    let ended = write(&mut writer, line, start, row, changed);
    if ended && unterminated && changed {
        writer.put_text(" (no newline at the end)", true);
    }
    spans.extend(writer.spans());
    Line::from(spans)
}

/// Writes a line from a byte on, until it ends or the room does; whether it ended.
fn write(writer: &mut Writer, line: &str, start: usize, row: &Row, changed: bool) -> bool {
    let rest = line.get(start..).unwrap_or_default();
    let blank = |c: char| c == ' ' || c == '\t' || c == '\r';
    // White space at the end is looked for from the end, so that a long line is not walked through.
    let trailing = start + rest.trim_end_matches(blank).len();
    let first = row.marks.partition_point(|mark| mark.end <= start);
    let mut marks = row.marks.get(first..).unwrap_or_default().iter().peekable();
    let mut upon = 0;
    for (at, c) in rest.char_indices() {
        let at = start + at;
        while marks.peek().is_some_and(|mark| mark.end <= at) {
            marks.next();
        }
        let marked = marks.peek().is_some_and(|mark| mark.start <= at);
        upon = if c.width() == Some(0) { upon + 1 } else { 0 };
        let written = match c {
            '\t' if changed => writer.put_text("→   ", marked),
            '\r' if changed => writer.put("␍", 1, marked),
            ' ' if changed && (marked || at >= trailing) => writer.put("·", 1, marked),
            // A mark with nothing to stand upon would be drawn upon what is no part of the line.
            c if upon > MARKS || (upon == 1 && at == start) || unseen(c, changed) => {
                writer.put_text(&format!("<U+{:04X}>", c as u32), marked)
            }
            c if changed || c != '\r' => {
                let mut buffer = [0; 4];
                writer.put_text(&harmless(c.encode_utf8(&mut buffer)), marked)
            }
            _ => true,
        };
        if !written {
            writer.cut();
            return false;
        }
    }
    true
}

/// Blanks that look like the one that everybody means, or like nothing.
fn unseen(c: char, changed: bool) -> bool {
    match c {
        '\u{a0}' | '\u{202f}' | '\u{2007}' => true,
        ' ' | '\t' | '\r' => false,
        c => changed && c.is_whitespace() && !c.is_control(),
    }
}

/// Collects text within so many columns.
struct Writer {
    style: Style,
    room: usize,
    pieces: Vec<(bool, String)>,
}

impl Writer {
    fn new(style: Style, room: usize) -> Self {
        Self {
            style,
            room,
            pieces: Vec::new(),
        }
    }

    fn put_text(&mut self, text: &str, marked: bool) -> bool {
        let columns = text.chars().map(|c| c.width().unwrap_or(0)).sum();
        self.put(text, columns, marked)
    }

    /// Adds a text that takes so many columns; false where they are not left.
    fn put(&mut self, text: &str, columns: usize, marked: bool) -> bool {
        if columns > self.room {
            return false;
        }
        self.room -= columns;
        match self.pieces.last_mut() {
            Some((last, piece)) if *last == marked => piece.push_str(text),
            _ => self.pieces.push((marked, text.to_owned())),
        }
        true
    }

    /// Puts a sign at the end for what does not fit.
    fn cut(&mut self) {
        while self.room == 0 {
            let Some((_, piece)) = self.pieces.last_mut() else {
                return;
            };
            match piece.pop() {
                Some(c) => self.room += c.width().unwrap_or(0),
                None => drop(self.pieces.pop()),
            }
        }
        self.put("…", 1, false);
    }

    fn spans(self) -> impl Iterator<Item = Span<'static>> {
        let style = self.style;
        self.pieces.into_iter().map(move |(marked, piece)| {
            let style = if marked {
                style.patch(theme::changed())
            } else {
                style
            };
            Span::styled(piece, style)
        })
    }
}
