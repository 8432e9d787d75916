//! checksum-stale: what should have restarted the workload when the content changed did not: a checksum in the template that did not
//! move, or Reloader, which is asked for.

use chrono::TimeDelta;

use super::Decision;
use super::words::{asks_reloader, sides};
use crate::analysis::case::Case;
use crate::analysis::evidence::{Book, show_workload};
use crate::analysis::incident::{Code, Finding};
use crate::analysis::names::clock_time;
use crate::model::{Labels, Workload};

/// Reloader acts within seconds of an edit.
const PATIENCE: TimeDelta = TimeDelta::minutes(1);

pub(super) fn decide(case: &Case<'_>, book: &mut Book<'_>) -> Decision {
    let sides = sides(case);
    let (Some(edit), false) = (case.last_write(), sides.stale.is_empty()) else {
        return Decision::No;
    };
    let (Some(edited), Some(written)) = (edit.at.earliest, edit.at.latest) else {
        return Decision::No;
    };
    let Some(workload) = case.index.workload(&case.workload) else {
        return Decision::No;
    };
    let checksum = checksum(&workload.template_marks);
    let marks = workload.marks.iter().chain(workload.template_marks.iter());
    let reloader = asks_reloader(marks, &case.config.reference);
    if checksum.is_none() && reloader.is_none() {
        return Decision::No;
    }
    let Some(made) = case.index.template_made(&case.workload) else {
        return Decision::CannotTell(
            "whether the template moved with the content: no ReplicaSet of it was read".to_owned(),
        );
    };
    if made >= edited {
        return Decision::No;
    }
    let now = case.snapshot.now();
    let when = clock_time(made, now);
    let mut parts = Vec::new();
    if let Some((name, value)) = checksum {
        parts.push(format!(
            "The template of {} holds {name}: {value}, and was made at {when} UTC, before the edit: the checksum did not move with the content, so the rollout that it is there for never came (whoever edited did not go through what writes it)",
            case.workload.name
        ));
    }
    if let Some(mark) = reloader.filter(|_| now - written > PATIENCE) {
        parts.push(format!(
            "{} asks for Reloader ({mark}), and no new template came since the edit: Reloader did not act",
            case.workload.name
        ));
    }
    if parts.is_empty() {
        return Decision::No;
    }
    Decision::Yes(finding(case, workload, &parts, book))
}

/// A checksum annotation: the one for configs first.
fn checksum(marks: &Labels) -> Option<(&str, &str)> {
    let all = || {
        marks
            .iter()
            .filter(|(name, _)| name.starts_with("checksum"))
    };
    all()
        .find(|(name, _)| name.contains("config"))
        .or_else(|| all().next())
}

fn finding(case: &Case<'_>, workload: &Workload, parts: &[String], book: &mut Book<'_>) -> Finding {
    let marks = workload.template_marks.iter().chain(workload.marks.iter());
    let excerpt: Vec<String> = marks
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    let number = book.add(
        format!("{}, what restarts it", case.workload),
        &show_workload(&case.workload),
        case.snapshot.taken_at,
        excerpt.join("\n"),
    );
    Finding {
        code: Code::ChecksumStale,
        sentence: format!("{}.", parts.join(". ")),
        evidence: vec![number],
    }
}
