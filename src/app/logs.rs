//! The logs of an incident's replicas, merged by time: what is shown of them, and where the reader is.

mod act;
mod merged;
mod pattern;
mod plain;
mod readable;
mod sources;
mod stamp;

use chrono::{DateTime, Utc};
use tui_input::Input;

use crate::analysis::{Incident, Mark, Marks};
use crate::model::Facts;
pub use act::LogsCommand;
use merged::{Changed, Key, Line, Merged};
pub use pattern::Pattern;
pub(crate) use plain::plain;
pub use readable::{Readable, readable};
use sources::Note;
pub use sources::{Source, State};

/// The logs tab's state. Lines are taken in while it is open, piece by piece as they arrive.
#[derive(Debug, Clone)]
pub struct Logs {
    merged: Merged,
    sources: Vec<Source>,
    notes: Vec<Note>,
    /// The lines that are shown, where that is not all.
    view: Option<Vec<u32>>,
    /// The selected line among those that are shown.
    pub cursor: usize,
    /// The end is shown, and stays shown when more comes.
    pub follow: bool,
    /// Lines that came since the reader left the end.
    pub fresh: usize,
    /// One source alone.
    only: Option<usize>,
    /// The logs of former runs are among them.
    pub previous: bool,
    /// JSON and logfmt are shown in readable form.
    pub readable: bool,
    pub wrap: bool,
    /// Characters of each line that are left of the screen.
    pub shift: usize,
    /// The summary makes room.
    pub full: bool,
    /// What is being typed.
    pub prompt: Option<Prompt>,
}

/// A pattern that is being typed.
#[derive(Debug, Clone)]
pub struct Prompt {
    pub what: Asked,
    pub input: Input,
}

/// What a pattern is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// To be found.
    Search,
    /// To be all that is shown; after `!`, what is not.
    Keep,
}

/// A line as it is to be drawn.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// None of a line that came before any time.
    pub at: Option<DateTime<Utc>>,
    /// Whose it is; none where it is about all.
    pub source: Option<(usize, &'a Source)>,
    pub previous: bool,
    /// A line of this program's own.
    pub note: bool,
    pub text: &'a str,
    pub mark: Option<&'a Mark>,
}

/// Streams of a source: its former run, notes about it, and its run. Those of all come before the first source.
const RUNS: u16 = 3;

impl Default for Logs {
    fn default() -> Self {
        Self {
            merged: Merged::default(),
            sources: Vec::new(),
            notes: Vec::new(),
            view: None,
            cursor: 0,
            follow: true,
            fresh: 0,
            only: None,
            previous: false,
            readable: true,
            wrap: false,
            shift: 0,
            full: false,
            prompt: None,
        }
    }
}

impl Logs {
    /// Takes in what is known now.
    pub fn feed(&mut self, incident: &Incident, facts: &Facts) {
        let place = self.place();
        let before = self.len();
        let known = sources::Known::new(incident, facts);
        sources::update(&mut self.sources, &known);
        self.make_streams();
        let marks = Marks::of(incident);
        let anew = marks != self.merged.marks;
        if anew {
            self.merged.restart(marks);
        }
        for (at, source) in self.sources.iter().enumerate() {
            for previous in [true, false] {
                let log = facts.log(&source.pod, &source.container, previous);
                if let Some(log) = log.filter(|_| source.previous || !previous) {
                    let run = if previous { 0 } else { 2 };
                    self.merged.take(stream(Some(at), run), log.text.pieces());
                }
            }
        }
        let notes = sources::notes(&self.sources, &known);
        if anew || notes != self.notes {
            self.merged.clear_notes();
            for (source, at, text) in &notes {
                let at = at.timestamp_nanos_opt().unwrap_or(i64::MAX);
                self.merged.note(stream(*source, 1), at, text);
            }
            self.notes = notes;
        }
        match self.merged.settle() {
            _ if anew => self.show(0),
            Changed::Nothing => return,
            Changed::From(first) => self.show(first),
            Changed::All => self.show(0),
        }
        if !self.follow {
            self.fresh += self.len().saturating_sub(before);
        }
        self.go_to(place);
    }

    fn make_streams(&mut self) {
        let wanted = usize::from(RUNS) * (self.sources.len() + 1);
        while self.merged.streams.len() < wanted {
            let notes = self.merged.streams.len() % usize::from(RUNS) == 1;
            self.merged.streams.push(merged::Stream::new(notes));
        }
    }

    /// Finds anew which lines are shown, from a place among all lines on.
    fn show(&mut self, first: usize) {
        let lines = &self.merged.lines;
        let former = !self.previous && self.sources.iter().any(|source| source.previous);
        if self.only.is_none() && self.merged.keep.is_none() && !former {
            self.view = None;
            return;
        }
        let mut view = self.view.take().unwrap_or_default();
        let first = if view.is_empty() { 0 } else { first };
        view.truncate(view.partition_point(|at| (*at as usize) < first));
        let shown = lines.iter().enumerate().skip(first).filter(|(_, line)| {
            let note = line.stream % RUNS == 1;
            let source = usize::from(line.stream / RUNS).checked_sub(1);
            (self.previous || line.stream % RUNS != 0)
                && (source.is_none() || self.only.is_none() || self.only == source)
                && (self.merged.keep.is_none() || (!note && line.kept()))
        });
        view.extend(shown.filter_map(|(at, _)| u32::try_from(at).ok()));
        self.view = Some(view);
    }

    /// How many lines are shown.
    pub fn len(&self) -> usize {
        self.view.as_ref().map_or(self.merged.lines.len(), Vec::len)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn line(&self, at: usize) -> Option<&Line> {
        let place = match &self.view {
            Some(view) => *view.get(at)? as usize,
            None => at,
        };
        self.merged.lines.get(place)
    }

    /// A line that is shown.
    pub fn row(&self, at: usize) -> Option<Row<'_>> {
        let line = self.line(at)?;
        let source = usize::from(line.stream / RUNS).checked_sub(1);
        Some(Row {
            at: (line.at != i64::MIN).then(|| stamp::moment(line.at)),
            source: source.and_then(|at| Some((at, self.sources.get(at)?))),
            previous: line.stream % RUNS == 0,
            note: line.stream % RUNS == 1,
            text: self.merged.text(line),
            mark: line
                .mark()
                .and_then(|mark| self.merged.marks.list().get(mark)),
        })
    }

    /// The line that is selected, to be found again.
    fn place(&self) -> Option<Key> {
        self.line(self.cursor).map(Line::key)
    }

    /// Back to a line, or to the next one where it is not shown any more.
    fn go_to(&mut self, place: Option<Key>) {
        let last = self.len().saturating_sub(1);
        self.cursor = match place {
            Some(key) if !self.follow => {
                let at = match &self.view {
                    Some(view) => view.partition_point(|at| {
                        self.merged
                            .lines
                            .get(*at as usize)
                            .is_some_and(|line| line.key() < key)
                    }),
                    None => self.merged.lines.partition_point(|line| line.key() < key),
                };
                at.min(last)
            }
            _ => last,
        };
    }

    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The one source that is shown alone.
    pub fn only(&self) -> Option<&Source> {
        self.sources.get(self.only?)
    }

    pub fn marks(&self) -> &Marks {
        &self.merged.marks
    }

    pub fn search(&self) -> Option<&Pattern> {
        self.merged.search.as_ref()
    }

    /// What is kept, and whether it is thrown out instead.
    pub fn keep(&self) -> Option<&(Pattern, bool)> {
        self.merged.keep.as_ref()
    }

    /// How many replicas' logs arrive as they are written.
    pub fn followed(&self) -> usize {
        self.sources
            .iter()
            .filter(|s| sources::is_followed(s))
            .count()
    }

    /// Lines of each mark for each revision, in the order in which the revisions come among the sources.
    pub fn counts(&self) -> Vec<(&Mark, Vec<(&str, usize)>)> {
        let marks = self.merged.marks.list().iter().enumerate();
        marks
            .map(|(mark, what)| {
                let mut counts: Vec<(&str, usize)> = Vec::new();
                for (at, source) in self.sources.iter().enumerate() {
                    let name = source.revision.as_deref().unwrap_or("?");
                    let lines = self.stream(at, 2).map_or(0, |stream| {
                        stream.marked.get(mark).copied().unwrap_or_default()
                    });
                    match counts.iter_mut().find(|(known, _)| *known == name) {
                        Some((_, count)) => *count += lines,
                        None => counts.push((name, lines)),
                    }
                }
                (what, counts)
            })
            .collect()
    }

    /// Lines of a source that are not kept any more.
    pub fn dropped(&self, source: usize) -> usize {
        let here = self.stream(source, 2).map_or(0, |stream| stream.dropped);
        let before = self.sources.get(source).map_or(0, |source| source.dropped);
        here.max(before)
    }

    /// When the last line was written, of those sources that are shown.
    pub fn last(&self) -> Option<DateTime<Utc>> {
        let is_log = |line: &&Line| {
            let source = usize::from(line.stream / RUNS).checked_sub(1);
            line.stream % RUNS == 2 && (self.only.is_none() || self.only == source)
        };
        // Far from the end there is no need to look: what is so old is told by no clock.
        let mut recent = self.merged.lines.iter().rev().take(10_000);
        let last = recent.find(is_log)?;
        (last.at != i64::MIN).then(|| stamp::moment(last.at))
    }

    fn stream(&self, source: usize, run: u16) -> Option<&merged::Stream> {
        self.merged
            .streams
            .get(usize::from(stream(Some(source), run)))
    }
}

/// The number of a source's stream.
fn stream(source: Option<usize>, run: u16) -> u16 {
    let place = source.map_or(0, |at| at + 1);
    u16::try_from(place).map_or(0, |place| place.saturating_mul(RUNS)) + run
}
