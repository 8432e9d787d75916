//! Plans on their own: as lines for a shell, as JSON, or as a change ticket. Each says for which live object it is valid.

mod commands;
mod json;
mod ticket;

use std::io::{self, Write};

use crate::analysis::{Diagnosis, Incident, Revision};
use crate::remedy::{self, Plan, Role, Step};

/// How plans are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanFormat {
    /// Lines that can be run in order, in any POSIX shell.
    Commands,
    /// For a program; the schema is in assets/plan.schema.json.
    Json,
    /// For a change ticket.
    Markdown,
}

/// Writes the plans of every incident in a diagnosis.
pub fn write_plans(
    format: PlanFormat,
    diagnosis: &Diagnosis,
    out: &mut dyn Write,
) -> io::Result<()> {
    let text = match format {
        PlanFormat::Commands => commands::page(diagnosis),
        PlanFormat::Json => json::page(diagnosis),
        PlanFormat::Markdown => ticket::page(diagnosis),
    };
    out.write_all(text.as_bytes())
}

/// The plans of an incident, the recommended one first.
fn plans(incident: &Incident, diagnosis: &Diagnosis) -> Vec<Plan> {
    let mut plans = remedy::plans(incident, &diagnosis.cluster);
    plans.sort_by_key(|plan| !plan.recommended);
    plans
}

/// The live revision, whose version and hash a plan is valid for.
fn live(incident: &Incident) -> Option<&Revision> {
    incident.revisions.last()
}

/// The rights that a step needs, as verb and resource.
fn needs(incident: &Incident, step: &Step) -> Vec<String> {
    let config = incident.config.kind.resource();
    let workload = format!("{}s", incident.workload.kind.to_lowercase());
    match step.role {
        Role::Look | Role::Wait => vec![format!("get {workload}")],
        Role::Save if step.command.contains(" exec ") => vec!["create pods/exec".to_owned()],
        Role::Save => vec![format!("get {config}")],
        Role::Write => vec![format!("patch {config}")],
        Role::Create => vec![format!("create {config}")],
        Role::Replace => vec!["delete pods".to_owned()],
        Role::Rollout => vec![format!("get {workload}"), format!("patch {workload}")],
        Role::Verify => vec!["get pods/log".to_owned()],
        Role::ByHand => Vec::new(),
    }
}

/// What may go wrong with a step, where something may.
fn risk(incident: &Incident, step: &Step) -> Option<String> {
    match step.role {
        Role::Write => Some(
            "others that take it get it too: mounted files within two minutes, variables at the next start".to_owned(),
        ),
        Role::Replace => Some(
            "until the replacements are ready, that many endpoints fewer serve".to_owned(),
        ),
        Role::Rollout => Some(format!(
            "every pod of {} is replaced by its strategy; a quota or a PodDisruptionBudget may hold it up",
            incident.workload
        )),
        Role::Verify => Some("lines of before stay in a log for as long as it is kept".to_owned()),
        _ => None,
    }
}

/// How a step is undone, where it can be.
fn undo(incident: &Incident, diagnosis: &Diagnosis, step: &Step) -> Option<String> {
    match step.role {
        Role::Write => remedy::patch_back(incident, &diagnosis.cluster),
        _ => None,
    }
}
