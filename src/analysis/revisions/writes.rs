//! What managed fields say of the writes to a config: when, by whom, and to which keys.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};

use crate::analysis::names::list;
use crate::model::{Config, Interval, ManagedEntry};

/// The writes that may have been edits, after the object was made: of those of the first second it is one.
pub(super) fn possible_edits(config: &Config) -> impl Iterator<Item = &ManagedEntry> {
    data_entries(config)
        .filter(|e| e.time > config.created && seconds_apart(e.time, config.created) > 1)
}

/// Writes of data within the first second, beside the one that made the object: there may have been another content before them.
pub(super) fn written_at_once(config: &Config) -> Option<DateTime<Utc>> {
    let at_once: Vec<_> = data_entries(config)
        .filter(|e| seconds_apart(e.time, config.created) <= 1)
        .collect();
    let last = at_once.iter().filter_map(|e| e.time).max();
    last.filter(|_| at_once.len() > 1 || last > config.created)
}

/// The keys with the latest time of those who own them.
pub(super) fn owners(config: &Config) -> BTreeMap<String, DateTime<Utc>> {
    let mut found: BTreeMap<String, DateTime<Utc>> = BTreeMap::new();
    for entry in &config.managed {
        let Some(time) = entry.time else { continue };
        for key in &entry.data_keys {
            let known = found.entry(key.clone()).or_insert(time);
            *known = time.max(*known);
        }
    }
    found
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

/// When what was applied became what is there, by the entries of those who wrote since. One that owns nothing but data moved its
/// time with the data; another's is only the latest possible; and a write that only removed left none.
pub(super) fn since_apply(since: &[&ManagedEntry], applied: Option<DateTime<Utc>>) -> Interval {
    let times = since.iter().filter_map(|e| e.time);
    let latest = times.clone().max().map(|at| at + TimeDelta::seconds(1));
    let certain = since.iter().all(|e| !e.owns_other);
    let earliest = if certain { times.min() } else { applied };
    Interval::between(earliest.or(applied), latest)
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
        let owns = match (keys.is_empty(), entry.owns_other) {
            (true, true) => "no key, but other fields".to_owned(),
            (true, false) => "no key".to_owned(),
            (false, true) => format!("{} and more", list(&keys)),
            (false, false) => list(&keys),
        };
        text.push_str(&format!(
            "\nmanager {} ({}) {time}, owns {owns}",
            entry.manager, entry.operation,
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
