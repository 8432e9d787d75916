//! The fixed list: every command that is ever run in a container, word by word. There is no shell, and nothing is written.
//!
//! The HTTP layer asks [`is_listed`] of each exec before it leaves, whatever made it; what the user is shown before agreeing
//! is made from the same table.

/// Files that are read in one container.
pub(in crate::source::live) const FILES: usize = 32;
/// Processes that are looked at in one container.
pub(in crate::source::live) const PROCESSES: usize = 64;
/// What `stat` is to tell of a file, in a form that GNU's and busybox' have in common: seconds, bytes, kind and name.
const FORMAT: &str = "%Y %s %F %n";
const LONGEST_PATH: usize = 4096;

/// A word of a command.
#[derive(Debug, Clone, Copy)]
enum Word {
    This(&'static str),
    /// A file or folder of a mount.
    Path,
    /// So many of them at most.
    Paths(usize),
    /// `/proc/PID/…`, so many at most.
    Processes(&'static str, usize),
}

use Word::{Path, Paths, Processes, This};

/// One command, and what it is run for.
struct Row {
    words: &'static [Word],
    why: &'static str,
}

#[rustfmt::skip] // one row a line
static LIST: &[Row] = &[
    Row { words: &[This("cat"), This("/proc/self/environ")], why: "what the container was started with" },
    Row { words: &[This("env"), This("-0")], why: "the same where there is no cat" },
    Row { words: &[This("printenv"), This("-0")], why: "the same where there is no env either" },
    Row { words: &[This("stat"), This("-L"), This("-c"), This(FORMAT), Paths(FILES)], why: "size, kind and time of mounted files" },
    Row { words: &[This("cat"), Path], why: "what a mounted file holds, at most 1 MiB" },
    Row { words: &[This("ls"), This("-la"), Path], why: "when the kubelet swapped a mounted folder's files" },
    Row { words: &[This("ls"), This("/proc")], why: "which processes there are" },
    Row { words: &[This("cat"), This("/proc/stat")], why: "when the node was booted, which their starts count from" },
    Row { words: &[This("cat"), Processes("stat", PROCESSES)], why: "their names and start times" },
    Row { words: &[This("ls"), This("-l"), Processes("fd", PROCESSES)], why: "whether they watch files" },
    Row { words: &[This("cat"), This("/proc/net/tcp"), This("/proc/net/tcp6")], why: "which addresses they are connected to" },
];

/// A command and its arguments.
pub(super) type Argv = Vec<String>;

fn argv(words: &[&str]) -> Argv {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Ways to the environment, the first that there is counts.
pub(super) fn environment() -> [Argv; 3] {
    [
        argv(&["cat", "/proc/self/environ"]),
        argv(&["env", "-0"]),
        argv(&["printenv", "-0"]),
    ]
}

pub(super) fn stat(files: &[&str]) -> Argv {
    argv(&[&["stat", "-L", "-c", FORMAT], files].concat())
}

pub(super) fn file(path: &str) -> Argv {
    argv(&["cat", path])
}

pub(super) fn folder(path: &str) -> Argv {
    argv(&["ls", "-la", path])
}

pub(super) fn pids() -> Argv {
    argv(&["ls", "/proc"])
}

pub(super) fn boot() -> Argv {
    argv(&["cat", "/proc/stat"])
}

pub(super) fn stats(pids: &[u32]) -> Argv {
    let files = pids.iter().map(|pid| format!("/proc/{pid}/stat"));
    argv(&["cat"]).into_iter().chain(files).collect()
}

pub(super) fn handles(pids: &[u32]) -> Argv {
    let folders = pids.iter().map(|pid| format!("/proc/{pid}/fd"));
    argv(&["ls", "-l"]).into_iter().chain(folders).collect()
}

pub(super) fn sockets() -> Argv {
    argv(&["cat", "/proc/net/tcp", "/proc/net/tcp6"])
}

/// Whether a command is on the list, each word of it.
pub(in crate::source::live) fn is_listed(argv: &[String]) -> bool {
    LIST.iter().any(|row| fits(row.words, argv))
}

fn fits(words: &[Word], argv: &[String]) -> bool {
    match (words, argv) {
        ([], []) => true,
        ([This(word), rest @ ..], [given, others @ ..]) => word == given && fits(rest, others),
        ([Path], [given]) => is_path(given),
        ([Paths(most)], given) => {
            (1..=*most).contains(&given.len()) && given.iter().all(|path| is_path(path))
        }
        ([Processes(what, most)], given) => {
            (1..=*most).contains(&given.len()) && given.iter().all(|path| is_of_process(path, what))
        }
        _ => false,
    }
}

/// A path of a mount: from the root, without a step back, and to none of the kernel's own trees, whose files act or tell of
/// more than configs.
pub(super) fn is_path(text: &str) -> bool {
    let mut parts = text.split('/').filter(|part| !part.is_empty());
    let first = parts.next();
    text.starts_with('/')
        && text.len() <= LONGEST_PATH
        && !text.chars().any(char::is_control)
        && !text.split('/').any(|part| part == "." || part == "..")
        && first.is_some_and(|first| !matches!(first, "proc" | "sys" | "dev"))
}

fn is_of_process(text: &str, what: &str) -> bool {
    let pid = text
        .strip_prefix("/proc/")
        .and_then(|rest| rest.strip_suffix(what))
        .and_then(|rest| rest.strip_suffix('/'));
    pid.is_some_and(|pid| {
        (1..=10).contains(&pid.len()) && pid.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// The list, to be read before one agrees to it: each command, and what it is run for.
pub fn in_words() -> Vec<(String, &'static str)> {
    let word = |word: &Word| match word {
        This(FORMAT) => format!("'{FORMAT}'"),
        This(word) => (*word).to_owned(),
        Path => "PATH".to_owned(),
        Paths(_) => "PATH...".to_owned(),
        Processes(what, _) => format!("/proc/PID/{what}..."),
    };
    let line = |row: &Row| row.words.iter().map(word).collect::<Vec<_>>().join(" ");
    LIST.iter().map(|row| (line(row), row.why)).collect()
}

#[cfg(test)]
mod tests;
