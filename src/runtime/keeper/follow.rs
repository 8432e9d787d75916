//! Which logs are followed, and from where.

use chrono::{DateTime, Utc};

use crate::model::{ConfigRef, ContainerState, EnvSource, Log, Pod, PodRef, Snapshot, WorkloadRef};
use crate::source::unknown_secret;

/// When the container's current run began.
pub(super) fn started(snapshot: &Snapshot, pod: &PodRef, container: &str) -> Option<DateTime<Utc>> {
    let pod = snapshot.pods.iter().find(|p| p.reference == *pod)?;
    let container = pod.containers.iter().find(|c| c.name == container)?;
    match &container.status.as_ref()?.state {
        ContainerState::Running { started_at } => *started_at,
        _ => None,
    }
}

/// The logs to follow, those of the open pair first, with the moment of the last line that is known. A log in which an
/// unknown value of a Secret may come is none of them.
pub(super) fn to_follow(
    snapshot: &Snapshot,
    focus: Option<&(ConfigRef, WorkloadRef)>,
    most: usize,
) -> Vec<(PodRef, String, Option<DateTime<Utc>>)> {
    let takes = |log: &&Log| {
        focus.is_some_and(|(config, _)| {
            let pod = snapshot.pods.iter().find(|p| p.reference == log.pod);
            pod.is_some_and(|pod| names(pod, config))
        })
    };
    let running = |log: &&Log| {
        !log.previous
            && started(snapshot, &log.pod, &log.container).is_some()
            && unknown_secret(snapshot, &log.pod).is_none()
    };
    let (mut first, others): (Vec<&Log>, Vec<&Log>) =
        snapshot.logs.iter().filter(running).partition(takes);
    first.extend(others);
    first
        .into_iter()
        .take(most)
        .map(|log| {
            let last = log.lines().rev().find_map(|line| line.at);
            (log.pod.clone(), log.container.clone(), last)
        })
        .collect()
}

/// Why a log is not followed.
pub(super) fn why_not(snapshot: &Snapshot, log: &Log, most: usize) -> String {
    if started(snapshot, &log.pod, &log.container).is_none() {
        return "its container does not run".to_owned();
    }
    match unknown_secret(snapshot, &log.pod) {
        Some(_) => "a value of a Secret that is not known may come in it".to_owned(),
        None => format!("{most} others are followed; open its incident to follow it"),
    }
}

/// Whether a pod's spec names a config.
fn names(pod: &Pod, config: &ConfigRef) -> bool {
    let mounted = pod.volumes.iter().flat_map(|v| &v.sources);
    let mut containers = pod.containers.iter();
    mounted.map(|s| &s.config).any(|c| c == config)
        || containers.any(|c| {
            let mut env = c.env.iter();
            c.env_from.iter().any(|e| e.config == *config)
                || env.any(|v| matches!(&v.source, EnvSource::Key { config: c, .. } if c == config))
        })
}
