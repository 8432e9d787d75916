//! loaded-everywhere: every replica runs the live revision, and failing lines name what the last edit changed, or a port that the live
//! content names and its Service does not publish.

use super::Decision;
use super::words::{edited, evidence, recent, sides};
use crate::analysis::case::Case;
use crate::analysis::evidence::Book;
use crate::analysis::incident::{Code, Finding, Signal, SignalKind};
use crate::analysis::names::count;

/// A few refused connections while a backend starts are no failure of the config. Where answers are logged they decide; where
/// they are not, several errors of late against what the edit named.
fn fails_now(case: &Case<'_>) -> bool {
    let answered = case.replicas.iter().any(|r| !r.traffic.is_empty());
    if answered {
        return case.impact.as_ref().is_some_and(|impact| impact.live_fails);
    }
    let reads = case.scans.iter().filter_map(|scans| scans.current.as_ref());
    let late: usize = reads
        .flat_map(|read| read.scan.upstreams.values())
        .filter(|hits| recent(case.snapshot, hits))
        .map(|hits| hits.count)
        .sum();
    late >= 3
}

pub(super) fn decide(case: &Case<'_>, _book: &mut Book<'_>) -> Decision {
    let Some((edit, _)) = case.edit() else {
        return Decision::No;
    };
    let sides = sides(case);
    if sides.live.is_empty() || !sides.stale.is_empty() {
        return Decision::No;
    }
    if !sides.unknown.is_empty() {
        return Decision::CannotTell("not every replica's load is known".to_owned());
    }
    let live = case.live_name();
    let dead_ends = case.brought_in_vain();
    let of_live =
        |s: &Signal| s.kind == SignalKind::Upstream && s.revision.is_some() && s.revision == live;
    let naming: Vec<&Signal> = case
        .replicas
        .iter()
        .flat_map(|r| &r.signals)
        .filter(|s| of_live(s) || dead_ends.told_by(s))
        .collect();
    let Some(first) = naming.first() else {
        if case.scans.iter().all(|scans| scans.current.is_none()) {
            return Decision::CannotTell("no log of its replicas was read".to_owned());
        }
        return Decision::No;
    };
    if !fails_now(case) {
        return Decision::No;
    }
    let lines: usize = naming.iter().map(|s| s.count).sum();
    let mut numbers = evidence(case, case.replicas.iter());
    numbers.extend(naming.iter().flat_map(|s| s.evidence.iter().copied()));
    numbers.sort_unstable();
    numbers.dedup();
    let all = case.replicas.len();
    Decision::Yes(Finding {
        code: Code::LoadedEverywhere,
        sentence: format!(
            "There is no split to find: {} of {} {} the live revision, and it is the one that fails. {}. {} fail against {}.",
            if all == 1 {
                "the one replica".to_owned()
            } else {
                format!("all {all} replicas")
            },
            case.workload.name,
            if all == 1 { "runs" } else { "run" },
            edited(case, edit),
            count(lines, "log line"),
            first.text,
        ),
        evidence: numbers,
    })
}
