//! Lines in which a client tells what it asked for and what came: of load generators, of HTTP libraries, and of loops around curl.
//!
//! They count for what clients see, and never for a replica: which one answered a client does not know.

use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use regex::Regex;

use super::access::{Answer, route_of};

/// The status of a request to which no answer came.
pub(crate) const NONE: u16 = 0;

const METHOD: &str = "GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS";

/// A form of line; groups `m`, `t` and `s`, where without a status none came.
static FORMS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let forms = [
        // TIME GET /api/items -> 504, and with a word where no answer came.
        format!(r"^(?:\S+ )?(?P<m>{METHOD}) (?P<t>\S+) -> (?:(?P<s>[1-5]\d\d)\b|[a-z])"),
        // TIME GET http://frontend/api/items 504
        format!(
            r"^(?:\S+ )?(?P<m>{METHOD}) (?P<t>https?://\S+) (?:(?P<s>[1-5]\d\d)(?: |$)|(?i:timeout|timed out|error|failed))"
        ),
        // curl -w '%{http_code} %{url}', and 000 where none came.
        r"^(?:\S+ )?(?P<m>)(?:(?P<s>[1-5]\d\d)|000) (?P<t>https?://\S+)$".to_owned(),
        // urllib3 and requests
        format!(
            r#"(?P<u>https?://[\w.-]+(?::\d+)?) "(?P<m>{METHOD}) (?P<t>/\S*) HTTP/[\d.]+" (?P<s>[1-5]\d\d)\b"#
        ),
        // httpx
        format!(
            r#"HTTP Request: (?P<m>{METHOD}) (?P<t>https?://\S+) "HTTP/[\d.]+ (?P<s>[1-5]\d\d)\b"#
        ),
        // Go's client: Get "http://frontend/api/items": context deadline exceeded
        r#"\b(?P<m>Get|Head|Post|Put|Patch|Delete) \\?"(?P<t>https?://[^"\\]+)\\?": "#.to_owned(),
    ];
    forms
        .iter()
        .filter_map(|form| Regex::new(form).ok())
        .collect()
});

/// What a line of a client tells: the route, and the status or [`NONE`].
pub(super) fn asked(line: &str, at: Option<DateTime<Utc>>) -> Option<Answer> {
    // Most lines of most logs have neither.
    if !line.contains(" -> ") && !line.contains("http") {
        return None;
    }
    let found = FORMS.iter().find_map(|form| form.captures(line))?;
    let status = found.name("s").map(|status| status.as_str().parse());
    let method = found.name("m")?.as_str().to_ascii_uppercase();
    let method = if method.is_empty() { "GET" } else { &method };
    Some(Answer {
        at,
        route: route_of(method, path(found.name("t")?.as_str())),
        status: status.transpose().ok()?.unwrap_or(NONE),
    })
}

/// A target without scheme and host.
fn path(target: &str) -> &str {
    let Some((_, rest)) = target.split_once("://") else {
        return target;
    };
    rest.find('/')
        .and_then(|slash| rest.get(slash..))
        .unwrap_or("/")
}

#[cfg(test)]
mod tests;
