//! split-reference: replicas of one workload name different configs, and the rollout that would bring them together has stopped.

use super::Decision;
use super::words::DEADLINE;
use crate::analysis::case::{Case, Rival};
use crate::analysis::evidence::{Book, show_workload};
use crate::analysis::gaps::unlisted;
use crate::analysis::incident::{Code, Finding, Replica};
use crate::analysis::names::{clock_time, count, list, quote};
use crate::model::{Condition, Workload};

/// Whether it would hold, but for the rollout that may still be going on.
pub(super) fn concerns(case: &Case<'_>) -> bool {
    case.rivals.iter().any(|rival| !rival.pods.is_empty())
}

pub(super) fn decide(case: &Case<'_>, book: &mut Book<'_>) -> Decision {
    if !concerns(case) {
        return Decision::No;
    }
    let workload = case.index.workload(&case.workload);
    if case.workload.kind == "Rollout" {
        return Decision::CannotTell(format!(
            "whether the canary of Rollout {} is meant to be there: {} name {}, as a running canary does. See `kubectl argo rollouts get rollout {} -n {}`",
            case.workload.name,
            count(case.replicas.len(), "replica"),
            case.config.reference.name,
            quote(&case.workload.name),
            quote(&case.workload.namespace),
        ));
    }
    let named = names(case);
    match stopped(case, workload) {
        Stopped::Going(why) => Decision::CannotTell(format!("{named}; {why}")),
        Stopped::For(why) => {
            Decision::Yes(finding(case, workload, &format!("{named}. {why}"), book))
        }
    }
}

/// Who names which.
fn names(case: &Case<'_>) -> String {
    let all = case.replicas.len() + case.rivals.iter().map(|r| r.pods.len()).sum::<usize>();
    let older: Vec<String> = case.rivals.iter().map(older).collect();
    format!(
        "{} of {} {} pods {} {}, as the template does now; {}",
        case.replicas.len(),
        all,
        case.workload.name,
        if case.replicas.len() == 1 {
            "names"
        } else {
            "name"
        },
        case.config.reference,
        list(&older),
    )
}

fn older(rival: &Rival) -> String {
    format!(
        "{} still {} {}",
        rival.pods.len(),
        if rival.pods.len() == 1 {
            "names"
        } else {
            "name"
        },
        rival.config
    )
}

enum Stopped {
    For(String),
    /// It may still be going on.
    Going(String),
}

fn stopped(case: &Case<'_>, workload: Option<&Workload>) -> Stopped {
    if let Some(why) = workload.and_then(|w| held_up(case, w)) {
        return Stopped::For(why);
    }
    let failing: Vec<&Replica> = case.replicas.iter().filter(|r| !r.ready).collect();
    if let Some(first) = failing.first() {
        return Stopped::For(format!(
            "The rollout waits: {} of the pods that name {} {} not ready ({})",
            failing.len(),
            case.config.reference.name,
            if failing.len() == 1 { "is" } else { "are" },
            first.state
        ));
    }
    let now = case.snapshot.now();
    let made = case.index.template_made(&case.workload);
    let youngest = case
        .replicas
        .iter()
        .filter_map(|r| case.index.pod(&r.pod)?.created)
        .max();
    match made.max(youngest) {
        Some(at) if now - at > DEADLINE => {
            let why = match unlisted(case.snapshot, "deployments") {
                Some(why) => format!(" ({why})"),
                None => String::new(),
            };
            Stopped::For(format!(
                "The last step of the rollout was at {} UTC; why it stopped is not known{why}",
                clock_time(at, now)
            ))
        }
        _ => Stopped::Going("the rollout may be under way: look again when it is done".to_owned()),
    }
}

/// What the workload itself says of why it goes no further.
fn held_up(case: &Case<'_>, workload: &Workload) -> Option<String> {
    let condition = |kind: &str, holds: bool| {
        let mut all = workload.conditions.iter();
        all.find(|c| c.kind == kind && c.holds == holds)
    };
    let said = |c: &Condition| {
        let message = c.message.trim().trim_end_matches('.');
        if message.is_empty() {
            c.reason.clone()
        } else {
            message.to_owned()
        }
    };
    if workload.paused {
        return Some(format!(
            "The rollout stopped half way: {} is paused",
            case.workload
        ));
    }
    if let Some(failure) = condition("ReplicaFailure", true) {
        let what = if failure.message.contains("quota") {
            "a quota holds it up"
        } else {
            "its pods cannot be created"
        };
        return Some(format!(
            "The rollout stopped half way: {what} ({})",
            said(failure)
        ));
    }
    if workload.strategy.as_deref() == Some("OnDelete") {
        return Some(
            "Its update strategy is OnDelete: a pod takes the new template when somebody deletes it".to_owned(),
        );
    }
    if let Some(partition) = workload.partition {
        return Some(format!(
            "Its update strategy has partition {partition}: pods of a lower ordinal keep the template of before"
        ));
    }
    let late = condition("Progressing", false)?;
    Some(format!(
        "The rollout stopped half way: it is past its deadline ({})",
        said(late)
    ))
}

fn finding(
    case: &Case<'_>,
    workload: Option<&Workload>,
    what: &str,
    book: &mut Book<'_>,
) -> Finding {
    let excerpt = workload.map_or_else(
        || "not read".to_owned(),
        |w| {
            format!(
                "paused {}; {} of {} pods of the template of now",
                w.paused,
                w.updated.map_or_else(|| "?".to_owned(), |n| n.to_string()),
                w.desired.map_or_else(|| "?".to_owned(), |n| n.to_string()),
            )
        },
    );
    let number = book.add(
        format!("{}, its rollout", case.workload),
        &show_workload(&case.workload),
        case.snapshot.taken_at,
        excerpt,
    );
    let mut evidence = case.history.evidence.clone();
    evidence.push(number);
    evidence.extend(
        case.replicas
            .iter()
            .filter_map(|r| r.evidence.first().copied()),
    );
    evidence.sort_unstable();
    evidence.dedup();
    Finding {
        code: Code::SplitReference,
        sentence: format!("{what}."),
        evidence,
    }
}
