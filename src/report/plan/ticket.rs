//! A change ticket in Markdown. Nothing that came from a cluster can break out of its place in it.

use super::{live, needs, plans, risk, undo};
use crate::analysis::{Diagnosis, Incident};
use crate::remedy::{self, Plan};
use crate::report::markdown::escape::{fenced, inline};
use crate::report::words;

pub(super) fn page(diagnosis: &Diagnosis) -> String {
    let mut out = String::new();
    let mut block = |text: &str| out.push_str(&format!("{text}\n\n"));
    block(&inline(&words::origin(diagnosis)));
    if diagnosis.incidents.is_empty() {
        block(&inline(&diagnosis.verdict));
    }
    for incident in &diagnosis.incidents {
        of_an_incident(&mut block, incident, diagnosis);
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

fn of_an_incident(block: &mut dyn FnMut(&str), incident: &Incident, diagnosis: &Diagnosis) {
    block(&format!(
        "# {} → {} in {}",
        inline(&incident.config.to_string()),
        inline(&incident.workload.to_string()),
        inline(&incident.config.namespace)
    ));
    if let Some(cause) = incident.findings.first() {
        block(&format!(
            "**Cause**: {}",
            inline(&words::graded(incident, cause))
        ));
    }
    match &incident.impact {
        Some(impact) => block(&format!("**Impact**: {}", inline(&impact.sentence))),
        None => block(&format!(
            "**Impact**: not known: {}",
            inline(&words::no_impact(incident))
        )),
    }
    if let Some(revision) = live(incident).filter(|_| !incident.absent) {
        let version = revision.resource_version.as_deref().unwrap_or("not known");
        let hash = revision.hash.as_deref().unwrap_or("not known");
        block(&format!(
            "**Valid for** {} at resourceVersion {}, content {}. If it has changed since, make the plan anew.",
            inline(&incident.config.to_string()),
            inline(version),
            inline(hash)
        ));
    }
    let plans = plans(incident, diagnosis);
    if plans.is_empty() {
        block("There is no plan for this.");
    }
    for plan in &plans {
        of_a_plan(block, plan, incident, diagnosis);
    }
    let prevention = remedy::prevention(incident, &diagnosis.cluster);
    if !prevention.is_empty() {
        block("## So that it does not happen again");
        for (title, text) in prevention {
            block(&inline(&title));
            block(&fenced("", text.lines()));
        }
    }
}

fn of_a_plan(block: &mut dyn FnMut(&str), plan: &Plan, incident: &Incident, diagnosis: &Diagnosis) {
    let recommended = if plan.recommended {
        " (recommended)"
    } else {
        ""
    };
    block(&format!("## Plan: {}{recommended}", plan.kind.as_str()));
    block(&inline(&plan.why));
    for (at, step) in plan.steps.iter().enumerate() {
        block(&format!("{}. {}", at + 1, inline(&step.what)));
        block(&fenced("sh", step.command.lines()));
        let needs = needs(incident, step);
        if !needs.is_empty() {
            block(&format!("Needs: {}", inline(&needs.join(", "))));
        }
        if let Some(risk) = risk(incident, step) {
            block(&format!("Can go wrong: {}", inline(&risk)));
        }
        if let Some(undo) = undo(incident, diagnosis, step) {
            block("Undo:");
            block(&fenced("sh", undo.lines()));
        }
    }
}
