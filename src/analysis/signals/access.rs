//! HTTP answers per route from access logs in the common and combined formats (nginx, Apache).

use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use regex::Regex;

/// One answer of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) at: Option<DateTime<Utc>>,
    /// `GET /api/items`, without the query, with ids masked.
    pub(crate) route: String,
    pub(crate) status: u16,
}

/// `%h %l %u [%t] "%r" %>s %b ...`. A quote within the request is escaped by the server, so the first one ends it.
static COMMON: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"^\S+ \S+ .*?\[[^\]]{20,32}\] "([A-Z]{3,10}) (\S+)[^"]*" ([1-5]\d\d) (?:\d+|-)(?: |$)(.*)"#)
        .ok()
});

/// The answer that a line reports. The kubelet's own probes are none: they say nothing of clients.
pub(super) fn answer(line: &str, at: Option<DateTime<Utc>>) -> Option<Answer> {
    if !line.contains("] \"") {
        return None;
    }
    let found = COMMON.as_ref()?.captures(line)?;
    let status = found.get(3)?.as_str().parse().ok()?;
    let probe = found
        .get(4)
        .is_some_and(|rest| rest.as_str().contains("\"kube-probe/"));
    Some(Answer {
        at,
        route: if probe {
            String::new()
        } else {
            route_of(found.get(1)?.as_str(), found.get(2)?.as_str())
        },
        status,
    })
}

/// A request as a route: no query, and segments that are numbers, hex ids or UUIDs masked, so that counts come together.
pub(super) fn route_of(method: &str, target: &str) -> String {
    let path = target.split(['?', '#']).next().unwrap_or(target);
    let masked: Vec<&str> = path
        .split('/')
        .map(|segment| if is_id(segment) { "*" } else { segment })
        .collect();
    format!("{method} {}", masked.join("/"))
}

fn is_id(segment: &str) -> bool {
    let digits = segment.bytes().filter(u8::is_ascii_digit).count();
    let hex = segment.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    digits > 0 && (digits == segment.len() || (hex && segment.len() >= 8))
}

#[cfg(test)]
mod tests;
