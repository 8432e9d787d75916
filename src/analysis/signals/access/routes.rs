//! Requests as routes, so that counts come together, and the answers of one log in little room.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::Seen;

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
    /// Answers that were left out at the front, since so many are not kept.
    pub(crate) dropped: usize,
}

#[derive(Debug, Clone, Copy)]
struct Kept {
    /// Nanoseconds since 1970.
    at: i64,
    route: u32,
    status: u16,
}

const NEVER: i64 = i64::MIN;
/// More than the logs that are kept of one container hold.
const MOST: usize = 1_000_000;

impl Answers {
    pub(super) fn add(&mut self, at: Option<DateTime<Utc>>, route: u32, status: u16) {
        if self.list.len() >= MOST {
            self.list.drain(..MOST / 2);
            self.dropped += MOST / 2;
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
        seen: &Seen<'_>,
    ) {
        let route = self.routes.place(seen);
        self.add(at, route, seen.status);
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

/// Names of routes by number. Requests that were seen before are found without making their route's name.
#[derive(Debug, Clone, Default)]
pub(in crate::analysis::signals) struct Routes {
    names: Vec<Arc<str>>,
    by_name: HashMap<Arc<str>, u32>,
    /// By method and path as they were written. Forgotten where paths hold ids without end.
    by_request: HashMap<Box<[u8]>, u32>,
    key: Vec<u8>,
}

const MOST_ROUTES: usize = 2_000;
const MOST_REQUESTS: usize = 4_000;
/// A path longer than this is cut, so that nobody fills the memory with them.
const LONGEST: usize = 300;

impl Routes {
    pub(in crate::analysis::signals) fn place(&mut self, seen: &Seen<'_>) -> u32 {
        self.key.clear();
        if !seen.probe {
            self.key.extend_from_slice(&seen.method);
            self.key.push(b' ');
            self.key.extend_from_slice(path(&seen.target));
        }
        if let Some(known) = self.by_request.get(self.key.as_slice()) {
            return *known;
        }
        let name = route_of(seen);
        let place = match self.by_name.get(name.as_str()) {
            Some(known) => *known,
            None if self.names.len() < MOST_ROUTES => self.add(name),
            // The rest is counted in one, so that no failure is lost.
            None => {
                let other = format!("{} (other routes)", String::from_utf8_lossy(&seen.method));
                match self.by_name.get(other.as_str()) {
                    Some(known) => *known,
                    None => self.add(other),
                }
            }
        };
        if self.by_request.len() >= MOST_REQUESTS {
            self.by_request.clear();
        }
        self.by_request.insert(self.key.as_slice().into(), place);
        place
    }

    fn add(&mut self, name: String) -> u32 {
        let place = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let name: Arc<str> = name.into();
        self.names.push(name.clone());
        self.by_name.insert(name, place);
        place
    }

    pub(in crate::analysis::signals) fn name(&self, place: u32) -> &str {
        self.names.get(place as usize).map_or("", |name| name)
    }
}

/// A target without scheme, host and query.
fn path(target: &[u8]) -> &[u8] {
    let bare = [&b"http://"[..], b"https://"]
        .iter()
        .find_map(|scheme| target.strip_prefix(*scheme))
        .map_or(target, |rest| {
            let slash = memchr::memchr(b'/', rest).unwrap_or(rest.len());
            rest.get(slash..)
                .filter(|path| !path.is_empty())
                .unwrap_or(b"/")
        });
    let end = memchr::memchr2(b'?', b'#', bare).unwrap_or(bare.len());
    bare.get(..end.min(LONGEST)).unwrap_or(bare)
}

/// A request as a route: no query, and segments that are numbers, hex ids or UUIDs masked, so that counts come together.
pub(in crate::analysis::signals) fn route_of(seen: &Seen<'_>) -> String {
    if seen.probe {
        return String::new();
    }
    let target = String::from_utf8_lossy(path(&seen.target));
    let masked: Vec<&str> = target
        .split('/')
        .map(|segment| if is_id(segment) { "*" } else { segment })
        .collect();
    format!(
        "{} {}",
        String::from_utf8_lossy(&seen.method),
        masked.join("/")
    )
}

fn is_id(segment: &str) -> bool {
    let digits = segment.bytes().filter(u8::is_ascii_digit).count();
    let hex = segment.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    digits > 0 && (digits == segment.len() || (hex && segment.len() >= 8))
}
