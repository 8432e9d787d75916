//! One config and one workload that uses it: everything that the rules look at.

mod asked;
mod sources;
mod telling;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::content::Keys;
use super::diff::value_changes;
use super::evidence::{Book, show_log};
use super::impact::{self, Impacted};
use super::incident::{Grade, Replica, UseLoad, ValueChange};
use super::index::Index;
use super::loads::{Seen, Shown, load};
use super::names::{clock_time, quote};
use super::revisions::{Edit, History, history};
use super::signals::{self, Scan, Setting, settings};
use super::uses::{ConfigUse, is_replica, uses};
use crate::model::{
    Config, ConfigRef, Container, ContainerState, Log, LogFrom, Pod, PodRef, Probe, Shared,
    Snapshot, WorkloadRef,
};

/// A config and a workload whose replicas take it.
#[derive(Debug, Clone)]
pub(crate) struct Subject<'a> {
    pub(crate) config: &'a Shared<Config>,
    pub(crate) workload: WorkloadRef,
    pub(crate) users: Vec<User<'a>>,
}

/// A container that takes the config, and by which ways.
#[derive(Debug, Clone)]
pub(crate) struct User<'a> {
    pub(crate) pod: &'a Shared<Pod>,
    pub(crate) container: &'a Container,
    pub(crate) uses: Vec<ConfigUse>,
}

/// A workload with each config that was read and that it takes.
pub(crate) fn subjects<'a>(
    index: &Index<'a>,
    workload: &WorkloadRef,
    pods: &[&'a Shared<Pod>],
) -> Vec<Subject<'a>> {
    let mut users: BTreeMap<ConfigRef, Vec<User<'_>>> = BTreeMap::new();
    for pod in pods {
        for container in pod
            .containers
            .iter()
            .filter(|c| is_replica(c) && has_started(c))
        {
            let mut by_config: BTreeMap<ConfigRef, Vec<ConfigUse>> = BTreeMap::new();
            for usage in uses(pod, container, index) {
                by_config
                    .entry(usage.config.clone())
                    .or_default()
                    .push(usage);
            }
            for (config, uses) in by_config {
                users.entry(config).or_default().push(User {
                    pod,
                    container,
                    uses,
                });
            }
        }
    }
    let found = users.into_iter().filter_map(|(config, users)| {
        Some(Subject {
            config: index.config(&config)?,
            workload: workload.clone(),
            users,
        })
    });
    found.collect()
}

/// A container that never started has loaded nothing.
pub(crate) fn has_started(container: &Container) -> bool {
    container.status.as_ref().is_some_and(|status| {
        status.last.is_some() || !matches!(status.state, ContainerState::Waiting { .. })
    })
}

/// A subject with its history, loads and signals.
#[derive(Debug)]
pub(crate) struct Case<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) index: &'a Index<'a>,
    pub(crate) config: &'a Config,
    pub(crate) workload: WorkloadRef,
    pub(crate) history: History,
    /// The keys of the config that reach any replica.
    pub(crate) keys: Keys,
    /// What the last edit that reaches a replica changed.
    pub(crate) changes: Vec<ValueChange>,
    pub(crate) replicas: Vec<Replica>,
    /// What each replica's current log told, beside its previous run's.
    pub(crate) scans: Vec<Scans>,
    pub(crate) impact: Option<Impacted>,
    /// The config may have been deleted and made again under its name.
    pub(crate) perhaps_replaced: bool,
    /// It may have come after its pods: it was made again, or is optional.
    pub(crate) perhaps_late: bool,
}

/// Logs of one replica.
#[derive(Debug, Default)]
pub(crate) struct Scans {
    pub(crate) current: Option<Read>,
    pub(crate) previous: Option<Read>,
}

/// One log, scanned.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) scan: Arc<Scan>,
    pub(crate) source: LogSource,
}

/// Enough of a log to cite it.
#[derive(Debug, Clone)]
pub(crate) struct LogSource {
    name: String,
    command: String,
    read_at: chrono::DateTime<chrono::Utc>,
    complete: bool,
    from: Option<LogFrom>,
}

impl LogSource {
    pub(crate) fn of(log: &Log) -> Self {
        Self {
            name: format!(
                "Log of pod {}, container {}{}",
                log.pod.name,
                log.container,
                if log.previous { ", previous run" } else { "" }
            ),
            command: show_log(log),
            read_at: log.read_at,
            complete: log.complete,
            from: log.from.clone(),
        }
    }

    /// Cites a line.
    pub(crate) fn cite(&self, book: &mut Book<'_>, excerpt: &str) -> usize {
        let command = (self.command.as_str(), self.from.as_ref());
        book.add_log(self.name.clone(), command, self.read_at, excerpt.to_owned())
    }
}

impl Case<'_> {
    /// The last edit that reaches a replica, if one is known.
    pub(crate) fn edit(&self) -> Option<(&Edit, usize)> {
        let reaching = self.history.edits.iter().enumerate().rev().find(|(i, _)| {
            let history = &self.history;
            match (history.content(*i), history.content(*i + 1)) {
                (Some(a), Some(b)) => super::content::same(a, b, &self.keys) != Some(true),
                _ => true,
            }
        });
        reaching.map(|(index, edit)| (edit, index + 1))
    }

    /// The last write that may have been an edit, where no edit is known.
    pub(crate) fn last_write(&self) -> Option<&Edit> {
        let edit = self.edit().map(|(edit, _)| edit);
        edit.or(self.history.floor.as_ref())
    }

    /// What was read inside a container about this config.
    pub(crate) fn probe(&self, user: &User<'_>) -> Option<&Probe> {
        self.index
            .probe(user.pod, user.container, &self.config.reference)
    }

    pub(crate) fn live_name(&self) -> Option<String> {
        self.history.name(self.history.live())
    }
}

/// Judges a subject.
pub(crate) fn build<'a>(
    index: &'a Index<'a>,
    subject: &Subject<'a>,
    known: &mut signals::Scans,
    book: &mut Book<'_>,
) -> Case<'a> {
    let snapshot = index.snapshot;
    let history = history(snapshot, subject.config, book);
    let keys = reaching(&history, subject);
    let settings = settings(&history, &keys);
    let replaced = super::want::replaced(index, subject);
    let mut uses = subject.users.iter().flat_map(|user| &user.uses);
    let optional = uses.any(|usage| usage.optional);
    let mut case = Case {
        snapshot,
        index,
        config: subject.config,
        workload: subject.workload.clone(),
        changes: Vec::new(),
        replicas: Vec::new(),
        scans: Vec::new(),
        impact: None,
        perhaps_replaced: replaced,
        perhaps_late: replaced || optional,
        history,
        keys,
    };
    for user in &subject.users {
        let scans = scans(index, user, known, &settings);
        let replica = replica(&case, user, &scans, &settings, book);
        case.replicas.push(replica);
        case.scans.push(scans);
    }
    asked::compare(&mut case);
    case.changes = last_changes(&case);
    case.impact = impact::of(&mut case, book);
    case
}

fn reaching(history: &History, subject: &Subject<'_>) -> Keys {
    let mut found = BTreeSet::new();
    for content in history.contents() {
        for usage in subject.users.iter().flat_map(|user| &user.uses) {
            found.extend(usage.keys.of(content));
        }
    }
    Keys::only(found)
}

fn last_changes(case: &Case<'_>) -> Vec<ValueChange> {
    let Some((_, index)) = case.edit() else {
        return Vec::new();
    };
    match (case.history.content(index - 1), case.history.content(index)) {
        (Some(a), Some(b)) => value_changes(a, b, &case.keys),
        _ => Vec::new(),
    }
}

fn scans(
    index: &Index<'_>,
    user: &User<'_>,
    known: &mut signals::Scans,
    settings: &[Setting],
) -> Scans {
    let mut read = |previous: bool| {
        let log = index.log(user.pod, &user.container.name, previous)?;
        Some(Read {
            scan: known.of(log, settings),
            source: LogSource::of(log),
        })
    };
    Scans {
        current: read(false),
        previous: read(true),
    }
}

fn replica(
    case: &Case<'_>,
    user: &User<'_>,
    scans: &Scans,
    settings: &[Setting],
    book: &mut Book<'_>,
) -> Replica {
    let status_evidence = cite_status(case.snapshot, user, book);
    let signals = telling::signals(case, user, scans, settings, book);
    let shown: Vec<Shown> = signals
        .iter()
        .filter_map(|(_, shown)| shown.clone())
        .collect();
    let seen = Seen {
        snapshot: case.snapshot,
        pod: user.pod,
        container: user.container,
        taker: user.container,
        owner_made: case.index.owner_made(user.pod),
        first_taker: case.index.first_taker(&case.config.reference),
        history: &case.history,
        scan: scans.current.as_ref().map(|read| &*read.scan),
        log_complete: scans.current.as_ref().is_some_and(|r| r.source.complete),
        shown: &shown,
        probe: case.probe(user),
    };
    let mut uses: Vec<UseLoad> = user
        .uses
        .iter()
        .map(|usage| load(&seen, usage, book))
        .collect();
    for usage in &mut uses {
        usage.evidence.insert(0, status_evidence);
        usage.evidence.extend(case.history.evidence.first());
    }
    if !runs(user.container) {
        uses.iter_mut().for_each(over);
    }
    uses.sort_by_key(|u| (u.live != Some(false), u.live.is_some(), u.grade));
    let deciding = uses.first().cloned();
    Replica {
        pod: user.pod.reference.clone(),
        container: user.container.name.clone(),
        node: user.pod.node.clone(),
        started_at: user.container.started_at(),
        ready: user.container.status.as_ref().is_some_and(|s| s.ready),
        state: state(user.container),
        restarts: user.container.status.as_ref().map_or(0, |s| s.restarts),
        loaded: deciding.as_ref().and_then(|u| u.loaded.clone()),
        live: deciding.as_ref().and_then(|u| u.live),
        grade: deciding.as_ref().map_or(Grade::Unknown, |u| u.grade),
        why: deciding.as_ref().map(|u| u.why.clone()).unwrap_or_default(),
        evidence: deciding.map(|u| u.evidence).unwrap_or_default(),
        signals: signals.into_iter().map(|(signal, _)| signal).collect(),
        uses,
        traffic: Vec::new(),
    }
}

fn runs(container: &Container) -> bool {
    let state = container.status.as_ref().map(|status| &status.state);
    matches!(state, Some(ContainerState::Running { .. }))
}

/// What is not running is behind nothing: its next start takes what is live then.
fn over(usage: &mut UseLoad) {
    if usage.live == Some(false) {
        usage.live = None;
        usage.grade = Grade::Unknown;
        usage.why = format!(
            "it is not running, and its next start takes what is live then; of its last run: {}",
            usage.why
        );
    }
}

fn state(container: &Container) -> String {
    match container.status.as_ref().map(|s| &s.state) {
        Some(ContainerState::Running { .. }) => "Running".to_owned(),
        Some(ContainerState::Waiting { reason, .. }) if !reason.is_empty() => reason.clone(),
        Some(ContainerState::Waiting { .. }) => "Waiting".to_owned(),
        Some(ContainerState::Terminated(end)) if !end.reason.is_empty() => end.reason.clone(),
        Some(ContainerState::Terminated(_)) => "Terminated".to_owned(),
        Some(ContainerState::Unknown) | None => "Unknown".to_owned(),
    }
}

fn cite_status(snapshot: &Snapshot, user: &User<'_>, book: &mut Book<'_>) -> usize {
    if book.is_mute() {
        return 0;
    }
    let PodRef {
        namespace, name, ..
    } = &user.pod.reference;
    let time = |at: Option<chrono::DateTime<chrono::Utc>>| {
        at.map_or_else(
            || "at an unknown time".to_owned(),
            |at| clock_time(at, snapshot.now()),
        )
    };
    let status = user.container.status.as_ref();
    let excerpt = format!(
        "pod created {}; container {} started {}, {} restarts, {}{}",
        time(user.pod.created),
        user.container.name,
        time(user.container.started_at()),
        status.map_or(0, |s| s.restarts),
        state(user.container),
        if user.pod.ready {
            ", ready"
        } else {
            ", not ready"
        }
    );
    book.add(
        format!("Pod/{name}"),
        &format!("-n {} get pod {} -o yaml", quote(namespace), quote(name)),
        snapshot.taken_at,
        excerpt,
    )
}
