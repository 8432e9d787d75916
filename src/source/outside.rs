//! Old contents from outside the API, as the user's flags name them: audit logs, manifests, captures, and git revisions.

mod audit;
mod git;
pub(crate) mod manifest;
mod previous;

use std::path::{Path, PathBuf};

pub use git::GitPlace;

use super::SourceError;
use crate::model::{Gap, GapReason, Outside, Snapshot};

/// What the flags name.
#[derive(Debug, Clone, Default)]
pub struct Given {
    pub audit: Vec<PathBuf>,
    pub previous: Vec<PathBuf>,
    pub git: Vec<GitPlace>,
}

/// What it is read for.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// `None` is every namespace.
    pub namespace: Option<String>,
    /// The API server's address: resourceVersions of another cluster give no order here.
    pub server: String,
}

/// What came of it, and what could not be used of it.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    pub outside: Outside,
    pub gaps: Vec<Gap>,
}

impl Given {
    pub fn is_empty(&self) -> bool {
        self.audit.is_empty() && self.previous.is_empty() && self.git.is_empty()
    }

    /// Reads all of it. A source that the user named and that cannot be used at all is an error; parts of one are gaps.
    pub async fn load(self, about: About) -> Result<Loaded, SourceError> {
        let mut all = Loaded::default();
        if self.is_empty() {
            return Ok(all);
        }
        for place in &self.git {
            all.add(git::read(place, &about).await?);
        }
        let files = tokio::task::spawn_blocking(move || files(&self, &about));
        let files = files.await.map_err(|_| SourceError {
            message: "Reading the files that were named broke off.".to_owned(),
            hint: None,
        })??;
        all.add(files);
        Ok(all)
    }
}

fn files(given: &Given, about: &About) -> Result<Loaded, SourceError> {
    let mut all = Loaded::default();
    for path in &given.previous {
        all.add(previous::read(path, about)?);
    }
    if !given.audit.is_empty() {
        all.add(audit::read(&given.audit, about)?);
    }
    Ok(all)
}

impl Loaded {
    pub fn add(&mut self, other: Self) {
        self.outside.add(other.outside);
        self.gaps.extend(other.gaps);
    }

    /// Puts it among the facts of a snapshot.
    pub fn into_snapshot(self, snapshot: &mut Snapshot) {
        snapshot.outside.add(self.outside);
        for gap in self.gaps {
            if !snapshot.gaps.contains(&gap) {
                snapshot.gaps.push(gap);
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.outside == Outside::default() && self.gaps.is_empty()
    }
}

/// Something that a file does not tell, though it was asked for.
fn gap(resource: &str, path: &Path, about: &About, why: String) -> Gap {
    Gap {
        verb: "read".to_owned(),
        resource: resource.to_owned(),
        namespace: about.namespace.clone(),
        name: Some(path.display().to_string()),
        reason: GapReason::Bounded(why),
    }
}

/// A file that is not there, or may not be read.
fn unreadable(path: &Path, error: &std::io::Error) -> SourceError {
    SourceError {
        message: format!("{} could not be read: {error}.", path.display()),
        hint: Some("Check the path and that you may read the file.".to_owned()),
    }
}
