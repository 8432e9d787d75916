//! How containers take their configuration: which config, by which way, and which of its keys reach the process.

use std::collections::BTreeSet;

use super::content::Keys;
use super::incident::Use;
use super::index::Index;
use crate::model::{
    ConfigRef, Container, ContainerKind, Content, EnvSource, Pod, SubPath, VolumeSource,
};

/// One way by which one container takes one config.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ConfigUse {
    pub(crate) config: ConfigRef,
    pub(crate) via: Use,
    pub(crate) keys: Keys,
    /// The container starts without it, too.
    pub(crate) optional: bool,
}

impl ConfigUse {
    /// Whether the kubelet swaps the files in the running container, so that the process may read them again.
    pub(crate) fn swaps(&self) -> bool {
        matches!(self.via, Use::Volume { .. } | Use::Projected { .. })
    }
}

/// Whether a container runs beside the others for the pod's whole life: what a replica is.
pub(crate) fn is_replica(container: &Container) -> bool {
    matches!(container.kind, ContainerKind::Main | ContainerKind::Sidecar)
}

/// Every use of a container, in the order of its spec.
pub(crate) fn uses(pod: &Pod, container: &Container, index: &Index<'_>) -> Vec<ConfigUse> {
    let mut found = env_uses(container);
    found.extend(env_from_uses(container, index));
    found.extend(mount_uses(pod, container));
    found
}

/// `env`: of a name that stands twice the last one counts.
fn env_uses(container: &Container) -> Vec<ConfigUse> {
    let last = |name: &str| container.env.iter().rposition(|v| v.name == name);
    container
        .env
        .iter()
        .enumerate()
        .filter(|(at, variable)| last(&variable.name) == Some(*at))
        .filter_map(|(_, variable)| match &variable.source {
            EnvSource::Key {
                config,
                key,
                optional,
            } => Some(ConfigUse {
                optional: *optional,
                config: config.clone(),
                via: Use::Env {
                    variable: variable.name.clone(),
                },
                keys: Keys::one(key),
            }),
            EnvSource::Literal { .. } | EnvSource::File { .. } | EnvSource::Other => None,
        })
        .collect()
}

/// `envFrom`: a later source overrides an earlier one, and `env` overrides them all (an optional key that may be missing
/// does not). Which keys a later Secret has is known by its metadata's managed fields at best, so it overrides nothing here.
fn env_from_uses(container: &Container, index: &Index<'_>) -> Vec<ConfigUse> {
    let set_by_env: BTreeSet<&str> = container
        .env
        .iter()
        .filter(|v| !matches!(v.source, EnvSource::Key { optional: true, .. }))
        .map(|v| v.name.as_str())
        .collect();
    container
        .env_from
        .iter()
        .enumerate()
        .map(|(at, source)| {
            let mut names: BTreeSet<String> = set_by_env.iter().map(|n| (*n).to_owned()).collect();
            for later in container.env_from.iter().skip(at + 1) {
                let later_config = index.config(&later.config);
                let keys = later_config
                    .and_then(|c| c.content.as_ref())
                    .map(Content::keys);
                names.extend(
                    keys.unwrap_or_default()
                        .iter()
                        .map(|key| format!("{}{key}", later.prefix)),
                );
            }
            let overridden = names
                .iter()
                .filter_map(|name| name.strip_prefix(source.prefix.as_str()))
                .map(str::to_owned)
                .collect();
            ConfigUse {
                config: source.config.clone(),
                via: Use::EnvFrom {
                    prefix: source.prefix.clone(),
                },
                keys: Keys::TextExcept(overridden),
                optional: source.optional,
            }
        })
        .collect()
}

fn mount_uses(pod: &Pod, container: &Container) -> Vec<ConfigUse> {
    let mut found = Vec::new();
    for mount in &container.mounts {
        let Some(volume) = pod.volumes.iter().find(|v| v.name == mount.volume) else {
            continue;
        };
        let path = mount.path.clone();
        for source in &volume.sources {
            let via = match &mount.sub_path {
                Some(_) => Use::SubPath { path: path.clone() },
                None if volume.projected => Use::Projected { path: path.clone() },
                None => Use::Volume { path: path.clone() },
            };
            let keys = match &mount.sub_path {
                Some(SubPath::Path(sub)) => sub_path_keys(source, sub),
                Some(SubPath::Expr(_)) | None => all_keys(source),
            };
            if keys != Keys::Only(BTreeSet::new()) {
                found.push(ConfigUse {
                    config: source.config.clone(),
                    via,
                    keys,
                    optional: source.optional,
                });
            }
        }
    }
    found
}

fn all_keys(source: &VolumeSource) -> Keys {
    match &source.items {
        Some(items) => Keys::Only(items.iter().map(|(key, _)| key.clone()).collect()),
        None => Keys::All,
    }
}

/// The keys under a subPath: the file itself, or every file below it where it is a folder made by `items`.
fn sub_path_keys(source: &VolumeSource, sub: &str) -> Keys {
    let sub = sub.trim_matches('/');
    let below = |path: &str| {
        path == sub
            || path
                .strip_prefix(sub)
                .is_some_and(|rest| rest.starts_with('/'))
    };
    match &source.items {
        Some(items) => Keys::Only(
            items
                .iter()
                .filter(|(_, path)| below(path))
                .map(|(key, _)| key.clone())
                .collect(),
        ),
        None => Keys::one(sub),
    }
}

#[cfg(test)]
mod tests;
