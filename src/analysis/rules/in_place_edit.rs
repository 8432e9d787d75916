//! in-place-edit: how the config was changed: fetched and applied back, or by `kubectl edit`.

use super::Decision;
use crate::analysis::case::Case;
use crate::analysis::evidence::Book;
use crate::analysis::incident::{Code, Finding};

pub(super) fn decide(case: &Case<'_>, _book: &mut Book<'_>) -> Decision {
    let config = case.config;
    let name = format!("{} {}", config.reference.kind, config.reference.name);
    let evidence: Vec<usize> = case.history.evidence.first().copied().into_iter().collect();
    let yes = |sentence: String| {
        Decision::Yes(Finding {
            code: Code::InPlaceEdit,
            sentence,
            evidence: evidence.clone(),
        })
    };
    let version = config
        .last_applied
        .as_ref()
        .and_then(|applied| applied.resource_version.as_ref());
    if let Some(version) = version {
        return yes(format!(
            "{name} was fetched, changed and applied back, not applied from a file: its last-applied-configuration holds resourceVersion {version}, and the live object is at {}.",
            config.resource_version
        ));
    }
    let edited = case
        .edit()
        .and_then(|(edit, _)| edit.manager.clone())
        .filter(|manager| matches!(manager.as_str(), "kubectl-edit" | "kubectl-patch"));
    match edited.as_deref() {
        Some("kubectl-edit") => yes(format!("{name} was changed by kubectl edit.")),
        Some(_) => yes(format!(
            "{name} was changed by kubectl patch, not applied from a file."
        )),
        None => Decision::No,
    }
}
