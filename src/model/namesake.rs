//! Configs of the same name in other namespaces: an edit may have gone there by mistake.

use chrono::TimeDelta;

use super::Config;

/// What is rolled out to a namespace comes config first: the pods that take one which was made so short ago may be still to come.
pub const SETTLED: TimeDelta = TimeDelta::minutes(1);

/// A config of another namespace that bears the name of one in scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Namesake {
    pub config: Config,
    /// How many pods of its namespace take it; `None` where they could not be listed, or where it was made less than
    /// [`SETTLED`] before.
    pub takers: Option<u32>,
}
