//! The whole report: every pair judged, incidents ranked, the verdict, and what was not checked.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::case::{Case, Subject, User, changes_at};
use super::clients::{self, Likely, Seen};
use super::evidence::Book;
use super::gaps;
use super::incident::{Code, ContentSource, Diagnosis, Grade, Incident, NotChecked, Suspect};
use super::index::Index;
use super::look::Study;
use super::misleading::misleading;
use super::names::{count, list};
use super::put_back;
use super::rules::{self, Findings};
use super::separating::Compared;
use super::want::scope_name;
use super::{rivals, target, timeline};
use crate::model::{ConfigRef, PodRef, Snapshot, Workload, WorkloadRef};

/// The report on everything that was read.
pub fn diagnose(snapshot: &Snapshot) -> Diagnosis {
    super::Analyst::default().look(snapshot).diagnosis
}

/// A report in the making.
#[derive(Debug, Default)]
pub(crate) struct Draft<'a> {
    incidents: Vec<Incident>,
    suspects: Vec<Suspect>,
    grades: Grades<'a>,
    /// Who takes each config.
    takers: BTreeMap<ConfigRef, Vec<WorkloadRef>>,
    open: BTreeSet<NotChecked>,
    uncertain: bool,
    shallow: usize,
    /// Who may be a client of some incident's workload.
    pub(crate) likely: Likely,
}

/// By replica: whether a config that it takes may have been edited, and the grade.
type Grades<'a> = HashMap<(&'a str, &'a str), (bool, Grade)>;

impl<'a> Draft<'a> {
    /// Notes who takes a config.
    pub(crate) fn taken(&mut self, subject: &Subject<'_>) {
        let takers = self.takers.entry(subject.config.reference.clone());
        takers.or_default().push(subject.workload.clone());
    }

    /// Takes in what was found out of a pair.
    pub(crate) fn take(&mut self, subject: &Subject<'a>, study: &Study) {
        for (user, grade) in subject.users.iter().zip(&study.grades) {
            note_grade(&mut self.grades, user, study.edited, *grade);
        }
        self.open.extend(study.opened.list.iter().cloned());
        self.uncertain |= study.opened.uncertain;
        self.shallow += usize::from(study.shallow);
        self.suspects.extend(study.suspect.clone());
    }

    /// Takes in a pair that has an incident, with the cases of the configs that older replicas name.
    pub(crate) fn add(
        &mut self,
        case: Case<'_>,
        rivals: Vec<Case<'_>>,
        findings: Findings,
        (compared, seen): (Compared, Seen),
        book: &mut Book<'_>,
    ) {
        self.open.extend(compared.open);
        self.open.extend(seen.open.clone());
        let split = findings
            .found
            .iter()
            .any(|finding| finding.code == Code::SplitReference);
        let mut found = incident(case, findings, book);
        if split {
            rivals::join(&mut found, rivals, book);
        }
        found.separating = compared.found;
        found.impact = seen.with(found.impact);
        self.incidents.push(found);
    }

    /// Whether a pair has an incident.
    pub(crate) fn has(&self, subject: &Subject<'_>) -> bool {
        let of = |incident: &Incident| {
            incident.config == subject.config.reference && incident.workload == subject.workload
        };
        self.incidents.iter().any(of)
    }

    /// Whether no incident has been found.
    pub(crate) fn is_quiet(&self) -> bool {
        self.incidents.is_empty()
    }

    pub(crate) fn finish(mut self, index: &Index<'_>, book: Book<'_>) -> Diagnosis {
        let snapshot = index.snapshot;
        for incident in &mut self.incidents {
            let takers = self.takers.get(&incident.config).into_iter().flatten();
            let others = takers.filter(|workload| **workload != incident.workload);
            incident.shared_with = others.cloned().collect();
            let client = clients::propose(index, incident, &self.takers, &self.likely);
            self.open.extend(client);
        }
        self.incidents.sort_by_key(|incident| {
            let first = incident.findings.first().map(|f| f.code);
            // What the page named comes first.
            let aside = snapshot.scope.route.is_some() && incident.impact.is_none();
            (
                aside,
                incident.failing.is_none(),
                first,
                incident.config.clone(),
                incident.workload.clone(),
            )
        });
        self.suspects.sort_by(|a, b| {
            let at = |s: &Suspect| std::cmp::Reverse(s.edited.latest);
            (at(a), &a.config, &a.workload).cmp(&(at(b), &b.config, &b.workload))
        });
        self.open
            .extend((self.shallow > 0).then(|| too_many(self.shallow)));
        self.open.extend(missing_target(snapshot));
        let (gaps, covering) = gaps::not_checked(index);
        self.open.extend(gaps);
        let counts = counts(&self.grades);
        let weakened = covering || self.uncertain || self.shallow > 0 || target_missing(snapshot);
        Diagnosis {
            verdict: verdict(snapshot, &self.incidents, &counts, weakened),
            cluster: snapshot.cluster.clone(),
            scope: snapshot.scope.clone(),
            taken_at: snapshot.taken_at,
            weakened,
            incidents: self.incidents,
            suspects: self.suspects,
            evidence: book.into_items(),
            not_checked: self.open.into_iter().collect(),
            counts,
        }
    }
}

/// A name that is not there leaves open whether it is misspelt.
fn missing_target(snapshot: &Snapshot) -> Option<NotChecked> {
    target_missing(snapshot).then(|| NotChecked {
        what: "What was asked for by name".to_owned(),
        why: "it is not there, or could not be read".to_owned(),
    })
}

fn too_many(shallow: usize) -> NotChecked {
    NotChecked {
        what: format!(
            "History of {} of a config and a workload that may have an incident",
            count(shallow, "more pair")
        ),
        why: "only the most suspect are read so deep; ask for one namespace or workload".to_owned(),
    }
}

fn target_missing(snapshot: &Snapshot) -> bool {
    let target = snapshot.scope.target.as_ref();
    target.is_some_and(|target| !target::exists(snapshot, target))
}

/// A replica counts once: by the load that is known least among the configs that may have been edited, since of one that
/// never was there is nothing to tell.
fn note_grade<'a>(grades: &mut Grades<'a>, user: &User<'a>, edited: bool, grade: Grade) {
    let key = (
        user.pod.reference.uid.as_str(),
        user.container.name.as_str(),
    );
    let known = grades.entry(key).or_insert((edited, grade));
    if edited == known.0 {
        known.1 = known.1.max(grade);
    } else if edited {
        *known = (true, grade);
    }
}

fn counts(grades: &Grades<'_>) -> BTreeMap<Grade, usize> {
    grades
        .values()
        .fold(BTreeMap::new(), |mut counts, (_, grade)| {
            *counts.entry(*grade).or_default() += 1;
            counts
        })
}

/// What a pair leaves open.
#[derive(Debug, Clone, Default)]
pub(crate) struct Opened {
    list: BTreeSet<NotChecked>,
    /// What is open is a replica's load.
    uncertain: bool,
}

impl Opened {
    pub(crate) fn of(case: &Case<'_>, subject: &Subject<'_>, findings: &Findings) -> Self {
        let mut list = BTreeSet::new();
        let uncertain = note_open(case, subject, findings, &mut list);
        Self { list, uncertain }
    }
}

/// What this case leaves open. True where that is a replica's load.
fn note_open(
    case: &Case<'_>,
    subject: &Subject<'_>,
    findings: &Findings,
    open: &mut BTreeSet<NotChecked>,
) -> bool {
    let pair = format!("{} in {}", case.config.reference, case.workload);
    let unknown: Vec<&super::Replica> = case
        .replicas
        .iter()
        .filter(|r| r.grade == Grade::Unknown || r.live.is_none())
        .collect();
    if let Some(first) = unknown.first() {
        let names: Vec<String> = unknown.iter().map(|r| r.pod.name.clone()).collect();
        open.insert(NotChecked {
            what: format!(
                "What {} {} of {pair}",
                list(&names),
                if names.len() == 1 { "runs" } else { "run" }
            ),
            why: first.why.clone(),
        });
    }
    if let (false, Some(impacted)) = (unknown.is_empty(), &case.impact)
        && findings.found.is_empty()
    {
        open.insert(NotChecked {
            what: format!(
                "Why requests fail in {}, and whether {} is the cause",
                case.workload, case.config.reference
            ),
            why: format!(
                "what its replicas run is not known; {}",
                impacted.impact.sentence
            ),
        });
    }
    // What is not known of the replicas is said already.
    let said = |code: Code| {
        !unknown.is_empty()
            && matches!(
                code,
                Code::SplitReplicas | Code::LoadedEverywhere | Code::EditedBack | Code::Recreated
            )
    };
    for (code, what) in findings.cannot_tell.iter().filter(|(code, _)| !said(*code)) {
        open.insert(NotChecked {
            what: format!("Rule {code} for {pair}"),
            why: what.clone(),
        });
    }
    if !findings.found.is_empty() {
        gaps::of_incident(case, subject, open);
    }
    !unknown.is_empty()
}

pub(crate) fn incident(case: Case<'_>, findings: Findings, book: &mut Book<'_>) -> Incident {
    let timeline = timeline::of(&case, book);
    let cause = findings.found.first().map(|f| f.code);
    let crashes = matches!(cause, Some(Code::CrashOnNew | Code::MissingReference));
    let everywhere = cause == Some(Code::LoadedEverywhere);
    let live_fails = case.impact.as_ref().is_some_and(|i| i.live_fails);
    let failing = (crashes || everywhere || live_fails || rules::only_new_ones_crash(&case))
        .then(|| case.live_name())
        .flatten();
    let put_back = put_back::of(&case, failing.is_some());
    let misleading = misleading(&case, &findings.found, failing.is_some());
    let route = case.impact.as_ref().map(|found| found.route.clone());
    let impact = match case.impact {
        Some(found) => found.is_asked.then_some(found.impact),
        None if crashes => Some(super::impact::of_crash(&case)),
        None => None,
    };
    let workloads = &case.snapshot.workloads;
    let controller = workloads
        .iter()
        .find(|w| w.reference == case.workload)
        .map(|w| Workload::clone(w));
    Incident {
        config: case.config.reference.clone(),
        controller,
        shared_with: Vec::new(),
        workload: case.workload,
        findings: findings.found,
        cannot_tell: findings.cannot_tell,
        revisions: case.history.revisions.clone(),
        changes: match &case.reconstruction {
            // So that a plan can say what it would put back.
            Some(_) => changes_at(&case.history, case.history.live(), &case.keys),
            None => case.changes,
        },
        replicas: case.replicas.clone(),
        timeline,
        impact,
        route,
        put_back,
        failing,
        misleading,
        absent: case.config.is_absent(),
        only_copy: only_copy(&case.replicas, &case.history.revisions),
        separating: Vec::new(),
    }
}

/// Replicas that may hold the only copy of a content that no source has: in their environment, or in a file that no edit reaches.
fn only_copy(replicas: &[super::Replica], revisions: &[super::Revision]) -> Vec<(PodRef, String)> {
    let kept = |name: &str| {
        let revision = revisions.iter().find(|r| r.name == name);
        let source = revision.and_then(|r| r.source.as_ref());
        !matches!(
            source,
            None | Some(ContentSource::Reconstruction { .. } | ContentSource::Replica { .. })
        )
    };
    let fixed = |replica: &super::Replica| {
        replica.uses.iter().any(|u| {
            matches!(
                u.via,
                super::Use::Env { .. } | super::Use::EnvFrom { .. } | super::Use::SubPath { .. }
            )
        })
    };
    replicas
        .iter()
        .filter(|r| r.live == Some(false) && !r.loaded.as_deref().is_some_and(kept) && fixed(r))
        .map(|r| (r.pod.clone(), r.container.clone()))
        .collect()
}

fn verdict(
    snapshot: &Snapshot,
    incidents: &[Incident],
    counts: &BTreeMap<Grade, usize>,
    weakened: bool,
) -> String {
    let scope = scope_name(&snapshot.scope);
    let place = match &snapshot.scope.target {
        Some(target) if !target::exists(snapshot, target) => {
            return target::not_found(snapshot, target);
        }
        Some(target) => format!("behind {} in {scope}", target::target_name(target)),
        None => format!("in {scope}"),
    };
    match incidents {
        [] if counts.is_empty() => gaps::blind(snapshot, &scope)
            .unwrap_or_else(|| format!("No replica {place} takes a ConfigMap or Secret.")),
        [] => quiet(&place, counts, weakened),
        [one] => format!("1 incident {place}: {}.", headline(one)),
        [worst, ..] => format!(
            "{} incidents {place}, the worst: {}.",
            incidents.len(),
            headline(worst)
        ),
    }
}

/// The verdict where there is nothing to find, with how well that is known.
///
/// "Look elsewhere" is only said where nothing is missing that could hide one.
fn quiet(place: &str, counts: &BTreeMap<Grade, usize>, weakened: bool) -> String {
    let replicas: usize = counts.values().sum();
    let grades: Vec<String> = [
        Grade::Proved,
        Grade::Ordered,
        Grade::Shown,
        Grade::Inferred,
        Grade::Unknown,
    ]
    .iter()
    .filter_map(|grade| {
        let number = counts.get(grade).copied().unwrap_or(0);
        (number > 0 || *grade == Grade::Unknown).then(|| format!("{number} {grade}"))
    })
    .collect();
    let (known, end) = if weakened {
        ("is known", "see what was not checked")
    } else {
        ("", "look elsewhere")
    };
    format!(
        "No config split {known}{}{place}: of {} that take a config, {}; {end}.",
        if weakened { " " } else { "" },
        count(replicas, "replica"),
        grades.join(", ")
    )
}

/// `split-replicas of ConfigMap/frontend-nginx in Deployment/frontend`.
fn headline(incident: &Incident) -> String {
    let code = incident.findings.first().map_or("", |f| f.code.as_str());
    format!("{code} of {} in {}", incident.config, incident.workload)
}
