//! What keys do on the logs tab.

use tui_input::{Input, InputRequest};

use super::{Asked, Logs, Pattern, Prompt, RUNS};
use crate::analysis::{kubectl, quote};
use crate::app::keymap::{Key, Move};
use crate::app::screen::moved;
use crate::model::Cluster;

/// What a key means here alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LogsCommand {
    Search,
    Keep,
    Next,
    Before,
    NextMark,
    MarkBefore,
    /// The selected line's replica alone, or all again.
    Only,
    /// The next replica alone; after the last one all.
    NextOnly,
    Previous,
    Readable,
    Wrap,
    Left,
    Right,
    Full,
    /// Copies the command that shows this replica's log.
    CopyCommand,
}

/// Characters by which lines are moved.
const STEP: usize = 40;
/// More than this no clipboard takes from a terminal.
const COPIED: usize = 64 << 10;

impl Logs {
    /// Does it; a sentence where there is something to say.
    pub fn act(&mut self, command: LogsCommand) -> Option<String> {
        match command {
            LogsCommand::Search => self.ask(Asked::Search),
            LogsCommand::Keep => self.ask(Asked::Keep),
            LogsCommand::Next => return self.jump(true, Self::is_found, "match"),
            LogsCommand::Before => return self.jump(false, Self::is_found, "match"),
            LogsCommand::NextMark => return self.jump(true, Self::is_marked, "marked line"),
            LogsCommand::MarkBefore => return self.jump(false, Self::is_marked, "marked line"),
            LogsCommand::Only => self.toggle_only(),
            LogsCommand::NextOnly => self.next_only(),
            LogsCommand::Previous => return self.toggle_previous(),
            LogsCommand::Readable => self.readable = !self.readable,
            LogsCommand::Wrap => self.wrap = !self.wrap,
            LogsCommand::Left => self.shift = self.shift.saturating_sub(self.stride().0),
            LogsCommand::Right => {
                let (stride, most) = self.stride();
                self.shift = (self.shift + stride).min(most);
            }
            LogsCommand::Full => self.full = !self.full,
            LogsCommand::CopyCommand => {}
        }
        None
    }

    /// Moves the cursor. At the end more is followed; away from it nothing moves under the reader.
    pub fn step(&mut self, by: Move, page: usize) {
        let last = self.len().saturating_sub(1);
        self.cursor = moved(self.cursor, self.len(), by, page);
        let down = matches!(by, Move::Down | Move::PageDown | Move::Last);
        self.follow = down && self.cursor == last;
        if self.follow {
            self.fresh = 0;
        }
    }

    fn ask(&mut self, what: Asked) {
        let known = match what {
            Asked::Search => self.search().map(|pattern| pattern.text.clone()),
            Asked::Keep => self.keep().map(|(pattern, invert)| {
                let sign = if *invert { "!" } else { "" };
                format!("{sign}{}", pattern.text)
            }),
        };
        self.prompt = Some(Prompt {
            what,
            input: Input::new(known.unwrap_or_default()),
        });
    }

    /// A key while a pattern is typed; a sentence where there is something to say.
    pub fn typed(&mut self, key: Key) -> Option<String> {
        let prompt = self.prompt.as_mut()?;
        let request = match key {
            Key::Esc => {
                self.prompt = None;
                return None;
            }
            Key::Enter => return self.entered(),
            Key::Char(c) => InputRequest::InsertChar(c),
            Key::Backspace if prompt.input.value().is_empty() => {
                self.prompt = None;
                return None;
            }
            Key::Backspace => InputRequest::DeletePrevChar,
            Key::Delete => InputRequest::DeleteNextChar,
            Key::Left => InputRequest::GoToPrevChar,
            Key::Right => InputRequest::GoToNextChar,
            Key::Home | Key::Ctrl('a') => InputRequest::GoToStart,
            Key::End | Key::Ctrl('e') => InputRequest::GoToEnd,
            Key::Ctrl('w') => InputRequest::DeletePrevWord,
            Key::Ctrl('u') => InputRequest::DeleteLine,
            Key::Ctrl('k') => InputRequest::DeleteTillEnd,
            _ => return None,
        };
        prompt.input.handle(request);
        None
    }

    fn entered(&mut self) -> Option<String> {
        let prompt = self.prompt.take()?;
        let text = prompt.input.value();
        let place = self.place();
        match prompt.what {
            Asked::Search => self.merged.search = Pattern::new(text),
            Asked::Keep => {
                let (text, invert) = match text.strip_prefix('!') {
                    Some(rest) => (rest, true),
                    None => (text, false),
                };
                self.merged.keep = Pattern::new(text).map(|pattern| (pattern, invert));
            }
        }
        self.merged.search_again();
        self.show_all(place);
        if prompt.what == Asked::Search && self.search().is_some() {
            // The line under the cursor is the nearest one where it matches.
            if self.is_found(self.cursor) {
                return None;
            }
            let (cursor, follow) = (self.cursor, self.follow);
            self.jump(false, Self::is_found, "match")?;
            (self.cursor, self.follow) = (cursor, follow);
            return self.jump(true, Self::is_found, "match");
        }
        None
    }

    /// Ends the last of what narrows the view: the pattern that is kept, the search, the one replica. Whether there was one.
    pub fn widen(&mut self) -> bool {
        let place = self.place();
        let narrowed = if self.merged.keep.take().is_some() || self.merged.search.take().is_some() {
            self.merged.search_again();
            true
        } else {
            self.only.take().is_some()
        };
        if narrowed {
            self.show_all(place);
        }
        narrowed
    }

    fn show_all(&mut self, place: Option<super::Key>) {
        self.view = None;
        self.show(0);
        self.go_to(place);
    }

    fn is_found(&self, at: usize) -> bool {
        self.line(at).is_some_and(super::Line::found)
    }

    fn is_marked(&self, at: usize) -> bool {
        self.line(at).is_some_and(|line| line.mark().is_some())
    }

    /// To the next line of a kind, or the one before. What is said is that there is none.
    fn jump(&mut self, on: bool, is: fn(&Self, usize) -> bool, noun: &str) -> Option<String> {
        if noun == "match" && self.search().is_none() {
            return Some("Nothing is searched for; / searches.".into());
        }
        let found = if on {
            (self.cursor + 1..self.len()).find(|at| is(self, *at))
        } else {
            (0..self.cursor).rev().find(|at| is(self, *at))
        };
        match found {
            Some(at) => {
                self.cursor = at;
                self.follow = false;
                None
            }
            None if on => Some(format!("No {noun} further down.")),
            None => Some(format!("No {noun} further up.")),
        }
    }

    fn toggle_only(&mut self) {
        let place = self.place();
        let selected = self
            .line(self.cursor)
            .and_then(|line| usize::from(line.stream / RUNS).checked_sub(1));
        self.only = if self.only.is_some() { None } else { selected };
        self.show_all(place);
    }

    fn next_only(&mut self) {
        let place = self.place();
        let next = self.only.map_or(0, |at| at + 1);
        self.only = (next < self.sources.len()).then_some(next);
        self.show_all(place);
    }

    fn toggle_previous(&mut self) -> Option<String> {
        if !self.sources.iter().any(|source| source.previous) {
            return Some("No log of a former run was read: no container restarted.".into());
        }
        let place = self.place();
        self.previous = !self.previous;
        self.show_all(place);
        None
    }

    /// How far lines move at once, and at most. Through a very long line it goes in leaps, so that its end is within reach.
    fn stride(&self) -> (usize, usize) {
        let longest = self
            .line(self.cursor)
            .map_or(0, |line| self.merged.text(line).chars().count());
        let most = longest.saturating_sub(STEP).max(STEP * 50);
        let leap = if self.shift < STEP * 50 {
            0
        } else {
            longest / 20
        };
        (STEP.max(leap), most)
    }

    /// The selected line as the container wrote it.
    pub fn selected_text(&self) -> Option<(String, bool)> {
        let text = self.row(self.cursor)?.text;
        let end = (0..=COPIED.min(text.len()))
            .rev()
            .find(|at| text.is_char_boundary(*at))?;
        Some((text.get(..end)?.to_owned(), end < text.len()))
    }

    /// The command that shows the log which the selected line is from.
    pub fn selected_command(&self, cluster: &Cluster) -> Option<String> {
        let row = self.row(self.cursor);
        let selected = row.and_then(|row| row.source).map(|(_, source)| source);
        let source = selected.or(self.only()).or(self.sources.first())?;
        let previous = match row {
            Some(row) if row.previous => " --previous",
            _ => "",
        };
        Some(format!(
            "{} -n {} logs {} -c {} --timestamps{previous}",
            kubectl(cluster),
            quote(&source.pod.namespace),
            quote(&source.pod.name),
            quote(&source.container)
        ))
    }
}
