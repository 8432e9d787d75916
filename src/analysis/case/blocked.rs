//! Containers that cannot start, since a config that they need, or a key of it, is not there.

use std::collections::BTreeMap;

use crate::analysis::gaps::unlisted;
use crate::analysis::index::Index;
use crate::model::{
    ConfigRef, Container, ContainerKind, ContainerState, EnvSource, Need, Pod, PodRef, Shared,
};

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Blocked {
    pub(crate) pod: PodRef,
    pub(crate) container: String,
    /// The key; `None` where the config itself is not there.
    pub(crate) key: Option<String>,
    /// Why it waits, as the kubelet says it.
    pub(crate) reason: String,
    pub(crate) message: String,
    /// It ran before: its next start is what fails.
    pub(crate) ran: bool,
}

/// Of some pods, by the config that is missing.
pub(crate) fn of(index: &Index<'_>, pods: &[&Shared<Pod>]) -> BTreeMap<ConfigRef, Vec<Blocked>> {
    let mut found: BTreeMap<ConfigRef, Vec<Blocked>> = BTreeMap::new();
    // A ready pod waits for nothing, and most are.
    for pod in pods.iter().filter(|pod| !pod.ready) {
        for container in pod.containers.iter().filter(|c| waits(c)) {
            for need in needs(pod, container) {
                if !is_unmet(index, container, &need) {
                    continue;
                }
                let all = found.entry(need.config.clone()).or_default();
                all.push(blocked(pod, container, need.key));
            }
        }
    }
    found
}

/// Whether a container waits to be started.
pub(crate) fn waits(container: &Container) -> bool {
    let state = container.status.as_ref().map(|status| &status.state);
    container.kind != ContainerKind::Ephemeral
        && matches!(state, Some(ContainerState::Waiting { .. }))
}

/// What this container cannot start without: its own variables, and the volumes of the pod, which are mounted before any starts.
fn needs(pod: &Pod, container: &Container) -> Vec<Need> {
    let of_pod = pod.needs();
    let own = |need: &Need| {
        let variable = container.env.iter().any(|variable| match &variable.source {
            EnvSource::Key { config, key, .. } => {
                *config == need.config && need.key.as_ref() == Some(key)
            }
            _ => false,
        });
        let from = container
            .env_from
            .iter()
            .any(|from| from.config == need.config);
        let first = pod.containers.iter().find(|c| waits(c));
        let mounted = pod.volumes.iter().any(|volume| {
            let named = volume.sources.iter().any(|s| s.config == need.config);
            let takes = container.mounts.iter().any(|m| m.volume == volume.name);
            named && (takes || first.map(|c| &c.name) == Some(&container.name))
        });
        variable || from || mounted
    };
    of_pod.into_iter().filter(own).collect()
}

/// Whether what is needed is there; `None` where what was read does not tell.
pub(crate) fn is_met(index: &Index<'_>, need: &Need) -> Option<bool> {
    let Some(config) = index.config(&need.config) else {
        let listed = unlisted(index.snapshot, need.config.kind.resource()).is_none();
        return listed.then_some(false);
    };
    match (&need.key, &config.content) {
        (Some(key), Some(content)) => Some(content.keys().contains(key.as_str())),
        (Some(_), None) => None,
        (None, _) => Some(true),
    }
}

/// Whether what it needs is not there: by what was read, and else by what the kubelet says.
fn is_unmet(index: &Index<'_>, container: &Container, need: &Need) -> bool {
    let said = || {
        // Which key of a Secret that was not read, the kubelet alone tells.
        let key = need.key.as_ref();
        let key = key.filter(|_| index.config(&need.config).is_some());
        names(container, &need.config) && key.is_none_or(|key| message(container).contains(key))
    };
    is_met(index, need).map_or_else(said, |met| !met)
}

fn names(container: &Container, config: &ConfigRef) -> bool {
    let message = message(container);
    message.contains(&config.name)
        && message
            .to_lowercase()
            .contains(&config.kind.as_str().to_lowercase())
}

fn message(container: &Container) -> &str {
    match container.status.as_ref().map(|status| &status.state) {
        Some(ContainerState::Waiting { message, .. }) => message,
        _ => "",
    }
}

fn blocked(pod: &Pod, container: &Container, key: Option<String>) -> Blocked {
    let reason = match container.status.as_ref().map(|status| &status.state) {
        Some(ContainerState::Waiting { reason, .. }) => reason.clone(),
        _ => String::new(),
    };
    let ran = container.status.as_ref().is_some_and(|s| s.last.is_some());
    Blocked {
        pod: pod.reference.clone(),
        container: container.name.clone(),
        key,
        reason,
        message: message(container).to_owned(),
        ran,
    }
}

#[cfg(test)]
mod tests;
