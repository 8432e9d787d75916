//! Two texts compared by lines: rows that point into the texts, changed words marked, and never longer than a blink.
//!
//! Nothing is copied but the two texts: a row knows its line by number, so a mebibyte of lines costs little, and drawing a
//! screenful touches a screenful.

use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{DiffOp, TextDiff};

use super::marks;

/// Lines of context around a change.
pub(super) const CONTEXT: usize = 3;
/// After this long the diff is taken as coarse as it is then.
const PATIENCE: Duration = Duration::from_millis(150);
/// More lines than these, beside those that both texts begin and end with, are not worth a search.
const MAX_COMPARED: usize = 200_000;
/// Changes of one line that lie so far apart (in bytes) that one may be off screen are gone to one by one.
const FAR: usize = 120;
/// So many places of one line are gone to.
const MAX_PLACES: usize = 200;

/// One side: a text and where its lines begin.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lines {
    text: String,
    starts: Vec<usize>,
}

impl Lines {
    pub fn new(text: &str) -> Self {
        let feeds = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let mut starts = vec![0];
        starts.extend(feeds.map(|(at, _)| at + 1));
        // What follows the last line feed is a line only if there is something.
        starts.pop_if(|last| *last == text.len());
        Self {
            text: text.to_owned(),
            starts,
        }
    }

    pub fn len(&self) -> usize {
        self.starts.len()
    }

    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// A line with its line feed, counted from 0.
    fn whole(&self, line: usize) -> &str {
        let start = self.starts.get(line).copied();
        let end = self.starts.get(line + 1).copied();
        start
            .and_then(|start| self.text.get(start..end.unwrap_or(self.text.len())))
            .unwrap_or_default()
    }

    /// A line without its line feed; a carriage return stays.
    pub fn line(&self, line: usize) -> &str {
        let whole = self.whole(line);
        whole.strip_suffix('\n').unwrap_or(whole)
    }

    /// Whether this is a last line that does not end in a line feed.
    pub fn is_unterminated(&self, line: usize) -> bool {
        line + 1 == self.len() && !self.text.ends_with('\n')
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Context,
    Removed,
    Added,
    /// So many unchanged lines are left out here.
    Skipped(usize),
}

/// One row of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub kind: Kind,
    /// The line on either side, from 0; of lines that are left out the first.
    pub old: Option<usize>,
    pub new: Option<usize>,
    /// What changed within the line, in bytes.
    pub marks: Vec<Range<usize>>,
}

/// A place where something changed: a block of lines, or a place far to the right in one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop {
    pub row: usize,
    /// Characters before it, where it is not the first change in its line.
    pub across: Option<usize>,
}

/// The comparison of two texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text {
    pub old: Lines,
    pub new: Lines,
    pub rows: Vec<Row>,
    pub stops: Vec<Stop>,
    /// It took too long: what is alike may be shown as changed.
    pub coarse: bool,
}

impl Text {
    /// Compares two texts; `all` keeps the unchanged lines too.
    pub fn compare(old: &str, new: &str, all: bool) -> Self {
        let mut text = Self {
            old: Lines::new(old),
            new: Lines::new(new),
            ..Self::default()
        };
        let (rows, coarse) = rows(&text.old, &text.new, all);
        text.rows = rows;
        text.coarse = coarse;
        text.stops = text.find_stops();
        text
    }

    /// A row's text, and whether it lacks a line feed at its end.
    pub fn line(&self, row: &Row) -> (&str, bool) {
        let (side, line) = match (row.old, row.new) {
            (_, Some(line)) => (&self.new, line),
            (Some(line), None) => (&self.old, line),
            (None, None) => return ("", false),
        };
        (side.line(line), side.is_unterminated(line))
    }

    /// Characters of the longest line of either side, or more: what is measured in bytes is never too short.
    pub(super) fn longest(&self) -> usize {
        let longest = |side: &Lines| (0..side.len()).map(|at| side.line(at).len()).max();
        longest(&self.old).max(longest(&self.new)).unwrap_or(0)
    }

    fn find_stops(&self) -> Vec<Stop> {
        let changed =
            |row: Option<&Row>| row.is_some_and(|r| matches!(r.kind, Kind::Removed | Kind::Added));
        let mut stops = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|before| self.rows.get(before));
            if !changed(Some(row)) {
                continue;
            }
            if !changed(before) {
                stops.push(Stop {
                    row: at,
                    across: None,
                });
            }
            // An added line says the same again as the removed one that it replaces.
            if row.kind == Kind::Removed {
                self.add_far_marks(at, row, &mut stops);
            }
        }
        stops
    }

    fn add_far_marks(&self, at: usize, row: &Row, stops: &mut Vec<Stop>) {
        let mut last = row.marks.first().map_or(0, |mark| mark.start);
        let text = self.line(row).0;
        for mark in row.marks.iter().skip(1).take(MAX_PLACES) {
            if mark.start > last + FAR {
                last = mark.start;
                let before = text.get(..mark.start).unwrap_or_default();
                stops.push(Stop {
                    row: at,
                    across: Some(before.chars().count()),
                });
            }
        }
    }
}

/// The rows, and whether the search was given up.
fn rows(old: &Lines, new: &Lines, all: bool) -> (Vec<Row>, bool) {
    let shorter = old.len().min(new.len());
    let head = (0..shorter)
        .take_while(|at| old.whole(*at) == new.whole(*at))
        .count();
    let tail = (0..shorter - head)
        .take_while(|back| old.whole(old.len() - 1 - back) == new.whole(new.len() - 1 - back))
        .count();
    let old_middle: Vec<&str> = (head..old.len() - tail).map(|at| old.whole(at)).collect();
    let new_middle: Vec<&str> = (head..new.len() - tail).map(|at| new.whole(at)).collect();
    let mut draft = Draft {
        rows: Vec::new(),
        all,
    };
    draft.equal(0, 0, head, (true, old_middle.len() + new_middle.len() == 0));
    let deadline = Instant::now() + PATIENCE;
    let too_many = old_middle.len() + new_middle.len() > MAX_COMPARED;
    if too_many {
        draft.removed(head..head + old_middle.len());
        draft.added(head..head + new_middle.len());
    } else {
        let diff = TextDiff::configure()
            .deadline(deadline)
            .diff_slices(&old_middle, &new_middle);
        let mut budget = marks::Budget::until(deadline);
        for op in diff.ops() {
            draft.push(&diff, op, head, &mut budget);
        }
    }
    let ends = (old_middle.len() + new_middle.len() == 0, true);
    draft.equal(old.len() - tail, new.len() - tail, tail, ends);
    (draft.rows, too_many || Instant::now() >= deadline)
}

struct Draft {
    rows: Vec<Row>,
    all: bool,
}

impl Draft {
    fn push(
        &mut self,
        diff: &TextDiff<'_, '_, str>,
        op: &DiffOp,
        head: usize,
        budget: &mut marks::Budget,
    ) {
        let (old, new) = (op.old_range(), op.new_range());
        if let DiffOp::Equal { len, .. } = op {
            return self.equal(head + old.start, head + new.start, *len, (false, false));
        }
        let first = self.rows.len();
        self.removed(head + old.start..head + old.end);
        self.added(head + new.start..head + new.end);
        if let (DiffOp::Replace { .. }, Some(rows)) = (op, self.rows.get_mut(first..)) {
            let (removed, added) = rows.split_at_mut(old.len());
            marks::mark(diff, op, removed, added, budget);
        }
    }

    fn removed(&mut self, lines: Range<usize>) {
        self.rows
            .extend(lines.map(|line| row(Kind::Removed, Some(line), None)));
    }

    fn added(&mut self, lines: Range<usize>) {
        self.rows
            .extend(lines.map(|line| row(Kind::Added, None, Some(line))));
    }

    /// Adds unchanged lines: those near a change, the others as a number. `ends` says at which end no change follows.
    fn equal(&mut self, old: usize, new: usize, len: usize, ends: (bool, bool)) {
        let before = if ends.0 { 0 } else { CONTEXT };
        let after = if ends.1 { 0 } else { CONTEXT };
        // A line that says that one line is left out is no shorter than that line.
        let skip = len > before + after + 1 && !self.all;
        let left_out = if skip { before..len - after } else { len..len };
        for at in (0..len).filter(|at| !left_out.contains(at)) {
            if skip && at == left_out.end {
                self.skip(old + left_out.start, new + left_out.start, left_out.len());
            }
            self.rows
                .push(row(Kind::Context, Some(old + at), Some(new + at)));
        }
        if skip && left_out.end == len {
            self.skip(old + left_out.start, new + left_out.start, left_out.len());
        }
    }

    fn skip(&mut self, old: usize, new: usize, count: usize) {
        self.rows
            .push(row(Kind::Skipped(count), Some(old), Some(new)));
    }
}

fn row(kind: Kind, old: Option<usize>, new: Option<usize>) -> Row {
    Row {
        kind,
        old,
        new,
        marks: Vec::new(),
    }
}

#[cfg(test)]
mod tests;
