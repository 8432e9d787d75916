//! Plans for an incident, at most one of them recommended.

use crate::analysis::Incident;
use crate::model::Cluster;

/// The kinds of plan, by the names of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanKind {
    RevertThenRestart,
    RollForward,
    MitigateFirst,
    Repoint,
    Undo,
}

impl PlanKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RevertThenRestart => "revert-then-restart",
            Self::RollForward => "roll-forward",
            Self::MitigateFirst => "mitigate-first",
            Self::Repoint => "repoint",
            Self::Undo => "undo",
        }
    }
}

/// What to do, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub kind: PlanKind,
    pub recommended: bool,
    /// Why it is recommended, or when it would be right.
    pub why: String,
    pub steps: Vec<Step>,
}

/// One step and the command that does it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub what: String,
    pub command: String,
}

/// The plans for an incident, the recommended one first.
pub fn plans(_incident: &Incident, _cluster: &Cluster) -> Vec<Plan> {
    Vec::new()
}
