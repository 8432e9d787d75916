//! ResourceQuotas on the number of pods: what is used, and what a further pod would exceed.

use serde_json::json;

use super::MANAGER;
use crate::sim::object;
use crate::sim::status::Failure;
use crate::sim::store::Key;
use crate::sim::world::World;

impl World {
    fn pods_used(&self, namespace: &str) -> i64 {
        let pods = self.store.list(object::resource("pods"), Some(namespace));
        let counted = pods.filter(|(_, pod)| {
            !matches!(object::text(pod, "/status/phase"), "Succeeded" | "Failed")
        });
        i64::try_from(counted.count()).unwrap_or_default()
    }

    /// What the admission of a pod answers where a quota is used up.
    pub(super) fn over_quota(&self, namespace: &str, pod: &str) -> Option<Failure> {
        let quotas = self
            .store
            .list(object::resource("resourcequotas"), Some(namespace));
        for (key, quota) in quotas {
            let limit = object::text(quota, "/spec/hard/pods").parse::<i64>().ok();
            let limit = limit.or_else(|| object::number(quota, "/spec/hard/pods"));
            let Some(limit) = limit else {
                continue;
            };
            let used = self.pods_used(namespace);
            if used + 1 > limit {
                let message = format!(
                    "pods \"{pod}\" is forbidden: exceeded quota: {}, requested: pods=1, used: pods={used}, limited: pods={limit}",
                    key.name
                );
                return Some(Failure::new(403, "Forbidden", message));
            }
        }
        None
    }

    pub(crate) fn sync_quota(&mut self, key: &Key) {
        let Some(quota) = self.store.get(key).cloned() else {
            return;
        };
        let hard = quota["spec"]["hard"].clone();
        let mut status = json!({"hard": hard});
        if hard.get("pods").is_some() {
            let used = self.pods_used(object::namespace(&quota));
            status["used"] = json!({"pods": used.to_string()});
        }
        self.put_status(key, MANAGER, status);
    }
}
