//! Mounted files and folders: what `stat` and `ls -la` print of them, in the words of GNU's tools and of busybox'.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDateTime, Utc};

/// What `stat` told of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stat {
    pub(super) modified: Option<DateTime<Utc>>,
    pub(super) bytes: u64,
    /// `regular file`, `directory`, `fifo`, ...
    pub(super) kind: String,
}

impl Stat {
    /// Whether reading it is reading a file: a pipe may hang, a device may do anything.
    pub(super) fn is_file(&self) -> bool {
        self.kind.starts_with("regular")
    }
}

/// Lines of `1796041252 270 regular file /etc/hosts`.
pub(super) fn stats(printed: &str) -> BTreeMap<String, Stat> {
    let line = |line: &str| {
        let (modified, rest) = line.split_once(' ')?;
        let (bytes, rest) = rest.split_once(' ')?;
        // No kind of file has a slash in it.
        let at = rest.find(" /")?;
        let (kind, path) = rest.split_at(at);
        let stat = Stat {
            modified: DateTime::from_timestamp(modified.parse().ok()?, 0),
            bytes: bytes.parse().ok()?,
            kind: kind.to_owned(),
        };
        Some((path.get(1..)?.to_owned(), stat))
    };
    printed.lines().filter_map(line).collect()
}

/// Whether a program complains that a path is not there.
pub(super) fn is_missing(complaint: &str, path: &str) -> bool {
    let mut lines = complaint.lines();
    lines.any(|line| line.contains(path) && line.ends_with("No such file or directory"))
}

/// What a program complains about a path, without its own name and the path.
pub(super) fn complaint_about(complaint: &str, path: &str) -> Option<String> {
    let line = complaint.lines().find(|line| line.contains(path))?;
    line.rsplit(": ").next().map(str::to_owned)
}

/// The last swap of a mount's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Swap {
    pub(super) at: DateTime<Utc>,
    /// The folder's name, which no other swap has.
    name: String,
}

/// When the files of a mount were swapped last, by the name that `..data` leads to: `..2026_11_30_02_58_24.16304349`. The
/// kubelet writes it in UTC, by its node's clock. `None` where the folder is no such mount.
pub(super) fn swapped(listing: &str) -> Option<Swap> {
    let name = listing
        .lines()
        .find_map(|line| line.split_once(" ..data -> .."))?
        .1
        .trim();
    let (second, fraction) = name.split_once('.')?;
    let second = NaiveDateTime::parse_from_str(second, "%Y_%m_%d_%H_%M_%S").ok()?;
    // It is the random part of a temporary folder's name, not a fraction of the second.
    let random = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    random.then(|| Swap {
        at: second.and_utc(),
        name: name.to_owned(),
    })
}

#[cfg(test)]
mod tests;
