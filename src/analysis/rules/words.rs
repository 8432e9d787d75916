//! Phrases that several rules share.

use std::collections::BTreeMap;

use chrono::TimeDelta;

use crate::analysis::case::Case;
use crate::analysis::diff::describe_all;
use crate::analysis::incident::{Grade, Replica};
use crate::analysis::names::{list, short_names, when};
use crate::analysis::revisions::Edit;
use crate::analysis::signals::Hits;
use crate::model::Snapshot;

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
    let by = match &edit.manager {
        Some(manager) => format!("by {manager} (person not recorded)"),
        None => "by an unknown manager".to_owned(),
    };
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
