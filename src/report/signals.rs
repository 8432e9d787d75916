//! What `confsplit signals` found in a log: as text for a person, or as JSON for a program.

use std::collections::BTreeMap;
use std::io::{self, Write};

use chrono::SecondsFormat;
use serde_json::{Value, json};

use super::{Charset, words};
use crate::analysis::{FORMATS, Item, Kind, Moment, Route, Side, Tally, Wrapping, extractors};
use crate::text::{grouped, harmless};

/// What was read, and what was not.
#[derive(Debug, Default)]
pub struct Log {
    /// The file, or `standard input`.
    pub name: String,
    pub bytes: u64,
    pub lines: usize,
    pub gzip: bool,
    pub wrapping: Wrapping,
    /// Lines that a container runtime had cut, and that were put together.
    pub joined: usize,
    /// Lines that were too long to be read to their end.
    pub cut: usize,
    /// Lines with bytes that are no UTF-8.
    pub invalid: usize,
    /// Why it was not read to its end.
    pub broken: Option<String>,
}

/// Writes what was found.
pub fn write(
    json: bool,
    charset: Charset,
    log: &Log,
    tally: &Tally,
    out: &mut dyn Write,
) -> io::Result<()> {
    if json {
        serde_json::to_writer_pretty(&mut *out, &value(log, tally))?;
        return out.write_all(b"\n");
    }
    let page = page(log, tally);
    match charset {
        Charset::Unicode => out.write_all(page.as_bytes()),
        Charset::Ascii => out.write_all(words::ascii(&page).as_bytes()),
    }
}

/// Writes the extractors and the formats of access logs, each with a line.
pub fn list(json: bool, out: &mut dyn Write) -> io::Result<()> {
    if json {
        let rows: Vec<Value> = extractors()
            .map(|row| json!({"name": row.name, "kind": row.kind.code(), "sample": row.sample, "shows": none_if_empty(row.shows)}))
            .collect();
        let formats: Vec<Value> = FORMATS
            .iter()
            .map(|(name, line)| json!({"name": name, "sample": line}))
            .collect();
        serde_json::to_writer_pretty(&mut *out, &json!({"extractors": rows, "formats": formats}))?;
        return out.write_all(b"\n");
    }
    writeln!(
        out,
        "Extractors: what a program says of whom it could not reach"
    )?;
    for row in extractors() {
        let shows = if row.shows.is_empty() {
            String::new()
        } else {
            format!(": {}", row.shows)
        };
        writeln!(
            out,
            "\n{}  {}{shows}\n  {}",
            row.name,
            row.kind.as_str(),
            row.sample
        )?;
    }
    writeln!(out, "\nFormats: answers by route and status")?;
    for (name, line) in FORMATS {
        writeln!(out, "\n{name}\n  {line}")?;
    }
    Ok(())
}

fn none_if_empty(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// As a log tells a time: with `Z` only where the zone is known.
fn time(moment: Option<Moment>) -> Option<String> {
    moment.map(|moment| {
        if moment.zoned {
            moment
                .at
                .and_utc()
                .to_rfc3339_opts(SecondsFormat::AutoSi, true)
        } else {
            moment.at.format("%Y-%m-%dT%H:%M:%S%.f").to_string()
        }
    })
}

/// Seconds between two moments of one clock; none where one is not known or they are the same.
fn seconds(first: Option<Moment>, last: Option<Moment>) -> Option<f64> {
    let (first, last) = (first?, last?);
    let took = (last.at - first.at).num_milliseconds();
    (first.zoned == last.zoned && took > 0).then(|| took as f64 / 1e3)
}

fn value(log: &Log, tally: &Tally) -> Value {
    let (first, last) = tally.span();
    let routes: Vec<Value> = tally.routes().iter().map(route).collect();
    let items: Vec<Value> = tally.items().iter().map(item).collect();
    json!({
        "schema": "confsplit.signals/v1",
        "log": {
            "name": log.name, "bytes": log.bytes, "lines": log.lines, "gzip": log.gzip,
            "wrapping": wrapping(log.wrapping),
            "first": time(first), "last": time(last),
        },
        "routes": routes,
        "signals": items,
        "probes": tally.probes,
        "not_read": {
            "lines_cut": log.cut, "lines_not_utf8": log.invalid, "lines_joined": log.joined,
            "telling_lines": tally.telling, "telling_lines_without_time": tally.untimed,
            "not_told_apart": tally.beyond, "broken": log.broken,
        },
    })
}

fn wrapping(wrapping: Wrapping) -> Option<&'static str> {
    match wrapping {
        Wrapping::None => None,
        Wrapping::Cri => Some("cri"),
        Wrapping::Docker => Some("docker"),
    }
}

fn route(route: &Route) -> Value {
    let statuses: BTreeMap<String, usize> = route
        .statuses
        .iter()
        .map(|(status, count)| (status_name(*status), *count))
        .collect();
    json!({
        "route": route.route,
        "told_by": match route.side { Side::Server => "server", Side::Client => "client" },
        "format": route.format,
        "total": route.total(), "failed": route.failed(), "statuses": statuses,
        "first": time(route.first), "last": time(route.last),
        "seconds": seconds(route.first, route.last),
    })
}

fn item(item: &Item) -> Value {
    json!({
        "extractor": item.name, "kind": item.kind.code(), "text": none_if_empty(&item.text),
        "count": item.count, "first": time(item.first), "last": time(item.last), "last_line": item.line,
    })
}

fn status_name(status: u16) -> String {
    if status == 0 {
        "none".to_owned()
    } else {
        status.to_string()
    }
}

/// Lists are cut here, and say so: a terminal is no place for two thousand rows. JSON has all.
const ROWS: usize = 40;
const WIDEST: usize = 160;

fn page(log: &Log, tally: &Tally) -> String {
    let mut page = head(log, tally);
    let routes = tally.routes();
    for (side, title) in [
        (
            Side::Server,
            "Answers by route, as servers and proxies log them",
        ),
        (Side::Client, "Answers by route, as clients log them"),
    ] {
        let rows: Vec<&Route> = routes.iter().filter(|route| route.side == side).collect();
        if !rows.is_empty() {
            page.push_str(&format!("\n{title}\n"));
            page.push_str(&route_rows(&rows));
        }
    }
    let items = tally.items();
    if !items.is_empty() {
        page.push_str("\nSignals\n");
        items
            .iter()
            .take(ROWS)
            .for_each(|item| page.push_str(&item_rows(item)));
        more(&mut page, items.len(), "signal");
    }
    if routes.is_empty() && items.is_empty() {
        page.push_str("\nNo extractor found anything in it: `confsplit signals --list` shows what they read.\n");
    }
    page.push_str(&missing(log, tally));
    page
}

fn more(page: &mut String, all: usize, what: &str) {
    if all > ROWS {
        page.push_str(&format!(
            "  … {} more {what}s: -o json has them all\n",
            grouped(all - ROWS)
        ));
    }
}

fn head(log: &Log, tally: &Tally) -> String {
    let form = match (log.gzip, wrapping(log.wrapping)) {
        (false, None) => String::new(),
        (true, None) => ", gzip".to_owned(),
        (false, Some(wrapping)) => format!(", {wrapping}"),
        (true, Some(wrapping)) => format!(", gzip, {wrapping}"),
    };
    let (first, last) = tally.span();
    let window = match (time(first), time(last)) {
        (Some(first), Some(last)) => format!("What was found is from {first} to {last}."),
        _ if tally.telling > 0 => "What was found has no time that could be read.".to_owned(),
        _ => String::new(),
    };
    let size = log.bytes as f64 / 1e6;
    let lines = if log.lines == 1 { "line" } else { "lines" };
    format!(
        "{}: {} {lines}, {size:.1} MB{form}. {window}\n",
        harmless(&log.name),
        grouped(log.lines)
    )
    .replace(" \n", "\n")
}

fn route_rows(rows: &[&Route]) -> String {
    let mut page = format!(
        "  {:>11} {:>11} {:>9}  {:<20} {:<20} ROUTE AND STATUSES\n",
        "REQUESTS", "FAILED", "PER S", "FROM", "TO"
    );
    for route in rows.iter().take(ROWS) {
        let rate = seconds(route.first, route.last).map_or_else(
            || "?".to_owned(),
            |took| format!("{:.1}", route.total() as f64 / took),
        );
        let statuses: Vec<String> = route
            .statuses
            .iter()
            .map(|(status, count)| format!("{} × {}", status_name(*status), grouped(*count)))
            .collect();
        page.push_str(&format!(
            "  {:>11} {:>11} {rate:>9}  {:<20} {:<20} {}  {}\n",
            grouped(route.total()),
            grouped(route.failed()),
            short(route.first),
            short(route.last),
            cut(&route.route, 80),
            statuses.join(", "),
        ));
    }
    more(&mut page, rows.len(), "route");
    page
}

/// To the second; a time without a zone has no `Z`.
fn short(moment: Option<Moment>) -> String {
    moment.map_or_else(
        || "unknown".to_owned(),
        |moment| {
            moment.at.format("%Y-%m-%dT%H:%M:%S").to_string() + if moment.zoned { "Z" } else { "" }
        },
    )
}

fn item_rows(item: &Item) -> String {
    let text = if item.text.is_empty() {
        String::new()
    } else {
        format!(": {}", cut(&item.text, 80))
    };
    format!(
        "  {:>11}  {:<20} {:<20} {}{text}  ({})\n{:15}last: {}\n",
        grouped(item.count),
        short(item.first),
        short(item.last),
        item.kind.as_str(),
        item.name,
        "",
        cut(&item.line, WIDEST),
    )
}

fn cut(text: &str, most: usize) -> String {
    let clean = harmless(text.trim_end());
    match clean.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", clean.get(..at).unwrap_or_default()),
        None => clean.into_owned(),
    }
}

/// What was dropped, cut or not told apart.
fn missing(log: &Log, tally: &Tally) -> String {
    let limit = Tally::LONGEST_LINE >> 10;
    let said = [
        (
            log.cut,
            format!("longer than {limit} KiB, and read up to there"),
        ),
        (
            log.invalid,
            "with bytes that are no UTF-8, shown as \u{fffd}".to_owned(),
        ),
        (
            log.joined,
            "that the container runtime had cut, put together again".to_owned(),
        ),
        (
            tally.untimed,
            format!(
                "of the {} that tell something without a time that could be read",
                grouped(tally.telling)
            ),
        ),
        (
            tally.probes,
            "of the kubelet's own probes, which are no client's".to_owned(),
        ),
        (
            tally.beyond,
            "whose finding was not told apart from others, since there were too many".to_owned(),
        ),
    ];
    let mut notes: Vec<String> = said
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| {
            format!(
                "  {} {} {what}\n",
                grouped(count),
                if count == 1 { "line" } else { "lines" }
            )
        })
        .collect();
    if tally.items().iter().any(|item| item.kind == Kind::Unnamed) {
        notes.push("  Some lines say that a connection failed and not to where: look at the lines near them.\n".to_owned());
    }
    if let Some(broken) = &log.broken {
        notes.push(format!(
            "  It was not read to its end: {}\n",
            harmless(broken)
        ));
    }
    if notes.is_empty() {
        String::new()
    } else {
        format!("\nTo be known\n{}", notes.concat())
    }
}

#[cfg(test)]
mod tests;
