//! Pods and the workloads that they are replicas of.

use std::collections::{BTreeMap, HashMap};

use crate::model::{Pod, Shared, Snapshot, WorkloadRef};

/// Whether a pod counts: not those terminating, succeeded or failed.
pub(crate) fn counts(pod: &Pod) -> bool {
    !pod.terminating && pod.phase != "Succeeded" && pod.phase != "Failed"
}

/// The pods that count, by workload.
pub(crate) fn by_workload(snapshot: &Snapshot) -> BTreeMap<WorkloadRef, Vec<&Shared<Pod>>> {
    let owners: HashMap<&WorkloadRef, &WorkloadRef> = snapshot
        .workloads
        .iter()
        .filter_map(|w| w.owner.as_ref().map(|owner| (&w.reference, owner)))
        .collect();
    let mut found: BTreeMap<WorkloadRef, Vec<&Shared<Pod>>> = BTreeMap::new();
    for pod in snapshot.pods.iter().filter(|pod| counts(pod)) {
        found
            .entry(workload_of(pod, &owners))
            .or_default()
            .push(pod);
    }
    found
}

fn workload_of(pod: &Pod, owners: &HashMap<&WorkloadRef, &WorkloadRef>) -> WorkloadRef {
    let Some(owner) = &pod.owner else {
        return WorkloadRef::new("Pod", &pod.reference.namespace, &pod.reference.name);
    };
    if let Some(above) = owners.get(owner) {
        return (*above).clone();
    }
    // Without the right to list ReplicaSets the Deployment's name is still in the ReplicaSet's, before the template's hash.
    let hash = pod.labels.get("pod-template-hash");
    if let ("ReplicaSet", Some(hash)) = (owner.kind.as_str(), hash)
        && let Some(name) = owner.name.strip_suffix(hash)
        && let Some(name) = name.strip_suffix('-')
    {
        return WorkloadRef::new("Deployment", &owner.namespace, name);
    }
    owner.clone()
}
