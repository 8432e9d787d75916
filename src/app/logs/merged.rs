//! The lines of many logs in order of time, as places in texts that are shared. It grows as pieces arrive; nothing is copied, and
//! nothing is looked at twice.

use std::collections::VecDeque;
use std::sync::Arc;

use super::pattern::Pattern;
use super::stamp;
use crate::analysis::Marks;

/// More lines than this are not kept: the oldest go.
const MOST: usize = 1_000_000;
/// They go so many at a time, since each time everything moves up.
const SLACK: usize = MOST / 16;

/// A line's place. Two dozen bytes, since there are a million of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line {
    /// Nanoseconds; of a line without a time those of the line before it.
    pub(super) at: i64,
    piece: u32,
    offset: u32,
    length: u32,
    pub(super) stream: u16,
    /// Which mark it has, from 1.
    mark: u8,
    flags: u8,
}

const FOUND: u8 = 1;
const KEPT: u8 = 2;

/// The order on screen: time, then the streams in their order, each in its own. So it never depends on what arrived first.
pub(super) type Key = (i64, u16, u32, u32);

impl Line {
    pub(super) fn key(&self) -> Key {
        (self.at, self.stream, self.piece, self.offset)
    }

    pub(super) fn mark(&self) -> Option<usize> {
        usize::from(self.mark).checked_sub(1)
    }

    pub(super) fn found(&self) -> bool {
        self.flags & FOUND != 0
    }

    pub(super) fn kept(&self) -> bool {
        self.flags & KEPT != 0
    }
}

/// One log: the pieces that are still there, and counts of their lines.
#[derive(Debug, Clone)]
pub(super) struct Stream {
    pieces: VecDeque<Arc<str>>,
    /// The number of the first of them.
    first: u32,
    /// The time of the last line that had one.
    last: i64,
    pub(super) lines: usize,
    /// Lines that were here and whose pieces were taken away.
    pub(super) dropped: usize,
    /// Lines with each mark.
    pub(super) marked: Vec<usize>,
    /// Words of this program, not of a container: they are neither searched nor filtered.
    pub(super) notes: bool,
    /// All its lines are about to come again.
    anew: bool,
}

impl Stream {
    pub(super) fn new(notes: bool) -> Self {
        Self {
            pieces: VecDeque::new(),
            first: 0,
            last: i64::MIN,
            lines: 0,
            dropped: 0,
            marked: Vec::new(),
            notes,
            anew: false,
        }
    }
}

/// What a feeding changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Changed {
    Nothing,
    /// Lines before this place are as they were.
    From(usize),
    All,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Merged {
    pub(super) lines: Vec<Line>,
    pub(super) streams: Vec<Stream>,
    pub(super) marks: Marks,
    /// What makes a line found, and what keeps it (or, inverted, throws it out).
    pub(super) search: Option<Pattern>,
    pub(super) keep: Option<(Pattern, bool)>,
    /// Lines that came and are not in order yet.
    fresh: Vec<Line>,
    /// Some stream lost pieces.
    lost: bool,
}

impl Merged {
    pub(super) fn text(&self, line: &Line) -> &str {
        let place = line.offset as usize..line.offset as usize + line.length as usize;
        self.streams
            .get(usize::from(line.stream))
            .and_then(|stream| {
                let at = line.piece.checked_sub(stream.first)?;
                stream.pieces.get(at as usize)?.get(place)
            })
            .unwrap_or_default()
    }

    /// Takes a stream's pieces as they are now: new ones at the end are added, missing ones at the front go with their lines,
    /// and where none is known the log was read anew.
    pub(super) fn take(&mut self, stream: u16, pieces: &[Arc<str>]) {
        let Some(known) = self.streams.get_mut(usize::from(stream)) else {
            return;
        };
        let gone = match pieces.first() {
            Some(first) => known
                .pieces
                .iter()
                .position(|piece| Arc::ptr_eq(piece, first)),
            None => None,
        }
        .unwrap_or(known.pieces.len());
        let left = known.pieces.len() - gone;
        let same = match (known.pieces.back(), left.checked_sub(1)) {
            (Some(last), Some(at)) => pieces.get(at).is_some_and(|p| Arc::ptr_eq(p, last)),
            _ => true,
        };
        let gone = if same { gone } else { known.pieces.len() };
        if gone > 0 {
            self.lost = true;
            known.pieces.drain(..gone);
            known.first += u32::try_from(gone).unwrap_or(0);
            if known.pieces.is_empty() {
                // Read anew: the same lines come again, so none of them is lost.
                known.last = i64::MIN;
                known.dropped = 0;
                known.anew = true;
            }
        }
        let new = pieces.get(known.pieces.len()..).unwrap_or_default();
        for piece in new {
            self.add(stream, piece);
        }
    }

    fn add(&mut self, number: u16, piece: &Arc<str>) {
        let Some(stream) = self.streams.get_mut(usize::from(number)) else {
            return;
        };
        let piece_number = stream.first + u32::try_from(stream.pieces.len()).unwrap_or(0);
        stream.pieces.push_back(piece.clone());
        let mut hints = self.marks.hints(piece).peekable();
        let mut start = 0;
        for whole in piece.split_inclusive('\n') {
            let end = start + whole.len();
            let line = whole.trim_end_matches(['\n', '\r']);
            let (at, skip) = stamp::split(line);
            stream.last = at.unwrap_or(stream.last);
            let text = &line[skip..];
            let mut hinted = false;
            while hints.next_if(|hint| *hint < end).is_some() {
                hinted = true;
            }
            let mark = hinted
                .then(|| self.marks.of_line(text))
                .flatten()
                .and_then(|mark| u8::try_from(mark + 1).ok())
                .unwrap_or(0);
            let mut line = Line {
                at: stream.last,
                piece: piece_number,
                offset: u32::try_from(start + skip).unwrap_or(u32::MAX),
                length: u32::try_from(text.len()).unwrap_or(u32::MAX),
                stream: number,
                mark,
                flags: 0,
            };
            if !stream.notes {
                flag(&mut line, text, self.search.as_ref(), self.keep.as_ref());
            }
            self.fresh.push(line);
            start = end;
        }
    }

    /// Adds a line of this program's own.
    pub(super) fn note(&mut self, number: u16, at: i64, text: &str) {
        if let Some(stream) = self.streams.get_mut(usize::from(number)) {
            let piece = stream.first + u32::try_from(stream.pieces.len()).unwrap_or(0);
            stream.pieces.push_back(Arc::from(text));
            self.fresh.push(Line {
                at,
                piece,
                offset: 0,
                length: u32::try_from(text.len()).unwrap_or(0),
                stream: number,
                mark: 0,
                flags: 0,
            });
        }
    }

    /// Takes all notes out, for those that hold now.
    pub(super) fn clear_notes(&mut self) {
        for stream in self.streams.iter_mut().filter(|stream| stream.notes) {
            let gone = stream.pieces.len();
            stream.pieces.clear();
            stream.first += u32::try_from(gone).unwrap_or(0);
            self.lost |= gone > 0;
        }
    }

    /// Puts what came in its place, and takes out what is gone.
    pub(super) fn settle(&mut self) -> Changed {
        let removed = self.lost;
        if self.lost {
            self.lost = false;
            self.sweep();
        }
        let mut fresh = std::mem::take(&mut self.fresh);
        fresh.sort_by_key(Line::key);
        for line in &fresh {
            count(&mut self.streams, line, 1);
        }
        let from = match fresh.first().map(Line::key) {
            Some(first) => self.lines.partition_point(|line| line.key() < first),
            None => self.lines.len(),
        };
        let came = !fresh.is_empty();
        if came {
            let late = self.lines.split_off(from);
            merge(&mut self.lines, &late, &fresh);
        }
        let bounded = self.bound();
        match (removed || bounded, came) {
            (true, _) => Changed::All,
            (false, true) => Changed::From(from),
            (false, false) => Changed::Nothing,
        }
    }

    /// Takes out the lines whose pieces are gone.
    fn sweep(&mut self) {
        let streams = &mut self.streams;
        self.lines.retain(|line| {
            let here = streams
                .get(usize::from(line.stream))
                .is_some_and(|stream| line.piece >= stream.first);
            if !here {
                count(streams, line, -1);
                dropped(streams, line);
            }
            here
        });
        self.streams
            .iter_mut()
            .for_each(|stream| stream.anew = false);
    }

    fn bound(&mut self) -> bool {
        let over = self.lines.len().saturating_sub(MOST);
        if over <= SLACK {
            return false;
        }
        for line in self.lines.drain(..over) {
            count(&mut self.streams, &line, -1);
            dropped(&mut self.streams, &line);
        }
        true
    }

    /// Searches all lines again.
    pub(super) fn search_again(&mut self) {
        let mut lines = std::mem::take(&mut self.lines);
        for line in &mut lines {
            line.flags = 0;
            let notes = self
                .streams
                .get(usize::from(line.stream))
                .is_some_and(|stream| stream.notes);
            if !notes {
                let text = self.text(line);
                flag(line, text, self.search.as_ref(), self.keep.as_ref());
            }
        }
        self.lines = lines;
    }

    /// Forgets all lines but not where they came from, for other marks: they come again.
    pub(super) fn restart(&mut self, marks: Marks) {
        self.marks = marks;
        self.lines.clear();
        self.fresh.clear();
        for stream in &mut self.streams {
            *stream = Stream {
                dropped: stream.dropped,
                ..Stream::new(stream.notes)
            };
        }
    }
}

fn flag(line: &mut Line, text: &str, search: Option<&Pattern>, keep: Option<&(Pattern, bool)>) {
    if search.is_some_and(|pattern| pattern.is_in(text)) {
        line.flags |= FOUND;
    }
    if keep.is_none_or(|(pattern, invert)| pattern.is_in(text) != *invert) {
        line.flags |= KEPT;
    }
}

fn count(streams: &mut [Stream], line: &Line, by: isize) {
    let Some(stream) = streams.get_mut(usize::from(line.stream)) else {
        return;
    };
    stream.lines = stream.lines.saturating_add_signed(by);
    if let Some(mark) = line.mark() {
        if stream.marked.len() <= mark {
            stream.marked.resize(mark + 1, 0);
        }
        if let Some(marked) = stream.marked.get_mut(mark) {
            *marked = marked.saturating_add_signed(by);
        }
    }
}

fn dropped(streams: &mut [Stream], line: &Line) {
    if let Some(stream) = streams.get_mut(usize::from(line.stream)) {
        stream.dropped += usize::from(!stream.notes && !stream.anew);
    }
}

/// Adds two sorted lists in one order.
fn merge(out: &mut Vec<Line>, a: &[Line], b: &[Line]) {
    out.reserve(a.len() + b.len());
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        let next = if x.key() <= y.key() { &mut a } else { &mut b };
        out.extend(next.next());
    }
    out.extend(a);
    out.extend(b);
}

#[cfg(test)]
mod tests;
