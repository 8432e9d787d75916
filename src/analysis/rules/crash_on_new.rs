//! crash-on-new: replicas that loaded the new revision crash, and their last lines say that it is the configuration.

use chrono::{DateTime, TimeDelta, Utc};

use super::Decision;
use super::words::{edited, evidence, named, sides, verb};
use crate::analysis::case::{Case, Scans};
use crate::analysis::evidence::Book;
use crate::analysis::incident::{Code, Finding, Replica, SignalKind};

pub(super) fn decide(case: &Case<'_>, book: &mut Book<'_>) -> Decision {
    let Some((edit, _)) = case.edit() else {
        return Decision::No;
    };
    let crashed: Vec<(usize, &Replica)> = case
        .replicas
        .iter()
        .enumerate()
        .filter(|(_, r)| r.live == Some(true) && crashes(r, case.snapshot.now()))
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

/// A container that was started again so short ago has not shown yet that it stays.
const TRIED: TimeDelta = TimeDelta::seconds(10);

/// In a crash loop, or just crashed again and not ready. Without a probe a container is ready as soon as it runs, also for the
/// moment between two crashes.
fn crashes(replica: &Replica, now: DateTime<Utc>) -> bool {
    let tried = replica.started_at.is_some_and(|at| now - at < TRIED);
    replica.state == "CrashLoopBackOff"
        || (replica.state == "Error" && !replica.ready)
        || (replica.restarts > 0
            && (!replica.ready || tried)
            && replica
                .signals
                .iter()
                .any(|s| s.kind == SignalKind::StartError))
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
