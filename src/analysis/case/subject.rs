//! Pairs of a config and a workload that takes it: who takes it, who cannot start for want of it, and who names another in its place.

use std::collections::{BTreeMap, BTreeSet};

use super::blocked::{self, Blocked};
use crate::analysis::index::Index;
use crate::analysis::uses::{ConfigUse, is_replica, uses};
use crate::model::{
    Config, ConfigRef, Container, ContainerState, EnvSource, Pod, Shared, WorkloadRef,
};

/// A config and a workload whose replicas take it.
#[derive(Debug, Clone)]
pub(crate) struct Subject<'a> {
    pub(crate) config: &'a Shared<Config>,
    pub(crate) workload: WorkloadRef,
    pub(crate) users: Vec<User<'a>>,
    /// Containers that cannot start, since it or a key of it is not there.
    pub(crate) blocked: Vec<Blocked>,
    /// Configs that other replicas of the workload name where its template names this one, with those replicas.
    pub(crate) rivals: Vec<OtherUsers<'a>>,
    /// How many revisions of the rivals come before: names go on from there.
    pub(crate) after: usize,
}

/// Another config, and who names it.
pub(crate) type OtherUsers<'a> = (&'a Shared<Config>, Vec<User<'a>>);

/// A container that takes the config, and by which ways.
#[derive(Debug, Clone)]
pub(crate) struct User<'a> {
    pub(crate) pod: &'a Shared<Pod>,
    pub(crate) container: &'a Container,
    pub(crate) uses: Vec<ConfigUse>,
}

/// A container that never started has loaded nothing.
pub(crate) fn has_started(container: &Container) -> bool {
    container.status.as_ref().is_some_and(|status| {
        status.last.is_some() || !matches!(status.state, ContainerState::Waiting { .. })
    })
}

/// A workload with each config that it takes: those that were read, and those that are missing where a container waits for them.
pub(crate) fn subjects<'a>(
    index: &'a Index<'a>,
    workload: &WorkloadRef,
    pods: &[&'a Shared<Pod>],
) -> Vec<Subject<'a>> {
    let mut users = users(index, pods);
    let mut waiting = blocked::of(index, pods);
    let replaced = replaced(index, workload, pods);
    let taken = users.keys().chain(waiting.keys()).chain(replaced.keys());
    let all: BTreeSet<ConfigRef> = taken.cloned().collect();
    let rivals: BTreeMap<ConfigRef, Vec<OtherUsers<'_>>> = replaced
        .into_iter()
        .map(|(named, others)| {
            let others = others.into_iter().filter_map(|other| {
                let of_other = users.get(&other).cloned().unwrap_or_default();
                Some((
                    index.config(&other).or_else(|| index.absent(&other))?,
                    of_other,
                ))
            });
            (named, others.collect())
        })
        .collect();
    let found = all.into_iter().filter_map(|config| {
        Some(Subject {
            config: index.config(&config).or_else(|| index.absent(&config))?,
            workload: workload.clone(),
            users: users.remove(&config).unwrap_or_default(),
            blocked: waiting.remove(&config).unwrap_or_default(),
            rivals: rivals.get(&config).cloned().unwrap_or_default(),
            after: 0,
        })
    });
    found.collect()
}

fn users<'a>(index: &Index<'a>, pods: &[&'a Shared<Pod>]) -> BTreeMap<ConfigRef, Vec<User<'a>>> {
    let mut users: BTreeMap<ConfigRef, Vec<User<'_>>> = BTreeMap::new();
    for pod in pods {
        let containers = pod.containers.iter();
        for container in containers.filter(|c| is_replica(c) && has_started(c)) {
            let mut by_config: BTreeMap<ConfigRef, Vec<ConfigUse>> = BTreeMap::new();
            for usage in uses(pod, container, index) {
                by_config
                    .entry(usage.config.clone())
                    .or_default()
                    .push(usage);
            }
            for (config, uses) in by_config {
                users.entry(config).or_default().push(User {
                    pod,
                    container,
                    uses,
                });
            }
        }
    }
    users
}

/// A place of a pod's spec where a config is named.
type Place<'a> = (&'a str, &'a str, usize);

/// Every place of a pod's spec where a config is named, and which.
fn places(pod: &Pod) -> Vec<(Place<'_>, &ConfigRef)> {
    let mut found = Vec::new();
    for volume in &pod.volumes {
        for (at, source) in volume.sources.iter().enumerate() {
            found.push((("volume", volume.name.as_str(), at), &source.config));
        }
    }
    for container in pod.containers.iter().filter(|c| is_replica(c)) {
        let name = container.name.as_str();
        for variable in &container.env {
            if let EnvSource::Key { config, .. } = &variable.source {
                found.push(((name, variable.name.as_str(), 0), config));
            }
        }
        for (at, from) in container.env_from.iter().enumerate() {
            found.push(((name, "", at + 1), &from.config));
        }
    }
    found
}

/// Configs that the template names now, each with those that older pods name in the same place. Pods that all name the same are
/// the rule, and nothing is made for them.
fn replaced(
    index: &Index<'_>,
    workload: &WorkloadRef,
    pods: &[&Shared<Pod>],
) -> BTreeMap<ConfigRef, BTreeSet<ConfigRef>> {
    let mut found: BTreeMap<ConfigRef, BTreeSet<ConfigRef>> = BTreeMap::new();
    let owners: BTreeSet<_> = pods.iter().map(|pod| &pod.owner).collect();
    let of_sets = |kind: &str| matches!(kind, "StatefulSet" | "DaemonSet");
    if pods.len() < 2 || (owners.len() < 2 && !of_sets(&workload.kind)) {
        return found;
    }
    let mut named: BTreeMap<Place<'_>, BTreeSet<&ConfigRef>> = BTreeMap::new();
    for pod in pods {
        for (place, config) in places(pod) {
            named.entry(place).or_default().insert(config);
        }
    }
    named.retain(|_, configs| configs.len() > 1);
    if named.is_empty() {
        return found;
    }
    let now = template(index, workload, pods);
    for configs in named.into_values() {
        let (now, before): (Vec<&ConfigRef>, Vec<&ConfigRef>) =
            configs.into_iter().partition(|config| now.contains(config));
        if let [one] = now.as_slice() {
            let others = found.entry((*one).clone()).or_default();
            others.extend(before.into_iter().cloned());
        }
    }
    found
}

/// What the template names now; where it cannot be read, what the youngest pod names.
fn template(
    index: &Index<'_>,
    workload: &WorkloadRef,
    pods: &[&Shared<Pod>],
) -> BTreeSet<ConfigRef> {
    let newest = index.newest_set(workload);
    let known = index.workload(workload).filter(|w| !w.configs.is_empty());
    if let Some(template) = known.or(newest) {
        return template.configs.iter().cloned().collect();
    }
    let youngest = pods.iter().max_by_key(|pod| pod.created);
    youngest
        .into_iter()
        .flat_map(|pod| pod.configs().cloned())
        .collect()
}
