//! The checklist at the end: what must hold before anything is called closed.

use chrono::{DateTime, TimeDelta, Utc};

use super::Seen;
use crate::remedy::goal::Goal;

/// So long it is watched once everything runs the target.
const WATCHED: TimeDelta = TimeDelta::seconds(120);
/// So long where somebody may undo it: Argo CD looks every three minutes.
const WATCHED_OWNED: TimeDelta = TimeDelta::seconds(240);
/// So long no request may have failed at the end of that.
const CLEAN: TimeDelta = TimeDelta::seconds(60);
/// So many requests of each replica show something.
const REQUESTS: usize = 10;

/// How a line of the checklist stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Holds,
    Waits,
    /// It cannot be told.
    Unknown,
}

/// A line of the checklist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    pub mark: Mark,
    pub text: String,
}

fn check(mark: Mark, text: impl Into<String>) -> Check {
    Check {
        mark,
        text: text.into(),
    }
}

fn when(holds: bool) -> Mark {
    if holds { Mark::Holds } else { Mark::Waits }
}

/// The whole checklist.
pub(super) fn checks(
    goal: &Goal,
    seen: &Seen<'_>,
    fixed_at: Option<DateTime<Utc>>,
    since: Option<DateTime<Utc>>,
) -> Vec<Check> {
    let mut all = vec![live(goal, seen), rolled_out(seen), loads(goal, seen)];
    all.extend(silence(goal, seen, fixed_at));
    all.extend(traffic(goal, seen, since));
    all
}

fn live(goal: &Goal, seen: &Seen<'_>) -> Check {
    match &goal.target {
        Some(target) => {
            let is = seen.config.and_then(|c| c.content.as_ref()) == Some(&target.content);
            check(when(is), format!("{} holds {}", goal.config, target.name))
        }
        None => {
            let named = seen.workload.is_some_and(|w| {
                goal.repoint
                    .as_ref()
                    .is_none_or(|config| w.configs.contains(config))
            });
            check(when(named), format!("the template names {}", goal.meant()))
        }
    }
}

fn rolled_out(seen: &Seen<'_>) -> Check {
    if seen.workload.is_none() {
        let mark = if seen.is_rolled_out() {
            Mark::Unknown
        } else {
            Mark::Waits
        };
        let text = format!(
            "{} pods are ready; the workload itself could not be read",
            seen.ready()
        );
        return check(mark, text);
    }
    check(
        when(seen.is_rolled_out()),
        format!(
            "the rollout is complete: {} of {} ready",
            seen.ready(),
            seen.desired()
        ),
    )
}

fn loads(goal: &Goal, seen: &Seen<'_>) -> Check {
    let at = seen
        .replicas
        .iter()
        .filter(|r| r.live == Some(true))
        .count();
    let all = seen.replicas.len();
    let unknown = seen.replicas.iter().filter(|r| r.live.is_none()).count();
    let mark = match (at == all && all > 0, unknown) {
        (true, _) => Mark::Holds,
        (false, 0) => Mark::Waits,
        (false, _) => Mark::Unknown,
    };
    let mut text = format!("{at} of {all} replicas run {}", goal.meant());
    if unknown > 0 {
        text.push_str(&format!(", of {unknown} it is not known"));
    }
    check(mark, text)
}

/// No replica logs what only the failing content explains.
fn silence(goal: &Goal, seen: &Seen<'_>, fixed_at: Option<DateTime<Utc>>) -> Vec<Check> {
    let line = |bad: &String| {
        let last = seen
            .replicas
            .iter()
            .flat_map(|r| &r.signals)
            .filter(|signal| signal.text == *bad)
            .filter_map(|signal| signal.last)
            .max();
        let recent =
            last.filter(|at| fixed_at.is_none_or(|fixed| *at > fixed) && seen.now - *at < CLEAN);
        match recent {
            Some(_) => check(
                Mark::Waits,
                format!("a replica logged {bad} in the last 60 s"),
            ),
            None => check(Mark::Holds, format!("no replica logs {bad} any more")),
        }
    };
    goal.bad.iter().take(3).map(line).collect()
}

/// Requests of each replica in the last minute: all, and those that failed.
fn requests(seen: &Seen<'_>) -> Vec<(usize, usize)> {
    let count = |r: &crate::analysis::Replica| {
        let samples = r.traffic.iter().flat_map(|t| &t.samples);
        let recent = samples.filter(|(at, _)| seen.now - *at <= CLEAN);
        recent.fold((0, 0), |(all, failed), (_, wrong)| {
            (all + 1, failed + usize::from(*wrong))
        })
    };
    seen.replicas.iter().map(count).collect()
}

fn watch(goal: &Goal) -> TimeDelta {
    if goal.owned { WATCHED_OWNED } else { WATCHED }
}

fn traffic(goal: &Goal, seen: &Seen<'_>, since: Option<DateTime<Utc>>) -> Vec<Check> {
    let all = watch(goal);
    let watched = since.map_or(TimeDelta::zero(), |since| seen.now - since);
    let watched = watched.clamp(TimeDelta::zero(), all);
    let owned = if goal.owned {
        "; who keeps it elsewhere may still undo it"
    } else {
        ""
    };
    let mut checks = vec![check(
        when(watched >= all),
        format!(
            "watched for {} of {} s{owned}",
            watched.num_seconds(),
            all.num_seconds()
        ),
    )];
    let counts = requests(seen);
    let (all, failed): (usize, usize) = counts
        .iter()
        .fold((0, 0), |(a, f), (all, failed)| (a + all, f + failed));
    let fewest = counts.iter().map(|(all, _)| *all).min().unwrap_or(0);
    let mark = match (failed, fewest >= REQUESTS) {
        (0, true) => Mark::Holds,
        (0, false) => Mark::Unknown,
        _ => Mark::Waits,
    };
    let few = if fewest < REQUESTS {
        format!("; {fewest} of one replica, {REQUESTS} would show something")
    } else {
        String::new()
    };
    let route = if goal.route.is_some() {
        "requests"
    } else {
        "requests that logs count"
    };
    checks.push(check(
        mark,
        format!("last 60 s: {failed} of {all} {route} failed{few}"),
    ));
    checks
}

/// Whether it is over, and if so whether traffic showed it.
pub(super) fn outcome(
    goal: &Goal,
    seen: &Seen<'_>,
    fixed_at: Option<DateTime<Utc>>,
    since: DateTime<Utc>,
) -> Option<bool> {
    let checks = checks(goal, seen, fixed_at, Some(since));
    let (traffic, others) = checks.split_last()?;
    let watched = seen.now - since >= watch(goal);
    if !watched || others.iter().any(|check| check.mark == Mark::Waits) {
        return None;
    }
    let known = others.iter().all(|check| check.mark == Mark::Holds);
    match traffic.mark {
        Mark::Holds => Some(known),
        Mark::Unknown => Some(false),
        Mark::Waits => None,
    }
}
