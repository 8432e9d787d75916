//! The DaemonSet controller: a pod on each worker; an update replaces one after the other.

use serde_json::{Value, json};

use super::pods::{from_template, is_active};
use super::statefulset::REVISION;
use super::{MANAGER, Work};
use crate::sim::nodes::WORKERS;
use crate::sim::object;
use crate::sim::random::hash;
use crate::sim::store::Key;
use crate::sim::world::World;

const COMPONENT: &str = "daemonset-controller";

impl World {
    pub(crate) fn sync_daemon_set(&mut self, key: &Key) {
        let Some(set) = self.store.get(key).cloned() else {
            return;
        };
        let revision = hash(&set["spec"]["template"].to_string());
        if !object::is_deleting(&set) {
            self.fill_nodes(key, &set, &revision);
        }
        let pods = self.present_pods(&set);
        let ready = pods.iter().filter(|pod| object::is_ready(pod)).count();
        let updated = pods
            .iter()
            .filter(|pod| is_active(pod) && object::labels(pod)[REVISION] == *revision)
            .count();
        let mut status = json!({
            "observedGeneration": object::number(&set, "/metadata/generation").unwrap_or(1),
            "currentNumberScheduled": pods.iter().filter(|pod| is_active(pod)).count(),
            "desiredNumberScheduled": WORKERS.len(),
            "numberMisscheduled": 0,
            "numberReady": ready,
            "updatedNumberScheduled": updated,
        });
        if ready > 0 {
            status["numberAvailable"] = json!(ready);
        }
        if ready < WORKERS.len() {
            status["numberUnavailable"] = json!(WORKERS.len() - ready);
        }
        self.put_status(key, MANAGER, status);
    }

    fn fill_nodes(&mut self, key: &Key, set: &Value, revision: &str) {
        let pods = self.pods_of(set);
        let on = |node: &str| {
            let mut here = pods.iter().filter(|pod| is_active(pod));
            here.find(|pod| object::text(pod, "/spec/nodeSelector/kubernetes.io~1hostname") == node)
        };
        let empty: Vec<&str> = WORKERS
            .into_iter()
            .filter(|node| on(node).is_none())
            .collect();
        for node in &empty {
            let mut pod = from_template(&set["spec"]["template"], set);
            let prefix = format!("{}-", object::name(set));
            pod["metadata"]["name"] = json!(format!("{prefix}{}", self.random.suffix()));
            pod["metadata"]["generateName"] = json!(prefix);
            pod["metadata"]["labels"][REVISION] = json!(revision);
            pod["spec"]["nodeSelector"]["kubernetes.io/hostname"] = json!(node);
            let _ = self.make_pod(set, COMPONENT, pod, Work::DaemonSet(key.clone()));
        }
        let rolls = object::text(set, "/spec/updateStrategy/type") != "OnDelete";
        let whole = pods
            .iter()
            .all(|pod| object::is_ready(pod) && is_active(pod));
        if !rolls || !empty.is_empty() || !whole {
            return;
        }
        let stale = pods
            .iter()
            .find(|pod| object::labels(pod)[REVISION] != *revision);
        if let Some(stale) = stale {
            self.remove_pod(set, COMPONENT, stale);
        }
    }
}
