//! Words and numbers that the text and the Markdown report share.

use std::borrow::Cow;

use chrono::{DateTime, Utc};

use crate::analysis::{Diagnosis, Finding, Incident, NotChecked, Replica, Revision, SignalKind};
use crate::model::{Interval, Scope, Target};
use crate::remedy::{self, Plan};
use crate::text::harmless;

/// Text of several lines, each made harmless.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    if !text.contains('\n') {
        return harmless(text);
    }
    let lines: Vec<_> = text.split('\n').map(harmless).collect();
    Cow::Owned(lines.join("\n"))
}

/// The same page for those who can show ASCII alone. What has no likeness becomes a question mark.
pub(super) fn ascii(page: &str) -> String {
    let mut out = String::with_capacity(page.len());
    for c in page.chars() {
        match c {
            c if c.is_ascii() => out.push(c),
            '→' => out.push_str("->"),
            '–' | '—' => out.push('-'),
            '…' => out.push_str("..."),
            '≠' => out.push_str("!="),
            '×' => out.push('x'),
            '≤' => out.push_str("<="),
            '≥' => out.push_str(">="),
            '“' | '”' => out.push('"'),
            '‘' | '’' => out.push('\''),
            _ => out.push('?'),
        }
    }
    out
}

/// A moment, without the date where it is the report's own.
pub(super) fn moment(at: DateTime<Utc>, report: DateTime<Utc>) -> String {
    let short = at.date_naive() == report.date_naive();
    let format = if short {
        "%H:%M:%S"
    } else {
        "%Y-%m-%d %H:%M:%S"
    };
    at.format(format).to_string()
}

pub(super) fn interval(at: &Interval, report: DateTime<Utc>) -> String {
    match (at.earliest, at.latest) {
        (Some(a), Some(b)) => {
            let (first, last) = (moment(a, report), moment(b, report));
            // An API time is a whole second and means the second after it; nobody wants to read that as a range.
            if first == last || b - a <= chrono::TimeDelta::seconds(1) {
                first
            } else {
                format!("{first}–{last}")
            }
        }
        (Some(a), None) => format!("after {}", moment(a, report)),
        (None, Some(b)) => format!("before {}", moment(b, report)),
        (None, None) => "at an unknown time".to_owned(),
    }
}

/// `[3][5]`, or nothing.
fn marks(evidence: &[usize]) -> String {
    evidence.iter().map(|n| format!("[{n}]")).collect()
}

/// The cause's sentence with how well it is known, and its evidence.
pub(super) fn graded(incident: &Incident, cause: &Finding) -> String {
    let sentence = format!("{} ({})", cause.sentence, incident.certainty());
    cited(&sentence, &cause.evidence)
}

/// A sentence and its evidence, unless the sentence cites it already.
pub(super) fn cited(sentence: &str, evidence: &[usize]) -> String {
    let marks = marks(evidence);
    if marks.is_empty() || sentence.contains(&marks) {
        return sentence.to_owned();
    }
    format!("{sentence} {marks}")
}

fn scope(scope: &Scope) -> String {
    let place = match &scope.namespace {
        Some(namespace) => format!("namespace {namespace}"),
        None => "all namespaces".to_owned(),
    };
    match &scope.target {
        Some(wanted) => format!("{}, {place}", target(wanted)),
        None => place,
    }
}

pub(super) fn target(target: &Target) -> String {
    match target {
        Target::Config { kind, name } => format!("{kind}/{name}"),
        Target::Workload { kind, name } => format!("{kind}/{name}"),
        Target::Service { name } => format!("Service/{name}"),
    }
}

/// Which cluster was read, and when.
pub(super) fn origin(diagnosis: &Diagnosis) -> String {
    let cluster = &diagnosis.cluster;
    let context = cluster.context_name();
    let version = match &cluster.version {
        Some(version) => format!(", {version}"),
        None => String::new(),
    };
    format!(
        "confsplit: {}, context {context} ({}{version}), read {} UTC",
        scope(&diagnosis.scope),
        cluster.server,
        diagnosis.taken_at.format("%Y-%m-%d %H:%M:%S"),
    )
}

/// `3 shown, 1 inferred`: how well the loads are known. Where there is no incident the verdict says it.
pub(super) fn counts(diagnosis: &Diagnosis) -> Option<String> {
    if diagnosis.incidents.is_empty() {
        return None;
    }
    let parts: Vec<_> = diagnosis
        .counts
        .iter()
        .filter(|(_, n)| **n > 0)
        .map(|(grade, n)| format!("{n} {grade}"))
        .collect();
    (!parts.is_empty()).then(|| {
        format!(
            "How well it is known what the replicas in scope run: {}.",
            parts.join(", ")
        )
    })
}

/// Why no impact is told.
pub(super) fn no_impact(incident: &Incident) -> String {
    let why = incident.unasked();
    why.unwrap_or_else(|| "no log that was read counts its failures.".to_owned())
}

/// The plan to follow, and the others.
pub(super) fn plans(incident: &Incident, diagnosis: &Diagnosis) -> (Option<Plan>, Vec<Plan>) {
    let mut all = remedy::plans(incident, &diagnosis.cluster);
    let recommended = all.iter().position(|plan| plan.recommended);
    (recommended.map(|at| all.remove(at)), all)
}

/// The warning that belongs beside every remedy: as long as the live content fails, each new pod fails.
pub(super) fn warning(incident: &Incident, plan: Option<&Plan>) -> Option<String> {
    let failing = incident.failing.as_ref()?;
    let live = incident.revisions.iter().find(|r| r.live)?;
    if live.name != *failing {
        return None;
    }
    let mut said = plan.into_iter().flat_map(|plan| {
        let steps = plan.steps.iter().map(|step| step.what.as_str());
        std::iter::once(plan.why.as_str()).chain(steps)
    });
    if said.any(|text| text.to_lowercase().contains("do not restart")) {
        return None;
    }
    Some(format!(
        "Do not restart or delete anything before the content is right: each new pod loads revision {failing}, which fails."
    ))
}

/// The columns of a table of replicas.
pub(super) const REPLICA_HEAD: [&str; 8] = [
    "pod",
    "container",
    "loaded",
    "live",
    "grade",
    "started",
    "ready",
    "restarts",
];

/// A row of it, as it came from the cluster.
pub(super) fn row(replica: &Replica, report: DateTime<Utc>) -> [String; 8] {
    let started = replica.started_at.map(|at| moment(at, report));
    [
        replica.pod.name.clone(),
        replica.container.clone(),
        replica.loaded.clone().unwrap_or_else(|| "?".to_owned()),
        live(replica.live).to_owned(),
        replica.grade.to_string(),
        started.unwrap_or_else(|| "-".to_owned()),
        ready(replica).to_owned(),
        replica.restarts.to_string(),
    ]
}

/// The container's name, where it is the same in all: its column would say nothing.
pub(super) fn one_container(replicas: &[Replica]) -> Option<&str> {
    let first = replicas.first()?.container.as_str();
    replicas
        .iter()
        .all(|replica| replica.container == first)
        .then_some(first)
}

fn live(live: Option<bool>) -> &'static str {
    match live {
        Some(true) => "yes",
        Some(false) => "no",
        None => "?",
    }
}

/// `yes`, or what the container is doing instead.
fn ready(replica: &Replica) -> &str {
    match (replica.ready, replica.state.as_str()) {
        (true, _) => "yes",
        (false, "Running" | "") => "no",
        (false, state) => state,
    }
}

/// What the replica's log says about its revision and its clients, each a short phrase.
pub(super) fn signals(replica: &Replica) -> Vec<String> {
    let signals = replica.signals.iter().map(|signal| {
        let kind = match signal.kind {
            SignalKind::Upstream => "upstream",
            SignalKind::Value => "value",
            SignalKind::Reload => "reload",
            SignalKind::StartError => "start error",
            SignalKind::Socket => "connection",
            SignalKind::Version => "tells version",
            SignalKind::Word => "words",
        };
        let explained = match &signal.revision {
            Some(name) => format!(", only in {name}"),
            None => String::new(),
        };
        let text = format!("{kind} {} ×{}{explained}", signal.text, signal.count);
        cited(&text, &signal.evidence)
    });
    let traffic = replica
        .traffic
        .iter()
        .map(|t| format!("{}: {} of {} FAIL", t.route, t.failed, t.total));
    signals.chain(traffic).collect()
}

/// What only one group of replicas logs.
pub(super) fn separating(incident: &Incident, report: DateTime<Utc>) -> Vec<String> {
    let found = incident.separating.iter();
    found
        .map(|words| cited(&format!("{}.", words.sentence(report)), &words.evidence))
        .collect()
}

/// Each use, where there are several: they may have loaded different revisions.
pub(super) fn uses(replica: &Replica) -> Option<String> {
    if replica.uses.len() < 2 {
        return None;
    }
    let uses: Vec<_> = replica
        .uses
        .iter()
        .map(|load| {
            let key = load.key.as_deref().unwrap_or("all keys");
            let loaded = load.loaded.as_deref().unwrap_or("?");
            format!("{} ({key}) {loaded}, {}", load.via.as_str(), load.grade)
        })
        .collect();
    Some(format!("by use: {}", uses.join("; ")))
}

/// `server: api:8080 → api:8000`, for each value that the last edit changed.
pub(super) fn changes(incident: &Incident) -> Vec<String> {
    incident
        .changes
        .iter()
        .map(|change| {
            let before = change.before.as_deref().unwrap_or("(absent)");
            let after = change.after.as_deref().unwrap_or("(absent)");
            let place = if change.key == change.setting {
                change.key.clone()
            } else {
                format!("{} in {}", change.setting, change.key)
            };
            if change.before.is_none() && change.after.is_none() {
                return format!("{place}: changed (value not shown)");
            }
            format!("{place}: {before} → {after}")
        })
        .collect()
}

/// Where a revision's content was found, and where else, where others hold the same or something else.
pub(super) fn found_in(revision: &Revision) -> Option<String> {
    let mut text = match &revision.source {
        Some(source) => source.to_string(),
        None if revision.also.is_empty() => return None,
        None => "not known".to_owned(),
    };
    for other in &revision.also {
        let source = &other.source;
        text.push_str(&match other.same {
            true => format!("; the same in {source}"),
            false => format!("; {source} holds something else ({})", other.hash),
        });
    }
    Some(text)
}

/// One line for each revision: its name and hash, when it was live, who wrote it, and where its content is from.
pub(super) fn revisions(incident: &Incident, now: DateTime<Utc>) -> Vec<String> {
    let several = incident
        .revisions
        .iter()
        .any(|r| r.config != incident.config);
    incident
        .revisions
        .iter()
        .map(|revision| {
            let mut parts = Vec::new();
            if several {
                parts.push(revision.config.to_string());
            }
            parts.push(match revision.live {
                true => format!("live since {}", interval(&revision.from, now)),
                // Of a config that another took the place of it is not told.
                false if revision.until == Interval::UNKNOWN => {
                    format!("from {}", interval(&revision.from, now))
                }
                false => format!(
                    "from {} until {}",
                    interval(&revision.from, now),
                    interval(&revision.until, now)
                ),
            });
            parts.extend(match (&revision.person, &revision.writer) {
                (Some(person), _) => Some(format!("by {person} (audit log)")),
                (None, writer) => writer.as_ref().map(|by| format!("by {by}")),
            });
            parts.push(match found_in(revision) {
                Some(source) => format!("content: {source}"),
                None => "content not known".to_owned(),
            });
            let hash = revision.hash.as_deref().unwrap_or("?");
            let text = format!("{} ({hash}): {}", revision.name, parts.join("; "));
            cited(&text, &revision.evidence)
        })
        .collect()
}

/// What was not read, and the rules that could therefore say neither yes nor no.
pub(super) fn not_checked(diagnosis: &Diagnosis) -> Vec<NotChecked> {
    let mut all = diagnosis.not_checked.clone();
    for incident in &diagnosis.incidents {
        for (code, why) in &incident.cannot_tell {
            let item = NotChecked {
                what: format!(
                    "Rule {code} for {} in {}",
                    incident.config, incident.workload
                ),
                why: why.clone(),
            };
            if !all.contains(&item) {
                all.push(item);
            }
        }
    }
    all
}
