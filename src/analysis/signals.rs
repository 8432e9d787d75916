//! What a replica's log tells about the revision that it runs.
//!
//! Adding a signal: write the extractor in a file of its own under `signals/`, with a real line of the program as its test;
//! call it from [`scan`]; if it says which value is in force, give its text to `revision_of` so that it counts only where one
//! revision alone explains it. Text that a client supplies (request line, Host, referrer, user agent) never counts.

mod access;
mod endpoints;
mod marks;
mod program;
mod start_error;
mod upstream;
mod values;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use crate::model::Log;

pub(crate) use access::Answer;
pub(crate) use endpoints::{Endpoints, HostPort, endpoints_in};
pub use marks::{Mark, MarkKind, Marks};
pub(crate) use program::{Program, reads_once};
pub(crate) use values::{Setting, settings};

/// How often something was said, when first and last, and the last line that says it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Hits {
    pub(crate) count: usize,
    pub(crate) first: Option<DateTime<Utc>>,
    pub(crate) last: Option<DateTime<Utc>>,
    pub(crate) line: String,
}

impl Hits {
    fn add(&mut self, at: Option<DateTime<Utc>>, line: &str) {
        self.count += 1;
        self.first = self.first.or(at);
        self.last = at.or(self.last);
        line.clone_into(&mut self.line);
    }
}

/// Everything that one log told.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scan {
    /// Upstream addresses in a proxy's errors.
    pub(crate) upstreams: BTreeMap<HostPort, Hits>,
    /// Values of the changed settings: (index of the setting, value).
    pub(crate) values: BTreeMap<(usize, String), Hits>,
    /// The program read its configuration again.
    pub(crate) reloads: Vec<(Option<DateTime<Utc>>, String)>,
    /// The last lines that report an error of start-up or of parsing.
    pub(crate) start_errors: Hits,
    /// The program, where its start-up line tells.
    pub(crate) program: Option<Program>,
    pub(crate) answers: Vec<Answer>,
    /// The last line of the log.
    pub(crate) last_line: String,
}

/// Reads a log once, with every extractor.
pub(crate) fn scan(log: &Log, settings: &[Setting]) -> Scan {
    let mut found = Scan::default();
    for line in log.lines() {
        if line.text.is_empty() {
            continue;
        }
        if let Some(answer) = access::answer(line.text, line.at) {
            found.answers.push(answer);
            continue;
        }
        if let Some(address) = upstream::address(line.text) {
            found
                .upstreams
                .entry(address)
                .or_default()
                .add(line.at, line.text);
        }
        if program::is_reload(line.text) {
            found.reloads.push((line.at, line.text.to_owned()));
        }
        found.program = found.program.or_else(|| program::of_line(line.text));
        if start_error::is_one(line.text) {
            found.start_errors.add(line.at, line.text);
        }
        for (index, setting) in settings.iter().enumerate() {
            if let Some(value) = setting.value_in(line.text) {
                found
                    .values
                    .entry((index, value))
                    .or_default()
                    .add(line.at, line.text);
            }
        }
    }
    found.last_line = log
        .lines()
        .rev()
        .find(|line| !line.text.is_empty())
        .map(|line| line.text.to_owned())
        .unwrap_or_default();
    found
}
