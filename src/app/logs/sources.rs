//! Whose logs are read: one source a replica, how far its log is known, and what happened to it in words.

use chrono::{DateTime, TimeDelta, Utc};

use crate::analysis::{EntryKind, Incident, Lane, Replica, gap_reason, short_names};
use crate::app::shown;
use crate::model::{ContainerState, ContainerStatus, Facts, FollowState, Log, PodRef, Termination};

/// One replica's log. It stays when the replica goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub pod: PodRef,
    pub container: String,
    /// As the sentences write it; with the container where pods have several.
    pub name: String,
    /// The revision that it runs, or ran when it went.
    pub revision: Option<String>,
    pub state: State,
    /// What its log lacks, in words.
    pub missing: Option<String>,
    /// Lines that were taken out at the front before they came here.
    pub dropped: usize,
    /// The log of the run before this one was read.
    pub previous: bool,
}

/// How far a log is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// Read once, at this time.
    Read(DateTime<Utc>),
    Followed,
    Retrying(String),
    /// How the container ended.
    Ended(String),
    NotRead(String),
    /// The pod is not there any more.
    Gone,
}

/// A line of this program's own between those of the logs: which source it is about (none: all), when, and what.
pub(super) type Note = (Option<usize>, DateTime<Utc>, String);

/// Brings the list up to date. Sources keep their places.
pub(super) fn update(sources: &mut Vec<Source>, incident: &Incident, facts: &Facts) {
    let order = shown::replicas(incident);
    for replica in &order {
        if !sources.iter().any(|source| is_of(source, replica)) {
            sources.push(Source {
                pod: replica.pod.clone(),
                container: replica.container.clone(),
                name: String::new(),
                revision: None,
                state: State::Gone,
                missing: None,
                dropped: 0,
                previous: false,
            });
        }
    }
    name(sources);
    for source in sources {
        let replica = order.iter().find(|replica| is_of(source, replica));
        if let Some(replica) = replica {
            source.revision.clone_from(&replica.loaded);
        }
        let log = facts.log(&source.pod, &source.container, false);
        let before = facts.log(&source.pod, &source.container, true);
        source.previous |= before.is_some();
        source.missing = log
            .and_then(missing)
            .map(str::to_owned)
            .or_else(|| Some(format!("previous run: {}", missing(before?)?)));
        let followed = facts
            .following
            .logs
            .iter()
            .find(|f| f.pod == source.pod && f.container == source.container);
        source.dropped = followed.map_or(0, |followed| followed.dropped);
        source.state = match (replica, followed.map(|followed| &followed.state)) {
            (None, _) if is_gone(source, facts) => State::Gone,
            (_, Some(FollowState::Open)) => State::Followed,
            (_, Some(FollowState::Retrying(why))) => State::Retrying(why.clone()),
            (_, Some(FollowState::Ended)) => State::Ended(ended(source, facts)),
            (_, Some(FollowState::Not(why))) if log.is_none() => State::NotRead(why.clone()),
            _ => unfollowed(source, log, facts),
        };
    }
}

fn is_of(source: &Source, replica: &Replica) -> bool {
    source.pod == replica.pod && source.container == replica.container
}

fn name(sources: &mut [Source]) {
    let short = short_names(sources.iter().map(|s| s.pod.name.as_str()));
    let first = sources.first().map(|source| source.container.clone());
    let several = sources.iter().any(|s| Some(&s.container) != first.as_ref());
    for source in sources {
        let pod = short.get(&source.pod.name).unwrap_or(&source.pod.name);
        source.name = match several {
            true => format!("{pod}/{}", source.container),
            false => pod.clone(),
        };
    }
}

fn missing(log: &Log) -> Option<&str> {
    match (&log.missing, log.complete) {
        (Some(missing), _) => Some(missing),
        (None, true) => None,
        (None, false) => Some("may not begin where the container began"),
    }
}

fn is_gone(source: &Source, facts: &Facts) -> bool {
    facts.pod(&source.pod).is_none_or(|pod| pod.terminating)
}

fn unfollowed(source: &Source, log: Option<&Log>, facts: &Facts) -> State {
    let over = status(source, facts)
        .is_some_and(|status| matches!(status.state, ContainerState::Terminated(_)));
    match (log, facts.log_gap(&source.pod)) {
        (Some(_), _) if over => State::Ended(ended(source, facts)),
        (Some(log), _) => State::Read(log.read_at),
        (None, Some(gap)) => State::NotRead(gap_reason(
            &gap.reason,
            &format!("{} {}", gap.verb, gap.resource),
        )),
        (None, None) => State::NotRead("logs are read of the first 20 replicas".to_owned()),
    }
}

fn status<'a>(source: &Source, facts: &'a Facts) -> Option<&'a ContainerStatus> {
    let pod = facts.pod(&source.pod)?;
    let container = pod.containers.iter().find(|c| c.name == source.container)?;
    container.status.as_ref()
}

fn ended(source: &Source, facts: &Facts) -> String {
    match status(source, facts).map(|status| &status.state) {
        Some(ContainerState::Terminated(end)) => how(end),
        _ => String::new(),
    }
}

/// `exit 1, Error`.
fn how(end: &Termination) -> String {
    match end.reason.as_str() {
        "" => format!("exit {}", end.exit_code),
        reason => format!("exit {}, {reason}", end.exit_code),
    }
}

/// What happened between the lines: edits, kills, restarts, and pods that went.
pub(super) fn notes(sources: &[Source], incident: &Incident, facts: &Facts) -> Vec<Note> {
    let mut notes = Vec::new();
    for (at, source) in sources.iter().enumerate() {
        notes.extend(restart(source, facts).map(|(time, text)| (Some(at), time, text)));
        if source.state == State::Gone {
            let last = facts.parts.iter().map(|part| part.taken_at).max();
            let text = format!("── pod {} is gone ──", source.name);
            notes.extend(last.map(|time| (Some(at), time, text)));
        }
    }
    let pods = incident.timeline.iter().filter_map(|e| match &e.lane {
        Lane::Pod(name) => Some(name.as_str()),
        Lane::Config(_) | Lane::Workload(_) => None,
    });
    let short = short_names(pods.chain(sources.iter().map(|s| s.pod.name.as_str())));
    for entry in &incident.timeline {
        let told = matches!(entry.kind, EntryKind::Edited | EntryKind::Killed);
        if let (true, Some(time)) = (told, entry.at.latest.or(entry.at.earliest)) {
            let lane = entry.lane.name();
            let lane = short.get(lane).map_or(lane, String::as_str);
            notes.push((None, time, format!("── {lane}: {} ──", entry.what)));
        }
    }
    notes
}

/// Where the container that runs now took over from the one before.
fn restart(source: &Source, facts: &Facts) -> Option<(DateTime<Utc>, String)> {
    /// The status has whole seconds, and a log's first line may come before them.
    const BLUR: TimeDelta = TimeDelta::seconds(2);
    let status = status(source, facts)?;
    let last = status.last.as_ref()?;
    let started = match &status.state {
        ContainerState::Running { started_at } => *started_at,
        ContainerState::Terminated(end) => end.started_at,
        ContainerState::Waiting { .. } | ContainerState::Unknown => None,
    };
    let first = facts
        .log(&source.pod, &source.container, false)
        .and_then(|log| log.lines().find_map(|line| line.at));
    // Right before the new run's first line, where that is known to be it.
    let first = first.filter(|first| started.is_some_and(|s| *first >= s && *first <= s + BLUR));
    let at = first.or(started).or(last.finished_at)?;
    let what = match started {
        Some(_) => "restarted",
        None => "ended and is not running",
    };
    let text = format!(
        "── container {} of {} {what} ({}) ──",
        source.container,
        source.name,
        how(last)
    );
    Some((at, text))
}

/// Whether what the container writes arrives.
pub(super) fn is_followed(source: &Source) -> bool {
    matches!(source.state, State::Followed | State::Retrying(_))
}
