//! The names that workloads' pods get where somebody chose them; chance gives the others.

use std::collections::{BTreeMap, VecDeque};

use serde::Deserialize;

/// What a cluster is set up with.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// What chance begins with: names, delays, and which replica answers.
    pub seed: Option<u64>,
    /// By workload.
    #[serde(default)]
    pub names: BTreeMap<String, Names>,
}

/// The names of a Deployment's first ReplicaSet and its pods.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Names {
    /// The `pod-template-hash`.
    pub hash: String,
    /// The ends of the pods' names, in the order in which they are made.
    pub pods: VecDeque<String>,
}

/// Names that are still to be given.
#[derive(Debug, Default)]
pub(crate) struct Chosen(BTreeMap<String, Names>);

impl Chosen {
    pub(crate) fn new(names: BTreeMap<String, Names>) -> Self {
        Self(names)
    }

    /// The hash of a Deployment's first template.
    pub(crate) fn hash(&self, deployment: &str) -> Option<&str> {
        self.0.get(deployment).map(|names| names.hash.as_str())
    }

    /// The end of the next pod's name of a ReplicaSet.
    pub(crate) fn pod(&mut self, set: &str) -> Option<String> {
        let (deployment, hash) = set.rsplit_once('-')?;
        let names = self.0.get_mut(deployment)?;
        (names.hash == hash).then(|| names.pods.pop_front())?
    }
}
