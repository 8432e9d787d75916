//! Lines for a shell. They stand in a document that is handed to a `sh` of its own: a step that fails ends that one and not the shell
//! that they are pasted into, and an interactive zsh, which knows no comments, never reads what a cluster said in them.

use super::{live, needs, plans, risk, undo};
use crate::analysis::{Diagnosis, Incident, kubectl, quote};
use crate::remedy::{Plan, Role, Step};
use crate::report::words;
use crate::text::harmless;

/// The last line. Every line that holds words of a cluster begins otherwise.
const END: &str = "CONFSPLIT";
/// So long it is watched before anything is said to be over.
const WATCHED: u32 = 120;

pub(super) fn page(diagnosis: &Diagnosis) -> String {
    let mut out = Lines::default();
    out.line(&format!("sh /dev/fd/3 3<<'{END}'"));
    out.line("set -eu");
    out.note(&words::origin(diagnosis));
    if diagnosis.incidents.is_empty() {
        out.note(&diagnosis.verdict);
        out.note("There is nothing to plan.");
    }
    for incident in &diagnosis.incidents {
        out.blank();
        of_an_incident(&mut out, incident, diagnosis);
    }
    out.line(END);
    out.0
}

#[derive(Default)]
struct Lines(String);

impl Lines {
    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    fn blank(&mut self) {
        self.0.push('\n');
    }

    /// A comment. Nothing in it can end it.
    fn note(&mut self, text: &str) {
        for line in harmless(text).split('\n') {
            self.line(format!("# {line}").trim_end());
        }
    }

    /// Runs it, or only shows it.
    fn command(&mut self, command: &str, runs: bool) {
        match runs {
            true => self.line(command),
            false => self.note(command),
        }
    }
}

fn of_an_incident(out: &mut Lines, incident: &Incident, diagnosis: &Diagnosis) {
    out.note(&format!(
        "{} -> {}, namespace {}",
        incident.config, incident.workload, incident.config.namespace
    ));
    if let Some(cause) = incident.findings.first() {
        out.note(&format!("CAUSE  {}", cause.sentence));
    }
    if let Some(impact) = &incident.impact {
        out.note(&format!("IMPACT  {}", impact.sentence));
    }
    let plans = plans(incident, diagnosis);
    if plans.is_empty() {
        out.note("There is no plan for this.");
    }
    if !plans.is_empty() && !plans.iter().any(|plan| plan.recommended) {
        out.note("None of these is recommended: which content was meant is not in the evidence. Choose one, and take the # away from its commands.");
    }
    for plan in &plans {
        out.blank();
        out.note(&format!(
            "PLAN {}{}: {}",
            plan.kind.as_str(),
            if plan.recommended {
                ", recommended"
            } else {
                ""
            },
            plan.headline
        ));
        out.note(&plan.why);
        let runs = plan.recommended;
        out.command("(", runs);
        out.command("set -eu", runs);
        guard(out, incident, diagnosis, runs);
        for (at, step) in plan.steps.iter().enumerate() {
            of_a_step(out, (at + 1, step), plan, incident, diagnosis);
        }
        out.command(")", runs);
    }
}

/// Ends it where the live object is another than the plan was made for.
fn guard(out: &mut Lines, incident: &Incident, diagnosis: &Diagnosis, runs: bool) {
    let Some(revision) = live(incident).filter(|_| !incident.absent) else {
        return;
    };
    let config = &incident.config;
    if let Some(hash) = &revision.hash {
        out.note(&format!("Valid for {config} with content {hash}"));
    }
    let Some(version) = &revision.resource_version else {
        return;
    };
    let get = format!(
        "{} -n {} get {} {} -o jsonpath='{{.metadata.resourceVersion}}'",
        kubectl(&diagnosis.cluster),
        quote(&config.namespace),
        config.kind.as_str().to_lowercase(),
        quote(&config.name)
    );
    let test = format!("[ \"$({get})\" = {} ]", quote(version));
    out.command(
        &format!(
            "{test} || {{ echo {} >&2; exit 1; }}",
            quote(&format!(
                "{config} was changed since this plan was made: make it anew"
            ))
        ),
        runs,
    );
}

fn of_a_step(
    out: &mut Lines,
    (number, step): (usize, &Step),
    plan: &Plan,
    incident: &Incident,
    diagnosis: &Diagnosis,
) {
    out.blank();
    out.note(&format!("{number}. {}", step.what));
    let needs = needs(incident, step);
    if !needs.is_empty() {
        out.note(&format!("   needs: {}", needs.join(", ")));
    }
    if let Some(risk) = risk(incident, step) {
        out.note(&format!("   can go wrong: {risk}"));
    }
    if let Some(undo) = undo(incident, diagnosis, step) {
        out.note(&format!("   undo: {undo}"));
    }
    let runs = plan.recommended;
    match step.role {
        Role::Verify => {
            out.command(&format!("sleep {WATCHED}"), runs);
            let said = quote("it is still logged: this has not helped yet");
            // A log that cannot be read shows nothing: that ends it too.
            let (logs, bad) = step
                .command
                .rsplit_once(" | grep -F ")
                .unwrap_or((&step.command, "''"));
            out.command(&format!("logged=$({logs})"), runs);
            out.command(
                &format!("if printf '%s\\n' \"$logged\" | grep -F {bad}; then echo {said} >&2; exit 1; fi"),
                runs,
            );
        }
        // What waits for a person would hang or fail unseen.
        Role::ByHand => {
            out.note(&step.command);
            let said = quote(&format!(
                "step {number} is done by hand; see the comment there"
            ));
            out.command(&format!("echo {said} >&2; exit 1"), runs);
        }
        _ => out.command(&step.command, runs),
    }
}
