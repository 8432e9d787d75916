//! How containers take their configuration: which config, by which way, and which of its keys reach the process.

mod api;
mod copies;
mod env;
mod mounts;
pub(crate) mod places;
mod presence;

use std::collections::BTreeSet;

use super::content::Keys;
use super::incident::Use;
use super::index::Index;
use crate::model::{ConfigRef, Container, ContainerKind, Pod};

/// One way by which one container takes one config.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ConfigUse {
    pub(crate) config: ConfigRef,
    pub(crate) via: Use,
    pub(crate) keys: Keys,
    /// The container starts without it, too.
    pub(crate) optional: bool,
    /// Keys that reach the process only within the values of other variables: what bears their name is something else.
    pub(crate) indirect: BTreeSet<String>,
    /// Of an init container's copy: how that container took it.
    pub(crate) copied_from: Option<Box<Use>>,
}

impl ConfigUse {
    /// A use by which the process sees the keys under their own names, and as the spec says itself.
    fn plain(config: &ConfigRef, via: Use, keys: Keys, optional: bool) -> Self {
        Self {
            config: config.clone(),
            via,
            keys,
            optional,
            indirect: BTreeSet::new(),
            copied_from: None,
        }
    }

    /// Whether the kubelet swaps the files in the running container, so that the process may read them again.
    pub(crate) fn swaps(&self) -> bool {
        matches!(self.via, Use::Volume { .. } | Use::Projected { .. })
    }

    /// Whether what it takes comes from the files of a volume, which lag behind the API while a pod runs.
    pub(crate) fn lags(&self) -> bool {
        let taken = self.copied_from.as_deref().unwrap_or(&self.via);
        matches!(
            taken,
            Use::Volume { .. } | Use::Projected { .. } | Use::SubPath { .. }
        )
    }
}

/// Whether a config may have held other keys since a pod was created than those of the contents that are known.
pub(crate) fn is_open(index: &Index<'_>, config: &ConfigRef, pod: &Pod) -> bool {
    presence::Held::of(index, config, pod, pod.created).is_open()
}

/// Whether a container runs beside the others for the pod's whole life: what a replica is. An ephemeral one is somebody's
/// debugging: what it loaded splits nothing.
pub(crate) fn is_replica(container: &Container) -> bool {
    matches!(container.kind, ContainerKind::Main | ContainerKind::Sidecar)
}

/// Every use of a container, in the order of its spec; what init containers copied for it, and what it may read itself, come
/// last.
pub(crate) fn uses(pod: &Pod, container: &Container, index: &Index<'_>) -> Vec<ConfigUse> {
    let mut found = own_uses(pod, container, index);
    found.extend(copies::uses(pod, container, index, &found));
    found.extend(api::uses(container));
    found
}

/// What the container itself takes by its spec.
fn own_uses(pod: &Pod, container: &Container, index: &Index<'_>) -> Vec<ConfigUse> {
    let mut found = env::uses(pod, container, index);
    found.extend(mounts::uses(pod, container, index));
    found
}
