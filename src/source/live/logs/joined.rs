//! A kubelet's log with the lines that a command printed from before it: each with its time where it has one, none of them twice.

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};

use super::command::Printed;
use crate::model::LogLine;

/// So many lines that are the same in both say where the one begins in the other.
const ALIKE: usize = 3;
/// Clocks of a log store and a node may differ by so much at a container's start.
const SLACK: TimeDelta = TimeDelta::seconds(1);

/// The times of one run of a container, as far as they are known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) from: Option<DateTime<Utc>>,
    pub(super) until: Option<DateTime<Utc>>,
}

impl Span {
    fn holds(&self, at: DateTime<Utc>) -> bool {
        self.from.is_none_or(|from| at >= from - SLACK)
            && self.until.is_none_or(|until| at <= until + SLACK)
    }
}

/// What came of joining two logs.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Joined {
    pub(super) text: String,
    /// Lines of it that the kubelet has not.
    pub(super) added: usize,
    /// Those of them that have no time.
    pub(super) timeless: usize,
}

/// Lines of a run from before the kubelet's first one and from within its hole, joined with the kubelet's own.
pub(super) fn join(kubelet: &str, hole: Option<&Span>, printed: &str, run: &Span) -> Joined {
    let kept: Vec<&str> = kubelet.lines().collect();
    let times = kept.iter().map(|line| LogLine::parse(line).at);
    let first = times.clone().flatten().next();
    let wanted = |at: DateTime<Utc>| {
        let before = first.is_none_or(|first| at < first);
        let within = hole.is_some_and(|hole| {
            hole.from.is_some_and(|from| at > from) && hole.until.is_some_and(|until| at < until)
        });
        run.holds(at) && (before || within)
    };
    let lines: Vec<(Option<DateTime<Utc>>, &str)> = printed
        .lines()
        .map(|line| timed(line.trim_end_matches('\r')))
        .collect();
    let end = if lines.iter().all(|(at, _)| at.is_none()) {
        repeated_from(&lines, &kept).unwrap_or(lines.len())
    } else {
        lines.len()
    };
    // A line without a time belongs to the one before it, as the lines of a stack trace do.
    let (mut front, mut inside, mut fate) = (Vec::new(), Vec::new(), Some(true));
    for (at, text) in lines.into_iter().take(end) {
        if let Some(at) = at {
            let early = first.is_none_or(|first| at < first);
            fate = wanted(at).then_some(early);
        }
        match fate {
            Some(true) => front.push((at, text)),
            Some(false) => inside.push((at, text)),
            None => {}
        }
    }
    let place = hole.and_then(|hole| hole.until).map_or(kept.len(), |end| {
        let mut times = times.clone();
        times
            .position(|at| at.is_some_and(|at| at >= end))
            .unwrap_or(kept.len())
    });
    let mut joined = Joined {
        text: String::with_capacity(kubelet.len() + printed.len()),
        added: front.len() + inside.len(),
        timeless: front
            .iter()
            .chain(&inside)
            .filter(|(at, _)| at.is_none())
            .count(),
    };
    let (head, tail) = kept.split_at(place.min(kept.len()));
    write(&mut joined.text, &front);
    head.iter().for_each(|line| push(&mut joined.text, line));
    write(&mut joined.text, &inside);
    tail.iter().for_each(|line| push(&mut joined.text, line));
    joined
}

/// Where lines without times begin to be those that the kubelet has too.
fn repeated_from(lines: &[(Option<DateTime<Utc>>, &str)], kept: &[&str]) -> Option<usize> {
    let begin: Vec<&str> = kept
        .iter()
        .take(ALIKE)
        .map(|line| LogLine::parse(line).text)
        .collect();
    if begin.is_empty() {
        return None;
    }
    lines.windows(begin.len()).position(|window| {
        window
            .iter()
            .map(|(_, text)| *text)
            .eq(begin.iter().copied())
    })
}

fn write(out: &mut String, lines: &[(Option<DateTime<Utc>>, &str)]) {
    for (at, text) in lines {
        if let Some(at) = at {
            out.push_str(&at.to_rfc3339_opts(SecondsFormat::Nanos, true));
            out.push(' ');
        }
        push(out, text);
    }
}

fn push(out: &mut String, line: &str) {
    out.push_str(line);
    out.push('\n');
}

/// A line with the time that it begins with: RFC 3339 with its zone (also with a blank for the T, and after kubectl's `[pod/…]`),
/// or seconds, milli-, micro- or nanoseconds since 1970. Labels that Loki's client puts behind it are no part of the line.
/// A time without a zone is none: whose it would be is not known.
pub(super) fn timed(line: &str) -> (Option<DateTime<Utc>>, &str) {
    let bare = match line.strip_prefix("[pod/").and_then(|l| l.split_once("] ")) {
        Some((_, rest)) => rest,
        None => line,
    };
    let cut = |word: &str| {
        let rest = bare.get(word.len()..).unwrap_or_default();
        rest.strip_prefix([' ', '\t']).unwrap_or(rest)
    };
    let word = bare.split([' ', '\t']).next().unwrap_or_default();
    if let Some(at) = rfc3339(word).or_else(|| epoch(word)) {
        return (Some(at), without_labels(cut(word)));
    }
    // `2026-10-02 20:35:26+00:00 …`
    let mut words = bare.match_indices([' ', '\t']).map(|(at, _)| at);
    let second = words.nth(1).unwrap_or(bare.len());
    let two = bare.get(..second).unwrap_or_default();
    match rfc3339(two) {
        Some(at) => (Some(at), without_labels(cut(two))),
        None => (None, line),
    }
}

fn rfc3339(word: &str) -> Option<DateTime<Utc>> {
    let at = DateTime::parse_from_rfc3339(word)
        .or_else(|_| DateTime::parse_from_str(word, "%Y-%m-%dT%H:%M:%S%.f%z"));
    at.ok().map(|at| at.with_timezone(&Utc))
}

/// Seconds since 1970, with a fraction perhaps; or in thirteen digits milli-, in sixteen micro-, in nineteen nanoseconds.
fn epoch(word: &str) -> Option<DateTime<Utc>> {
    let (whole, fraction) = word.split_once('.').unwrap_or((word, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || fraction.len() > 9 {
        return None;
    }
    let number: i64 = whole.parse().ok()?;
    match (whole.len(), fraction.is_empty()) {
        (10, _) => {
            let nanos = format!("{fraction:0<9}").parse().ok()?;
            DateTime::from_timestamp(number, nanos)
        }
        (13, true) => DateTime::from_timestamp_millis(number),
        (16, true) => DateTime::from_timestamp_micros(number),
        (19, true) => Some(DateTime::from_timestamp_nanos(number)),
        _ => None,
    }
}

/// `{app="frontend", pod="x"} line` without the braces: what Loki's client writes before each line.
fn without_labels(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('{') else {
        return text;
    };
    let name = inner.split_once("=\"").map(|(name, _)| name);
    let is_label = name.is_some_and(|name| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    });
    match text.split_once("\"} ").filter(|_| is_label) {
        Some((_, rest)) => rest,
        None => text,
    }
}

/// Bad bytes become replacement characters; a last line that was cut is left out.
pub(super) fn lines_of(printed: Printed) -> String {
    super::utf8(printed.bytes, printed.cut)
}

#[cfg(test)]
mod tests;
