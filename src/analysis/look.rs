//! One look at everything that was read: each pair judged, the report made of them, and what to read next.
//!
//! Whoever looks again after a change keeps the [`Analyst`]: what has not changed since is not judged anew. That saves time
//! and changes nothing: a first look at the same facts comes to the same.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::case::{Case, Subject, build, subjects};
use super::clients;
use super::diagnosis::{Draft, Opened, incident};
use super::evidence::Book;
use super::incident::{Diagnosis, Grade, Incident, Replica, Suspect};
use super::index::Index;
use super::rivals;
use super::rules::judge;
use super::separating;
use super::signals::Scans;
use super::signals::words::Words;
use super::target;
use super::want::{self, Rank, Suspicion, rank};
use super::workloads::by_workload;
use crate::model::{Config, ConfigRef, Pod, Shared, Snapshot, Want, WorkloadRef};

/// What a look comes to.
#[derive(Debug)]
pub struct Look {
    pub diagnosis: Diagnosis,
    /// What to read next; empty when nothing more would help.
    pub wanted: Vec<Want>,
    /// The pair that was asked about, judged like an incident, where it is none.
    pub watched: Option<Incident>,
}

/// Looks at snapshots, one after the other.
#[derive(Debug, Default)]
pub struct Analyst {
    scans: Scans,
    words: Words,
    quiet: HashMap<(ConfigRef, WorkloadRef), Quiet>,
}

/// What was found out of a pair that has no incident.
#[derive(Debug, Clone)]
pub(crate) struct Study {
    /// By the user's place among the subject's users.
    pub(crate) grades: Vec<Grade>,
    /// Whether the config may have been edited.
    pub(crate) edited: bool,
    pub(crate) opened: Opened,
    /// Its history was not even asked for.
    pub(crate) shallow: bool,
    pub(crate) rank: Option<Rank>,
    pub(crate) wants: Suspicion,
    pub(crate) suspect: Option<Suspect>,
}

/// A study, and what it rests on.
#[derive(Debug)]
struct Quiet {
    /// Kept, so that none of their addresses can mean another one.
    config: Shared<Config>,
    pods: Vec<Shared<Pod>>,
    basis: u64,
    study: Arc<Study>,
    used: bool,
}

/// What a judgement rests on beside the config and the pods themselves.
fn basis(index: &Index<'_>, subject: &Subject<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    index.network.hash(&mut hasher);
    let snapshot = index.snapshot;
    let config = &subject.config.reference;
    for user in &subject.users {
        // Contents of other configs decide which keys reach the process.
        user.uses.hash(&mut hasher);
        let probe = index.probe(user.pod, user.container, config);
        probe.map(|probe| probe.read_at).hash(&mut hasher);
        let nodes = &snapshot.clocks.nodes;
        let ahead = user.pod.node.as_ref().and_then(|node| nodes.get(node));
        ahead
            .map(|ahead| (ahead.least, ahead.most))
            .hash(&mut hasher);
        index.first_taker(config).hash(&mut hasher);
        for previous in [false, true] {
            let log = index.log(user.pod, &user.container.name, previous);
            log.map(|log| log.text.len()).hash(&mut hasher);
        }
    }
    for earlier in snapshot.earlier.iter().filter(|e| e.reference == *config) {
        (earlier.versions.len(), &earlier.read_at).hash(&mut hasher);
    }
    let there = snapshot.pods_at.iter();
    there
        .filter(|at| at.namespace == config.namespace)
        .count()
        .hash(&mut hasher);
    let told = snapshot
        .told
        .iter()
        .filter(|t| t.pod.namespace == config.namespace);
    told.for_each(|t| (&t.pod, &t.version, t.read_at).hash(&mut hasher));
    want::is_asked(snapshot, config).hash(&mut hasher);
    let outside = &snapshot.outside;
    (
        outside.found.len(),
        outside.audited.len(),
        outside.kept.len(),
    )
        .hash(&mut hasher);
    let namesakes = snapshot.namesakes.iter();
    namesakes
        .filter(|other| other.config.reference.name == config.name)
        .for_each(|other| (&other.config.resource_version, other.takers).hash(&mut hasher));
    hasher.finish()
}

impl Analyst {
    /// Judges everything in a snapshot.
    pub fn look(&mut self, snapshot: &Snapshot) -> Look {
        self.look_at(snapshot, None)
    }

    /// The same, with one pair read deep however little suspect it is.
    pub fn look_at(
        &mut self,
        snapshot: &Snapshot,
        focus: Option<&(ConfigRef, WorkloadRef)>,
    ) -> Look {
        let index = Index::of(snapshot);
        let mut book = Book::new(&snapshot.cluster);
        let mut draft = Draft::default();
        let mut suspects = Vec::new();
        let mut taken = BTreeSet::new();
        let mut watched = None;
        // One workload after the other: how the pods of all take their configs at once is half of what the pods are.
        for (workload, pods) in by_workload(snapshot) {
            draft.likely.note(&workload, &pods);
            for subject in subjects(&index, &workload, &pods) {
                draft.taken(&subject);
                if !target::within(snapshot, &subject) {
                    continue;
                }
                taken.insert(subject.config.reference.clone());
                let study = match self.known(&index, &subject).filter(|_| plain(&subject)) {
                    Some(study) => study,
                    None => self.study(&index, &subject, &mut book, &mut draft),
                };
                draft.take(&subject, &study);
                let is_focus = focus.is_some_and(|(config, workload)| {
                    *config == subject.config.reference && *workload == subject.workload
                });
                if is_focus && !draft.has(&subject) {
                    watched = Some(self.watched(&index, &subject));
                }
                if study.rank.is_some() {
                    let pair = (subject.config.reference.clone(), subject.workload.clone());
                    suspects.push((pair, study));
                }
            }
        }
        let quiet = suspects.iter().all(|(_, study)| study.suspect.is_none()) && draft.is_quiet();
        self.scans.tidy();
        self.words.tidy();
        self.quiet
            .retain(|_, quiet| std::mem::take(&mut quiet.used));
        let mut wanted = want::worst(&index, suspects, focus);
        if wanted.is_empty() && quiet {
            wanted = want::namesakes(snapshot, &taken);
        }
        Look {
            wanted,
            watched,
            diagnosis: draft.finish(&index, book),
        }
    }

    /// A pair as it is now, whatever is found of it.
    fn watched<'a>(&mut self, index: &'a Index<'a>, subject: &Subject<'a>) -> Incident {
        let mut book = Book::mute(&index.snapshot.cluster);
        let case = build(index, subject, &mut self.scans, &mut book);
        let findings = judge(&case, &mut book);
        incident(case, findings, &mut book)
    }

    /// What the last look found out, where nothing has changed that it rests on.
    fn known(&mut self, index: &Index<'_>, subject: &Subject<'_>) -> Option<Arc<Study>> {
        let key = (subject.config.reference.clone(), subject.workload.clone());
        let quiet = self.quiet.get_mut(&key)?;
        let pods = subject.users.iter().map(|user| user.pod);
        let same = Shared::is(&quiet.config, subject.config)
            && quiet.pods.len() == subject.users.len()
            && quiet.pods.iter().zip(pods).all(|(a, b)| Shared::is(a, b))
            && quiet.basis == basis(index, subject);
        same.then(|| {
            quiet.used = true;
            quiet.study.clone()
        })
    }

    fn study<'a>(
        &mut self,
        index: &'a Index<'a>,
        subject: &Subject<'a>,
        book: &mut Book<'a>,
        draft: &mut Draft<'a>,
    ) -> Arc<Study> {
        // Nobody reads the evidence of a config that never was written to, and most never were.
        let possible = want::may_be_suspect(index, subject);
        self.study_as(possible, index, subject, book, draft)
    }

    fn study_as<'a>(
        &mut self,
        possible: bool,
        index: &'a Index<'a>,
        subject: &Subject<'a>,
        real: &mut Book<'a>,
        draft: &mut Draft<'a>,
    ) -> Arc<Study> {
        let mut mute = Book::mute(&index.snapshot.cluster);
        let mark = real.mark();
        let book = if possible { &mut *real } else { &mut mute };
        let (rivals, after) = rivals::cases(index, subject, &mut self.scans, book);
        let named = Subject {
            after,
            ..subject.clone()
        };
        let mut case = build(index, &named, &mut self.scans, book);
        let findings = judge(&case, book);
        // Whoever finds something where nothing was to be expected cites it all the same.
        if !possible && !findings.found.is_empty() {
            return self.study_as(true, index, subject, real, draft);
        }
        let mut study = Study {
            grades: case.replicas.iter().map(known_at).collect(),
            edited: case.history.last_possible_edit().is_some(),
            opened: Opened::of(&case, subject, &findings),
            shallow: want::is_shallow(&case),
            rank: rank(&case),
            wants: Suspicion::of(&case, subject),
            suspect: None,
        };
        if !findings.found.is_empty() {
            let compared = separating::compare(&mut case, subject, &mut self.words, book);
            let seen = clients::seen(&case, &mut self.scans, book);
            draft.add(case, rivals, findings, (compared, seen), book);
            return Arc::new(study);
        }
        book.cut(mark);
        study.suspect = suspect(&case, study.shallow);
        let study = Arc::new(study);
        let quiet = Quiet {
            config: subject.config.clone(),
            pods: subject.users.iter().map(|user| user.pod.clone()).collect(),
            basis: basis(index, subject),
            study: study.clone(),
            used: true,
        };
        let key = (subject.config.reference.clone(), subject.workload.clone());
        self.quiet.insert(key, quiet);
        study
    }
}

/// Whether nothing of a pair depends on what is kept elsewhere: on pods that wait, or that name another config.
fn plain(subject: &Subject<'_>) -> bool {
    subject.blocked.is_empty() && subject.rivals.is_empty()
}

/// A replica whose load cannot be compared with what is live is as good as unknown.
fn known_at(replica: &Replica) -> Grade {
    match replica.live {
        Some(_) => replica.grade,
        None => Grade::Unknown,
    }
}

/// A pair that has no incident as far as is known, but a write that some replica may not have seen.
fn suspect(case: &Case<'_>, unread: bool) -> Option<Suspect> {
    let edit = case.history.last_possible_edit()?;
    let behind = case.replicas.iter().filter(|r| r.live != Some(true));
    let first = behind.clone().next()?;
    Some(Suspect {
        config: case.config.reference.clone(),
        workload: case.workload.clone(),
        edited: edit.at,
        writer: edit.manager.clone(),
        behind: behind.count(),
        replicas: case.replicas.len(),
        why: if unread {
            "its history is still to be read".to_owned()
        } else {
            first.why.clone()
        },
    })
}
