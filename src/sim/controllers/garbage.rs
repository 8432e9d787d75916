//! The garbage collector and the end of namespaces: what belongs to something that is gone goes too.

use serde_json::{Value, json};

use crate::sim::object;
use crate::sim::resources::RESOURCES;
use crate::sim::store::{Deletion, Key, Write};
use crate::sim::world::World;

/// The user that collects, as a field manager; nothing is left to show it.
const COLLECTOR: &str = "generic-garbage-collector";

impl World {
    /// Deletes what only this owner held.
    pub(crate) fn collect_garbage(&mut self, owner: &str) {
        let owned = ["replicasets", "pods", "endpointslices"];
        let mut found: Vec<Key> = Vec::new();
        for plural in owned {
            let all = self.store.list(object::resource(plural), None);
            let held = all.filter(|(_, object)| {
                let owners = object::list(object, "/metadata/ownerReferences");
                !owners.is_empty() && owners.iter().all(|o| object::text(o, "/uid") == owner)
            });
            found.extend(held.map(|(key, _)| key.clone()));
        }
        self.remove_all(&found);
    }

    /// Deletes all that is in a namespace which is to go, and then the namespace.
    pub(crate) fn empty_namespace(&mut self, name: &str) {
        let live = self.store.get(&object::key("namespaces", "", name));
        if live.is_some_and(|live| !object::is_deleting(live)) {
            return;
        }
        let mut left = Vec::new();
        for resource in RESOURCES.iter().filter(|resource| resource.namespaced) {
            let all = self.store.list(resource, Some(name));
            left.extend(all.map(|(key, _)| key.clone()));
        }
        self.remove_all(&left);
        let pods = self
            .store
            .list(object::resource("pods"), Some(name))
            .count();
        let key = object::key("namespaces", "", name);
        let Some(live) = self
            .store
            .get(&key)
            .filter(|live| object::is_deleting(live))
        else {
            return;
        };
        if pods > 0 {
            return;
        }
        let mut empty = Value::clone(live);
        empty["spec"]["finalizers"] = json!([]);
        let write = Write {
            subresource: Some("finalize"),
            ..Write::by(super::MANAGER, self.now)
        };
        let _ = self.store.update(&key, empty, &write);
    }

    fn remove_all(&mut self, keys: &[Key]) {
        let write = Write::by(COLLECTOR, self.now);
        for key in keys {
            let marked = self
                .store
                .get(key)
                .is_some_and(|object| object::is_deleting(object));
            if !marked {
                let _ = self.store.delete(key, &Deletion::default(), &write);
            }
        }
    }
}
