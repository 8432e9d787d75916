//! Which logs are followed, and from where.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};

use crate::model::{ConfigRef, ContainerState, Log, Pod, PodRef, Snapshot, WorkloadRef};
use crate::source::unknown_secret;

/// When the container's current run began.
pub(super) fn started(pod: &Pod, container: &str) -> Option<DateTime<Utc>> {
    let container = pod.container(container)?;
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
    let pods = of_logs(snapshot);
    let pod = |log: &Log| pods.get(&log.pod).copied();
    let takes = |log: &&Log| {
        let config = focus.map(|(config, _)| config);
        pod(log).is_some_and(|pod| pod.configs().any(|named| Some(named) == config))
    };
    let running = |log: &&Log| {
        !log.previous
            && pod(log).is_some_and(|pod| {
                started(pod, &log.container).is_some() && unknown_secret(snapshot, pod).is_none()
            })
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

/// The pods that have a log: looked for once, since there may be thousands of others.
pub(super) fn of_logs(snapshot: &Snapshot) -> HashMap<&PodRef, &Pod> {
    let logged: HashSet<&PodRef> = snapshot.logs.iter().map(|log| &log.pod).collect();
    let pods = snapshot.pods.iter();
    pods.filter(|pod| logged.contains(&pod.reference))
        .map(|pod| (&pod.reference, &**pod))
        .collect()
}

/// Why the log of a pod is not followed.
pub(super) fn why_not(snapshot: &Snapshot, pod: Option<&Pod>, log: &Log, most: usize) -> String {
    match pod.filter(|pod| started(pod, &log.container).is_some()) {
        None => "its container does not run".to_owned(),
        Some(pod) if unknown_secret(snapshot, pod).is_some() => {
            "a value of a Secret that is not known may come in it".to_owned()
        }
        Some(_) => format!("{most} others are followed; open its incident to follow it"),
    }
}
