//! Logs of containers, with the kubelet's timestamps.

use chrono::{DateTime, Utc};

use super::PodRef;

/// What was read of one container's log. Each line begins with the kubelet's RFC 3339 timestamp and a space.
/// Values of Secrets that are known were taken out before it got here; it is valid UTF-8 (bad bytes replaced).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    pub pod: PodRef,
    pub container: String,
    /// The run before the current one (`--previous`).
    pub previous: bool,
    pub text: String,
    /// Whether it is known to begin where the container began and to have no hole.
    pub complete: bool,
    /// What is missing, in words, where it is not complete.
    pub missing: Option<String>,
    pub read_at: DateTime<Utc>,
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
