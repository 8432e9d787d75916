//! From facts to incidents. Pure: no I/O, no clock, no `Result`; what is missing becomes "not checked" beside the conclusion.

mod incident;

pub use incident::{
    Code, ContentSource, Diagnosis, Entry, EntryKind, Evidence, Finding, Grade, Impact, Incident,
    Lane, NotChecked, Replica, Revision, Signal, SignalKind, Traffic, Use, UseLoad, ValueChange,
};

use std::collections::BTreeMap;

use crate::model::{Snapshot, Want};

/// What to read next, given what was read. Empty when nothing more would help.
pub fn wanted(_snapshot: &Snapshot) -> Vec<Want> {
    Vec::new()
}

/// The report on everything that was read.
pub fn diagnose(snapshot: &Snapshot) -> Diagnosis {
    Diagnosis {
        cluster: snapshot.cluster.clone(),
        scope: snapshot.scope.clone(),
        taken_at: snapshot.taken_at,
        verdict: String::new(),
        incidents: Vec::new(),
        evidence: Vec::new(),
        not_checked: Vec::new(),
        counts: BTreeMap::new(),
        weakened: false,
    }
}
