//! Processes of a container, as `/proc` tells them: names, starts, and whether they watch files.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};

use crate::model::Process;

/// The numbers in a listing of `/proc`, the smallest first.
pub(super) fn pids(listing: &str) -> Vec<u32> {
    let mut pids: Vec<u32> = listing
        .split_whitespace()
        .filter_map(|name| name.parse().ok())
        .collect();
    pids.sort_unstable();
    pids
}

/// When the node was booted, by its clock: `btime` of `/proc/stat`.
pub(super) fn booted(stat: &str) -> Option<DateTime<Utc>> {
    let line = stat.lines().find_map(|line| line.strip_prefix("btime "))?;
    DateTime::from_timestamp(line.trim().parse().ok()?, 0)
}

/// The processes in what `cat /proc/PID/stat…` printed, but for those that read all this.
pub(super) fn parse(
    stats: &str,
    booted: DateTime<Utc>,
    watches: &BTreeMap<u32, bool>,
) -> Vec<Process> {
    let parsed = stats.lines().filter_map(|line| process(line, booted));
    let ours = |parent: u32, process: &Process| {
        // Processes that an exec started have their parent outside, as PID 1 has.
        let reads = ["cat", "ls", "stat", "env", "printenv"].contains(&process.name.as_str());
        parent == 0 && process.pid != 1 && reads
    };
    parsed
        .filter(|(parent, process)| !ours(*parent, process))
        .map(|(_, process)| Process {
            watches: watches.get(&process.pid).copied(),
            ..process
        })
        .collect()
}

/// `7 (nginx: worker) S 1 …`: a name may hold blanks and parentheses, so the last one ends it. The start is the 22nd field,
/// in hundredths of a second since the boot (USER_HZ is 100 wherever Kubernetes runs).
fn process(line: &str, booted: DateTime<Utc>) -> Option<(u32, Process)> {
    let (pid, rest) = line.split_once(" (")?;
    let (name, fields) = rest.rsplit_once(") ")?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    // One that is over, and only not yet reaped.
    if matches!(*fields.first()?, "Z" | "X") {
        return None;
    }
    let parent = fields.get(1)?.parse().ok()?;
    let ticks: i64 = fields.get(19)?.parse().ok()?;
    let since = TimeDelta::try_milliseconds(ticks.checked_mul(10)?)?;
    let process = Process {
        pid: pid.parse().ok()?,
        name: name.to_owned(),
        started_at: booted.checked_add_signed(since)?,
        watches: None,
    };
    Some((parent, process))
}

/// Which of these processes hold an inotify instance, by what `ls -l /proc/PID/fd…` printed. One whose handles could not all
/// be seen is not in it, unless one that was seen is such.
pub(super) fn watches(listing: &str, asked: &[u32]) -> BTreeMap<u32, bool> {
    let mut found = BTreeMap::new();
    // A single folder is listed without its name above.
    let mut of = match asked {
        [only] => Some(*only),
        _ => None,
    };
    let mut hidden = Vec::new();
    for line in listing.lines() {
        if let Some(folder) = line.strip_prefix("/proc/") {
            let pid = folder.strip_suffix("/fd:").and_then(|pid| pid.parse().ok());
            of = pid.filter(|pid| asked.contains(pid));
            continue;
        }
        let (Some(pid), false) = (of, line.is_empty() || line.starts_with("total ")) else {
            continue;
        };
        match line.split_once(" -> ") {
            Some((_, what)) => {
                *found.entry(pid).or_insert(false) |= what.trim().starts_with("anon_inode:inotify");
            }
            None => hidden.push(pid),
        }
    }
    found.retain(|pid, watches| *watches || !hidden.contains(pid));
    found
}

#[cfg(test)]
mod tests;
