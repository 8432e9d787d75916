//! Who uses a config: every container of every workload that takes it, by which way, and which keys reach it.

use std::collections::{BTreeMap, BTreeSet};

use super::content::{Keys, Set};
use super::incident::Use;
use super::index::Index;
use super::uses::uses;
use super::workloads::by_workload;
use crate::model::{ConfigRef, ContainerKind, Content, Facts, WorkloadRef};

/// One way by which the pods of a workload take a config.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigUser {
    pub workload: WorkloadRef,
    pub container: String,
    pub kind: ContainerKind,
    pub via: Use,
    pub reach: Reach,
    /// The container starts without it, too.
    pub optional: bool,
    /// Pods that take it in this way: others of the workload may be of another template.
    pub pods: usize,
    /// All pods of the workload that count.
    pub of_pods: usize,
    /// Replicas that are wanted, where that could be read.
    pub desired: Option<u32>,
}

/// Which keys reach a process.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    All,
    /// Every key but those whose files something else hides.
    AllBut(Vec<String>),
    Only {
        keys: Vec<String>,
        /// Those that the config does not hold.
        missing: Vec<String>,
    },
    /// Every text key but those that another source of the environment overrides.
    TextBut(Vec<String>),
}

/// Everyone who uses a config, by workload and container.
pub fn users_of(facts: &Facts, config: &ConfigRef) -> Vec<ConfigUser> {
    let content = facts.config(config).and_then(|c| c.content.as_ref());
    let mut found = Vec::new();
    for part in &facts.parts {
        let index = Index::of(part);
        for (workload, pods) in by_workload(part) {
            if workload.namespace != config.namespace {
                continue;
            }
            let listed = part.workloads.iter().find(|w| w.reference == workload);
            let mut ways: BTreeMap<_, usize> = BTreeMap::new();
            for pod in &pods {
                let containers = pod.containers.iter();
                let mut of_pod = BTreeSet::new();
                for container in containers {
                    for usage in uses(pod, container, &index) {
                        if usage.config == *config {
                            let reach = reach(&usage.keys, content);
                            let name = container.name.clone();
                            of_pod.insert((name, container.kind, usage.via, reach, usage.optional));
                        }
                    }
                }
                for way in of_pod {
                    *ways.entry(way).or_default() += 1;
                }
            }
            for ((container, kind, via, reach, optional), count) in ways {
                found.push(ConfigUser {
                    workload: workload.clone(),
                    container,
                    kind,
                    via,
                    reach,
                    optional,
                    pods: count,
                    of_pods: pods.len(),
                    desired: listed.and_then(|w| w.desired),
                });
            }
        }
    }
    found
}

/// The configs that a workload's pods take.
pub fn configs_of(facts: &Facts, workload: &WorkloadRef) -> Vec<ConfigRef> {
    let mut found = BTreeSet::new();
    for part in &facts.parts {
        let index = Index::of(part);
        for (of, pods) in by_workload(part) {
            if of != *workload {
                continue;
            }
            for pod in pods {
                for container in &pod.containers {
                    found.extend(uses(pod, container, &index).into_iter().map(|u| u.config));
                }
            }
        }
    }
    found.into_iter().collect()
}

fn reach(keys: &Keys, content: Option<&Content>) -> Reach {
    let held: BTreeSet<&str> = content.map(Content::keys).unwrap_or_default();
    let held_ones = |others: &BTreeSet<String>| -> Vec<String> {
        // What is set besides concerns a config only where it holds a key of that name.
        let others = others.iter().filter(|key| held.contains(key.as_str()));
        others.cloned().collect()
    };
    match &keys.set {
        Set::AllExcept(others) => match held_ones(others) {
            hidden if hidden.is_empty() => Reach::All,
            hidden => Reach::AllBut(hidden),
        },
        Set::Only(keys) => Reach::Only {
            keys: keys.iter().cloned().collect(),
            missing: keys
                .iter()
                .filter(|key| content.is_some() && !held.contains(key.as_str()))
                .cloned()
                .collect(),
        },
        Set::TextExcept(others) => Reach::TextBut(held_ones(others)),
    }
}
