//! Gaps in words: what was not checked, and whether that may hide something.

use std::collections::BTreeSet;

use super::case::{Case, Subject};
use super::incident::NotChecked;
use super::names::{clock_time, count, list};
use super::uses::uses;
use super::want::unread;
use super::workloads::counts;
use crate::model::{
    ChainEnd, ConfigKind, ConfigRef, ContainerKind, EnvSource, Gap, GapReason, Snapshot,
};

/// The gaps of a snapshot as sentences, and whether one covers a config that a pod in scope uses.
pub(crate) fn not_checked(snapshot: &Snapshot) -> (Vec<NotChecked>, bool) {
    let mut found: Vec<NotChecked> = snapshot.gaps.iter().map(sentence).collect();
    let mut covering = snapshot.gaps.iter().any(covers);
    let missing = missing(snapshot);
    if !missing.is_empty() {
        covering = true;
        let names: Vec<String> = missing.iter().map(ToString::to_string).collect();
        found.push(NotChecked {
            what: format!(
                "{} named by a pod in scope: {}",
                count(missing.len(), "config"),
                list(&names)
            ),
            why: "it is not there, or was not listed".to_owned(),
        });
    }
    let copies = init_copies(snapshot);
    if !copies.is_empty() {
        covering = true;
        found.push(NotChecked {
            what: format!(
                "What the init containers of {} made of the configs that they read",
                list(&copies)
            ),
            why: "a copy made by an init container is not judged".to_owned(),
        });
    }
    (found, covering)
}

/// Without these lists nothing can be said of some config that is used. Others only weaken how well.
fn covers(gap: &Gap) -> bool {
    gap.verb == "list"
        && matches!(gap.resource.as_str(), "configmaps" | "secrets" | "pods")
        && !matches!(gap.reason, GapReason::Gone)
        || matches!(gap.reason, GapReason::Capture(_))
}

fn sentence(gap: &Gap) -> NotChecked {
    let place = gap
        .namespace
        .as_ref()
        .map_or_else(|| " in all namespaces".to_owned(), |ns| format!(" in {ns}"));
    let name = gap
        .name
        .as_ref()
        .map_or_else(String::new, |name| format!(" {name}"));
    NotChecked {
        what: format!("{} {}{name}{place}", gap.verb, gap.resource),
        why: reason(
            &gap.reason,
            &format!("{} {}{place}", gap.verb, gap.resource),
        ),
    }
}

/// Why something was not read, in words; `what` names the right that it needs.
pub fn reason(reason: &GapReason, what: &str) -> String {
    match reason {
        GapReason::Unauthorized => "the login is missing or has expired".to_owned(),
        GapReason::Forbidden => format!("no permission: {what}"),
        GapReason::NotFound => "not found".to_owned(),
        GapReason::Gone => "the API server keeps no history so far back".to_owned(),
        GapReason::TimedOut { seconds } => format!("no answer in {seconds} s"),
        GapReason::Status { code, message } => format!("the API server answered {code}: {message}"),
        GapReason::Connection(what) => format!("the connection failed: {what}"),
        GapReason::Unreadable(what) => format!("it could not be understood: {what}"),
        GapReason::Bounded(what) | GapReason::Capture(what) | GapReason::Unordered(what) => {
            what.clone()
        }
    }
}

/// Configs that pods name and that are not among those read. Optional ones may be missing.
fn missing(snapshot: &Snapshot) -> BTreeSet<ConfigRef> {
    let known: BTreeSet<&ConfigRef> = snapshot.configs.iter().map(|c| &c.reference).collect();
    let mut found = BTreeSet::new();
    for pod in snapshot.pods.iter().filter(|pod| counts(pod)) {
        let volumes = pod.volumes.iter().flat_map(|v| &v.sources);
        let mounted = volumes.filter(|s| !s.optional).map(|s| &s.config);
        let containers = pod.containers.iter();
        let env = containers.flat_map(|c| {
            let keys = c.env.iter().filter_map(|v| match &v.source {
                EnvSource::Key {
                    config,
                    optional: false,
                    ..
                } => Some(config),
                _ => None,
            });
            keys.chain(c.env_from.iter().filter(|e| !e.optional).map(|e| &e.config))
        });
        found.extend(
            mounted
                .chain(env)
                .filter(|config| !known.contains(config))
                .cloned(),
        );
    }
    found
}

/// Whether a config may have been edited: one that never was leaves nothing to judge.
fn written_since_created(snapshot: &Snapshot, config: &ConfigRef) -> bool {
    let found = snapshot.configs.iter().find(|c| c.reference == *config);
    found.is_some_and(|c| {
        c.managed.iter().any(|e| {
            matches!((e.time, c.created), (Some(time), Some(created)) if (time - created).num_seconds() > 1)
        })
    })
}

/// Pods whose init containers read a config that may have been edited.
fn init_copies(snapshot: &Snapshot) -> Vec<String> {
    let reads = |pod: &&crate::model::Pod| {
        pod.containers
            .iter()
            .filter(|c| c.kind == ContainerKind::Init)
            .any(|c| {
                uses(pod, c, snapshot)
                    .iter()
                    .any(|u| written_since_created(snapshot, &u.config))
            })
    };
    snapshot
        .pods
        .iter()
        .filter(|pod| counts(pod))
        .filter(reads)
        .map(|pod| pod.reference.name.clone())
        .collect()
}

/// What stays open about an incident.
pub(crate) fn of_incident(case: &Case<'_>, subject: &Subject<'_>, open: &mut BTreeSet<NotChecked>) {
    let config = &case.config.reference;
    open.insert(NotChecked {
        what: format!("Which person or program wrote {config}"),
        why: "the API records the field manager only; the audit log would tell".to_owned(),
    });
    let inside = match config.kind {
        ConfigKind::ConfigMap => "The environment and files inside the containers",
        ConfigKind::Secret => {
            "The values of Secrets, and the environment and files inside the containers"
        }
    };
    open.insert(NotChecked {
        what: inside.to_owned(),
        why: "nothing was executed in a container".to_owned(),
    });
    let earlier = case
        .snapshot
        .earlier
        .iter()
        .find(|e| e.reference == *config);
    let end = match earlier.map(|e| &e.end) {
        Some(ChainEnd::Compacted) => Some("the API server keeps no history so far back".to_owned()),
        Some(ChainEnd::Bounded) => Some("it has more versions than are read".to_owned()),
        Some(ChainEnd::Failed(gap)) => Some(reason(
            &gap.reason,
            &format!("{} {}", gap.verb, gap.resource),
        )),
        Some(ChainEnd::Created) | None => None,
    };
    if let Some(why) = end {
        open.insert(NotChecked {
            what: format!("Contents of {config} before the oldest that is shown"),
            why,
        });
    }
    let silent = unread(subject, case.snapshot);
    if silent > 0 {
        open.insert(NotChecked {
            what: format!("Logs of {} of {}", count(silent, "replica"), case.workload),
            why: "not read".to_owned(),
        });
    }
    incomplete_logs(case, open);
    no_events(case, open);
}

fn incomplete_logs(case: &Case<'_>, open: &mut BTreeSet<NotChecked>) {
    for log in &case.snapshot.logs {
        let of_case = case
            .replicas
            .iter()
            .any(|r| r.pod == log.pod && r.container == log.container);
        if of_case
            && !log.previous
            && let Some(missing) = &log.missing
        {
            open.insert(NotChecked {
                what: format!(
                    "Part of the log of pod {}, container {}",
                    log.pod.name, log.container
                ),
                why: missing.clone(),
            });
        }
    }
}

/// Events expire: what was before the oldest one is not known to have been quiet.
fn no_events(case: &Case<'_>, open: &mut BTreeSet<NotChecked>) {
    let Some((edit, _)) = case.edit() else { return };
    let oldest = case
        .snapshot
        .events
        .iter()
        .filter(|e| e.namespace == case.workload.namespace)
        .filter_map(|e| e.first.or(e.last))
        .min();
    let listed = !case.snapshot.gaps.iter().any(|g| g.resource == "events");
    let why = match (oldest, edit.at.earliest) {
        (Some(oldest), Some(edited)) if oldest > edited => format!(
            "the oldest event left is of {}; they expire",
            clock_time(oldest, case.snapshot.taken_at)
        ),
        (None, _) if listed => "there are no events; they expire".to_owned(),
        _ => return,
    };
    open.insert(NotChecked {
        what: format!(
            "Kills and restarts around the edit of {}",
            case.config.reference
        ),
        why,
    });
}
