//! The StatefulSet controller: pods with ordinals, one after the other, and updates from the last to the first.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::pods::{from_template, is_available};
use super::{MANAGER, Work};
use crate::sim::object;
use crate::sim::random::hash;
use crate::sim::store::Key;
use crate::sim::world::World;

const COMPONENT: &str = "statefulset-controller";
pub(super) const REVISION: &str = "controller-revision-hash";

/// Templates of earlier revisions, by the uid of the set and the revision's name: what ControllerRevisions hold.
pub(crate) type Templates = BTreeMap<(String, String), Value>;

impl World {
    pub(crate) fn sync_stateful_set(&mut self, key: &Key) {
        let Some(set) = self.store.get(key).cloned() else {
            return;
        };
        let template = &set["spec"]["template"];
        let update = format!("{}-{}", object::name(&set), hash(&template.to_string()));
        let id = (object::uid(&set).to_owned(), update.clone());
        self.controllers
            .templates
            .entry(id)
            .or_insert_with(|| template.clone());
        let current = match object::text(&set, "/status/currentRevision") {
            "" => update.clone(),
            current => current.to_owned(),
        };
        if !object::is_deleting(&set) {
            self.step(key, &set, &current, &update);
        }
        self.report_stateful_set(key, &current, &update);
    }

    /// One step: where pods are ordered, one that does not serve yet holds up those after it.
    fn step(&mut self, key: &Key, set: &Value, current: &str, update: &str) {
        let wanted = object::number(set, "/spec/replicas").unwrap_or(1);
        let first = object::number(set, "/spec/ordinals/start").unwrap_or(0);
        let parallel = object::text(set, "/spec/podManagementPolicy") == "Parallel";
        let on_delete = object::text(set, "/spec/updateStrategy/type") == "OnDelete";
        let partition = object::number(set, "/spec/updateStrategy/rollingUpdate/partition");
        let partition = partition.unwrap_or(0);
        let min_ready = object::number(set, "/spec/minReadySeconds").unwrap_or(0);
        let pods = self.by_ordinal(set);
        for ordinal in first..first + wanted {
            let serves = match pods.get(&ordinal) {
                Some(pod) => is_available(pod, min_ready, self.now) && !object::is_deleting(pod),
                None => {
                    let revision = if ordinal < partition { current } else { update };
                    let made = self.make_ordinal(key, set, ordinal, revision);
                    if !made {
                        return;
                    }
                    false
                }
            };
            if !serves && !parallel {
                return;
            }
        }
        let surplus = pods
            .iter()
            .rev()
            .find(|(ordinal, _)| **ordinal >= first + wanted);
        if let Some((_, pod)) = surplus {
            if !object::is_deleting(pod) {
                self.remove_pod(set, COMPONENT, pod);
            }
            return;
        }
        if on_delete {
            return;
        }
        for (_, pod) in pods.range(first + partition..first + wanted).rev() {
            let revision = object::labels(pod)[REVISION].as_str().unwrap_or_default();
            if revision != update && !object::is_deleting(pod) {
                self.remove_pod(set, COMPONENT, pod);
                return;
            }
            if !is_available(pod, min_ready, self.now) {
                return;
            }
        }
    }

    fn by_ordinal(&self, set: &Value) -> BTreeMap<i64, Arc<Value>> {
        let prefix = format!("{}-", object::name(set));
        let ordinal = |pod: &Value| object::name(pod).strip_prefix(&prefix)?.parse().ok();
        let pods = self.pods_of(set).into_iter();
        pods.filter_map(|pod| Some((ordinal(&pod)?, pod))).collect()
    }

    fn make_ordinal(&mut self, key: &Key, set: &Value, ordinal: i64, revision: &str) -> bool {
        let id = (object::uid(set).to_owned(), revision.to_owned());
        let template = self.controllers.templates.get(&id).cloned();
        let template = template.unwrap_or_else(|| set["spec"]["template"].clone());
        let name = format!("{}-{ordinal}", object::name(set));
        let mut pod = from_template(&template, set);
        pod["metadata"]["name"] = json!(name);
        pod["metadata"]["generateName"] = json!(format!("{}-", object::name(set)));
        let labels = &mut pod["metadata"]["labels"];
        labels[REVISION] = json!(revision);
        labels["statefulset.kubernetes.io/pod-name"] = json!(name);
        labels["apps.kubernetes.io/pod-index"] = json!(ordinal.to_string());
        pod["spec"]["hostname"] = json!(name);
        if let Some(service) = set["spec"]["serviceName"].as_str() {
            pod["spec"]["subdomain"] = json!(service);
        }
        let again = Work::StatefulSet(key.clone());
        self.make_pod(set, COMPONENT, pod, again).is_ok()
    }

    fn report_stateful_set(&mut self, key: &Key, current: &str, update: &str) {
        let Some(set) = self.store.get(key).cloned() else {
            return;
        };
        let pods = self.present_pods(&set);
        let min_ready = object::number(&set, "/spec/minReadySeconds").unwrap_or(0);
        let wanted = object::number(&set, "/spec/replicas").unwrap_or(1);
        let at = |pod: &Value, revision: &str| object::labels(pod)[REVISION] == revision;
        let count = |fits: &dyn Fn(&Value) -> bool| {
            i64::try_from(pods.iter().filter(|pod| fits(pod)).count()).unwrap_or_default()
        };
        let now = self.now;
        let live = |pod: &Value| !object::is_deleting(pod);
        let updated = count(&|pod| at(pod, update) && live(pod));
        let ready = count(&|pod| object::is_ready(pod));
        let on_delete = object::text(&set, "/spec/updateStrategy/type") == "OnDelete";
        // With OnDelete the controller never calls an update complete.
        let complete =
            !on_delete && updated == wanted && ready == wanted && count(&|_| true) == wanted;
        let current = if complete { update } else { current };
        let mut status = json!({
            "observedGeneration": object::number(&set, "/metadata/generation").unwrap_or(1),
            "replicas": count(&|_| true),
            "availableReplicas": count(&|pod| is_available(pod, min_ready, now)),
            "currentRevision": current,
            "updateRevision": update,
            "collisionCount": 0,
        });
        let some = [
            ("readyReplicas", ready),
            (
                "currentReplicas",
                count(&|pod| at(pod, current) && live(pod)),
            ),
            ("updatedReplicas", updated),
        ];
        for (name, count) in some.into_iter().filter(|(_, count)| *count > 0) {
            status[name] = json!(count);
        }
        self.put_status(key, MANAGER, status);
    }
}
