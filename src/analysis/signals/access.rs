//! Answers to requests, per route: access logs of servers and proxies in the common, combined, JSON and logfmt formats and in some
//! of their own, and lines in which a client tells what it was answered.

mod common;
mod fields;
mod proxied;
mod routes;
mod texts;

use std::borrow::Cow;

use super::extract::Fact;

pub(super) use common::{Common, Last, common, ending, is_logged, probed};
pub(super) use fields::{Told, told};
pub(crate) use routes::{Answers, is_failure};
pub(super) use routes::{Routes, route_of};

/// Who says what the answer was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// It answered, or passed the answer on.
    Server,
    /// It asked.
    Client,
}

/// An answer as one line tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen<'a> {
    /// The format's name.
    pub(crate) by: &'static str,
    pub(crate) side: Side,
    pub(crate) method: Cow<'a, [u8]>,
    pub(crate) target: Cow<'a, [u8]>,
    /// 0 where no answer came.
    pub(crate) status: u16,
    /// The kubelet asked: that says nothing of clients.
    pub(crate) probe: bool,
}

/// The same as it is counted. Nothing of it is owned, so that of the commonest lines it never has to be written to memory.
#[derive(Debug, Clone, Copy)]
pub(in crate::analysis::signals) struct Reply<'a> {
    pub(crate) by: &'static str,
    pub(crate) side: Side,
    pub(crate) method: &'a [u8],
    pub(crate) target: &'a [u8],
    pub(crate) status: u16,
    pub(crate) probe: bool,
}

impl Seen<'_> {
    pub(super) fn reply(&self) -> Reply<'_> {
        Reply {
            by: self.by,
            side: self.side,
            method: &self.method,
            target: &self.target,
            status: self.status,
            probe: self.probe,
        }
    }
}

impl<'a> From<Reply<'a>> for Seen<'a> {
    fn from(reply: Reply<'a>) -> Self {
        Self {
            by: reply.by,
            side: reply.side,
            method: Cow::Borrowed(reply.method),
            target: Cow::Borrowed(reply.target),
            status: reply.status,
            probe: reply.probe,
        }
    }
}

/// The formats by name, each with a line: what `signals --list` prints beside the extractors.
pub const FORMATS: &[(&str, &str)] = &[
    (
        "common",
        r#"10.244.0.9 - - [30/Nov/2026:02:49:22 +0000] "GET /api/items HTTP/1.1" 502 157 "-" "curl/8.5.0""#,
    ),
    (
        "ingress-nginx",
        r#"10.244.0.9 - - [30/Nov/2026:02:49:22 +0000] "GET /api/items HTTP/1.1" 502 157 "-" "curl/8.5.0" 92 0.001 [shop-api-8080] [] 10.244.1.7:8000, 10.244.1.8:8000 0, 157 0.000, 0.001 502, 502 7c9e66797425"#,
    ),
    (
        "envoy",
        r#"[2026-11-30T02:49:22.123Z] "GET /api/items HTTP/1.1" 503 UF 0 95 0 - "-" "curl/8.5.0" "7c9e6679-7425-40de-944b-e07fc1f90ae7" "api:8000" "10.244.1.7:8000""#,
    ),
    (
        "istio",
        r#"[2026-11-30T02:49:22.123Z] "GET /api/items HTTP/1.1" 503 UF upstream_reset_before_response_started{remote_connection_failure} - "delayed_connect_error:_111" 0 152 0 - "-" "curl/8.5.0" "7c9e6679-7425-40de-944b-e07fc1f90ae7" "api:8000" "10.244.1.7:8000" outbound|8000||api.shop.svc.cluster.local - 10.96.0.7:8000 10.244.0.9:40312 - default"#,
    ),
    (
        "haproxy",
        r#"10.244.0.9:46872 [30/Nov/2026:02:49:32.246] fe web/s2 0/0/-1/-1/0 503 217 - - SC-- 1/1/0/0/0 0/0 "GET /api/items HTTP/1.1""#,
    ),
    (
        "json",
        r#"{"level":"info","msg":"request completed","req":{"method":"GET","url":"/api/items"},"res":{"statusCode":502}}"#,
    ),
    (
        "logfmt",
        "method=GET path=/api/items format=json controller=ItemsController action=index status=502 duration=58.33",
    ),
    (
        "uvicorn",
        r#"INFO:     10.244.0.9:46872 - "GET /api/items HTTP/1.1" 502 Bad Gateway"#,
    ),
    (
        "gin",
        r#"[GIN] 2026/11/30 - 02:49:22 | 502 |     123.4µs |      10.244.0.9 | GET      "/api/items""#,
    ),
    ("morgan", "GET /api/items 502 1.234 ms - 157"),
    (
        "urllib3",
        r#"DEBUG:urllib3.connectionpool:http://api:8000 "GET /api/items HTTP/1.1" 502 157"#,
    ),
    (
        "httpx",
        r#"INFO:httpx:HTTP Request: GET http://api:8000/api/items "HTTP/1.1 502 Bad Gateway""#,
    ),
    ("client", "2026-11-30T02:49:22Z GET /api/items -> 502"),
];

/// What a line of an access log, or of a client, tells: the answer, and what a proxy says of its upstream.
pub(super) fn read<'a>(
    text: &'a [u8],
    told: Option<&'a Told<'_>>,
) -> Option<(Seen<'a>, Vec<Fact>)> {
    if let Some((reply, rest)) = common::of_line(text) {
        return Some((reply.into(), tail(rest, reply.status)));
    }
    other(text, told)
}

/// The same of a line that is in no common format.
pub(super) fn other<'a>(
    text: &'a [u8],
    told: Option<&'a Told<'_>>,
) -> Option<(Seen<'a>, Vec<Fact>)> {
    if let Some(told) = told
        && let Some(seen) = told.answer()
    {
        let facts = told.facts(seen.status);
        return Some((seen, facts));
    }
    proxied::envoy(text)
        .or_else(|| proxied::haproxy(text))
        .or_else(|| texts::read(text))
}

/// What the tail of a line in a common format tells of the upstream.
pub(super) fn tail(rest: &[u8], status: u16) -> Vec<Fact> {
    proxied::in_tail(rest, status)
}

/// Whether a line reports an answer of a server: what else it holds may be a client's.
pub(super) fn is_answer(line: &str) -> bool {
    if is_logged(line.as_bytes()) {
        return true;
    }
    let told = told(line.as_bytes());
    let read = read(line.as_bytes(), told.as_ref());
    read.is_some_and(|(seen, _)| seen.side == Side::Server)
}

#[cfg(test)]
mod tests;
