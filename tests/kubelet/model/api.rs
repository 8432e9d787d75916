//! The API server: ConfigMaps under one counter of resourceVersions, with every earlier state until it is compacted.

use std::collections::{BTreeMap, BTreeSet};

use confsplit::model::{
    ChainEnd, Config, ConfigKind, ConfigRef, Content, EarlierConfig, LastApplied,
};

use super::managed::{self, Entry, Field};
use super::{Data, Millis, NS, moment, stamp};

/// What `kubectl apply` leaves in its annotation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    pub data: Data,
    pub resource_version: Option<u64>,
}

/// A ConfigMap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    pub name: &'static str,
    pub uid: u64,
    pub resource_version: u64,
    pub created: Millis,
    pub data: Data,
    pub labels: BTreeMap<&'static str, &'static str>,
    pub applied: Option<Applied>,
    pub immutable: bool,
    pub entries: Vec<Entry>,
}

impl Object {
    pub fn new(name: &'static str, data: Data) -> Self {
        Self {
            name,
            uid: 0,
            resource_version: 0,
            created: 0,
            data,
            labels: BTreeMap::new(),
            applied: None,
            immutable: false,
            entries: Vec::new(),
        }
    }

    /// As a list returns it.
    pub fn read(&self) -> Config {
        Config {
            reference: ConfigRef::new(ConfigKind::ConfigMap, NS, self.name),
            uid: format!("uid-{}", self.uid),
            resource_version: self.resource_version.to_string(),
            created: Some(stamp(self.created)),
            content: Some(content(&self.data)),
            immutable: self.immutable,
            managed: self.entries.iter().map(Entry::read).collect(),
            last_applied: self.applied.as_ref().map(|applied| LastApplied {
                content: content(&applied.data),
                resource_version: applied.resource_version.map(|v| v.to_string()),
            }),
            owner_marks: BTreeMap::new(),
        }
    }
}

fn content(data: &Data) -> Content {
    Content::text(data.iter().map(|(key, value)| (*key, *value)))
}

/// One state of one name, from a resourceVersion on.
#[derive(Debug)]
struct State {
    resource_version: u64,
    at: Millis,
    name: &'static str,
    object: Option<Object>,
}

#[derive(Debug, Default)]
pub struct Api {
    pub counter: u64,
    states: Vec<State>,
}

/// A write is stamped before it is stored: the time of managedFields is taken in the handler.
const HANDLING: Millis = 8;

impl Api {
    /// The next resourceVersion: one etcd serves ConfigMaps and pods.
    pub fn next_version(&mut self) -> u64 {
        self.counter += 1;
        self.counter
    }

    pub fn live(&self, name: &str) -> Option<&Object> {
        self.last(name, |_| true)
    }

    /// What a watcher sees at a moment.
    pub fn at_time(&self, name: &str, at: Millis) -> Option<&Object> {
        self.last(name, |state| state.at <= at)
    }

    fn last(&self, name: &str, when: impl Fn(&State) -> bool) -> Option<&Object> {
        let mut states = self.states.iter().rev();
        let found = states.find(|s| s.name == name && when(s))?;
        found.object.as_ref()
    }

    /// The contents that a name had before, newest first.
    pub fn former(&self, name: &str) -> Vec<Data> {
        let states = self.states.iter().rev().filter(|s| s.name == name);
        states
            .filter_map(|s| s.object.as_ref().map(|o| o.data.clone()))
            .collect()
    }

    /// Stores a new object. Its creator owns every field of it.
    pub fn create(&mut self, mut object: Object, manager: &'static str, now: Millis) {
        object.created = now - HANDLING;
        object.entries = managed::updated(None, &object, manager, now - HANDLING);
        object.uid = self.counter + 1;
        self.store(object, now);
    }

    /// Stores a new object that a server-side apply made.
    pub fn create_applied(&mut self, mut object: Object, manager: &'static str, now: Millis) {
        object.created = now - HANDLING;
        let keys = object.data.keys().map(|key| Field::Key(key)).collect();
        object.entries = managed::applied(None, &object, keys, manager, now - HANDLING);
        object.uid = self.counter + 1;
        self.store(object, now);
    }

    pub fn delete(&mut self, name: &'static str, now: Millis) {
        let resource_version = self.next_version();
        self.states.push(State {
            resource_version,
            at: now,
            name,
            object: None,
        });
    }

    /// An Update or Patch. Whether it was let in: an immutable ConfigMap keeps its data and stays immutable
    /// (pkg/apis/core/validation `ValidateConfigMapUpdate`).
    pub fn update(
        &mut self,
        name: &str,
        manager: &'static str,
        now: Millis,
        change: impl FnOnce(&mut Object),
    ) -> bool {
        let Some(old) = self.live(name) else {
            return false;
        };
        let mut new = old.clone();
        change(&mut new);
        if old.immutable && (new.data != old.data || !new.immutable) {
            return false;
        }
        new.entries = managed::updated(Some(old), &new, manager, now - HANDLING);
        self.store_changed(new, now);
        true
    }

    /// A server-side apply with `force`. A key that this manager applied before, and that no other owns, goes if it is not
    /// among them any more (structured-merge-diff merge/update.go `prune`).
    pub fn apply(&mut self, name: &str, manager: &'static str, now: Millis, data: &Data) -> bool {
        let Some(old) = self.live(name) else {
            return false;
        };
        let mut new = old.clone();
        let own = |e: &&Entry| e.manager == manager && e.operation == "Apply";
        let had: BTreeSet<Field> = old
            .entries
            .iter()
            .find(own)
            .map(|e| e.fields.clone())
            .unwrap_or_default();
        let others = |field: &Field| {
            let mut others = old.entries.iter().filter(|e| !own(e));
            others.any(|e| e.fields.contains(field))
        };
        new.data.retain(|key, _| {
            let field = Field::Key(key);
            data.contains_key(key) || !had.contains(&field) || others(&field)
        });
        new.data.extend(data);
        if old.immutable && new.data != old.data {
            return false;
        }
        let keys = data.keys().map(|key| Field::Key(key)).collect();
        new.entries = managed::applied(Some(old), &new, keys, manager, now - HANDLING);
        self.store_changed(new, now);
        true
    }

    /// A write that changes nothing is none (etcd3 store.go `GuaranteedUpdate`: equal bytes are not written).
    fn store_changed(&mut self, new: Object, now: Millis) {
        if self.live(new.name) != Some(&new) {
            self.store(new, now);
        }
    }

    fn store(&mut self, mut object: Object, now: Millis) {
        object.resource_version = self.next_version();
        self.states.push(State {
            resource_version: object.resource_version,
            at: now,
            name: object.name,
            object: Some(object),
        });
    }

    /// `resourceVersionMatch=Exact`, of versions that are not compacted.
    pub fn at_version(&self, name: &str, version: u64) -> Option<&Object> {
        self.last(name, |state| state.resource_version <= version)
    }

    /// The steps back from the live object, as src/source/live/earlier.rs takes them. What is older than `compacted` is gone.
    pub fn earlier(&self, live: &Object, compacted: u64, now: Millis) -> EarlierConfig {
        let mut versions = Vec::new();
        let mut at = live.resource_version;
        let end = loop {
            if versions.len() >= 20 {
                break ChainEnd::Bounded;
            }
            if at - 1 < compacted.max(1) {
                break ChainEnd::Compacted;
            }
            match self.at_version(live.name, at - 1) {
                Some(found) if found.uid == live.uid => {
                    at = found.resource_version;
                    versions.push(found.read());
                }
                _ => break ChainEnd::Created,
            }
        };
        versions.reverse();
        EarlierConfig {
            reference: live.read().reference,
            versions,
            end,
            read_at: moment(now),
        }
    }
}
