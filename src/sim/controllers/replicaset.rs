//! The ReplicaSet controller: as many pods as it says, and the status that counts them.

use std::cmp::Reverse;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use super::pods::{from_template, is_active, is_available};
use super::{MANAGER, Work};
use crate::sim::object;
use crate::sim::schedule::Due;
use crate::sim::store::Key;
use crate::sim::world::World;

const COMPONENT: &str = "replicaset-controller";

impl World {
    pub(crate) fn sync_replica_set(&mut self, key: &Key) {
        let Some(set) = self.store.get(key).cloned() else {
            return;
        };
        let all = self.pods_of(&set);
        let (active, _): (Vec<_>, Vec<_>) = all.into_iter().partition(|pod| is_active(pod));
        let wanted = object::number(&set, "/spec/replicas").unwrap_or(1);
        let wanted = usize::try_from(wanted).unwrap_or_default();
        let mut failure = None;
        if !object::is_deleting(&set) {
            failure = self.reach(key, &set, active, wanted);
        }
        self.report_replica_set(key, failure);
    }

    /// Makes pods, or removes some; the message of a pod that could not be made.
    fn reach(
        &mut self,
        key: &Key,
        set: &Value,
        mut active: Vec<Arc<Value>>,
        wanted: usize,
    ) -> Option<String> {
        for _ in active.len()..wanted {
            let mut pod = from_template(&set["spec"]["template"], set);
            let prefix = format!("{}-", object::name(set));
            let chosen = self.chosen.pod(object::name(set));
            let suffix = chosen.unwrap_or_else(|| self.random.suffix());
            pod["metadata"]["name"] = json!(format!("{prefix}{suffix}"));
            pod["metadata"]["generateName"] = json!(prefix);
            let again = Work::ReplicaSet(key.clone());
            if let Err(failure) = self.make_pod(set, COMPONENT, pod, again) {
                return Some(failure.message);
            }
        }
        if active.len() > wanted {
            // Pods of any set of the same Deployment share nodes: the fuller node gives first.
            let nodes: Vec<String> = active.iter().map(|pod| node(pod).to_owned()).collect();
            let crowd = |pod: &Value| nodes.iter().filter(|n| *n == node(pod)).count();
            active.sort_by_cached_key(|pod| rank(pod, crowd(pod)));
            let surplus = active.len() - wanted;
            for pod in active.into_iter().take(surplus) {
                self.remove_pod(set, COMPONENT, &pod);
            }
        }
        None
    }

    fn report_replica_set(&mut self, key: &Key, failure: Option<String>) {
        let Some(set) = self.store.get(key).cloned() else {
            return;
        };
        // What was made or removed just now is not noticed yet, so the namespace is asked.
        let pods = self.present_pods(&set);
        let active: Vec<_> = pods.iter().filter(|pod| is_active(pod)).collect();
        let min_ready = object::number(&set, "/spec/minReadySeconds").unwrap_or(0);
        let ready: Vec<_> = active.iter().filter(|pod| object::is_ready(pod)).collect();
        let now = self.now;
        let available = ready.iter().filter(|pod| is_available(pod, min_ready, now));
        let available = available.count();
        if available < ready.len() {
            let at = now + TimeDelta::seconds(min_ready.max(1));
            let work = Work::ReplicaSet(key.clone());
            self.schedule.put(at, Due::Work(work));
        }
        let mut status = json!({
            "replicas": active.len(),
            "fullyLabeledReplicas": active.len(),
            "observedGeneration": object::number(&set, "/metadata/generation").unwrap_or(1),
            "terminatingReplicas": pods.iter().filter(|pod| object::is_deleting(pod)).count(),
        });
        if !ready.is_empty() {
            status["readyReplicas"] = json!(ready.len());
        }
        if available > 0 {
            status["availableReplicas"] = json!(available);
        }
        if let Some(failure) = failure {
            status["conditions"] = json!([failed(&set, &failure, now)]);
        }
        self.put_status(key, MANAGER, status);
    }

    /// The pods of a controller as the store has them this moment.
    pub(crate) fn present_pods(&mut self, owner: &Value) -> Vec<Arc<Value>> {
        self.notice();
        self.pods_of(owner)
    }
}

/// The condition that tells that pods cannot be made.
fn failed(set: &Value, message: &str, now: DateTime<Utc>) -> Value {
    let before = object::condition(set, "ReplicaFailure");
    let since = before.map(|before| object::text(before, "/lastTransitionTime").to_owned());
    json!({
        "type": "ReplicaFailure",
        "status": "True",
        "reason": "FailedCreate",
        "message": message,
        "lastTransitionTime": since.unwrap_or_else(|| object::seconds(now)),
    })
}

fn node(pod: &Value) -> &str {
    object::text(pod, "/spec/nodeName")
}

/// The order in which pods are given up: those that do least first, the youngest of equals first.
fn rank(pod: &Value, crowd: usize) -> impl Ord + use<> {
    let phase = match object::text(pod, "/status/phase") {
        "Pending" => 0,
        "Unknown" => 1,
        _ => 2,
    };
    let cost = object::text(
        pod,
        "/metadata/annotations/controller.kubernetes.io~1pod-deletion-cost",
    );
    let cost: i64 = cost.parse().unwrap_or_default();
    let restarts = object::list(pod, "/status/containerStatuses")
        .iter()
        .filter_map(|status| object::number(status, "/restartCount"))
        .max();
    let ready = object::is_ready(pod);
    let since = object::condition(pod, "Ready").map(|c| object::text(c, "/lastTransitionTime"));
    // Times compare as their text does.
    let since = since.filter(|_| ready).unwrap_or_default().to_owned();
    (
        !node(pod).is_empty(),
        phase,
        ready,
        cost,
        Reverse(crowd),
        Reverse(since),
        Reverse(restarts),
        Reverse(object::text(pod, "/metadata/creationTimestamp").to_owned()),
        object::name(pod).to_owned(),
    )
}
