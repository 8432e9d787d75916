//! A change ticket in Markdown. Nothing that came from a cluster can break out of its place in it.

use super::{live, needs, plans, risk, undo};
use crate::analysis::{Diagnosis, Incident};
use crate::remedy::{self, Plan};
use crate::report::markdown::Page;
use crate::report::markdown::escape::{fenced, inline};
use crate::report::words;

pub(super) fn page(diagnosis: &Diagnosis) -> String {
    let mut page = Page::default();
    page.block(inline(&words::origin(diagnosis)));
    if diagnosis.incidents.is_empty() {
        page.block(inline(&diagnosis.verdict));
    }
    for incident in &diagnosis.incidents {
        of_an_incident(&mut page, incident, diagnosis);
    }
    page.end()
}

fn of_an_incident(page: &mut Page, incident: &Incident, diagnosis: &Diagnosis) {
    page.block(format!(
        "# {} → {} in {}",
        inline(&incident.config.to_string()),
        inline(&incident.workload.to_string()),
        inline(&incident.config.namespace)
    ));
    if let Some(cause) = incident.findings.first() {
        page.block(format!(
            "**Cause**: {}",
            inline(&words::graded(incident, cause))
        ));
    }
    match &incident.impact {
        Some(impact) => page.block(format!("**Impact**: {}", inline(&impact.sentence))),
        None => page.block(format!(
            "**Impact**: not known: {}",
            inline(&words::no_impact(incident))
        )),
    }
    if let Some(revision) = live(incident).filter(|_| !incident.absent) {
        let version = revision.resource_version.as_deref().unwrap_or("not known");
        let hash = revision.hash.as_deref().unwrap_or("not known");
        page.block(format!(
            "**Valid for** {} at resourceVersion {}, content {}. If it has changed since, make the plan anew.",
            inline(&incident.config.to_string()),
            inline(version),
            inline(hash)
        ));
    }
    let plans = plans(incident, diagnosis);
    if plans.is_empty() {
        page.block("There is no plan for this.");
    }
    for plan in &plans {
        of_a_plan(page, plan, incident, diagnosis);
    }
    page.prevention(&remedy::prevention(incident, &diagnosis.cluster));
}

fn of_a_plan(page: &mut Page, plan: &Plan, incident: &Incident, diagnosis: &Diagnosis) {
    let recommended = if plan.recommended {
        " (recommended)"
    } else {
        ""
    };
    page.block(format!("## Plan: {}{recommended}", plan.kind.as_str()));
    page.block(inline(&plan.why));
    for (at, step) in plan.steps.iter().enumerate() {
        page.block(format!("{}. {}", at + 1, inline(&step.what)));
        page.block(fenced("sh", step.command.lines()));
        let needs = needs(incident, step);
        if !needs.is_empty() {
            page.block(format!("Needs: {}", inline(&needs.join(", "))));
        }
        if let Some(risk) = risk(incident, step) {
            page.block(format!("Can go wrong: {}", inline(&risk)));
        }
        if let Some(undo) = undo(incident, diagnosis, step) {
            page.block("Undo:");
            page.block(fenced("sh", undo.lines()));
        }
    }
}
