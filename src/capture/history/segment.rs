//! One segment as its process writes it: line after line, each on disk before it counts, and never half of one before another.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use super::line::{self, Cluster};

pub(super) const EXTENSION: &str = "ndjson";

/// What a segment needs of a file: a test's fails when it is told to.
pub(super) trait Disk {
    /// Adds at the end.
    fn add(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Makes it last.
    fn sync(&mut self) -> io::Result<()>;
    /// Takes away what is beyond this length.
    fn cut(&mut self, len: u64) -> io::Result<()>;
}

impl Disk for File {
    fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }

    fn cut(&mut self, len: u64) -> io::Result<()> {
        self.set_len(len)
    }
}

/// A segment that is written. Its file's lock lasts as long as this.
#[derive(Debug)]
pub(super) struct Segment<D = File> {
    disk: D,
    pub(super) path: PathBuf,
    /// As much of it is whole and on disk.
    pub(super) len: u64,
    /// There may be more behind that.
    torn: bool,
    pub(super) began: DateTime<Utc>,
}

impl<D: Disk> Segment<D> {
    pub(super) fn new(disk: D, path: PathBuf, len: u64, began: DateTime<Utc>) -> Self {
        Self {
            disk,
            path,
            len,
            torn: false,
            began,
        }
    }

    /// Adds whole lines: all of them are on disk then, or none is.
    pub(super) fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        if self.torn {
            self.disk.cut(self.len)?;
            self.torn = false;
        }
        let written = self.disk.add(lines).and_then(|()| self.disk.sync());
        if let Err(error) = written {
            // Where this fails too, it is tried again before the next line.
            self.torn = self.disk.cut(self.len).is_err();
            return Err(error);
        }
        self.len += lines.len() as u64;
        Ok(())
    }
}

/// A new segment of a cluster.
pub(super) fn begin(folder: &Path, cluster: &Cluster, now: DateTime<Utc>) -> io::Result<Segment> {
    let stem = format!(
        "{}-{}",
        now.format("%Y%m%dT%H%M%S%.6fZ"),
        std::process::id()
    );
    let mut tried = 0;
    let (file, path) = loop {
        let path = folder.join(format!("{stem}-{tried}.{EXTENSION}"));
        match open(&path, true) {
            Ok(file) => break (file, path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tried < 100 => tried += 1,
            Err(error) => return Err(error),
        }
    };
    // Where there are no locks nobody goes on with another's segment.
    drop(file.try_lock());
    let mut segment = Segment::new(file, path, 0, now);
    let begun = segment.append(&line::header(cluster, now)?);
    if let Err(error) = begun {
        drop(fs::remove_file(&segment.path));
        return Err(error);
    }
    // The name is safe only when its folder is. Not every file system can say so.
    if let Ok(folder) = File::open(folder) {
        drop(folder.sync_all());
    }
    Ok(segment)
}

/// Goes on with a segment that nobody holds, after what its last process left half written.
pub(super) fn resume(path: &Path, began: DateTime<Utc>) -> io::Result<Option<Segment>> {
    let file = open(path, false)?;
    if !held_by_nobody(&file)? {
        return Ok(None);
    }
    let whole = whole(path)?;
    let len = file.metadata()?.len();
    let mut segment = Segment::new(file, path.to_owned(), whole, began);
    segment.torn = len > whole;
    segment.append(b"")?;
    Ok(Some(segment))
}

/// Takes the lock of a file, if it is free. Where there are no locks it is never taken to be.
pub(super) fn held_by_nobody(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn open(path: &Path, new: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create_new(new);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Up to the end of the last whole line.
pub(super) fn whole(path: &Path) -> io::Result<u64> {
    const STEP: u64 = 64 << 10;
    let mut file = File::open(path)?;
    let mut end = file.metadata()?.len();
    let mut bytes = Vec::new();
    while end > 0 {
        let begin = end.saturating_sub(STEP);
        file.seek(SeekFrom::Start(begin))?;
        bytes.clear();
        (&mut file).take(end - begin).read_to_end(&mut bytes)?;
        if let Some(at) = memchr::memrchr(b'\n', &bytes) {
            return Ok(begin + at as u64 + 1);
        }
        end = begin;
    }
    Ok(0)
}

#[cfg(test)]
mod tests;
