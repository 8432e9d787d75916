//! Replicas of which nothing else tells what they run: one that answers well, where what is live cannot, does not run it.
//!
//! A proxy that works logs no upstream, so that the sibling's failures may stand alone. But where the live content sends a route to
//! a port that the Service does not publish, whoever answers that route well is not sent there.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Case, Scans};
use crate::analysis::evidence::Book;
use crate::analysis::incident::{Grade, Replica};
use crate::analysis::signals::HostPort;

/// Fewer answers than this may be chance.
const ENOUGH: usize = 3;
/// What it answered must be as late as what others did, but for so long: it may have read its files again since.
const STILL: TimeDelta = TimeDelta::minutes(2);
/// Across two clocks, times closer than this say nothing.
const CLOCKS_APART: TimeDelta = TimeDelta::seconds(2);

/// Marks the replicas that answer well where what is live fails; whether there is any.
pub(super) fn compare(case: &mut Case<'_>, book: &mut Book<'_>) -> bool {
    let Some(written) = case.last_write().and_then(|edit| edit.at.latest) else {
        return false;
    };
    let Some(failing) = failing(case, written + CLOCKS_APART) else {
        return false;
    };
    let well = answering_well(case, &failing);
    // Of two revisions the one that a replica that answers well loaded is not the one that fails.
    let known = |place: &usize| {
        case.replicas
            .get(*place)
            .is_some_and(|r| r.live == Some(true))
    };
    let certain = failing.places.iter().any(known);
    if well.is_empty() || !(certain || tells_two_apart(case, &well)) {
        return false;
    }
    let mut any = !certain;
    for (place, why, excerpt) in &well {
        let read = case.scans.get(*place).and_then(|s| s.current.as_ref());
        let open = case.replicas.get_mut(*place).filter(|r| r.live.is_none());
        if let (Some(read), Some(replica)) = (read, open) {
            mark(replica, false, why, read.source.cite(book, excerpt));
            any = true;
        }
    }
    if !certain {
        mark_failing(case, &failing, book);
    }
    any
}

/// What one replica answered on a route.
#[derive(Debug, Clone, Copy, Default)]
struct Answers {
    failed: usize,
    total: usize,
    last: Option<DateTime<Utc>>,
}

/// Replicas that fail on a route, and log that they were sent to a port that is not published.
struct Failing {
    route: String,
    since: DateTime<Utc>,
    dead_end: HostPort,
    places: Vec<usize>,
    answers: Answers,
}

/// Whether there are two revisions alone, and all that answer well loaded the first: then whoever behaves otherwise loaded the
/// other one.
fn tells_two_apart(case: &Case<'_>, well: &[(usize, String, String)]) -> bool {
    let first = case.history.name(0);
    let loaded_first = |place: &usize| {
        let replica = case.replicas.get(*place);
        replica.is_some_and(|r| r.loaded == first && r.grade < Grade::Unknown)
    };
    case.history.revisions.len() == 2 && well.iter().all(|(place, ..)| loaded_first(place))
}

fn mark_failing(case: &mut Case<'_>, failing: &Failing, book: &mut Book<'_>) {
    let live = case.live_name();
    for place in &failing.places {
        let line = case.scans.get(*place).and_then(|scans| {
            let read = scans.current.as_ref()?;
            let mut hits = read.scan.upstreams.values();
            Some(read.source.cite(book, &hits.next()?.line))
        });
        let why = format!(
            "its log shows upstream {}, which what is live names, and those that loaded the revision before are not sent there",
            failing.dead_end
        );
        if let (Some(replica), Some(evidence)) = (case.replicas.get_mut(*place), line) {
            mark(replica, true, &why, evidence);
            replica.loaded.clone_from(&live);
            if let Some(usage) = replica.uses.first_mut() {
                usage.loaded.clone_from(&live);
            }
        }
    }
}

fn mark(replica: &mut Replica, live: bool, why: &str, evidence: usize) {
    let before = std::mem::take(&mut replica.why);
    replica.why = format!("{why}; by itself: {before}");
    // That one fails is in its log; that another does not may have a reason besides, such as a cache.
    let grade = if live { Grade::Shown } else { Grade::Inferred };
    replica.live = Some(live);
    replica.grade = grade;
    replica.evidence.push(evidence);
    if let Some(usage) = replica.uses.first_mut() {
        usage.live = Some(live);
        usage.grade = grade;
        usage.why.clone_from(&replica.why);
        usage.evidence.push(evidence);
    }
}

/// Replicas that answer the route well, each with the reason, and what shows it.
fn answering_well(case: &Case<'_>, failing: &Failing) -> Vec<(usize, String, String)> {
    let (route, number) = (&failing.route, failing.places.len());
    let all = case.scans.iter().filter_map(|s| s.current.as_ref());
    let newest = all
        .flat_map(|read| read.scan.answers.iter())
        .filter_map(|a| a.at)
        .max();
    let mut found = Vec::new();
    for (place, (replica, scans)) in case.replicas.iter().zip(&case.scans).enumerate() {
        let since = reread(scans).map_or(failing.since, |reload| reload.max(failing.since));
        let answers = answers(scans, route, since);
        let well = answers.total >= ENOUGH && answers.failed * 10 <= answers.total;
        let late = answers.last >= newest.map(|at| at - STILL);
        let open = replica.live != Some(true) && !failing.places.contains(&place);
        if !(open && well && late) {
            continue;
        }
        let good = answers.total - answers.failed;
        let excerpt = format!(
            "{route} since the write: {good} of {} answered well",
            answers.total
        );
        let why = format!(
            "it answered {good} of {} {route} well since the write, where what is live sends them to {}, which its Service does not publish, and {} sent there {} ({} of {}): so it does not run what is live",
            answers.total,
            failing.dead_end,
            if number == 1 {
                "the replica that is"
            } else {
                "each replica that is"
            },
            if number == 1 { "fails" } else { "fail" },
            failing.answers.failed,
            failing.answers.total,
        );
        found.push((place, why, excerpt));
    }
    found
}

/// Replicas that may run what is live, fail on a route, and log that they were sent to a port that is not published and that the live
/// content names.
fn failing(case: &Case<'_>, since: DateTime<Utc>) -> Option<Failing> {
    let dead_ends = case.dead_ends(case.history.live_content());
    let all = || case.replicas.iter().zip(&case.scans).enumerate();
    let on_live = |replica: &Replica| replica.live != Some(false);
    let sent = all().filter(|(_, (replica, _))| on_live(replica));
    let sent: Vec<(usize, HostPort)> = sent
        .filter_map(|(place, (_, scans))| Some((place, dead_ends.asked_by(scans)?.clone())))
        .collect();
    let (_, dead_end) = sent.first()?.clone();
    let places: Vec<usize> = sent.into_iter().map(|(place, _)| place).collect();
    let scans = || places.iter().filter_map(|place| case.scans.get(*place));
    let replicas = places.iter().filter_map(|place| case.replicas.get(*place));
    let mut routes: Vec<&str> = replicas
        .flat_map(|replica| &replica.traffic)
        .filter(|t| t.failed >= ENOUGH)
        .map(|t| t.route.as_str())
        .collect();
    routes.sort_unstable();
    routes.dedup();
    // None that is known to run what is live may answer it well.
    let spared = |route: &str| {
        all().any(|(_, (replica, scans))| {
            let of_it = answers(scans, route, since);
            replica.live == Some(true) && of_it.failed * 10 < of_it.total * 9
        })
    };
    let sum = |route: &str| {
        let asked: Vec<Answers> = scans().map(|scans| answers(scans, route, since)).collect();
        let fails = |a: &Answers| a.failed >= ENOUGH && a.failed * 10 >= a.total * 9;
        asked.iter().all(fails).then(|| {
            asked.iter().fold(Answers::default(), |sum, a| Answers {
                failed: sum.failed + a.failed,
                total: sum.total + a.total,
                last: sum.last.max(a.last),
            })
        })
    };
    let (route, answers) = routes
        .into_iter()
        .filter(|route| !spared(route))
        .find_map(|route| Some((route.to_owned(), sum(route)?)))?;
    Some(Failing {
        route,
        since,
        dead_end,
        places,
        answers,
    })
}

fn answers(scans: &Scans, route: &str, since: DateTime<Utc>) -> Answers {
    let read = scans.current.iter();
    let all = read.flat_map(|read| read.scan.answers.iter());
    let counted = all.filter(|a| a.route == route && a.at.is_some_and(|at| at > since));
    counted.fold(Answers::default(), |sum, answer| Answers {
        failed: sum.failed + usize::from(answer.status >= 500),
        total: sum.total + 1,
        last: sum.last.max(answer.at),
    })
}

/// When it read its configuration again: what it answered before says nothing of what it runs since.
fn reread(scans: &Scans) -> Option<DateTime<Utc>> {
    scans.current.as_ref()?.scan.reloads.last()?.0
}
