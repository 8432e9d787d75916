//! Which words of replaced lines changed.

use std::ops::Range;
use std::time::Instant;

use similar::{ChangeTag, DiffOp, TextDiff};
use unicode_width::UnicodeWidthChar;

use super::text::Row;

/// A replaced stretch longer than this (in bytes) is not searched for words: its lines differ altogether, or are no prose.
const MAX_SEARCHED: usize = 64 * 1024;
/// So much of one diff is searched for words.
const MAX_ALTOGETHER: usize = 1024 * 1024;
/// Words that are alike in this share of two texts at least are worth telling from those that are not.
const ALIKE: f32 = 0.3;
/// A character with more marks upon it than this is an attack, and may be cut anywhere.
const MAX_MARKS: usize = 32;

/// What the search for words may still cost.
#[derive(Debug)]
pub(super) struct Budget {
    bytes: usize,
    deadline: Instant,
}

impl Budget {
    pub(super) fn until(deadline: Instant) -> Self {
        Self {
            bytes: MAX_ALTOGETHER,
            deadline,
        }
    }

    /// Whether so many bytes may be searched; if so, they are paid for.
    fn pay(&mut self, bytes: usize) -> bool {
        if bytes > MAX_SEARCHED || bytes > self.bytes || Instant::now() >= self.deadline {
            return false;
        }
        self.bytes -= bytes;
        true
    }
}

/// Marks what changed in the rows of one replacement.
pub(super) fn mark(
    diff: &TextDiff<'_, '_, str>,
    op: &DiffOp,
    removed: &mut [Row],
    added: &mut [Row],
    budget: &mut Budget,
) {
    let size: usize = diff.iter_changes(op).map(|c| c.value().len()).sum();
    if budget.pay(size) {
        let changes = diff.iter_inline_changes_deadline(op, Some(budget.deadline));
        let rows = removed.iter_mut().chain(added.iter_mut());
        // Both tell the removed lines first, then the added ones.
        let mut changes: Vec<_> = changes.collect();
        changes.sort_by_key(|change| change.tag() != ChangeTag::Delete);
        for (row, change) in rows.zip(&changes) {
            row.marks = marked(change.values());
        }
    }
    if removed.len() != added.len() {
        return;
    }
    let line =
        |slice: Option<&str>| slice.map(|text| text.strip_suffix('\n').unwrap_or(text).to_owned());
    for (at, (old, new)) in removed.iter_mut().zip(added).enumerate() {
        let before = line(diff.old_slice(op.old_range().start + at));
        let after = line(diff.new_slice(op.new_range().start + at));
        if let (true, true, Some(before), Some(after)) =
            (old.marks.is_empty(), new.marks.is_empty(), before, after)
        {
            (old.marks, new.marks) = pair(&before, &after, budget);
        }
    }
}

/// The emphasized pieces as ranges, those that touch made one.
fn marked(values: &[(bool, &str)]) -> Vec<Range<usize>> {
    let mut marks = Vec::new();
    let mut at = 0;
    for (emphasized, piece) in values {
        let end = at + piece.trim_end_matches('\n').len();
        if *emphasized {
            add(&mut marks, at..end);
        }
        at += piece.len();
    }
    marks
}

fn add(marks: &mut Vec<Range<usize>>, mark: Range<usize>) {
    match marks.last_mut() {
        Some(last) if last.end == mark.start => last.end = mark.end,
        _ if mark.is_empty() => {}
        _ => marks.push(mark),
    }
}

/// What changed between two lines: what lies between their common beginning and their common end, or the words of it.
fn pair(old: &str, new: &str, budget: &mut Budget) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    let head = common_head(old, new);
    let (rest_old, rest_new) = (&old[head..], &new[head..]);
    let tail = common_tail(rest_old, rest_new);
    if head + tail == 0 {
        return (Vec::new(), Vec::new());
    }
    let (mid_old, mid_new) = (
        &rest_old[..rest_old.len() - tail],
        &rest_new[..rest_new.len() - tail],
    );
    let whole = |middle: &str| {
        let mut marks = Vec::new();
        add(&mut marks, head..head + middle.len());
        marks
    };
    if mid_old.is_empty() || mid_new.is_empty() || !budget.pay(mid_old.len() + mid_new.len()) {
        return (whole(mid_old), whole(mid_new));
    }
    let words = TextDiff::configure()
        .deadline(budget.deadline)
        .diff_unicode_words(mid_old, mid_new);
    if words.ratio() < ALIKE {
        return (whole(mid_old), whole(mid_new));
    }
    let (mut old_marks, mut new_marks) = (Vec::new(), Vec::new());
    let (mut old_at, mut new_at) = (head, head);
    for change in words.iter_all_changes() {
        let len = change.value().len();
        match change.tag() {
            ChangeTag::Equal => (old_at, new_at) = (old_at + len, new_at + len),
            ChangeTag::Delete => {
                add(&mut old_marks, old_at..old_at + len);
                old_at += len;
            }
            ChangeTag::Insert => {
                add(&mut new_marks, new_at..new_at + len);
                new_at += len;
            }
        }
    }
    (old_marks, new_marks)
}

/// The bytes that both begin with, whole characters with the marks upon them.
fn common_head(old: &str, new: &str) -> usize {
    let alike = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b);
    let mut head = alike.count();
    while !old.is_char_boundary(head) || !new.is_char_boundary(head) {
        head -= 1;
    }
    for _ in 0..MAX_MARKS {
        if !begins_with_mark(&old[head..]) && !begins_with_mark(&new[head..]) {
            break;
        }
        head -= old[..head].chars().next_back().map_or(0, char::len_utf8);
    }
    head
}

/// The bytes that both end with, whole characters with the marks upon them.
fn common_tail(old: &str, new: &str) -> usize {
    let alike = old
        .bytes()
        .rev()
        .zip(new.bytes().rev())
        .take_while(|(a, b)| a == b);
    let mut tail = alike.count();
    while !old.is_char_boundary(old.len() - tail) || !new.is_char_boundary(new.len() - tail) {
        tail -= 1;
    }
    for _ in 0..MAX_MARKS {
        let rest = &old[old.len() - tail..];
        if !begins_with_mark(rest) {
            break;
        }
        tail -= rest.chars().next().map_or(0, char::len_utf8);
    }
    tail
}

/// Whether the first character is drawn upon the one before it.
fn begins_with_mark(text: &str) -> bool {
    text.chars().next().is_some_and(|c| c.width() == Some(0))
}
