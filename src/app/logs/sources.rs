//! Whose logs are read: one source a replica, how far its log is known, and what happened to it in words.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};

use crate::analysis::{EntryKind, Incident, Lane, Replica, gap_reason, short_names};
use crate::app::shown;
use crate::model::{
    ContainerState, ContainerStatus, Facts, FollowState, Log, Pod, PodRef, Termination,
};

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

/// More replicas than this are not told apart.
const MOST: usize = 10_000;

/// What is known now, to be looked up for each of many replicas.
pub(super) struct Known<'a> {
    incident: &'a Incident,
    facts: &'a Facts,
    replicas: BTreeMap<(&'a PodRef, &'a str), &'a Replica>,
    pods: BTreeMap<&'a PodRef, &'a Pod>,
}

impl<'a> Known<'a> {
    pub(super) fn new(incident: &'a Incident, facts: &'a Facts) -> Self {
        let of = |replica: &'a Replica| ((&replica.pod, replica.container.as_str()), replica);
        let pods = facts.pods(&incident.workload.namespace);
        Self {
            incident,
            facts,
            replicas: incident.replicas.iter().map(of).collect(),
            pods: pods.map(|pod| (&pod.reference, pod)).collect(),
        }
    }

    fn replica(&self, source: &Source) -> Option<&'a Replica> {
        let key = (&source.pod, source.container.as_str());
        self.replicas.get(&key).copied()
    }

    fn status(&self, source: &Source) -> Option<&'a ContainerStatus> {
        let pod = self.pods.get(&source.pod)?;
        pod.container(&source.container)?.status.as_ref()
    }

    fn is_gone(&self, source: &Source) -> bool {
        self.pods.get(&source.pod).is_none_or(|pod| pod.terminating)
    }

    /// `exit 1, Error`, of a container that has ended.
    fn end(&self, source: &Source) -> Option<String> {
        match &self.status(source)?.state {
            ContainerState::Terminated(end) => Some(how(end)),
            _ => None,
        }
    }
}

/// Brings the list up to date. Sources keep their places.
pub(super) fn update(sources: &mut Vec<Source>, known: &Known<'_>) {
    add(sources, known);
    name(sources);
    for source in sources.iter_mut() {
        let replica = known.replica(source);
        if let Some(replica) = replica {
            source.revision.clone_from(&replica.loaded);
        }
        let log = known.facts.log(&source.pod, &source.container, false);
        let before = known.facts.log(&source.pod, &source.container, true);
        // Of a container that waits to be started again both are the log of its last run.
        let waits = known
            .status(source)
            .is_some_and(|status| matches!(status.state, ContainerState::Waiting { .. }));
        source.previous |= before.is_some() && !waits;
        source.missing = log
            .and_then(missing)
            .map(str::to_owned)
            .or_else(|| Some(format!("previous run: {}", missing(before?)?)));
        let followed = known
            .facts
            .following
            .logs
            .iter()
            .find(|f| f.pod == source.pod && f.container == source.container);
        source.dropped = followed.map_or(0, |followed| followed.dropped);
        source.state = match (replica, followed.map(|followed| &followed.state)) {
            (None, _) if known.is_gone(source) => State::Gone,
            (_, Some(FollowState::Open)) => State::Followed,
            (_, Some(FollowState::Retrying(why))) => State::Retrying(why.clone()),
            (_, Some(FollowState::Ended)) => State::Ended(known.end(source).unwrap_or_default()),
            (_, Some(FollowState::Not(why))) if log.is_none() => State::NotRead(why.clone()),
            _ => unfollowed(source, log, known),
        };
    }
    let read = sources
        .iter()
        .any(|source| !matches!(source.state, State::NotRead(_)));
    for source in sources {
        if let (State::NotRead(why), true) = (&mut source.state, read)
            && why.is_empty()
        {
            *why = "logs are read of some replicas only".to_owned();
        }
    }
}

fn add(sources: &mut Vec<Source>, known: &Known<'_>) {
    let there: BTreeSet<(PodRef, String)> = sources
        .iter()
        .map(|source| (source.pod.clone(), source.container.clone()))
        .collect();
    for replica in shown::replicas(known.incident) {
        let key = (replica.pod.clone(), replica.container.clone());
        if sources.len() < MOST && !there.contains(&key) {
            sources.push(Source {
                pod: key.0,
                container: key.1,
                name: String::new(),
                revision: None,
                state: State::Gone,
                missing: None,
                dropped: 0,
                previous: false,
            });
        }
    }
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

/// A log that is not followed. Why it was not read is empty where nobody tried.
fn unfollowed(source: &Source, log: Option<&Log>, known: &Known<'_>) -> State {
    match (log, known.facts.log_gap(&source.pod), known.end(source)) {
        (Some(_), _, Some(how)) => State::Ended(how),
        (Some(log), ..) => State::Read(log.read_at),
        (None, Some(gap), _) => State::NotRead(gap_reason(gap)),
        (None, None, _) => State::NotRead(String::new()),
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
pub(super) fn notes(sources: &[Source], known: &Known<'_>) -> Vec<Note> {
    let (incident, facts) = (known.incident, known.facts);
    let mut notes = Vec::new();
    for (at, source) in sources.iter().enumerate() {
        notes.extend(restart(source, known).map(|(time, text)| (Some(at), time, text)));
        if source.state == State::Gone {
            let last = facts.parts.iter().map(|part| part.taken_at).max();
            let text = format!("── pod {} is gone ──", source.name);
            notes.extend(last.map(|time| (Some(at), time, text)));
        }
    }
    let pods = incident.timeline.iter().filter_map(|e| match &e.lane {
        Lane::Pod(name) => Some(name.as_str()),
        Lane::Config(_) | Lane::Workload(_) | Lane::Coverage => None,
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
fn restart(source: &Source, known: &Known<'_>) -> Option<(DateTime<Utc>, String)> {
    /// The status has whole seconds, and a log's first line may come before them.
    const BLUR: TimeDelta = TimeDelta::seconds(2);
    let status = known.status(source)?;
    let last = status.last.as_ref()?;
    let started = match &status.state {
        ContainerState::Running { started_at } => *started_at,
        ContainerState::Terminated(end) => end.started_at,
        ContainerState::Waiting { .. } | ContainerState::Unknown => None,
    };
    let first = known
        .facts
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
