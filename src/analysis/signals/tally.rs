//! What the extractors find in a log of any size, counted in bounded room: `confsplit signals`.

use std::collections::{BTreeMap, HashMap};

use super::access::{Routes, Seen, Side, is_failure};
use super::extract::Fact;
use super::sift::{self, Line, Sink};
use super::stamp::{Form, Moment, Stamp};
use super::table::Kind;

/// Things that are told apart; more are counted together.
const MOST: usize = 2_000;
/// Of a line so much is kept.
const LINE: usize = 2_000;

/// One thing that an extractor found.
#[derive(Debug, Clone)]
pub struct Item {
    pub name: &'static str,
    pub kind: Kind,
    /// Untrusted: an address, a name, a flag; empty where there is none.
    pub text: String,
    pub count: usize,
    pub first: Option<Moment>,
    pub last: Option<Moment>,
    /// Untrusted: the last line, cut where it is long.
    pub line: String,
}

/// The answers of one route.
#[derive(Debug, Clone)]
pub struct Route {
    /// Untrusted: `GET /api/items`.
    pub route: String,
    pub side: Side,
    pub format: &'static str,
    pub statuses: BTreeMap<u16, usize>,
    pub first: Option<Moment>,
    pub last: Option<Moment>,
}

impl Route {
    pub fn total(&self) -> usize {
        self.statuses.values().sum()
    }

    /// Answers of 500 and above, and none at all.
    pub fn failed(&self) -> usize {
        let failed = self
            .statuses
            .iter()
            .filter(|(status, _)| is_failure(**status));
        failed.map(|(_, count)| count).sum()
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Span {
    first: Option<Stamp>,
    last: Option<Stamp>,
}

impl Span {
    fn take(&mut self, stamp: Option<Stamp>) {
        if stamp.is_some() {
            self.first = self.first.or(stamp);
            self.last = stamp;
        }
    }

    fn moments(&self) -> (Option<Moment>, Option<Moment>) {
        let moment = |stamp: Option<Stamp>| stamp.and_then(|stamp| stamp.moment());
        (moment(self.first), moment(self.last))
    }
}

#[derive(Debug, Default)]
struct Counted {
    count: usize,
    span: Span,
    line: Vec<u8>,
}

impl Counted {
    fn take(&mut self, at: Option<Stamp>, line: &Line<'_>) {
        self.count += 1;
        self.span.take(at);
        self.line.clear();
        self.line.extend_from_slice(
            line.text
                .get(..LINE.min(line.text.len()))
                .unwrap_or_default(),
        );
    }
}

#[derive(Debug)]
struct OfRoute {
    route: u32,
    side: Side,
    format: &'static str,
    statuses: Vec<(u16, usize)>,
    span: Span,
}

/// Counts over whole chunks.
#[derive(Debug, Default)]
pub struct Tally {
    items: HashMap<(&'static str, Kind, String), Counted>,
    names: Routes,
    routes: Vec<OfRoute>,
    /// The place in `routes` by number of the route, side and format.
    places: HashMap<(u32, Side, &'static str), usize>,
    last: Option<((u32, Side, &'static str), usize)>,
    span: Span,
    /// The time of the line at hand.
    now: Option<Stamp>,
    form: Option<Form>,
    /// Lines that told something.
    pub telling: usize,
    /// Those of them without a time that could be read.
    pub untimed: usize,
    /// The kubelet's own requests, which are no client's.
    pub probes: usize,
    /// Findings that were not told apart, since there were too many.
    pub beyond: usize,
}

impl Tally {
    /// Takes in whole lines.
    pub fn take(&mut self, lines: &[u8]) {
        sift::sift(&sift::plain(lines), self);
    }

    /// The longest line that is read as a whole.
    pub const LONGEST_LINE: usize = sift::LONGEST_LINE;

    fn count(&mut self, name: &'static str, kind: Kind, text: String, line: &Line<'_>) {
        let key = (name, kind, text);
        if self.items.len() >= MOST && !self.items.contains_key(&key) {
            self.beyond += 1;
            return;
        }
        self.items.entry(key).or_default().take(self.now, line);
    }

    /// The first and the last time that a telling line has.
    pub fn span(&self) -> (Option<Moment>, Option<Moment>) {
        self.span.moments()
    }

    /// What was found, by kind, the most frequent first.
    pub fn items(&self) -> Vec<Item> {
        let mut items: Vec<Item> = self
            .items
            .iter()
            .map(|((name, kind, text), counted)| {
                let (first, last) = counted.span.moments();
                Item {
                    name,
                    kind: *kind,
                    text: text.clone(),
                    count: counted.count,
                    first,
                    last,
                    line: String::from_utf8_lossy(&counted.line).into_owned(),
                }
            })
            .collect();
        items.sort_by(|a, b| {
            (a.kind, b.count, a.name, &a.text).cmp(&(b.kind, a.count, b.name, &b.text))
        });
        items
    }

    /// The routes, those that fail most first.
    pub fn routes(&self) -> Vec<Route> {
        let mut routes: Vec<Route> = self
            .routes
            .iter()
            .map(|of_route| {
                let (first, last) = of_route.span.moments();
                Route {
                    route: self.names.name(of_route.route).to_owned(),
                    side: of_route.side,
                    format: of_route.format,
                    statuses: of_route.statuses.iter().copied().collect(),
                    first,
                    last,
                }
            })
            .collect();
        routes.sort_by(|a, b| {
            (b.failed(), b.total(), &a.route, a.side, a.format).cmp(&(
                a.failed(),
                a.total(),
                &b.route,
                b.side,
                b.format,
            ))
        });
        routes
    }
}

impl Sink for Tally {
    fn telling(&mut self, line: &Line<'_>) {
        self.now = line.stamp(&mut self.form);
        self.telling += 1;
        self.untimed += usize::from(self.now.is_none());
        self.span.take(self.now);
    }

    fn answer(&mut self, _: &Line<'_>, seen: &Seen<'_>) {
        if seen.probe {
            self.probes += 1;
            return;
        }
        let key = (self.names.place(seen), seen.side, seen.by);
        let place = match self.last {
            Some((last, place)) if last == key => place,
            _ => {
                let routes = &mut self.routes;
                *self.places.entry(key).or_insert_with(|| {
                    routes.push(OfRoute {
                        route: key.0,
                        side: key.1,
                        format: key.2,
                        statuses: Vec::new(),
                        span: Span::default(),
                    });
                    routes.len() - 1
                })
            }
        };
        self.last = Some((key, place));
        let Some(of_route) = self.routes.get_mut(place) else {
            return;
        };
        match of_route
            .statuses
            .iter_mut()
            .find(|(status, _)| *status == seen.status)
        {
            Some((_, count)) => *count += 1,
            None => of_route.statuses.push((seen.status, 1)),
        }
        of_route.span.take(self.now);
    }

    fn fact(&mut self, line: &Line<'_>, fact: Fact) {
        // A line of an access log is counted with its answer.
        self.count(fact.by, fact.kind, fact.text, line);
    }

    fn reload(&mut self, line: &Line<'_>) {
        self.count("reload", Kind::Reload, String::new(), line);
    }

    fn start_error(&mut self, line: &Line<'_>) {
        self.count("start-error", Kind::StartError, String::new(), line);
    }
}

#[cfg(test)]
mod tests;
