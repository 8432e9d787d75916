//! Replicas of which nothing else tells what they run: one that answers well, where what is live cannot, does not run it.
//!
//! A proxy that works logs no upstream, so that the sibling's failures may stand alone. But where the live content sends a route to
//! a port that the Service does not publish, whoever answers that route well is not sent there.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Case, Scans};
use crate::analysis::dead_ends::unpublished;
use crate::analysis::evidence::Book;
use crate::analysis::incident::{Grade, Replica};
use crate::analysis::signals::{Endpoints, HostPort};

/// Fewer answers than this may be chance.
const ENOUGH: usize = 3;
/// What it answered must be as late as what others did, but for so long: it may have read its files again since.
const STILL: TimeDelta = TimeDelta::minutes(2);
/// Across two clocks, times closer than this say nothing.
const CLOCKS_APART: TimeDelta = TimeDelta::seconds(2);

/// What one replica answered on a route.
#[derive(Debug, Clone, Copy, Default)]
struct Answers {
    failed: usize,
    total: usize,
    last: Option<DateTime<Utc>>,
}

/// Marks the replicas that answer well where what is live fails; whether there is any.
pub(super) fn compare(case: &mut Case<'_>, book: &mut Book<'_>) -> bool {
    let Some(written) = case.last_write().and_then(|edit| edit.at.latest) else {
        return false;
    };
    let since = written + CLOCKS_APART;
    let Some((route, dead_end, failing)) = failing_route(case, since) else {
        return false;
    };
    let all = case.scans.iter().filter_map(|s| s.current.as_ref());
    let newest = all
        .flat_map(|read| &read.scan.answers)
        .filter_map(|a| a.at)
        .max();
    let mut found = Vec::new();
    for (place, (replica, scans)) in case.replicas.iter().zip(&case.scans).enumerate() {
        let since = reread(scans).map_or(since, |reload| reload.max(since));
        let answers = answers(scans, &route, since);
        let well = answers.total >= ENOUGH && answers.failed * 10 <= answers.total;
        let late = answers.last >= newest.map(|at| at - STILL);
        if replica.live.is_none() && well && late {
            let Some(read) = &scans.current else { continue };
            let good = answers.total - answers.failed;
            let excerpt = format!(
                "{route} since the write: {good} of {} answered well",
                answers.total
            );
            let why = format!(
                "it answered {good} of {} {route} well since the write, where what is live sends them to {dead_end}, which its Service does not publish, and {} that {} what is live {} ({} of {}): so it does not run what is live",
                answers.total,
                if failing.1 == 1 {
                    "the replica"
                } else {
                    "each replica"
                },
                if failing.1 == 1 { "runs" } else { "run" },
                if failing.1 == 1 { "fails" } else { "fail" },
                failing.0.failed,
                failing.0.total,
            );
            found.push((place, why, read.source.cite(book, &excerpt)));
        }
    }
    let any = !found.is_empty();
    for (place, why, evidence) in found {
        if let Some(replica) = case.replicas.get_mut(place) {
            mark(replica, &why, evidence);
        }
    }
    any
}

fn mark(replica: &mut Replica, why: &str, evidence: usize) {
    let before = std::mem::take(&mut replica.why);
    replica.why = format!("{why}; by itself: {before}");
    replica.live = Some(false);
    replica.grade = Grade::Shown;
    replica.evidence.push(evidence);
    if let Some(usage) = replica.uses.first_mut() {
        usage.live = Some(false);
        usage.grade = Grade::Shown;
        usage.why.clone_from(&replica.why);
        usage.evidence.push(evidence);
    }
}

/// A route on which every replica that runs what is live fails, and logs that it was sent to a port that is not published; with
/// their answers and how many they are.
fn failing_route(
    case: &Case<'_>,
    since: DateTime<Utc>,
) -> Option<(String, HostPort, (Answers, usize))> {
    let content = case.history.live_content()?;
    let namespace = case.workload.namespace.as_str();
    let network = Endpoints::new(case.index, namespace);
    let dead_ends = unpublished(case.index, namespace, content);
    let on_live = || {
        let all = case.replicas.iter().zip(&case.scans);
        all.filter(|(replica, _)| replica.live == Some(true))
    };
    let named = |scans: &Scans| {
        let read = scans.current.as_ref()?;
        let mut logged = read.scan.upstreams.keys();
        let of = |address: &HostPort| {
            let mut dead = dead_ends.iter().map(|(named, _)| named);
            dead.find(|named| network.means(named, address)).cloned()
        };
        logged.find_map(of)
    };
    let dead_end = on_live().find_map(|(_, scans)| named(scans))?;
    let mut routes: Vec<&str> = on_live()
        .flat_map(|(replica, _)| &replica.traffic)
        .filter(|t| t.failed >= ENOUGH)
        .map(|t| t.route.as_str())
        .collect();
    routes.sort_unstable();
    routes.dedup();
    routes.into_iter().find_map(|route| {
        let asked = on_live().map(|(_, scans)| answers(scans, route, since));
        let asked: Vec<Answers> = asked.filter(|answers| answers.total > 0).collect();
        let all_fail = asked
            .iter()
            .all(|a| a.failed >= ENOUGH && a.failed * 10 >= a.total * 9);
        let sum = asked.iter().fold(Answers::default(), |sum, a| Answers {
            failed: sum.failed + a.failed,
            total: sum.total + a.total,
            last: sum.last.max(a.last),
        });
        (all_fail && !asked.is_empty())
            .then(|| (route.to_owned(), dead_end.clone(), (sum, asked.len())))
    })
}

fn answers(scans: &Scans, route: &str, since: DateTime<Utc>) -> Answers {
    let read = scans.current.iter();
    let all = read.flat_map(|read| &read.scan.answers);
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
