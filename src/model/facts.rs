//! Everything that is known now, in parts that are shared: what changes in one namespace leaves the others as they are.

use std::sync::Arc;

use super::{Config, ConfigRef, Following, Gap, Log, Pod, PodRef, Scope, Snapshot};

/// The snapshots that make up a scope: one a namespace where a cluster is followed, a single one of a capture.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    pub parts: Vec<Arc<Snapshot>>,
    /// How the logs among them are followed.
    pub following: Arc<Following>,
}

impl Facts {
    /// Those of one snapshot.
    pub fn of(snapshot: Snapshot) -> Self {
        Self {
            parts: vec![Arc::new(snapshot)],
            following: Arc::default(),
        }
    }

    /// All parts as one snapshot of a scope, as a capture holds it; `None` where nothing was read.
    pub fn merged(&self, scope: &Scope) -> Option<Snapshot> {
        let (first, others) = self.parts.split_first()?;
        let mut whole = Snapshot::clone(first);
        if others.is_empty() {
            return Some(whole);
        }
        whole.scope = scope.clone();
        for part in others {
            whole.taken_at = whole.taken_at.max(part.taken_at);
            whole.configs.extend_from_slice(&part.configs);
            whole.earlier.extend_from_slice(&part.earlier);
            whole.workloads.extend_from_slice(&part.workloads);
            whole.pods.extend_from_slice(&part.pods);
            whole.pods_at.extend_from_slice(&part.pods_at);
            whole.services.extend_from_slice(&part.services);
            whole.endpoints.extend_from_slice(&part.endpoints);
            whole.events.extend_from_slice(&part.events);
            whole.logs.extend_from_slice(&part.logs);
            whole.probes.extend_from_slice(&part.probes);
            whole.told.extend_from_slice(&part.told);
            whole.outside.add(part.outside.clone());
            whole.namesakes.extend_from_slice(&part.namesakes);
            let nodes = part
                .clocks
                .nodes
                .iter()
                .map(|(node, ahead)| (node.clone(), *ahead));
            whole.clocks.nodes.extend(nodes);
            // What failed for the whole cluster failed in each part.
            let new: Vec<_> = part
                .gaps
                .iter()
                .filter(|gap| !whole.gaps.contains(gap))
                .cloned()
                .collect();
            whole.gaps.extend(new);
            whole.asked.extend(part.asked.iter().cloned());
        }
        Some(whole)
    }

    pub fn config(&self, reference: &ConfigRef) -> Option<&Config> {
        self.parts
            .iter()
            .flat_map(|part| &part.configs)
            .map(|config| &**config)
            .find(|config| config.reference == *reference)
    }

    pub fn pod(&self, reference: &PodRef) -> Option<&Pod> {
        self.parts
            .iter()
            .flat_map(|part| &part.pods)
            .map(|pod| &**pod)
            .find(|pod| pod.reference == *reference)
    }

    /// The pods of a namespace.
    pub fn pods<'a>(&'a self, namespace: &'a str) -> impl Iterator<Item = &'a Pod> {
        self.parts
            .iter()
            .flat_map(|part| &part.pods)
            .map(|pod| &**pod)
            .filter(move |pod| pod.reference.namespace == namespace)
    }

    /// Why the log of a pod was not read, where that was tried.
    pub fn log_gap(&self, pod: &PodRef) -> Option<&Gap> {
        self.parts.iter().flat_map(|part| &part.gaps).find(|gap| {
            gap.resource == "pods/log"
                && gap.namespace.as_ref() == Some(&pod.namespace)
                && gap.name.as_ref() == Some(&pod.name)
        })
    }

    pub fn log(&self, pod: &PodRef, container: &str, previous: bool) -> Option<&Log> {
        self.parts
            .iter()
            .flat_map(|part| &part.logs)
            .find(|log| log.pod == *pod && log.container == container && log.previous == previous)
    }
}

#[cfg(test)]
mod tests;
