//! Five lines for a chat: what is wrong, at what cost, since whose edit, what each replica runs, and what to do.

use crate::analysis::{Diagnosis, Incident, Replica, short_names};
use crate::text::harmless;

use super::words;

/// More replicas than this are counted by revision.
const NAMED: usize = 4;
/// A line longer than this is no line of a chat.
const LONGEST: usize = 600;

pub(super) fn page(diagnosis: &Diagnosis, incident: Option<&Incident>) -> String {
    let lines = match incident {
        Some(incident) => lines(diagnosis, incident),
        None => vec![words::origin(diagnosis), diagnosis.verdict.clone()],
    };
    let mut page = String::new();
    for line in lines {
        page.push_str(&one_line(&line));
        page.push('\n');
    }
    page
}

fn lines(diagnosis: &Diagnosis, incident: &Incident) -> Vec<String> {
    let cause = incident.findings.first();
    let sentence = cause.map_or("not known", |finding| finding.sentence.as_str());
    let impact = match (&incident.impact, incident.unasked()) {
        (Some(impact), _) => impact.sentence.clone(),
        (None, Some(why)) => format!("not known: {why}"),
        (None, None) => "not known: no log that was read shows what clients got.".to_owned(),
    };
    vec![
        format!(
            "{} in {}: {sentence} ({})",
            incident.workload,
            incident.workload.namespace,
            incident.certainty()
        ),
        format!("Impact: {impact}"),
        edit(diagnosis, incident),
        replicas(incident),
        next(diagnosis, incident),
    ]
}

/// Who changed what, when.
fn edit(diagnosis: &Diagnosis, incident: &Incident) -> String {
    let config = &incident.config;
    let Some(live) = incident.revisions.iter().find(|revision| revision.live) else {
        return format!("Edit: of {config}; when is not known.");
    };
    let when = words::interval(&live.from, diagnosis.taken_at);
    // A time without its day means another one tomorrow.
    let today = diagnosis.taken_at.date_naive();
    let when = match live.from.anchor().filter(|at| at.date_naive() == today) {
        Some(_) => format!("{today} {when}"),
        None => when,
    };
    let writer = match (&live.person, &live.writer) {
        (Some(person), _) => format!("by {person} (audit log)"),
        (None, Some(writer)) => format!("by {writer} (person not recorded)"),
        (None, None) => "by an unknown writer".to_owned(),
    };
    let changes = words::changes(incident);
    let changes = match changes.as_slice() {
        [] => String::new(),
        [one] => format!(": {one}"),
        [one, rest @ ..] => format!(": {one}, and {} more", rest.len()),
    };
    format!("Edit: {config} at {when} UTC {writer}{changes}")
}

/// `965p6 runs B (live), lsmsh runs A`; of many, how many run which.
fn replicas(incident: &Incident) -> String {
    let short = short_names(incident.replicas.iter().map(|r| r.pod.name.as_str()));
    let state = |replica: &Replica| match replica.live {
        Some(true) => " (live)",
        Some(false) => " (not live)",
        None => "",
    };
    let revision = |replica: &Replica| match &replica.loaded {
        Some(name) => format!("revision {name}{}", state(replica)),
        None => "an unknown revision".to_owned(),
    };
    let parts: Vec<String> = if incident.replicas.len() <= NAMED {
        let replicas = incident.replicas.iter();
        replicas
            .map(|r| {
                let name = short.get(&r.pod.name).unwrap_or(&r.pod.name);
                format!("{name} runs {}, {}", revision(r), r.grade)
            })
            .collect()
    } else {
        let mut groups: Vec<(String, usize)> = Vec::new();
        for text in incident.replicas.iter().map(revision) {
            match groups.iter_mut().find(|(known, _)| *known == text) {
                Some((_, count)) => *count += 1,
                None => groups.push((text, 1)),
            }
        }
        groups
            .iter()
            .map(|(text, n)| format!("{n} run {text}"))
            .collect()
    };
    let of = incident.replicas.len();
    let noun = if of == 1 { "replica" } else { "replicas" };
    format!("{of} {noun}: {}.", parts.join("; "))
}

/// What to do, and how anyone can see it.
fn next(diagnosis: &Diagnosis, incident: &Incident) -> String {
    let (recommended, others) = words::plans(incident, diagnosis);
    let next = match (recommended, others.as_slice()) {
        (Some(plan), _) => plan.headline,
        (None, []) => "the config is not the problem; look elsewhere.".to_owned(),
        (None, _) => {
            "what was the edit meant to do? Revert or roll forward follows from that.".to_owned()
        }
    };
    let first = incident.findings.first().and_then(|f| f.evidence.first());
    let item = first.and_then(|n| diagnosis.evidence.iter().find(|e| e.number == *n));
    match item {
        Some(item) => format!("Next: {next} See it: {}", item.command),
        None => format!("Next: {next}"),
    }
}

/// Nothing of it may end the line or reach whoever pastes it as a command of the terminal.
fn one_line(text: &str) -> String {
    let line = harmless(text);
    match line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.into_owned(),
    }
}
