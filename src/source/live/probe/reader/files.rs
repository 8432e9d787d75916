//! The mounted files of one container: looked at first, and read where they are files of a sane size.

use std::collections::{BTreeMap, BTreeSet};

use futures::future::join_all;

use super::{MOST, NO_PATH, Reader, TOO_LONG, absent};
use crate::model::{ProbeReads, ProbedFile};
use crate::source::live::probe::commands::{self, FILES};
use crate::source::live::probe::exec::End;
use crate::source::live::probe::held;
use crate::source::live::probe::mounts::{self, Stat};
use crate::source::live::secrets::Vault;
use crate::text::harmless;

/// What a look at a file came to.
enum Looked {
    There(ProbedFile),
    Missing(String),
}

impl Reader<'_> {
    /// The files that were asked for and are there, and those that are not.
    pub(in crate::source::live::probe) async fn files(
        &self,
        reads: &ProbeReads,
        vault: &Vault,
    ) -> (Vec<ProbedFile>, Vec<String>) {
        let all: BTreeSet<&str> = reads
            .files
            .union(&reads.secret_files)
            .map(String::as_str)
            .collect();
        let (mut paths, odd): (Vec<&str>, Vec<&str>) =
            all.into_iter().partition(|path| commands::is_path(path));
        odd.into_iter().for_each(|path| self.lacks(path, NO_PATH));
        if paths.len() > FILES {
            let more = format!("{} of its files", paths.len() - FILES);
            self.lacks(&more, format!("{FILES} at most are read"));
            paths.truncate(FILES);
        }
        let Some(stats) = self.stats(&paths).await else {
            return (Vec::new(), Vec::new());
        };
        let looks = paths.into_iter().map(|path| {
            let unknown = || Err(Why::Refused("`stat` tells nothing of it".to_owned()));
            let stat = stats.get(path).cloned().unwrap_or_else(unknown);
            self.file(path, stat, reads.secret_files.contains(path), vault)
        });
        let (mut files, mut missing) = (Vec::new(), Vec::new());
        for looked in join_all(looks).await.into_iter().flatten() {
            match looked {
                Looked::There(file) => files.push(file),
                Looked::Missing(path) => missing.push(path),
            }
        }
        (files, missing)
    }

    /// What `stat` says of each; `Err` is why it says nothing of one. Without it nothing is read: nothing else tells a file from
    /// a pipe, and a command that waits for a pipe's other end stays in the container when its time is over.
    async fn stats(&self, paths: &[&str]) -> Option<BTreeMap<String, Result<Stat, Why>>> {
        if paths.is_empty() {
            return None;
        }
        let argv = commands::stat(paths);
        let ran = self.run(&argv).await?;
        let why = match &ran.end {
            End::Fine | End::Failed(_) => None,
            End::Absent => Some(absent(&argv)),
            End::TooLong => Some(TOO_LONG.to_owned()),
            End::Refused(why) => Some(harmless(why).into_owned()),
        };
        if let Some(why) = why {
            paths.iter().for_each(|path| self.lacks(path, why.clone()));
            return None;
        }
        let told = mounts::stats(&String::from_utf8_lossy(&ran.out));
        let mut all: BTreeMap<String, Result<Stat, Why>> = told
            .into_iter()
            .map(|(path, stat)| (path, Ok(stat)))
            .collect();
        for path in paths
            .iter()
            .filter(|path| !all.contains_key(**path))
            .collect::<Vec<_>>()
        {
            let why = if mounts::is_missing(&ran.complaint, path) {
                Why::Missing
            } else if let Some(why) = mounts::complaint_about(&ran.complaint, path) {
                Why::Refused(why)
            } else {
                continue;
            };
            all.insert((*path).to_owned(), Err(why));
        }
        Some(all)
    }

    async fn file(
        &self,
        path: &str,
        stat: Result<Stat, Why>,
        secret: bool,
        vault: &Vault,
    ) -> Option<Looked> {
        let stat = match stat {
            Ok(stat) => stat,
            Err(Why::Missing) => return Some(Looked::Missing(path.to_owned())),
            Err(Why::Refused(why)) => {
                self.lacks(path, harmless(&why));
                return None;
            }
        };
        if !stat.is_file() {
            self.lacks(
                path,
                format!("it is no file, but: {}", harmless(&stat.kind)),
            );
            return None;
        }
        if stat.bytes > MOST as u64 {
            self.lacks(path, TOO_LONG);
            return None;
        }
        let argv = commands::file(path);
        let ran = self.run(&argv).await?;
        match ran.end {
            End::Fine => Some(Looked::There(ProbedFile {
                path: path.to_owned(),
                held: held(&ran.out, secret, path, vault),
                modified: stat.modified,
            })),
            End::Failed(_) if mounts::is_missing(&ran.complaint, path) => {
                Some(Looked::Missing(path.to_owned()))
            }
            End::Failed(_) => {
                let why = mounts::complaint_about(&ran.complaint, path);
                let why = why.unwrap_or_else(|| "it could not be read".to_owned());
                self.lacks(path, harmless(&why));
                None
            }
            End::Absent => {
                self.lacks(path, absent(&argv));
                None
            }
            End::TooLong => {
                self.lacks(path, TOO_LONG);
                None
            }
            End::Refused(why) => {
                self.lacks(path, harmless(&why));
                None
            }
        }
    }
}

/// Why nothing is known of a file.
#[derive(Debug, Clone)]
enum Why {
    Missing,
    Refused(String),
}
