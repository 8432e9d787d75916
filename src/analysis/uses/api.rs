//! Programs that read a config through the API: guessed by options and variables that name one.

use super::ConfigUse;
use crate::analysis::content::Keys;
use crate::analysis::incident::Use;
use crate::model::Container;

pub(super) fn uses(container: &Container) -> Vec<ConfigUse> {
    let of = |config: &crate::model::ConfigRef| ConfigUse {
        config: config.clone(),
        via: Use::Api,
        keys: Keys::all(),
        // It starts, and may wait for it.
        optional: true,
        indirect: std::collections::BTreeSet::new(),
        copied_from: None,
    };
    container.names.iter().map(of).collect()
}
