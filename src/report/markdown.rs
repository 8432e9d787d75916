//! The report for a ticket or a chat. Nothing that came from a cluster can break out of its place in it.

pub(super) mod escape;

use chrono::{DateTime, Utc};

use crate::analysis::{Diagnosis, Evidence, Incident, Replica};
use crate::remedy::Plan;

use super::{diff, words};
use escape::{cell, code, fenced, inline};

/// Lines of one excerpt.
const EXCERPT: usize = 20;

/// A page of Markdown in the making.
#[derive(Default)]
pub(super) struct Page(String);

impl Page {
    fn line(&mut self, line: impl std::fmt::Display) {
        self.0.push_str(&format!("{line}\n"));
    }

    /// A block, with a blank line after it.
    pub(super) fn block(&mut self, block: impl std::fmt::Display) {
        self.0.push_str(&format!("{block}\n\n"));
    }

    /// A list; a blank line ends it.
    pub(super) fn list<T: std::fmt::Display>(&mut self, items: impl IntoIterator<Item = T>) {
        let mut any = false;
        for item in items {
            self.line(format_args!("- {item}"));
            any = true;
        }
        if any {
            self.line("");
        }
    }

    /// What prevents the next time, each a sentence and the text that does it.
    pub(super) fn prevention(&mut self, prevention: &[(String, String)]) {
        if !prevention.is_empty() {
            self.block("## So that it does not happen again");
        }
        for (title, text) in prevention {
            self.block(inline(title));
            self.block(fenced("", text.lines()));
        }
    }

    /// The page, with one line feed at its end.
    pub(super) fn end(self) -> String {
        let mut text = self.0;
        text.truncate(text.trim_end().len());
        text.push('\n');
        text
    }
}

pub(super) fn page(diagnosis: &Diagnosis) -> String {
    let mut page = Page::default();
    page.block(format_args!("**{}**", inline(&diagnosis.verdict)));
    page.block(inline(&words::origin(diagnosis)));
    if let Some(counts) = words::counts(diagnosis) {
        page.block(inline(&counts));
    }
    for (at, incident) in diagnosis.incidents.iter().enumerate() {
        page.block(format_args!(
            "## {}. {} → {}",
            at + 1,
            inline(&incident.config.to_string()),
            inline(&incident.workload.to_string())
        ));
        incident_on(&mut page, incident, diagnosis);
    }
    if !diagnosis.evidence.is_empty() {
        page.block("## Evidence");
        for evidence in &diagnosis.evidence {
            evidence_on(&mut page, evidence, diagnosis.taken_at);
        }
    }
    page.block("## Not checked");
    let missing = words::not_checked(diagnosis);
    if missing.is_empty() {
        page.block("Nothing that this report rests on is missing.");
    }
    page.list(
        missing
            .iter()
            .map(|item| format!("{}: {}", inline(&item.what), inline(&item.why))),
    );
    page.end()
}

fn incident_on(page: &mut Page, incident: &Incident, diagnosis: &Diagnosis) {
    let now = diagnosis.taken_at;
    let mut findings = incident.findings.iter();
    if let Some(cause) = findings.next() {
        let sentence = words::graded(incident, cause);
        page.block(format_args!(
            "**Cause** (`{}`): {}",
            cause.code,
            inline(&sentence)
        ));
    }
    match &incident.impact {
        Some(impact) => {
            let sentence = words::cited(&impact.sentence, &impact.evidence);
            page.block(format_args!("**Impact**: {}", inline(&sentence)));
        }
        None => {
            let why = words::no_impact(incident);
            page.block(format_args!("**Impact**: not known: {}", inline(&why)));
        }
    }
    next(page, incident, diagnosis);
    let supporting: Vec<String> = findings
        .map(|finding| {
            let sentence = words::cited(&finding.sentence, &finding.evidence);
            format!("`{}`: {}", finding.code, inline(&sentence))
        })
        .collect();
    if !supporting.is_empty() {
        page.block("### Also");
        page.list(supporting);
    }
    replicas(page, &incident.replicas, now);
    timeline(page, incident, now);
    if !incident.revisions.is_empty() {
        page.block("### Revisions");
        let revisions = words::revisions(incident, now);
        page.list(revisions.iter().map(|revision| inline(revision)));
    }
    last_edit(page, incident);
    if !incident.separating.is_empty() {
        page.block("### Only some log");
        page.block("A hint: it may come of their traffic as well.");
        let sentences = words::separating(incident, now);
        page.list(sentences.iter().map(|sentence| inline(sentence)));
    }
    if !incident.misleading.is_empty() {
        page.block("### Do not conclude");
        page.list(incident.misleading.iter().map(|sentence| inline(sentence)));
    }
}

fn next(page: &mut Page, incident: &Incident, diagnosis: &Diagnosis) {
    let (recommended, others) = words::plans(incident, diagnosis);
    page.block("### Next");
    match &recommended {
        Some(plan) => steps(page, plan),
        None if others.is_empty() => page.block("No plan follows from what was read."),
        None => page.block("Nothing is recommended; it depends on what was meant."),
    }
    if let Some(warning) = words::warning(incident, recommended.as_ref()) {
        page.block(format_args!("**{}**", inline(&warning)));
    }
    if recommended.is_none() {
        // The reader has to choose, and needs to see what each would do.
        others.iter().for_each(|plan| steps(page, plan));
    } else {
        let others = others.iter();
        page.list(
            others.map(|plan| format!("Or **{}**: {}", plan.kind.as_str(), inline(&plan.why))),
        );
    }
}

fn steps(page: &mut Page, plan: &Plan) {
    page.block(format_args!(
        "**{}**: {}",
        plan.kind.as_str(),
        inline(&plan.why)
    ));
    for (at, step) in plan.steps.iter().enumerate() {
        page.block(format_args!("{}. {}", at + 1, inline(&step.what)));
        let block = fenced("sh", step.command.lines());
        // Within the list item, or the numbers would begin again.
        for line in block.lines() {
            page.line(format_args!("   {line}"));
        }
        page.line("");
    }
}

fn replicas(page: &mut Page, replicas: &[Replica], now: DateTime<Utc>) {
    if replicas.is_empty() {
        return;
    }
    page.block("### Replicas");
    page.line(format_args!(
        "| {} | signals |",
        words::REPLICA_HEAD.join(" | ")
    ));
    page.line(format_args!(
        "|{}",
        " --- |".repeat(words::REPLICA_HEAD.len() + 1)
    ));
    for replica in replicas {
        let cells = words::row(replica, now).map(|text| cell(&text));
        let signals: Vec<String> = words::signals(replica).iter().map(|s| cell(s)).collect();
        page.line(format_args!(
            "| {} | {} |",
            cells.join(" | "),
            signals.join("<br>")
        ));
    }
    page.line("");
    page.list(
        replicas
            .iter()
            .filter(|r| !r.why.is_empty())
            .map(|replica| {
                let uses = words::uses(replica).map(|uses| format!(" ({uses})"));
                let why = format!("{}{}", replica.why, uses.unwrap_or_default());
                format!(
                    "{}: {}",
                    code(&replica.pod.name),
                    inline(&words::cited(&why, &replica.evidence))
                )
            }),
    );
}

fn timeline(page: &mut Page, incident: &Incident, now: DateTime<Utc>) {
    if incident.timeline.is_empty() {
        return;
    }
    page.block("### Timeline");
    page.line("| UTC | of | what |");
    page.line("| --- | --- | --- |");
    for entry in &incident.timeline {
        let at = words::interval(&entry.at, now);
        let what = words::cited(&entry.what, &entry.evidence);
        page.line(format_args!(
            "| {at} | {} | {} |",
            cell(entry.lane.name()),
            cell(&what)
        ));
    }
    page.line("");
}

fn last_edit(page: &mut Page, incident: &Incident) {
    let Some(diff) = diff::last_edit(incident) else {
        return;
    };
    page.block(format_args!("### Last edit, {} → {}", diff.from, diff.to));
    page.list(words::changes(incident).iter().map(|change| inline(change)));
    page.block(fenced("diff", diff.lines.iter().map(String::as_str)));
}

fn evidence_on(page: &mut Page, evidence: &Evidence, now: DateTime<Utc>) {
    page.block(format_args!(
        "**\\[{}\\]** {}, read {}",
        evidence.number,
        inline(&evidence.source),
        words::moment(evidence.taken_at, now)
    ));
    page.block(fenced("sh", evidence.command.lines()));
    if evidence.excerpt.is_empty() {
        return;
    }
    let more = evidence.excerpt.lines().count().saturating_sub(EXCERPT);
    let rest = (more > 0).then(|| format!("… {more} more lines"));
    let lines = evidence.excerpt.lines().take(EXCERPT);
    page.block(fenced("text", lines.chain(rest.as_deref())));
}
