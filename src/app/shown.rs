//! What a sheet shows, in which order: shared by the cursors and by the drawing, so that both mean the same row.

use std::collections::HashSet;

use super::keymap::{self, Context, Export};
use super::screen::Tab;
use super::triage::{self, Listed};
use super::{App, palette};
use crate::analysis::{Diagnosis, Incident, Replica};
use crate::remedy::{Plan, Step};

/// The replicas grouped by revision (those unknown last), the oldest first within a group.
pub fn replicas(incident: &Incident) -> Vec<&Replica> {
    let order = order(incident);
    let replicas = order.iter().filter_map(|at| incident.replicas.get(*at));
    replicas.collect()
}

/// The same, by their places in the incident.
pub(super) fn order(incident: &Incident) -> Vec<usize> {
    let place = |replica: &Replica| {
        let known = replica.loaded.as_deref().and_then(|name| {
            incident
                .revisions
                .iter()
                .position(|revision| revision.name == name)
        });
        known.unwrap_or(usize::MAX)
    };
    let replicas = incident.replicas.iter().enumerate();
    let mut order: Vec<_> = replicas
        .map(|(at, replica)| {
            let name = (&replica.pod.name, &replica.container);
            (place(replica), replica.started_at, name, at)
        })
        .collect();
    order.sort_unstable();
    order.into_iter().map(|(.., at)| at).collect()
}

/// How many replicas run each revision: `("A", 2)`, unknown ones as `?`, in the order of the revisions.
pub fn split(incident: &Incident) -> Vec<(&str, usize)> {
    let revisions = incident.revisions.iter().map(|r| (r.name.as_str(), 0));
    let mut groups: Vec<(&str, usize)> = revisions.collect();
    for replica in &incident.replicas {
        let name = replica.loaded.as_deref().unwrap_or("?");
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None => groups.push((name, 1)),
        }
    }
    groups.retain(|(_, count)| *count > 0);
    groups
}

/// The evidence that this incident rests on, by its places in the diagnosis.
pub fn evidence(diagnosis: &Diagnosis, incident: &Incident) -> Vec<usize> {
    let mut numbers: HashSet<usize> = HashSet::new();
    numbers.extend(incident.findings.iter().flat_map(|f| &f.evidence));
    numbers.extend(incident.revisions.iter().flat_map(|r| &r.evidence));
    numbers.extend(incident.timeline.iter().flat_map(|e| &e.evidence));
    numbers.extend(incident.impact.iter().flat_map(|i| &i.evidence));
    for replica in &incident.replicas {
        numbers.extend(&replica.evidence);
        numbers.extend(replica.signals.iter().flat_map(|s| &s.evidence));
        numbers.extend(replica.uses.iter().flat_map(|u| &u.evidence));
    }
    diagnosis
        .evidence
        .iter()
        .enumerate()
        .filter(|(_, item)| numbers.contains(&item.number))
        .map(|(at, _)| at)
        .collect()
}

/// Every step of every plan, the recommended plan's first, with its number from 1.
pub fn steps(plans: &[Plan]) -> Vec<(&Plan, usize, &Step)> {
    let mut ordered: Vec<&Plan> = plans.iter().collect();
    ordered.sort_by_key(|plan| !plan.recommended);
    ordered
        .into_iter()
        .flat_map(|plan| {
            plan.steps
                .iter()
                .enumerate()
                .map(move |(at, step)| (plan, at + 1, step))
        })
        .collect()
}

/// A piece of a longer text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    Heading(String),
    Text(String),
    /// A command line: every blank of it counts.
    Command(String),
    /// A line of its own, every blank of which counts.
    Line(String),
    /// Keys, and what they do.
    Key(String, String),
    /// The signs of the timeline.
    Signs,
    Empty,
}

impl Note {
    /// What the filter searches and `y` copies.
    pub fn text(&self) -> String {
        match self {
            Self::Heading(text) | Self::Text(text) | Self::Command(text) | Self::Line(text) => {
                text.clone()
            }
            Self::Key(keys, what) => format!("{keys} {what}"),
            Self::Signs => "signs of the timeline".into(),
            Self::Empty => String::new(),
        }
    }
}

/// The keys of the screen below, and those that hold while something is typed or lies over it.
pub fn help(app: &App) -> Vec<Note> {
    let key = |binding: &keymap::Binding| Note::Key(binding.keys(), binding.help.to_owned());
    let context = app.context_below();
    let mut notes: Vec<Note> = keymap::bindings(context).map(key).collect();
    if context == Context::Sheet(Tab::Timeline) {
        notes.push(Note::Empty);
        notes.push(Note::Signs);
    }
    let mut told: Vec<&str> = keymap::bindings(context).map(|b| b.help).collect();
    for (title, context) in [
        ("In a longer text, such as this one", Context::Overlay),
        ("In the choice of exports", Context::Menu),
        (
            "In the question about reading inside containers",
            Context::Consent,
        ),
        ("While a filter or a command is typed", Context::Palette),
    ] {
        // What holds everywhere was said once.
        let new: Vec<_> = keymap::bindings(context)
            .filter(|binding| !told.contains(&binding.help))
            .collect();
        notes.push(Note::Empty);
        notes.push(Note::Heading(title.into()));
        notes.extend(new.iter().map(|binding| key(binding)));
        told.extend(new.iter().map(|binding| binding.help));
    }
    notes.push(Note::Empty);
    notes.push(Note::Heading(
        "Commands after the colon, besides those of the keys".into(),
    ));
    notes.extend(
        palette::NAMED
            .iter()
            .map(|named| Note::Key(named.usage(), named.help.into())),
    );
    notes
}

/// What can be exported, in the order of the menu.
pub fn exports() -> Vec<Note> {
    Export::ALL
        .into_iter()
        .filter_map(|what| {
            let command = keymap::Command::Export(what);
            let binding = keymap::bindings(Context::Menu).find(|b| b.command == command)?;
            Some(Note::Key(binding.keys(), binding.help.to_owned()))
        })
        .collect()
}

/// The summary as it was copied, to be selected where the terminal takes no clipboard.
pub fn summary(app: &App) -> Vec<Note> {
    app.summary
        .lines()
        .map(|line| Note::Text(line.to_owned()))
        .collect()
}

/// All that is to be said of the incident that is open or selected.
pub fn whole(app: &App) -> Vec<Note> {
    let Some((incident, plans)) = app.incident() else {
        return match app.listed_at(app.triage) {
            Some(Listed::Suspect(suspect)) => vec![
                Note::Heading(format!("SUSPECT  {} → {}", suspect.config, suspect.workload)),
                Note::Text(triage::sentence(app, suspect)),
                Note::Empty,
                Note::Text(
                    "It becomes an incident where two contents are known to differ and a replica runs the other one."
                        .into(),
                ),
            ],
            _ => vec![Note::Text("Nothing is selected.".into())],
        };
    };
    let mut notes = Vec::new();
    for (at, finding) in incident.findings.iter().enumerate() {
        let role = if at == 0 { "CAUSE" } else { "ALSO" };
        notes.push(Note::Heading(format!("{role}  {}", finding.code)));
        notes.push(Note::Text(format!(
            "{} {}",
            finding.sentence,
            numbers(&finding.evidence)
        )));
        notes.push(Note::Empty);
    }
    notes.push(Note::Heading("IMPACT".into()));
    notes.push(Note::Text(impact(incident)));
    notes.push(Note::Empty);
    for plan in plans {
        notes.push(Note::Heading(format!("NEXT  {}", plan_title(plan))));
        notes.push(Note::Text(plan.why.clone()));
        for (at, step) in plan.steps.iter().enumerate() {
            notes.push(Note::Text(format!("{}. {}", at + 1, step.what)));
            notes.push(Note::Command(step.command.clone()));
        }
        notes.push(Note::Empty);
    }
    if !incident.cannot_tell.is_empty() {
        notes.push(Note::Heading("CANNOT TELL".into()));
        for (code, why) in &incident.cannot_tell {
            notes.push(Note::Text(format!("{code}: {why}")));
        }
    }
    notes
}

/// The gaps, and the traps of this incident's data.
pub fn not_checked(app: &App) -> Vec<Note> {
    let mut notes = Vec::new();
    let gaps = app.diagnosis().map_or(&[][..], |d| &d.not_checked);
    if gaps.is_empty() {
        notes.push(Note::Text("Nothing was left out.".into()));
    }
    for gap in gaps {
        notes.push(Note::Text(format!("{}: {}", gap.what, gap.why)));
    }
    if let Some((incident, _)) = app.incident() {
        if !incident.cannot_tell.is_empty() {
            notes.push(Note::Empty);
            notes.push(Note::Heading("CANNOT TELL".into()));
        }
        for (code, why) in &incident.cannot_tell {
            notes.push(Note::Text(format!("{code}: {why}")));
        }
        if !incident.separating.is_empty() {
            notes.push(Note::Empty);
            notes.push(Note::Heading("ONLY SOME LOG (A HINT)".into()));
        }
        let now = app.diagnosis().map(|d| d.taken_at).unwrap_or_default();
        for words in &incident.separating {
            let cited = numbers(&words.evidence);
            notes.push(Note::Text(format!("{} {cited}", words.sentence(now))));
        }
        if !incident.misleading.is_empty() {
            notes.push(Note::Empty);
            notes.push(Note::Heading(
                "WHAT THE DATA INVITES TO CONCLUDE WRONGLY".into(),
            ));
        }
        notes.extend(incident.misleading.iter().cloned().map(Note::Text));
    }
    notes
}

/// The impact's sentence, with what it lacks said.
pub fn impact(incident: &Incident) -> String {
    let Some(impact) = &incident.impact else {
        let why = incident.unasked();
        let why = why.unwrap_or_else(|| "no log that was read shows what clients got.".into());
        return format!("Not known: {why}");
    };
    let mut out = impact.sentence.clone();
    if impact.spreads && !out.to_lowercase().contains("spread") && !out.contains("new pod") {
        out.push_str(" SPREADS to any new pod.");
    }
    let numbers = numbers(&impact.evidence);
    if !numbers.is_empty() {
        out.push(' ');
        out.push_str(&numbers);
    }
    out
}

/// `revert-then-restart (recommended)`.
pub fn plan_title(plan: &Plan) -> String {
    let mark = if plan.recommended {
        " (recommended)"
    } else {
        ""
    };
    format!("{}{mark}", plan.kind.as_str())
}

/// `[3][5][8]`.
pub fn numbers(evidence: &[usize]) -> String {
    let mut text = String::new();
    let mut rest = evidence;
    while let Some(first) = rest.first() {
        let run = rest
            .iter()
            .zip(*first..)
            .take_while(|(number, expected)| *number == expected)
            .count();
        match run {
            0..=2 => {
                text.push_str(&format!("[{first}]"));
                rest = rest.get(1..).unwrap_or_default();
            }
            _ => {
                text.push_str(&format!("[{first}–{}]", first + run - 1));
                rest = rest.get(run..).unwrap_or_default();
            }
        }
    }
    text
}
