//! Puts what the dashboard shows into files: reports and captures, each under a name that was free.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use crate::analysis::{Diagnosis, Incident};
use crate::app::Exported;
use crate::app::keymap::Export;
use crate::capture::{self, SaveError};
use crate::model::{Cluster, Facts};
use crate::remedy::Closing;
use crate::report::{self, Charset, Format};

/// So many names are tried before one gives up.
const TRIES: usize = 100;
/// No part of a file's name is longer.
const LONGEST: usize = 60;

/// What is exported, taken from the dashboard at one moment.
#[derive(Debug, Clone)]
pub(super) struct Job<'a> {
    pub(super) what: Export,
    pub(super) diagnosis: &'a Diagnosis,
    /// The incident that is open or selected.
    pub(super) incident: Option<&'a Incident>,
    pub(super) facts: &'a Facts,
    pub(super) directory: &'a Path,
}

impl Job<'_> {
    /// Does it; fails with what was wrong and what to do.
    pub(super) fn run(&self) -> Result<Exported, String> {
        let written = match self.what {
            Export::Summary => {
                let text = report::summary(self.diagnosis, self.incident);
                return Ok(Exported::Summary(text));
            }
            Export::Markdown => self.report("md", Format::Markdown),
            Export::Json => self.report("json", Format::Json),
            Export::Capture => self.capture(),
        };
        written.map(|path| Exported::File(told(&path)))
    }

    /// The same bytes as `diagnose` writes.
    fn report(&self, extension: &str, format: Format) -> Result<PathBuf, String> {
        let stem = stem(self.diagnosis, self.incident);
        free(self.directory, &stem, extension, |path| {
            write(path, self.directory, |out| {
                report::write(format, Charset::Unicode, self.diagnosis, out)
            })
        })
    }

    fn capture(&self) -> Result<PathBuf, String> {
        let snapshot = self
            .facts
            .merged(&self.diagnosis.scope)
            .ok_or("nothing has been read yet that a capture could hold.")?;
        let stem = stem(self.diagnosis, self.incident);
        free(self.directory, &stem, "capture", |path| {
            capture::save(&snapshot, path, false).map(drop)
        })
    }
}

/// The closing report of a remedy, in a file of its own.
pub(super) fn closing(
    cluster: &Cluster,
    remedy: &Closing,
    directory: &Path,
    at: DateTime<Utc>,
) -> Result<Exported, String> {
    let goal = &remedy.course.goal;
    let parts = [
        "confsplit-remedy",
        &part(&goal.config.namespace),
        &part(&goal.config.name),
    ];
    let stem = format!("{}-{}", parts.join("-"), at.format("%Y%m%dT%H%MZ"));
    let text = report::closing(cluster, remedy);
    let path = free(directory, &stem, "md", |path| {
        write(path, directory, |out| out.write_all(text.as_bytes()))
    })?;
    Ok(Exported::File(told(&path)))
}

/// Writes a file whole, or not at all.
fn write(
    path: &Path,
    directory: &Path,
    text: impl Fn(&mut dyn Write) -> io::Result<()>,
) -> Result<(), SaveError> {
    let io = |error| SaveError::Io {
        path: path.to_owned(),
        error,
    };
    let mut file = tempfile::Builder::new()
        .prefix(".confsplit-")
        .tempfile_in(directory)
        .map_err(io)?;
    let mut out = BufWriter::new(file.as_file_mut());
    text(&mut out).map_err(io)?;
    out.flush().map_err(io)?;
    drop(out);
    file.persist_noclobber(path)
        .map(drop)
        .map_err(|failed| match failed.error.kind() {
            io::ErrorKind::AlreadyExists => SaveError::Exists(path.to_owned()),
            _ => io(failed.error),
        })
}

/// Writes under the first name that is free: nothing is ever written over.
fn free(
    directory: &Path,
    stem: &str,
    extension: &str,
    write: impl Fn(&Path) -> Result<(), SaveError>,
) -> Result<PathBuf, String> {
    for number in 1..=TRIES {
        let name = match number {
            1 => format!("{stem}.{extension}"),
            _ => format!("{stem}-{number}.{extension}"),
        };
        let path = directory.join(name);
        match write(&path) {
            Err(SaveError::Exists(_) | SaveError::NotAFile(_)) => {}
            Err(SaveError::Io { error, .. }) => return Err(refused(directory, &error)),
            Ok(()) => return Ok(path),
        }
    }
    Err(format!("{TRIES} files named {stem} are there already."))
}

/// The reason first and short: the line is cut at the screen's end.
fn refused(directory: &Path, error: &io::Error) -> String {
    let place = match directory.as_os_str().is_empty() {
        true => "the current directory".to_owned(),
        false => directory.display().to_string(),
    };
    let why = match error.kind() {
        io::ErrorKind::NotFound => "there is no directory",
        io::ErrorKind::NotADirectory => "it is no directory:",
        io::ErrorKind::PermissionDenied => "you may not write in",
        io::ErrorKind::ReadOnlyFilesystem => "read-only is",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "no space is left in",
        _ => return format!("{error}, in {place}; the setting `export` names another."),
    };
    format!("{why} {place}; the setting `export` names another.")
}

fn told(path: &Path) -> String {
    path.display().to_string()
}

/// `confsplit-shop-frontend-nginx-20261130T0912Z`: the scope, the config, and when it was read.
fn stem(diagnosis: &Diagnosis, incident: Option<&Incident>) -> String {
    let scope = diagnosis.scope.namespace.as_deref().unwrap_or("all");
    let mut parts = vec!["confsplit".to_owned(), part(scope)];
    parts.extend(incident.map(|incident| part(&incident.config.name)));
    parts.push(diagnosis.taken_at.format("%Y%m%dT%H%MZ").to_string());
    parts.join("-")
}

/// A capture may hold any name: what could leave the directory or hide in a listing becomes a dash.
fn part(name: &str) -> String {
    let safe = |c: char| {
        if c.is_ascii_alphanumeric() || matches!(c, '-' | '.') {
            c
        } else {
            '-'
        }
    };
    let name: String = name.chars().take(LONGEST).map(safe).collect();
    name.trim_matches('.').to_owned()
}

#[cfg(test)]
mod tests;
