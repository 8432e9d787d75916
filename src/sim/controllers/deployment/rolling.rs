//! The rolling update: new pods as the surge allows, old ones removed as far as enough stay available.

use std::sync::Arc;

use serde_json::Value;

use super::{Sets, available, max_surge, max_unavailable, replicas};
use crate::sim::object;
use crate::sim::store::Key;
use crate::sim::world::World;

impl World {
    pub(super) fn roll(&mut self, key: &Key, deployment: &Value) {
        let sets = self.with_revisions(key, deployment, true);
        let Some(new) = sets.new.clone() else {
            return;
        };
        if self.grow(deployment, &sets, &new) || self.shrink(deployment, &sets, &new) {
            let sets = self.sets_of(deployment);
            self.report_deployment(key, &sets);
            return;
        }
        self.report_deployment(key, &sets);
        self.clean_up(key, &sets);
    }

    fn grow(&mut self, deployment: &Value, sets: &Sets, new: &Value) -> bool {
        let wanted = replicas(deployment);
        let has = replicas(new);
        if has > wanted {
            return self.scale(deployment, new, wanted);
        }
        let room = wanted + max_surge(deployment) - sets.wanted();
        let more = room.min(wanted - has);
        more > 0 && self.scale(deployment, new, has + more)
    }

    fn shrink(&mut self, deployment: &Value, sets: &Sets, new: &Value) -> bool {
        let old: i64 = sets.old.iter().map(|set| replicas(set)).sum();
        if old == 0 {
            return false;
        }
        let least = replicas(deployment) - max_unavailable(deployment);
        let missing = replicas(new) - available(new);
        let may_go = sets.wanted() - least - missing;
        if may_go <= 0 {
            return false;
        }
        let (sets_left, sick) = self.drop_sick(deployment, &sets.old, may_go);
        let serving: i64 = sets.all().map(|set| available(set)).sum();
        let mut surplus = serving - least;
        let mut healthy = false;
        for (set, has) in sets_left {
            let fewer = has.min(surplus);
            if fewer <= 0 {
                continue;
            }
            surplus -= fewer;
            healthy |= self.scale_from(deployment, &set, has - fewer);
        }
        sick || healthy
    }

    /// Pods that do not serve go first. The old sets with the sizes that they have then.
    fn drop_sick(
        &mut self,
        deployment: &Value,
        old: &[Arc<Value>],
        may_go: i64,
    ) -> (Vec<(Arc<Value>, i64)>, bool) {
        let mut left = may_go;
        let mut dropped = false;
        let mut sizes = Vec::new();
        for set in old {
            let has = replicas(set);
            let fewer = (has - available(set)).clamp(0, left.max(0));
            if fewer > 0 {
                left -= fewer;
                dropped |= self.scale(deployment, set, has - fewer);
            }
            sizes.push((Arc::clone(set), has - fewer));
        }
        (sizes, dropped)
    }

    /// Scales a set that may have been scaled a moment ago.
    fn scale_from(&mut self, deployment: &Value, set: &Value, to: i64) -> bool {
        match self.store.get(&object::key_of("replicasets", set)).cloned() {
            Some(set) => self.scale(deployment, &set, to),
            None => false,
        }
    }
}
