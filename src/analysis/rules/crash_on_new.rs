//! crash-on-new: replicas that loaded the new revision crash, and their last lines say that it is the configuration.

use chrono::TimeDelta;

use super::Decision;
use super::words::{edited, evidence, named, sides, verb};
use crate::analysis::case::{Case, Scans};
use crate::analysis::evidence::Book;
use crate::analysis::incident::{Code, Finding, Replica, Signal, SignalKind};
use crate::model::Termination;

pub(super) fn decide(case: &Case<'_>, book: &mut Book<'_>) -> Decision {
    let Some((edit, _)) = case.edit() else {
        return Decision::No;
    };
    let crashed: Vec<(usize, &Replica)> = case
        .replicas
        .iter()
        .enumerate()
        .filter(|(_, r)| r.live == Some(true) && crashes(case, r))
        .collect();
    if crashed.is_empty() {
        return Decision::No;
    }
    let mut told = None;
    let mut logs = 0;
    for (index, replica) in &crashed {
        let scans = case.scans.get(*index);
        logs += usize::from(scans.is_some_and(|s| s.current.is_some() || s.previous.is_some()));
        told = told.or_else(|| last_words(case, replica, scans, book));
    }
    let Some((line, number)) = told else {
        return if logs == 0 {
            Decision::CannotTell("why they crash: none of their logs could be read".to_owned())
        } else {
            Decision::No
        };
    };
    let crashing: Vec<&Replica> = crashed.iter().map(|(_, r)| *r).collect();
    let sides = sides(case);
    let mut sentence = format!(
        "{} of {} {} replicas {} on the edited config. {}. {}, started after it, {} ({}): {line}",
        crashing.len(),
        case.replicas.len(),
        case.workload.name,
        verb(&crashing, "crashes", "crash"),
        edited(case, edit),
        named(case, &crashing),
        verb(&crashing, "crashes", "crash"),
        restarts(&crashing),
    );
    if !sides.stale.is_empty() {
        sentence.push_str(&format!(
            ". {} still {} the revision before: do not restart {}",
            named(case, &sides.stale),
            verb(&sides.stale, "runs", "run"),
            verb(&sides.stale, "it", "them"),
        ));
    }
    sentence.push('.');
    let mut numbers = evidence(case, crashing.iter().copied().chain(sides.stale));
    numbers.push(number);
    numbers.sort_unstable();
    numbers.dedup();
    Decision::Yes(Finding {
        code: Code::CrashOnNew,
        sentence,
        evidence: numbers,
    })
}

/// A container that was started again so short ago has not shown yet that it stays; nor has one that ran no longer than so many
/// times as long as the run before.
const TRIED: TimeDelta = TimeDelta::seconds(10);
const LONGER: i32 = 3;
const LONGEST_TRIAL: TimeDelta = TimeDelta::minutes(10);

/// In a crash loop, or just crashed again and not ready. Without a probe a container is ready as soon as it runs, also for the
/// moment between two crashes.
fn crashes(case: &Case<'_>, replica: &Replica) -> bool {
    let failed = last_failure(case, replica);
    let ran = failed.and_then(|last| Some(last.finished_at? - last.started_at?));
    let trial = ran.map_or(TRIED, |ran| (ran * LONGER).clamp(TRIED, LONGEST_TRIAL));
    let now = case.snapshot.now();
    let tried = replica.started_at.is_some_and(|at| now - at < trial);
    let says = |signal: &Signal| signal.kind == SignalKind::StartError;
    replica.state == "CrashLoopBackOff"
        || (replica.state == "Error" && !replica.ready)
        || (replica.restarts > 0
            && (!replica.ready || tried)
            && (failed.is_some() || replica.signals.iter().any(says)))
}

/// How the run before ended, where it failed.
fn last_failure<'a>(case: &Case<'a>, replica: &Replica) -> Option<&'a Termination> {
    let mut pods = case.snapshot.pods.iter();
    let pod = pods.find(|pod| pod.reference == replica.pod)?;
    let last = pod
        .container(&replica.container)?
        .status
        .as_ref()?
        .last
        .as_ref()?;
    (last.exit_code != 0).then_some(last)
}

/// Whether replicas crash on what is live, and none on anything else: whatever the reason, it is not to be given to more of them.
pub(crate) fn only_new_ones_crash(case: &Case<'_>) -> bool {
    let crashing: Vec<&Replica> = case.replicas.iter().filter(|r| crashes(case, r)).collect();
    let others = case.replicas.iter().any(|r| r.live == Some(false));
    others && !crashing.is_empty() && crashing.iter().all(|r| r.live == Some(true))
}

fn restarts(crashing: &[&Replica]) -> String {
    let most = crashing.iter().map(|r| r.restarts).max().unwrap_or(0);
    match most {
        0 => "not restarted yet".to_owned(),
        1 => "1 restart".to_owned(),
        more => format!("{more} restarts"),
    }
}

/// The line that says why: an error of start-up or parsing, or a last line that names a changed value.
fn last_words(
    case: &Case<'_>,
    replica: &Replica,
    scans: Option<&Scans>,
    book: &mut Book<'_>,
) -> Option<(String, usize)> {
    if let Some(signal) = replica
        .signals
        .iter()
        .find(|s| s.kind == SignalKind::StartError)
    {
        return Some((signal.text.clone(), *signal.evidence.first()?));
    }
    let scans = scans?;
    let runs = [scans.current.as_ref(), scans.previous.as_ref()];
    let read = runs.into_iter().flatten().find(|read| {
        case.changes
            .iter()
            .filter_map(|change| change.after.as_deref())
            .any(|value| value.len() >= 4 && read.scan.last_line.contains(value))
    })?;
    let line = read.scan.last_line.clone();
    let number = read.source.cite(book, &line);
    Some((line, number))
}
