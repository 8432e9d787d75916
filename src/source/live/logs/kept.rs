//! Reads a container's log: from the kubelet, and what that has not by the command that the user named, if there is one.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::Semaphore;

use super::command::{Asked, LogsCommand, run};
use super::joined::{Joined, Span, join, lines_of};
use super::{log, span};
use crate::model::{GapReason, Log, LogFrom, LogText, PodRef, Snapshot};
use crate::source::live::Live;

/// So many of the commands run at once.
const AT_ONCE: usize = 4;
/// Where it is not known when the container started, so far back is asked for.
const BACK: TimeDelta = TimeDelta::hours(1);

/// The command, and how many of it may run.
#[derive(Debug)]
pub(in super::super) struct Kept {
    command: LogsCommand,
    turns: Semaphore,
}

impl Kept {
    pub(in super::super) fn new(command: LogsCommand) -> Self {
        Self {
            command,
            turns: Semaphore::new(AT_ONCE),
        }
    }
}

/// The log of one container's run.
pub(in super::super) async fn read(
    live: &Live,
    snapshot: &Snapshot,
    pod: &PodRef,
    container: &str,
    previous: bool,
) -> Result<Log, GapReason> {
    let of_run = span(snapshot, pod, container, previous);
    let kubelet = log(live, pod, container, previous, of_run.from).await;
    let Some(kept) = &live.kept else {
        return kubelet.map(|(log, _)| log);
    };
    if let Ok((log, _)) = &kubelet
        && log.complete
    {
        return Ok(log.clone());
    }
    let created = || {
        let listed = snapshot.pods.iter().find(|p| p.reference == *pod);
        listed.and_then(|listed| listed.created)
    };
    let since = of_run.from.or_else(created);
    let asked = Asked {
        pod,
        container,
        since: since.unwrap_or_else(|| live.clock.now() - BACK),
    };
    let printed = printed(live, kept, &asked).await;
    match (kubelet, printed) {
        (Ok((log, hole)), Ok(printed)) => Ok(joined(log, hole.as_ref(), &printed, &of_run)),
        (Ok((mut log, _)), Err(why)) => {
            add(&mut log.missing, &why);
            Ok(log)
        }
        (Err(reason), Ok(printed)) => {
            let empty = Log {
                pod: pod.clone(),
                container: container.to_owned(),
                previous,
                text: LogText::default(),
                complete: false,
                missing: Some(format!("the kubelet gave none ({})", said(&reason))),
                read_at: live.clock.now(),
                from: None,
            };
            let log = joined(empty, None, &printed, &of_run);
            if log.text.is_empty() {
                // That nothing was printed says nothing of the container.
                return Err(GapReason::Bounded(log.missing.unwrap_or_default()));
            }
            Ok(log)
        }
        (Err(reason), Err(why)) => Err(GapReason::Bounded(format!("{}; {why}", said(&reason)))),
    }
}

/// What the command printed.
struct Output {
    text: String,
    cut: bool,
    command: String,
}

/// Runs the command when it is its turn. What it cannot is said in words, and nothing of it that looks like a credential.
async fn printed(live: &Live, kept: &Kept, asked: &Asked<'_>) -> Result<Output, String> {
    let failed = |why: String| format!("the logs command: {}", live.vault.redact(why));
    let words = kept.command.expand(asked).map_err(failed)?;
    let turn = kept.turns.acquire().await;
    let done = run(&words, live.api.within(Duration::MAX))
        .await
        .map_err(failed)?;
    drop(turn);
    let cut = done.cut;
    Ok(Output {
        text: lines_of(done),
        cut,
        command: live.vault.redact(shell_words::join(&words)),
    })
}

/// The kubelet's log with what was printed, and what is to be known of that.
fn joined(mut log: Log, hole: Option<&Span>, output: &Output, run: &Span) -> Log {
    let alone = log.text.is_empty();
    let kubelet = log.text.to_string();
    let Joined {
        text,
        added,
        timeless,
    } = join(&kubelet, hole, &output.text, run);
    if added == 0 {
        let why = "the logs command printed no line of this run that the kubelet has not";
        add(&mut log.missing, why);
    } else {
        let first = super::LogLine::parse(text.lines().next().unwrap_or_default()).at;
        if let (Some(missing), false) = (&mut log.missing, alone) {
            missing.insert_str(0, "the kubelet: ");
        }
        add(&mut log.missing, &provenance(added, first));
        log.text = text.into();
        log.from = Some(LogFrom {
            command: output.command.clone(),
            alone,
        });
    }
    if timeless > 0 {
        let said = format!("{timeless} of them have no time and stand where they were printed");
        add(&mut log.missing, &said);
    }
    if output.cut {
        let said = "it printed more than 8 MiB: the rest was let go";
        add(&mut log.missing, said);
    }
    log
}

fn provenance(added: usize, first: Option<DateTime<Utc>>) -> String {
    let from = first.map_or_else(String::new, |at| {
        format!(", from {} on,", at.format("%Y-%m-%d %H:%M:%S"))
    });
    let lines = if added == 1 { "line" } else { "lines" };
    format!("{added} {lines}{from} came by the logs command, and whether it has all is not known")
}

fn add(missing: &mut Option<String>, more: &str) {
    match missing {
        Some(known) => {
            known.push_str("; ");
            known.push_str(more);
        }
        None => *missing = Some(more.to_owned()),
    }
}

/// Why the kubelet gave no log.
fn said(reason: &GapReason) -> String {
    match reason {
        GapReason::Unauthorized => "the login is missing or has expired".to_owned(),
        GapReason::Forbidden => "no permission: get pods/log".to_owned(),
        GapReason::NotFound => "not found".to_owned(),
        GapReason::TimedOut { seconds } => format!("no answer in {seconds} s"),
        GapReason::Status { code, message } => format!("the API server answered {code}: {message}"),
        GapReason::Connection(what) => format!("the connection failed: {what}"),
        GapReason::Unreadable(what) | GapReason::Bounded(what) => what.clone(),
        _ => "it could not be read".to_owned(),
    }
}
