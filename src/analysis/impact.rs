//! What an incident costs: answers per replica and route, since when, and whether it spreads.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};

use super::case::{Case, Scans};
use super::evidence::Book;
use super::incident::{Impact, Replica, SignalKind, Traffic};
use super::names::{clock_time, count, quote, short_names};

/// Without an edit in sight, how far back requests are counted.
const WINDOW: TimeDelta = TimeDelta::minutes(10);
/// Fewer failures than this may be chance.
const ENOUGH: usize = 3;
const SAMPLES: usize = 1_000;
const ROUTES: usize = 50;

/// The impact, and which side fails.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Impacted {
    pub(crate) impact: Impact,
    /// The route that it is about.
    pub(crate) route: String,
    /// Whether that is what was asked for; it is too where nothing was.
    pub(crate) is_asked: bool,
    /// Replicas on what is live fail where others do not, or all fail and all are on it.
    pub(crate) live_fails: bool,
    /// The places of the replicas that fail.
    pub(crate) failing: Vec<usize>,
}

/// Counts the traffic of every replica into it, and sums it up where something fails.
pub(crate) fn of(case: &mut Case<'_>, book: &mut Book<'_>) -> Option<Impacted> {
    let window = window(case);
    for (replica, scans) in case.replicas.iter_mut().zip(&case.scans) {
        replica.traffic = traffic(scans, window);
    }
    let asked = case.snapshot.scope.route.as_deref();
    // What the page named, if it fails. What to do hangs on what does.
    let route = worst_route(&case.replicas, asked).or_else(|| worst_route(&case.replicas, None))?;
    let on = |replica: &Replica| {
        let found = replica.traffic.iter().find(|t| t.route == route);
        found.map_or((0, 0), |t| (t.failed, t.total))
    };
    let failing: Vec<usize> = (0..case.replicas.len())
        .filter(|i| {
            case.replicas.get(*i).is_some_and(|r| {
                let (failed, total) = on(r);
                failed >= ENOUGH && failed * 2 >= total
            })
        })
        .collect();
    let first_failure = first_failure(case, &failing, &route);
    let dead_ends = case.brought_in_vain();
    let in_vain = |place: &usize| {
        let scans = case.scans.get(*place);
        scans.is_some_and(|scans| dead_ends.asked_by(scans).is_some())
    };
    let on_live = |place: &usize| case.replicas.get(*place).and_then(|r| r.live) == Some(true);
    let live_fails = !failing.is_empty()
        // One that runs a revision before speaks against what is live too, where it is sent to an address that both name in vain.
        && failing.iter().all(|place| on_live(place) || in_vain(place))
        && case
            .replicas
            .iter()
            .filter(|r| r.live == Some(true))
            .all(|r| on(r).1 == 0 || on(r).0 * 2 >= on(r).1)
        && (spared(&case.replicas, &failing, &on) || names_the_edit(case, &failing, &in_vain));
    let ready_share = ready_share(case, &failing, live_fails);
    let mut evidence = cite_failures(case, &failing, &route, book);
    if let Some((_, _, service)) = &ready_share {
        evidence.push(cite_endpoints(case, service, book));
    }
    let sentence = sentence(
        case,
        &route,
        &on,
        first_failure,
        live_fails,
        ready_share.as_ref(),
    );
    Some(Impacted {
        impact: Impact {
            sentence,
            window,
            first_failure,
            spreads: live_fails,
            ready_share,
            evidence,
        },
        is_asked: asked.is_none_or(|asked| is_asked(&route, asked)),
        route,
        live_fails,
        failing,
    })
}

/// The impact of replicas that cannot start: no answers to count.
pub(crate) fn of_crash(case: &Case<'_>) -> Impact {
    let now = case.snapshot.now();
    let ready = case.replicas.iter().filter(|r| r.ready).count();
    let edited = case.onset().and_then(|edit| edit.at.earliest);
    Impact {
        sentence: format!(
            "{ready} of {} of {} {} ready. SPREADS to any new pod.",
            count(case.replicas.len(), "replica"),
            case.workload.name,
            if ready == 1 { "is" } else { "are" },
        ),
        window: (edited.unwrap_or(now), now),
        first_failure: None,
        spreads: true,
        ready_share: None,
        evidence: case
            .replicas
            .iter()
            .filter(|r| !r.ready)
            .filter_map(|r| r.evidence.first().copied())
            .collect(),
    }
}

/// Replicas that do not run what is live answer the same route well: enough of them to be no chance, and none that fails.
fn spared(
    replicas: &[Replica],
    failing: &[usize],
    on: &dyn Fn(&Replica) -> (usize, usize),
) -> bool {
    let others = replicas.iter().enumerate();
    let others = others.filter(|(place, r)| r.live == Some(false) && !failing.contains(place));
    let counted = others.map(|(_, replica)| on(replica));
    let (failed, total) = counted.fold((0, 0), |(f, t), (failed, total)| (f + failed, t + total));
    total >= ENOUGH && failed * 10 <= total
}

/// The errors of those that fail name what the edit brought in, or what nobody can answer at.
fn names_the_edit(case: &Case<'_>, failing: &[usize], in_vain: &dyn Fn(&usize) -> bool) -> bool {
    let live = case.live_name();
    let names = |r: &Replica| {
        r.signals
            .iter()
            .any(|s| s.kind == SignalKind::Upstream && s.revision.is_some() && s.revision == live)
    };
    failing
        .iter()
        .all(|i| case.replicas.get(*i).is_some_and(names) || in_vain(i))
        && !case.replicas.iter().any(|r| {
            r.live == Some(false)
                && r.traffic
                    .iter()
                    .any(|t| t.failed * 2 >= t.total && t.failed > 0)
        })
}

/// From the edit on from which replicas may differ, or the last ten minutes where that is longer ago or unknown.
pub(crate) fn window(case: &Case<'_>) -> (DateTime<Utc>, DateTime<Utc>) {
    let now = case.snapshot.now();
    let edited = case.onset().and_then(|edit| edit.at.earliest);
    (edited.unwrap_or(now - WINDOW).max(now - WINDOW), now)
}

/// That window in a sentence.
pub(crate) fn since_in_words(case: &Case<'_>) -> String {
    let now = case.snapshot.now();
    let edited = case.onset().and_then(|edit| edit.at.earliest);
    match edited {
        Some(at) if now - at <= WINDOW => {
            format!("since the edit at {} UTC", clock_time(at, now))
        }
        _ => "in the last 10 min".to_owned(),
    }
}

fn traffic(scans: &Scans, window: (DateTime<Utc>, DateTime<Utc>)) -> Vec<Traffic> {
    let mut routes: BTreeMap<&str, Traffic> = BTreeMap::new();
    let answers = scans
        .current
        .iter()
        .flat_map(|read| read.scan.answers.iter());
    for answer in answers.filter(|a| !a.route.is_empty()) {
        let Some(at) = answer.at.filter(|at| *at >= window.0) else {
            continue;
        };
        if routes.len() >= ROUTES && !routes.contains_key(answer.route) {
            continue;
        }
        let of_route = routes.entry(answer.route).or_insert_with(|| Traffic {
            route: answer.route.to_owned(),
            total: 0,
            failed: 0,
            statuses: BTreeMap::new(),
            samples: Vec::new(),
        });
        let failed = answer.status >= 500;
        of_route.total += 1;
        of_route.failed += usize::from(failed);
        *of_route.statuses.entry(answer.status).or_default() += 1;
        of_route.samples.push((at, failed));
    }
    let mut found: Vec<Traffic> = routes.into_values().collect();
    for of_route in &mut found {
        let surplus = of_route.samples.len().saturating_sub(SAMPLES);
        of_route.samples.drain(..surplus);
    }
    found.sort_by(|a, b| (b.failed, b.total, &a.route).cmp(&(a.failed, a.total, &b.route)));
    found
}

/// Whether a route is the one that was asked for, with its method or without, as a log shows it: ids masked, no query.
pub(crate) fn is_asked(route: &str, asked: &str) -> bool {
    let path = asked.split(['?', '#']).next().unwrap_or(asked).trim();
    let bare = route.split_once(' ').map_or(route, |(_, path)| path);
    let same = |known: &str| {
        known.split('/').count() == path.split('/').count()
            && known
                .split('/')
                .zip(path.split('/'))
                .all(|(known, asked)| known == asked || known == "*")
    };
    same(route) || same(bare)
}

/// The route with the most failures over all replicas, of those that were asked for.
fn worst_route(replicas: &[Replica], asked: Option<&str>) -> Option<String> {
    let mut failures: BTreeMap<&str, usize> = BTreeMap::new();
    for of_route in replicas.iter().flat_map(|r| &r.traffic) {
        *failures.entry(&of_route.route).or_default() += of_route.failed;
    }
    failures
        .into_iter()
        .filter(|(_, failed)| *failed >= ENOUGH)
        .filter(|(route, _)| asked.is_none_or(|asked| is_asked(route, asked)))
        .max_by_key(|(route, failed)| (*failed, std::cmp::Reverse(*route)))
        .map(|(route, _)| route.to_owned())
}

/// The first failure since replicas may differ, in the whole of what was read and not just the window. Where only replicas fail
/// that run one earlier revision, it is the edit that brought that one: the last edit may be the cure.
fn first_failure(case: &Case<'_>, failing: &[usize], route: &str) -> Option<DateTime<Utc>> {
    let loaded: BTreeSet<Option<usize>> = failing
        .iter()
        .filter_map(|at| case.replicas.get(*at))
        .map(|replica| case.history.place(replica.loaded.as_deref()?))
        .collect();
    let since = match loaded.iter().collect::<Vec<_>>().as_slice() {
        [Some(only)] if *only != case.history.live() => case.history.began(*only),
        _ => case.onset().and_then(|edit| edit.at.earliest),
    };
    let reads = case.scans.iter().filter_map(|scans| scans.current.as_ref());
    reads
        .flat_map(|read| read.scan.answers.iter())
        .filter(|a| a.route == route && a.status >= 500)
        .filter_map(|a| a.at)
        .filter(|at| since.is_none_or(|since| *at >= since))
        .min()
}

/// How many of the ready endpoints of the Service in front of the workload are on the failing side.
fn ready_share(
    case: &Case<'_>,
    fails: &[usize],
    live_fails: bool,
) -> Option<(usize, usize, String)> {
    let of_case = |uid: &str| case.replicas.iter().position(|r| r.pod.uid == uid);
    let on_live = |place: usize| case.replicas.get(place).and_then(|r| r.live) == Some(true);
    let service = case
        .snapshot
        .endpoints
        .iter()
        .find(|e| e.pod_uid.as_deref().and_then(of_case).is_some())?;
    let ready =
        case.snapshot.endpoints.iter().filter(|e| {
            e.ready && e.service == service.service && e.namespace == service.namespace
        });
    let (mut failing, mut all) = (0, 0);
    for endpoint in ready {
        all += 1;
        let replica = endpoint.pod_uid.as_deref().and_then(of_case);
        failing += usize::from(replica.is_some_and(|at| on_live(at) || fails.contains(&at)));
    }
    (live_fails && all > 0).then(|| (failing, all, service.service.clone()))
}

fn cite_failures(
    case: &Case<'_>,
    failing: &[usize],
    route: &str,
    book: &mut Book<'_>,
) -> Vec<usize> {
    let cite = |index: &usize, book: &mut Book<'_>| {
        let read = case.scans.get(*index)?.current.as_ref()?;
        let replica = case.replicas.get(*index)?;
        let of_route = replica.traffic.iter().find(|t| t.route == route)?;
        let statuses: Vec<String> = of_route
            .statuses
            .iter()
            .map(|(status, number)| format!("{number} × {status}"))
            .collect();
        Some(
            read.source
                .cite(book, &format!("{route}: {}", statuses.join(", "))),
        )
    };
    failing.iter().filter_map(|i| cite(i, book)).collect()
}

fn cite_endpoints(case: &Case<'_>, service: &str, book: &mut Book<'_>) -> usize {
    let namespace = &case.workload.namespace;
    let ready: Vec<String> = case
        .snapshot
        .endpoints
        .iter()
        .filter(|e| e.ready && e.service == service && e.namespace == *namespace)
        .flat_map(|e| e.addresses.iter().cloned())
        .collect();
    book.add(
        format!("Ready endpoints of Service/{service}"),
        &format!(
            "-n {} get endpointslices -l kubernetes.io/service-name={}",
            quote(namespace),
            quote(service)
        ),
        case.snapshot.taken_at,
        ready.join(" "),
    )
}

fn sentence(
    case: &Case<'_>,
    route: &str,
    on: &dyn Fn(&Replica) -> (usize, usize),
    first_failure: Option<DateTime<Utc>>,
    live_fails: bool,
    share: Option<&(usize, usize, String)>,
) -> String {
    const SHOWN: usize = 4;
    let now = case.snapshot.now();
    let names = short_names(case.replicas.iter().map(|r| r.pod.name.as_str()));
    let mut counted: Vec<&Replica> = case.replicas.iter().filter(|r| on(r).1 > 0).collect();
    counted.sort_by_key(|r| std::cmp::Reverse(on(r)));
    let mut parts: Vec<String> = counted
        .iter()
        .take(SHOWN)
        .map(|replica| {
            let (failed, total) = on(replica);
            let name = names.get(&replica.pod.name).unwrap_or(&replica.pod.name);
            let word = if failed == 0 { "failed" } else { "FAIL" };
            format!("{name} {failed} of {total} {word}")
        })
        .collect();
    if counted.len() > SHOWN {
        let rest = counted.iter().skip(SHOWN);
        let (failed, total) = rest.fold((0, 0), |(f, t), r| (f + on(r).0, t + on(r).1));
        parts.push(format!(
            "the other {} {failed} of {total}",
            counted.len() - SHOWN
        ));
    }
    let since = since_in_words(case);
    let mut text = format!("{route} {since}: {}.", parts.join(", "));
    if let Some(at) = first_failure {
        text.push_str(&format!(" First failure {} UTC.", clock_time(at, now)));
    }
    if let Some((failing, all, service)) = share {
        let one = *failing == 1;
        // One that fails may run a revision before, which an edit of something else replaced.
        let live = case.replicas.iter().any(|r| r.live == Some(true));
        let what = match (live, one) {
            (true, true) => format!("runs {}", case.live_name().unwrap_or_default()),
            (true, false) => format!("run {}", case.live_name().unwrap_or_default()),
            (false, true) => "is one that fails".to_owned(),
            (false, false) => "are those that fail".to_owned(),
        };
        text.push_str(&format!(
            " {failing} of {} of Service {service} {what}.",
            count(*all, "ready endpoint"),
        ));
    }
    if live_fails {
        text.push_str(" SPREADS to any new pod.");
    }
    text
}
