//! Reads one line with the extractors of `table`: what it tells, and nothing of what a client may have written.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use memchr::memmem::{self, Finder};
use regex::bytes::{Captures, Regex};

use super::HostPort;
use super::access::Told;
use super::own::{is_nginx, own};
use super::table::{Kind, PATTERNS, ROWS, Row};

pub(super) const NGINX_UPSTREAM: &str = "nginx-upstream";
pub(super) const NGINX_GROUP: &str = "nginx-group";
pub(super) const NGINX_RESOLVER: &str = "nginx-resolver";

/// One thing that a line tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fact {
    /// The extractor's name.
    pub(crate) by: &'static str,
    pub(crate) kind: Kind,
    /// Untrusted, as it is shown: an address, a name, a flag; empty where there is none.
    pub(crate) text: String,
    pub(crate) address: Option<HostPort>,
}

impl Fact {
    pub(super) fn plain(by: &'static str, kind: Kind, text: &str) -> Self {
        Self {
            by,
            kind,
            text: text.to_owned(),
            address: None,
        }
    }

    pub(super) fn address(by: &'static str, kind: Kind, address: HostPort) -> Self {
        Self {
            by,
            kind,
            text: address.to_string(),
            address: Some(address),
        }
    }
}

/// Which rows a line may be one of, by the literals in it.
static NEEDLES: LazyLock<Option<(AhoCorasick, Vec<usize>)>> = LazyLock::new(|| {
    let pairs = ROWS
        .iter()
        .enumerate()
        .flat_map(|(at, row)| row.needles.iter().map(move |needle| (*needle, at)));
    let (needles, rows): (Vec<&str>, Vec<usize>) = pairs.unzip();
    Some((AhoCorasick::new(needles).ok()?, rows))
});

/// All that a line tells, which is not one of an access log.
pub(super) fn facts(text: &[u8], told: Option<&Told<'_>>) -> Vec<Fact> {
    let mut found = Vec::new();
    match told {
        // Of a structured line only the fields by which programs report errors.
        Some(told) if !told.is_loose() => {
            for text in &told.texts {
                read(text.as_bytes(), &mut found);
            }
        }
        _ => read(text, &mut found),
    }
    settle(found)
}

fn read(text: &[u8], found: &mut Vec<Fact>) {
    if is_nginx(text) || is_nginx_tail(text) {
        return nginx(text, found);
    }
    let Some((needles, rows)) = NEEDLES.as_ref() else {
        return;
    };
    let mut wanted = 0_u128;
    for hit in needles.find_overlapping_iter(text) {
        let row = rows.get(hit.pattern().as_usize());
        wanted |= row.map_or(0, |row| 1 << row);
    }
    if wanted == 0 {
        return;
    }
    let own = own(text);
    for (at, (row, pattern)) in ROWS.iter().zip(PATTERNS.iter()).enumerate() {
        if wanted & (1 << at) != 0
            && !is_of_nginx(row)
            && let Some(pattern) = pattern.as_ref()
        {
            found.extend(by_pattern(row, pattern, text, own));
        }
    }
}

fn is_of_nginx(row: &Row) -> bool {
    row.name.starts_with("nginx-")
}

/// In a line of nginx its own extractors count alone.
fn nginx(text: &[u8], found: &mut Vec<Fact>) {
    if let Some(fact) = nginx_upstream(text) {
        return found.push(fact);
    }
    for (row, pattern) in ROWS.iter().zip(PATTERNS.iter()) {
        if is_of_nginx(row)
            && !row.pattern.is_empty()
            && row
                .needles
                .iter()
                .any(|needle| memmem::find(text, needle.as_bytes()).is_some())
            && let Some(pattern) = pattern.as_ref()
        {
            found.extend(by_pattern(row, pattern, text, text.len()));
        }
    }
}

/// A line of nginx whose head was cut off.
fn is_nginx_tail(text: &[u8]) -> bool {
    CLIENT.find(text).is_some() && SERVER.find(text).is_some()
}

/// What a row's pattern finds. Where it finds two different things, a client may have written one of them: then none.
fn by_pattern(row: &'static Row, pattern: &Regex, text: &[u8], own: usize) -> Option<Fact> {
    let mut one: Option<Fact> = None;
    for found in pattern.captures_iter(text) {
        let whole = found.get(0)?;
        if whole.start() >= own || (!row.past_clients && whole.end() > own) {
            break;
        }
        let fact = fact(row, &found)?;
        if row.name == NGINX_RESOLVER && is_asked_host(text, &fact.text) {
            return None;
        }
        if one.as_ref().is_some_and(|one| *one != fact) {
            return None;
        }
        one = Some(fact);
    }
    one
}

fn fact(row: &'static Row, found: &Captures<'_>) -> Option<Fact> {
    let group = |name: &str| {
        let group = found.name(name)?;
        Some(String::from_utf8_lossy(group.as_bytes()))
    };
    if let Some(address) = group("a") {
        let plain = address.replace("%5B", "[").replace("%5D", "]");
        return Some(Fact::address(row.name, row.kind, HostPort::parse(&plain)?));
    }
    if let (Some(host), Some(port)) = (group("h"), group("p")) {
        let address = HostPort::parse(&format!("{host}:{port}"))?;
        return Some(Fact::address(row.name, row.kind, address));
    }
    let name = group("n").unwrap_or(Cow::Borrowed(""));
    Some(Fact::plain(row.name, row.kind, &name))
}

static CLIENT: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(", client: "));
static SERVER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(", server: "));
static UPSTREAM: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("upstream"));
static SCHEME: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("://"));
static HUNG_UP: LazyLock<Finder<'static>> =
    LazyLock::new(|| Finder::new("client prematurely closed connection"));
/// The address in `upstream: "http://10.96.10.144:8000/items"`, or the group's name where it has no port. The message before the
/// client's fields must be about an upstream and quote no file, and the field must be there once: a client can write one into its
/// request, or into a referrer of a line that has none.
fn nginx_upstream(text: &[u8]) -> Option<Fact> {
    let (head, url) = upstream_field(text)?;
    let before = text.get(..head)?;
    let head = before.get(..CLIENT.find(before).unwrap_or(head))?;
    let quotes =
        memchr::memchr(b'"', head).is_some() && memmem::find(head, b"upstream sent").is_none();
    if quotes || UPSTREAM.find(head).is_none() || (!is_nginx(text) && own(head) < head.len()) {
        return None;
    }
    if is_no_failure(head) {
        return None;
    }
    let rest = text.get(url..)?;
    let url = rest.get(..memchr::memchr(b'"', rest)?)?;
    let bare = SCHEME.find(url).map_or(0, |at| at + SCHEME.needle().len());
    let place = url.get(bare..)?.split(|b| *b == b'/').next()?;
    let place = String::from_utf8_lossy(place);
    match HostPort::parse(&place) {
        Some(address) => Some(Fact::address(NGINX_UPSTREAM, Kind::Upstream, address)),
        None if !place.is_empty() && memmem::find(head, b"no live upstreams").is_some() => {
            Some(Fact::plain(NGINX_GROUP, Kind::Backend, &place))
        }
        None => None,
    }
}

/// Where the client's fields begin at the latest, and where the text of the upstream's field does. Each field that matters has its text
/// between quotes, of which there are few, so they are gone through once.
fn upstream_field(text: &[u8]) -> Option<(usize, usize)> {
    let (mut request, mut found) = (None, None);
    for quote in memchr::memchr_iter(b'"', text) {
        let before = text.get(..quote)?;
        if before.ends_with(b"upstream: ") {
            if found.is_some() {
                return None;
            }
            let field = quote - b"upstream: ".len();
            found = Some((request.unwrap_or(field), quote + 1));
        } else if found.is_none() {
            if before.ends_with(b", host: ") || before.ends_with(b", referrer: ") {
                return None;
            }
            if request.is_none() && before.ends_with(b", request: ") {
                request = Some(quote - b", request: ".len());
            }
        }
    }
    found
}

/// nginx also tells of upstreams that do not fail: what it buffers, clients that hung up, and all that it does where it debugs.
fn is_no_failure(head: &[u8]) -> bool {
    let levels = memchr::memchr_iter(b'[', head).filter_map(|at| head.get(at..));
    for level in levels {
        let quiet = [&b"[debug] "[..], b"[info] ", b"[notice] "];
        if quiet.iter().any(|quiet| level.starts_with(quiet))
            || (level.starts_with(b"[warn] ")
                && memmem::find(head, b"temporarily disabled").is_none())
        {
            return true;
        }
    }
    HUNG_UP.find(head).is_some()
}

/// Whether a name is the one that the client asked for.
fn is_asked_host(text: &[u8], name: &str) -> bool {
    let line = String::from_utf8_lossy(text);
    let host = line
        .split_once(", host: \"")
        .and_then(|(_, rest)| rest.split_once('"'));
    host.is_some_and(|(host, _)| host.split(':').next() == Some(name))
}

/// Drops what another fact of the line says better, and addresses that contradict each other.
fn settle(mut found: Vec<Fact>) -> Vec<Fact> {
    if found.len() < 2 {
        return found;
    }
    let unresolved: Vec<String> = found
        .iter()
        .filter(|fact| fact.kind == Kind::Unresolved)
        .map(|fact| fact.text.clone())
        .collect();
    found.retain(|fact| {
        let host = fact.address.as_ref().map(|address| &address.host);
        fact.kind != Kind::Upstream || host.is_none_or(|host| !unresolved.contains(host))
    });
    // A name and its address may both be told; two ports are two places, of which a client may have written one.
    let ports = |kind| {
        let mut ports = found
            .iter()
            .filter(|fact| fact.kind == kind)
            .filter_map(|f| f.address.as_ref());
        let first = ports.next().map(|address| address.port);
        (first, ports.all(|address| Some(address.port) == first))
    };
    let (first, same) = ports(Kind::Upstream);
    if first.is_some() && !same {
        found.retain(|fact| fact.kind != Kind::Upstream);
    }
    // The first row that names the place is the closest; another one repeats it.
    let mut seen: Vec<Kind> = Vec::new();
    found.retain(|fact| {
        let fresh = !seen.contains(&fact.kind);
        seen.push(fact.kind);
        fresh
    });
    if found.iter().any(|fact| fact.kind != Kind::Unnamed) {
        found.retain(|fact| fact.kind != Kind::Unnamed);
    }
    found
}

#[cfg(test)]
mod tests;
