//! Everything that happened to a config and the replicas of a workload, in order of time.

use chrono::{DateTime, Utc};

use super::case::{Case, Scans};
use super::diff::describe_all;
use super::evidence::Book;
use super::incident::{Entry, EntryKind, Lane, Replica, SignalKind};
use super::names::quote;
use crate::model::{ContainerState, Event, GapReason, Interval, Pod, Termination};

/// The timeline of a case.
pub(crate) fn of(case: &Case<'_>, book: &mut Book<'_>) -> Vec<Entry> {
    let mut entries = config_entries(case);
    for (replica, scans) in case.replicas.iter().zip(&case.scans) {
        entries.extend(replica_entries(case, replica, scans));
    }
    entries.extend(event_entries(case, book));
    entries.extend(unwatched(case));
    sort(&mut entries);
    entries
}

/// Brings entries in order, each once.
pub(crate) fn sort(entries: &mut Vec<Entry>) {
    let key = |at: &Interval| (at.anchor(), at.latest);
    entries.sort_by(|a, b| {
        (key(&a.at), &a.lane, a.kind, &a.what).cmp(&(key(&b.at), &b.lane, b.kind, &b.what))
    });
    entries.dedup();
}

/// The times in which a watch was lost.
fn unwatched(case: &Case<'_>) -> impl Iterator<Item = Entry> {
    case.snapshot
        .gaps
        .iter()
        .filter_map(|gap| match gap.reason {
            GapReason::Unwatched { from, until } => Some(Entry {
                at: Interval::between(Some(from), Some(until)),
                lane: Lane::Coverage,
                kind: EntryKind::Unwatched,
                what: "the connection was lost: what came and went is not known".to_owned(),
                evidence: Vec::new(),
            }),
            _ => None,
        })
}

fn config_entries(case: &Case<'_>) -> Vec<Entry> {
    let lane = Lane::Config(case.config.reference.name.clone());
    let mut entries = Vec::new();
    if let Some(created) = case.config.created {
        entries.push(Entry {
            at: Interval::second(created),
            lane: lane.clone(),
            kind: EntryKind::Created,
            what: format!("{} created", case.config.reference.kind),
            evidence: case.history.evidence.first().copied().into_iter().collect(),
        });
    }
    let last = case.history.edits.len();
    for (index, edit) in case.history.edits.iter().enumerate() {
        let by = edit.manager.as_deref().unwrap_or("an unknown manager");
        let name = case.history.name(index + 1).unwrap_or_default();
        let what = if index + 1 == last && !case.changes.is_empty() {
            format!("edited by {by} to {name}: {}", describe_all(&case.changes))
        } else {
            format!("edited by {by} to {name}")
        };
        entries.push(Entry {
            at: edit.at,
            lane: lane.clone(),
            kind: EntryKind::Edited,
            what,
            evidence: case.history.evidence.clone(),
        });
    }
    entries
}

fn replica_entries(case: &Case<'_>, replica: &Replica, scans: &Scans) -> Vec<Entry> {
    let lane = Lane::Pod(replica.pod.name.clone());
    let found = case
        .snapshot
        .pods
        .iter()
        .find(|pod| pod.reference == replica.pod);
    let mut entries = Vec::new();
    let mut add = |at: Interval, kind, what: String, evidence: &[usize]| {
        entries.push(Entry {
            at,
            lane: lane.clone(),
            kind,
            what,
            evidence: evidence.to_vec(),
        });
    };
    let status = replica.evidence.get(..1).unwrap_or_default();
    if let Some(pod) = found {
        if let Some(created) = pod.created {
            add(
                Interval::second(created),
                EntryKind::Created,
                "pod created".to_owned(),
                status,
            );
        }
        // What was edited and edited back bears the name of what is live, which was not there yet when it was loaded.
        let named = replica.loaded.as_deref().filter(|name| {
            let began = case
                .history
                .place(name)
                .and_then(|at| case.history.began(at));
            began <= replica.started_at
        });
        for (at, kind, what) in runs(pod, &replica.container, named) {
            add(Interval::second(at), kind, what, status);
        }
    }
    for signal in &replica.signals {
        let (kind, what) = match signal.kind {
            SignalKind::Reload => (EntryKind::Reloaded, "configuration read again".to_owned()),
            SignalKind::Upstream => (
                EntryKind::Signal,
                format!("first logs upstream {}", signal.text),
            ),
            SignalKind::Value => (EntryKind::Signal, format!("first logs {}", signal.text)),
            SignalKind::StartError => (EntryKind::Signal, signal.text.clone()),
            // What is read now says nothing of when it began.
            SignalKind::Socket | SignalKind::Version | SignalKind::Word => continue,
        };
        let at = match signal.kind {
            SignalKind::Reload => signal.last,
            _ => signal.first,
        };
        if let Some(at) = at {
            add(Interval::at(at), kind, what, &signal.evidence);
        }
    }
    if let Some((at, what)) = first_failure(case, replica, scans) {
        add(Interval::at(at), EntryKind::FirstFailure, what, &[]);
    }
    entries
}

/// The start of the current run, and the end of the one before.
fn runs(
    pod: &Pod,
    container: &str,
    loaded: Option<&str>,
) -> Vec<(DateTime<Utc>, EntryKind, String)> {
    let Some(status) = pod.container(container).and_then(|c| c.status.as_ref()) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut ended = |end: &Termination| {
        if let Some(at) = end.finished_at {
            let why = if end.reason.is_empty() {
                String::new()
            } else {
                format!(", {}", end.reason)
            };
            found.push((
                at,
                EntryKind::Crashed,
                format!(
                    "container {container} ended with exit code {}{why}",
                    end.exit_code
                ),
            ));
        }
    };
    if let Some(last) = &status.last {
        ended(last);
    }
    if let ContainerState::Terminated(end) = &status.state {
        ended(end);
    }
    if let ContainerState::Running {
        started_at: Some(at),
    } = &status.state
    {
        let with = loaded.map_or_else(String::new, |name| format!(", revision {name}"));
        let (kind, word) = if status.restarts > 0 {
            (EntryKind::Restarted, "restarted in place")
        } else {
            (EntryKind::Started, "started")
        };
        found.push((*at, kind, format!("container {container} {word}{with}")));
    }
    found
}

fn first_failure(
    case: &Case<'_>,
    replica: &Replica,
    scans: &Scans,
) -> Option<(DateTime<Utc>, String)> {
    let worst = replica.traffic.first().filter(|t| t.failed > 0)?;
    let loaded = replica.loaded.as_deref();
    let since = match loaded.and_then(|name| case.history.place(name)) {
        Some(place) => case.history.began(place),
        None => case.edit().and_then(|(edit, _)| edit.at.earliest),
    };
    let answer = scans
        .current
        .as_ref()?
        .scan
        .answers
        .iter()
        .filter(|a| a.route == worst.route && a.status >= 500)
        .find(|a| a.at.is_some_and(|at| since.is_none_or(|since| at >= since)))?;
    Some((
        answer.at?,
        format!("first failure: {} answered {}", answer.route, answer.status),
    ))
}

/// Events about this workload's pods: those that are gone as well, which is where a kill can still be seen.
fn event_entries(case: &Case<'_>, book: &mut Book<'_>) -> Vec<Entry> {
    let mut entries = Vec::new();
    for event in
        case.snapshot.events.iter().filter(|e| {
            e.namespace == case.workload.namespace && e.kind == "Pod" && belongs(case, e)
        })
    {
        let (kind, what) = match event.reason.as_str() {
            "Killing" => (EntryKind::Killed, event.message.clone()),
            "Evicted" | "Preempting" | "TaintManagerEviction" => (
                EntryKind::Killed,
                format!("{}: {}", event.reason, event.message),
            ),
            "FailedMount" => (EntryKind::Event, format!("FailedMount: {}", event.message)),
            _ => continue,
        };
        let Some(at) = event.last.or(event.first) else {
            continue;
        };
        let number = book.add(
            format!("Events of pod {}", event.name),
            &format!(
                "-n {} get events --field-selector involvedObject.name={}",
                quote(&event.namespace),
                quote(&event.name)
            ),
            case.snapshot.taken_at,
            format!("{}: {}", event.reason, event.message),
        );
        entries.push(Entry {
            at: Interval::second(at),
            lane: Lane::Pod(event.name.clone()),
            kind,
            what,
            evidence: vec![number],
        });
    }
    entries
}

/// Whether an event's pod is one of the case's, or a former one of the same controller by its name.
fn belongs(case: &Case<'_>, event: &Event) -> bool {
    if case.replicas.iter().any(|r| r.pod.name == event.name) {
        return true;
    }
    let stem = |name: &str| name.rsplit_once('-').map(|(stem, _)| stem.to_owned());
    let Some(of_event) = stem(&event.name) else {
        return false;
    };
    case.workload.kind != "Pod"
        && case
            .replicas
            .iter()
            .any(|r| stem(&r.pod.name).as_ref() == Some(&of_event))
}
