//! syncing: the kubelet may still be swapping the files of volumes: wait before you judge.

use chrono::TimeDelta;

use super::Decision;
use crate::analysis::case::Case;
use crate::analysis::evidence::Book;
use crate::analysis::incident::{Code, Finding, Use};
use crate::analysis::loads::SWAP;

pub(super) fn decide(case: &Case<'_>, _book: &mut Book<'_>) -> Decision {
    let mounted = case
        .replicas
        .iter()
        .filter(|r| r.live.is_none())
        .flat_map(|r| &r.uses)
        .any(|u| matches!(u.via, Use::Volume { .. } | Use::Projected { .. }));
    let Some(written) = case.last_write().and_then(|edit| edit.at.latest) else {
        return Decision::No;
    };
    let age = case.snapshot.now() - written;
    if !mounted || age >= SWAP || age < TimeDelta::zero() {
        return Decision::No;
    }
    Decision::Yes(Finding {
        code: Code::Syncing,
        sentence: format!(
            "The kubelet may still be swapping the files for the content that was written {} s ago: wait {} s before you judge a program that reads its files again.",
            age.num_seconds(),
            (SWAP - age).num_seconds()
        ),
        evidence: case.history.evidence.first().copied().into_iter().collect(),
    })
}
