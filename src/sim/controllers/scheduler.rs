//! The scheduler: puts a pod on the node that has the fewest of its kind, and tells.

use serde_json::{Value, json};

use crate::sim::nodes::WORKERS;
use crate::sim::object::{self, seconds};
use crate::sim::store::{Key, Write};
use crate::sim::world::World;

impl World {
    pub(crate) fn schedule_pod(&mut self, key: &Key) {
        let Some(pod) = self.store.get(key).cloned() else {
            return;
        };
        if !object::text(&pod, "/spec/nodeName").is_empty() || object::is_deleting(&pod) {
            return;
        }
        let Some(node) = self.choose_node(&pod) else {
            return;
        };
        let mut bound = Value::clone(&pod);
        bound["spec"]["nodeName"] = json!(node);
        bound["status"]["conditions"] = json!([{
            "type": "PodScheduled",
            "status": "True",
            "lastTransitionTime": seconds(self.now),
        }]);
        let write = Write {
            subresource: Some("binding"),
            ..Write::by("kube-scheduler", self.now)
        };
        if self.store.update(key, bound, &write).is_ok() {
            let (namespace, name) = (object::namespace(&pod), &key.name);
            let message = format!("Successfully assigned {namespace}/{name} to {node}");
            self.record_of_scheduler(&pod, ("Normal", "Scheduled"), &message);
        }
    }

    /// The worker with the fewest pods of the same owner, then of all; a pod may name its host.
    fn choose_node(&self, pod: &Value) -> Option<&'static str> {
        let wanted = object::text(pod, "/spec/nodeSelector/kubernetes.io~1hostname");
        let owner = object::controller(pod).map(|owner| object::text(owner, "/uid"));
        let pods = self.store.list(object::resource("pods"), None);
        let mut load = [(0, 0); WORKERS.len()];
        for (_, other) in pods {
            let node = object::text(other, "/spec/nodeName");
            let Some(at) = WORKERS.iter().position(|worker| *worker == node) else {
                continue;
            };
            let theirs = object::controller(other).map(|owner| object::text(owner, "/uid"));
            if owner.is_some() && owner == theirs {
                load[at].0 += 1;
            }
            load[at].1 += 1;
        }
        let fitting = WORKERS.iter().zip(load);
        fitting
            .filter(|(worker, _)| wanted.is_empty() || wanted == **worker)
            .min_by_key(|(_, load)| *load)
            .map(|(worker, _)| *worker)
    }
}
