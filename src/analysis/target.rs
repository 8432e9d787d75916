//! Whether a pair of config and workload is about what the user asked for.

use super::case::Subject;
use crate::model::{Snapshot, Target};

/// Without a target everything is.
pub(crate) fn within(snapshot: &Snapshot, subject: &Subject<'_>) -> bool {
    match &snapshot.scope.target {
        None => true,
        Some(Target::Config { kind, name }) => {
            subject.config.reference.kind == *kind && subject.config.reference.name == *name
        }
        Some(Target::Workload { kind, name }) => {
            (subject.workload.kind == *kind && subject.workload.name == *name)
                || (kind == "Pod" && subject.users.iter().any(|u| u.pod.reference.name == *name))
        }
        Some(Target::Service { name }) => selected(snapshot, subject, name),
    }
}

fn selected(snapshot: &Snapshot, subject: &Subject<'_>, name: &str) -> bool {
    snapshot
        .services
        .iter()
        .filter(|s| s.name == *name && s.namespace == subject.workload.namespace)
        .any(|service| {
            !service.selector.is_empty()
                && subject.users.iter().any(|user| {
                    service
                        .selector
                        .iter()
                        .all(|(key, value)| user.pod.labels.get(key) == Some(value))
                })
        })
}

/// Whether the named object is there at all; a misspelt name must not read as "nothing found".
pub(crate) fn exists(snapshot: &Snapshot, target: &Target) -> bool {
    match target {
        Target::Config { kind, name } => snapshot
            .configs
            .iter()
            .any(|c| c.reference.kind == *kind && c.reference.name == *name),
        Target::Workload { kind, name } if kind == "Pod" => {
            snapshot.pods.iter().any(|p| p.reference.name == *name)
        }
        Target::Workload { kind, name } => {
            let listed = snapshot
                .workloads
                .iter()
                .any(|w| w.reference.kind == *kind && w.reference.name == *name);
            listed
                || super::workloads::by_workload(snapshot)
                    .keys()
                    .any(|w| w.kind == *kind && w.name == *name)
        }
        Target::Service { name } => snapshot.services.iter().any(|s| s.name == *name),
    }
}
