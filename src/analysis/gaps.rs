//! Gaps in words: what was not checked, and whether that may hide something.

mod words;

use std::collections::BTreeSet;

use chrono::TimeDelta;

pub use words::why;
pub(crate) use words::{all_unlisted, blind, no_log, unlisted};

use super::case::{Case, Subject, has_started};
use super::incident::NotChecked;
use super::index::Index;
use super::names::{clock_time, count, list};
use super::uses::{is_replica, uses};
use super::want::unread;
use super::workloads::counts;
use crate::model::{
    Ahead, ChainEnd, Clocks, ConfigKind, ConfigRef, ContainerKind, EnvSource, Gap, GapReason,
    Snapshot, Want,
};

/// The gaps of a snapshot as sentences, and whether one covers a config that a pod in scope uses.
pub(crate) fn not_checked(index: &Index<'_>) -> (Vec<NotChecked>, bool) {
    let snapshot = index.snapshot;
    let mut found: Vec<NotChecked> = words::sentences(&snapshot.gaps);
    let mut covering = snapshot.gaps.iter().any(|gap| covers(snapshot, gap));
    for (resource, kind) in [
        ("configmaps", ConfigKind::ConfigMap),
        ("secrets", ConfigKind::Secret),
    ] {
        let missing = missing(index, kind);
        if missing.is_empty() {
            continue;
        }
        covering = true;
        found.push(NotChecked {
            what: format!(
                "{} named by a pod in scope: {}",
                count(missing.len(), "config"),
                list(&missing)
            ),
            why: unlisted(snapshot, resource).unwrap_or_else(|| "it is not there".to_owned()),
        });
    }
    let waiting = not_started(index);
    if !waiting.is_empty() {
        covering = true;
        found.push(NotChecked {
            what: format!("What {} will run of their configs", list(&waiting)),
            why: "none of their containers has started yet".to_owned(),
        });
    }
    let copies = init_copies(index);
    if !copies.is_empty() {
        covering = true;
        found.push(NotChecked {
            what: format!(
                "What the init containers of {} made of the configs that they read",
                list(&copies)
            ),
            why: "what an init container leaves in a volume that is no emptyDir is not judged"
                .to_owned(),
        });
    }
    found.extend(clocks_apart(&snapshot.clocks));
    (found, covering)
}

/// Clocks that differ from the API server's by more than whole seconds can hide.
fn clocks_apart(clocks: &Clocks) -> Vec<NotChecked> {
    let told = |whose: String, ahead: &Ahead| {
        let apart = (ahead.least + ahead.most) / 2;
        let certain = ahead.least > TimeDelta::seconds(2) || ahead.most < TimeDelta::seconds(-2);
        let way = if apart > TimeDelta::zero() {
            "ahead of"
        } else {
            "behind"
        };
        certain.then(|| NotChecked {
            what: format!("Starts and log lines by the clock of {whose}, to the second"),
            why: format!(
                "it is some {} s {way} the API server's, it is not known since when",
                apart.num_seconds().abs()
            ),
        })
    };
    let local = clocks.local.iter().filter_map(|ahead| {
        told("this machine".to_owned(), ahead).map(|known| NotChecked {
            what: "Ages by this machine's clock".to_owned(),
            ..known
        })
    });
    let nodes = clocks.nodes.iter();
    local
        .chain(nodes.filter_map(|(node, ahead)| told(format!("node {node}"), ahead)))
        .collect()
}

/// Without these lists nothing can be said of some config that is used. Others only weaken how well, and a list of
/// configs that no pod takes hides nothing.
fn covers(snapshot: &Snapshot, gap: &Gap) -> bool {
    let taken = |plural| snapshot.pods.iter().any(|p| words::names_kind(p, plural));
    let matters = match gap.resource.as_str() {
        "pods" => true,
        // What may be elsewhere hides nothing of what is here.
        "configmaps" if gap.namespace.is_none() && gap.name.is_some() => false,
        "configmaps" => gap.name.is_some() || taken("ConfigMaps"),
        "secrets" => gap.name.is_some() || taken("Secrets"),
        _ => false,
    };
    gap.verb == "list" && matters && !matches!(gap.reason, GapReason::Gone)
        || matches!(gap.reason, GapReason::Capture(_))
}

/// Configs that pods name and that are not among those read. Optional ones may be missing.
fn missing(index: &Index<'_>, kind: ConfigKind) -> Vec<String> {
    let mut found: BTreeSet<&ConfigRef> = BTreeSet::new();
    for pod in index.snapshot.pods.iter().filter(|pod| counts(pod)) {
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
                .filter(|config| config.kind == kind && index.config(config).is_none()),
        );
    }
    found.into_iter().map(ToString::to_string).collect()
}

/// Pods that take a config and of which no container has started: they have loaded nothing, and are not there in any count.
fn not_started(index: &Index<'_>) -> Vec<String> {
    let waits = |pod: &&crate::model::Pod| {
        let containers = || pod.containers.iter().filter(|c| is_replica(c));
        containers().all(|c| !has_started(c))
            && containers().any(|c| !uses(pod, c, index).is_empty())
    };
    let pods = index.snapshot.pods.iter().map(|pod| &**pod);
    let waiting = pods.filter(|pod| counts(pod)).filter(waits);
    waiting.map(|pod| pod.reference.name.clone()).collect()
}

/// Whether a config may have been edited: one that never was leaves nothing to judge.
fn written_since_created(index: &Index<'_>, config: &ConfigRef) -> bool {
    index.config(config).is_some_and(|c| {
        c.managed.iter().any(|e| {
            matches!((e.time, c.created), (Some(time), Some(created)) if (time - created).num_seconds() > 1)
        })
    })
}

/// Whether an init container shares a volume with a replica's container that is neither an emptyDir nor holds configs, so that a
/// copy there may come from any run.
fn shares_other(pod: &crate::model::Pod, init: &crate::model::Container) -> bool {
    let others = pod.containers.iter().filter(|c| is_replica(c));
    let mut mounted = others.flat_map(|c| &c.mounts);
    mounted.any(|m| {
        let unknown = pod.volumes.iter().all(|v| v.name != m.volume);
        unknown
            && init
                .mounts
                .iter()
                .any(|i| i.volume == m.volume && !i.read_only)
    })
}

/// Pods whose init containers read a config that may have been edited, and may leave it where it is not found.
fn init_copies(index: &Index<'_>) -> Vec<String> {
    let reads = |pod: &&crate::model::Pod| {
        pod.containers
            .iter()
            .filter(|c| c.kind == ContainerKind::Init && shares_other(pod, c))
            .any(|c| {
                uses(pod, c, index)
                    .iter()
                    .any(|u| written_since_created(index, &u.config))
            })
    };
    index
        .snapshot
        .pods
        .iter()
        .map(|pod| &**pod)
        .filter(|pod| counts(pod))
        .filter(reads)
        .map(|pod| pod.reference.name.clone())
        .collect()
}

/// What stays open about an incident.
pub(crate) fn of_incident(case: &Case<'_>, subject: &Subject<'_>, open: &mut BTreeSet<NotChecked>) {
    let config = &case.config.reference;
    open.extend(who_wrote(case));
    let inside = match config.kind {
        ConfigKind::ConfigMap => "The environment and files inside the containers",
        ConfigKind::Secret => {
            "The values of Secrets, and the environment and files inside the containers"
        }
    };
    let probed = subject.users.iter().filter(|u| case.probe(u).is_some());
    let unprobed = subject.users.len() - probed.count();
    if unprobed > 0 {
        let whose = match unprobed {
            n if n == subject.users.len() => String::new(),
            n => format!(" of {}", count(n, "replica")),
        };
        open.insert(NotChecked {
            what: format!("{inside}{whose}"),
            why: unprobed_why(case, config).to_owned(),
        });
    }
    let earlier = case
        .snapshot
        .earlier
        .iter()
        .find(|e| e.reference == *config);
    let end = match earlier.map(|e| &e.end) {
        Some(ChainEnd::Compacted) => Some("the API server keeps no history so far back".to_owned()),
        Some(ChainEnd::Bounded) => Some("it has more versions than are read".to_owned()),
        Some(ChainEnd::Failed(gap)) => Some(why(gap)),
        Some(ChainEnd::Created) | None => None,
    };
    if let Some(why) = end {
        open.insert(NotChecked {
            what: format!("Contents of {config} before the oldest that is shown"),
            why,
        });
    }
    let silent = unread(subject, case.index);
    if silent > 0 {
        open.insert(NotChecked {
            what: format!("Logs of {} of {}", count(silent, "replica"), case.workload),
            why: "not read".to_owned(),
        });
    }
    let counted = case.impact.as_ref().is_some_and(|i| i.is_asked);
    if let (Some(route), false) = (&case.snapshot.scope.route, counted) {
        open.insert(NotChecked {
            what: format!("Failures of {route} in {}", case.workload),
            why: "no access log that was read counts enough of them".to_owned(),
        });
    }
    incomplete_logs(case, open);
    no_events(case, open);
}

/// That it is not known who wrote, where it is not.
fn who_wrote(case: &Case<'_>) -> Option<NotChecked> {
    let known = case.edit().is_some_and(|(edit, _)| edit.by.is_some());
    let why = match case.snapshot.outside.audited.is_empty() {
        true => "the API records the field manager only; the audit log would tell (`--audit FILE`)",
        false => "no one write of the audit log that was given is known to be this one",
    };
    (!known).then(|| NotChecked {
        what: format!("Which person or program wrote {}", case.config.reference),
        why: why.to_owned(),
    })
}

/// Why a container was not read inside.
fn unprobed_why(case: &Case<'_>, config: &ConfigRef) -> &'static str {
    let asked = &case.snapshot.asked;
    let of_it = |want: &Want| matches!(want, Want::Probe { config: of, .. } if of == config);
    if asked.iter().any(of_it) {
        "they could not be read"
    } else if asked.iter().any(Want::probes) {
        "only the ten worst were probed; name this one"
    } else {
        "they were not probed (`--probe` reads them)"
    }
}

fn incomplete_logs(case: &Case<'_>, open: &mut BTreeSet<NotChecked>) {
    for log in &case.snapshot.logs {
        let of_case = case
            .replicas
            .iter()
            .any(|r| r.pod == log.pod && r.container == log.container);
        if of_case
            && !log.previous
            // One that says nothing may have nothing to say.
            && !log.text.is_empty()
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
    let why = match (oldest, edit.at.earliest) {
        _ if let Some(why) = unlisted(case.snapshot, "events") => why,
        (Some(oldest), Some(edited)) if oldest > edited => format!(
            "the oldest event left is of {}; they expire",
            clock_time(oldest, case.snapshot.now())
        ),
        (None, _) => "there are no events; they expire".to_owned(),
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
