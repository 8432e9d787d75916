//! A page of plain text, 100 columns wide.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::report::words::clean;
use crate::text::harmless;

pub(super) const WIDTH: usize = 100;
/// Where text begins after CAUSE, IMPACT and NEXT.
const LABEL: usize = 8;

/// Lines in the making. Everything that comes in is made harmless here.
#[derive(Default)]
pub(in crate::report) struct Page {
    text: String,
}

impl Page {
    pub(in crate::report) fn finish(self) -> String {
        self.text
    }

    /// A line as it is.
    pub(super) fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    pub(super) fn blank(&mut self) {
        self.text.push('\n');
    }

    pub(super) fn heading(&mut self, heading: &str) {
        self.line(&harmless(heading));
    }

    /// A title over a line of its own.
    pub(super) fn rule(&mut self, title: &str) {
        self.wrapped(title, 0);
        self.line(&"-".repeat(WIDTH));
    }

    /// Text over as many lines as it needs.
    pub(super) fn wrapped(&mut self, text: &str, indent: usize) {
        self.hanging(&" ".repeat(indent), text);
    }

    /// `CAUSE   text`.
    pub(super) fn labelled(&mut self, label: &str, text: &str) {
        self.hanging(&format!("{label:<LABEL$}"), text);
    }

    /// `  1. text`, indented so that it stands under the labelled text.
    pub(super) fn item(&mut self, mark: &str, text: &str) {
        self.hanging(&format!("  {mark} "), text);
    }

    /// Text that belongs to the line above.
    pub(super) fn note(&mut self, text: &str) {
        self.wrapped(text, 4);
    }

    /// A start whose text goes on beside it.
    pub(super) fn continued(&mut self, start: &str, text: &str) {
        if start.width() > WIDTH - 35 {
            self.wrapped(start.trim(), 2);
            return self.note(text);
        }
        self.hanging(&format!("{start}  "), text);
    }

    /// A command on lines of its own, never wrapped: it is there to be copied.
    pub(super) fn command(&mut self, command: &str) {
        // Only its first line has the prompt: what follows may be the text of a here-document.
        for (at, line) in clean(command).lines().enumerate() {
            let prompt = if at == 0 { "$" } else { " " };
            self.line(&format!("      {prompt} {line}"));
        }
    }

    /// A line of an excerpt, with a bar so that it cannot pass for a line of ours.
    pub(super) fn quoted(&mut self, line: &str) {
        self.hanging("      | ", line);
    }

    fn hanging(&mut self, start: &str, text: &str) {
        let indent = start.width();
        let lines = wrap(&harmless(text), WIDTH.saturating_sub(indent).max(20));
        for (at, line) in lines.iter().enumerate() {
            if at == 0 {
                self.line(&format!("{start}{line}"));
            } else {
                self.line(&format!("{:indent$}{line}", ""));
            }
        }
    }
}

/// Breaks at spaces, and within a word only where it is wider than a whole line. Never empty.
pub(in crate::report) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ') {
        let wide = word.width();
        let fresh = used == 0;
        if !fresh && used + 1 + wide <= width {
            push(&mut lines, " ");
            push(&mut lines, word);
            used += 1 + wide;
            continue;
        }
        if !fresh {
            lines.push(String::new());
            used = 0;
        }
        for c in word.chars() {
            let wide = c.width().unwrap_or(0);
            if used + wide > width {
                lines.push(String::new());
                used = 0;
            }
            push(&mut lines, c.encode_utf8(&mut [0; 4]));
            used += wide;
        }
    }
    lines
}

fn push(lines: &mut [String], text: &str) {
    if let Some(last) = lines.last_mut() {
        last.push_str(text);
    }
}

/// Columns as wide as their widest cell, two spaces apart, the whole indented by two. The first line is the head.
pub(in crate::report) fn table(head: &[&str], rows: &[Vec<String>]) -> Vec<String> {
    let mut widths: Vec<usize> = head.iter().map(|cell| cell.width()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.width());
        }
    }
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let mut out = String::new();
        for (cell, width) in cells.zip(&widths) {
            out.push_str("  ");
            out.push_str(cell);
            out.push_str(&" ".repeat(width.saturating_sub(cell.width())));
        }
        out
    };
    let mut lines = vec![line(&mut head.iter().copied())];
    lines.extend(
        rows.iter()
            .map(|row| line(&mut row.iter().map(String::as_str))),
    );
    lines
}
