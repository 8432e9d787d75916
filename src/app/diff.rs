//! The diff of one key between two revisions: computed when it is looked at, and never for longer than a blink.

use std::ops::Range;
use std::time::Duration;

use similar::{ChangeTag, DiffOp, DiffTag, TextDiff};

use crate::analysis::{Incident, Revision};
use crate::model::Content;

/// Lines of context around a change.
const CONTEXT: usize = 3;
/// After this long the diff is taken as coarse as it is then.
const PATIENCE: Duration = Duration::from_millis(150);
/// A replaced stretch longer than this (in bytes) is not searched for words: its lines differ altogether, or are no prose.
const MAX_WORDS: usize = 16 * 1024;
/// More of one key than this is not worth reading on a screen.
const MAX_LINES: usize = 20_000;

/// The diff tab's state.
#[derive(Debug, Clone, Default)]
pub struct DiffView {
    /// Places in the incident's revisions; `None` before the tab was first opened, or where there is only one.
    pub left: Option<usize>,
    pub right: Option<usize>,
    /// The keys in which the two differ.
    pub keys: Vec<String>,
    pub key: usize,
    pub body: Body,
    /// First line on screen.
    pub scroll: usize,
}

/// What the two revisions hold under a key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Body {
    /// There is nothing to compare; the sentence says why.
    Nothing(String),
    Text(Vec<Line>),
    /// Size and the place of the first difference say all that can be shown.
    Binary {
        left: Option<usize>,
        right: Option<usize>,
    },
    /// A Secret's value: it differs, and is not shown.
    #[default]
    Hidden,
}

/// One line of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub kind: LineKind,
    /// Line number, from 1, on the side where the line is (the right one for context).
    pub number: usize,
    /// Text in pieces, and whether the piece is what changed. Without the line feed; a carriage return stays.
    pub parts: Vec<(bool, String)>,
    /// The last line of a text that does not end in a line feed.
    pub unterminated: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    Context,
    Removed,
    Added,
    /// So many unchanged lines are left out here.
    Skipped(usize),
}

impl DiffView {
    /// Compares two revisions of an incident, and opens the first key that differs.
    pub fn open(incident: &Incident, left: usize) -> Self {
        let Some(right) = incident.revisions.iter().position(|r| r.live) else {
            return Self {
                body: Body::Nothing("No live revision is known.".into()),
                ..Self::default()
            };
        };
        let mut view = Self {
            left: Some(left),
            right: Some(right),
            ..Self::default()
        };
        match (incident.revisions.get(left), incident.revisions.get(right)) {
            (Some(_), Some(_)) if left == right => {
                view.left = None;
                view.body = Body::Nothing("Only the live revision is known.".into());
            }
            (Some(old), Some(new)) => view.compare(old, new),
            _ => view.body = Body::Nothing("Only the live revision is known.".into()),
        }
        view
    }

    fn compare(&mut self, old: &Revision, new: &Revision) {
        match (&old.content, &new.content) {
            (Some(left), Some(right)) => {
                let keys = left.keys().into_iter().chain(right.keys());
                let mut differing: Vec<String> = keys
                    .filter(|key| !left.same_at(right, key))
                    .map(str::to_owned)
                    .collect();
                differing.sort();
                differing.dedup();
                self.keys = differing;
                self.show((left, right));
            }
            (None, _) => self.body = not_found(&old.name),
            (_, None) => self.body = not_found(&new.name),
        }
    }

    fn show(&mut self, contents: (&Content, &Content)) {
        self.scroll = 0;
        self.body = match self.keys.get(self.key) {
            Some(key) => body(contents.0, contents.1, key),
            None => Body::Nothing("The two revisions hold the same.".into()),
        };
    }

    /// The same comparison after another reading.
    pub fn again(&self, incident: &Incident, left: usize) -> Self {
        let mut view = Self::open(incident, left);
        let key = self.keys.get(self.key);
        if let Some(at) = view.keys.iter().position(|other| Some(other) == key) {
            view.turn_to(incident, at);
            view.scroll = self.scroll.min(view.len().saturating_sub(1));
        }
        view
    }

    /// To the next change, in this key or the next that differs.
    pub fn next_change(&mut self, incident: &Incident) {
        match self
            .hunks()
            .into_iter()
            .find(|start| *start > self.scroll + CONTEXT)
        {
            Some(start) => self.scroll = start.saturating_sub(CONTEXT),
            None if self.key + 1 < self.keys.len() => self.turn_to(incident, self.key + 1),
            None => {}
        }
    }

    /// To the change before, in this key or the one before.
    pub fn previous_change(&mut self, incident: &Incident) {
        match self
            .hunks()
            .into_iter()
            .rev()
            .find(|start| start.saturating_sub(CONTEXT) < self.scroll)
        {
            Some(start) => self.scroll = start.saturating_sub(CONTEXT),
            None if self.scroll > 0 => self.scroll = 0,
            None if self.key > 0 => self.turn_to(incident, self.key - 1),
            None => {}
        }
    }

    fn turn_to(&mut self, incident: &Incident, key: usize) {
        self.key = key;
        let content = |at: Option<usize>| incident.revisions.get(at?)?.content.as_ref();
        if let (Some(left), Some(right)) = (content(self.left), content(self.right)) {
            self.show((left, right));
        }
    }

    /// Takes another revision for the left side, older or newer, never the live one itself.
    pub fn turn_revision(&mut self, incident: &Incident, newer: bool) {
        let Some(left) = self.left else { return };
        let mut others: Vec<usize> = (0..incident.revisions.len())
            .filter(|at| Some(*at) != self.right)
            .filter(|at| if newer { *at > left } else { *at < left })
            .collect();
        if !newer {
            others.reverse();
        }
        if let Some(next) = others.first() {
            *self = Self::open(incident, *next);
        }
    }

    pub fn len(&self) -> usize {
        match &self.body {
            Body::Text(lines) => lines.len(),
            _ => 1,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where changes begin.
    fn hunks(&self) -> Vec<usize> {
        let Body::Text(lines) = &self.body else {
            return Vec::new();
        };
        let changed = |at: usize| {
            lines
                .get(at)
                .is_some_and(|line| matches!(line.kind, LineKind::Added | LineKind::Removed))
        };
        (0..lines.len())
            .filter(|at| changed(*at) && (*at == 0 || !changed(at - 1)))
            .collect()
    }
}

fn not_found(revision: &str) -> Body {
    Body::Nothing(format!(
        "Revision {revision} is known to have existed, but what it held is in no place that was read."
    ))
}

/// The revision to open on: what this replica loaded, else what the oldest stale replica loaded, else the one before live.
pub fn first_left(incident: &Incident, selected: Option<&str>) -> usize {
    let place = |name: &str| {
        incident
            .revisions
            .iter()
            .position(|revision| revision.name == name && !revision.live)
    };
    let stale = incident
        .replicas
        .iter()
        .filter(|replica| replica.live == Some(false))
        .min_by_key(|replica| replica.started_at);
    let live = incident.revisions.iter().position(|r| r.live).unwrap_or(0);
    selected
        .and_then(place)
        .or_else(|| stale?.loaded.as_deref().and_then(place))
        .unwrap_or_else(|| live.saturating_sub(1))
}

fn body(left: &Content, right: &Content, key: &str) -> Body {
    let (
        Content::Plain {
            binary: old_bytes, ..
        },
        Content::Plain {
            binary: new_bytes, ..
        },
    ) = (left, right)
    else {
        return Body::Hidden;
    };
    let (old, new) = (old_bytes.get(key), new_bytes.get(key));
    if old.is_some() || new.is_some() {
        return Body::Binary {
            left: old
                .map(Vec::len)
                .or_else(|| left.get_text(key).map(str::len)),
            right: new
                .map(Vec::len)
                .or_else(|| right.get_text(key).map(str::len)),
        };
    }
    Body::Text(lines(
        left.get_text(key).unwrap_or(""),
        right.get_text(key).unwrap_or(""),
    ))
}

/// The lines of a diff of two texts, changed words marked, unchanged stretches left out.
pub fn lines(old: &str, new: &str) -> Vec<Line> {
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old, new);
    let mut words = MAX_WORDS;
    let mut out = Vec::new();
    let mut next = 0;
    for group in diff.grouped_ops(CONTEXT) {
        let start = group.first().map_or(next, |op| op.new_range().start);
        skip(&mut out, next..start);
        for op in &group {
            push_op(&mut out, &diff, op, &mut words);
            next = op.new_range().end;
        }
        if out.len() > MAX_LINES {
            break;
        }
    }
    skip(&mut out, next..diff.new_len());
    out
}

fn skip(out: &mut Vec<Line>, range: Range<usize>) {
    if !range.is_empty() {
        out.push(Line {
            kind: LineKind::Skipped(range.len()),
            number: range.start + 1,
            parts: Vec::new(),
            unterminated: false,
        });
    }
}

/// Adds one operation's lines. `words` is what may still be searched for changed words in this diff.
fn push_op(out: &mut Vec<Line>, diff: &TextDiff<'_, '_, str>, op: &DiffOp, words: &mut usize) {
    let first = out.len();
    let size: usize = diff.iter_changes(op).map(|c| c.value().len()).sum();
    if op.tag() == DiffTag::Replace && size <= *words {
        *words -= size;
        for change in diff.iter_inline_changes(op) {
            let index = (change.old_index(), change.new_index());
            push_line(out, change.tag(), index, change.values());
        }
    } else {
        for change in diff.iter_changes(op) {
            let index = (change.old_index(), change.new_index());
            push_line(out, change.tag(), index, &[(false, change.value())]);
        }
    }
    if let [old, new] = &mut out[first..] {
        mark_the_middle(old, new);
    }
}

fn push_line(
    out: &mut Vec<Line>,
    tag: ChangeTag,
    (old, new): (Option<usize>, Option<usize>),
    values: &[(bool, &str)],
) {
    let (kind, index) = match tag {
        ChangeTag::Equal => (LineKind::Context, new),
        ChangeTag::Delete => (LineKind::Removed, old),
        ChangeTag::Insert => (LineKind::Added, new),
    };
    out.push(Line {
        kind,
        number: index.map_or(0, |at| at + 1),
        parts: values
            .iter()
            .map(|(marked, text)| (*marked, text.trim_end_matches('\n').to_owned()))
            .filter(|(_, text)| !text.is_empty())
            .collect(),
        unterminated: values.last().is_some_and(|(_, text)| !text.ends_with('\n')),
    });
}

/// Two lines too different for a diff of words (or too long for one in time): what lies between their common
/// beginning and their common end is what changed.
fn mark_the_middle(old: &mut Line, new: &mut Line) {
    let pair = (old.kind, new.kind) == (LineKind::Removed, LineKind::Added);
    let marked = |line: &Line| line.parts.iter().any(|(marked, _)| *marked);
    if !pair || marked(old) || marked(new) {
        return;
    }
    let text = |line: &Line| -> String { line.parts.iter().map(|(_, t)| t.as_str()).collect() };
    let (a, b) = (text(old), text(new));
    let head: usize = a
        .chars()
        .zip(b.chars())
        .take_while(|(x, y)| x == y)
        .map(|(x, _)| x.len_utf8())
        .sum();
    let tail: usize = a[head..]
        .chars()
        .rev()
        .zip(b[head..].chars().rev())
        .take_while(|(x, y)| x == y)
        .map(|(x, _)| x.len_utf8())
        .sum();
    if head + tail == 0 {
        return;
    }
    for (line, text) in [(old, a), (new, b)] {
        let end = text.len() - tail;
        line.parts = [
            (false, &text[..head]),
            (true, &text[head..end]),
            (false, &text[end..]),
        ]
        .into_iter()
        .filter(|(_, piece)| !piece.is_empty())
        .map(|(marked, piece)| (marked, piece.to_owned()))
        .collect();
    }
}

#[cfg(test)]
mod tests;
