//! Earlier versions of configs: what is replaced while it is watched, and what is known from before a list was read again.

use super::Keeper;
use crate::model::{ChainEnd, Config, ConfigRef, EarlierConfig, PodsAt, Want};
use crate::source::Source;

/// Earlier versions of one config that were seen while it was watched.
const VERSIONS: usize = 50;
/// Lists of the pods at an edit that are kept: three for each of the ten pairs that are read so deep, and some.
const PODS_AT: usize = 40;

impl<S: Source + 'static> Keeper<S> {
    /// Each edit brings the pods of its time with it; of an hour of edits the newest are enough.
    pub(super) fn let_go_of_pods_then(&mut self) {
        let all = &mut self.snapshot.pods_at;
        let surplus = all.len().saturating_sub(PODS_AT);
        for _ in 0..surplus {
            let number = |at: &PodsAt| at.resource_version.parse::<u64>().ok();
            let oldest = (0..all.len()).min_by_key(|place| all.get(*place).and_then(number));
            oldest.map(|place| all.remove(place));
        }
    }

    /// A watch shows every version: the one that is replaced is known history, whatever the API server forgets.
    pub(super) fn note_version(&mut self, fresh: &Config) {
        let known = self
            .snapshot
            .configs
            .iter()
            .find(|c| c.reference == fresh.reference);
        let Some(known) = known.cloned() else { return };
        if known.resource_version == fresh.resource_version {
            return;
        }
        if known.uid != fresh.uid {
            self.forget_history(&fresh.reference);
            return;
        }
        // Another version of a Secret has other values to be taken out of the logs.
        self.snapshot.asked.remove(&Want::SecretContent {
            config: fresh.reference.clone(),
        });
        let earlier = &mut self.snapshot.earlier;
        let read_at = self.clock.now();
        match earlier.iter_mut().find(|e| e.reference == fresh.reference) {
            Some(history) => {
                history.versions.push((*known).clone());
                history.read_at = read_at;
                if history.versions.len() > VERSIONS {
                    history.versions.remove(0);
                    history.end = ChainEnd::Bounded;
                }
            }
            None => earlier.push(EarlierConfig {
                reference: fresh.reference.clone(),
                versions: vec![(*known).clone()],
                end: ChainEnd::Bounded,
                read_at,
            }),
        }
    }

    /// An object that is made anew under the same name has a history of its own.
    pub(super) fn forget_history(&mut self, config: &ConfigRef) {
        self.snapshot.earlier.retain(|e| e.reference != *config);
        self.lists.held.retain(|held| held.reference != *config);
    }

    /// A config that is another one after a list was read again: what lies between is to be read.
    pub(super) fn hold_history(&mut self, known: &Config) {
        let earlier = self
            .snapshot
            .earlier
            .extract_if(.., |e| e.reference == known.reference)
            .next();
        let mut held = earlier.unwrap_or_else(|| EarlierConfig {
            reference: known.reference.clone(),
            versions: Vec::new(),
            end: ChainEnd::Bounded,
            read_at: self.clock.now(),
        });
        held.versions.push(known.clone());
        self.lists.held.retain(|h| h.reference != held.reference);
        self.lists.held.push(held);
    }

    /// Puts histories from before a gap back where the newer ones reach them.
    pub(super) fn join_held(&mut self) {
        for mut held in std::mem::take(&mut self.lists.held) {
            let newest = held.versions.last().map(|v| v.resource_version.clone());
            let now = self
                .snapshot
                .earlier
                .iter_mut()
                .find(|e| e.reference == held.reference);
            let Some(now) = now else {
                // Its history has not been read again yet.
                self.lists.held.push(held);
                continue;
            };
            if now
                .versions
                .iter()
                .any(|v| Some(&v.resource_version) == newest.as_ref())
            {
                held.join(now.clone());
                *now = held;
            }
        }
    }
}
