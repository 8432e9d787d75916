//! Replicas of one workload that name another config than its template does now, joined with those that name this one.

use super::case::{Case, Subject, build};
use super::evidence::Book;
use super::incident::{ContentSource, Incident, Replica};
use super::index::Index;
use super::signals::Scans;
use super::timeline;

/// The cases of the configs that older replicas name, the oldest first, and how many revisions they have: the names of those of
/// the config itself go on from there.
pub(crate) fn cases<'a>(
    index: &'a Index<'a>,
    subject: &Subject<'a>,
    scans: &mut Scans,
    book: &mut Book<'_>,
) -> (Vec<Case<'a>>, usize) {
    let mut rivals: Vec<_> = subject
        .rivals
        .iter()
        .filter(|(_, users)| !users.is_empty())
        .collect();
    rivals.sort_by_key(|(config, _)| config.created);
    let mut after = 0;
    let mut found = Vec::new();
    for (config, users) in rivals {
        let other = Subject {
            config,
            workload: subject.workload.clone(),
            users: users.clone(),
            blocked: Vec::new(),
            rivals: Vec::new(),
            after,
        };
        let case = build(index, &other, scans, book);
        after += case.history.revisions.len();
        found.push(case);
    }
    (found, after)
}

/// Adds what older replicas run to an incident. None of their configs is what the template names, so nothing of them is live.
pub(crate) fn join(incident: &mut Incident, rivals: Vec<Case<'_>>, book: &mut Book<'_>) {
    for replica in &mut incident.replicas {
        if replica.live.is_none() && replica.loaded.is_some() {
            replica.live = Some(true);
        }
    }
    for case in rivals.into_iter().rev() {
        let entries = timeline::of(&case, book);
        incident.timeline.extend(entries);
        let mut revisions = case.history.revisions;
        for revision in &mut revisions {
            revision.live = false;
            if revision.source == Some(ContentSource::Live) {
                revision.source = Some(ContentSource::Named {
                    config: revision.config.clone(),
                });
            }
        }
        revisions.append(&mut incident.revisions);
        incident.revisions = revisions;
        let mut replicas: Vec<Replica> = case.replicas;
        for replica in &mut replicas {
            replica.live = Some(false);
            replica.why = format!(
                "it names {}; of that: {}",
                case.config.reference, replica.why
            );
            for usage in &mut replica.uses {
                usage.live = Some(false);
            }
        }
        replicas.append(&mut incident.replicas);
        incident.replicas = replicas;
    }
    timeline::sort(&mut incident.timeline);
}
