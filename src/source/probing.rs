//! What the user agreed to beyond observing: the fixed list of reads in containers, and one request to each replica.

use super::VersionAt;
use crate::model::Want;

/// Nothing, unless somebody said so.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Probing {
    /// The fixed list of reads inside containers.
    pub exec: bool,
    /// Asking each replica for its configuration's version, exactly there.
    pub version_at: Option<VersionAt>,
}

impl Probing {
    /// Whether this may be read.
    pub fn permits(&self, want: &Want) -> bool {
        match want {
            Want::Probe { .. } => self.exec,
            Want::ToldVersion { asked, .. } => {
                self.version_at.as_ref().is_some_and(|at| at.text == *asked)
            }
            _ => true,
        }
    }
}
