//! What clients see: the answers that the log of another workload holds, where the user named one; and who might be asked.
//!
//! A client does not know which replica answered it, so nothing here is said of a replica.

mod likely;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::case::{Case, LogSource, has_started};
use super::evidence::Book;
use super::impact;
use super::incident::{Impact, NotChecked};
use super::index::Index;
use super::names::{clock_time, count, short_names};
use super::signals::{Scan, Scans, is_failure};
use super::target::{is_or_is_owned_by, selects, target_name};
use super::uses::{is_replica, uses};
use super::workloads::by_workload;
use crate::model::{ConfigKind, Log, Pod, Service, Shared, Snapshot, Target, Want};

pub(crate) use likely::{Likely, propose};

/// So many of a client's replicas are asked.
const REPLICAS: usize = 20;
/// So many are named.
const NAMED: usize = 4;

/// What came of it for one incident.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    impact: Option<Impact>,
    pub(crate) open: Option<NotChecked>,
}

/// The pods of the client that was named, in all namespaces that were read.
fn pods<'a>(snapshot: &'a Snapshot, target: &Target) -> Vec<&'a Shared<Pod>> {
    let found = by_workload(snapshot).into_iter();
    let of_target = found.flat_map(|(workload, pods)| {
        let named = match target {
            Target::Workload { kind, name } => workload.kind == *kind && workload.name == *name,
            Target::Service { .. } | Target::Config { .. } => false,
        };
        pods.into_iter().filter(move |pod| match target {
            Target::Workload { kind, name } => named || is_or_is_owned_by(pod, kind, name),
            Target::Service { name } => services(snapshot, name).any(|s| selects(s, pod)),
            Target::Config { .. } => false,
        })
    });
    of_target.take(REPLICAS).collect()
}

fn services<'a>(
    snapshot: &'a Snapshot,
    name: &'a str,
) -> impl Iterator<Item = &'a Shared<Service>> {
    let services = snapshot.services.iter();
    services.filter(move |service| service.name == name)
}

/// The logs of the client that was named, and the values of Secrets that may stand in them.
pub(crate) fn wants(index: &Index<'_>) -> BTreeSet<Want> {
    let snapshot = index.snapshot;
    let mut wants = BTreeSet::new();
    let Some(target) = &snapshot.scope.client else {
        return wants;
    };
    for pod in pods(snapshot, target) {
        let containers = pod.containers.iter();
        for container in containers.filter(|c| is_replica(c) && has_started(c)) {
            wants.insert(Want::Log {
                pod: pod.reference.clone(),
                container: container.name.clone(),
                previous: false,
            });
        }
        let taken = pod.containers.iter().flat_map(|c| uses(pod, c, index));
        for usage in taken.filter(|usage| usage.config.kind == ConfigKind::Secret) {
            wants.extend(super::want::secret_written_since(index, &usage.config, pod));
        }
    }
    wants
}

/// The requests of one of the client's replicas in the window.
struct Asking<'a> {
    log: &'a Log,
    scan: Arc<Scan>,
    /// By route: the statuses and how often each came.
    routes: BTreeMap<String, BTreeMap<u16, usize>>,
}

/// Counts what the client that was named saw since the edit.
pub(crate) fn seen(case: &Case<'_>, scans: &mut Scans, book: &mut Book<'_>) -> Seen {
    let snapshot = case.snapshot;
    let Some(target) = &snapshot.scope.client else {
        return Seen::default();
    };
    let open = |why: &str| Seen {
        impact: None,
        open: Some(NotChecked {
            what: format!("What {} sees of {}", target_name(target), case.workload),
            why: why.to_owned(),
        }),
    };
    let pods = pods(snapshot, target);
    if pods.is_empty() {
        return open("there is no pod of it in what was read");
    }
    let (from, now) = impact::window(case);
    let logs = pods.iter().filter_map(|pod| asking(case, pod, scans, from));
    let asking: Vec<Asking<'_>> = logs.collect();
    let Some(route) = worst_route(&asking, snapshot.scope.route.as_deref()) else {
        return open("no log of it that was read holds requests with their answers in this time");
    };
    let asking: Vec<Asking<'_>> = asking
        .into_iter()
        .filter(|one| one.routes.contains_key(&route))
        .collect();
    Seen {
        impact: Some(told(case, target, &asking, &route, (from, now), book)),
        open: None,
    }
}

/// Of a pod's containers the one whose log holds the most requests.
fn asking<'a>(
    case: &Case<'a>,
    pod: &'a Pod,
    scans: &mut Scans,
    from: DateTime<Utc>,
) -> Option<Asking<'a>> {
    let logs = pod
        .containers
        .iter()
        .filter_map(|container| case.index.log(pod, &container.name, false));
    let all: Vec<Asking<'a>> = logs
        .map(|log| {
            let scan = scans.of(log, &[]);
            let routes = routes(&scan, from);
            Asking { log, scan, routes }
        })
        .collect();
    let requests =
        |one: &Asking<'_>| -> usize { one.routes.values().flat_map(BTreeMap::values).sum() };
    all.into_iter()
        .filter(|one| requests(one) > 0)
        .max_by_key(requests)
}

/// The requests of the window.
fn routes(scan: &Scan, from: DateTime<Utc>) -> BTreeMap<String, BTreeMap<u16, usize>> {
    let mut routes: BTreeMap<String, BTreeMap<u16, usize>> = BTreeMap::new();
    each_request(scan, |at, route, status| {
        if route.is_empty() || at.is_none_or(|at| at < from) {
            return;
        }
        // A name is written once for each route, not for each answer.
        let statuses = match routes.get_mut(route) {
            Some(known) => known,
            None => routes.entry(route.to_owned()).or_default(),
        };
        *statuses.entry(status).or_default() += 1;
    });
    routes
}

/// What it was answered; of a gateway that logs no requests of its own, what it answered.
fn each_request(scan: &Scan, mut take: impl FnMut(Option<DateTime<Utc>>, &str, u16)) {
    let mut silent = true;
    for answer in scan.asked.iter() {
        silent = false;
        take(answer.at, answer.route, answer.status);
    }
    if silent {
        for answer in scan.answers.iter() {
            take(answer.at, answer.route, answer.status);
        }
    }
}

fn fails(status: u16) -> bool {
    is_failure(status)
}

/// Failures and all of some requests.
fn counts(statuses: &BTreeMap<u16, usize>) -> (usize, usize) {
    let failed = statuses.iter().filter(|(status, _)| fails(**status));
    (failed.map(|(_, n)| n).sum(), statuses.values().sum())
}

/// The route that fails most, of those that were asked for; where none fails, that of the most requests.
fn worst_route(asking: &[Asking<'_>], asked: Option<&str>) -> Option<String> {
    let mut routes: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (route, statuses) in asking.iter().flat_map(|one| &one.routes) {
        let (failed, total) = counts(statuses);
        let known = routes.entry(route).or_default();
        *known = (known.0 + failed, known.1 + total);
    }
    routes
        .into_iter()
        .filter(|(route, _)| asked.is_none_or(|asked| impact::is_asked(route, asked)))
        .max_by_key(|(route, counts)| (*counts, std::cmp::Reverse(*route)))
        .map(|(route, _)| route.to_owned())
}

/// The sentence, with what it rests on.
fn told(
    case: &Case<'_>,
    target: &Target,
    asking: &[Asking<'_>],
    route: &str,
    window: (DateTime<Utc>, DateTime<Utc>),
    book: &mut Book<'_>,
) -> Impact {
    let now = case.snapshot.now();
    let names = short_names(asking.iter().map(|one| one.log.pod.name.as_str()));
    let mut parts = Vec::new();
    let mut evidence = Vec::new();
    let mut all: BTreeMap<u16, usize> = BTreeMap::new();
    for one in asking {
        let Some(statuses) = one.routes.get(route) else {
            continue;
        };
        for (status, number) in statuses {
            *all.entry(*status).or_default() += number;
        }
        if parts.len() < NAMED {
            let source = LogSource::of(one.log);
            evidence.push(source.cite(book, &format!("{route}: {}", in_words(statuses, |_| true))));
            let name = &one.log.pod.name;
            parts.push(format!(
                "{} {}",
                names.get(name).unwrap_or(name),
                failing(statuses)
            ));
        }
    }
    let first = first_failure(asking, route, window.0);
    let mut sentence = format!(
        "By the log of {} {}: {route} {}.",
        target_name(target),
        since(case, asking, window.0),
        failing(&all),
    );
    if asking.len() > 1 {
        let more = asking.len() - parts.len();
        let more = if more > 0 {
            format!(", and {}", count(more, "more replica"))
        } else {
            String::new()
        };
        sentence.push_str(&format!(" Of its replicas: {}{more}.", parts.join(", ")));
    }
    if let Some(at) = first {
        sentence.push_str(&format!(" Its first failure {} UTC.", clock_time(at, now)));
    }
    Impact {
        sentence,
        window,
        first_failure: first,
        spreads: false,
        ready_share: None,
        evidence,
    }
}

/// `35 of 75 FAIL (35 × 504)`
fn failing(statuses: &BTreeMap<u16, usize>) -> String {
    match counts(statuses) {
        (0, total) => format!("0 of {total} failed"),
        (failed, total) => format!("{failed} of {total} FAIL ({})", in_words(statuses, fails)),
    }
}

fn in_words(statuses: &BTreeMap<u16, usize>, which: impl Fn(u16) -> bool) -> String {
    let chosen = statuses.iter().filter(|(status, _)| which(**status));
    let parts: Vec<String> = chosen
        .map(|(status, number)| match *status {
            0 => format!("{number} × no answer"),
            status => format!("{number} × {status}"),
        })
        .collect();
    parts.join(", ")
}

/// From when on it was counted: a log that begins later knows nothing of before.
fn since(case: &Case<'_>, asking: &[Asking<'_>], from: DateTime<Utc>) -> String {
    let now = case.snapshot.now();
    let late = asking.iter().filter(|one| !one.log.complete);
    let begins = late
        .filter_map(|one| one.log.lines().find_map(|line| line.at))
        .max();
    if let Some(begins) = begins.filter(|begins| *begins > from) {
        return format!(
            "since {} UTC, where what is left of it begins",
            clock_time(begins, now)
        );
    }
    impact::since_in_words(case)
}

fn first_failure(asking: &[Asking<'_>], route: &str, from: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let mut first: Option<DateTime<Utc>> = None;
    for one in asking {
        each_request(&one.scan, |at, of, status| {
            if let Some(at) = at.filter(|at| *at >= from && of == route && fails(status)) {
                first = Some(first.map_or(at, |first| first.min(at)));
            }
        });
    }
    first
}

impl Seen {
    /// The impact as the replicas' own logs tell it, with what the client saw.
    pub(crate) fn with(self, impact: Option<Impact>) -> Option<Impact> {
        match (impact, self.impact) {
            (Some(mut known), Some(seen)) => {
                known.sentence = format!("{} {}", known.sentence, seen.sentence);
                known.first_failure = known.first_failure.or(seen.first_failure);
                known.evidence.extend(seen.evidence);
                Some(known)
            }
            (known, seen) => known.or(seen),
        }
    }
}
