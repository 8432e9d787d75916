//! Lines of servers and clients that follow no common format.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::{Seen, Side};
use crate::analysis::signals::HostPort;
use crate::analysis::signals::extract::Fact;
use crate::analysis::signals::table::Kind;

struct Format {
    name: &'static str,
    side: Side,
    /// Without it the pattern is not tried.
    needle: &'static [u8],
    /// Groups: `m`, `t`, `s`, and `u` for scheme and address of the server that was asked.
    pattern: Regex,
}

static FORMATS: LazyLock<Vec<Format>> = LazyLock::new(|| {
    let rows: [(&'static str, Side, &'static [u8], &'static str); 7] = [
        (
            "uvicorn",
            Side::Server,
            b" - \"",
            r#"^INFO: +\S+:\d+ - "(?P<m>[A-Z]{3,10}) (?P<t>\S+) HTTP/[\d.]+" (?P<s>\d{3})(?: |$)"#,
        ),
        (
            "gin",
            Side::Server,
            b"[GIN]",
            r#"^\[GIN\] [\d/]{10} - [\d:]{8} \| +(?P<s>\d{3}) +\| +\S+ \| +\S+ \| (?P<m>[A-Z]{3,10}) +"(?P<t>[^"]+)""#,
        ),
        (
            "morgan",
            Side::Server,
            b" ms - ",
            r"^(?P<m>[A-Z]{3,10}) (?P<t>\S+) (?P<s>\d{3}) [\d.]+ ms - (?:\d+|-)$",
        ),
        (
            "urllib3",
            Side::Client,
            b"urllib3",
            r#"urllib3\.connectionpool[:\s-]+(?:DEBUG[:\s-]+)?(?P<u>https?://[^\s/"]+) "(?P<m>[A-Z]{3,10}) (?P<t>\S+) HTTP/[\d.]+" (?P<s>\d{3}) (?:\d+|None)$"#,
        ),
        (
            "httpx",
            Side::Client,
            b"HTTP Request: ",
            r#"\bHTTP Request: (?P<m>[A-Z]{3,10}) (?P<u>https?://[^\s/"]+)(?P<t>/\S*)? "HTTP/[\d.]+ (?P<s>\d{3})[^"]*"$"#,
        ),
        (
            "client",
            Side::Client,
            b" -> ",
            r"^(?:\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)? )?(?P<m>[A-Z]{3,10}) (?P<u>https?://[^\s/]+)?(?P<t>/\S*)? -> (?P<s>\d{3}|timeout|error|failed)$",
        ),
        (
            "client",
            Side::Client,
            b" http",
            r"^(?:\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-]\d\d:?\d\d)? )?(?P<m>[A-Z]{3,10}) (?P<u>https?://[^\s/]+)(?P<t>/\S*)? (?P<s>\d{3}|timeout)(?: [\d.]+ ?m?s)?$",
        ),
    ];
    let made = rows
        .into_iter()
        .filter_map(|(name, side, needle, pattern)| {
            Some(Format {
                name,
                side,
                needle,
                pattern: Regex::new(&format!("(?-u){pattern}")).ok()?,
            })
        });
    made.collect()
});

pub(super) fn read(text: &[u8]) -> Option<(Seen<'_>, Vec<Fact>)> {
    let text = text.trim_ascii_end();
    FORMATS.iter().find_map(|format| {
        memchr::memmem::find(text, format.needle)?;
        let found = format.pattern.captures(text)?;
        let status = found.name("s")?.as_bytes();
        // A word is no status: no answer came.
        let status = std::str::from_utf8(status).ok()?.parse().unwrap_or(0);
        if status != 0 && !(100..600).contains(&status) {
            return None;
        }
        let target = found
            .name("t")
            .map_or(&b"/"[..], |target| target.as_bytes());
        let seen = Seen {
            by: format.name,
            side: format.side,
            method: Cow::Borrowed(found.name("m")?.as_bytes()),
            target: Cow::Borrowed(target),
            status,
            probe: false,
        };
        let asked = found.name("u").and_then(|url| {
            let url = String::from_utf8_lossy(url.as_bytes());
            let (_, address) = url.split_once("://")?;
            Some(Fact::address(
                format.name,
                Kind::Reached,
                HostPort::parse(address)?,
            ))
        });
        Some((seen, asked.into_iter().collect()))
    })
}
