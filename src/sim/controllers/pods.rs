//! Making and removing pods for a controller, with the events that tell of it.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{MANAGER, Work};
use crate::sim::object;
use crate::sim::recorder::Source;
use crate::sim::schedule::Due;
use crate::sim::status::Failure;
use crate::sim::store::{Deletion, Write};
use crate::sim::world::World;

/// After a pod could not be made it is tried again.
const AGAIN: chrono::TimeDelta = chrono::TimeDelta::seconds(15);

/// Whether a pod counts among those of its controller.
pub(crate) fn is_active(pod: &Value) -> bool {
    !matches!(object::text(pod, "/status/phase"), "Succeeded" | "Failed")
        && !object::is_deleting(pod)
}

/// Whether a pod was Ready for long enough.
pub(crate) fn is_available(
    pod: &Value,
    min_ready: i64,
    now: chrono::DateTime<chrono::Utc>,
) -> bool {
    if !object::is_ready(pod) {
        return false;
    }
    let since = object::condition(pod, "Ready")
        .and_then(|ready| object::time(ready, "/lastTransitionTime"));
    min_ready == 0 || since.is_some_and(|since| (now - since).num_seconds() >= min_ready)
}

impl World {
    /// Makes a pod from a controller's template. What a quota forbids is told, and tried again.
    pub(crate) fn make_pod(
        &mut self,
        owner: &Value,
        component: &str,
        pod: Value,
        again: Work,
    ) -> Result<Arc<Value>, Failure> {
        // What failed a moment ago fails now, and telling it at each look would never end.
        if let Some((until, failure)) = self.controllers.failed.get(&again)
            && self.now < *until
        {
            return Err(failure.clone());
        }
        let namespace = object::namespace(owner).to_owned();
        let name = object::name(&pod).to_owned();
        let key = object::key("pods", &namespace, &name);
        let made = match self.over_quota(&namespace, &name) {
            Some(failure) => Err(failure),
            None => self.make(&key, pod),
        };
        if made.is_ok() {
            self.controllers.failed.remove(&again);
        }
        let source = Source::controller(component);
        let kind = object::text(owner, "/kind");
        match &made {
            Ok(_) if kind == "StatefulSet" => {
                let set = object::name(owner);
                let message = format!("create Pod {name} in StatefulSet {set} successful");
                self.record(owner, source, ("Normal", "SuccessfulCreate"), &message);
            }
            Ok(_) => {
                let message = format!("Created pod: {name}");
                self.record(owner, source, ("Normal", "SuccessfulCreate"), &message);
            }
            Err(failure) => {
                let message = format!("Error creating: {failure}");
                self.record(owner, source, ("Warning", "FailedCreate"), &message);
                let until = self.now + AGAIN;
                let failed = (until, failure.clone());
                self.controllers.failed.insert(again.clone(), failed);
                self.schedule.put(until, Due::Work(again));
            }
        }
        made
    }

    /// Deletes a pod as its controller does.
    pub(crate) fn remove_pod(&mut self, owner: &Value, component: &str, pod: &Value) {
        let name = object::name(pod);
        let key = object::key_of("pods", pod);
        let write = Write::by(MANAGER, self.now);
        if self
            .store
            .delete(&key, &Deletion::default(), &write)
            .is_err()
        {
            return;
        }
        let message = match object::text(owner, "/kind") {
            "StatefulSet" => {
                let set = object::name(owner);
                format!("delete Pod {name} in StatefulSet {set} successful")
            }
            _ => format!("Deleted pod: {name}"),
        };
        let source = Source::controller(component);
        self.record(owner, source, ("Normal", "SuccessfulDelete"), &message);
    }
}

/// The pod that a template describes, with a name of its own and its owner.
pub(crate) fn from_template(template: &Value, owner: &Value) -> Value {
    let mut metadata = template.get("metadata").cloned().unwrap_or(json!({}));
    if let Some(map) = metadata.as_object_mut() {
        map.remove("creationTimestamp");
    }
    metadata["namespace"] = json!(object::namespace(owner));
    metadata["ownerReferences"] = json!([object::owner_reference(owner)]);
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": template["spec"],
        "status": {"phase": "Pending"},
    })
}
