//! PodDisruptionBudgets: how many of the pods serve, and how many of them may be evicted now.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use super::MANAGER;
use crate::sim::object;
use crate::sim::store::Key;
use crate::sim::world::World;

impl World {
    pub(crate) fn sync_disruption(&mut self, key: &Key) {
        let Some(budget) = self.store.get(key).cloned() else {
            return;
        };
        let namespace = object::namespace(&budget);
        let selector = &budget["spec"]["selector"];
        let pods: Vec<_> = self
            .store
            .list(object::resource("pods"), Some(namespace))
            .filter(|(_, pod)| object::selects(selector, object::labels(pod)))
            .map(|(_, pod)| pod)
            .collect();
        let present = pods
            .iter()
            .filter(|pod| super::pods::is_active(pod))
            .count();
        let healthy = pods
            .iter()
            .filter(|pod| object::is_ready(pod) && !object::is_deleting(pod))
            .count();
        let healthy = i64::try_from(healthy).unwrap_or_default();
        let mut expected = self.expected(namespace, &pods);
        let spec = &budget["spec"];
        let desired = match (spec.get("maxUnavailable"), spec.get("minAvailable")) {
            (Some(most), _) if !most.is_null() => {
                (expected - object::share(Some(most), expected, "0", true)).max(0)
            }
            (_, least) => {
                if least.is_some_and(Value::is_i64) {
                    expected = i64::try_from(present).unwrap_or_default();
                }
                object::share(least, expected, "1", true)
            }
        };
        let counts = [healthy, desired, expected];
        let told = told(&budget, counts, object::seconds(self.now));
        self.put_status(key, MANAGER, told);
    }

    /// How many pods there should be: of those with a controller what that wants counts, a bare pod counts itself.
    fn expected(&self, namespace: &str, pods: &[&Arc<Value>]) -> i64 {
        let mut expected = 0;
        let mut owners = BTreeSet::new();
        for pod in pods {
            match object::controller(pod) {
                Some(owner) if owners.insert(object::text(owner, "/uid")) => {
                    let plural = match object::text(owner, "/kind") {
                        "StatefulSet" => "statefulsets",
                        _ => "replicasets",
                    };
                    let key = object::key(plural, namespace, object::text(owner, "/name"));
                    let wanted =
                        |owner: &Arc<Value>| object::number(owner, "/spec/replicas").unwrap_or(1);
                    expected += self.store.get(&key).map_or(0, wanted);
                }
                Some(_) => {}
                None => expected += 1,
            }
        }
        expected
    }
}

fn told(budget: &Value, [healthy, desired, expected]: [i64; 3], now: String) -> Value {
    let allowed = (healthy - desired).max(0);
    let (status, reason) = match allowed > 0 {
        true => ("True", "SufficientPods"),
        false => ("False", "InsufficientPods"),
    };
    let before = object::condition(budget, "DisruptionAllowed");
    let since = before
        .filter(|c| object::text(c, "/status") == status)
        .map(|c| object::text(c, "/lastTransitionTime").to_owned());
    let generation = object::number(budget, "/metadata/generation").unwrap_or(1);
    json!({
        "observedGeneration": generation,
        "currentHealthy": healthy,
        "desiredHealthy": desired,
        "expectedPods": expected,
        "disruptionsAllowed": allowed,
        "conditions": [{
            "type": "DisruptionAllowed",
            "status": status,
            "reason": reason,
            "message": "",
            "observedGeneration": generation,
            "lastTransitionTime": since.unwrap_or(now),
        }],
    })
}
