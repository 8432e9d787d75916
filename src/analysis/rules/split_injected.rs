//! split-injected: pods of one template hold different containers, since something injects them when a pod is made.

use std::collections::{BTreeMap, BTreeSet};

use super::Decision;
use crate::analysis::case::Case;
use crate::analysis::evidence::Book;
use crate::analysis::incident::{Code, Finding};
use crate::analysis::names::{list, quote, short_names};
use crate::model::{ContainerKind, Pod, WorkloadRef};

pub(super) fn decide(case: &Case<'_>, book: &mut Book<'_>) -> Decision {
    let mut templates: BTreeMap<&WorkloadRef, Vec<&Pod>> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for replica in &case.replicas {
        let Some(pod) = case.index.pod(&replica.pod) else {
            continue;
        };
        // Pods of a StatefulSet or DaemonSet may be of several templates.
        let sets = pod
            .owner
            .as_ref()
            .filter(|owner| owner.kind == "ReplicaSet");
        if let Some(owner) = sets.filter(|_| seen.insert(&replica.pod)) {
            templates.entry(owner).or_default().push(pod);
        }
    }
    for pods in templates.into_values() {
        let containers: Vec<BTreeSet<(&str, &str)>> = pods.iter().map(|pod| of(pod)).collect();
        let all: BTreeSet<(&str, &str)> = containers.iter().flatten().copied().collect();
        let common = |one: &(&str, &str)| containers.iter().all(|of| of.contains(one));
        let apart: Vec<(&str, &str)> = all.into_iter().filter(|one| !common(one)).collect();
        if !apart.is_empty() {
            return Decision::Yes(finding(case, &pods, &apart, book));
        }
    }
    Decision::No
}

/// Containers by name and image; one that somebody attached to debug is none of the template's.
fn of(pod: &Pod) -> BTreeSet<(&str, &str)> {
    let all = pod.containers.iter();
    all.filter(|c| c.kind != ContainerKind::Ephemeral)
        .map(|c| (c.name.as_str(), c.image.as_str()))
        .collect()
}

fn finding(case: &Case<'_>, pods: &[&Pod], apart: &[(&str, &str)], book: &mut Book<'_>) -> Finding {
    let names = short_names(case.replicas.iter().map(|r| r.pod.name.as_str()));
    let parts: Vec<String> = apart
        .iter()
        .map(|(name, image)| {
            let with = pods.iter().filter(|pod| of(pod).contains(&(*name, *image)));
            let with: Vec<String> = with
                .map(|pod| &pod.reference.name)
                .map(|name| names.get(name).unwrap_or(name).clone())
                .collect();
            format!("{name} ({image}) is in {} only", list(&with))
        })
        .collect();
    let number = book.add(
        format!("Containers of the pods of {}", case.workload),
        &format!(
            "-n {} get pods -o custom-columns=NAME:.metadata.name,IMAGES:.spec.containers[*].image",
            quote(&case.workload.namespace)
        ),
        case.snapshot.taken_at,
        parts.join("\n"),
    );
    Finding {
        code: Code::SplitInjected,
        sentence: format!(
            "Pods of one template do not hold the same containers: {}. Something injects them when a pod is made (a mesh, an agent), so a restart delivers that too.",
            list(&parts)
        ),
        evidence: vec![number],
    }
}
