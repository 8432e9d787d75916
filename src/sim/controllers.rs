//! The controllers, as small as they can be and still true. Each looks at what is there and takes the next step towards what
//! should be; what is written makes others look again, until nothing changes.

mod daemonset;
mod deployment;
mod disruption;
mod endpoints;
mod garbage;
mod pods;
mod quota;
mod replicaset;
mod scheduler;
mod statefulset;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::object;
use super::status::Failure;
use super::store::{Key, Record, Write};
use super::world::World;

pub(crate) use self::statefulset::Templates;

/// The field manager of all controllers.
pub(crate) const MANAGER: &str = "kube-controller-manager";
/// So many steps are done at a moment at most, and the rest at the next: a guard against controllers that never agree.
const STEPS: usize = 50_000;

/// Who looks at what.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Work {
    Kubelet(Key),
    Scheduler(Key),
    Deployment(Key),
    ReplicaSet(Key),
    StatefulSet(Key),
    DaemonSet(Key),
    /// The endpoints of a Service.
    Endpoints(Key),
    Disruption(Key),
    Quota(Key),
    /// What an owner with this uid leaves behind.
    Garbage(String),
    /// What is in a namespace that goes.
    Namespace(String),
}

/// What the controllers know besides the store.
#[derive(Debug, Default)]
pub(crate) struct Controllers {
    /// Up to this version everything was noticed.
    seen: u64,
    queue: VecDeque<Work>,
    queued: BTreeSet<Work>,
    /// The pods of each controller, by its uid.
    pods: BTreeMap<String, BTreeSet<Key>>,
    pub(crate) templates: Templates,
    /// Pods that could not be made: why, and until when it is not tried again.
    failed: BTreeMap<Work, (DateTime<Utc>, Failure)>,
}

impl Controllers {
    pub(crate) fn put(&mut self, work: Work) {
        if self.queued.insert(work.clone()) {
            self.queue.push_back(work);
        }
    }

    fn take(&mut self) -> Option<Work> {
        let work = self.queue.pop_front()?;
        self.queued.remove(&work);
        Some(work)
    }
}

impl World {
    /// Lets the controllers take notice of what was written since they did last, and do what follows, and what follows from that.
    pub fn settle(&mut self) {
        for _ in 0..STEPS {
            self.notice();
            let Some(work) = self.controllers.take() else {
                return;
            };
            self.work(work);
        }
    }

    pub(crate) fn work(&mut self, work: Work) {
        match work {
            Work::Kubelet(key) => self.look_at_pod(&key),
            Work::Scheduler(key) => self.schedule_pod(&key),
            Work::Deployment(key) => self.sync_deployment(&key),
            Work::ReplicaSet(key) => self.sync_replica_set(&key),
            Work::StatefulSet(key) => self.sync_stateful_set(&key),
            Work::DaemonSet(key) => self.sync_daemon_set(&key),
            Work::Endpoints(key) => self.sync_endpoints(&key),
            Work::Disruption(key) => self.sync_disruption(&key),
            Work::Quota(key) => self.sync_quota(&key),
            Work::Garbage(uid) => self.collect_garbage(&uid),
            Work::Namespace(name) => self.empty_namespace(&name),
        }
    }

    /// Sees what was written, and who has to look at it.
    fn notice(&mut self) {
        let seen = self.controllers.seen;
        if self.store.version() == seen {
            return;
        }
        // Nothing is forgotten before it was noticed: see `run_until`.
        let records = self.store.since(seen).into_iter().flatten();
        let records: Vec<Record> = records.cloned().collect();
        self.controllers.seen = self.store.version();
        for record in &records {
            self.noticed(record);
        }
    }

    fn noticed(&mut self, record: &Record) {
        let key = record.key.clone();
        let gone = record.after.is_none();
        match key.resource.plural {
            "pods" => return self.noticed_pod(record),
            "configmaps" | "secrets" => return self.noticed_config(&key),
            "events" | "leases" | "endpointslices" => return,
            "deployments" => self.controllers.put(Work::Deployment(key)),
            "replicasets" => {
                let known = record.after.as_deref().or(record.before.as_deref());
                let owner = known.and_then(object::controller);
                if let Some(owner) = owner.map(|owner| object::text(owner, "/name")) {
                    let namespace = key.namespace.as_deref().unwrap_or_default();
                    let owner = object::key("deployments", namespace, owner);
                    self.controllers.put(Work::Deployment(owner));
                }
                self.controllers.put(Work::ReplicaSet(key));
            }
            "statefulsets" => self.controllers.put(Work::StatefulSet(key)),
            "daemonsets" => self.controllers.put(Work::DaemonSet(key)),
            "services" => self.controllers.put(Work::Endpoints(key)),
            "poddisruptionbudgets" => self.controllers.put(Work::Disruption(key)),
            "resourcequotas" => self.controllers.put(Work::Quota(key)),
            "nodes" => self.schedule_all(),
            "namespaces" if gone || record.after.as_deref().is_some_and(object::is_deleting) => {
                self.controllers.put(Work::Namespace(key.name));
            }
            _ => {}
        }
        if gone && let Some(before) = &record.before {
            let uid = object::uid(before).to_owned();
            self.controllers.put(Work::Garbage(uid));
        }
    }

    fn noticed_pod(&mut self, record: &Record) {
        let key = &record.key;
        let Some(pod) = record.after.as_ref().or(record.before.as_ref()) else {
            return;
        };
        // The kubelet is first: it stops containers before others are made in their place.
        if record.after.is_none() || !object::text(pod, "/spec/nodeName").is_empty() {
            self.controllers.put(Work::Kubelet(key.clone()));
        } else {
            self.controllers.put(Work::Scheduler(key.clone()));
        }
        let namespace = object::namespace(pod);
        if record.after.is_none() {
            self.controllers.put(Work::Namespace(namespace.to_owned()));
        }
        if let Some(owner) = object::controller(pod) {
            let uid = object::text(owner, "/uid").to_owned();
            let pods = self.controllers.pods.entry(uid.clone()).or_default();
            if record.after.is_some() {
                pods.insert(key.clone());
            } else {
                pods.remove(key);
                if pods.is_empty() {
                    self.controllers.pods.remove(&uid);
                }
            }
            let named = |plural| object::key(plural, namespace, object::text(owner, "/name"));
            let work = match object::text(owner, "/kind") {
                "ReplicaSet" => Some(Work::ReplicaSet(named("replicasets"))),
                "StatefulSet" => Some(Work::StatefulSet(named("statefulsets"))),
                "DaemonSet" => Some(Work::DaemonSet(named("daemonsets"))),
                _ => None,
            };
            work.into_iter().for_each(|work| self.controllers.put(work));
        }
        let labels = object::labels(pod);
        let store = &self.store;
        for (key, service) in store.list(object::resource("services"), Some(namespace)) {
            if object::is_selected(&service["spec"]["selector"], labels) {
                self.controllers.put(Work::Endpoints(key.clone()));
            }
        }
        for (key, budget) in store.list(object::resource("poddisruptionbudgets"), Some(namespace)) {
            if object::selects(&budget["spec"]["selector"], labels) {
                self.controllers.put(Work::Disruption(key.clone()));
            }
        }
        for (key, _) in store.list(object::resource("resourcequotas"), Some(namespace)) {
            self.controllers.put(Work::Quota(key.clone()));
        }
    }

    /// The pods that a controller owns.
    pub(crate) fn pods_of(&self, owner: &Value) -> Vec<Arc<Value>> {
        let keys = self.controllers.pods.get(object::uid(owner));
        keys.into_iter()
            .flatten()
            .filter_map(|key| self.store.get(key).cloned())
            .collect()
    }

    /// Puts a status in the place of the one that is there, if it is another one.
    pub(crate) fn put_status(&mut self, key: &Key, manager: &str, status: Value) -> bool {
        let Some(object) = self.store.get(key) else {
            return false;
        };
        if object["status"] == status {
            return false;
        }
        let mut object = Value::clone(object);
        object["status"] = status;
        let write = Write::by(manager, self.now).status();
        self.store.update(key, object, &write).is_ok()
    }

    /// Changes an object as a controller does, if that changes anything.
    pub(crate) fn change(&mut self, key: &Key, change: impl FnOnce(&mut Value)) -> bool {
        let Some(before) = self.store.get(key) else {
            return false;
        };
        let mut object = Value::clone(before);
        change(&mut object);
        if object == **before {
            return false;
        }
        let write = Write::by(MANAGER, self.now);
        self.store.update(key, object, &write).is_ok()
    }

    /// Makes an object as a controller does.
    pub(crate) fn make(&mut self, key: &Key, object: Value) -> Result<Arc<Value>, Failure> {
        let write = Write::by(MANAGER, self.now);
        self.store.create(key, object, &write)
    }
}

#[cfg(test)]
mod tests;
