//! Revisions: the ReplicaSet of a template is found or made, and numbered, so that a rollback finds it again.

use serde_json::{Value, json};

use super::{REVISION, Sets, is_rolling, max_surge, replicas, sizes};
use crate::sim::controllers::MANAGER;
use crate::sim::object;
use crate::sim::random::hash;
use crate::sim::store::{Key, Write};
use crate::sim::world::World;

const HASH: &str = "pod-template-hash";
const HISTORY: &str = "deployment.kubernetes.io/revision-history";
/// Annotations of a Deployment that are its own.
const OWN: [&str; 6] = [
    "kubectl.kubernetes.io/last-applied-configuration",
    "deprecated.deployment.rollback.to",
    "deployment.kubernetes.io/revision",
    "deployment.kubernetes.io/revision-history",
    "deployment.kubernetes.io/desired-replicas",
    "deployment.kubernetes.io/max-replicas",
];

/// The number of a set's revision.
pub(super) fn of(set: &Value) -> i64 {
    let text = set["metadata"]["annotations"][REVISION].as_str();
    text.and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// A template without the label that tells the sets apart.
pub(super) fn bare(template: &Value) -> Value {
    let mut template = template.clone();
    let labels = template.pointer_mut("/metadata/labels");
    if let Some(labels) = labels.and_then(Value::as_object_mut) {
        labels.remove(HASH);
    }
    template
}

impl World {
    /// The sets with their revisions right; that of the present template is made if it should be.
    pub(super) fn with_revisions(&mut self, key: &Key, deployment: &Value, make: bool) -> Sets {
        let sets = self.sets_of(deployment);
        let newest = sets.old.iter().map(|set| of(set)).max().unwrap_or(0);
        let revision = (newest + 1).to_string();
        match &sets.new {
            Some(new) => {
                self.number(&object::key_of("replicasets", new), deployment, &revision);
                self.note_found(deployment, object::name(new));
            }
            None if make => self.make_set(deployment, &sets, &revision),
            None => return sets,
        }
        let sets = self.sets_of(deployment);
        if let Some(new) = &sets.new {
            let revision = of(new).to_string();
            self.note_revision(key, &revision);
        }
        sets
    }

    /// Tells the revision on the Deployment, as real controllers do: by a write of its status.
    fn note_revision(&mut self, key: &Key, revision: &str) {
        let Some(live) = self.store.get(key) else {
            return;
        };
        if live["metadata"]["annotations"][REVISION] == *revision {
            return;
        }
        let mut deployment = Value::clone(live);
        deployment["metadata"]["annotations"][REVISION] = json!(revision);
        let write = Write::by(MANAGER, self.now).status();
        let _ = self.store.update(key, deployment, &write);
    }

    /// A set that was an older one before becomes the newest again, and remembers what it was.
    fn number(&mut self, key: &Key, deployment: &Value, revision: &str) {
        let sizes = sizes(deployment);
        let own = |name: &str| OWN.contains(&name);
        let copied: Vec<(String, Value)> = object::entries(deployment, "/metadata/annotations")
            .filter(|(name, _)| !own(name))
            .map(|(name, value)| (name.to_owned(), value.clone()))
            .collect();
        self.change(key, |set| {
            let annotations = &mut set["metadata"]["annotations"];
            let before = annotations[REVISION].as_str().unwrap_or("0").to_owned();
            let number = |text: &str| text.parse::<i64>().unwrap_or(0);
            if number(&before) < number(revision) {
                annotations[REVISION] = json!(revision);
                if number(&before) > 0 {
                    let history = annotations[HISTORY].as_str().unwrap_or_default();
                    let history = match history {
                        "" => before,
                        history => format!("{history},{before}"),
                    };
                    annotations[HISTORY] = json!(history);
                }
            }
            for (name, value) in sizes {
                annotations[name] = json!(value);
            }
            for (name, value) in copied {
                annotations[name] = value;
            }
            if let Some(map) = annotations.as_object_mut() {
                map.retain(|_, value| !value.is_null());
            }
        });
    }

    fn make_set(&mut self, deployment: &Value, sets: &Sets, revision: &str) {
        let mut template = bare(&deployment["spec"]["template"]);
        let chosen = self.chosen.hash(object::name(deployment));
        let chosen = chosen.filter(|_| revision == "1");
        let hash = chosen.map_or_else(|| hash(&template.to_string()), str::to_owned);
        template["metadata"]["labels"][HASH] = json!(hash);
        let name = format!("{}-{hash}", object::name(deployment));
        let mut annotations = json!({REVISION: revision});
        for (key, value) in object::entries(deployment, "/metadata/annotations") {
            if !OWN.contains(&key) {
                annotations[key] = value.clone();
            }
        }
        for (key, value) in sizes(deployment) {
            annotations[key] = json!(value);
        }
        let mut selector = deployment["spec"]["selector"].clone();
        selector["matchLabels"][HASH] = json!(hash);
        let wanted = replicas(deployment);
        let room = if is_rolling(deployment) {
            wanted + max_surge(deployment) - sets.wanted()
        } else {
            wanted
        };
        let size = room.clamp(0, wanted);
        let mut spec = json!({
            "replicas": size,
            "selector": selector,
            "template": template,
        });
        if let Some(seconds) = object::number(deployment, "/spec/minReadySeconds") {
            spec["minReadySeconds"] = json!(seconds);
        }
        let namespace = object::namespace(deployment);
        let set = json!({
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {
                "name": name,
                "namespace": namespace,
                "labels": template["metadata"]["labels"],
                "annotations": annotations,
                "ownerReferences": [object::owner_reference(deployment)],
            },
            "spec": spec,
            "status": {"replicas": 0},
        });
        let key = object::key("replicasets", namespace, &name);
        if self.make(&key, set).is_ok() {
            self.note_made(deployment, &name);
            if size > 0 {
                self.tell_scaled(deployment, &name, 0, size);
            }
        }
    }
}
