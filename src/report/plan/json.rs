//! For programs: schema `confsplit.plan/v1`, described in assets/plan.schema.json.

use chrono::SecondsFormat;
use serde_json::{Value, json};

use super::{live, needs, plans, risk, undo};
use crate::analysis::{Diagnosis, Incident};
use crate::remedy::Plan;
use crate::text::harmless;

pub(super) fn page(diagnosis: &Diagnosis) -> String {
    let safe = |text: &str| harmless(text).into_owned();
    let incidents: Vec<Value> = diagnosis
        .incidents
        .iter()
        .map(|i| incident(i, diagnosis))
        .collect();
    let whole = json!({
        "schema": "confsplit.plan/v1",
        "cluster": {
            "context": diagnosis.cluster.context.as_deref().map(safe),
            "server": safe(&diagnosis.cluster.server),
        },
        "taken_at": diagnosis.taken_at.to_rfc3339_opts(SecondsFormat::Secs, true),
        "verdict": safe(&diagnosis.verdict),
        "incidents": incidents,
    });
    format!("{whole:#}\n")
}

fn incident(incident: &Incident, diagnosis: &Diagnosis) -> Value {
    let revision = live(incident).filter(|_| !incident.absent);
    let plans: Vec<Value> = plans(incident, diagnosis)
        .iter()
        .map(|p| plan(p, incident, diagnosis))
        .collect();
    let named = |kind: &str, name: &str| json!({"kind": kind, "namespace": incident.config.namespace, "name": name});
    json!({
        "config": named(incident.config.kind.as_str(), &incident.config.name),
        "workload": named(&incident.workload.kind, &incident.workload.name),
        "cause": incident.findings.first().map(|f| harmless(&f.sentence).into_owned()),
        "valid_for": {
            "resource_version": revision.and_then(|r| r.resource_version.clone()),
            "hash": revision.and_then(|r| r.hash.clone()),
        },
        "plans": plans,
    })
}

fn plan(plan: &Plan, incident: &Incident, diagnosis: &Diagnosis) -> Value {
    let steps = plan.steps.iter().map(|step| {
        json!({
            "what": harmless(&step.what),
            "command": harmless(&step.command),
            "by_hand": step.role == crate::remedy::Role::ByHand,
            "needs": needs(incident, step),
            "risk": risk(incident, step),
            "undo": undo(incident, diagnosis, step).map(|undo| harmless(&undo).into_owned()),
        })
    });
    json!({
        "kind": plan.kind.as_str(),
        "recommended": plan.recommended,
        "headline": harmless(&plan.headline),
        "why": harmless(&plan.why),
        "steps": steps.collect::<Vec<_>>(),
    })
}
