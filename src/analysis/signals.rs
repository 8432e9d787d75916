//! What a replica's log tells about the revision that it runs.
//!
//! Adding a signal: write the extractor in a file of its own under `signals/`, with a real line of the program as its test;
//! call it from [`Scan::take`]; if it says which value is in force, give its text to `revision_of` so that it counts only where one
//! revision alone explains it. Text that a client supplies (request line, Host, referrer, user agent) never counts.

mod access;
mod client;
mod endpoints;
mod marks;
mod program;
mod start_error;
mod upstream;
mod values;
pub(crate) mod words;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::model::{Log, LogLine, PodRef};

pub(crate) use access::Answer;
pub(crate) use client::NONE as NO_ANSWER;
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
    /// What it was answered, as a client.
    pub(crate) asked: Vec<Answer>,
    /// The last line of the log.
    pub(crate) last_line: String,
}

impl Scan {
    /// Reads some more lines of the log, with every extractor.
    fn take(&mut self, lines: &str, settings: &[Setting]) {
        for line in lines.lines().map(LogLine::parse) {
            if !line.text.is_empty() {
                self.take_line(line, settings);
            }
        }
    }

    fn take_line(&mut self, line: LogLine<'_>, settings: &[Setting]) {
        line.text.clone_into(&mut self.last_line);
        if let Some(answer) = access::answer(line.text, line.at) {
            self.answers.push(answer);
            return;
        }
        self.asked.extend(client::asked(line.text, line.at));
        if let Some(address) = upstream::address(line.text) {
            let hits = self.upstreams.entry(address).or_default();
            hits.add(line.at, line.text);
        }
        if program::is_reload(line.text) {
            self.reloads.push((line.at, line.text.to_owned()));
        }
        self.program = self.program.or_else(|| program::of_line(line.text));
        if start_error::is_one(line.text) {
            self.start_errors.add(line.at, line.text);
        }
        for (index, setting) in settings.iter().enumerate() {
            if let Some(value) = setting.value_in(line.text) {
                let hits = self.values.entry((index, value)).or_default();
                hits.add(line.at, line.text);
            }
        }
    }
}

/// The scans of the last look: a log that grew is read on from where it ended.
#[derive(Debug, Default)]
pub(crate) struct Scans {
    known: HashMap<(PodRef, String, bool), Scanned>,
    look: u64,
}

#[derive(Debug)]
struct Scanned {
    /// The pieces that were read; kept, so that none of their addresses can mean another one.
    pieces: Vec<Arc<str>>,
    settings: Vec<(String, Vec<(usize, String)>)>,
    scan: Arc<Scan>,
    look: u64,
}

impl Scans {
    /// The scan of a log, as far as it is known from before.
    pub(crate) fn of(&mut self, log: &Log, settings: &[Setting]) -> Arc<Scan> {
        let key = (log.pod.clone(), log.container.clone(), log.previous);
        let asked: Vec<_> = settings.iter().map(Setting::key).collect();
        let known = self.known.entry(key).or_insert_with(|| Scanned {
            pieces: Vec::new(),
            settings: asked.clone(),
            scan: Arc::default(),
            look: self.look,
        });
        let begins = known.pieces.len() <= log.text.pieces().len()
            && known
                .pieces
                .iter()
                .zip(log.text.pieces())
                .all(|(a, b)| Arc::ptr_eq(a, b));
        if !begins || known.settings != asked {
            known.pieces.clear();
            known.settings = asked;
            known.scan = Arc::default();
        }
        let fresh = log
            .text
            .pieces()
            .get(known.pieces.len()..)
            .unwrap_or_default();
        if !fresh.is_empty() {
            let scan = Arc::make_mut(&mut known.scan);
            fresh.iter().for_each(|piece| scan.take(piece, settings));
            known.pieces.extend(fresh.iter().cloned());
        }
        known.look = self.look;
        known.scan.clone()
    }

    /// Forgets what the last look did not ask for.
    pub(crate) fn tidy(&mut self) {
        let look = self.look;
        self.known.retain(|_, scanned| scanned.look == look);
        self.look += 1;
    }
}
