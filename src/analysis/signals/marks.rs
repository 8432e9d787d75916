//! Finds in logs what tells an incident's replicas apart, by the same extractors that the analysis counts with, so that a reader
//! of the logs is led to the very lines.

use std::ops::Range;

use regex::Regex;

use super::words::pattern;
use super::{Kind, Setting, Side, access, extract, program, start_error, table};
use crate::analysis::hint::Group;
use crate::analysis::incident::{Incident, SignalKind};

/// What to look for in an incident's logs.
#[derive(Debug, Clone, Default)]
pub struct Marks {
    marks: Vec<Mark>,
    settings: Vec<Setting>,
    /// The words that separate, by their places among the marks.
    words: Vec<(usize, Regex)>,
    /// Where a line of interest may be: one pass over many lines, since most are of none.
    hint: Option<Regex>,
}

/// One thing that tells replicas apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    pub kind: MarkKind,
    /// Short, untrusted text: `10.96.10.144:8000`, `feature_recs=off`, `GET /api/items`.
    pub text: String,
    /// Whether it is, or comes of, a failure.
    pub fails: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkKind {
    Signal(SignalKind),
    /// Answers of 500 and above of the route that fails.
    Failure,
}

/// More kinds than this nobody tells apart.
const MOST: usize = 100;

impl Marks {
    pub fn of(incident: &Incident) -> Self {
        let mut marks: Vec<Mark> = Vec::new();
        for signal in incident.replicas.iter().flat_map(|r| &r.signals) {
            let text = match signal.kind {
                // Every such line counts, though the signal holds the last one only.
                SignalKind::StartError => "start error".to_owned(),
                _ => signal.text.clone(),
            };
            let known =
                |mark: &Mark| mark.kind == MarkKind::Signal(signal.kind) && mark.text == text;
            if marks.len() < MOST && !marks.iter().any(known) {
                marks.push(Mark {
                    kind: MarkKind::Signal(signal.kind),
                    fails: signal.kind == SignalKind::StartError
                        || (signal.revision.is_some() && signal.revision == incident.failing)
                        || (signal.kind == SignalKind::Word && is_of_failing(incident, &text)),
                    text,
                });
            }
        }
        marks.sort_by(|a, b| (order(a.kind), &a.text).cmp(&(order(b.kind), &b.text)));
        marks.extend(failing_route(incident).map(|route| Mark {
            kind: MarkKind::Failure,
            text: route.to_owned(),
            fails: true,
        }));
        // Words are hints, and come last.
        marks.sort_by_key(|mark| mark.kind == MarkKind::Signal(SignalKind::Word));
        let settings = settings(&marks);
        let words = words_of(&marks);
        let hint = hint(&marks, &settings);
        Self {
            marks,
            settings,
            words,
            hint,
        }
    }

    pub fn list(&self) -> &[Mark] {
        &self.marks
    }

    /// Where in a text of many lines one may say something, in order.
    pub fn hints<'a>(&'a self, text: &'a str) -> impl Iterator<Item = usize> + 'a {
        self.hint
            .iter()
            .flat_map(move |hint| hint.find_iter(text).map(|found| found.start()))
    }

    /// What this line says, by its place in the list.
    pub fn of_line(&self, line: &str) -> Option<usize> {
        let bytes = line.as_bytes();
        let told = access::told(bytes);
        let answered = access::read(bytes, told.as_ref());
        if let Some((seen, _)) = &answered
            && seen.side == Side::Server
            && seen.status >= 500
        {
            let route = access::route_of(seen.reply());
            let failed = |mark: &Mark| mark.kind == MarkKind::Failure && mark.text == route;
            if let Some(place) = self.marks.iter().position(failed) {
                return Some(place);
            }
        }
        let answers = answered.is_some();
        let facts =
            answered.map_or_else(|| extract::facts(bytes, told.as_ref()), |(_, facts)| facts);
        let signal = |kind: SignalKind, text: &str| {
            let same = |mark: &Mark| mark.kind == MarkKind::Signal(kind) && mark.text == text;
            self.marks.iter().position(same)
        };
        let value = || {
            self.settings.iter().find_map(|setting| {
                let value = setting.value_in(line)?;
                signal(SignalKind::Value, &format!("{}={value}", setting.name))
            })
        };
        let of_kind = |kind: SignalKind, is: fn(&str) -> bool| {
            let place = self
                .marks
                .iter()
                .position(|m| m.kind == MarkKind::Signal(kind))?;
            is(line).then_some(place)
        };
        let upstreams = facts.iter().filter(|fact| fact.kind == Kind::Upstream);
        let upstream = upstreams
            .into_iter()
            .find_map(|fact| signal(SignalKind::Upstream, &fact.text));
        // The rest of a request's line is the client's.
        if answers || upstream.is_some() {
            return upstream;
        }
        value()
            .or_else(|| of_kind(SignalKind::Reload, program::is_reload))
            .or_else(|| of_kind(SignalKind::StartError, start_error::is_one))
            .or_else(|| {
                let found = self.words.iter().find(|(_, words)| words.is_match(line));
                found.map(|(place, _)| *place)
            })
    }

    /// The words in a line by which it says so.
    pub fn words(&self, line: &str) -> Vec<Range<usize>> {
        self.hint.as_ref().map_or_else(Vec::new, |hint| {
            hint.find_iter(line)
                .map(|found| {
                    let text = found.as_str();
                    let inner = text.trim_matches(['"', ' ', ',', '{', '(', ';']);
                    let start = found.start() + text.find(inner).unwrap_or(0);
                    start..start + inner.len()
                })
                .filter(|range| !range.is_empty())
                .collect()
        })
    }
}

impl PartialEq for Marks {
    fn eq(&self, other: &Self) -> bool {
        self.marks == other.marks
    }
}

/// Whether the words are those of the replicas that fail.
fn is_of_failing(incident: &Incident, text: &str) -> bool {
    let mut separating = incident.separating.iter();
    separating.any(|words| {
        words.text == text
            && match &words.group {
                Group::Revision(name) => incident.failing.as_ref() == Some(name),
                Group::Failing => true,
                Group::Serving => false,
            }
    })
}

fn words_of(marks: &[Mark]) -> Vec<(usize, Regex)> {
    let marks = marks.iter().enumerate();
    marks
        .filter(|(_, mark)| mark.kind == MarkKind::Signal(SignalKind::Word))
        .filter_map(|(place, mark)| Some((place, Regex::new(&pattern(&mark.text)).ok()?)))
        .collect()
}

fn order(kind: MarkKind) -> SignalKind {
    match kind {
        MarkKind::Signal(kind) => kind,
        MarkKind::Failure => SignalKind::StartError,
    }
}

/// The route that fails most, over all replicas.
fn failing_route(incident: &Incident) -> Option<&str> {
    let mut routes: Vec<(&str, usize)> = Vec::new();
    for traffic in incident.replicas.iter().flat_map(|r| &r.traffic) {
        match routes.iter_mut().find(|(route, _)| *route == traffic.route) {
            Some((_, failed)) => *failed += traffic.failed,
            None => routes.push((&traffic.route, traffic.failed)),
        }
    }
    routes
        .into_iter()
        .filter(|(_, failed)| *failed > 0)
        .max_by_key(|(_, failed)| *failed)
        .map(|(route, _)| route)
}

/// The settings whose values are among the marks.
fn settings(marks: &[Mark]) -> Vec<Setting> {
    let mut names: Vec<(&str, Vec<String>)> = Vec::new();
    for mark in marks {
        let (MarkKind::Signal(SignalKind::Value), Some((name, value))) =
            (mark.kind, mark.text.split_once('='))
        else {
            continue;
        };
        match names.iter_mut().find(|(known, _)| *known == name) {
            Some((_, values)) => values.push(value.to_owned()),
            None => names.push((name, vec![value.to_owned()])),
        }
    }
    names
        .into_iter()
        .filter_map(|(name, values)| Setting::new(name, values))
        .collect()
}

/// A status as access logs write it: behind the request, as a field, behind HAProxy's times or morgan's target.
const FAILED: &str = r#"" 5\d\d |(?i:status|code)(?:_?code)?"?[=:] ?"?5\d\d\b|/\d+ 5\d\d \d|\| 5\d\d \|| 5\d\d [\d.]+ (?:ms )?- "#;

fn hint(marks: &[Mark], settings: &[Setting]) -> Option<Regex> {
    let mut parts: Vec<String> = settings.iter().map(|s| s.pattern().to_owned()).collect();
    for mark in marks {
        match mark.kind {
            MarkKind::Signal(SignalKind::Upstream) => parts.push(table::hint(&mark.text)),
            MarkKind::Signal(SignalKind::Value | SignalKind::Socket | SignalKind::Version) => {}
            MarkKind::Signal(SignalKind::Word) => parts.push(pattern(&mark.text)),
            MarkKind::Signal(SignalKind::Reload) => {
                parts.extend(program::RELOADS.iter().map(|text| regex::escape(text)));
            }
            MarkKind::Signal(SignalKind::StartError) => {
                parts.push(format!("(?:{})", start_error::PATTERN));
            }
            MarkKind::Failure => parts.push(FAILED.to_owned()),
        }
    }
    if parts.is_empty() {
        return None;
    }
    Regex::new(&parts.join("|")).ok()
}

#[cfg(test)]
mod tests;
