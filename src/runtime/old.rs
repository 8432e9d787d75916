//! Old contents from outside the API, as flags and settings name them.

use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use crate::capture::history::Bounds;
use crate::cli::Old;
use crate::cli::settings::{History, Settings};
use crate::error::Error;
use crate::source::live::Live;
use crate::source::outside::{About, Loaded};

/// Where the program's own history is; `None` where this user has no place for it.
pub(super) fn store(flag: Option<&Path>, settings: &Settings) -> Option<PathBuf> {
    let set = Some(settings.store.clone()).filter(|path| !path.as_os_str().is_empty());
    flag.map(Path::to_owned).or(set).or_else(usual_place)
}

fn usual_place() -> Option<PathBuf> {
    let places = etcetera::choose_base_strategy().ok()?;
    let place = places.state_dir().unwrap_or_else(|| places.data_dir());
    Some(place.join("confsplit").join("history"))
}

/// What the flags name beside the history.
pub(super) async fn load(old: &Old, about: About) -> Result<Loaded, Error> {
    Ok(old.given().load(about).await?)
}

/// A connection that also knows old contents, and keeps what it sees where the settings say so.
pub(super) fn with(live: Live, loaded: Loaded, old: &Old, settings: &Settings) -> Live {
    let store = store(old.store.as_deref(), settings);
    let keep = (settings.history == History::On).then(Bounds::default);
    live.with_outside(loaded, store).keeping(keep)
}
