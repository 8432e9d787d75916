//! The versions of a list in their order: whether one goes back behind what was seen.

use serde::de::IgnoredAny;

use crate::model::{Kind, Scope};
use crate::source::convert;
use crate::source::live::Live;
use crate::source::live::lists::address;

/// The highest version that was seen. Versions that are no numbers have no order.
#[derive(Debug, Default)]
pub(super) struct Versions(Option<u64>);

impl Versions {
    /// Whether any was seen.
    pub(super) fn any(&self) -> bool {
        self.0.is_some()
    }

    /// Takes a version in; whether it goes back.
    pub(super) fn goes_back(&mut self, version: &str) -> bool {
        let version = version.parse::<u64>().ok();
        let back = version.is_some() && version < self.0;
        self.0 = self.0.max(version);
        back
    }

    /// Whether the server is at an earlier version than it was: a watch from one that is still to come would say nothing until
    /// then. `None` where it does not tell.
    pub(super) async fn ahead_of(&self, live: &Live, kind: Kind, scope: &Scope) -> Option<bool> {
        let (path, accept) = address(kind, scope);
        let body = live.api.get_as(&format!("{path}?limit=1"), accept).await;
        let list = convert::list::<IgnoredAny>(kind, &body.ok()?).ok()?;
        let now = list.resource_version?.parse::<u64>().ok();
        Some(now.is_some() && now < self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lower_goes_back_and_what_is_no_number_never_does() {
        let mut versions = Versions::default();
        assert!(!versions.any());
        for (version, back) in [
            ("10", false),
            ("10", false),
            ("9", true),
            ("x", false),
            ("", false),
            ("11", false),
            ("10", true),
        ] {
            assert_eq!(versions.goes_back(version), back, "{version}");
        }
        assert!(versions.any());
    }
}
