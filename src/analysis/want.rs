//! What to read next: earlier contents, pods at an edit, and logs, for the pairs of config and workload that may be an incident.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};

use super::case::{Case, Subject, build, subjects};
use super::evidence::Book;
use super::incident::Grade;
use super::signals::{Endpoints, endpoints_in};
use super::uses::uses;
use crate::model::{ConfigKind, Scope, Snapshot, Want};

/// Deep reads (logs, history) are for the worst so many pairs.
const PAIRS: usize = 10;
/// Replicas whose logs are read for one pair.
const REPLICAS: usize = 20;
/// Edits, newest first, at which the pods are asked for.
const EDITS: usize = 3;

/// What to read next, given what was read. Empty when nothing more would help.
pub fn wanted(snapshot: &Snapshot) -> Vec<Want> {
    let mut book = Book::new(&snapshot.cluster);
    let mut suspects: Vec<(Rank, Subject<'_>, Case<'_>)> = subjects(snapshot)
        .into_iter()
        .filter(|subject| super::target::within(snapshot, subject))
        .filter_map(|subject| {
            let case = build(snapshot, &subject, &mut book);
            // Nobody reads this evidence, and looking through it for each of thousands of pairs takes its time.
            book.cut(0);
            rank(&case).map(|rank| (rank, subject, case))
        })
        .collect();
    suspects.sort_by(|a, b| {
        let name = |s: &Subject<'_>| (s.config.reference.clone(), s.workload.clone());
        b.0.cmp(&a.0).then_with(|| name(&a.1).cmp(&name(&b.1)))
    });
    let mut wants = BTreeSet::new();
    for (_, subject, case) in suspects.iter().take(PAIRS) {
        wants.extend(history_wants(case));
        wants.extend(log_wants(subject));
        wants.extend(secret_wants(snapshot, subject));
    }
    wants
        .into_iter()
        .filter(|want| !snapshot.asked.contains(want))
        .collect()
}

/// How suspect a pair is: the greater the worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    crashing: bool,
    /// Some replica is not known to run what is live.
    behind: bool,
    dead_end: bool,
    edited: Option<DateTime<Utc>>,
}

/// Nothing where the config was never written since it was created, and nothing crashes or leads nowhere.
fn rank(case: &Case<'_>) -> Option<Rank> {
    let edited = case.history.last_possible_edit();
    let behind = case
        .replicas
        .iter()
        .any(|r| r.live != Some(true) || r.grade == Grade::Unknown);
    let crashing = case.replicas.iter().any(|r| {
        !r.ready && (r.state == "CrashLoopBackOff" || r.state == "Error" || r.restarts > 0)
    });
    let dead_end = leads_nowhere(case);
    let suspect = edited.is_some() || dead_end;
    suspect.then(|| Rank {
        crashing,
        behind,
        dead_end,
        edited: edited.and_then(|edit| edit.at.latest.or(edit.at.earliest)),
    })
}

/// Whether the live content names a Service that has no ready endpoint.
fn leads_nowhere(case: &Case<'_>) -> bool {
    let Some(content) = &case.config.content else {
        return false;
    };
    let network = Endpoints::new(case.snapshot, &case.workload.namespace);
    endpoints_in(content).iter().any(|named| {
        network
            .service(&named.host)
            .is_some_and(|service| service.external_name.is_none() && network.ready(service).0 == 0)
    })
}

fn history_wants(case: &Case<'_>) -> Vec<Want> {
    if case.history.last_possible_edit().is_none() {
        return Vec::new();
    }
    let config = case.config;
    let mut wants = vec![Want::Earlier {
        config: config.reference.clone(),
        resource_version: config.resource_version.clone(),
    }];
    // Only a Secret that was written after some replica's start is read.
    let behind = case.replicas.iter().any(|r| r.live != Some(true));
    if config.reference.kind == ConfigKind::Secret {
        if !behind {
            return Vec::new();
        }
        wants.push(Want::SecretContent {
            config: config.reference.clone(),
        });
    }
    let versions = case
        .history
        .edits
        .iter()
        .rev()
        .take(EDITS)
        .filter_map(|edit| edit.resource_version.clone());
    wants.extend(versions.map(|resource_version| Want::PodsAt {
        namespace: case.workload.namespace.clone(),
        resource_version,
    }));
    wants
}

fn log_wants(subject: &Subject<'_>) -> Vec<Want> {
    let mut wants = Vec::new();
    for user in subject.users.iter().take(REPLICAS) {
        let Some(status) = &user.container.status else {
            continue;
        };
        let log = |previous| Want::Log {
            pod: user.pod.reference.clone(),
            container: user.container.name.clone(),
            previous,
        };
        wants.push(log(false));
        if status.restarts > 0 {
            wants.push(log(true));
        }
    }
    wants
}

/// Every Secret that a pod takes and that was written since the pod was created: its values must be known before the pod's log is
/// read, so that they can be taken out of it.
fn secret_wants(snapshot: &Snapshot, subject: &Subject<'_>) -> Vec<Want> {
    let mut wants = Vec::new();
    for user in subject.users.iter().take(REPLICAS) {
        let containers = user.pod.containers.iter();
        for usage in containers.flat_map(|c| uses(user.pod, c, snapshot)) {
            let secret = snapshot
                .configs
                .iter()
                .find(|c| c.reference == usage.config && c.reference.kind == ConfigKind::Secret);
            let Some(secret) = secret else { continue };
            let written = secret.managed.iter().filter_map(|e| e.time).max();
            if written >= user.pod.created {
                wants.push(Want::SecretContent {
                    config: secret.reference.clone(),
                });
                wants.push(Want::Earlier {
                    config: secret.reference.clone(),
                    resource_version: secret.resource_version.clone(),
                });
            }
        }
    }
    wants
}

/// How many replicas of a scope were left without their logs, by pair: for "not checked".
pub(crate) fn unread(subject: &Subject<'_>, snapshot: &Snapshot) -> usize {
    subject
        .users
        .iter()
        .filter(|user| {
            !snapshot
                .logs
                .iter()
                .any(|log| log.pod == user.pod.reference && log.container == user.container.name)
        })
        .count()
}

/// The scope's name in sentences.
pub(crate) fn scope_name(scope: &Scope) -> String {
    match &scope.namespace {
        Some(namespace) => format!("namespace {namespace}"),
        None => "all namespaces".to_owned(),
    }
}
