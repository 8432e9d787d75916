//! Logs of containers: bounded, with the kubelet's timestamps, and honest about what is missing.

use chrono::{DateTime, Utc};

use super::Live;
use crate::model::{GapReason, Log, LogLine, LogText, PodRef, Snapshot};

/// At most so much from the container's start, and so much from its end where that was not all.
const HEAD: usize = 8 << 20;
const TAIL: usize = 4 << 20;

/// The log of one container's run.
pub(super) async fn log(
    live: &Live,
    pod: &PodRef,
    container: &str,
    previous: bool,
    started: Option<DateTime<Utc>>,
) -> Result<Log, GapReason> {
    let base = format!(
        "/api/v1/namespaces/{}/pods/{}/log?container={container}&timestamps=true&previous={previous}",
        pod.namespace, pod.name
    );
    let head = live.api.get(&format!("{base}&limitBytes={HEAD}")).await?;
    let cut = head.len() >= HEAD;
    let mut text = utf8(head, cut);
    let mut missing = LogText::from(text.clone()).missing_before(started);
    if cut {
        let lines = tail_lines(&text);
        let tail = live.api.get(&format!("{base}&tailLines={lines}")).await?;
        let hole = append(&mut text, &utf8(tail, false));
        missing = match (missing, hole) {
            (Some(late), Some(hole)) => Some(format!("{late}; {hole}")),
            (late, hole) => late.or(hole),
        };
    }
    Ok(Log {
        pod: pod.clone(),
        container: container.to_owned(),
        previous,
        text: text.into(),
        complete: missing.is_none(),
        missing,
        read_at: (live.clock)(),
    })
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
fn append(text: &mut String, tail: &str) -> Option<String> {
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
    let time = |at: Option<DateTime<Utc>>| {
        at.map_or_else(
            || "its end".to_owned(),
            |at| at.format("%H:%M:%S").to_string(),
        )
    };
    let joined = matches!((begins, last), (Some(begins), Some(last)) if begins <= last);
    (!joined).then(|| {
        format!(
            "more than {} MiB: lines between {} and {} were not read",
            HEAD >> 20,
            time(last),
            time(begins)
        )
    })
}

/// When the run that is asked for began, as far as the pod's status tells.
pub(super) fn started(
    snapshot: &Snapshot,
    pod: &PodRef,
    container: &str,
    previous: bool,
) -> Option<DateTime<Utc>> {
    let pod = snapshot.pods.iter().find(|p| p.reference == *pod)?;
    let container = pod.container(container)?;
    if previous {
        container.status.as_ref()?.last.as_ref()?.started_at
    } else {
        container.started_at()
    }
}

#[cfg(test)]
mod tests;
