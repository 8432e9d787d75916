//! One config and one workload that uses it: everything that the rules look at.

mod asked;
mod blocked;
mod contrast;
mod edits;
mod sources;
mod subject;
mod telling;

use std::collections::BTreeSet;
use std::sync::Arc;

pub(crate) use self::blocked::{Blocked, is_met, waits};
pub(crate) use self::subject::{Subject, User, has_started, subjects};

use super::content::Keys;
use super::diff::value_changes;
use super::evidence::{Book, show_log};
use super::impact::{self, Impacted};
use super::incident::{Grade, Replica, UseLoad, ValueChange};
use super::index::Index;
use super::loads::{Seen, Shown, load};
use super::names::{clock_time, quote};
use super::reconstruction::Reconstruction;
use super::recovered;
use super::revisions::{History, Known as Told, history};
use super::signals::{self, Scan, Setting, settings};
use crate::model::{
    Config, ConfigRef, Container, ContainerState, Log, LogFrom, Pod, PodRef, Probe, Shared,
    Snapshot, WorkloadRef,
};

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
    /// Containers that cannot start, since the config or a key of it is not there.
    pub(crate) blocked: Vec<Blocked>,
    /// Configs that older replicas name where the template names this one.
    pub(crate) rivals: Vec<Rival>,
    /// Where no earlier content was found.
    pub(crate) reconstruction: Option<Reconstruction>,
}

/// A config that other replicas of the workload name, and those.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rival {
    pub(crate) config: ConfigRef,
    pub(crate) pods: Vec<PodRef>,
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
    build_with(index, subject, false, known, book)
}

/// The same, where `edited` says that some replica is known to run another content than the live one.
fn build_with<'a>(
    index: &'a Index<'a>,
    subject: &Subject<'a>,
    edited: bool,
    known: &mut signals::Scans,
    book: &mut Book<'_>,
) -> Case<'a> {
    let mut case = bare(index, subject, edited, book);
    let settings = settings(&case.history, &case.keys);
    for user in &subject.users {
        let scans = scans(index, user, known, &settings);
        let replica = replica(&case, user, &scans, &settings, book);
        case.replicas.push(replica);
        case.scans.push(scans);
    }
    add_blocked(&mut case, book);
    asked::compare(&mut case);
    case.changes = last_changes(&case);
    case.impact = impact::of(&mut case, book);
    if contrast::compare(&mut case, book) {
        if case.history.edits.is_empty() && !edited {
            return build_with(index, subject, true, known, book);
        }
        case.impact = impact::of(&mut case, book);
    }
    case.reconstruction = recovered::of(&mut case, subject, book);
    case
}

/// A case of which no replica has been judged yet.
fn bare<'a>(
    index: &'a Index<'a>,
    subject: &Subject<'a>,
    edited: bool,
    book: &mut Book<'_>,
) -> Case<'a> {
    let snapshot = index.snapshot;
    let told = Told {
        after: subject.after,
        edited,
    };
    let history = history(snapshot, subject.config, told, book);
    let keys = reaching(&history, subject);
    let replaced = super::want::replaced(index, subject);
    let mut uses = subject.users.iter().flat_map(|user| &user.uses);
    let optional = uses.any(|usage| usage.optional);
    Case {
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
        blocked: subject.blocked.clone(),
        rivals: subject.rivals.iter().map(rival).collect(),
        reconstruction: None,
    }
}

fn rival((config, users): &(&Shared<Config>, Vec<User<'_>>)) -> Rival {
    let pods: BTreeSet<&PodRef> = users.iter().map(|user| &user.pod.reference).collect();
    Rival {
        config: config.reference.clone(),
        pods: pods.into_iter().cloned().collect(),
    }
}

/// Containers that wait for the config are replicas too, though they run nothing.
fn add_blocked(case: &mut Case<'_>, book: &mut Book<'_>) {
    let blocked = std::mem::take(&mut case.blocked);
    for one in &blocked {
        let same = |r: &Replica| r.pod == one.pod && r.container == one.container;
        if case.replicas.iter().any(same) {
            continue;
        }
        let Some(pod) = case.index.pod(&one.pod) else {
            continue;
        };
        let Some(container) = pod.container(&one.container) else {
            continue;
        };
        let evidence = cite_status(case.snapshot, pod, container, book);
        case.replicas.push(Replica {
            pod: one.pod.clone(),
            container: one.container.clone(),
            node: pod.node.clone(),
            started_at: None,
            ready: false,
            state: state(container),
            restarts: 0,
            loaded: None,
            live: None,
            grade: Grade::Unknown,
            why: "it has not started: what it needs is not there".to_owned(),
            evidence: vec![evidence],
            signals: Vec::new(),
            uses: Vec::new(),
            traffic: Vec::new(),
        });
        case.scans.push(Scans::default());
    }
    case.blocked = blocked;
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
    changes_at(&case.history, index, &case.keys)
}

/// What a revision changed of the one before, where both are known.
pub(crate) fn changes_at(history: &History, place: usize, keys: &Keys) -> Vec<ValueChange> {
    let before = place.checked_sub(1).and_then(|at| history.content(at));
    match (before, history.content(place)) {
        (Some(before), Some(now)) => value_changes(before, now, keys),
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
    let status_evidence = cite_status(case.snapshot, user.pod, user.container, book);
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

fn cite_status(
    snapshot: &Snapshot,
    pod: &Pod,
    container: &Container,
    book: &mut Book<'_>,
) -> usize {
    if book.is_mute() {
        return 0;
    }
    let PodRef {
        namespace, name, ..
    } = &pod.reference;
    let time = |at: Option<chrono::DateTime<chrono::Utc>>| {
        at.map_or_else(
            || "at an unknown time".to_owned(),
            |at| clock_time(at, snapshot.now()),
        )
    };
    let status = container.status.as_ref();
    let excerpt = format!(
        "pod created {}; container {} started {}, {} restarts, {}{}",
        time(pod.created),
        container.name,
        time(container.started_at()),
        status.map_or(0, |s| s.restarts),
        state(container),
        if pod.ready { ", ready" } else { ", not ready" }
    );
    book.add(
        format!("Pod/{name}"),
        &format!("-n {} get pod {} -o yaml", quote(namespace), quote(name)),
        snapshot.taken_at,
        excerpt,
    )
}
