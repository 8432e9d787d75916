//! Everything that is known now, in parts that are shared: what changes in one namespace leaves the others as they are.

use std::sync::Arc;

use super::{Config, ConfigRef, Following, Gap, Log, Pod, PodRef, Snapshot};

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

    pub fn config(&self, reference: &ConfigRef) -> Option<&Config> {
        self.parts
            .iter()
            .flat_map(|part| &part.configs)
            .find(|config| config.reference == *reference)
    }

    pub fn pod(&self, reference: &PodRef) -> Option<&Pod> {
        self.parts
            .iter()
            .flat_map(|part| &part.pods)
            .find(|pod| pod.reference == *reference)
    }

    /// The pods of a namespace.
    pub fn pods<'a>(&'a self, namespace: &'a str) -> impl Iterator<Item = &'a Pod> {
        self.parts
            .iter()
            .flat_map(|part| &part.pods)
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
