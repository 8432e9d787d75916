//! The words that separate an incident's replicas: which groups are compared, in which window, and what is cited for it.
//!
//! A hint and never evidence of a load: it changes no grade.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};

use super::case::{Case, Subject, User};
use super::evidence::Book;
use super::hint::{Group, Separating};
use super::incident::{NotChecked, Signal, SignalKind, Traffic};
use super::names::{clock_time, count, list};
use super::signals::words::{Digest, Found, Names, Side, Words, separating};
use crate::model::{ContainerState, Log};

/// What a program logs so soon after its start the others logged at theirs, long ago.
const SETTLED: TimeDelta = TimeDelta::seconds(30);
/// In less time nothing can be told from chance.
const SHORTEST: TimeDelta = TimeDelta::seconds(10);
/// Fewer answers than this say nothing of whether a replica fails.
const ANSWERS: usize = 3;
/// So many replicas' lines are cited for one of the words.
const CITED: usize = 2;

/// What came of comparing the logs.
#[derive(Debug, Default)]
pub(crate) struct Compared {
    pub(crate) found: Vec<Separating>,
    pub(crate) open: Option<NotChecked>,
}

/// A replica whose log is compared.
struct Member<'a> {
    /// Its place in the case.
    place: usize,
    group: Group,
    log: &'a Log,
    /// From when on its log says what this group says.
    since: DateTime<Utc>,
    digest: Arc<Digest>,
}

/// Compares the logs of a case's replicas by what they loaded, or else by whether they fail. What is found is also given to the
/// replicas as signals.
pub(crate) fn compare(
    case: &mut Case<'_>,
    subject: &Subject<'_>,
    words: &mut Words,
    book: &mut Book<'_>,
) -> Compared {
    if book.is_mute() {
        return Compared::default();
    }
    let mut members = members(case, subject, &by_revision);
    if groups(&members).len() < 2 {
        members = self::members(case, subject, &by_failure);
    }
    let groups = groups(&members);
    let from = members.iter().map(|member| member.since).max();
    let Some(from) = from.filter(|_| groups.len() > 1) else {
        return Compared::default();
    };
    let now = case.snapshot.now();
    if now - from < SHORTEST {
        let since = clock_time(from, now);
        let why = format!("they have run side by side only since {since} UTC");
        return Compared {
            found: Vec::new(),
            open: Some(left_open(case, why)),
        };
    }
    let names = Arc::new(names(case, subject));
    for member in &mut members {
        member.digest = words.digest(&case.config.reference, member.log, from, &names);
    }
    let sides: Vec<Vec<&Member<'_>>> = groups
        .iter()
        .map(|group| members.iter().filter(|m| m.group == *group).collect())
        .collect();
    let mut signals = Vec::new();
    let found = ranked(case, &sides);
    let found = found
        .iter()
        .filter_map(|found| told_of(case, &sides, found, (from, now), &mut signals, book))
        .collect();
    let open = open(case, &sides);
    for (place, signal) in signals {
        if let Some(replica) = case.replicas.get_mut(place) {
            replica.signals.push(signal);
        }
    }
    Compared { found, open }
}

/// What each of the sides logs alone, but for what the signals tell already.
fn ranked(case: &Case<'_>, sides: &[Vec<&Member<'_>>]) -> Vec<Found> {
    let digests: Vec<Side> = sides
        .iter()
        .map(|side| Side {
            digests: side.iter().map(|member| member.digest.clone()).collect(),
        })
        .collect();
    let told = case.replicas.iter().flat_map(|r| &r.signals);
    let told: Vec<&str> = told.map(|signal| signal.text.as_str()).collect();
    separating(&digests, &told)
}

fn by_revision(case: &Case<'_>, place: usize) -> Option<Group> {
    let replica = case.replicas.get(place)?;
    let known = replica.grade < super::Grade::Unknown;
    let loaded = replica.loaded.clone().filter(|_| known)?;
    Some(Group::Revision(loaded))
}

/// A replica fails where most of its answers for some route do; of one that answered too little it is not known.
fn by_failure(case: &Case<'_>, place: usize) -> Option<Group> {
    let replica = case.replicas.get(place)?;
    if replica.traffic.iter().any(Traffic::fails) {
        return Some(Group::Failing);
    }
    let answers: usize = replica.traffic.iter().map(|t| t.total).sum();
    (answers >= ANSWERS).then_some(Group::Serving)
}

fn groups(members: &[Member<'_>]) -> BTreeSet<Group> {
    members.iter().map(|member| member.group.clone()).collect()
}

/// The running replicas of which the group and the log are known.
fn members<'a>(
    case: &Case<'a>,
    subject: &Subject<'a>,
    group: &dyn Fn(&Case<'_>, usize) -> Option<Group>,
) -> Vec<Member<'a>> {
    let users = subject.users.iter().enumerate();
    users
        .filter(|(_, user)| runs(user))
        .filter_map(|(place, user)| {
            let log = case.index.log(user.pod, &user.container.name, false)?;
            Some(Member {
                place,
                group: group(case, place)?,
                log,
                since: since(case, place, log)?,
                digest: Arc::default(),
            })
        })
        .collect()
}

fn runs(user: &User<'_>) -> bool {
    let state = user.container.status.as_ref().map(|status| &status.state);
    matches!(state, Some(ContainerState::Running { .. }))
}

/// From when on a log is compared: the start's lines are over, it is known to be whole, and the revision that it runs was loaded.
fn since(case: &Case<'_>, place: usize, log: &Log) -> Option<DateTime<Utc>> {
    let replica = case.replicas.get(place)?;
    let started = replica.started_at?;
    let mut since = started + SETTLED;
    if !log.complete {
        since = since.max(log.lines().find_map(|line| line.at)?);
    }
    let loaded = replica.loaded.as_deref();
    let began = loaded.and_then(|name| case.history.began(case.history.place(name)?));
    if let Some(began) = began.filter(|began| *began > started) {
        // It took it while it ran: by a reload, or by itself.
        let mut reloads = replica
            .signals
            .iter()
            .filter(|s| s.kind == SignalKind::Reload);
        let reload = reloads.find_map(|reload| reload.last);
        since = since.max(reload.unwrap_or(began) + SETTLED);
    }
    Some(since)
}

/// What each replica calls itself, and what is known to be a host.
fn names(case: &Case<'_>, subject: &Subject<'_>) -> Names {
    let mut own = BTreeSet::new();
    for user in &subject.users {
        let name = &user.pod.reference.name;
        own.insert(name.clone());
        own.insert(user.pod.reference.uid.clone());
        own.extend(
            name.rsplit('-')
                .next()
                .filter(|s| s.len() > 3)
                .map(str::to_owned),
        );
        own.extend(user.pod.ip.clone());
        if let Some(node) = &user.pod.node {
            own.insert(node.clone());
            own.extend(node.split('.').next().map(str::to_owned));
        }
    }
    let services = case.snapshot.services.iter();
    let hosts = services.map(|service| service.name.clone()).collect();
    Names { own, hosts }
}

/// One of the words with its evidence, and as a signal of each replica that logs it.
fn told_of(
    case: &Case<'_>,
    sides: &[Vec<&Member<'_>>],
    found: &Found,
    window: (DateTime<Utc>, DateTime<Utc>),
    signals: &mut Vec<(usize, Signal)>,
    book: &mut Book<'_>,
) -> Option<Separating> {
    let side = sides.get(found.side)?;
    let mut evidence = Vec::new();
    for (nth, came) in &found.with {
        let member = side.get(*nth)?;
        let (piece, start, end) = came.place;
        let line = member.log.text.pieces().get(piece)?.get(start..end)?;
        let line = crate::model::LogLine::parse(line.trim_end()).text;
        let scans = case
            .scans
            .get(member.place)
            .and_then(|s| s.current.as_ref());
        let mut cited = Vec::new();
        if evidence.len() < CITED
            && let Some(read) = scans
        {
            cited.push(read.source.cite(book, line));
        }
        evidence.extend(&cited);
        let signal = Signal {
            kind: SignalKind::Word,
            text: found.text.clone(),
            count: came.lines,
            first: Some(came.first),
            last: Some(came.last),
            // It is a hint: no revision explains it.
            revision: None,
            evidence: cited,
        };
        signals.push((member.place, signal));
    }
    let others = sides.iter().enumerate().filter(|(at, _)| *at != found.side);
    Some(Separating {
        text: found.text.clone(),
        group: side.first()?.group.clone(),
        lines: found.lines,
        replicas_with: found.with.len(),
        replicas_of: side.len(),
        others: others.map(|(_, side)| side.len()).sum(),
        other_lines: found.other_lines,
        window,
        evidence,
    })
}

/// What of the logs could not be compared.
fn open(case: &Case<'_>, sides: &[Vec<&Member<'_>>]) -> Option<NotChecked> {
    let members = || sides.iter().flatten();
    let mut by_kind: BTreeMap<&str, usize> = BTreeMap::new();
    for member in members().filter(|member| member.digest.unlike > 0) {
        let name = case.replicas.get(member.place)?.pod.name.as_str();
        *by_kind.entry(name).or_default() += member.digest.unlike;
    }
    let mut whys: Vec<String> = by_kind
        .iter()
        .map(|(pod, lines)| {
            format!(
                "{} of {pod} are of more kinds than are told apart",
                count(*lines, "line")
            )
        })
        .collect();
    let silent: Vec<String> = sides
        .iter()
        .filter(|side| side.iter().all(|member| member.digest.lines == 0))
        .flatten()
        .filter_map(|member| Some(case.replicas.get(member.place)?.pod.name.clone()))
        .collect();
    if !silent.is_empty() {
        whys.push(format!("{} logged nothing meanwhile", list(&silent)));
    }
    let torn: Vec<String> = members()
        .filter(|member| {
            let missing = member.log.missing.as_deref();
            missing.is_some_and(|missing| missing.contains("were not read"))
        })
        .filter_map(|member| Some(case.replicas.get(member.place)?.pod.name.clone()))
        .collect();
    if !torn.is_empty() {
        whys.push(format!("parts of the log of {} were not read", list(&torn)));
    }
    (!whys.is_empty()).then(|| left_open(case, whys.join("; ")))
}

fn left_open(case: &Case<'_>, why: String) -> NotChecked {
    NotChecked {
        what: format!("What only some replicas of {} log", case.workload),
        why,
    }
}
