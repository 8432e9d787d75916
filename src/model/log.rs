//! Logs of containers, with the kubelet's timestamps.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};

use super::PodRef;

/// What was read of one container's log. Each line begins with the kubelet's RFC 3339 timestamp and a space.
/// Values of Secrets that are known were taken out before it got here; it is valid UTF-8 (bad bytes replaced).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    pub pod: PodRef,
    pub container: String,
    /// The run before the current one (`--previous`).
    pub previous: bool,
    pub text: LogText,
    /// Whether it is known to begin where the container began and to have no hole.
    pub complete: bool,
    /// What is missing, in words, where it is not complete.
    pub missing: Option<String>,
    pub read_at: DateTime<Utc>,
    /// Where lines of it are from that the kubelet has not.
    pub from: Option<LogFrom>,
}

/// Lines of a log that a command printed which the user named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFrom {
    /// As a line that can be pasted into a shell.
    pub command: String,
    /// All of the log is from it: the kubelet gave nothing.
    pub alone: bool,
}

/// The lines of a log as pieces that are shared and never change: a log that grows is cloned without copying its text, so
/// that a reader keeps what it has while more is added.
#[derive(Debug, Clone, Default)]
pub struct LogText {
    /// Each ends with a line's end, but for the last one perhaps.
    pieces: Arc<Vec<Arc<str>>>,
}

impl LogText {
    /// Adds whole lines.
    pub fn push(&mut self, lines: &str) {
        if !lines.is_empty() {
            Arc::make_mut(&mut self.pieces).push(Arc::from(lines));
        }
    }

    /// The pieces, in order.
    pub fn pieces(&self) -> &[Arc<str>] {
        &self.pieces
    }

    /// Bytes.
    pub fn len(&self) -> usize {
        self.pieces.iter().map(|piece| piece.len()).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Drops the first pieces until at most so many bytes are left; how many lines that were.
    pub fn keep_last(&mut self, bytes: usize) -> usize {
        let mut left = self.len();
        let mut gone = 0;
        while left > bytes
            && let Some(first) = self.pieces.get(gone)
        {
            left -= first.len();
            gone += 1;
        }
        let dropped = Arc::make_mut(&mut self.pieces).drain(..gone);
        dropped.map(|piece| piece.lines().count()).sum()
    }

    /// The lines as they were read, without their ends.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.pieces.iter().flat_map(|piece| piece.lines())
    }
}

impl FromIterator<String> for LogText {
    fn from_iter<T: IntoIterator<Item = String>>(pieces: T) -> Self {
        let mut all = Self::default();
        pieces.into_iter().for_each(|piece| all.push(&piece));
        all
    }
}

impl From<String> for LogText {
    fn from(text: String) -> Self {
        let mut all = Self::default();
        all.push(&text);
        all
    }
}

impl std::fmt::Display for LogText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.pieces.iter().try_for_each(|piece| f.write_str(piece))
    }
}

/// Equal is what reads the same, however it is cut.
impl PartialEq for LogText {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.to_string() == other.to_string()
    }
}

impl Eq for LogText {}

/// How far each log is followed. Empty where none is, as in a capture.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Following {
    pub logs: Vec<Followed>,
}

/// The stream of one container's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Followed {
    pub pod: PodRef,
    pub container: String,
    pub state: FollowState,
    /// Lines that were taken out at the front, since so much was not to be kept.
    pub dropped: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FollowState {
    /// What the container writes arrives.
    Open,
    /// The stream broke, for this reason in words, and is opened again.
    Retrying(String),
    /// The container has ended, so nothing more comes.
    Ended,
    /// It is not followed, for this reason in words.
    Not(String),
}

/// One line of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogLine<'a> {
    pub at: Option<DateTime<Utc>>,
    /// Without the timestamp and the line end.
    pub text: &'a str,
}

impl Log {
    /// The lines in order. A line without a readable timestamp keeps all its text.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = LogLine<'_>> {
        self.text.lines().map(LogLine::parse)
    }
}

/// A log that begins so soon after its container has lost nothing to rotation.
const PROMPT: TimeDelta = TimeDelta::seconds(5);

impl LogText {
    /// What is missing before the first line, of a container that started then. Whether the kubelet rotated a log cannot be
    /// asked; a log that begins with its container has lost nothing. One without lines may just have been rotated.
    pub fn missing_before(&self, started: Option<DateTime<Utc>>) -> Option<String> {
        let Some(first) = self.lines().next().map(LogLine::parse) else {
            return Some("it has no lines".to_owned());
        };
        match (first.at, started) {
            (Some(first), Some(started)) if first - started <= PROMPT => None,
            (Some(first), _) => Some(format!(
                "no lines before {}; whether there were any is not known",
                first.format("%Y-%m-%d %H:%M:%S")
            )),
            (None, _) => Some("its first line has no time".to_owned()),
        }
    }
}

impl<'a> LogLine<'a> {
    /// Splits the kubelet's timestamp off a line.
    pub fn parse(line: &'a str) -> Self {
        let split = line.split_once(' ').unwrap_or((line, ""));
        match DateTime::parse_from_rfc3339(split.0) {
            Ok(at) => Self {
                at: Some(at.with_timezone(&Utc)),
                text: split.1,
            },
            Err(_) => Self {
                at: None,
                text: line,
            },
        }
    }
}
