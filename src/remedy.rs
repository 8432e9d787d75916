//! From an incident to plans: what to do, in which order, and why; and the way through one that a person agreed to. Pure: nothing
//! here can write to a cluster, and only what was agreed to becomes a write that can be sent.

mod closing;
mod course;
mod goal;
mod left;
mod plan;
mod prepared;
mod prevention;
mod write;

use chrono::{DateTime, SecondsFormat, Utc};

pub use closing::Closing;
pub use course::{Check, Course, Mark, Seen, Stage};
pub use goal::{Choice, Goal, Method, choices};
pub use left::{Heading, Left};
pub use plan::{Plan, PlanKind, Role, Step, patch_back, plans};
pub use prepared::{Budget, Note, Prepared, Quota, Rehearsal, notes};
pub use prevention::prevention;
pub use write::{
    Approved, Confirmation, MANAGER, Right, Safe, Write, WriteError, Written, content_patch,
};

/// A moment as the restart annotation holds it.
pub fn stamp(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}
