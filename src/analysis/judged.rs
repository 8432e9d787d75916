//! What every replica runs, of every pair of config and workload: also of those that have no incident, whose loads no report holds.

use super::case::{Case, build, subjects};
use super::evidence::Book;
use super::incident::{Replica, Revision};
use super::index::Index;
use super::signals::Scans;
use super::target;
use super::workloads::by_workload;
use crate::model::{ConfigRef, Snapshot, WorkloadRef};

/// One config, one workload that takes it, and what its replicas run.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    pub config: ConfigRef,
    pub workload: WorkloadRef,
    /// Oldest first, the live one last; the loads name them.
    pub revisions: Vec<Revision>,
    /// The numbers of their evidence mean nothing: none is kept.
    pub replicas: Vec<Replica>,
}

impl From<Case<'_>> for Judged {
    fn from(case: Case<'_>) -> Self {
        Self {
            config: case.config.reference.clone(),
            workload: case.workload,
            revisions: case.history.revisions,
            replicas: case.replicas,
        }
    }
}

/// The loads of every pair in scope, by the same judgement as in a report.
pub fn judged(snapshot: &Snapshot) -> Vec<Judged> {
    let index = Index::of(snapshot);
    let mut scans = Scans::default();
    let mut mute = Book::mute(&snapshot.cluster);
    let mut found = Vec::new();
    for (workload, pods) in by_workload(snapshot) {
        for subject in subjects(&index, &workload, &pods) {
            if target::within(snapshot, &subject) {
                found.push(build(&index, &subject, &mut scans, &mut mute).into());
            }
        }
    }
    found
}
