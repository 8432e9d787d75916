//! Finds the lines that tell something among many that tell nothing: one search over the whole text for a few rare words, and
//! only the lines that hold one are read. A log that is nothing but requests is read line by line, since each tells something.

use std::borrow::Cow;
use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use memchr::{memchr, memrchr};
use regex::bytes::Regex;

use super::access::{self, Seen};
use super::extract::{self, Fact};
use super::own::own;
use super::stamp::{Stamp, kubelet, rfc3339};
use super::{program, start_error};

/// A line without its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// The kubelet's timestamp.
    kubelet: Option<&'a [u8]>,
    /// The time that a line of the common formats has between brackets.
    inside: Option<&'a [u8]>,
    pub(super) text: &'a [u8],
}

impl<'a> Line<'a> {
    fn of(line: &'a [u8]) -> Self {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match kubelet(line) {
            Some((stamp, text)) => Self {
                kubelet: Some(stamp),
                inside: None,
                text,
            },
            None => Self {
                kubelet: None,
                inside: None,
                text: line,
            },
        }
    }

    /// By the kubelet's timestamp alone, since no other clock is asked where logs are compared.
    pub(super) fn at(&self) -> Option<DateTime<Utc>> {
        rfc3339(self.kubelet?)
    }

    /// By whatever time the line has.
    pub(super) fn stamp(&self) -> Option<Stamp> {
        match self.kubelet.or(self.inside) {
            Some(stamp) => Stamp::new(stamp),
            None => Stamp::within(self.text),
        }
    }

    pub(super) fn lossy(&self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.text)
    }
}

/// What takes the findings.
pub(super) trait Sink {
    /// Comes once before what a line tells.
    fn telling(&mut self, _line: &Line<'_>) {}
    fn answer(&mut self, line: &Line<'_>, seen: &Seen<'_>);
    fn fact(&mut self, line: &Line<'_>, fact: Fact);
    fn reload(&mut self, line: &Line<'_>);
    fn start_error(&mut self, line: &Line<'_>);
    fn program(&mut self, _line: &Line<'_>, _program: program::Program) {}
}

/// A longer line is read up to here. Nothing that is looked for comes so late, and a hostile line costs no more than another.
pub(super) const LONGEST_LINE: usize = 64 << 10;

/// Each such line holds one of these. They begin with letters that are rare, and stand for the literals of `table`, the formats of
/// `access`, and what `program` and `start_error` look for; a test reads all their samples through it.
const WORDS: &[&str] = &[
    // Requests.
    "HTTP/",
    "tatus\"",
    "ode\"",
    "tatus=",
    "ode=",
    " -> ",
    "[GIN]",
    " ms - ",
    " ms",
    " http",
    // Connections.
    "pstream",
    " refused",
    "dial tcp",
    "no such host",
    "connect E",
    "getaddrinfo E",
    "ConnectionPool(",
    "nnect to ",
    "onnect call",
    "[Errno ",
    "UnknownHost",
    "ConnectExc",
    "onnection timed",
    "unresolved>",
    "open TCP",
    "onnect(2) for",
    "ot resolve host",
    "failed: Conn",
    "bad address",
    "ipv4:",
    "ipv6:",
    "DNS resol",
    "os error 11",
    "connecting to ",
    "connection to server",
    "translate host",
    "onnect to MySQL",
    "ommunications link",
    "SQLSTATE[",
    "be established",
    " is DOWN",
    "server available",
    "not be resolved",
    // Configurations.
    "SIGHUP",
    "reconfiguring",
    "raceful restart",
    "eloading HAProxy",
    "eexecuting",
    "successfully reloaded",
    "efresh keys changed",
    ": nginx/",
    "normal operations",
    "New worker",
    "starting Postgre",
    "O0OoO0",
];

static HINTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words: Vec<String> = WORDS.iter().map(|word| regex::escape(word)).collect();
    Regex::new(&format!("(?-u){}|{}", words.join("|"), start_error::HINTS)).ok()
});

/// Gives what the lines of a text tell to a sink, in order.
pub(super) fn sift(text: &[u8], sink: &mut impl Sink) {
    let Some(hints) = HINTS.as_ref() else {
        return;
    };
    let mut from = 0;
    while from < text.len() {
        if let Some(end) = request(text, from, sink) {
            from = end + 1;
            continue;
        }
        let Some(hit) = hints.find_at(text, from) else {
            return;
        };
        let start = text
            .get(from..hit.start())
            .and_then(|before| memrchr(b'\n', before));
        let start = start.map_or(from, |at| from + at + 1);
        let end = line_end(text, hit.start());
        if start == from || request(text, start, sink).is_none() {
            read(text.get(start..end).unwrap_or_default(), sink);
        }
        from = end + 1;
    }
}

fn line_end(text: &[u8], from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    memchr(b'\n', rest).map_or(text.len(), |at| from + at)
}

/// Reads the line as a request in a common format; where it ends, if it is one.
fn request(text: &[u8], from: usize, sink: &mut impl Sink) -> Option<usize> {
    let end = line_end(text, from);
    let whole = text.get(from..end)?;
    let mut line = Line::of(whole.get(..LONGEST_LINE.min(whole.len()))?);
    let (seen, inside) = access::common(line.text)?;
    line.inside = Some(inside);
    sink.telling(&line);
    sink.answer(&line, &seen);
    if !seen.rest.ends_with(b"\"") || memchr::memmem::find(seen.rest, b"pstream").is_some() {
        for fact in access::tail(&seen) {
            sink.fact(&line, fact);
        }
    }
    Some(end)
}

/// Reads a line with every extractor.
fn read(whole: &[u8], sink: &mut impl Sink) {
    let line = Line::of(
        whole
            .get(..LONGEST_LINE.min(whole.len()))
            .unwrap_or_default(),
    );
    let told = access::told(line.text);
    if let Some((seen, facts)) = access::read(line.text, told.as_ref()) {
        sink.telling(&line);
        sink.answer(&line, &seen);
        for fact in facts {
            sink.fact(&line, fact);
        }
        return;
    }
    let facts = extract::facts(line.text, told.as_ref());
    let text = line.lossy();
    // What follows may be a client's, who can write such words too.
    let own = own(line.text);
    let reload = program::is_reload_in(&text, own);
    let start_error = start_error::is_one_in(&text, own);
    if reload || start_error || !facts.is_empty() {
        sink.telling(&line);
    }
    for fact in facts {
        sink.fact(&line, fact);
    }
    if reload {
        sink.reload(&line);
    }
    if let Some(program) = program::of_line(&text) {
        sink.program(&line, program);
    }
    if start_error {
        sink.start_error(&line);
    }
}

/// Takes colours out, so that no word is cut by one. Bytes of a sequence that is cut itself go too.
pub(super) fn plain(text: &[u8]) -> Cow<'_, [u8]> {
    static COLOURS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?-u)\x1b(?:\[[0-?]*[ -/]*(?:[@-~]|$)|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[()][0-9A-B])?").ok()
    });
    if memchr(0x1b, text).is_none() {
        return Cow::Borrowed(text);
    }
    match COLOURS.as_ref() {
        Some(colours) => colours.replace_all(text, &b""[..]),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests;
