//! Requests as routes, so that counts come together, and the answers of one log in little room.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use foldhash::fast::RandomState;

use super::Reply;
use crate::analysis::signals::eight::{alike, digits, same};

/// One answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Answer<'a> {
    pub(crate) at: Option<DateTime<Utc>>,
    /// `GET /api/items`, without the query, with ids masked; empty for the kubelet's probes.
    pub(crate) route: &'a str,
    /// 0 where a client says that no answer came.
    pub(crate) status: u16,
}

/// Whether a status is a failure of the server. That no answer came is one too.
pub(crate) fn is_failure(status: u16) -> bool {
    status == 0 || status >= 500
}

/// The answers of one log, sixteen bytes each.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answers {
    routes: Routes,
    list: Vec<Kept>,
}

#[derive(Debug, Clone, Copy)]
struct Kept {
    /// Nanoseconds since 1970.
    at: i64,
    route: u32,
    status: u16,
}

const NEVER: i64 = i64::MIN;
/// More than the logs that are kept of one container hold: the rest goes at the front.
const MOST: usize = 1_000_000;

impl Answers {
    pub(super) fn add(&mut self, at: Option<DateTime<Utc>>, route: u32, status: u16) {
        if self.list.len() >= MOST {
            self.list.drain(..MOST / 2);
        }
        self.list.push(Kept {
            at: at.and_then(|at| at.timestamp_nanos_opt()).unwrap_or(NEVER),
            route,
            status,
        });
    }

    pub(in crate::analysis::signals) fn take(
        &mut self,
        at: Option<DateTime<Utc>>,
        reply: Reply<'_>,
    ) {
        let route = self.routes.place(reply);
        self.add(at, route, reply.status);
    }

    /// Bytes that the answers take.
    #[cfg(test)]
    pub(in crate::analysis::signals) fn room(&self) -> usize {
        self.list.capacity() * std::mem::size_of::<Kept>()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Answer<'_>> {
        self.list.iter().map(|kept| Answer {
            at: (kept.at != NEVER).then(|| DateTime::from_timestamp_nanos(kept.at)),
            route: self.routes.name(kept.route),
            status: kept.status,
        })
    }
}

/// Names of routes by number.
#[derive(Debug, Clone, Default)]
pub(in crate::analysis::signals) struct Routes {
    names: Vec<Arc<str>>,
    /// By the name's bytes, since a target may be no UTF-8.
    by_name: HashMap<Box<[u8]>, u32, RandomState>,
    /// The last one: logs repeat themselves.
    last: Option<u32>,
    last_key: Vec<u8>,
    key: Vec<u8>,
}

const METHODS: [&[u8]; 9] = [
    b"GET", b"HEAD", b"POST", b"PUT", b"PATCH", b"DELETE", b"OPTIONS", b"CONNECT", b"TRACE",
];
const MOST_ROUTES: usize = 2_000;
/// A path longer than this is cut, so that nobody fills the memory with them.
const LONGEST: usize = 300;

impl Routes {
    #[inline(always)]
    pub(in crate::analysis::signals) fn place(&mut self, reply: Reply<'_>) -> u32 {
        match self.last {
            Some(last) if is_route(reply, &self.last_key) => last,
            _ => self.find(reply),
        }
    }

    #[inline(never)]
    fn find(&mut self, reply: Reply<'_>) -> u32 {
        self.key.clear();
        write_route(reply, &mut self.key);
        let place = match self.by_name.get(self.key.as_slice()) {
            Some(known) => *known,
            None if self.names.len() < MOST_ROUTES => self.add(),
            // The rest is counted in one, so that no failure is lost.
            None => {
                self.key.clear();
                // A client may make up as many methods as paths.
                let known = METHODS.iter().find(|method| **method == reply.method);
                self.key
                    .extend_from_slice(known.map_or(&b"other"[..], |method| method));
                self.key.extend_from_slice(b" (other routes)");
                match self.by_name.get(self.key.as_slice()) {
                    Some(known) => *known,
                    None => self.add(),
                }
            }
        };
        self.last = Some(place);
        std::mem::swap(&mut self.key, &mut self.last_key);
        place
    }

    fn add(&mut self) -> u32 {
        let place = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.push(String::from_utf8_lossy(&self.key).into());
        self.by_name.insert(self.key.as_slice().into(), place);
        place
    }

    pub(in crate::analysis::signals) fn name(&self, place: u32) -> &str {
        self.names.get(place as usize).map_or("", |name| name)
    }
}

/// A target without scheme and host.
#[inline(always)]
fn path(target: &[u8]) -> &[u8] {
    let host = target.strip_prefix(b"http");
    let host = host.map(|rest| rest.strip_prefix(b"s").unwrap_or(rest));
    let bare = host
        .and_then(|rest| rest.strip_prefix(b"://"))
        .map_or(target, |rest| {
            let slash = memchr::memchr(b'/', rest).unwrap_or(rest.len());
            rest.get(slash..)
                .filter(|path| !path.is_empty())
                .unwrap_or(b"/")
        });
    bare.get(..LONGEST.min(bare.len())).unwrap_or(bare)
}

/// A request as a route.
pub(in crate::analysis::signals) fn route_of(reply: Reply<'_>) -> String {
    let mut route = Vec::new();
    write_route(reply, &mut route);
    String::from_utf8_lossy(&route).into_owned()
}

/// No query, and segments that are numbers, hex ids or UUIDs masked, so that counts come together.
fn write_route(reply: Reply<'_>, out: &mut Vec<u8>) {
    if reply.probe {
        return;
    }
    out.extend_from_slice(reply.method);
    out.push(b' ');
    let mut left = path(reply.target);
    // No id is without a digit, so what comes before the first one's segment is taken as it is.
    while let Some(at) = left
        .iter()
        .position(|b| matches!(b, b'0'..=b'9' | b'?' | b'#'))
    {
        let (before, behind) = left.split_at(at);
        if !behind.first().is_some_and(u8::is_ascii_digit) {
            left = before;
            break;
        }
        let start = before
            .iter()
            .rposition(|b| *b == b'/')
            .map_or(0, |at| at + 1);
        let end = at + segment_end(behind);
        let segment = left.get(start..end).unwrap_or_default();
        out.extend_from_slice(before.get(..start).unwrap_or_default());
        out.extend_from_slice(if is_id(segment) { b"*" } else { segment });
        left = left.get(end..).unwrap_or_default();
    }
    out.extend_from_slice(left);
}

fn segment_end(path: &[u8]) -> usize {
    let end = path.iter().position(|b| matches!(b, b'/' | b'?' | b'#'));
    end.unwrap_or(path.len())
}

/// Whether `write_route` would write this, without writing it: logs repeat themselves.
#[inline(always)]
fn is_route(reply: Reply<'_>, route: &[u8]) -> bool {
    if reply.probe {
        return route.is_empty();
    }
    let (method, target) = route.split_at(reply.method.len().min(route.len()));
    let [b' ', masked @ ..] = target else {
        return false;
    };
    if !same(method, reply.method) {
        return false;
    }
    let (mut left, mut masked) = (path(reply.target), masked);
    loop {
        // A route has no query, so none is among what is the same.
        let same = alike(left, masked);
        let (known, behind) = masked.split_at(same);
        left = left.get(same..).unwrap_or_default();
        if matches!(left.first(), None | Some(b'?' | b'#')) {
            return behind.is_empty();
        }
        // A client may write a star too.
        let [b'*', behind @ ..] = behind else {
            return false;
        };
        if !matches!(known, [] | [.., b'/']) {
            return false;
        }
        let Some(rest) = behind_id(left) else {
            return false;
        };
        (left, masked) = (rest, behind);
    }
}

/// What follows a segment that would be masked, if it is one.
#[inline(always)]
fn behind_id(left: &[u8]) -> Option<&[u8]> {
    let length = digits(left);
    let behind = left.get(length..)?;
    if length > 0 && matches!(behind.first(), None | Some(b'/' | b'?' | b'#')) {
        return Some(behind);
    }
    let (segment, rest) = left.split_at(segment_end(left));
    (segment.iter().any(u8::is_ascii_digit) && is_id(segment)).then_some(rest)
}

/// Whether a segment that holds a digit is a number, a hex id or a UUID.
fn is_id(segment: &[u8]) -> bool {
    segment.iter().all(u8::is_ascii_digit)
        || (segment.len() >= 8 && segment.iter().all(|b| b.is_ascii_hexdigit() || *b == b'-'))
}

#[cfg(test)]
mod tests;
