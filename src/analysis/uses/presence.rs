//! Whether a config held a key when a container started: it decides which of two sources of the same name counts.

use chrono::{DateTime, TimeDelta, Utc};

use crate::analysis::index::Index;
use crate::model::{ChainEnd, Config, ConfigRef, Content, EarlierConfig, Pod};

/// Whether a key is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    Yes,
    Maybe,
    No,
}

/// The keys of a config, as far as they matter to one container.
#[derive(Debug)]
pub(super) struct Held<'a> {
    /// The keys of each version that may have been live since the container started; `None` of one whose keys are not known.
    versions: Vec<Option<Vec<&'a str>>>,
    /// There may have been others.
    open: bool,
}

impl<'a> Held<'a> {
    /// Those that matter to what was taken since a moment.
    pub(super) fn of(
        index: &Index<'a>,
        config: &ConfigRef,
        pod: &Pod,
        since: Option<DateTime<Utc>>,
    ) -> Self {
        let Some(live) = index.config(config) else {
            // It is not there now, or was not read.
            return Self {
                versions: Vec::new(),
                open: true,
            };
        };
        let live: &'a Config = live;
        let earlier = index.earlier(config);
        let mut versions = vec![keys(live)];
        versions.extend(earlier.iter().flat_map(|e| &e.versions).map(keys));
        let mut former = earlier.iter().flat_map(|e| &e.versions);
        if former.any(|version| version.uid != live.uid) {
            // Between the two there was none.
            versions.push(Some(Vec::new()));
        }
        Self {
            versions,
            open: !reaches_back(live, earlier, since) && !never_written(live, pod),
        }
    }

    pub(super) fn holds(&self, key: &str) -> Presence {
        let mut all = self.versions.iter();
        let holds = |keys: &Option<Vec<&str>>| keys.as_ref().map(|keys| keys.contains(&key));
        let first = all.next().and_then(holds);
        let agree = !self.open && all.all(|version| holds(version) == first);
        match first {
            Some(true) if agree => Presence::Yes,
            Some(false) if agree => Presence::No,
            _ => Presence::Maybe,
        }
    }

    /// Every key that any known version holds.
    pub(super) fn all(&self) -> impl Iterator<Item = &'a str> {
        self.versions.iter().flatten().flatten().copied()
    }

    /// It may have held keys that no known version holds.
    pub(super) fn is_open(&self) -> bool {
        self.open || self.versions.iter().any(Option::is_none)
    }
}

/// The text keys of a version: those of a Secret are told by its managed fields too, since whoever owns a field has set it.
fn keys(config: &Config) -> Option<Vec<&str>> {
    match &config.content {
        Some(Content::Plain { data, .. }) => Some(data.keys().map(String::as_str).collect()),
        Some(Content::Hashed(keys)) => Some(keys.keys().map(String::as_str).collect()),
        None if config.managed.is_empty() => None,
        None => {
            let owned = config.managed.iter().flat_map(|entry| &entry.data_keys);
            Some(owned.map(String::as_str).collect())
        }
    }
}

/// Whether a config is as it was made, and was made before a pod: all three times are of the API server's clock.
fn never_written(live: &Config, pod: &Pod) -> bool {
    let written = live.managed.iter().any(|entry| entry.time > live.created);
    !live.managed.is_empty() && !written && live.created.is_some() && live.created <= pod.created
}

/// Whether the known versions go back to before a moment: nothing was written in between.
fn reaches_back(
    live: &Config,
    earlier: Option<&EarlierConfig>,
    since: Option<DateTime<Utc>>,
) -> bool {
    const CLOCKS: TimeDelta = TimeDelta::seconds(3);
    let oldest = earlier.and_then(|e| e.versions.first()).unwrap_or(live);
    let Some(started) = since else {
        return false;
    };
    if earlier.is_some_and(|e| e.end == ChainEnd::Created) {
        return oldest
            .created
            .is_some_and(|created| created + CLOCKS < started);
    }
    let writes = oldest.managed.iter().map(|entry| entry.time);
    let mut times = writes.chain([oldest.created]);
    times.all(|time| time.is_some_and(|time| time + CLOCKS < started))
}
