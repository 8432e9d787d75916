//! Keeps a history within its bounds: the oldest segments go first, but for the newest version of what is still there.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use super::book::newest;
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
    read: line::Read,
    len: u64,
}

impl Old {
    /// The last that it holds.
    fn last(&self) -> Option<DateTime<Utc>> {
        let at = |entry: &Entry| match entry {
            Entry::Kept(kept) => kept.seen_at,
            Entry::Gone { at, .. } => *at,
        };
        self.read.entries.iter().map(at).max()
    }

    fn configs(&self) -> impl Iterator<Item = &ConfigRef> {
        self.read.entries.iter().map(|entry| match entry {
            Entry::Kept(kept) => &kept.config.reference,
            Entry::Gone { reference, .. } => reference,
        })
    }
}

pub(super) fn retain(on: &mut Retaining<'_>, now: DateTime<Utc>) -> io::Result<()> {
    let mut all: Vec<Old> = Vec::new();
    for path in segments(on.folder)? {
        let Ok(Some(read)) = line::read(&path) else {
            forget_unbegun(&path);
            continue;
        };
        let len = fs::metadata(&path).map_or(0, |known| known.len());
        if read.cluster == *on.cluster {
            all.push(Old { path, read, len });
        }
    }
    let mut total: u64 = all.iter().map(|old| old.len).sum();
    let mut at = 0;
    while at < all.len() {
        let old = &all[at];
        let aged = old.last().is_some_and(|last| now - last > on.bounds.age);
        let empty = old.read.entries.is_empty();
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
        let later: HashSet<&ConfigRef> = all.iter().skip(at).flat_map(Old::configs).collect();
        let (carried, len) = carry(on, &old, &later)?;
        fs::remove_file(&old.path)?;
        total = total - old.len.min(total) + len;
        // Only what was carried over is in this process's segment now.
        if let Some(own) = all.iter_mut().find(|other| other.path == on.segment.path) {
            own.read.entries.extend(carried);
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

/// Writes the newest version of what no later segment knows into the segment of this process; these, and how long they are.
fn carry(
    on: &mut Retaining<'_>,
    old: &Old,
    later: &HashSet<&ConfigRef>,
) -> io::Result<(Vec<Entry>, u64)> {
    let Some(read) = line::read(&old.path)? else {
        return Ok((Vec::new(), 0));
    };
    let mut kept: Vec<Kept> = newest(vec![read])
        .into_values()
        .filter(|kept| !later.contains(&kept.config.reference))
        .collect();
    kept.sort_by_cached_key(|kept| (kept.seen_at, kept.config.reference.clone()));
    let kept: Vec<Entry> = kept
        .into_iter()
        .map(|kept| Entry::Kept(Box::new(kept)))
        .collect();
    let mut lines = Vec::new();
    for entry in &kept {
        line::write(entry, &mut lines)?;
    }
    if !lines.is_empty() {
        on.segment.append(&lines)?;
    }
    Ok((kept, lines.len() as u64))
}
