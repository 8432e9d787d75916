//! Which part of a long line is on screen: by itself the one with its first change in it.

use std::ops::Range;

use unicode_width::UnicodeWidthStr;

/// Bytes that one column may take before the measuring is given up: what is longer does not fit.
const BYTES_PER_COLUMN: usize = 8;

/// The byte at which a line begins on a screen of so many columns, `across` characters being before it where that was
/// chosen.
pub fn start(line: &str, marks: &[Range<usize>], columns: usize, across: Option<usize>) -> usize {
    if let Some(across) = across {
        return line
            .char_indices()
            .nth(across)
            .map_or(line.len(), |(at, _)| at);
    }
    let Some(mark) = marks.first() else { return 0 };
    let (before, change) = (
        line.get(..mark.start).unwrap_or_default(),
        line.get(mark.clone()).unwrap_or_default(),
    );
    let wanted = measure(change, columns).min(columns / 2);
    if measure(before, columns) + wanted < columns {
        return 0;
    }
    let keep = columns.saturating_sub(wanted) / 2;
    let mut room = keep;
    for (at, c) in before.char_indices().rev() {
        let mut buffer = [0; 4];
        let width = c.encode_utf8(&mut buffer).width();
        if width > room {
            return at + c.len_utf8();
        }
        room -= width;
    }
    0
}

/// The columns that a text takes, as far as it matters on a screen of so many.
fn measure(text: &str, columns: usize) -> usize {
    if text.len() > columns * BYTES_PER_COLUMN {
        return columns;
    }
    text.width()
}
