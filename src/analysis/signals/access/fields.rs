//! JSON and logfmt lines: the fields that tell of a request and its answer, and the texts in which programs report errors.

mod json;
mod logfmt;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use foldhash::fast::RandomState;

use super::proxied::{addresses, flagged};
use super::{Seen, Side};
use crate::analysis::signals::extract::{Fact, facts as facts_of};

/// What a structured line tells. Where a field is there twice and differs, a client may have written one of them.
#[derive(Debug, Default)]
pub(in crate::analysis::signals) struct Told<'a> {
    format: &'static str,
    method: Best<'a>,
    target: Best<'a>,
    status: Best<'a>,
    agent: Best<'a>,
    upstream: Best<'a>,
    upstream_status: Best<'a>,
    flags: Best<'a>,
    /// Texts that are the program's own: messages and errors.
    pub(in crate::analysis::signals) texts: Vec<Cow<'a, str>>,
}

/// The value of the field that says it best.
#[derive(Debug, Default)]
struct Best<'a> {
    rank: usize,
    value: Option<Cow<'a, str>>,
    spoiled: bool,
}

impl<'a> Best<'a> {
    fn take(&mut self, rank: usize, value: Cow<'a, str>) {
        match &self.value {
            Some(known) if self.rank == rank => self.spoiled |= *known != value,
            Some(_) if self.rank < rank => {}
            _ => {
                *self = Self {
                    rank,
                    value: Some(value),
                    spoiled: false,
                }
            }
        }
    }

    fn get(&self) -> Option<&str> {
        self.value.as_deref().filter(|_| !self.spoiled)
    }
}

/// The line's fields, where it is JSON or logfmt.
pub(in crate::analysis::signals) fn told(text: &[u8]) -> Option<Told<'_>> {
    let text = text.trim_ascii();
    if text.first() == Some(&b'{') {
        return json::read(text);
    }
    logfmt::read(text)
}

const METHOD: &[&str] = &[
    "method",
    "requestmethod",
    "request_method",
    "req.method",
    "request.method",
    "http.request.method",
    "http.method",
    "http_method",
    "httprequest.requestmethod",
    "verb",
];
const TARGET: &[&str] = &[
    "request_uri",
    "requestpath",
    "path",
    "uri",
    "req.url",
    "request.uri",
    "request.url",
    "request.path",
    "http.target",
    "url.path",
    "http.path",
    "url",
    "http.url",
    "http.request.uri",
    "request_path",
    "requesturi",
    "originalurl",
    "httprequest.requesturl",
    "target",
];
const STATUS: &[&str] = &[
    "status",
    "downstreamstatus",
    "status_code",
    "statuscode",
    "response_code",
    "responsecode",
    "res.statuscode",
    "response.status",
    "response.status_code",
    "response.statuscode",
    "http.response.status_code",
    "http.status_code",
    "http_status",
    "http_status_code",
    "resp_status",
    "httprequest.status",
    "code",
];
const AGENT: &[&str] = &[
    "user_agent",
    "useragent",
    "http_user_agent",
    "request_user-agent",
    "req.headers.user-agent",
    "request.headers.user-agent",
    "user-agent",
    "http.user_agent",
    "user_agent.original",
    "agent",
    "httprequest.useragent",
    "http_useragent",
];
const UPSTREAM: &[&str] = &[
    "upstream_addr",
    "upstream_host",
    "serviceaddr",
    "upstream_address",
];
const UPSTREAM_STATUS: &[&str] = &["upstream_status", "originstatus"];
const FLAGS: &[&str] = &["response_flags"];
/// By these programs report errors. None of them is a field of a request.
const TEXTS: &[&str] = &[
    "msg",
    "message",
    "err",
    "error",
    "exception",
    "reason",
    "cause",
    "stack",
    "stack_trace",
    "stacktrace",
    "detail",
    "details",
    "error.message",
    "error.cause",
    "error.stack",
    "error.reason",
    "error.error",
    "err.message",
    "err.stack",
    "err.cause",
    "exc_info",
    "exception.message",
    "errors",
    "error_message",
    "errmsg",
    "log",
    "textpayload",
    "@message",
    "@m",
    "@x",
    "thrown.message",
    "throwable",
    "upstream_transport_failure_reason",
    "fields.message",
    "fields.error",
    "body.message",
];

/// What a field tells, and how well it is known for that: the first name of its kind is the best.
#[derive(Debug, Clone, Copy)]
enum Field {
    Method(usize),
    Target(usize),
    Status(usize),
    Agent(usize),
    Upstream(usize),
    UpstreamStatus(usize),
    Flags,
    Request,
    Text,
}

static FIELDS: LazyLock<HashMap<&'static str, Field, RandomState>> = LazyLock::new(|| {
    type Kind = (&'static [&'static str], fn(usize) -> Field);
    let kinds: [Kind; 9] = [
        (METHOD, Field::Method),
        (TARGET, Field::Target),
        (STATUS, Field::Status),
        (AGENT, Field::Agent),
        (UPSTREAM, Field::Upstream),
        (UPSTREAM_STATUS, Field::UpstreamStatus),
        (FLAGS, |_| Field::Flags),
        (&["request"], |_| Field::Request),
        (TEXTS, |_| Field::Text),
    ];
    let mut fields = HashMap::default();
    for (names, field) in kinds {
        for (rank, name) in names.iter().enumerate() {
            fields.entry(*name).or_insert(field(rank));
        }
    }
    fields
});

/// A field by its name in lower case, below its parent's.
fn field(name: &str) -> Option<Field> {
    FIELDS.get(name).copied()
}

impl<'a> Told<'a> {
    /// Takes the value of a field.
    fn take(&mut self, field: Field, value: Cow<'a, str>) {
        match field {
            Field::Method(rank) => self.method.take(rank, value),
            Field::Target(rank) => self.target.take(rank, value),
            Field::Status(rank) => self.status.take(rank, value),
            Field::Agent(rank) => self.agent.take(rank, value),
            Field::Upstream(rank) => self.upstream.take(rank, value),
            Field::UpstreamStatus(rank) => self.upstream_status.take(rank, value),
            Field::Flags => self.flags.take(0, value),
            Field::Request => self.request(&value),
            Field::Text => {
                if self.texts.len() < 16 {
                    self.texts.push(value);
                }
            }
        }
    }

    /// `GET /api/items HTTP/1.1`, as nginx has it in `$request`.
    fn request(&mut self, line: &str) {
        let mut words = line.split(' ');
        if let (Some(method), Some(target), Some(_), None) =
            (words.next(), words.next(), words.next(), words.next())
        {
            self.method
                .take(METHOD.len(), Cow::Owned(method.to_owned()));
            self.target
                .take(TARGET.len(), Cow::Owned(target.to_owned()));
        }
    }

    /// Whether it is a sentence with some pairs in it rather than a line of fields.
    pub(in crate::analysis::signals) fn is_loose(&self) -> bool {
        self.format == logfmt::NAME && self.texts.is_empty()
    }

    /// The answer, where method, target and status are told.
    pub(super) fn answer(&self) -> Option<Seen<'_>> {
        let method = self.method.get().filter(|m| (3..=10).contains(&m.len()))?;
        let target = self
            .target
            .get()
            .filter(|target| target.starts_with(['/', 'h', '*']))?;
        let status: u16 = self.status.get()?.parse().ok()?;
        let known = status == 0 || (100..600).contains(&status);
        if !known || !method.bytes().all(|b| b.is_ascii_alphabetic()) {
            return None;
        }
        Some(Seen {
            by: self.format,
            side: Side::Server,
            method: Cow::Owned(method.to_ascii_uppercase().into_bytes()),
            target: Cow::Borrowed(target.as_bytes()),
            status,
            probe: self
                .agent
                .get()
                .is_some_and(|agent| agent.starts_with("kube-probe/")),
        })
    }

    /// What a proxy says of its upstream, in an answer with this status, and the errors that the line reports.
    pub(super) fn facts(&self, status: u16) -> Vec<Fact> {
        let upstream = self.upstream.get().unwrap_or_default();
        let mut facts = match self.flags.get() {
            Some(flags) => flagged(self.format, flags, upstream),
            None => addresses(
                self.format,
                upstream,
                self.upstream_status.get().unwrap_or_default(),
                status,
            ),
        };
        facts.extend(facts_of(b"", Some(self)));
        facts
    }
}

/// A name in lower case, below that of its parent where that is one whose fields are known.
fn lower(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|b| b.is_ascii_uppercase()) {
        Cow::Owned(name.to_ascii_lowercase())
    } else {
        Cow::Borrowed(name)
    }
}

#[cfg(test)]
mod tests;
