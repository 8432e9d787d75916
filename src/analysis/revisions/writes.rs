//! What managed fields say of the writes to a config: when, by whom, and to which keys.

use chrono::{DateTime, TimeDelta, Utc};

use crate::model::{Config, Interval, ManagedEntry};

/// The writes that may have been edits, after the object was made: of those of the first second it is one.
pub(super) fn possible_edits(config: &Config) -> impl Iterator<Item = &ManagedEntry> {
    data_entries(config)
        .filter(|e| e.time > config.created && seconds_apart(e.time, config.created) > 1)
}

/// The manager of the latest write that touched data.
pub(super) fn writer(config: &Config) -> Option<String> {
    let newest = data_entries(config).max_by_key(|e| e.time)?;
    Some(newest.manager.clone())
}

/// Entries whose time may be that of a write to the data: those that own keys, and those that own nothing any more.
pub(super) fn data_entries(config: &Config) -> impl Iterator<Item = &ManagedEntry> {
    config
        .managed
        .iter()
        .filter(|e| !e.data_keys.is_empty() || !e.owns_other)
}

/// When and by whom `newer` was written over `older`: by the entry that is in the one and not in the other.
pub(super) fn write_between(older: &Config, newer: &Config) -> (Interval, Option<String>) {
    if older.uid != newer.uid {
        let at = newer.created.map_or(Interval::UNKNOWN, Interval::second);
        return (at, writer(newer));
    }
    // One that lost a field to another's write keeps its time, and a write that only removes leaves none at all.
    let known = |entry: &&ManagedEntry| {
        older.managed.iter().any(|e| {
            e.manager == entry.manager && e.operation == entry.operation && e.time == entry.time
        })
    };
    let fresh = newer
        .managed
        .iter()
        .filter(|entry| !known(entry))
        .max_by_key(|entry| entry.time);
    match fresh.and_then(|entry| entry.time.map(|time| (entry, time))) {
        Some((entry, time)) => (Interval::second(time), Some(entry.manager.clone())),
        None => {
            let after = older.managed.iter().filter_map(|e| e.time).max();
            (Interval::between(after.or(older.created), None), None)
        }
    }
}

/// When an edit happened that is told by managed fields alone. An entry that owns nothing but data moved its time with the
/// data; another's time is only the latest possible.
pub(super) fn edit_bounds(
    editor: Option<&ManagedEntry>,
    after: Option<DateTime<Utc>>,
    config: &Config,
) -> Interval {
    match editor.and_then(|e| e.time.map(|time| (e, time))) {
        Some((entry, time)) if !entry.owns_other => Interval::second(time),
        Some((_, time)) => Interval::between(after, Some(time + TimeDelta::seconds(1))),
        None => {
            let latest = config.managed.iter().filter_map(|e| e.time).max();
            Interval::between(after, latest.map(|t| t + TimeDelta::seconds(1)))
        }
    }
}

pub(super) fn seconds_apart(a: Option<DateTime<Utc>>, b: Option<DateTime<Utc>>) -> i64 {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).num_seconds().abs(),
        _ => i64::MAX,
    }
}

/// `resourceVersion 464; kubectl-patch Update 06:15:52 [FEATURE_RECS]`: what managedFields say.
pub(super) fn describe_writes(config: &Config) -> String {
    let mut text = format!(
        "resourceVersion {}, created {}",
        config.resource_version,
        config.created.map_or_else(
            || "at an unknown time".to_owned(),
            |t| t.format("%Y-%m-%dT%H:%M:%SZ").to_string()
        )
    );
    for entry in &config.managed {
        let time = entry.time.map_or_else(
            || "at an unknown time".to_owned(),
            |t| t.format("%Y-%m-%dT%H:%M:%SZ").to_string(),
        );
        let keys: Vec<String> = entry.data_keys.iter().cloned().collect();
        text.push_str(&format!(
            "\nmanager {} ({}) {time}, owns {}{}",
            entry.manager,
            entry.operation,
            if keys.is_empty() {
                "no key".to_owned()
            } else {
                crate::analysis::names::list(&keys)
            },
            if entry.owns_other { " and more" } else { "" }
        ));
    }
    if let Some(version) = config
        .last_applied
        .as_ref()
        .and_then(|a| a.resource_version.as_ref())
    {
        text.push_str(&format!(
            "\nlast-applied-configuration holds resourceVersion {version}"
        ));
    }
    text
}
