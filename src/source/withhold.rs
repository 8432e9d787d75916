//! Logs that are not read: those in which a former value of a Secret may stand that nobody knows any more, to take it out.

use chrono::{DateTime, Utc};

use crate::model::{ChainEnd, Config, ConfigKind, ConfigRef, GapReason, Pod, Snapshot};

/// Why the logs of a pod are withheld: it may run a value of a Secret that is not known.
pub fn unknown_secret(snapshot: &Snapshot, pod: &Pod) -> Option<GapReason> {
    let unknown = pod
        .configs()
        .filter(|config| config.kind == ConfigKind::Secret)
        .find(|secret| !known(snapshot, pod, secret))?;
    Some(GapReason::Bounded(format!(
        "withheld: {secret} was written after this pod was created and what it held before is not known, so it could not be taken out",
        secret = unknown.name
    )))
}

/// Whether every value that this Secret had since the pod was created is known: it was not written since, or its versions
/// reach back to before the pod.
fn known(snapshot: &Snapshot, pod: &Pod, secret: &ConfigRef) -> bool {
    let Some(live) = snapshot.configs.iter().find(|c| c.reference == *secret) else {
        return true;
    };
    let Some(created) = pod.created else {
        return false;
    };
    if last_write(live).is_none_or(|at| at < created) {
        return true;
    }
    let earlier = snapshot.earlier.iter().find(|e| e.reference == *secret);
    let reaches_back = earlier.is_some_and(|earlier| {
        earlier.end == ChainEnd::Created
            || earlier
                .versions
                .first()
                .is_some_and(|oldest| last_write(oldest).is_none_or(|at| at <= created))
    });
    // Of a version that was seen to be replaced while it was watched nothing but the metadata is known.
    let read = earlier.is_none_or(|earlier| earlier.versions.iter().all(|v| v.content.is_some()));
    live.content.is_some() && reaches_back && read
}

fn last_write(config: &Config) -> Option<DateTime<Utc>> {
    config
        .managed
        .iter()
        .filter_map(|e| e.time)
        .max()
        .or(config.created)
}
