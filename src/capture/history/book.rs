//! The history as a process writes it.

use std::collections::HashMap;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeDelta, Utc};

use super::line::{self, Cluster};
use super::segment::{self, Segment};
use super::{Bounds, StoreError, folder, of_cluster, retain, segments};
use crate::model::{ConfigRef, Kept};

/// One line of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    Kept(Box<Kept>),
    /// A ConfigMap was not there any more.
    Gone {
        reference: ConfigRef,
        at: DateTime<Utc>,
    },
}

/// What a store holds of each ConfigMap that is there: its newest version.
pub type Newest = HashMap<ConfigRef, Kept>;

/// A history that is open for writing.
#[derive(Debug)]
pub struct Book {
    folder: PathBuf,
    cluster: Cluster,
    bounds: Bounds,
    segment: Segment,
}

impl Book {
    /// Opens the history of a cluster, and what it holds.
    pub fn open(
        store: &Path,
        cluster: Cluster,
        bounds: Bounds,
        now: DateTime<Utc>,
    ) -> Result<(Self, Newest), StoreError> {
        let folder = folder(store, &cluster.server);
        let failed = |error| StoreError {
            path: folder.clone(),
            error,
        };
        private(&folder).map_err(failed)?;
        // Who opens it does so alone: a segment is not held yet in the moment in which it is made.
        let _alone = lock(&folder).map_err(failed)?;
        let paths = segments(&folder).map_err(failed)?;
        // What cannot be read is told to those who read; here it is as good as not there.
        let (read, _) = of_cluster(paths, &cluster, &mut Vec::new());
        let last = read.iter().rfind(|(_, head)| head.cluster == cluster);
        let room = |segment: &Segment| !is_full(segment, bounds, now);
        let resumed = last.and_then(|(path, head)| segment::resume(path, head.began).ok()?);
        let segment = match resumed.filter(room) {
            Some(segment) => segment,
            None => segment::begin(&folder, &cluster, now).map_err(failed)?,
        };
        let mut newest = Latest::default();
        for (path, _) in read {
            drop(line::scan(&path, &mut |entry| newest.take(entry)));
        }
        let newest = newest.there();
        let mut book = Self {
            folder: folder.clone(),
            cluster,
            bounds,
            segment,
        };
        // What is too much now stays until there is room to keep of it what must be kept.
        drop(retain::retain(&mut book.retaining(), now));
        Ok((book, newest))
    }

    /// Writes entries down: when it returns, all of them are on disk, or none is.
    pub fn write(&mut self, entries: &[Entry], now: DateTime<Utc>) -> io::Result<()> {
        let mut lines = Vec::new();
        for entry in entries {
            line::write(entry, &mut lines)?;
        }
        self.segment.append(&lines)?;
        if is_full(&self.segment, self.bounds, now) {
            // What was asked for is done. Where this fails, it is tried again with the next.
            drop(self.turn(now));
        }
        Ok(())
    }

    /// The folder that holds it.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Begins another segment, and lets go of what is too much.
    fn turn(&mut self, now: DateTime<Utc>) -> io::Result<()> {
        let _alone = lock(&self.folder)?;
        self.segment = segment::begin(&self.folder, &self.cluster, now)?;
        retain::retain(&mut self.retaining(), now)
    }

    fn retaining(&mut self) -> retain::Retaining<'_> {
        retain::Retaining {
            folder: &self.folder,
            cluster: &self.cluster,
            bounds: self.bounds,
            segment: &mut self.segment,
        }
    }
}

/// A history is let go of in eighths.
fn is_full(segment: &Segment, bounds: Bounds, now: DateTime<Utc>) -> bool {
    let age = (bounds.age / 8).max(TimeDelta::hours(1));
    segment.len >= bounds.bytes / 8 || now - segment.began > age
}

/// The newest version of each, and when each was gone last.
#[derive(Debug, Default)]
pub(super) struct Latest {
    newest: Newest,
    gone: HashMap<ConfigRef, DateTime<Utc>>,
}

impl Latest {
    pub(super) fn take(&mut self, entry: Entry) {
        match entry {
            Entry::Kept(kept) => match self.newest.get_mut(&kept.config.reference) {
                Some(known) if known.seen_at > kept.seen_at => {}
                Some(known) => *known = *kept,
                None => {
                    let reference = kept.config.reference.clone();
                    self.newest.insert(reference, *kept);
                }
            },
            Entry::Gone { reference, at } => {
                let last = self.gone.entry(reference).or_insert(at);
                *last = at.max(*last);
            }
        }
    }

    /// Those that were not gone after it.
    pub(super) fn there(self) -> Newest {
        let Self { mut newest, gone } = self;
        newest.retain(|reference, kept| gone.get(reference).is_none_or(|at| *at < kept.seen_at));
        newest
    }
}

/// A folder for its owner's eyes only.
fn private(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Waits until nobody else opens or lets go of segments here. Where there are no locks, nobody lets go of any.
fn lock(folder: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(folder.join("lock"))?;
    match file.lock() {
        Err(error) if error.kind() != io::ErrorKind::Unsupported => Err(error),
        _ => Ok(file),
    }
}
