//! One line of a log on the screen: its columns, and its text with what tells it apart made visible.

use std::borrow::Cow;
use std::ops::Range;

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;

use super::{head, text, theme, when};
use crate::app::App;
use crate::app::logs::{Logs, Row, plain, readable};
use crate::text::{grouped, harmless};
use crate::ui::time;

/// Lines longer than this are shown as they are: to rewrite them takes longer than a frame may.
const LONG: usize = 16 << 10;

/// Characters that are kept before the words that tell, where what stands further left is left out.
const LEAD: usize = 12;

/// Widths, the same for all lines on screen.
pub(super) struct Columns {
    time: usize,
    name: usize,
    revision: usize,
    text: usize,
    precise: bool,
}

impl Columns {
    pub(super) fn new(app: &App, logs: &Logs, rows: Range<usize>, width: usize) -> Self {
        let precise = width >= 100;
        let dated = rows
            .filter_map(|at| logs.row(at)?.at)
            .any(|at| time::moment(app, at).len() > 8);
        let time = 8 + if dated { 6 } else { 0 } + if precise { 4 } else { 0 };
        let widest = |widths: &mut dyn Iterator<Item = usize>| widths.max().unwrap_or(0);
        let name = widest(&mut logs.sources().iter().map(|s| text::width(&s.name)));
        let revision = widest(&mut logs.sources().iter().map(|s| text::width(revision(s))));
        let name = name.clamp(1, (width / 5).max(1));
        // Beside the letters stands the word for a former run.
        let revision = if logs.previous { 4 } else { 1 }.max(revision.min(4));
        Self {
            time,
            name,
            revision,
            text: width.saturating_sub(4 + time + 1 + name + 1 + revision + 1),
            precise,
        }
    }
}

fn revision(source: &crate::app::logs::Source) -> &str {
    source.revision.as_deref().unwrap_or("?")
}

/// A line in its rows: one, or as many as it takes and there are.
pub(super) fn draw(
    app: &App,
    logs: &Logs,
    at: usize,
    columns: &Columns,
    height: usize,
) -> Vec<Line<'static>> {
    let Some(row) = logs.row(at) else {
        return Vec::new();
    };
    let rows = if logs.wrap { height } else { 1 };
    let mut first = prefix(app, &row, columns, at == logs.cursor);
    if row.note {
        let room = columns.text + columns.name + columns.revision + 2;
        first.push(Span::styled(text::cut(row.text, room), theme::bold()));
        return vec![Line::from(first)];
    }
    let blank = 4 + columns.time + 1 + columns.name + 1 + columns.revision + 1;
    content(logs, &row, columns.text, rows)
        .into_iter()
        .enumerate()
        .map(|(at, spans)| {
            let mut line = match at {
                0 => std::mem::take(&mut first),
                _ => vec![Span::raw(" ".repeat(blank))],
            };
            line.extend(spans);
            Line::from(line)
        })
        .collect()
}

fn prefix(app: &App, row: &Row<'_>, columns: &Columns, selected: bool) -> Vec<Span<'static>> {
    let at = match row.at {
        Some(at) if columns.precise => time::precise(app, at),
        Some(at) => time::moment(app, at),
        None => String::new(),
    };
    let (sign, style) = match row.mark {
        Some(mark) => (head::sign(mark), head::style(mark)),
        None => (' ', theme::plain()),
    };
    let mut spans = vec![
        Span::raw(if selected { "> " } else { "  " }),
        Span::styled(format!("{sign} "), style),
        Span::styled(
            format!("{} ", text::pad_left(&at, columns.time)),
            theme::dim(),
        ),
    ];
    if let (Some((at, source)), false) = (row.source, row.note) {
        let name = text::cut_middle(&source.name, columns.name);
        let word = if row.previous {
            "prev"
        } else {
            revision(source)
        };
        spans.push(Span::styled(
            text::pad(&name, columns.name),
            theme::series(at),
        ));
        spans.push(Span::styled(
            format!(" {} ", text::pad(word, columns.revision)),
            theme::bold(),
        ));
    }
    spans
}

/// The text in rows.
fn content(logs: &Logs, row: &Row<'_>, columns: usize, rows: usize) -> Vec<Vec<Span<'static>>> {
    let plain = plain(row.text);
    let rewritten = (logs.readable && plain.len() <= LONG)
        .then(|| readable(&plain))
        .flatten();
    let level = rewritten.as_ref().map_or((0, false), |line| line.level);
    let shown: Cow<'_, str> = match rewritten {
        Some(line) => Cow::Owned(line.text),
        None => plain,
    };
    // No more of it is looked at than can be on screen; but the words that tell may be anywhere.
    let start = place(&shown, logs.shift);
    let most = columns.saturating_mul(rows).saturating_mul(2) + 64;
    let end = match row.mark {
        Some(_) if shown.len() <= LONG => shown.len(),
        _ => start + place(&shown[start..], most),
    };
    let base = when(row.previous, theme::dim());
    let (marked, telling) = emphasis(logs, row, &shown[..end], level);
    let elide = telling.filter(|_| rows == 1 && start == 0);
    if let Some(skip) = elide.and_then(|words| beyond(&shown, &words, columns)) {
        let mut parts = segments(&shown, 0..skip.start, &marked, base);
        parts.push(("…".to_owned(), theme::dim()));
        parts.extend(segments(&shown, skip.end..end, &marked, base));
        return match flow(&parts, columns, columns, 1) {
            (lines, None) => lines,
            (..) => ended(
                flow(&parts, columns, columns.saturating_sub(1), 1).0,
                "…",
                columns,
            ),
        };
    }
    let parts = segments(&shown, start..end, &marked, base);
    let (lines, used) = flow(&parts, columns, columns, rows);
    let left = match used {
        Some(used) => shown[start..].chars().count().saturating_sub(used),
        None => shown[end..].chars().count(),
    };
    let more = match left {
        0 => return lines,
        1..1000 => "…".to_owned(),
        left => format!("… +{} chars", grouped(left)),
    };
    let room = columns.saturating_sub(text::width(&more));
    ended(flow(&parts, columns, room, rows).0, &more, columns)
}

/// Stretches of a text, and how they are drawn.
type Marked = Vec<(Range<usize>, Style)>;

/// What stands out in a text, and the first words by which it tells replicas apart.
fn emphasis(
    logs: &Logs,
    row: &Row<'_>,
    text: &str,
    (level, fails): (usize, bool),
) -> (Marked, Option<Range<usize>>) {
    let style = if fails { theme::fail() } else { theme::bold() };
    let mut marked = vec![(0..level, style)];
    let words = row
        .mark
        .map(|_| logs.marks().words(text))
        .unwrap_or_default();
    let first = words.first().cloned();
    let fails = row.mark.is_some_and(|mark| mark.fails);
    let style = when(fails, theme::fail()).patch(theme::telling());
    marked.extend(words.into_iter().map(|range| (range, style)));
    let found = logs
        .search()
        .map(|pattern| pattern.places(text))
        .unwrap_or_default();
    marked.extend(found.into_iter().map(|range| (range, theme::changed())));
    (marked, first)
}

/// The rows with a sign at their end that there is more.
fn ended(
    mut lines: Vec<Vec<Span<'static>>>,
    more: &str,
    columns: usize,
) -> Vec<Vec<Span<'static>>> {
    if let Some(last) = lines.last_mut() {
        last.push(Span::styled(text::cut(more, columns), theme::dim()));
    }
    lines
}

/// What is left out of a line so that the words that tell are on screen, where they would else lie beyond its right edge.
fn beyond(line: &str, words: &Range<usize>, columns: usize) -> Option<Range<usize>> {
    let before = text::width(line.get(..words.start)?);
    let wanted = text::width(line.get(words.clone())?);
    if before + wanted < columns || wanted + 2 > columns {
        return None;
    }
    // Something of what stands right before them, as it says what they are; the rest is for the line's beginning.
    let lead = LEAD.min((columns - wanted - 2) / 2);
    let (mut from, mut room) = (words.start, lead);
    for (at, grapheme) in line[..words.start].grapheme_indices(true).rev() {
        let Some(left) = room.checked_sub(text::width(grapheme)) else {
            break;
        };
        (from, room) = (at, left);
    }
    let head = text::head(line, columns - wanted - 2 - lead).len();
    (head < from).then_some(head..from)
}

/// The byte at which the character with this number begins, or the end.
fn place(text: &str, number: usize) -> usize {
    let ascii = text.len().min(number);
    if text.is_char_boundary(ascii) && text[..ascii].is_ascii() {
        return ascii;
    }
    text.char_indices()
        .nth(number)
        .map_or(text.len(), |(at, _)| at)
}

/// The text cut where its style changes.
fn segments(
    text: &str,
    within: Range<usize>,
    marked: &[(Range<usize>, Style)],
    base: Style,
) -> Vec<(String, Style)> {
    let mut ends: Vec<usize> = marked
        .iter()
        .flat_map(|(range, _)| [range.start, range.end])
        .filter(|at| within.contains(at))
        .chain([within.start, within.end])
        .collect();
    ends.sort_unstable();
    ends.dedup();
    ends.windows(2)
        .filter_map(|pair| {
            let (from, to) = (*pair.first()?, *pair.last()?);
            let style = marked
                .iter()
                .filter(|(range, _)| range.contains(&from))
                .fold(base, |style, (_, more)| style.patch(*more));
            Some((harmless(text.get(from..to)?).into_owned(), style))
        })
        .collect()
}

/// The segments in at most so many rows, the last one of another width; and how many characters found room where not all
/// did.
fn flow(
    segments: &[(String, Style)],
    columns: usize,
    last: usize,
    rows: usize,
) -> (Vec<Vec<Span<'static>>>, Option<usize>) {
    let mut lines: Vec<Vec<Span<'static>>> = vec![Vec::new()];
    let (mut used, mut column) = (0, 0);
    for (text, style) in segments {
        let mut span = String::new();
        for grapheme in text.graphemes(true) {
            // A mark that has lost its letter would stick to whatever is before it.
            let alone = (text::width(grapheme) == 0).then(|| numbered(grapheme));
            let shown = alone.as_deref().unwrap_or(grapheme);
            let room = if lines.len() >= rows { last } else { columns };
            if column + text::width(shown) > room {
                push(&mut lines, &mut span, *style);
                if lines.len() >= rows || text::width(shown) > columns {
                    return (lines, Some(used));
                }
                lines.push(Vec::new());
                column = 0;
            }
            column += text::width(shown);
            used += grapheme.chars().count();
            span.push_str(shown);
        }
        push(&mut lines, &mut span, *style);
    }
    (lines, None)
}

fn push(lines: &mut [Vec<Span<'static>>], span: &mut String, style: Style) {
    if let (Some(line), false) = (lines.last_mut(), span.is_empty()) {
        line.push(Span::styled(std::mem::take(span), style));
    }
}

fn numbered(text: &str) -> String {
    text.chars()
        .map(|c| format!("<U+{:04X}>", c as u32))
        .collect()
}
