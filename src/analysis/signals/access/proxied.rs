//! What proxies say of their upstream in access logs: nginx where `$upstream_addr` is among the fields, ingress-nginx, Envoy and
//! Istio's sidecars, HAProxy.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use regex::bytes::{Captures, Regex};

use super::common::closing;
use super::{Seen, Side};
use crate::analysis::signals::HostPort;
use crate::analysis::signals::extract::Fact;
use crate::analysis::signals::table::Kind;

/// Names under which a format says `$upstream_addr`, and none that may as well be the user agent's.
const ADDRESS: [&str; 7] = [
    "upstream_addr",
    "upstream",
    "upstream_address",
    "ups_addr",
    "proxy_upstream_addr",
    "upstream_host",
    "backend_addr",
];
const STATUS: [&str; 4] = ["upstream_status", "us", "ups_status", "upstream_code"];

/// Behind the user agent of the controller's own format.
static INGRESS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?-u)^ \d+ [\d.]+ \[[^\]]*\] \[[^\]]*\] (?P<a>\S+(?:[,:]? [^\s,]+:\d+)*(?:, \S+:\d+)*) (?:[\d-]+(?:, [\d-]+)*) (?:[\d.-]+(?:, [\d.-]+)*) (?P<s>(?:\d{3}|-)(?:, (?:\d{3}|-))*) [0-9a-f]+\s*$").ok()
});

/// Each name of an address holds one of these, made ready once.
static NAMED: LazyLock<[Finder<'static>; 2]> =
    LazyLock::new(|| ["pstream", "_addr"].map(Finder::new));

/// The upstream's addresses behind the common fields.
pub(super) fn in_tail(rest: &[u8], status: u16) -> Vec<Fact> {
    let Some(last) = unquoted(rest) else {
        return Vec::new();
    };
    if let Some(behind) = rest.get(last..).filter(|behind| behind.len() > 20)
        && let Some(found) = INGRESS
            .as_ref()
            .and_then(|ingress| ingress.captures(behind))
    {
        return addresses(
            "ingress-nginx",
            &group(&found, "a"),
            &group(&found, "s"),
            status,
        );
    }
    if !NAMED.iter().any(|named| named.find(rest).is_some()) {
        return Vec::new();
    }
    let pairs = pairs(&String::from_utf8_lossy(rest));
    let of = |names: &[&str]| {
        let mut found = pairs
            .iter()
            .filter(|(key, _)| names.contains(&key.as_str()));
        let first = found.next().map(|(_, value)| value.clone());
        // What is there twice may have been written by a client.
        first.filter(|_| found.next().is_none())
    };
    let Some(list) = of(&ADDRESS) else {
        return Vec::new();
    };
    addresses(
        "nginx-upstream-addr",
        &list,
        &of(&STATUS).unwrap_or_default(),
        status,
    )
}

/// Where the last quoted text ends. What is quoted is mostly a client's, whose own quotes the servers escape. One that nothing closes,
/// or that is escaped outside of quotes, stands where a client's text is cut or was never quoted: then nothing is the proxy's for sure.
fn unquoted(rest: &[u8]) -> Option<usize> {
    let mut last = 0;
    while let Some(quote) = memchr::memchr(b'"', rest.get(last..)?) {
        let (before, quoted) = rest.split_at_checked(last + quote)?;
        if before.get(last..)?.ends_with(b"\\") {
            return None;
        }
        let quoted = quoted.get(1..)?;
        last = before.len() + 1 + closing(quoted)? + 1;
    }
    Some(last)
}

/// `key=value`, `key="value"` and `key: value`, outside of quotes, all of which are closed. A list goes on behind a comma.
fn pairs(rest: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut left = rest.trim_start();
    while !left.is_empty() {
        let key: &str = left
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .next()
            .unwrap_or_default();
        let behind = left.get(key.len()..).unwrap_or_default();
        let value = behind
            .strip_prefix('=')
            .or_else(|| behind.strip_prefix(": "))
            .or_else(|| behind.strip_prefix(':'));
        let (text, next) = match (key.is_empty(), value) {
            (false, Some(value)) => of_list(value),
            _ => of_list(left),
        };
        if !key.is_empty() && value.is_some() {
            found.push((key.to_ascii_lowercase(), text.to_owned()));
        }
        left = next.trim_start();
    }
    found
}

/// A quoted text, or words up to one that no comma joins to the next; and what follows.
fn of_list(text: &str) -> (&str, &str) {
    if let Some(quoted) = text.strip_prefix('"')
        && let Some(end) = closing(quoted.as_bytes())
    {
        let (quoted, behind) = quoted.split_at(end);
        // What hangs on the closing quote is no word of its own.
        let behind = behind.get(1..).unwrap_or_default();
        return (quoted, behind.get(word(behind)..).unwrap_or_default());
    }
    let mut end = 0;
    loop {
        let (list, next) = text.split_at(end + word(text.get(end..).unwrap_or_default()));
        if next.is_empty() || !list.trim_end().ends_with(',') {
            // A quoted text behind a comma is another's.
            let own = list.split('"').next().unwrap_or_default();
            return (own.trim_end(), next);
        }
        end = list.len();
    }
}

/// How long the first word is, with the space behind it. A space within quotes ends none, wherever in the word they open.
fn word(text: &str) -> usize {
    let mut end = 0;
    while let Some(left) = text.as_bytes().get(end..)
        && let Some(at) = memchr::memchr2(b' ', b'"', left)
    {
        end += at + 1;
        match left.split_at(at).1 {
            [b'"', quoted @ ..] => end += closing(quoted).map_or(quoted.len(), |quote| quote + 1),
            _ => return end,
        }
    }
    text.len()
}

/// Each address of a list, by its own status where there are as many: those that failed, and those that were asked.
pub(super) fn addresses(by: &'static str, list: &str, statuses: &str, status: u16) -> Vec<Fact> {
    let cut = |list: &str| -> Vec<String> {
        let items = list
            .split([',', ' '])
            .filter(|item| !item.is_empty() && *item != ":");
        items.map(str::to_owned).collect()
    };
    let (list, statuses) = (cut(list), cut(statuses));
    let own = |at: usize| {
        let own = statuses.get(at).filter(|_| statuses.len() == list.len());
        own.map_or(Some(status), |own| own.parse().ok())
    };
    let found = list.iter().enumerate().filter_map(|(at, item)| {
        let bare = item
            .split_once("://")
            .map_or(item.as_str(), |(_, bare)| bare);
        let address = HostPort::parse(bare.split('/').next()?)?;
        let failed = own(at).is_some_and(|status| matches!(status, 502..=504));
        let kind = if failed {
            Kind::Upstream
        } else {
            Kind::Reached
        };
        Some(Fact::address(by, kind, address))
    });
    // Nobody has as many upstreams for one request.
    found.take(8).collect()
}

/// Envoy's default format, and Istio's. What a client supplies stands between quotes that Envoy does not escape: a line with one
/// quote more is left alone.
static ENVOY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"(?-u)^\[(?P<t>\d{4}-\d\d-\d\dT[\d:.]+Z)\] "(?P<m>[A-Z]{3,10}) (?P<p>[^\s"]+) [^\s"]+" (?P<s>\d{1,3}) (?P<f>-|[A-Za-z0-9,_]+) "#,
        r#"(?P<istio>\S+ \S+ "[^"]*" )?\d+ \d+ \d+ (?:-|\d+) "[^"]*" "(?P<ua>[^"]*)" "[^"]*" "[^"]*" "(?P<a>[^"]*)"(?: \S+ \S+ \S+ \S+ \S+ \S+)?\s*$"#,
    ))
    .ok()
});

/// By these Envoy says that the upstream failed it.
pub(super) const FAILS: [&str; 7] = ["UF", "UC", "UR", "UT", "LR", "URX", "UPE"];

pub(super) fn envoy(text: &[u8]) -> Option<(Seen<'_>, Vec<Fact>)> {
    if text.first() != Some(&b'[') {
        return None;
    }
    let found = ENVOY.as_ref()?.captures(text)?;
    let status = group(&found, "s").parse().ok()?;
    let by = if found.name("istio").is_some() {
        "istio"
    } else {
        "envoy"
    };
    let flags = group(&found, "f");
    let facts = flagged(by, &flags, &group(&found, "a"));
    let seen = Seen {
        by,
        side: Side::Server,
        method: Cow::Borrowed(found.name("m")?.as_bytes()),
        target: Cow::Borrowed(found.name("p")?.as_bytes()),
        status,
        probe: found
            .name("ua")
            .is_some_and(|ua| ua.as_bytes().starts_with(b"kube-probe/")),
    };
    Some((seen, facts))
}

/// Envoy's flags, and the upstream by what they say of it.
pub(super) fn flagged(by: &'static str, flags: &str, upstream: &str) -> Vec<Fact> {
    let flags: Vec<&str> = flags
        .split(',')
        .filter(|flag| !flag.is_empty() && *flag != "-")
        .collect();
    let failed = flags.iter().any(|flag| FAILS.contains(flag));
    let kind = if failed {
        Kind::Upstream
    } else {
        Kind::Reached
    };
    let address = HostPort::parse(upstream).map(|address| Fact::address(by, kind, address));
    let flags = flags
        .into_iter()
        .map(|flag| Fact::plain(by, Kind::Flag, flag));
    flags.chain(address).collect()
}

/// `option httplog`. HAProxy writes quotes and braces of captured headers as `#xx`.
static HAPROXY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?-u)^(?:<\d+>)?(?:[A-Z][a-z]{2} +\d+ [\d:]{8} )?(?:\S+ )?(?:haproxy\[\d+\]: )?",
        r#"\S+:\d+ \[\d\d/[A-Z][a-z]{2}/\d{4}:[\d:.]+\] \S+ (?P<b>[^\s/]+/[^\s/]+) (?:-?\d+/){4}\+?-?\d+ (?P<s>-1|\d{3}) \+?\d+ \S+ \S+ (?P<e>[A-Za-z-]{4}) "#,
        r#"(?:\d+/){4}\+?\d+ \d+/\d+ (?:\{(?P<h>[^}]*)\} )?(?:\{[^}]*\} )?"(?P<m>[A-Z]{3,10}) (?P<p>[^\s"]+)[^"]*"\s*$"#,
    ))
    .ok()
});

pub(super) fn haproxy(text: &[u8]) -> Option<(Seen<'_>, Vec<Fact>)> {
    if text.last() != Some(&b'"') {
        return None;
    }
    let found = HAPROXY.as_ref()?.captures(text)?;
    let ended = group(&found, "e");
    let backend = group(&found, "b");
    // The server refused, aborted or was too slow; or there is none.
    let failed = ended.starts_with(['S', 's']) || backend.ends_with("/<NOSRV>");
    let facts = failed.then(|| Fact::plain("haproxy", Kind::Backend, &backend));
    let seen = Seen {
        by: "haproxy",
        side: Side::Server,
        method: Cow::Borrowed(found.name("m")?.as_bytes()),
        target: Cow::Borrowed(found.name("p")?.as_bytes()),
        status: group(&found, "s").parse().unwrap_or(0),
        probe: found
            .name("h")
            .is_some_and(|h| memchr::memmem::find(h.as_bytes(), b"kube-probe/").is_some()),
    };
    Some((seen, facts.into_iter().collect()))
}

fn group(found: &Captures<'_>, name: &str) -> String {
    let group = found.name(name).map(|group| group.as_bytes());
    String::from_utf8_lossy(group.unwrap_or_default()).into_owned()
}
