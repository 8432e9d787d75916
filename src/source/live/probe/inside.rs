//! What is read in one container, and read again where the kubelet swaps files meanwhile.

use std::collections::BTreeMap;
use std::path::Path;

use super::Asked;
use super::mounts::Swap;
use super::reader::Reader;
use crate::model::{Probe, ProbeReads, ProbedFile, Process};
use crate::source::live::Live;
use crate::source::live::secrets::Vault;

type Swaps = BTreeMap<String, Swap>;

/// Files and processes, and the swaps of the mounts around each.
///
/// The time of a swap beside files of the next would date those wrongly, files of both would be of no revision that ever was, and
/// a process may have started after a swap that was seen by nobody.
struct Round {
    before: Swaps,
    files: Vec<ProbedFile>,
    missing: Vec<String>,
    with_files: Swaps,
    processes: Option<Vec<Process>>,
    with_processes: Swaps,
}

impl Round {
    async fn new(reader: &Reader<'_>, reads: &ProbeReads, vault: &Vault, before: Swaps) -> Self {
        // Each has its own second look: what hangs in one costs nothing of the other.
        let files = async {
            let (files, missing) = reader.files(reads, vault).await;
            (files, missing, reader.folders(reads).await)
        };
        let processes = async {
            let processes = reader.processes(reads).await;
            let swaps = match processes {
                Some(_) => reader.folders(reads).await,
                None => before.clone(),
            };
            (processes, swaps)
        };
        let ((files, missing, with_files), (processes, with_processes)) =
            futures::join!(files, processes);
        Self {
            before,
            files,
            missing,
            with_files,
            processes,
            with_processes,
        }
    }

    /// The swaps that the next round begins with, where one was seen in this.
    fn next(&self) -> Option<&Swaps> {
        let others = [&self.with_processes, &self.with_files];
        others.into_iter().find(|swaps| {
            let swapped = |(folder, swap): (&String, &Swap)| {
                self.before.get(folder).is_some_and(|before| before != swap)
            };
            swaps.iter().any(swapped)
        })
    }

    /// Lets go of what was not read between the same swaps.
    fn settle(&mut self, reader: &Reader<'_>, reads: &ProbeReads) {
        let moved = |folder: &&String| self.before.get(*folder) != self.with_files.get(*folder);
        for folder in reads.folders.iter().filter(moved) {
            let below = |path: &str| Path::new(path).starts_with(folder);
            self.files.retain(|file| !below(&file.path));
            self.missing.retain(|path| !below(path));
            let both = self.before.contains_key(folder) && self.with_files.contains_key(folder);
            let why = if both {
                "they were swapped while they were read"
            } else {
                "it is not known whether they were swapped while they were read"
            };
            reader.lacks(&format!("the files in {folder}"), why);
        }
        let others = [&self.with_files, &self.with_processes];
        self.before
            .retain(|folder, swap| others.iter().all(|swaps| swaps.get(folder) == Some(swap)));
    }
}

pub(super) async fn read(live: &Live, reader: &Reader<'_>, asked: &Asked<'_>) -> Probe {
    let (reads, vault) = (asked.reads, &live.vault);
    let read_at = live.clock.now();
    let files = async {
        let before = reader.folders(reads).await;
        let mut round = Round::new(reader, reads, vault, before).await;
        if let Some(before) = round.next().cloned() {
            // The kubelet swaps a mount once in a minute at most.
            round = Round::new(reader, reads, vault, before).await;
        }
        round.settle(reader, reads);
        round
    };
    let (env, sockets, round) = futures::join!(
        reader.environment(reads, vault),
        reader.sockets(reads),
        files
    );
    Probe {
        pod: asked.pod.clone(),
        container: asked.container.to_owned(),
        config: asked.config.clone(),
        run: asked.run.to_owned(),
        read_at,
        env,
        files: round.files,
        missing: round.missing,
        swapped: round.before.into_iter().map(|(f, s)| (f, s.at)).collect(),
        processes: round.processes,
        sockets,
        gaps: Vec::new(),
    }
}
