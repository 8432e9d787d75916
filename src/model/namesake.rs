//! Configs of the same name in other namespaces: an edit may have gone there by mistake.

use super::Config;

/// A config of another namespace that bears the name of one in scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Namesake {
    pub config: Config,
    /// How many pods of its namespace take it; `None` where they could not be listed.
    pub takers: Option<u32>,
}
