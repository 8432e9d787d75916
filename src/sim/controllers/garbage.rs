//! The garbage collector and the end of namespaces: what belongs to something that is gone goes too.

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
        let live = self.store.get(&key);
        if live.is_some_and(|namespace| object::is_deleting(namespace)) && pods == 0 {
            let write = Write::by(super::MANAGER, self.now);
            let _ = self.store.delete(&key, &at_once(), &write);
        }
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

fn at_once() -> Deletion {
    Deletion {
        grace: Some(0),
        ..Deletion::default()
    }
}
