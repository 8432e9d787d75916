//! The scheduler: puts a pod on the node that has the fewest of its kind, of those that its labels, taints and switch let take it; and
//! tells.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Work;
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
        let node = match self.choose_node(&pod) {
            Ok(node) => node,
            Err(why) => return self.refuse_pod(key, &pod, &why),
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

    /// Tells that no node takes a pod. It is tried again when a node is another one.
    fn refuse_pod(&mut self, key: &Key, pod: &Value, why: &str) {
        let told = object::condition(pod, "PodScheduled");
        if told.is_some_and(|told| object::text(told, "/message") == why) {
            return;
        }
        let since = told.and_then(|told| told.get("lastTransitionTime").cloned());
        let mut status = pod["status"].clone();
        status["conditions"] = json!([{
            "type": "PodScheduled",
            "status": "False",
            "reason": "Unschedulable",
            "message": why,
            "lastTransitionTime": since.unwrap_or_else(|| json!(seconds(self.now))),
            "observedGeneration": object::number(pod, "/metadata/generation").unwrap_or(1),
        }]);
        if self.put_status(key, "kube-scheduler", status) {
            self.record_of_scheduler(pod, ("Warning", "FailedScheduling"), why);
        }
    }

    /// Lets all pods that no node took be tried again.
    pub(super) fn schedule_all(&mut self) {
        let pods = self.store.list(object::resource("pods"), None);
        let waiting = pods.filter(|(_, pod)| object::text(pod, "/spec/nodeName").is_empty());
        let waiting: Vec<Key> = waiting.map(|(key, _)| key.clone()).collect();
        for key in waiting {
            self.controllers.put(Work::Scheduler(key));
        }
    }

    /// The node with the fewest pods of the same owner, then of all, of those that may take it; or why there is none.
    fn choose_node(&self, pod: &Value) -> Result<String, String> {
        let mut refused: BTreeMap<&str, usize> = BTreeMap::new();
        let mut fitting: Vec<(&str, (usize, usize))> = Vec::new();
        for (key, node) in self.store.list(object::resource("nodes"), None) {
            match refusal(node, pod) {
                Some(why) => *refused.entry(why).or_default() += 1,
                None => fitting.push((&key.name, (0, 0))),
            }
        }
        let owner = object::controller(pod).map(|owner| object::text(owner, "/uid"));
        for (_, other) in self.store.list(object::resource("pods"), None) {
            let node = object::text(other, "/spec/nodeName");
            let Some((_, load)) = fitting.iter_mut().find(|(name, _)| *name == node) else {
                continue;
            };
            let theirs = object::controller(other).map(|owner| object::text(owner, "/uid"));
            load.0 += usize::from(owner.is_some() && owner == theirs);
            load.1 += 1;
        }
        if let Some((node, _)) = fitting.into_iter().min_by_key(|(_, load)| *load) {
            return Ok(node.to_owned());
        }
        let count: usize = refused.values().sum();
        let mut each: Vec<String> = refused
            .iter()
            .map(|(why, n)| format!("{n} {why}"))
            .collect();
        each.sort();
        Err(format!(
            "0/{count} nodes are available: {}. preemption: 0/{count} nodes are available: {count} Preemption is not helpful for scheduling.",
            each.join(", ")
        ))
    }
}

/// Why a node does not take a pod, in the order in which the scheduler asks.
fn refusal(node: &Value, pod: &Value) -> Option<&'static str> {
    let owner = object::controller(pod);
    let of_daemon = owner.is_some_and(|owner| object::text(owner, "/kind") == "DaemonSet");
    if object::flag(node, "/spec/unschedulable") && !of_daemon {
        return Some("node(s) were unschedulable");
    }
    let bars = |taint: &&Value| {
        ["NoSchedule", "NoExecute"].contains(&object::text(taint, "/effect"))
            && !object::list(pod, "/spec/tolerations")
                .iter()
                .any(|t| tolerates(t, taint))
    };
    if object::list(node, "/spec/taints")
        .iter()
        .any(|taint| bars(&taint))
    {
        return Some("node(s) had untolerated taint(s)");
    }
    let labels = object::labels(node);
    let selected = object::selects(&json!({"matchLabels": pod["spec"]["nodeSelector"]}), labels);
    const AFFINITY: &str = "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms";
    let terms = object::list(pod, AFFINITY);
    let near = terms.is_empty() || terms.iter().any(|term| object::selects(term, labels));
    (!selected || !near).then_some("node(s) didn't match Pod's node affinity/selector")
}

fn tolerates(toleration: &Value, taint: &Value) -> bool {
    let text = |name: &str| object::text(toleration, name);
    let effect = text("/effect");
    let fits = effect.is_empty() || effect == object::text(taint, "/effect");
    let key = text("/key");
    let named = key == object::text(taint, "/key");
    fits && match text("/operator") {
        "Exists" => key.is_empty() || named,
        _ => named && text("/value") == object::text(taint, "/value"),
    }
}
