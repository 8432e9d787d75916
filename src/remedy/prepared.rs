//! What is looked at before anything is written: rights, what would refuse it, what else it would do.

use super::goal::{Goal, Method};
use super::write::{Right, Write, WriteError, Written};
use crate::analysis::{Code, Incident, Use};
use crate::model::{Content, Pod, Workload};

/// What the cluster says of the writes that are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    /// `None` could not be asked.
    pub rights: Vec<(Right, Option<bool>)>,
    /// The whole object as it is, in JSON, where a content is to be written.
    pub saved: Option<String>,
    /// Each write as the server would take it now, without doing it (`dryRun=All`).
    pub rehearsals: Vec<Rehearsal>,
    /// PodDisruptionBudgets of the namespace; `None` could not be read.
    pub budgets: Option<Vec<Budget>>,
    pub quotas: Option<Vec<Quota>>,
    /// Names of HorizontalPodAutoscalers that scale the workload.
    pub scalers: Option<Vec<String>>,
}

impl Prepared {
    /// Whether it was asked about these writes.
    pub fn is_of(&self, meant: &[Write]) -> bool {
        self.rehearsals
            .iter()
            .map(|rehearsal| &rehearsal.write)
            .eq(meant)
    }

    /// The content that the server would make of it.
    pub fn rehearsed(&self) -> Option<&Content> {
        let mut written = self
            .rehearsals
            .iter()
            .filter_map(|r| r.outcome.as_ref().ok());
        written.find_map(|written| written.content.as_ref())
    }
}

/// What the server says to a write without doing it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rehearsal {
    pub write: Write,
    pub outcome: Result<Written, WriteError>,
}

/// A PodDisruptionBudget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    pub name: String,
    /// Labels of the pods that it is about; one with expressions is kept with none, and is about any.
    pub labels: Vec<(String, String)>,
    /// How many may be evicted now.
    pub allowed: i64,
}

/// A ResourceQuota that leaves no room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quota {
    pub name: String,
    /// What is used up: `pods 4 of 4`.
    pub full: Vec<String>,
}

/// Something to be known before it is agreed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// It cannot be done so.
    Blocks(String),
    /// It can, and this goes with it.
    Warns(String),
    Fine(String),
}

/// Everything that is to be known before.
pub fn notes(
    goal: &Goal,
    incident: Option<&Incident>,
    pods: &[&Pod],
    workload: Option<&Workload>,
    prepared: &Prepared,
) -> Vec<Note> {
    let mut notes = rights(prepared);
    notes.extend(refusals(prepared));
    if let Some(incident) = incident {
        notes.extend(consumers(incident));
        // Nobody undoes that a pod was replaced.
        if goal.content_write().is_some() || goal.method == Method::Restart {
            notes.extend(owners(incident));
        }
    }
    notes.extend(delivered(pods));
    notes.extend(of_the_workload(goal, workload));
    notes.extend(of_the_namespace(goal, pods, prepared));
    notes
}

fn rights(prepared: &Prepared) -> Vec<Note> {
    let mut notes = Vec::new();
    for (right, has) in &prepared.rights {
        match has {
            Some(true) => {}
            Some(false) => notes.push(Note::Blocks(format!(
                "the right to {right} is missing in {}",
                right.namespace
            ))),
            None => notes.push(Note::Warns(format!(
                "whether the right to {right} is there could not be asked"
            ))),
        }
    }
    if notes.is_empty() && !prepared.rights.is_empty() {
        let mut all: Vec<String> = prepared
            .rights
            .iter()
            .map(|(right, _)| right.to_string())
            .collect();
        all.dedup();
        notes.push(Note::Fine(format!("rights: {}", all.join(", "))));
    }
    notes
}

/// What a rehearsal was refused for, where it was not a missing right.
fn refusals(prepared: &Prepared) -> Vec<Note> {
    let mut notes = Vec::new();
    for rehearsal in &prepared.rehearsals {
        match (&rehearsal.outcome, &rehearsal.write) {
            (Err(WriteError::Forbidden(_)), _) | (Ok(_), Write::Evict { .. }) => {}
            // It may be allowed by the time that its turn comes.
            (Err(error), Write::Evict { .. }) => {
                notes.push(Note::Warns(format!("{} now: {error}", rehearsal.write)));
            }
            (Err(error), write) => notes.push(Note::Blocks(format!("{write}: {error}"))),
            (Ok(written), _) => notes.extend(written.taken_from.iter().map(|manager| {
                Note::Warns(format!("fields that {manager} wrote become confsplit's"))
            })),
        }
    }
    notes
}

/// Others that take the same config, those first that take it without a restart.
fn consumers(incident: &Incident) -> Option<Note> {
    let others: Vec<String> = incident
        .shared_with
        .iter()
        .map(ToString::to_string)
        .collect();
    let files = incident
        .replicas
        .iter()
        .flat_map(|r| &r.uses)
        .any(|u| matches!(u.via, Use::Volume { .. } | Use::Projected { .. }));
    match (others.is_empty(), files) {
        (true, _) => None,
        (false, true) => Some(Note::Warns(format!(
            "{} take it too: those that read mounted files have it within two minutes, the others at their next start",
            others.join(", ")
        ))),
        (false, false) => Some(Note::Warns(format!(
            "{} take it too, and get it at their next start, or within two minutes where they read mounted files",
            others.join(", ")
        ))),
    }
}

/// Who would undo it.
fn owners(incident: &Incident) -> Vec<Note> {
    let findings = incident.findings.iter();
    findings
        .filter(|finding| matches!(finding.code, Code::OwnerWillUndo))
        .map(|finding| Note::Warns(finding.sentence.clone()))
        .collect()
}

/// What new pods get beside the config: other contents, another image under the same tag.
fn delivered(pods: &[&Pod]) -> Vec<Note> {
    let mut floating: Vec<String> = pods
        .iter()
        .flat_map(|pod| &pod.containers)
        .filter(|container| is_floating(&container.image))
        .map(|container| container.image.clone())
        .collect();
    floating.sort();
    floating.dedup();
    let images = floating.into_iter().map(|image| {
        Note::Warns(format!(
            "{image}: what this tag means may have changed since the pods started"
        ))
    });
    images.collect()
}

/// Whether a new pod may get another image under this name: no digest, and no tag that names a version.
fn is_floating(image: &str) -> bool {
    let name = image.rsplit('/').next().unwrap_or(image);
    let tag = name.split_once(':').map(|(_, tag)| tag);
    !image.contains('@') && tag.is_none_or(|tag| tag == "latest")
}

fn of_the_workload(goal: &Goal, workload: Option<&Workload>) -> Vec<Note> {
    let Some(workload) = workload else {
        return vec![Note::Warns(format!(
            "{} itself could not be read",
            goal.workload
        ))];
    };
    let mut notes = Vec::new();
    let restarts = goal.method == Method::Restart;
    if workload.paused {
        let text = format!("{} is paused", goal.workload);
        notes.push(match restarts {
            true if goal.repoint.is_some() => Note::Warns(format!(
                "{text}: the same write resumes it. See first why it was paused"
            )),
            true => Note::Blocks(format!("{text}: it restarts nothing until it is resumed")),
            false => Note::Warns(format!(
                "{text}; pods that are evicted are made again all the same"
            )),
        });
    }
    if workload.strategy.as_deref() == Some("OnDelete") {
        notes.push(match restarts {
            true => Note::Blocks(
                "its update strategy is OnDelete: a rollout restart replaces nothing".into(),
            ),
            false => Note::Fine(
                "its update strategy is OnDelete: pods that are evicted are made again".into(),
            ),
        });
    }
    if workload.generation != workload.observed_generation && workload.observed_generation.is_some()
    {
        notes.push(Note::Warns(
            "its controller has not seen the newest template yet".into(),
        ));
    }
    let under_way = workload.updated.is_some() && workload.updated < workload.desired;
    if under_way && goal.repoint.is_none() {
        notes.push(Note::Warns(
            "a rollout is under way: pods that are made anew are of the newest template".into(),
        ));
    }
    notes
}

fn of_the_namespace(goal: &Goal, pods: &[&Pod], prepared: &Prepared) -> Vec<Note> {
    let mut notes = Vec::new();
    match &prepared.budgets {
        None => notes.push(Note::Warns(
            "PodDisruptionBudgets could not be read: one may refuse an eviction".into(),
        )),
        Some(budgets) => notes.extend(budgets.iter().filter(|b| b.is_about(pods)).map(|budget| {
            let allows = format!(
                "PodDisruptionBudget/{} allows {} evictions now",
                budget.name, budget.allowed
            );
            match budget.allowed {
                0 if goal.method == Method::Replace => {
                    Note::Warns(format!("{allows}: it will pause there"))
                }
                _ => Note::Fine(allows),
            }
        })),
    }
    match &prepared.quotas {
        None => notes.push(Note::Warns(
            "ResourceQuotas could not be read: one may leave no room for a new pod".into(),
        )),
        Some(quotas) => notes.extend(quotas.iter().map(|quota| {
            Note::Warns(format!(
                "ResourceQuota/{} is used up ({}): a pod more than there are cannot be made",
                quota.name,
                quota.full.join(", ")
            ))
        })),
    }
    for scaler in prepared.scalers.iter().flatten() {
        notes.push(Note::Warns(format!(
            "HorizontalPodAutoscaler/{scaler} may change the number of pods meanwhile"
        )));
    }
    notes
}

impl Budget {
    fn is_about(&self, pods: &[&Pod]) -> bool {
        pods.iter().any(|pod| {
            self.labels.iter().all(|(name, value)| {
                pod.labels
                    .get(name)
                    .is_some_and(|has| has == value.as_str())
            })
        })
    }
}
