//! What a replica's log tells about the revision that it runs.
//!
//! Adding a signal: a program that says whom it could not reach is a row of `table`, with a real line of it; a format of an access
//! log is a reader in `access/`. What it says which value is in force gives its text to `revision_of`, so that it counts only where
//! one revision alone explains it. Text that a client supplies (request line, Host, referrer, user agent) never counts: the tests of
//! `extract` plant every sample there.

mod access;
mod eight;
mod endpoints;
mod extract;
mod marks;
mod own;
mod program;
mod scans;
mod sift;
mod stamp;
mod start_error;
mod table;
mod tally;
mod values;
pub(crate) mod words;
mod wrapped;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use crate::model::LogLine;

pub(crate) use access::{Answers, is_failure};
pub use access::{FORMATS, Side};
pub(crate) use endpoints::{Endpoints, HostPort, endpoints_in};
pub(crate) use extract::Fact;
pub use marks::{Mark, MarkKind, Marks};
pub(crate) use program::{Program, reads_once};
pub(crate) use scans::Scans;
pub use stamp::Moment;
pub use table::{Kind, Row, extractors};
pub use tally::{Item, Route, Tally};
pub(crate) use values::{Setting, settings};
pub use wrapped::{Wrapped, Wrapping};

use access::Reply;
use sift::{Line, Sink};

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

/// So many addresses are told apart. A log that names more than this names no config's.
const MOST: usize = 500;
const MOST_RELOADS: usize = 1_000;

/// Everything that one log told.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scan {
    /// Addresses that failed the program: a proxy's upstream, or what it connected to itself.
    pub(crate) upstreams: BTreeMap<HostPort, Hits>,
    /// Values of the changed settings: (index of the setting, value).
    pub(crate) values: BTreeMap<(usize, String), Hits>,
    /// The program read its configuration again: the last times.
    pub(crate) reloads: Vec<(Option<DateTime<Utc>>, String)>,
    /// The last lines that report an error of start-up or of parsing.
    pub(crate) start_errors: Hits,
    /// The program, where its start-up line tells.
    pub(crate) program: Option<Program>,
    /// What it answered, as a server or a proxy.
    pub(crate) answers: Answers,
    /// What it was answered, as a client.
    pub(crate) asked: Answers,
    /// The last line of the log.
    pub(crate) last_line: String,
}

impl Scan {
    /// Reads some more lines of the log, with every extractor.
    fn take(&mut self, lines: &str, settings: &[Setting]) {
        let last = lines
            .lines()
            .rev()
            .map(LogLine::parse)
            .find(|line| !line.text.is_empty());
        if let Some(line) = last {
            line.text.clone_into(&mut self.last_line);
        }
        sift::sift(&sift::plain(lines.as_bytes()), self);
        for (index, setting) in settings.iter().enumerate() {
            setting.each_line(lines, |line, value| {
                if !access::is_answer(line.text) {
                    let hits = self.values.entry((index, value)).or_default();
                    hits.add(line.at, line.text);
                }
            });
        }
    }
}

impl Sink for Scan {
    fn answer(&mut self, line: &Line<'_>, reply: Reply<'_>) {
        match reply.side {
            Side::Server => self.answers.take(line.at(), reply),
            Side::Client => self.asked.take(line.at(), reply),
        }
    }

    fn fact(&mut self, line: &Line<'_>, fact: Fact) {
        // Of a failure alone an incident tells; the rest is for `confsplit signals`.
        let Some(address) = fact.address.filter(|_| fact.kind == Kind::Upstream) else {
            return;
        };
        if self.upstreams.len() < MOST || self.upstreams.contains_key(&address) {
            let hits = self.upstreams.entry(address).or_default();
            hits.add(line.at(), &line.lossy());
        }
    }

    fn reload(&mut self, line: &Line<'_>) {
        if self.reloads.len() >= MOST_RELOADS {
            self.reloads.drain(..MOST_RELOADS / 2);
        }
        self.reloads.push((line.at(), line.lossy().into_owned()));
    }

    fn start_error(&mut self, line: &Line<'_>) {
        self.start_errors.add(line.at(), &line.lossy());
    }

    fn program(&mut self, _: &Line<'_>, program: Program) {
        self.program = self.program.or(Some(program));
    }
}

#[cfg(test)]
mod tests;
