//! How far clocks are apart.

use chrono::TimeDelta;

/// How much a clock is ahead of the API server's (behind it where negative): between `least` and `most`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ahead {
    pub least: TimeDelta,
    pub most: TimeDelta,
}

/// What is known of the clocks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Clocks {
    /// The one of this machine, by the `Date` of an answer.
    pub local: Option<Ahead>,
    /// Those of nodes by name, by their Leases: each holds the node's time when it was renewed, and the API server's when that
    /// was written.
    pub nodes: std::collections::BTreeMap<String, Ahead>,
}
