//! Whether a pair of config and workload is about what the user asked for.

use super::case::Subject;
use super::gaps::all_unlisted;
use super::want::scope_name;
use crate::model::{ConfigKind, Pod, Service, Snapshot, Target};

/// Without a target everything is.
pub(crate) fn within(snapshot: &Snapshot, subject: &Subject<'_>) -> bool {
    match &snapshot.scope.target {
        None => true,
        Some(Target::Config { kind, name }) => {
            subject.config.reference.kind == *kind && subject.config.reference.name == *name
        }
        Some(Target::Workload { kind, name }) => {
            (subject.workload.kind == *kind && subject.workload.name == *name)
                || subject
                    .users
                    .iter()
                    .any(|u| is_or_is_owned_by(u.pod, kind, name))
        }
        Some(Target::Service { name }) => selected(snapshot, subject, name),
    }
}

fn selected(snapshot: &Snapshot, subject: &Subject<'_>, name: &str) -> bool {
    snapshot
        .services
        .iter()
        .filter(|s| s.name == *name && s.namespace == subject.workload.namespace)
        .any(|service| subject.users.iter().any(|user| selects(service, user.pod)))
}

/// Whether a Service sends its requests to a pod.
pub(crate) fn selects(service: &Service, pod: &Pod) -> bool {
    let mut selector = service.selector.iter();
    service.namespace == pod.reference.namespace
        && !service.selector.is_empty()
        && selector.all(|(key, value)| pod.labels.get(key) == Some(value.as_str()))
}

/// A pod by its name, or by that of its controller: a ReplicaSet stands between a pod and its workload.
pub(crate) fn is_or_is_owned_by(pod: &Pod, kind: &str, name: &str) -> bool {
    if kind == "Pod" {
        return pod.reference.name == *name;
    }
    let owner = pod.owner.as_ref();
    owner.is_some_and(|owner| owner.kind == kind && owner.name == name)
}

/// The verdict on a target that was not found: that it is not there is said only where it would have been seen.
pub(crate) fn not_found(snapshot: &Snapshot, target: &Target) -> String {
    let scope = scope_name(&snapshot.scope);
    let shown = target_name(target);
    let lists: &[&str] = match target {
        Target::Config { kind, .. } => match kind {
            ConfigKind::ConfigMap => &["configmaps"],
            ConfigKind::Secret => &["secrets"],
        },
        Target::Service { .. } => &["services"],
        Target::Workload { kind, .. } => match kind.as_str() {
            "Pod" => &["pods"],
            "ReplicaSet" => &["pods", "replicasets"],
            "Deployment" => &["pods", "deployments"],
            "StatefulSet" => &["pods", "statefulsets"],
            "DaemonSet" => &["pods", "daemonsets"],
            _ => &["pods"],
        },
    };
    match (target, all_unlisted(snapshot, lists)) {
        (_, None) => format!("There is no {shown} in {scope}."),
        (Target::Service { .. }, Some(why)) => format!(
            "Which pods {shown} in {scope} selects is not known: {why}. Name the workload instead, or ask without a name."
        ),
        (Target::Workload { kind, .. }, Some(why))
            if kind != "Pod" && all_unlisted(snapshot, &["pods"]).is_none() =>
        {
            format!(
                "No pod in {scope} belongs to {shown}; whether it is there is not known: {why}."
            )
        }
        (_, Some(why)) => format!("Whether there is {shown} in {scope} is not known: {why}."),
    }
}

/// As the command line has it.
pub(crate) fn target_name(target: &Target) -> String {
    match target {
        Target::Config { kind, name } => format!("{kind}/{name}"),
        Target::Workload { kind, name } => format!("{kind}/{name}"),
        Target::Service { name } => format!("svc/{name}"),
    }
}

/// Whether the named object is there at all; a misspelt name must not read as "nothing found".
pub(crate) fn exists(snapshot: &Snapshot, target: &Target) -> bool {
    match target {
        Target::Config { kind, name } => snapshot
            .configs
            .iter()
            .any(|c| c.reference.kind == *kind && c.reference.name == *name),
        Target::Workload { kind, name } => {
            let listed = snapshot
                .workloads
                .iter()
                .any(|w| w.reference.kind == *kind && w.reference.name == *name);
            let mut pods = snapshot.pods.iter();
            listed
                || pods.any(|pod| is_or_is_owned_by(pod, kind, name))
                || super::workloads::by_workload(snapshot)
                    .keys()
                    .any(|w| w.kind == *kind && w.name == *name)
        }
        Target::Service { name } => snapshot.services.iter().any(|s| s.name == *name),
    }
}
