//! missing-reference: containers cannot start, since a config that they need, or a key of it, is not there.

use std::collections::BTreeSet;

use super::Decision;
use super::words::by;
use crate::analysis::case::{Blocked, Case};
use crate::analysis::diff::describe_all;
use crate::analysis::evidence::Book;
use crate::analysis::incident::{Code, Finding};
use crate::analysis::names::{clock_time, count, list, short_names, when};

pub(super) fn decide(case: &Case<'_>, _book: &mut Book<'_>) -> Decision {
    let Some(first) = case.blocked.first() else {
        return Decision::No;
    };
    let pods: BTreeSet<&str> = case.blocked.iter().map(|b| b.pod.name.as_str()).collect();
    let keys: BTreeSet<&str> = case
        .blocked
        .iter()
        .filter_map(|b| b.key.as_deref())
        .collect();
    let missing = missing(case, first, &keys);
    let names = short_names(case.replicas.iter().map(|r| r.pod.name.as_str()));
    let named: Vec<String> = pods
        .iter()
        .map(|pod| {
            names
                .get(*pod)
                .cloned()
                .unwrap_or_else(|| (*pod).to_owned())
        })
        .collect();
    let mut sentence = format!(
        "{} of {} cannot start ({}): {missing}. {}",
        count(pods.len(), "pod"),
        case.workload.name,
        list(&named),
        taken_away(case, keys.first().copied()),
    );
    if let Some(said) = said(&case.blocked) {
        sentence.push_str(&format!(" The kubelet says: {said}."));
    }
    sentence.push_str(&survivors(case));
    let mut evidence = case.history.evidence.clone();
    let blocked = case
        .replicas
        .iter()
        .filter(|r| pods.contains(r.pod.name.as_str()));
    evidence.extend(blocked.filter_map(|r| r.evidence.first().copied()));
    evidence.sort_unstable();
    evidence.dedup();
    Decision::Yes(Finding {
        code: Code::MissingReference,
        sentence,
        evidence,
    })
}

/// What is missing, and who needs it.
fn missing(case: &Case<'_>, first: &Blocked, keys: &BTreeSet<&str>) -> String {
    let config = &case.config.reference;
    if keys.is_empty() {
        return format!(
            "{} {}, which {} needs, is not there",
            config.kind, config.name, first.container
        );
    }
    let names: Vec<String> = keys.iter().map(ToString::to_string).collect();
    format!(
        "{} {} does not hold {} {}, which {} needs",
        config.kind,
        config.name,
        if keys.len() == 1 { "key" } else { "keys" },
        list(&names),
        first.container
    )
}

/// What is to be kept as it is.
fn survivors(case: &Case<'_>) -> String {
    let running = case.replicas.iter();
    match running
        .filter(|r| r.started_at.is_some() && r.ready)
        .count()
    {
        0 => String::new(),
        1 => {
            " 1 replica still runs, and its next start fails as well: do not restart it.".to_owned()
        }
        many => format!(
            " {many} replicas still run, and their next start fails as well: do not restart them."
        ),
    }
}

/// Which edit took it away, as far as is known.
fn taken_away(case: &Case<'_>, key: Option<&str>) -> String {
    let now = case.snapshot.now();
    let Some(key) = key else {
        let source = case
            .history
            .revisions
            .last()
            .and_then(|r| r.source.as_ref());
        return match source {
            Some(source) => format!(
                "It was there before, and its last content is recovered from the {source}; {}",
                deleted(case)
            ),
            None if case.snapshot.outside.audited.is_empty() => {
                "Whether it ever was, is not known.".to_owned()
            }
            None => format!("Of what it held nothing is known; {}", deleted(case)),
        };
    };
    let holds = |place: usize| {
        let content = case.history.content(place);
        content.map(|content| content.keys().contains(key))
    };
    let live = case.history.live();
    let Some(last) = (0..live).rev().find(|place| holds(*place) == Some(true)) else {
        return if case.history.oldest.whole {
            "It never held it since it was created: the reference is what is wrong.".to_owned()
        } else {
            "No revision that is known held it.".to_owned()
        };
    };
    let edit = case.history.edits.get(last);
    edit.map_or_else(String::new, |edit| {
        let what = match case.changes.as_slice() {
            [] => String::new(),
            changes => format!(" ({})", describe_all(changes)),
        };
        format!(
            "The edit {} UTC {} took it away{what}; revision {} still held it.",
            when(&edit.at, now),
            by(edit),
            case.history.name(last).unwrap_or_default(),
        )
    })
}

/// When it was deleted and by whom, as far as an audit log tells.
fn deleted(case: &Case<'_>) -> String {
    let writes = case.snapshot.outside.audited.iter();
    let deletions = writes.filter(|w| w.config == case.config.reference && w.verb == "delete");
    match deletions.max_by_key(|write| write.at) {
        Some(write) => format!(
            "it was deleted {} by {} (audit log).",
            write.at.map_or_else(
                || "at an unknown time".to_owned(),
                |at| format!("at {} UTC", clock_time(at, case.snapshot.now()))
            ),
            write.user
        ),
        None => "when it was deleted, and by whom, the audit log would tell.".to_owned(),
    }
}

fn said(blocked: &[Blocked]) -> Option<&str> {
    let messages = blocked.iter().map(|b| b.message.trim());
    messages.filter(|m| !m.is_empty()).min()
}
