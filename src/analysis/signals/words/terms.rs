//! What masked lines are compared by: single words, settings with their values, ports, and runs of words.

use std::borrow::Cow;

use super::mask::{BREAK, CLIENT, VARIES};

/// A run has so many words at most.
const RUN: usize = 8;
/// Shorter words say too little.
const SHORTEST: usize = 3;

/// What kind of term, the most telling first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sort {
    /// `feature=off`, `*:8000`
    Value,
    /// `upstream timed out`
    Run,
    /// `timed`
    Word,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Term<'a> {
    pub(super) sort: Sort,
    pub(super) text: Cow<'a, str>,
}

/// Levels and the commonest words separate nothing by themselves: whoever logs more errors has more of them.
const COMMON: [&str; 34] = [
    "trace", "debug", "info", "notice", "warn", "warning", "error", "err", "fatal", "crit",
    "critical", "panic", "alert", "emerg", "severe", "fine", "log", "msg", "message", "level",
    "the", "and", "for", "with", "from", "into", "was", "has", "not", "but", "are", "this", "that",
    "null",
];

fn is_common(word: &str) -> bool {
    COMMON
        .iter()
        .any(|common| word.eq_ignore_ascii_case(common))
}

/// The terms of a masked line.
pub(super) fn of(masked: &str) -> Vec<Term<'_>> {
    let mut found: Vec<Term<'_>> = Vec::new();
    let mut run: Vec<&str> = Vec::new();
    for token in masked.split(' ') {
        let varies = token.contains([VARIES, CLIENT]);
        if token.contains('=') || is_port(token) {
            flush(&mut run, &mut found);
            let value = token.split_once('=').map_or(token, |(_, value)| value);
            if !value.is_empty() && (!value.contains([VARIES, CLIENT]) || is_port(token)) {
                add(&mut found, Sort::Value, Cow::Borrowed(token));
            }
        } else if varies || token.is_empty() || token == BREAK {
            flush(&mut run, &mut found);
        } else {
            run.push(token);
            if token.len() >= SHORTEST
                && token.chars().any(char::is_alphabetic)
                && !is_common(token)
            {
                add(&mut found, Sort::Word, Cow::Borrowed(token));
            }
        }
    }
    flush(&mut run, &mut found);
    found
}

/// `api:8000`, or a port whose address was masked.
fn is_port(token: &str) -> bool {
    token.rsplit_once(':').is_some_and(|(host, port)| {
        !host.is_empty() && !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit())
    })
}

fn flush<'a>(run: &mut Vec<&'a str>, found: &mut Vec<Term<'a>>) {
    if run.len() > 1 {
        run.truncate(RUN);
        add(found, Sort::Run, Cow::Owned(run.join(" ")));
    }
    run.clear();
}

fn add<'a>(found: &mut Vec<Term<'a>>, sort: Sort, text: Cow<'a, str>) {
    if !found.iter().any(|term| term.text == text) {
        found.push(Term { sort, text });
    }
}

/// As it is shown: what varies is a star.
pub(super) fn shown(text: &str) -> String {
    text.replace([VARIES, CLIENT], "*")
}

/// An expression that finds a term, as it is shown, in the lines that it came from: between its words there may be what a line's
/// format puts there.
pub(crate) fn pattern(shown: &str) -> String {
    let word = |word: &str| {
        let parts: Vec<String> = word.split('*').map(regex::escape).collect();
        parts.join(r"[^\s]*?")
    };
    let words: Vec<String> = shown
        .split(' ')
        .map(|token| match token.split_once('=') {
            Some((key, value)) => format!(r#"{}["']?\s*[=:]\s*["']?{}"#, word(key), word(value)),
            None => word(token),
        })
        .collect();
    let edge = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let before = if edge(shown.chars().next()) {
        r"\b"
    } else {
        ""
    };
    let after = if edge(shown.chars().next_back()) {
        r"\b"
    } else {
        ""
    };
    format!("{before}{}{after}", words.join(r"[^\w]+"))
}
