//! The program's own history: every revision of the ConfigMaps that it watched, in files that only grow.
//!
//! A folder a server holds segments, lines of JSON each: the first says of which cluster it is, the others are versions and
//! deletions. A segment belongs to the process that holds its lock; everybody may read it. What a process was writing when it
//! was killed is the last line of its segment, without an end: nobody counts it, and who goes on with the segment cuts it off.

mod book;
mod line;
mod retain;
mod segment;

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use chrono::TimeDelta;
use sha2::{Digest, Sha256};

pub use book::{Book, Entry, Newest};
pub use line::Cluster;

use self::line::Head;
use super::write::hex;
use crate::model::{Config, ConfigRef, Kept};

/// How much is kept, of one cluster. The newest version of each ConfigMap is kept whatever it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    pub bytes: u64,
    pub age: TimeDelta,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            bytes: 64 << 20,
            age: TimeDelta::days(90),
        }
    }
}

/// Where it could not be begun.
#[derive(Debug, thiserror::Error)]
#[error("The history in {} could not be begun: {error}.", path.display())]
pub struct StoreError {
    pub path: PathBuf,
    pub error: io::Error,
}

impl StoreError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        "Check that you may write there and that it has room, or name another folder with --store DIR."
    }
}

/// The folder of a server in a store: its name for people, and a sum, since an address makes no good file name.
fn folder(store: &Path, server: &str) -> PathBuf {
    let bare = server.split_once("://").map_or(server, |(_, rest)| rest);
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || c == '.' {
            c
        } else {
            '-'
        }
    };
    let readable: String = bare.chars().take(60).map(plain).collect();
    let sum = hex(&Sha256::digest(server.as_bytes()));
    let readable = readable.trim_matches(['.', '-']);
    store.join(format!("{readable}-{}", sum.get(..12).unwrap_or_default()))
}

/// Whether there is any history of a server.
pub fn exists(store: &Path, server: &str) -> bool {
    folder(store, server).is_dir()
}

/// The versions of a scope, oldest first, each once, and what could not be read of them.
pub fn read(store: &Path, cluster: &Cluster, namespace: Option<&str>) -> (Vec<Kept>, Vec<String>) {
    let mut all: HashMap<Version, Kept> = HashMap::new();
    let mut notes = Vec::new();
    let segments = match segments(&folder(store, &cluster.server)) {
        Ok(segments) => segments,
        Err(error) => return (Vec::new(), vec![format!("it could not be read: {error}")]),
    };
    let (segments, why) = of_cluster(segments, cluster, &mut notes);
    notes.extend(why);
    for (path, _) in segments {
        let mut take = |entry| {
            let Entry::Kept(kept) = entry else { return };
            let place = &kept.config.reference.namespace;
            if namespace.is_none_or(|asked| asked == place) {
                merge(&mut all, *kept);
            }
        };
        match line::scan(&path, &mut take) {
            Ok(head) => notes.extend(head.and_then(|head| head.damage())),
            Err(error) => note(&mut notes, &path, &error),
        }
    }
    let mut all: Vec<Kept> = all.into_values().collect();
    all.sort_by_cached_key(|kept| {
        let number = kept.config.resource_version.parse::<u64>().ok();
        let version = kept.config.resource_version.clone();
        (kept.config.reference.clone(), kept.seen_at, number, version)
    });
    (all, notes)
}

type Version = (ConfigRef, String, String);

fn version(config: &Config) -> Version {
    let (uid, version) = (&config.uid, &config.resource_version);
    (config.reference.clone(), uid.clone(), version.clone())
}

/// Two processes may have kept the same version. Whoever saw what it replaced knows more.
fn merge(all: &mut HashMap<Version, Kept>, kept: Kept) {
    match all.entry(version(&kept.config)) {
        std::collections::hash_map::Entry::Vacant(place) => {
            place.insert(kept);
        }
        std::collections::hash_map::Entry::Occupied(mut known) => {
            let known = known.get_mut();
            known.seen_at = known.seen_at.min(kept.seen_at);
            known.follows = known.follows.take().or(kept.follows);
        }
    }
}

/// The segments of a cluster. One address may have had several: where it is not known which is meant, none is taken, and that
/// is said.
fn of_cluster(
    paths: Vec<PathBuf>,
    cluster: &Cluster,
    notes: &mut Vec<String>,
) -> (Vec<(PathBuf, Head)>, Option<String>) {
    let mut found: Vec<(PathBuf, Head)> = Vec::new();
    for path in paths {
        match line::head(&path) {
            Ok(Some(head)) => found.push((path, head)),
            // Of another program's version, or cut before it said anything.
            Ok(None) => {}
            Err(error) => note(notes, &path, &error),
        }
    }
    let uids = found
        .iter()
        .filter_map(|(_, head)| head.cluster.uid.as_ref());
    let known: BTreeSet<&String> = uids.collect();
    match (&cluster.uid, known.len()) {
        (Some(_), 1..) => {
            found.retain(|(_, head)| head.cluster.uid == cluster.uid);
            (found, None)
        }
        (None, 2..) => {
            let why = "it holds several clusters of this address, and without the right to get the namespace kube-system it is \
                       not known which this is";
            (Vec::new(), Some(why.to_owned()))
        }
        // Nobody could tell, here or there; or all that is there is of one.
        _ => (found, None),
    }
}

fn note(notes: &mut Vec<String>, path: &Path, error: &io::Error) {
    // It may have been let go meanwhile.
    if error.kind() != io::ErrorKind::NotFound {
        notes.push(format!("{} could not be read: {error}", name(path)));
    }
}

/// The segments of a folder, oldest first.
fn segments(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|ext| ext == segment::EXTENSION)
        {
            found.push(path);
        }
    }
    // Their names begin with when they were begun.
    found.sort();
    Ok(found)
}

fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests;
