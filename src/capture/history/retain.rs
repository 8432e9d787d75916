//! Keeps a history within its bounds: the oldest segments go first, but for the newest version of what is still there.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use super::book::Latest;
use super::line::{self, Cluster};
use super::segment::{self, Segment, held_by_nobody};
use super::{Bounds, Entry, segments};
use crate::model::{ConfigRef, Kept};

/// What it works on. The folder's lock is held meanwhile.
pub(super) struct Retaining<'a> {
    pub(super) folder: &'a Path,
    pub(super) cluster: &'a Cluster,
    pub(super) bounds: Bounds,
    /// Where what must be kept is carried over to.
    pub(super) segment: &'a mut Segment,
}

/// One segment of this cluster.
struct Old {
    path: PathBuf,
    len: u64,
    /// The last that it holds.
    last: Option<DateTime<Utc>>,
    /// What it knows anything of.
    configs: HashSet<ConfigRef>,
}

impl Old {
    fn of(path: PathBuf) -> io::Result<Self> {
        let (mut last, mut configs) = (None, HashSet::new());
        line::scan(&path, &mut |entry| {
            let (at, reference) = match entry {
                Entry::Kept(kept) => (kept.seen_at, kept.config.reference),
                Entry::Gone { reference, at } => (at, reference),
            };
            last = last.max(Some(at));
            configs.insert(reference);
        })?;
        Ok(Self {
            len: fs::metadata(&path)?.len(),
            path,
            last,
            configs,
        })
    }
}

pub(super) fn retain(on: &mut Retaining<'_>, now: DateTime<Utc>) -> io::Result<()> {
    let mut all: Vec<Old> = Vec::new();
    for path in segments(on.folder)? {
        match line::head(&path) {
            Ok(Some(head)) if head.cluster == *on.cluster => all.extend(Old::of(path).ok()),
            Ok(Some(_)) | Err(_) => {}
            Ok(None) => forget_unbegun(&path),
        }
    }
    let mut total: u64 = all.iter().map(|old| old.len).sum();
    let mut at = 0;
    while at < all.len() {
        let old = &all[at];
        let aged = old.last.is_some_and(|last| now - last > on.bounds.age);
        let empty = old.configs.is_empty();
        if old.path == on.segment.path || !(aged || empty || total > on.bounds.bytes) {
            at += 1;
            continue;
        }
        // Another process writes to it.
        let free =
            File::open(&old.path).and_then(|file| Ok(held_by_nobody(&file)?.then_some(file)));
        let Ok(Some(_held)) = free else {
            at += 1;
            continue;
        };
        let old = all.remove(at);
        let later = all.iter().skip(at);
        let later: HashSet<&ConfigRef> = later.flat_map(|old| &old.configs).collect();
        let (carried, len) = carry(on, &old, &later)?;
        fs::remove_file(&old.path)?;
        total = total - old.len.min(total) + len;
        // Only what was carried over is in this process's segment now.
        if let Some(own) = all.iter_mut().find(|other| other.path == on.segment.path) {
            own.configs.extend(carried);
        }
    }
    Ok(())
}

/// Takes away what a process left that was killed before its segment's first line was whole.
fn forget_unbegun(path: &Path) {
    let free = File::open(path).is_ok_and(|file| held_by_nobody(&file).unwrap_or(false));
    // One of another version has a first line, and stays.
    if free && segment::whole(path).is_ok_and(|whole| whole == 0) {
        drop(fs::remove_file(path));
    }
}

/// Writes the newest version of what no later segment knows into the segment of this process; of what, and how long that is.
fn carry(
    on: &mut Retaining<'_>,
    old: &Old,
    later: &HashSet<&ConfigRef>,
) -> io::Result<(Vec<ConfigRef>, u64)> {
    let mut latest = Latest::default();
    line::scan(&old.path, &mut |entry| latest.take(entry))?;
    let latest = latest.there().into_values();
    let mut kept: Vec<Kept> = latest
        .filter(|kept| !later.contains(&kept.config.reference))
        .collect();
    kept.sort_by_cached_key(|kept| (kept.seen_at, kept.config.reference.clone()));
    let (mut lines, mut carried) = (Vec::new(), Vec::new());
    for kept in kept {
        carried.push(kept.config.reference.clone());
        line::write(&Entry::Kept(Box::new(kept)), &mut lines)?;
    }
    if !lines.is_empty() {
        on.segment.append(&lines)?;
    }
    Ok((carried, lines.len() as u64))
}
