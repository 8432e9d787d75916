//! One incident in the report for programs.

use serde::Serialize;

use crate::analysis::{self, Diagnosis, Lane, SignalKind};
use crate::model::{ConfigRef, WorkloadRef};
use crate::remedy::{self, Plan};

use super::{Bounds, safe, safe_option, time};
use crate::report::words;

#[derive(Serialize)]
pub(super) struct Incident {
    findings: Vec<Finding>,
    config: Object,
    workload: Object,
    revisions: Vec<Revision>,
    replicas: Vec<Replica>,
    timeline: Vec<Entry>,
    impact: Option<String>,
    plans: Vec<PlanOut>,
}

#[derive(Serialize)]
struct Finding {
    code: &'static str,
    sentence: String,
    evidence: Vec<usize>,
}

#[derive(Serialize)]
struct Object {
    kind: String,
    namespace: String,
    name: String,
}

#[derive(Serialize)]
struct Revision {
    name: String,
    config: Object,
    hash: Option<String>,
    live: bool,
    from: Bounds,
    until: Bounds,
    writer: Option<String>,
    content_source: Option<String>,
}

#[derive(Serialize)]
struct Replica {
    pod: String,
    container: String,
    started_at: Option<String>,
    loaded: Option<String>,
    live: Option<bool>,
    grade: &'static str,
    why: String,
    ready: bool,
    signals: Vec<Signal>,
    uses: Vec<Use>,
}

#[derive(Serialize)]
struct Signal {
    kind: &'static str,
    text: String,
    count: usize,
    first: Option<String>,
    last: Option<String>,
    /// The one revision that explains it.
    revision: Option<String>,
    evidence: Vec<usize>,
}

#[derive(Serialize)]
struct Use {
    r#use: &'static str,
    key: Option<String>,
    loaded: Option<String>,
    live: Option<bool>,
    grade: &'static str,
}

#[derive(Serialize)]
struct Entry {
    at: Bounds,
    lane: String,
    what: String,
    evidence: Vec<usize>,
}

#[derive(Serialize)]
struct PlanOut {
    kind: &'static str,
    recommended: bool,
    why: String,
    steps: Vec<Step>,
}

#[derive(Serialize)]
struct Step {
    what: String,
    command: String,
}

impl Incident {
    pub(super) fn of(incident: &analysis::Incident, diagnosis: &Diagnosis) -> Self {
        let findings = incident.findings.iter().map(|finding| Finding {
            code: finding.code.as_str(),
            sentence: safe(&finding.sentence),
            evidence: finding.evidence.clone(),
        });
        let plans = remedy::plans(incident, &diagnosis.cluster);
        Self {
            findings: findings.collect(),
            config: config(&incident.config),
            workload: workload(&incident.workload),
            revisions: incident.revisions.iter().map(revision).collect(),
            replicas: incident.replicas.iter().map(replica).collect(),
            timeline: incident.timeline.iter().map(entry).collect(),
            impact: incident.impact.as_ref().map(|i| safe(&i.sentence)),
            plans: plans.iter().map(plan).collect(),
        }
    }
}

fn config(config: &ConfigRef) -> Object {
    Object {
        kind: config.kind.to_string(),
        namespace: safe(&config.namespace),
        name: safe(&config.name),
    }
}

fn workload(workload: &WorkloadRef) -> Object {
    Object {
        kind: safe(&workload.kind),
        namespace: safe(&workload.namespace),
        name: safe(&workload.name),
    }
}

fn revision(revision: &analysis::Revision) -> Revision {
    Revision {
        name: revision.name.clone(),
        config: config(&revision.config),
        hash: revision.hash.clone(),
        live: revision.live,
        from: Bounds::of(&revision.from),
        until: Bounds::of(&revision.until),
        writer: safe_option(revision.writer.as_deref()),
        content_source: words::found_in(revision).map(|source| safe(&source)),
    }
}

fn replica(replica: &analysis::Replica) -> Replica {
    Replica {
        pod: safe(&replica.pod.name),
        container: safe(&replica.container),
        started_at: replica.started_at.map(time),
        loaded: replica.loaded.clone(),
        live: replica.live,
        grade: replica.grade.as_str(),
        why: safe(&replica.why),
        ready: replica.ready,
        // Words that separate are hints, and no part of the contract.
        signals: replica
            .signals
            .iter()
            .filter(|signal| signal.kind != SignalKind::Word)
            .map(signal)
            .collect(),
        uses: replica
            .uses
            .iter()
            .map(|load| Use {
                r#use: load.via.as_str(),
                key: safe_option(load.key.as_deref()),
                loaded: load.loaded.clone(),
                live: load.live,
                grade: load.grade.as_str(),
            })
            .collect(),
    }
}

fn signal(signal: &analysis::Signal) -> Signal {
    Signal {
        kind: match signal.kind {
            SignalKind::Upstream => "upstream",
            SignalKind::Value => "value",
            SignalKind::Reload => "reload",
            SignalKind::StartError => "start-error",
            SignalKind::Socket => "socket",
            SignalKind::Version => "version",
            SignalKind::Word => "word",
        },
        text: safe(&signal.text),
        count: signal.count,
        first: signal.first.map(time),
        last: signal.last.map(time),
        revision: signal.revision.clone(),
        evidence: signal.evidence.clone(),
    }
}

fn entry(entry: &analysis::Entry) -> Entry {
    // A config and a workload are often namesakes.
    let (kind, name) = match &entry.lane {
        Lane::Config(name) => ("config", name.as_str()),
        Lane::Pod(name) => ("pod", name.as_str()),
        Lane::Workload(name) => ("workload", name.as_str()),
        Lane::Coverage => ("coverage", "watch"),
    };
    Entry {
        at: Bounds::of(&entry.at),
        lane: format!("{kind}/{}", safe(name)),
        what: safe(&entry.what),
        evidence: entry.evidence.clone(),
    }
}

fn plan(plan: &Plan) -> PlanOut {
    PlanOut {
        kind: plan.kind.as_str(),
        recommended: plan.recommended,
        why: safe(&plan.why),
        steps: plan
            .steps
            .iter()
            .map(|step| Step {
                what: safe(&step.what),
                command: safe(&step.command),
            })
            .collect(),
    }
}
