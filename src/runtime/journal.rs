//! What is written to a cluster, on disk before and after: the object as it was, and a line for each write.
//!
//! ```text
//! {"schema": "confsplit.journal/v1", "at", "context", "server", "plan", "config": {…}, "workload": {…}, "meant", "target", "before", "saved": {the object}}
//! {"at", "state": "sent", "write"}
//! {"at", "state": "done", "write", "resourceVersion"}      or {"at", "state": "failed", "write", "why"}
//! {"at", "state": "closed" | "stopped" | "undone", "why"}  the last line, where it came to an end
//! ```

mod read;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, SecondsFormat, Utc};
use etcetera::BaseStrategy;
use serde_json::{Value, json};

pub use self::read::{find, left};
use crate::model::Content;
use crate::remedy::{Heading, Write, WriteError, Written};

const SCHEMA: &str = "confsplit.journal/v1";

/// Where journals are kept; without a folder nothing is kept, as on a cluster in memory, which is gone before them.
#[derive(Debug, Clone)]
pub struct Journal {
    folder: Option<PathBuf>,
    /// There is no place for it: nothing can be written then.
    nowhere: Option<String>,
    open: Arc<Mutex<Option<File>>>,
}

impl Journal {
    pub fn at(folder: Option<PathBuf>) -> Self {
        Self {
            folder,
            nowhere: None,
            open: Arc::default(),
        }
    }

    /// That of this user. Where there is no place for one it refuses to begin, since nothing is written without a journal.
    pub fn own() -> Self {
        match etcetera::choose_base_strategy() {
            Ok(places) => {
                let place = places.state_dir().unwrap_or_else(|| places.data_dir());
                Self::at(Some(place.join("confsplit").join("journal")))
            }
            Err(_) => Self {
                nowhere: Some("no home directory is known".to_owned()),
                ..Self::at(None)
            },
        }
    }

    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Begins a journal with the object as it was. On disk before it comes back.
    pub fn begin(&self, heading: &Heading, now: DateTime<Utc>) -> Result<(), WriteError> {
        if let Some(why) = &self.nowhere {
            return Err(WriteError::Journal(why.clone()));
        }
        let Some(folder) = &self.folder else {
            return Ok(());
        };
        let failed = |error: io::Error| WriteError::Journal(error.to_string());
        make_folder(folder).map_err(failed)?;
        let stamp = now.format("%Y%m%dT%H%M%S%.3fZ");
        let path = folder.join(format!(
            "{stamp}-{}-{}.jsonl",
            heading.config.namespace, heading.config.name
        ));
        let mut options = OpenOptions::new();
        options.create_new(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&path).map_err(failed)?;
        let line = head(heading, now);
        append(&mut file, &line).map_err(failed)?;
        sync_folder(folder).map_err(failed)?;
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = Some(file);
        Ok(())
    }

    /// Goes on with one that is there.
    pub fn go_on(&self, name: &str) -> io::Result<()> {
        let Some(folder) = &self.folder else {
            return Ok(());
        };
        let mut file = OpenOptions::new().append(true).open(folder.join(name))?;
        // A crash may have cut the last line off: the next one begins its own.
        file.write_all(b"\n")?;
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = Some(file);
        Ok(())
    }

    /// Before a write is sent. What cannot be written down is not sent.
    pub fn sent(&self, write: &Write, now: DateTime<Utc>) -> Result<(), WriteError> {
        self.line(json!({"at": time(now), "state": "sent", "write": write.to_string()}))
    }

    /// After it.
    pub fn came_to(
        &self,
        write: &Write,
        outcome: &Result<Written, WriteError>,
        now: DateTime<Utc>,
    ) -> Result<(), WriteError> {
        let (at, write) = (time(now), write.to_string());
        self.line(match outcome {
            Ok(done) => json!({"at": at, "state": "done", "write": write, "resourceVersion": done.resource_version}),
            Err(error) => json!({"at": at, "state": "failed", "write": write, "why": error.to_string()}),
        })
    }

    /// At its end: `closed`, `stopped` or `undone`.
    pub fn end(&self, state: &str, why: &str, now: DateTime<Utc>) -> Result<(), WriteError> {
        self.line(json!({"at": time(now), "state": state, "why": why}))?;
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(())
    }

    fn line(&self, line: Value) -> Result<(), WriteError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        match (open.as_mut(), &self.folder) {
            (Some(file), _) => {
                append(file, &line).map_err(|error| WriteError::Journal(error.to_string()))
            }
            // What writes no content has nothing that could be undone.
            (None, _) => Ok(()),
        }
    }
}

fn append(file: &mut File, line: &Value) -> io::Result<()> {
    let mut text = line.to_string();
    text.push('\n');
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// What it holds is nobody else's business.
fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// The name of a new file is on disk only once its folder is.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

fn time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

fn head(heading: &Heading, now: DateTime<Utc>) -> Value {
    json!({
        "schema": SCHEMA,
        "at": time(now),
        "context": heading.context,
        "server": heading.server,
        "plan": heading.kind.as_str(),
        "config": {"kind": heading.config.kind.as_str(), "namespace": heading.config.namespace, "name": heading.config.name},
        "workload": {"kind": heading.workload.kind, "name": heading.workload.name},
        "meant": heading.meant,
        "target": content(&heading.target),
        "before": content(&heading.before),
        "saved": serde_json::from_str::<Value>(&heading.saved).unwrap_or_default(),
    })
}

fn content(content: &Content) -> Value {
    match content {
        Content::Plain { data, binary } => {
            let binary = binary
                .iter()
                .map(|(key, bytes)| (key.clone(), Value::from(STANDARD.encode(bytes))));
            json!({"data": data, "binaryData": binary.collect::<serde_json::Map<_, _>>()})
        }
        // No Secret is written, so none is kept.
        Content::Hashed(_) => Value::Null,
    }
}

#[cfg(test)]
mod tests;
