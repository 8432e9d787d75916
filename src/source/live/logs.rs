//! Logs of containers: bounded, with the kubelet's timestamps, and honest about what is missing.

mod command;
mod joined;
mod kept;

use chrono::{DateTime, Utc};

use self::joined::Span;
use super::Live;
use super::request::brief;
use crate::model::{GapReason, Log, LogLine, LogText, PodRef, Snapshot};
use crate::text::harmless;

pub use command::LogsCommand;
pub(super) use kept::{Kept, read};

/// At most so much from the container's start, and so much from its end where that was not all.
const HEAD: usize = 8 << 20;
const TAIL: usize = 4 << 20;

/// The log of one container's run as the kubelet has it, and the hole in it, if there is one.
async fn log(
    live: &Live,
    pod: &PodRef,
    container: &str,
    previous: bool,
    started: Option<DateTime<Utc>>,
) -> Result<(Log, Option<Span>), GapReason> {
    let base = format!(
        "/api/v1/namespaces/{}/pods/{}/log?container={container}&timestamps=true&previous={previous}",
        pod.namespace, pod.name
    );
    let head = live.api.get(&format!("{base}&limitBytes={HEAD}")).await?;
    if !head.is_empty() && !is_stamped(&head) {
        return Err(GapReason::Unreadable(no_log(&head)));
    }
    let cut = head.len() >= HEAD;
    let mut text = utf8(head, cut);
    let mut missing = LogText::from(text.clone()).missing_before(started);
    let mut hole = None;
    if cut {
        let lines = tail_lines(&text);
        let tail = live.api.get(&format!("{base}&tailLines={lines}")).await?;
        hole = append(&mut text, &utf8(tail, false));
        missing = match (missing, hole.as_ref().map(in_words)) {
            (Some(late), Some(hole)) => Some(format!("{late}; {hole}")),
            (late, hole) => late.or(hole),
        };
    }
    let log = Log {
        pod: pod.clone(),
        container: container.to_owned(),
        previous,
        text: text.into(),
        complete: missing.is_none(),
        missing,
        read_at: live.clock.now(),
        from: None,
    };
    Ok((log, hole))
}

/// Whether a text begins as the kubelet begins each line that it was asked to give with its time.
pub(super) fn is_stamped(text: &[u8]) -> bool {
    let first = text.get(..64.min(text.len())).unwrap_or_default();
    LogLine::parse(&String::from_utf8_lossy(first)).at.is_some()
}

/// What is said of another answer: a page of a proxy, or the kubelet's own "unable to retrieve container logs".
pub(super) fn no_log(text: &[u8]) -> String {
    let first = text.split(|b| *b == b'\n').next().unwrap_or_default();
    let first = String::from_utf8_lossy(first.get(..400.min(first.len())).unwrap_or_default());
    format!("the answer is no log: {}", brief(&harmless(&first)))
}

/// Bad bytes become replacement characters; a last line that was cut is left out.
fn utf8(bytes: Vec<u8>, cut: bool) -> String {
    let mut text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    };
    if cut {
        let end = text.rfind('\n').map_or(0, |at| at + 1);
        text.truncate(end);
    }
    text
}

/// How many lines make about [`TAIL`] bytes, as long as the lines of the head are. A limit in bytes would cut the newest.
fn tail_lines(head: &str) -> usize {
    let lines = head.lines().count().max(1);
    (TAIL / (head.len() / lines).max(1)).max(1)
}

/// Adds what the tail has beyond the head, and says what lies between, if anything does.
fn append(text: &mut String, tail: &str) -> Option<Span> {
    let last = text
        .lines()
        .next_back()
        .map(LogLine::parse)
        .and_then(|l| l.at);
    let fresh = |line: &&str| match (LogLine::parse(line).at, last) {
        (Some(at), Some(last)) => at > last,
        _ => false,
    };
    let begins = tail.lines().next().map(LogLine::parse).and_then(|l| l.at);
    for line in tail.lines().filter(fresh) {
        text.push_str(line);
        text.push('\n');
    }
    let joined = matches!((begins, last), (Some(begins), Some(last)) if begins <= last);
    (!joined).then_some(Span {
        from: last,
        until: begins,
    })
}

fn in_words(hole: &Span) -> String {
    let time = |at: Option<DateTime<Utc>>| {
        at.map_or_else(
            || "its end".to_owned(),
            |at| at.format("%H:%M:%S").to_string(),
        )
    };
    format!(
        "more than {} MiB: lines between {} and {} were not read",
        HEAD >> 20,
        time(hole.from),
        time(hole.until)
    )
}

/// When the run that is asked for began and ended, as far as the pod's status tells.
fn span(snapshot: &Snapshot, pod: &PodRef, container: &str, previous: bool) -> Span {
    let listed = snapshot.pods.iter().find(|p| p.reference == *pod);
    let Some(container) = listed.and_then(|listed| listed.container(container)) else {
        return Span::default();
    };
    if !previous {
        return Span {
            from: container.started_at(),
            until: None,
        };
    }
    let status = container.status.as_ref();
    let last = status.and_then(|status| status.last.as_ref());
    Span {
        from: last.and_then(|last| last.started_at),
        until: last.and_then(|last| last.finished_at),
    }
}

#[cfg(test)]
mod tests;
