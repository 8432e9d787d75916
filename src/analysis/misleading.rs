//! What the data invites a reader to conclude wrongly: by `kubectl get`, the file in a pod, the rate of errors over all replicas, a
//! backend that looks down, a restart that would help.

use super::case::Case;
use super::incident::{Code, Finding, Use};
use super::names::count;

/// What a reader of the usual commands would conclude wrongly from this case.
pub(crate) fn misleading(case: &Case<'_>, findings: &[Finding], live_fails: bool) -> Vec<String> {
    let config = &case.config.reference;
    let stale = case.replicas.iter().any(|r| r.live == Some(false));
    let mut found = Vec::new();
    if stale {
        found.push(format!(
            "kubectl get {} shows what is live, not what the replicas that started before the edit run.",
            config.kind.as_str().to_lowercase()
        ));
    }
    let volume = case
        .replicas
        .iter()
        .flat_map(|r| &r.uses)
        .any(|u| matches!(u.via, Use::Volume { .. } | Use::Projected { .. }));
    if stale && volume {
        found.push(
            "The file in a pod is swapped for the live content within minutes: reading it there does not show what the process runs.".to_owned(),
        );
    }
    if let Some(impacted) = &case.impact {
        let failing = impacted.failing.len();
        let spared = case.replicas.len().saturating_sub(failing);
        if spared > 0 && failing > 0 {
            found.push(format!(
                "The error rate over all replicas mixes {} that {} with {} that {} not: look at each replica's.",
                count(failing, "replica"),
                if failing == 1 { "fails" } else { "fail" },
                count(spared, "replica"),
                if spared == 1 { "does" } else { "do" },
            ));
        }
        let mismatch = findings.iter().any(|f| f.code == Code::PortMismatch);
        if mismatch && live_fails {
            found.push(
                "Time-outs against the upstream read like a backend that is down; its Service publishes another port than the one that is asked.".to_owned(),
            );
        }
    }
    if stale && live_fails {
        found.push(
            "A restart now, or deleting a failing pod, gives its replacement the live content: a part failure becomes a whole one.".to_owned(),
        );
    }
    found
}
