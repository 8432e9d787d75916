//! What init containers copy or render for a container: they take a config, and share an `emptyDir` with it.
//!
//! That they do is guessed by that shape. What was copied stays as it was when the init container ended, however often the
//! container itself starts again.

use super::{ConfigUse, is_replica, own_uses};
use crate::analysis::incident::Use;
use crate::analysis::index::Index;
use crate::model::{Container, ContainerKind, EnvSource, Pod};

/// What was copied for a container that takes these uses by itself.
pub(super) fn uses(
    pod: &Pod,
    container: &Container,
    index: &Index<'_>,
    own: &[ConfigUse],
) -> Vec<ConfigUse> {
    if !is_replica(container) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let copiers = pod
        .containers
        .iter()
        .filter(|c| c.kind == ContainerKind::Init);
    for init in copiers {
        let Some(path) = shared(pod, init, container) else {
            continue;
        };
        found.extend(
            own_uses(pod, init, index)
                .into_iter()
                // What the container takes by itself it need not take from a copy.
                .filter(|taken| own.iter().all(|usage| usage.config != taken.config))
                .map(|taken| ConfigUse {
                    via: Use::InitCopy {
                        path: path.to_owned(),
                        init: init.name.clone(),
                    },
                    copied_from: Some(Box::new(taken.via)),
                    ..taken
                }),
        );
    }
    found
}

/// Where a container sees the folder that an init container may write to.
fn shared<'a>(pod: &'a Pod, init: &Container, container: &'a Container) -> Option<&'a str> {
    let writes = |volume: &str| {
        let scratch = pod.volumes.iter().any(|v| v.scratch && v.name == volume);
        scratch
            && init
                .mounts
                .iter()
                .any(|m| m.volume == volume && !m.read_only)
    };
    let mounted = container.mounts.iter().find(|m| writes(&m.volume));
    let as_env = container.env.iter().find_map(|v| match &v.source {
        EnvSource::File { volume, .. } if writes(volume) => Some(volume.as_str()),
        _ => None,
    });
    mounted.map(|m| m.path.as_str()).or(as_env)
}
