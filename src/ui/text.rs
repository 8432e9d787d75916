//! Laying out untrusted text: made harmless, measured as the terminal measures it, cut and wrapped between characters.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::text::harmless;

/// No sentence is longer than this; what is, was made to be.
const LONGEST: usize = 8_000;

/// The columns that a text takes.
pub(super) fn width(text: &str) -> usize {
    text.width()
}

/// The text cut to a width, with `…` where something is missing.
pub(super) fn cut(text: &str, columns: usize) -> String {
    let text = harmless(bounded(text));
    if width(&text) <= columns {
        return text.into_owned();
    }
    if columns == 0 {
        return String::new();
    }
    let mut out = head(&text, columns - 1).to_owned();
    out.push('…');
    out
}

/// The text cut in its middle, for names that differ at their ends.
pub(super) fn cut_middle(text: &str, columns: usize) -> String {
    let text = harmless(bounded(text));
    if width(&text) <= columns {
        return text.into_owned();
    }
    if columns < 3 {
        return cut(&text, columns);
    }
    let tail_columns = columns / 2;
    let front = head(&text, columns - 1 - tail_columns);
    let mut tail: Vec<&str> = Vec::new();
    let mut used = 0;
    for grapheme in text.graphemes(true).rev() {
        if used + width(grapheme) > tail_columns {
            break;
        }
        used += width(grapheme);
        tail.push(grapheme);
    }
    tail.reverse();
    format!("{front}…{}", tail.concat())
}

/// The text in exactly so many columns, to the left.
pub(super) fn pad(text: &str, columns: usize) -> String {
    let mut out = cut(text, columns);
    out.push_str(&" ".repeat(columns.saturating_sub(width(&out))));
    out
}

/// The text in exactly so many columns, to the right.
pub(super) fn pad_left(text: &str, columns: usize) -> String {
    let out = cut(text, columns);
    format!("{}{out}", " ".repeat(columns.saturating_sub(width(&out))))
}

/// The text in lines of at most so many columns, broken at spaces where there are some.
pub(super) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let text = harmless(bounded(text));
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let gap = usize::from(!line.is_empty());
        if width(&line) + gap + width(word) <= columns {
            if gap == 1 {
                line.push(' ');
            }
            line.push_str(word);
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        let mut rest = word;
        while width(rest) > columns {
            let part = head(rest, columns);
            // A character wider than the column is given a line of its own rather than none for ever.
            let taken = match part.len() {
                0 => rest.graphemes(true).next().map_or(rest.len(), str::len),
                len => len,
            };
            lines.push(rest[..taken].to_owned());
            rest = &rest[taken..];
        }
        line.push_str(rest);
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// The text in lines of at most so many columns, every space kept: for commands and excerpts.
pub(super) fn wrap_kept(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(2);
    let text = harmless(bounded(text));
    let mut rest: &str = &text;
    let mut lines = Vec::new();
    while width(rest) > columns {
        let part = head(rest, columns);
        // After a space in the last third, else wherever the column ends.
        let end = part
            .rfind(' ')
            .filter(|at| width(&part[..*at]) * 3 > columns * 2)
            .map_or(part.len(), |at| at + 1);
        if end == 0 {
            break;
        }
        lines.push(rest[..end].to_owned());
        rest = &rest[end..];
    }
    lines.push(cut(rest, columns));
    lines
}

/// Wrapped and cut to `rows`, the last one saying how to see the rest.
pub(super) fn wrap_to(text: &str, columns: usize, rows: usize, more: &str) -> Vec<String> {
    let mut lines = wrap(text, columns);
    if lines.len() <= rows {
        return lines;
    }
    lines.truncate(rows);
    if let Some(last) = lines.last_mut() {
        let room = columns.saturating_sub(width(more) + 1);
        *last = cut(&format!("{last} {more}"), columns);
        if !last.ends_with(more) {
            let kept = head(last, room).trim_end().to_owned();
            *last = format!("{kept} {more}");
        }
    }
    lines
}

/// The byte after which at least so many columns of the text are left out.
pub(super) fn skip(text: &str, columns: usize) -> usize {
    let mut at = 0;
    let mut left_out = 0;
    for grapheme in text.graphemes(true) {
        if left_out >= columns {
            break;
        }
        left_out += width(grapheme);
        at += grapheme.len();
    }
    at
}

/// The beginning of a text that has room in so many columns.
pub(super) fn head(text: &str, columns: usize) -> &str {
    let mut end = 0;
    let mut used = 0;
    for grapheme in text.graphemes(true) {
        used += width(grapheme);
        if used > columns {
            break;
        }
        end += grapheme.len();
    }
    &text[..end]
}

fn bounded(text: &str) -> &str {
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => &text[..at],
        None => text,
    }
}

#[cfg(test)]
mod tests;
