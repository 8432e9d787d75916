//! The error where nothing at all could be read: what was wrong, and what to do.

use std::collections::BTreeSet;

use super::SourceError;
use crate::model::{GapReason, Kind, Snapshot};

/// The error where no list at all was answered.
pub fn nothing_read(snapshot: &Snapshot) -> Option<SourceError> {
    let failed: BTreeSet<&str> = snapshot
        .gaps
        .iter()
        .map(|gap| gap.resource.as_str())
        .collect();
    let empty =
        snapshot.configs.is_empty() && snapshot.pods.is_empty() && snapshot.events.is_empty();
    if failed.len() < Kind::ALL.len() || !empty {
        return None;
    }
    let server = &snapshot.cluster.server;
    let place = snapshot.scope.namespace.as_ref().map_or_else(
        || "any namespace".to_owned(),
        |ns| format!("namespace {ns}"),
    );
    let (message, hint) = match &snapshot.gaps.first()?.reason {
        GapReason::Unauthorized => (
            format!("{server} does not accept the login."),
            "It is missing or has expired: log in, then try again.".to_owned(),
        ),
        GapReason::Forbidden => (
            format!("Nothing may be listed in {place} of {server}."),
            "Name a namespace that you may read with -n, or ask for the right to list pods and configmaps.".to_owned(),
        ),
        GapReason::TimedOut { seconds } => (
            format!("{server} did not answer in {seconds} s."),
            "See whether `kubectl get namespaces` answers, and raise --request-timeout if it is slow.".to_owned(),
        ),
        GapReason::Connection(why) => (
            format!("{server} cannot be read: {why}."),
            "See whether `kubectl get namespaces` answers.".to_owned(),
        ),
        GapReason::Status { code, message } => (
            format!("{server} answered {code}: {message}."),
            "See whether `kubectl get namespaces` answers.".to_owned(),
        ),
        _ => (
            format!("{server} answered nothing that can be read."),
            "See whether this is the address of a Kubernetes API server.".to_owned(),
        ),
    };
    Some(SourceError {
        message,
        hint: Some(hint),
    })
}
