//! Everything that is known now, in parts that are shared: what changes in one namespace leaves the others as they are.

use std::sync::Arc;

use super::{Config, ConfigRef, Log, Pod, PodRef, Snapshot};

/// The snapshots that make up a scope: one a namespace where a cluster is followed, a single one of a capture.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    pub parts: Vec<Arc<Snapshot>>,
    /// Logs that are followed now.
    pub followed: usize,
}

impl Facts {
    /// Those of one snapshot.
    pub fn of(snapshot: Snapshot) -> Self {
        Self {
            parts: vec![Arc::new(snapshot)],
            followed: 0,
        }
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

    pub fn log(&self, pod: &PodRef, container: &str, previous: bool) -> Option<&Log> {
        self.parts
            .iter()
            .flat_map(|part| &part.logs)
            .find(|log| log.pod == *pod && log.container == container && log.previous == previous)
    }
}
