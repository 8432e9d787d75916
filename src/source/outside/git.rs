//! `--git REPO:PATH@REV`: a manifest as a revision of a clone holds it, read by the user's own git.

use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::str::FromStr;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::Command;

use super::manifest::{self, LARGEST};
use super::{About, Loaded};
use crate::model::{Found, Origin, Outside};
use crate::source::SourceError;

/// git reads a clone on this machine: what takes longer waits for something.
const LIMIT: Duration = Duration::from_secs(20);
/// As much of what it complains of is shown.
const COMPLAINT: usize = 300;

/// A file at a revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitPlace {
    pub repository: PathBuf,
    pub path: String,
    pub revision: String,
}

/// As `--git` takes it. A revision may hold `@{1}`, and a path on Windows begins with a drive.
impl FromStr for GitPlace {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const EXPECTED: &str = "expected REPO:PATH@REV, such as .:deploy/cm.yaml@HEAD~1";
        let drive = text.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
            && matches!(text.get(1..3), Some(":\\" | ":/"));
        let from = if drive { 2 } else { 0 };
        let colon = text.get(from..).and_then(|rest| rest.find(':'));
        let Some(colon) = colon.map(|at| at + from) else {
            return Err(format!("it names no path; {EXPECTED}"));
        };
        let (repository, rest) = (&text[..colon], &text[colon + 1..]);
        let at = rest.rmatch_indices('@').map(|(at, _)| at);
        let Some(at) = at.into_iter().find(|at| !rest[at + 1..].starts_with('{')) else {
            return Err(format!("it names no revision; {EXPECTED}"));
        };
        let (path, revision) = (&rest[..at], &rest[at + 1..]);
        if repository.is_empty() || path.is_empty() || revision.is_empty() {
            return Err(format!("a part of it is empty; {EXPECTED}"));
        }
        if path.starts_with("//") {
            return Err(format!(
                "the repository is a clone's folder, not a URL; {EXPECTED}"
            ));
        }
        // git would take it for an option.
        if revision.starts_with('-') {
            return Err(format!("no revision begins with a dash; {EXPECTED}"));
        }
        Ok(Self {
            repository: repository.into(),
            path: path.to_owned(),
            revision: revision.to_owned(),
        })
    }
}

impl std::fmt::Display for GitPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let repository = self.repository.display();
        write!(f, "{repository}:{}@{}", self.path, self.revision)
    }
}

pub(super) async fn read(place: &GitPlace, about: &About) -> Result<Loaded, SourceError> {
    if !place.repository.is_dir() {
        return Err(SourceError {
            message: format!(
                "--git {place}: {} is no folder.",
                place.repository.display()
            ),
            hint: Some("Name a clone on this machine; nothing is fetched.".to_owned()),
        });
    }
    let commit = format!("{}^{{commit}}", place.revision);
    let commit = run(
        place,
        &["rev-parse", "--verify", "--end-of-options", &commit],
    )
    .await?;
    let commit = String::from_utf8_lossy(&commit).trim().to_owned();
    let object = format!("{commit}:{}", place.path);
    let kind = run(place, &["cat-file", "-t", &object]).await?;
    if kind.trim_ascii() != b"blob" {
        return Err(SourceError {
            message: format!("--git {place}: the path is no file at that revision."),
            hint: Some("Name one manifest, not a folder.".to_owned()),
        });
    }
    let bytes = run(place, &["cat-file", "blob", &object]).await?;
    let found = manifest::in_scope(&bytes, about).map_err(|wrong| SourceError {
        message: format!("--git {place} cannot be used: {}.", wrong.what),
        hint: Some(wrong.hint),
    })?;
    let origin = Origin::Git {
        repository: place.repository.display().to_string(),
        path: place.path.clone(),
        revision: place.revision.clone(),
        commit,
    };
    let found = found.into_iter().map(|(config, content)| Found {
        config,
        content,
        origin: origin.clone(),
        // A commit's time says nothing of when it was applied.
        at: None,
    });
    Ok(Loaded {
        outside: Outside {
            found: found.collect(),
            ..Outside::default()
        },
        gaps: Vec::new(),
    })
}

/// What git prints. It may ask nobody, fetch nothing, and run nothing of what the clone's configuration names.
fn command(place: &GitPlace, arguments: &[&str]) -> Command {
    let mut git = Command::new("git");
    git.arg("--no-pager")
        .args(["-c", "core.fsmonitor=false"])
        .args(["-c", "core.hooksPath="])
        .args(["-c", "protocol.allow=never"])
        .arg("-C")
        .arg(&place.repository)
        .args(arguments)
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    // Inside a hook these would name another repository than the one that was asked for.
    for variable in [
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_NAMESPACE",
        "GIT_PREFIX",
        "GIT_TRACE",
    ] {
        git.env_remove(variable);
    }
    git
}

async fn run(place: &GitPlace, arguments: &[&str]) -> Result<Vec<u8>, SourceError> {
    let error = |what: String, hint: &str| SourceError {
        message: format!("--git {place}: {what}."),
        hint: Some(hint.to_owned()),
    };
    let mut child = command(place, arguments).spawn().map_err(|failed| {
        if failed.kind() == io::ErrorKind::NotFound {
            error(
                "there is no git in PATH".to_owned(),
                "Install git, or give the old manifest as a file with --previous.",
            )
        } else {
            error(format!("git could not be run: {failed}"), "Check your git.")
        }
    })?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let all = async {
        let (out, err) = tokio::join!(some(out, LARGEST + 1), some(err, 64 << 10));
        (out, err, child.wait().await)
    };
    let Ok((out, err, status)) = tokio::time::timeout(LIMIT, all).await else {
        return Err(error(
            format!("git gave no answer in {} s", LIMIT.as_secs()),
            "Try it yourself: `git show REV:PATH` in that folder.",
        ));
    };
    if out.len() as u64 > LARGEST {
        return Err(error(
            "the file is larger than 16 MiB, so no manifest of ConfigMaps".to_owned(),
            "Name a manifest.",
        ));
    }
    if status.is_ok_and(|status| status.success()) {
        return Ok(out);
    }
    let said = String::from_utf8_lossy(&err);
    let said = said.lines().next().unwrap_or("it failed without a word");
    let said: String = said
        .trim_start_matches("fatal: ")
        .chars()
        .take(COMPLAINT)
        .collect();
    Err(error(
        format!("git says: {}", said.trim_end_matches('.')),
        "Check the folder, the revision, and the path from the repository's root.",
    ))
}

/// What comes through a pipe, so much of it at most; the rest is read and let go, so that nobody waits.
async fn some(pipe: Option<impl AsyncReadExt + Unpin>, most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        // A pipe that breaks off shows in how git ended.
        let _ = (&mut pipe).take(most).read_to_end(&mut bytes).await;
        let _ = tokio::io::copy(&mut pipe, &mut tokio::io::sink()).await;
    }
    bytes
}

#[cfg(test)]
mod tests;
