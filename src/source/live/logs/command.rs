//! A command that the user names, which prints a container's log from wherever logs are kept when the kubelet has them no more.
//!
//! No shell is involved: the template is cut into words once, and what comes from the cluster is put within them.

use std::env;
use std::fmt;
use std::process::Stdio;
use std::str::FromStr;
use std::sync::LazyLock;
use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use regex::{Captures, Regex};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Child;

use crate::model::PodRef;
use crate::source::live::login;

/// Of what it prints at most so much is taken.
const MOST: usize = 8 << 20;
/// Of its standard error the end is kept, for the last line.
const COMPLAINT: usize = 4 << 10;
/// A longer last line says too much.
const LONGEST_SAYING: usize = 200;

const KNOWN: [&str; 4] = ["namespace", "pod", "container", "since"];
const EXPECTED: &str = "a command with {pod}, and where it needs them {namespace}, {container} and {since}, such as 'mylogs {namespace} {pod} {container} {since}'";

/// `{name}`: braces with anything else between them are the command's own.
static PLACEHOLDER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\{([A-Za-z_]+)\}").ok());

/// A template that was found to be sound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogsCommand {
    /// As it was given.
    text: String,
    words: Vec<String>,
}

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) pod: &'a PodRef,
    pub(super) container: &'a str,
    pub(super) since: DateTime<Utc>,
}

/// What it printed.
#[derive(Debug)]
pub(super) struct Printed {
    pub(super) bytes: Vec<u8>,
    /// It would have printed more.
    pub(super) cut: bool,
}

impl fmt::Display for LogsCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for LogsCommand {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words = shell_words::split(text)
            .map_err(|_| format!("a quote in it is not closed; expected {EXPECTED}"))?;
        let program = words.first().filter(|program| !program.is_empty());
        let program = program.ok_or_else(|| format!("it names no program; expected {EXPECTED}"))?;
        if names(program).next().is_some() {
            return Err(format!(
                "which program is run may not depend on the cluster; expected {EXPECTED}"
            ));
        }
        let asked: Vec<&str> = words.iter().flat_map(|word| names(word)).collect();
        if let Some(other) = asked.iter().find(|name| !KNOWN.contains(name)) {
            return Err(format!("{{{other}}} is not known; expected {EXPECTED}"));
        }
        if !asked.contains(&"pod") {
            return Err(format!(
                "it does not say which {{pod}}; expected {EXPECTED}"
            ));
        }
        Ok(Self {
            text: text.to_owned(),
            words,
        })
    }
}

impl TryFrom<String> for LogsCommand {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

/// The placeholders of a word.
fn names(word: &str) -> impl Iterator<Item = &str> {
    let found = PLACEHOLDER.as_ref().map(|p| p.captures_iter(word));
    found
        .into_iter()
        .flatten()
        .filter_map(|found| Some(found.get(1)?.as_str()))
}

impl LogsCommand {
    /// The words with what is asked for in them. A name that is none of Kubernetes' is not handed to a program.
    pub(super) fn expand(&self, asked: &Asked<'_>) -> Result<Vec<String>, String> {
        for name in [&asked.pod.namespace, &asked.pod.name, asked.container] {
            let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
            let sound = name.bytes().next().is_some_and(plain)
                && name.bytes().all(|b| plain(b) || b == b'-' || b == b'.');
            if !sound {
                return Err(format!("{name:?} is no name that can be handed to it"));
            }
        }
        let since = asked.since.to_rfc3339_opts(SecondsFormat::Secs, true);
        let value = |found: &Captures<'_>| match &found[1] {
            "namespace" => asked.pod.namespace.clone(),
            "pod" => asked.pod.name.clone(),
            "container" => asked.container.to_owned(),
            "since" => since.clone(),
            _ => found[0].to_owned(),
        };
        let Some(placeholder) = PLACEHOLDER.as_ref() else {
            return Err("its placeholders could not be looked for".to_owned());
        };
        let words = self.words.iter();
        Ok(words
            .map(|word| placeholder.replace_all(word, value).into_owned())
            .collect())
    }
}

/// Runs it to its end, to its limit, or to as much as is taken. It reads no keys, has a session of its own, and goes with all
/// that it started when its time is over.
pub(super) async fn run(words: &[String], limit: Duration) -> Result<Printed, String> {
    let (program, arguments) = words.split_first().ok_or("it names no program")?;
    let search = env::var_os("PATH").unwrap_or_default();
    let Some(found) = login::find(program, &search) else {
        return Err(format!("{program:?} is not there"));
    };
    let mut command = login::apart(&found, &search);
    command
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let child = command.spawn();
    let mut run = Run {
        child: child.map_err(|error| format!("{program} could not be started: {error}"))?,
        over: false,
    };
    match tokio::time::timeout(limit, run.read(program)).await {
        Ok(printed) => printed,
        // Dropping the run ends it.
        Err(_) => Err(format!(
            "{program} was not done in {} s",
            limit.as_secs().max(1)
        )),
    }
}

/// A running command; what is not over when it is let go is ended.
struct Run {
    child: Child,
    over: bool,
}

impl Run {
    async fn read(&mut self, program: &str) -> Result<Printed, String> {
        let failed = |error: std::io::Error| format!("{program} could not be read: {error}");
        let (out, err) = (self.child.stdout.take(), self.child.stderr.take());
        let (Some(mut out), Some(err)) = (out, err) else {
            return Err(format!("{program} has no output"));
        };
        let mut bytes = Vec::new();
        let complaint = last_line(err);
        tokio::pin!(complaint);
        let said = {
            let mut head = (&mut out).take(MOST as u64 + 1);
            let head = head.read_to_end(&mut bytes);
            tokio::pin!(head);
            tokio::select! {
                read = &mut head => {
                    read.map_err(failed)?;
                    None
                }
                said = &mut complaint => {
                    head.await.map_err(failed)?;
                    Some(said)
                }
            }
        };
        if bytes.len() > MOST {
            bytes.truncate(MOST);
            return Ok(Printed { bytes, cut: true });
        }
        let said = match said {
            Some(said) => said,
            None => complaint.await,
        };
        let status = self.child.wait().await.map_err(failed)?;
        self.over = true;
        if !status.success() {
            let said = if said.is_empty() {
                String::new()
            } else {
                format!(": {said}")
            };
            return Err(format!("{program} failed ({status}){said}"));
        }
        Ok(Printed { bytes, cut: false })
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // Until it has been waited for, its number is nobody else's.
        #[cfg(unix)]
        if !self.over
            && let Some(leader) = self.child.id().and_then(|id| id.try_into().ok())
            && let Some(group) = rustix::process::Pid::from_raw(leader)
        {
            // One that has ended meanwhile needs no end.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

/// The last line of what it complained of.
async fn last_line(mut err: impl AsyncRead + Unpin) -> String {
    let mut end: Vec<u8> = Vec::new();
    let mut piece = [0; 1024];
    while let Ok(read @ 1..) = err.read(&mut piece).await {
        end.extend_from_slice(piece.get(..read).unwrap_or_default());
        let surplus = end.len().saturating_sub(COMPLAINT);
        end.drain(..surplus);
    }
    let text = String::from_utf8_lossy(&end);
    let last = text.lines().map(str::trim).rfind(|line| !line.is_empty());
    last.unwrap_or_default()
        .chars()
        .take(LONGEST_SAYING)
        .collect()
}

#[cfg(test)]
mod tests;
