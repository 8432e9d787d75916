//! What to read next: earlier contents, pods at an edit, and logs, for the pairs of config and workload that may be an incident.

mod helm;
mod inside;
mod namesakes;

pub(crate) use self::namesakes::namesakes;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::case::{Case, Subject, User};
use super::clients;
use super::evidence::Book;
use super::incident::Grade;
use super::index::Index;
use super::loads::perhaps_replaced;
use super::look::Study;
use super::revisions::{Known, history};
use super::signals::{Endpoints, endpoints_in};
use super::uses::uses;
use crate::model::{Config, ConfigKind, ConfigRef, Pod, Scope, Snapshot, Want, WorkloadRef};

/// Deep reads (logs, history) are for the worst so many pairs.
const PAIRS: usize = 10;
/// Pairs whose config's earlier versions are read: without them no stale workload among many is found.
const HISTORIES: usize = 200;
/// Replicas whose logs are read for one pair.
const REPLICAS: usize = 20;
/// Edits, newest first, at which the pods are asked for.
const EDITS: usize = 3;

/// What to read next, given what was read. Empty when nothing more would help.
pub fn wanted(snapshot: &Snapshot) -> Vec<Want> {
    super::Analyst::default().look(snapshot).wanted
}

/// What would help to judge one pair.
#[derive(Debug, Clone, Default)]
pub(crate) struct Suspicion {
    /// The earlier versions of its config.
    history: Vec<Want>,
    /// The pods at its edits, the logs, and the Secrets that may stand in them.
    deep: Vec<Want>,
}

impl Suspicion {
    pub(crate) fn of(case: &Case<'_>, subject: &Subject<'_>) -> Self {
        if rank(case).is_none() {
            return Self::default();
        }
        let (history, mut deep) = history_wants(case);
        deep.extend(log_wants(subject));
        deep.extend(clock_wants(subject));
        deep.extend(helm::wants(case));
        deep.extend(inside::wants(case, subject));
        deep.extend(secret_wants(case.index, subject));
        Self { history, deep }
    }
}

/// Of the suspects the worst are read deep, more of them by their history alone.
pub(crate) fn worst(
    index: &Index<'_>,
    mut suspects: Vec<((ConfigRef, WorkloadRef), Arc<Study>)>,
    focus: Option<&(ConfigRef, WorkloadRef)>,
) -> Vec<Want> {
    suspects.sort_by_cached_key(|(pair, study)| {
        (focus != Some(pair), Reverse(study.rank), pair.clone())
    });
    let snapshot = index.snapshot;
    let mut wants = BTreeSet::new();
    if !suspects.is_empty() {
        wants.extend(clients::wants(index));
    }
    for (place, (_, study)) in suspects.iter().take(HISTORIES).enumerate() {
        wants.extend(study.wants.history.iter().cloned());
        if place < PAIRS {
            wants.extend(study.wants.deep.iter().cloned());
        }
    }
    wants
        .into_iter()
        .filter(|want| !snapshot.asked.contains(want))
        .collect()
}

/// Whether its earlier versions were asked for.
pub(crate) fn is_asked(snapshot: &Snapshot, config: &ConfigRef) -> bool {
    snapshot
        .asked
        .iter()
        .any(|want| matches!(want, Want::Earlier { config: asked, .. } if asked == config))
}

/// Whether its config may have been edited, and its history was not even asked for.
pub(crate) fn is_shallow(case: &Case<'_>) -> bool {
    let behind = case.replicas.iter().any(|r| r.live != Some(true));
    behind
        && case.history.last_possible_edit().is_some()
        && !is_asked(case.snapshot, &case.config.reference)
}

/// Whether there is anything to suspect in a pair, by its config alone.
pub(crate) fn may_be_suspect(index: &Index<'_>, subject: &Subject<'_>) -> bool {
    let mut mute = Book::mute(&index.snapshot.cluster);
    let history = history(index.snapshot, subject.config, Known::default(), &mut mute);
    history.last_possible_edit().is_some()
        || !subject.blocked.is_empty()
        || !subject.rivals.is_empty()
        || replaced(index, subject)
        || leads_nowhere(index, subject.config, &subject.workload.namespace)
}

/// Whether its config may have been made again under its name.
pub(crate) fn replaced(index: &Index<'_>, subject: &Subject<'_>) -> bool {
    let first = index.first_taker(&subject.config.reference);
    let users = subject.users.iter();
    let owners = users.filter_map(|user| index.owner_made(user.pod));
    perhaps_replaced(subject.config, first, owners)
}

/// How suspect a pair is: the greater the worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank {
    /// Something cannot start, or names another config.
    stuck: bool,
    crashing: bool,
    /// Some replica is not known to run what is live.
    behind: bool,
    dead_end: bool,
    edited: Option<DateTime<Utc>>,
}

/// Nothing where the config was never written since it was created, and nothing crashes or leads nowhere.
pub(crate) fn rank(case: &Case<'_>) -> Option<Rank> {
    let edited = case.history.last_possible_edit();
    let behind = case
        .replicas
        .iter()
        .any(|r| r.live != Some(true) || r.grade == Grade::Unknown);
    let crashing = case.replicas.iter().any(|r| {
        !r.ready && (r.state == "CrashLoopBackOff" || r.state == "Error" || r.restarts > 0)
    });
    let dead_end = leads_nowhere(case.index, case.config, &case.workload.namespace);
    let stuck = !case.blocked.is_empty() || !case.rivals.is_empty();
    let suspect = edited.is_some() || dead_end || case.perhaps_replaced || stuck;
    suspect.then(|| Rank {
        stuck,
        crashing,
        behind,
        dead_end,
        edited: edited.and_then(|edit| edit.at.latest.or(edit.at.earliest)),
    })
}

/// Whether the live content names a Service that has no ready endpoint.
fn leads_nowhere(index: &Index<'_>, config: &Config, namespace: &str) -> bool {
    let Some(content) = &config.content else {
        return false;
    };
    let network = Endpoints::new(index, namespace);
    endpoints_in(content).iter().any(|named| {
        network
            .behind(&named.host)
            .is_some_and(|service| service.external_name.is_none() && network.ready(service).0 == 0)
    })
}

fn history_wants(case: &Case<'_>) -> (Vec<Want>, Vec<Want>) {
    let mut deep = Vec::new();
    if case.config.is_absent() {
        return (former_wants(case), deep);
    }
    if case.history.last_possible_edit().is_none() && !case.perhaps_replaced {
        return (Vec::new(), deep);
    }
    let config = case.config;
    let mut history = vec![Want::Earlier {
        config: config.reference.clone(),
        resource_version: config.resource_version.clone(),
    }];
    if !case.history.oldest.whole {
        history.push(Want::OneCounter {
            namespace: config.reference.namespace.clone(),
        });
    }
    if let (true, Some(resource_version)) =
        (case.perhaps_replaced, &case.history.oldest.resource_version)
        && case
            .history
            .edits
            .iter()
            .all(|edit| edit.after_former.is_none())
    {
        history.push(Want::Former {
            config: config.reference.clone(),
            resource_version: resource_version.clone(),
        });
    }
    // Only a Secret that was written after some replica's start is read.
    let behind = case.replicas.iter().any(|r| r.live != Some(true));
    if config.reference.kind == ConfigKind::Secret {
        if !behind {
            return (Vec::new(), deep);
        }
        deep.append(&mut history);
        deep.push(Want::SecretContent {
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
    // Where the config may have come after its pods, its creation is such a write too.
    let made = case.history.oldest.resource_version.clone();
    let versions = versions.chain(made.filter(|_| case.perhaps_late));
    deep.extend(versions.map(|resource_version| Want::PodsAt {
        namespace: case.workload.namespace.clone(),
        resource_version,
    }));
    // Where every replica runs what is live already, only the worst few are worth a look into the past.
    if !behind {
        deep.append(&mut history);
    }
    (history, deep)
}

/// Of a config that is not there: what it was, looked for once, back from the newest version of anything that was read.
fn former_wants(case: &Case<'_>) -> Vec<Want> {
    let config = &case.config.reference;
    let asked = &case.snapshot.asked;
    let of_it = |want: &Want| matches!(want, Want::Former { config: of, .. } if of == config);
    let pods = case.snapshot.pods.iter();
    let versions = pods.filter_map(|pod| pod.resource_version.parse::<u64>().ok());
    let newest = versions.max().filter(|_| !asked.iter().any(of_it));
    let want = |version: u64| Want::Former {
        config: config.clone(),
        resource_version: version.to_string(),
    };
    newest.map(want).into_iter().collect()
}

/// How far the clocks of the nodes are, whose containers' starts are compared with the edits.
fn clock_wants(subject: &Subject<'_>) -> BTreeSet<Want> {
    let nodes = subject.users.iter().take(REPLICAS);
    let nodes = nodes.filter_map(|user| user.pod.node.clone());
    nodes.map(|node| Want::NodeClock { node }).collect()
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
fn secret_wants(index: &Index<'_>, subject: &Subject<'_>) -> Vec<Want> {
    let mut wants = Vec::new();
    for user in subject.users.iter().take(REPLICAS) {
        let containers = user.pod.containers.iter();
        for usage in containers.flat_map(|c| uses(user.pod, c, index)) {
            let config = index.config(&usage.config);
            let Some(secret) = config.filter(|c| c.reference.kind == ConfigKind::Secret) else {
                continue;
            };
            wants.extend(secret_written_since(index, &secret.reference, user.pod));
        }
    }
    wants
}

/// A Secret's values and those before, where it was written since a pod was created.
pub(crate) fn secret_written_since(index: &Index<'_>, secret: &ConfigRef, pod: &Pod) -> Vec<Want> {
    let Some(secret) = index.config(secret) else {
        return Vec::new();
    };
    let written = secret.managed.iter().filter_map(|e| e.time).max();
    if written < pod.created {
        return Vec::new();
    }
    vec![
        Want::SecretContent {
            config: secret.reference.clone(),
        },
        Want::Earlier {
            config: secret.reference.clone(),
            resource_version: secret.resource_version.clone(),
        },
    ]
}

/// How many replicas of a scope were left without their logs, by pair: for "not checked".
pub(crate) fn unread(subject: &Subject<'_>, index: &Index<'_>) -> usize {
    let silent = |user: &&User<'_>| {
        let log = |previous| index.log(user.pod, &user.container.name, previous);
        log(false).or(log(true)).is_none()
    };
    subject.users.iter().filter(silent).count()
}

/// The scope's name in sentences.
pub(crate) fn scope_name(scope: &Scope) -> String {
    match &scope.namespace {
        Some(namespace) => format!("namespace {namespace}"),
        None => "all namespaces".to_owned(),
    }
}
