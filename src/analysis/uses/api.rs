//! Programs that read a config through the API: guessed by options and variables that name one.

use super::ConfigUse;
use crate::analysis::content::Keys;
use crate::analysis::incident::Use;
use crate::model::Container;

pub(super) fn uses(container: &Container) -> Vec<ConfigUse> {
    // It starts without it, and may wait for it.
    let of = |config| ConfigUse::plain(config, Use::Api, Keys::all(), true);
    container.names.iter().map(of).collect()
}
