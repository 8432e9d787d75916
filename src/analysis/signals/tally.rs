//! What the extractors find in a log of any size, counted in bounded room: `confsplit signals`.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;

use super::access::{Reply, Routes, Side, is_failure};
use super::extract::Fact;
use super::sift::{self, Line, Part, Sink};
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

/// The first and the last time. Those of the text at hand are only read at its end, since each line is the last one for a while.
#[derive(Debug, Clone, Copy, Default)]
struct Span {
    first: Option<Stamp>,
    last: Option<Stamp>,
    here: Option<(Part, Part)>,
}

impl Span {
    #[inline(always)]
    fn take(&mut self, stamp: Option<Part>) {
        let Some(stamp) = stamp else {
            return;
        };
        match &mut self.here {
            Some((_, last)) => *last = stamp,
            None => self.here = Some((stamp, stamp)),
        }
    }

    fn settle(&mut self, text: &[u8]) {
        if let Some((first, last)) = self.here.take() {
            self.first = self.first.or_else(|| Stamp::new(first.of(text)));
            self.last = Stamp::new(last.of(text)).or(self.last);
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
    /// The last line in the text at hand.
    here: Option<Part>,
}

impl Counted {
    fn take(&mut self, at: Option<Part>, line: &Line<'_>) {
        self.count += 1;
        self.span.take(at);
        self.here = Some(line.part(LINE));
    }

    fn settle(&mut self, text: &[u8]) {
        self.span.settle(text);
        if let Some(line) = self.here.take() {
            self.line.clear();
            self.line.extend_from_slice(line.of(text));
        }
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

impl OfRoute {
    #[inline(always)]
    fn is_of(&self, reply: Reply<'_>) -> bool {
        // Names of formats are constants, so the second look is rarely needed.
        let same = std::ptr::eq(self.format, reply.by) || self.format == reply.by;
        same && self.side == reply.side
    }
}

/// Counts over whole chunks.
#[derive(Debug, Default)]
pub struct Tally {
    items: HashMap<(&'static str, Kind, String), Counted, RandomState>,
    names: Routes,
    routes: Vec<OfRoute>,
    /// The places in `routes` by number of the route: mostly one, since few routes are told of in two formats.
    places: Vec<Vec<usize>>,
    /// The place in `routes` of the last answer.
    last: usize,
    span: Span,
    /// The time of the line at hand.
    now: Option<Part>,
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
        let text = sift::plain(lines);
        sift::sift(&text, self);
        self.span.settle(&text);
        self.routes.iter_mut().for_each(|of| of.span.settle(&text));
        self.items.values_mut().for_each(|of| of.settle(&text));
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

    /// Where the answers of a route are counted.
    #[inline(always)]
    fn place(&mut self, reply: Reply<'_>) -> usize {
        let route = self.names.place(reply);
        // Mostly those of the last line.
        if let Some(of_route) = self.routes.get(self.last)
            && of_route.route == route
            && of_route.is_of(reply)
        {
            return self.last;
        }
        self.last = self.find(route, reply);
        self.last
    }

    #[inline(never)]
    fn find(&mut self, route: u32, reply: Reply<'_>) -> usize {
        if self.places.len() <= route as usize {
            self.places.resize_with(route as usize + 1, Vec::new);
        }
        let fresh = self.routes.len();
        let Some(places) = self.places.get_mut(route as usize) else {
            return fresh;
        };
        let routes = &self.routes;
        let known = places.iter().copied().find(|place| {
            let of_route = routes.get(*place);
            of_route.is_some_and(|known| known.is_of(reply))
        });
        known.unwrap_or_else(|| {
            places.push(fresh);
            self.routes.push(OfRoute {
                route,
                side: reply.side,
                format: reply.by,
                statuses: Vec::new(),
                span: Span::default(),
            });
            fresh
        })
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
    #[inline(always)]
    fn telling(&mut self, line: &Line<'_>) {
        self.now = line.stamp(&mut self.form);
        self.telling += 1;
        self.untimed += usize::from(self.now.is_none());
        self.span.take(self.now);
    }

    #[inline(always)]
    fn answer(&mut self, _: &Line<'_>, reply: Reply<'_>) {
        if reply.probe {
            self.probes += 1;
            return;
        }
        let place = self.place(reply);
        let Some(of_route) = self.routes.get_mut(place) else {
            return;
        };
        match of_route
            .statuses
            .iter_mut()
            .find(|(status, _)| *status == reply.status)
        {
            Some((_, count)) => *count += 1,
            None => of_route.statuses.push((reply.status, 1)),
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
