//! Phrases that several rules share.

use std::collections::BTreeMap;

use chrono::TimeDelta;

use crate::analysis::case::Case;
use crate::analysis::content::same;
use crate::analysis::diff::describe_all;
use crate::analysis::incident::{ContentSource, Grade, Replica};
use crate::analysis::names::{list, short_names, when};
use crate::analysis::reconstruction::Reconstruction;
use crate::analysis::revisions::Edit;
use crate::analysis::signals::Hits;
use crate::model::{ConfigKind, ConfigRef, Snapshot};

/// What was last logged longer ago than this says nothing of now.
const NOW: TimeDelta = TimeDelta::minutes(10);

/// Whether something was still logged of late.
pub(super) fn recent(snapshot: &Snapshot, hits: &Hits) -> bool {
    hits.last.is_some_and(|last| last >= snapshot.now() - NOW)
}

/// Replicas by what is known of them.
pub(super) struct Sides<'a> {
    pub(super) live: Vec<&'a Replica>,
    pub(super) stale: Vec<&'a Replica>,
    pub(super) unknown: Vec<&'a Replica>,
}

pub(super) fn sides<'a>(case: &'a Case<'_>) -> Sides<'a> {
    let mut sides = Sides {
        live: Vec::new(),
        stale: Vec::new(),
        unknown: Vec::new(),
    };
    for replica in &case.replicas {
        match replica.live {
            _ if replica.grade == Grade::Unknown => sides.unknown.push(replica),
            Some(true) => sides.live.push(replica),
            Some(false) => sides.stale.push(replica),
            None => sides.unknown.push(replica),
        }
    }
    sides
}

/// Short names of some replicas of a case, as a list.
pub(super) fn named(case: &Case<'_>, replicas: &[&Replica]) -> String {
    let pods = short_names(case.replicas.iter().map(|r| r.pod.name.as_str()));
    let per_pod = case
        .replicas
        .iter()
        .fold(BTreeMap::<&str, usize>::new(), |mut counts, r| {
            *counts.entry(&r.pod.name).or_default() += 1;
            counts
        });
    let names: Vec<String> = replicas
        .iter()
        .map(|r| {
            let name = pods.get(&r.pod.name).unwrap_or(&r.pod.name);
            if per_pod.get(r.pod.name.as_str()).is_some_and(|n| *n > 1) {
                format!("{name}/{}", r.container)
            } else {
                name.clone()
            }
        })
        .collect();
    list(&names)
}

/// `frontend-nginx was edited 20:35:26–20:35:33 by kubectl-client-side-apply (person not recorded): server api:8080 → api:8000`.
pub(super) fn edited(case: &Case<'_>, edit: &Edit) -> String {
    let by = by(edit);
    let what = if case.changes.is_empty() {
        "what it held before is not known".to_owned()
    } else {
        describe_all(&case.changes)
    };
    format!(
        "{} was edited {} UTC {by}: {what}",
        case.config.reference.name,
        when(&edit.at, case.snapshot.now())
    )
}

/// `by jane@example.org with kubectl from 192.0.2.7`, where the audit log tells, else by the field manager.
pub(super) fn by(edit: &Edit) -> String {
    let Some(person) = &edit.by else {
        return match &edit.manager {
            Some(manager) => format!("by {manager} (person not recorded)"),
            None => "by an unknown manager".to_owned(),
        };
    };
    let mut text = format!("by {}", person.user);
    if let Some(other) = &person.impersonated {
        text.push_str(&format!(" acting as {other}"));
    }
    // What it calls itself may be anything; its first word is enough to tell kubectl from a controller.
    let agent = person.user_agent.as_deref().unwrap_or_default();
    if let Some(program) = agent.split_whitespace().next() {
        text.push_str(&format!(" with {program}"));
    }
    if let Some(from) = person.source_ips.first() {
        text.push_str(&format!(" from {from}"));
    }
    text.push_str(" (audit log)");
    text
}

/// The earlier revision that the live one is the same as, where it was edited and edited back.
pub(super) fn again<'a>(case: &'a Case<'_>) -> Option<&'a str> {
    let place = again_at(case)?;
    case.history.revisions.get(place).map(|r| r.name.as_str())
}

/// Its place.
pub(super) fn again_at(case: &Case<'_>) -> Option<usize> {
    let live = case.history.live_content()?;
    let same = |place: &usize| {
        let content = case.history.content(*place);
        content.is_some_and(|content| same(content, live, &case.keys) == Some(true))
    };
    (0..case.history.live()).rev().find(same)
}

/// A rollout that has not ended in so long has stopped, whatever the reason (`progressDeadlineSeconds` is 600 by default).
pub(super) const DEADLINE: TimeDelta = TimeDelta::minutes(10);

/// That a rollout is under way which replaces every replica that is behind: its template is younger than the edit, and nothing of
/// what it brings fails.
pub(super) fn being_delivered(case: &Case<'_>, stale: &[&Replica], edit: &Edit) -> Option<String> {
    let newest = case.index.newest_set(&case.workload)?;
    let made = newest.created?;
    let now = case.snapshot.now();
    let failing = case.impact.as_ref().is_some_and(|i| !i.failing.is_empty());
    let crashing = case.replicas.iter().any(|r| r.restarts > 0 && !r.ready);
    let paused = case
        .index
        .workload(&case.workload)
        .is_some_and(|w| w.paused);
    let older = |replica: &&Replica| {
        let owner = case
            .index
            .pod(&replica.pod)
            .and_then(|pod| pod.owner.as_ref());
        owner.is_some_and(|owner| *owner != newest.reference)
    };
    let under_way = Some(made) >= edit.at.earliest && now - made < DEADLINE;
    (under_way && !failing && !crashing && !paused && stale.iter().all(older)).then(|| {
        format!(
            "a rollout is under way that brings it ({} of {} pods are still of the template before): look again when it is done",
            stale.len(),
            case.replicas.len()
        )
    })
}

/// The mark of a workload by which Reloader is asked to restart it for a config.
pub(super) fn asks_reloader<'a>(
    mut marks: impl Iterator<Item = (&'a str, &'a str)>,
    config: &ConfigRef,
) -> Option<String> {
    let by_name = match config.kind {
        ConfigKind::ConfigMap => "configmap.reloader.stakater.com/reload",
        ConfigKind::Secret => "secret.reloader.stakater.com/reload",
    };
    let (name, value) = marks.find(|(name, value)| match *name {
        "reloader.stakater.com/auto" => *value == "true",
        name if name == by_name => value.split(',').any(|one| one.trim() == config.name),
        _ => false,
    })?;
    Some(format!("{name}: {value}"))
}

/// Where an earlier revision can still be had.
pub(super) fn whereabouts(case: &Case<'_>, name: &str) -> String {
    let found = case.history.revisions.iter().find(|r| r.name == name);
    match found.and_then(|r| r.source.as_ref()) {
        Some(ContentSource::Exact { .. }) => "recovered from the API server's history".to_owned(),
        Some(ContentSource::LastApplied) => {
            "recovered from the last-applied-configuration annotation".to_owned()
        }
        Some(ContentSource::Live) => "which is live".to_owned(),
        Some(ContentSource::Reconstruction { .. }) => {
            let what = case.reconstruction.as_ref().map(Reconstruction::replaced);
            format!(
                "whose content is no longer in the API; a reconstruction of it is proposed: {}",
                what.unwrap_or_default()
            )
        }
        Some(source @ (ContentSource::File { .. } | ContentSource::Git { .. })) => {
            format!("taken to be what you named: {source}")
        }
        Some(source) => format!("recovered from {source}"),
        None => "whose content is no longer in the API".to_owned(),
    }
}

/// The evidence of some replicas' loads and of the config itself, each number once, in order.
pub(super) fn evidence<'a>(
    case: &Case<'_>,
    replicas: impl IntoIterator<Item = &'a Replica>,
) -> Vec<usize> {
    let mut numbers = case.history.evidence.clone();
    numbers.extend(
        replicas
            .into_iter()
            .flat_map(|r| r.evidence.iter().copied()),
    );
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// A sentence on those whose load is not known, or nothing.
pub(super) fn and_unknown(case: &Case<'_>, unknown: &[&Replica]) -> String {
    match unknown {
        [] => String::new(),
        [one] => format!(" What {} runs is not known.", named(case, &[*one])),
        several => format!(
            " What {} others run is not known: {}.",
            several.len(),
            named(case, several)
        ),
    }
}

/// The form of a verb that fits so many replicas.
pub(super) fn verb(replicas: &[&Replica], one: &str, several: &str) -> String {
    if replicas.len() == 1 { one } else { several }.to_owned()
}
