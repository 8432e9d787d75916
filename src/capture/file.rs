//! Puts a capture into a file: whole or not at all, for its owner's eyes only, and never over another file unasked.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::write::{Withheld, write};
use crate::model::Snapshot;

/// Why a capture could not be put where it was wanted.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    #[error("{} exists already.", .0.display())]
    Exists(PathBuf),
    #[error("{} is not a regular file.", .0.display())]
    NotAFile(PathBuf),
    #[error("{} could not be written: {error}.", path.display())]
    Io { path: PathBuf, error: io::Error },
}

impl SaveError {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Exists(_) => "Choose another name, or give --force to replace it.",
            Self::NotAFile(_) => "Choose another name, or `-o -` for standard output.",
            Self::Io { .. } => {
                "Check that the directory exists, that you may write there, and that it has room."
            }
        }
    }
}

/// Whether `save` may write there. Asked before a cluster is read, so that nobody waits for a refusal.
pub fn ensure_free(path: &Path, force: bool) -> Result<(), SaveError> {
    let io = |error| SaveError::Io {
        path: path.to_owned(),
        error,
    };
    match std::fs::metadata(path) {
        // Replacing a device or a pipe by a file is never what was meant.
        Ok(found) if !found.is_file() => Err(SaveError::NotAFile(path.to_owned())),
        Ok(_) if !force => Err(SaveError::Exists(path.to_owned())),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let directory = directory(path);
            let found = std::fs::metadata(directory).map_err(io)?;
            if found.is_dir() {
                Ok(())
            } else {
                Err(io(io::ErrorKind::NotADirectory.into()))
            }
        }
        Err(error) => Err(io(error)),
    }
}

/// Writes the capture beside its place and moves it there when it is on disk.
pub fn save(snapshot: &Snapshot, path: &Path, force: bool) -> Result<Vec<Withheld>, SaveError> {
    ensure_free(path, force)?;
    let io = |error| SaveError::Io {
        path: path.to_owned(),
        error,
    };
    // Such files are 0600 from the moment they exist.
    let mut temporary = tempfile::Builder::new()
        .prefix(".confsplit-")
        .tempfile_in(directory(path))
        .map_err(io)?;
    let mut out = BufWriter::new(temporary.as_file_mut());
    let withheld = write(snapshot, &mut out).map_err(io)?;
    out.flush().map_err(io)?;
    drop(out);
    temporary.as_file().sync_all().map_err(io)?;
    let moved = if force {
        temporary.persist(path)
    } else {
        temporary.persist_noclobber(path)
    };
    moved.map_err(|failed| match failed.error.kind() {
        io::ErrorKind::AlreadyExists => SaveError::Exists(path.to_owned()),
        _ => io(failed.error),
    })?;
    // The name is safe only when its directory is. Not every file system can say so, and the content is there already.
    if let Ok(directory) = File::open(directory(path)) {
        drop(directory.sync_all());
    }
    Ok(withheld)
}

fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}
