//! Finds the lines that tell something among many that tell nothing: one search over the whole text for a few rare words, and
//! only the lines that hold one are read. A log that is nothing but requests is read line by line, since each tells something.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, Input, Span, packed};
use chrono::{DateTime, Utc};
use memchr::{memchr, memrchr};
use regex::bytes::Regex;

use super::access::{self, Last, Reply};
use super::extract::{self, Fact};
use super::own::{is_dated, is_nginx};
use super::stamp::{Form, kubelet, rfc3339};
use super::{program, start_error};

mod requests;

use requests::request;

/// A line without its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// Where in the text it begins.
    at: usize,
    /// The kubelet's timestamp; empty where there is none.
    kubelet: &'a [u8],
    /// Where a line of the common formats has its time between brackets; empty in others.
    inside: (usize, usize),
    /// Without the kubelet's timestamp.
    pub(super) text: &'a [u8],
}

impl<'a> Line<'a> {
    #[inline(always)]
    fn of(line: &'a [u8], at: usize) -> Self {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let (kubelet, text) = kubelet(line).unwrap_or((b"", line));
        Self {
            at,
            kubelet,
            inside: (0, 0),
            text,
        }
    }

    /// By the kubelet's timestamp alone, since no other clock is asked where logs are compared.
    pub(super) fn at(&self) -> Option<DateTime<Utc>> {
        rfc3339(self.kubelet)
    }

    /// Where in the whole text the line has its time, whichever that is. The form of the last one is tried first.
    #[inline(always)]
    pub(super) fn stamp(&self, form: &mut Option<Form>) -> Option<Part> {
        let (from, to) = match self.kubelet.len() {
            0 if self.inside.1 > 0 => self.inside,
            0 => {
                let found = Form::read(form, self.text)?;
                (found.start, found.end)
            }
            length => (0, length),
        };
        Some(Part(self.at + from, self.at + to))
    }

    /// Where in the whole text the line itself is, at most so many bytes of it.
    pub(super) fn part(&self, most: usize) -> Part {
        let from = match self.kubelet.len() {
            0 => self.at,
            length => self.at + length + 1,
        };
        Part(from, from + self.text.len().min(most))
    }

    pub(super) fn lossy(&self) -> Cow<'a, str> {
        String::from_utf8_lossy(self.text)
    }
}

/// A part of the text that is read: where it begins and ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part(usize, usize);

impl Part {
    pub(super) fn of(self, text: &[u8]) -> &[u8] {
        text.get(self.0..self.1).unwrap_or_default()
    }
}

/// What takes the findings.
pub(super) trait Sink {
    /// Comes once before what a line tells.
    fn telling(&mut self, _line: &Line<'_>) {}
    fn answer(&mut self, line: &Line<'_>, reply: Reply<'_>);
    fn fact(&mut self, line: &Line<'_>, fact: Fact);
    fn reload(&mut self, line: &Line<'_>);
    fn start_error(&mut self, line: &Line<'_>);
    fn program(&mut self, _line: &Line<'_>, _program: program::Program) {}
}

/// A longer line is read up to here. Nothing that is looked for comes so late, and a hostile line costs no more than another.
pub(super) const LONGEST_LINE: usize = 64 << 10;

/// What a word makes of its line, so that only the readers are asked that may know it.
const REQUEST: u8 = 1;
const CONNECTION: u8 = 2;
const RELOAD: u8 = 4;
const PROGRAM: u8 = 8;
const ERROR: u8 = 16;

/// Each line that tells something holds one of these. They begin with letters that are rare together, and stand for the literals of
/// `table`, the formats of `access`, and what `program` and `start_error` look for: a test reads all their samples through them.
const WORDS: &[(u8, &[&str])] = &[
    (
        REQUEST,
        &[
            "HTTP/",
            "tatus\"",
            "tatusCode\"",
            "ode\"",
            "tatus=",
            "ode=",
            " -> ",
            "[GIN]",
            " ms - ",
            "T http",
            "E http",
            "H http",
            "D http",
        ],
    ),
    (
        CONNECTION,
        &[
            "pstream",
            " refused",
            "dial tcp",
            "such host",
            "connect E",
            "getaddrinfo E",
            "ConnectionPool(",
            "nnect to ",
            "connect to [",
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
        ],
    ),
    (
        RELOAD,
        &[
            "SIGHUP",
            "reconfiguring",
            "raceful restart",
            "eloading HAProxy",
            "eexecuting",
            "successfully reloaded",
            "efresh keys changed",
        ],
    ),
    (
        PROGRAM,
        &[
            ": nginx/",
            "normal operations",
            "New worker",
            "starting Postgre",
            "O0OoO0",
        ],
    ),
    (
        ERROR,
        &[
            "[emerg]",
            "[ALERT]",
            "AH00526",
            "yntax error",
            "arse error",
            "arsing",
            "ailed to ",
            "annot parse",
            "ould not ",
            "nknown directive",
            "nvalid ",
            "yaml: ",
            "YAML: ",
            "JSONDecode",
            "nmarshal",
            "YNTAX ERROR",
            "ARSE ERROR",
            "ARSING",
            "AILED TO ",
            "NVALID ",
        ],
    ),
];

/// The search for the words, and what each makes of its line.
struct Hints {
    packed: Option<packed::Searcher>,
    /// Where the machine has no instructions for the packed search.
    plain: AhoCorasick,
    kinds: Vec<u8>,
}

static HINTS: LazyLock<Option<Hints>> = LazyLock::new(|| {
    let pairs = WORDS
        .iter()
        .flat_map(|(kind, words)| words.iter().map(|word| (*kind, *word)));
    let (kinds, words): (Vec<u8>, Vec<&str>) = pairs.unzip();
    let packed = packed::Config::new()
        .heuristic_pattern_limits(false)
        .builder()
        .extend(&words)
        .build();
    Some(Hints {
        packed,
        plain: AhoCorasick::new(&words).ok()?,
        kinds,
    })
});

impl Hints {
    /// The next word: where it begins and ends, and what it makes of its line.
    fn find(&self, text: &[u8], from: usize, to: usize) -> Option<(usize, usize, u8)> {
        let span = Span::from(from..to);
        let found = match &self.packed {
            Some(packed) => packed.find_in(text, span)?,
            None => self.plain.find(Input::new(text).span(span))?,
        };
        let kind = self
            .kinds
            .get(found.pattern().as_usize())
            .copied()
            .unwrap_or(u8::MAX);
        Some((found.start(), found.end(), kind))
    }
}

impl Hints {
    /// What all words of a part of a line make of it, and what is known of it already.
    fn all(&self, text: &[u8], from: usize, to: usize, mut kinds: u8) -> u8 {
        let mut rest = from;
        while rest < to
            && let Some((_, behind, kind)) = self.find(text, rest, to)
        {
            kinds |= kind;
            rest = behind;
        }
        kinds
    }
}

/// Whether nginx says it of a request that it serves: then it tells of connections alone.
fn serves(text: &[u8]) -> bool {
    let near = text.get(..32.min(text.len())).unwrap_or_default();
    let level = near
        .get(memchr(b'[', near).unwrap_or(near.len())..)
        .unwrap_or_default();
    [&b"[error] "[..], b"[warn] ", b"[crit] ", b"[info] "]
        .iter()
        .any(|known| level.starts_with(known))
        && is_nginx(text)
}

/// Gives what the lines of a text tell to a sink, in order.
pub(super) fn sift(text: &[u8], sink: &mut impl Sink) {
    let Some(hints) = HINTS.as_ref() else {
        return;
    };
    let (mut from, mut last) = (0, Last::default());
    while from < text.len() {
        if let Some(end) = request(text, from, &mut last, sink) {
            from = end + 1;
            continue;
        }
        if let Some(end) = refusal(text, from, sink) {
            from = end + 1;
            continue;
        }
        let Some((at, behind, mut kinds)) = hints.find(text, from, text.len()) else {
            return;
        };
        let start = text.get(from..at).and_then(|before| memrchr(b'\n', before));
        let start = start.map_or(from, |newline| from + newline + 1);
        let end = line_end(text, at);
        if start == from || request(text, start, &mut last, sink).is_none() {
            let line = line(text, start, end);
            kinds = if serves(line.text) {
                CONNECTION
            } else {
                hints.all(text, behind, end.min(start + LONGEST_LINE), kinds)
            };
            read(&line, kinds, sink);
        }
        from = end + 1;
    }
}

/// Reads a line that nginx dates and says of a request that it serves; where it ends, if it is one. The front tells that, so no word is
/// looked for.
fn refusal(text: &[u8], from: usize, sink: &mut impl Sink) -> Option<usize> {
    let near = text.get(from..text.len().min(from + 64))?;
    let (_, body) = kubelet(near).unwrap_or((b"", near));
    if !is_dated(body) {
        return None;
    }
    let end = line_end(text, from);
    let line = line(text, from, end);
    if !serves(line.text) {
        return None;
    }
    read(&line, CONNECTION, sink);
    Some(end)
}

#[inline(always)]
fn line(text: &[u8], from: usize, end: usize) -> Line<'_> {
    let end = end.min(from + LONGEST_LINE);
    Line::of(text.get(from..end).unwrap_or_default(), from)
}

fn line_end(text: &[u8], from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    memchr(b'\n', rest).map_or(text.len(), |at| from + at)
}

/// Reads a line that is no request in a common format with the extractors that its words call for.
fn read(line: &Line<'_>, kinds: u8, sink: &mut impl Sink) {
    let nginx = is_nginx(line.text);
    if !nginx && access::is_logged(line.text) {
        return;
    }
    let told = if nginx { None } else { access::told(line.text) };
    if kinds & REQUEST != 0
        && !nginx
        && let Some((seen, facts)) = access::other(line.text, told.as_ref())
    {
        sink.telling(line);
        sink.answer(line, seen.reply());
        for fact in facts {
            sink.fact(line, fact);
        }
        return;
    }
    // The words of an error may hold those of a connection: "failed to connect".
    let facts = if kinds & (CONNECTION | ERROR) == 0 {
        Vec::new()
    } else {
        extract::facts(line.text, told.as_ref())
    };
    let (mut reload, mut start_error, mut program) = (false, false, None);
    if kinds & (RELOAD | PROGRAM | ERROR) != 0 {
        let text = line.lossy();
        reload = kinds & RELOAD != 0 && program::is_reload(&text);
        start_error = kinds & ERROR != 0 && start_error::is_one(&text);
        program = (kinds & PROGRAM != 0)
            .then(|| program::of_line(&text))
            .flatten();
    }
    if reload || start_error || !facts.is_empty() {
        sink.telling(line);
    }
    for fact in facts {
        sink.fact(line, fact);
    }
    if reload {
        sink.reload(line);
    }
    if let Some(program) = program {
        sink.program(line, program);
    }
    if start_error {
        sink.start_error(line);
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
