//! The report that an on-call reads in a terminal: the cause first, then what it costs, what to do, and how all that is known.

pub(super) mod layout;

use chrono::{DateTime, Utc};

use crate::analysis::{Diagnosis, Evidence, Incident, NotChecked, Replica};
use crate::remedy::Plan;
use crate::text::harmless;

use super::{diff, words};
use layout::{Page, WIDTH, table};
use unicode_width::UnicodeWidthStr;

/// With more replicas than this the table stands alone; the reasons are in the JSON report.
const EXPLAINED: usize = 12;
/// Lines of one excerpt.
const EXCERPT: usize = 12;

pub(super) fn page(diagnosis: &Diagnosis) -> String {
    let mut page = Page::default();
    page.wrapped(&words::origin(diagnosis), 0);
    page.blank();
    page.wrapped(&diagnosis.verdict, 0);
    if let Some(counts) = words::counts(diagnosis) {
        page.wrapped(&counts, 0);
    }
    let of = diagnosis.incidents.len();
    for (at, incident) in diagnosis.incidents.iter().enumerate() {
        page.blank();
        let cause = incident.findings.first().map_or("", |f| f.code.as_str());
        page.rule(&format!(
            "{} of {of}: {cause}, {} → {}, namespace {}",
            at + 1,
            incident.config,
            incident.workload,
            incident.config.namespace
        ));
        incident_on(&mut page, incident, diagnosis);
    }
    if !diagnosis.evidence.is_empty() {
        page.blank();
        page.heading("EVIDENCE");
        for evidence in &diagnosis.evidence {
            evidence_on(&mut page, evidence, diagnosis.taken_at);
        }
    }
    not_checked(&mut page, &words::not_checked(diagnosis));
    page.finish()
}

fn incident_on(page: &mut Page, incident: &Incident, diagnosis: &Diagnosis) {
    let now = diagnosis.taken_at;
    let mut findings = incident.findings.iter();
    if let Some(cause) = findings.next() {
        page.labelled("CAUSE", &words::graded(incident, cause));
    }
    match &incident.impact {
        Some(impact) => page.labelled("IMPACT", &words::cited(&impact.sentence, &impact.evidence)),
        None => page.labelled(
            "IMPACT",
            &format!("Not known: {}", words::no_impact(incident)),
        ),
    }
    let (recommended, others) = words::plans(incident, diagnosis);
    next(page, incident, recommended.as_ref(), &others);
    let supporting: Vec<_> = findings.collect();
    if !supporting.is_empty() {
        page.blank();
        page.heading("ALSO");
        for finding in supporting {
            let sentence = words::cited(&finding.sentence, &finding.evidence);
            page.item("-", &format!("{}: {sentence}", finding.code));
        }
    }
    replicas(page, &incident.replicas, now);
    timeline(page, incident, now);
    if !incident.revisions.is_empty() {
        page.blank();
        page.heading("REVISIONS");
        for revision in words::revisions(incident, now) {
            page.item("-", &revision);
        }
    }
    last_edit(page, incident);
    if !incident.separating.is_empty() {
        page.blank();
        page.heading("ONLY SOME LOG (a hint: it may come of their traffic as well)");
        for sentence in words::separating(incident, now) {
            page.item("-", &sentence);
        }
    }
    if !incident.misleading.is_empty() {
        page.blank();
        page.heading("DO NOT CONCLUDE");
        for sentence in &incident.misleading {
            page.item("-", sentence);
        }
    }
}

/// What to do: the recommended plan in full, or, where the reader has to choose, all of them.
pub(super) fn next(
    page: &mut Page,
    incident: &Incident,
    recommended: Option<&Plan>,
    others: &[Plan],
) {
    match recommended {
        Some(plan) => {
            page.labelled("NEXT", &format!("{}: {}", plan.kind.as_str(), plan.why));
            for (at, step) in plan.steps.iter().enumerate() {
                page.item(&format!("{}.", at + 1), &step.what);
                page.command(&step.command);
            }
        }
        None if others.is_empty() => page.labelled("NEXT", "No plan follows from what was read."),
        None => page.labelled(
            "NEXT",
            "Nothing is recommended; it depends on what was meant.",
        ),
    }
    if let Some(warning) = words::warning(incident, recommended) {
        page.item("!", &warning);
    }
    let before = if recommended.is_some() { "Or " } else { "" };
    for plan in others {
        page.item(
            "-",
            &format!("{before}{}: {}", plan.kind.as_str(), plan.why),
        );
        // Without a recommendation the reader has to choose, and needs to see what each would do.
        if recommended.is_none() {
            for step in &plan.steps {
                page.item("  ", &step.what);
                page.command(&step.command);
            }
        }
    }
}

fn replicas(page: &mut Page, replicas: &[Replica], now: DateTime<Utc>) {
    if replicas.is_empty() {
        return;
    }
    page.blank();
    let same = words::one_container(replicas);
    match same {
        Some(container) => page.heading(&format!("REPLICAS, container {container}")),
        None => page.heading("REPLICAS, by pod and container"),
    }
    let names: Vec<String> = replicas
        .iter()
        .map(|replica| match same {
            Some(_) => replica.pod.name.clone(),
            None => format!("{}/{}", replica.pod.name, replica.container),
        })
        .collect();
    // The names are the first column, and take the place of the two that hold pod and container.
    let mut head = words::REPLICA_HEAD[1..].to_vec();
    head[0] = "pod";
    let mut rows: Vec<Vec<String>> = replicas.iter().map(|r| row(r, now)).collect();
    for (row, name) in rows.iter_mut().zip(&names) {
        row[0] = harmless(name).into_owned();
    }
    let mut lines = table(&head, &rows);
    // Names too long for a table stand above their rows.
    let apart = lines.iter().any(|line| line.width() > WIDTH);
    if apart {
        head.remove(0);
        for row in &mut rows {
            row.remove(0);
        }
        lines = table(&head, &rows);
    }
    let mut lines = lines.into_iter();
    if let Some(head) = lines.next() {
        page.line(&head);
    }
    for ((line, replica), name) in lines.zip(replicas).zip(&names) {
        if apart {
            page.wrapped(name, 2);
        }
        page.line(&line);
        let explained = replicas.len() <= EXPLAINED;
        if explained && !replica.why.is_empty() {
            page.note(&words::cited(&replica.why, &replica.evidence));
        }
        let signals = words::signals(replica);
        if !signals.is_empty() {
            page.note(&signals.join("; "));
        }
        if let Some(uses) = words::uses(replica).filter(|_| explained) {
            page.note(&uses);
        }
    }
}

/// The cells from the container on. A state is the kubelet's word, but nothing holds it to a length.
fn row(replica: &Replica, now: DateTime<Utc>) -> Vec<String> {
    let cells = words::row(replica, now).into_iter().skip(1);
    cells
        .map(|cell| harmless(&cell.chars().take(24).collect::<String>()).into_owned())
        .collect()
}

fn timeline(page: &mut Page, incident: &Incident, now: DateTime<Utc>) {
    if incident.timeline.is_empty() {
        return;
    }
    page.blank();
    page.heading("TIMELINE (UTC)");
    let rows: Vec<Vec<String>> = incident
        .timeline
        .iter()
        .map(|entry| {
            let at = words::interval(&entry.at, now);
            vec![at, harmless(entry.lane.name()).into_owned()]
        })
        .collect();
    // There is no head: an empty one keeps the widths to the rows.
    let lines = table(&["", ""], &rows).into_iter().skip(1);
    for (line, entry) in lines.zip(&incident.timeline) {
        page.continued(&line, &words::cited(&entry.what, &entry.evidence));
    }
}

fn last_edit(page: &mut Page, incident: &Incident) {
    let Some(diff) = diff::last_edit(incident) else {
        return;
    };
    page.blank();
    page.heading(&format!("LAST EDIT, {} → {}", diff.from, diff.to));
    for change in words::changes(incident) {
        page.note(&change);
    }
    for line in &diff.lines {
        page.line(&format!("  {line}"));
    }
}

fn evidence_on(page: &mut Page, evidence: &Evidence, now: DateTime<Utc>) {
    let read = words::moment(evidence.taken_at, now);
    let number = format!("[{}]", evidence.number);
    page.item(&number, &format!("{}, read {read}", evidence.source));
    page.command(&evidence.command);
    let lines = evidence.excerpt.lines().count();
    for line in evidence.excerpt.lines().take(EXCERPT) {
        page.quoted(line);
    }
    if lines > EXCERPT {
        page.quoted(&format!("… {} more lines", lines - EXCERPT));
    }
}

fn not_checked(page: &mut Page, items: &[NotChecked]) {
    page.blank();
    page.heading("NOT CHECKED");
    if items.is_empty() {
        page.note("Nothing that this report rests on is missing.");
    }
    for item in items {
        page.item("-", &format!("{}: {}", item.what, item.why));
    }
}
