//! Runs the commands for one container, a few at once, until all is read or its time is over.

mod files;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

use futures::future::join_all;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use super::commands::{self, Argv, PROCESSES};
use super::exec::{End, Ran, exec};
use super::mounts::{self, Swap};
use super::{environment, listed, processes, sockets};
use crate::model::{GapReason, Held, PodRef, ProbeReads, Process, Socket};
use crate::source::live::request::{Api, timed_out};
use crate::source::live::secrets::Vault;
use crate::text::harmless;

/// No file and no output of a command is read further.
const MOST: usize = 1 << 20;
const TOO_LONG: &str = "it is longer than 1 MiB";
const NO_PATH: &str = "it is no path of a mount";
/// Commands under way in one container.
const AT_ONCE: usize = 4;

/// What did not work, so far.
#[derive(Default)]
struct Trouble {
    /// Nothing can be run in this container.
    whole: Option<GapReason>,
    /// The time was over.
    late: bool,
    /// Requests that failed after others had not.
    reasons: BTreeSet<GapReason>,
    /// What is missing, by why.
    parts: BTreeMap<String, BTreeSet<String>>,
}

/// One container, while it is read.
pub(super) struct Reader<'a> {
    api: &'a Api,
    pod: &'a PodRef,
    container: &'a str,
    limit: Duration,
    deadline: Instant,
    /// Room for one command, until that shows that commands can be run here.
    room: Semaphore,
    ran: Once,
    trouble: Mutex<Trouble>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(api: &'a Api, pod: &'a PodRef, container: &'a str, limit: Duration) -> Self {
        Self {
            api,
            pod,
            container,
            limit,
            deadline: Instant::now() + limit,
            room: Semaphore::new(1),
            ran: Once::new(),
            trouble: Mutex::default(),
        }
    }

    /// What could not be read of it; an error where nothing could.
    pub(super) fn outcome(self) -> Result<Vec<GapReason>, GapReason> {
        let trouble = self.trouble.into_inner();
        let trouble = trouble.unwrap_or_else(PoisonError::into_inner);
        if let Some(reason) = trouble.whole {
            return Err(reason);
        }
        let late = trouble.late.then(|| timed_out(self.limit));
        if let Some(late) = late.clone().filter(|_| !self.ran.is_completed()) {
            return Err(late);
        }
        let parts = trouble.parts.into_iter().map(|(why, parts)| {
            let parts = listed(&parts);
            GapReason::Bounded(format!("container {}: {parts}: {why}", self.container))
        });
        Ok(late
            .into_iter()
            .chain(trouble.reasons)
            .chain(parts)
            .collect())
    }

    fn trouble(&self) -> MutexGuard<'_, Trouble> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a part could not be read, and why.
    pub(super) fn lacks(&self, part: &str, why: impl Into<String>) {
        let mut trouble = self.trouble();
        let parts = trouble.parts.entry(why.into()).or_default();
        parts.insert(harmless(part).into_owned());
    }

    /// Runs a command within what is left of the time. `None` where nothing came of it, which is noted.
    async fn run(&self, argv: &Argv) -> Option<Ran> {
        let whole = async {
            // Closed once it is known that nothing can be run.
            let _permit = self.room.acquire().await.ok()?;
            match exec(self.api, self.pod, self.container, argv, MOST).await {
                Ok(ran) => {
                    self.ran.call_once(|| self.room.add_permits(AT_ONCE - 1));
                    Some(ran)
                }
                Err(reason) => {
                    self.failed(reason);
                    None
                }
            }
        };
        match timeout_at(self.deadline, whole).await {
            Ok(ran) => ran,
            Err(_) => {
                self.trouble().late = true;
                None
            }
        }
    }

    fn failed(&self, reason: GapReason) {
        let refused = matches!(
            reason,
            GapReason::Unauthorized | GapReason::Forbidden | GapReason::NotFound
        );
        let mut trouble = self.trouble();
        if refused || !self.ran.is_completed() {
            trouble.whole.get_or_insert(reason);
            self.room.close();
        } else {
            trouble.reasons.insert(reason);
        }
    }

    /// The output of a command that must succeed; of one that must not, whatever it printed.
    async fn output(&self, argv: &Argv, part: &str, wholly: bool) -> Option<Ran> {
        let ran = self.run(argv).await?;
        match &ran.end {
            End::Fine => return Some(ran),
            End::Failed(_) if !wholly => return Some(ran),
            End::Failed(code) => {
                let name = argv.first().map_or("", String::as_str);
                self.lacks(part, format!("`{name}` ended with {code}"));
            }
            End::Absent => self.lacks(part, absent(argv)),
            End::TooLong => self.lacks(part, TOO_LONG),
            End::Refused(why) => self.lacks(part, harmless(why)),
        }
        None
    }

    pub(super) async fn environment(
        &self,
        reads: &ProbeReads,
        vault: &Vault,
    ) -> Option<BTreeMap<String, Option<Held>>> {
        if reads.env.is_empty() && reads.secret_env.is_empty() {
            return None;
        }
        const PART: &str = "its environment";
        let mut why = "the image has no `cat`, no `env` and no `printenv`";
        for argv in commands::environment() {
            let ran = self.run(&argv).await?;
            match ran.end {
                End::Fine => return Some(environment::parse(&ran.out, reads, vault)),
                End::Absent => {}
                End::Failed(_) => why = "`cat`, `env` and `printenv` fail or are not in the image",
                End::TooLong => {
                    self.lacks(PART, TOO_LONG);
                    return None;
                }
                End::Refused(why) => {
                    self.lacks(PART, harmless(&why));
                    return None;
                }
            }
        }
        self.lacks(PART, why);
        None
    }

    pub(super) async fn folders(&self, reads: &ProbeReads) -> BTreeMap<String, Swap> {
        let all = reads.folders.iter().map(|folder| async move {
            let part = format!("when {folder} was swapped");
            if !commands::is_path(folder) {
                self.lacks(&part, NO_PATH);
                return None;
            }
            let argv = commands::folder(folder);
            let ran = self.output(&argv, &part, false).await?;
            let at = mounts::swapped(&String::from_utf8_lossy(&ran.out))?;
            Some((folder.clone(), at))
        });
        join_all(all).await.into_iter().flatten().collect()
    }

    pub(super) async fn processes(&self, reads: &ProbeReads) -> Option<Vec<Process>> {
        if !reads.processes {
            return None;
        }
        const PART: &str = "its processes";
        let (boot, pids) = (commands::boot(), commands::pids());
        let (boot, pids) = futures::join!(
            self.output(&boot, PART, true),
            self.output(&pids, PART, false)
        );
        let (boot, pids) = (boot?, pids?);
        let Some(boot) = processes::booted(&String::from_utf8_lossy(&boot.out)) else {
            self.lacks(PART, "/proc/stat tells no time of the boot");
            return None;
        };
        let mut pids = processes::pids(&String::from_utf8_lossy(&pids.out));
        if pids.len() > PROCESSES {
            let more = format!("{} of its processes", pids.len() - PROCESSES);
            self.lacks(&more, format!("{PROCESSES} at most are read"));
            pids.truncate(PROCESSES);
        }
        if pids.is_empty() {
            self.lacks(PART, "none is to be seen in /proc");
            return None;
        }
        let (stats, handles) = (commands::stats(&pids), commands::handles(&pids));
        let (stats, handles) = futures::join!(
            // One that ended meanwhile fails alone.
            self.output(&stats, PART, false),
            self.output(&handles, "which processes watch files", false)
        );
        let watches = handles.map_or_else(BTreeMap::new, |ran| {
            processes::watches(&String::from_utf8_lossy(&ran.out), &pids)
        });
        let stats = stats?;
        let text = String::from_utf8_lossy(&stats.out);
        Some(processes::parse(&text, boot, &watches))
    }

    pub(super) async fn sockets(&self, reads: &ProbeReads) -> Option<Vec<Socket>> {
        if !reads.sockets {
            return None;
        }
        // Without IPv6 there is no second table, and `cat` complains.
        let argv = commands::sockets();
        let ran = self.output(&argv, "its connections", false).await?;
        if ran.out.is_empty() {
            self.lacks("its connections", "/proc/net/tcp cannot be read");
            return None;
        }
        Some(sockets::parse(&String::from_utf8_lossy(&ran.out)))
    }
}

fn absent(argv: &Argv) -> String {
    let name = argv.first().map_or("", String::as_str);
    format!("the image has no `{name}`")
}
