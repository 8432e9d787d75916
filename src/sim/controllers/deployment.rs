//! The Deployment controller: a ReplicaSet for each template, and the way from one to the next.

mod revisions;
mod rolling;
mod status;

use std::sync::Arc;

use serde_json::{Value, json};

use crate::sim::object;
use crate::sim::recorder::Source;
use crate::sim::store::{Deletion, Key, Write};
use crate::sim::world::World;

use super::MANAGER;

const COMPONENT: &str = "deployment-controller";
pub(crate) const REVISION: &str = "deployment.kubernetes.io/revision";
const DESIRED: &str = "deployment.kubernetes.io/desired-replicas";
const MOST: &str = "deployment.kubernetes.io/max-replicas";

/// The ReplicaSets of a Deployment: that of the present template, and those of earlier ones, the oldest first.
#[derive(Debug)]
struct Sets {
    new: Option<Arc<Value>>,
    old: Vec<Arc<Value>>,
}

impl Sets {
    fn all(&self) -> impl Iterator<Item = &Arc<Value>> {
        self.old.iter().chain(&self.new)
    }

    /// Pods that the sets should have, all together.
    fn wanted(&self) -> i64 {
        self.all().map(|set| replicas(set)).sum()
    }
}

/// How many pods a Deployment or ReplicaSet should have.
fn replicas(object: &Value) -> i64 {
    object::number(object, "/spec/replicas").unwrap_or(1)
}

fn available(set: &Value) -> i64 {
    object::number(set, "/status/availableReplicas").unwrap_or(0)
}

/// How many more, and how many fewer pods than wanted there may be on the way.
fn fences(deployment: &Value) -> (i64, i64) {
    let whole = replicas(deployment);
    let strategy = deployment.pointer("/spec/strategy/rollingUpdate");
    let of = |name, up| object::share(strategy.and_then(|s| s.get(name)), whole, "25%", up);
    match (of("maxSurge", true), of("maxUnavailable", false)) {
        (0, 0) => (0, 1),
        fences => fences,
    }
}

fn max_unavailable(deployment: &Value) -> i64 {
    if is_rolling(deployment) {
        fences(deployment).1.min(replicas(deployment))
    } else {
        0
    }
}

/// How many more pods than wanted there may be on the way.
fn max_surge(deployment: &Value) -> i64 {
    if is_rolling(deployment) {
        fences(deployment).0
    } else {
        0
    }
}

fn is_rolling(deployment: &Value) -> bool {
    object::text(deployment, "/spec/strategy/type") != "Recreate"
}

impl World {
    pub(crate) fn sync_deployment(&mut self, key: &Key) {
        let Some(deployment) = self.store.get(key).cloned() else {
            return;
        };
        if object::is_deleting(&deployment) {
            let sets = self.sets_of(&deployment);
            self.report_deployment(key, &sets);
            return;
        }
        self.note_pause(key, &deployment);
        let paused = object::flag(&deployment, "/spec/paused");
        if paused || is_scaled(&deployment, &self.sets_of(&deployment)) {
            let sets = self.with_revisions(key, &deployment, false);
            self.scale_in_proportion(&deployment, &sets);
            self.report_deployment(key, &sets);
            return;
        }
        if is_rolling(&deployment) {
            self.roll(key, &deployment);
        } else {
            self.recreate(key, &deployment);
        }
    }

    /// The first stops all, then begins anew.
    fn recreate(&mut self, key: &Key, deployment: &Value) {
        let sets = self.with_revisions(key, deployment, false);
        let mut stopped = false;
        for set in sets.old.iter().filter(|set| replicas(set) > 0) {
            stopped |= self.scale(deployment, set, 0);
        }
        let running = sets.old.iter().any(|set| !self.pods_of(set).is_empty());
        if stopped || running {
            self.report_deployment(key, &sets);
            return;
        }
        let sets = self.with_revisions(key, deployment, true);
        if let Some(new) = &sets.new {
            self.scale(deployment, new, replicas(deployment));
        }
        self.report_deployment(key, &sets);
        self.clean_up(key, &sets);
    }

    fn sets_of(&self, deployment: &Value) -> Sets {
        let uid = object::uid(deployment);
        let namespace = object::namespace(deployment);
        let sets = self
            .store
            .list(object::resource("replicasets"), Some(namespace));
        let mut owned: Vec<Arc<Value>> = sets
            .filter(|(_, set)| {
                object::controller(set).is_some_and(|o| object::text(o, "/uid") == uid)
            })
            .map(|(_, set)| Arc::clone(set))
            .collect();
        let age = |set: &Arc<Value>| {
            let created = object::text(set, "/metadata/creationTimestamp").to_owned();
            (created, revisions::of(set), object::name(set).to_owned())
        };
        owned.sort_by_cached_key(age);
        let template = revisions::bare(&deployment["spec"]["template"]);
        let at = owned
            .iter()
            .position(|set| revisions::bare(&set["spec"]["template"]) == template);
        let new = at.map(|at| owned.remove(at));
        Sets { new, old: owned }
    }

    /// Gives a ReplicaSet another size, and tells.
    fn scale(&mut self, deployment: &Value, set: &Value, to: i64) -> bool {
        let from = replicas(set);
        let key = object::key_of("replicasets", set);
        let marks = sizes(deployment);
        let changed = self.change(&key, |set| {
            set["spec"]["replicas"] = json!(to);
            for (name, value) in &marks {
                set["metadata"]["annotations"][*name] = json!(value);
            }
        });
        if changed && from != to {
            self.tell_scaled(deployment, object::name(set), from, to);
        }
        changed && from != to
    }

    fn tell_scaled(&mut self, deployment: &Value, set: &str, from: i64, to: i64) {
        let way = if to > from { "up" } else { "down" };
        let message = format!("Scaled {way} replica set {set} from {from} to {to}");
        let source = Source::controller(COMPONENT);
        let what = ("Normal", "ScalingReplicaSet");
        self.record(deployment, source, what, &message);
    }

    /// Gives each set its part of a new size: while a rollout is under way or paused, none is preferred.
    fn scale_in_proportion(&mut self, deployment: &Value, sets: &Sets) {
        let wanted = replicas(deployment);
        let active: Vec<_> = sets.all().filter(|set| replicas(set) > 0).collect();
        if active.len() <= 1 {
            let only = active.first().copied();
            if let Some(only) = only.or(sets.new.as_ref()).or(sets.old.last()) {
                self.scale(deployment, only, wanted);
            }
            return;
        }
        let extra = if wanted > 0 { max_surge(deployment) } else { 0 };
        let total: i64 = active.iter().map(|set| replicas(set)).sum();
        let desired = |set: &Value| annotated(set, DESIRED);
        if active.iter().all(|set| desired(set) == Some(wanted)) {
            return;
        }
        let mut rest = wanted + extra - total;
        let mut sizes: Vec<i64> = active.iter().map(|set| replicas(set)).collect();
        for (size, set) in sizes.iter_mut().zip(&active) {
            let most = annotated(set, MOST).unwrap_or(total).max(1);
            let part = (*size * (wanted + extra) + most / 2) / most - *size;
            let part = if rest > 0 {
                part.clamp(0, rest)
            } else {
                part.clamp(rest, 0)
            };
            *size += part;
            rest -= part;
        }
        if let Some(last) = sizes.last_mut() {
            *last = (*last + rest).max(0);
        }
        for (set, size) in active.iter().zip(sizes) {
            self.scale(deployment, set, size);
        }
    }

    /// Removes the oldest sets beyond the limit of the history.
    fn clean_up(&mut self, key: &Key, sets: &Sets) {
        let Some(deployment) = self.store.get(key).cloned() else {
            return;
        };
        if !status::is_complete(&deployment, &deployment["status"]) {
            return;
        }
        let keep = object::number(&deployment, "/spec/revisionHistoryLimit").unwrap_or(10);
        let idle = |set: &&Arc<Value>| {
            replicas(set) == 0 && object::number(set, "/status/replicas").unwrap_or(0) == 0
        };
        let mut idle: Vec<_> = sets.old.iter().filter(idle).cloned().collect();
        idle.sort_by_key(|set| revisions::of(set));
        let keep = usize::try_from(keep).unwrap_or_default();
        let surplus = idle.len().saturating_sub(keep);
        for set in idle.into_iter().take(surplus) {
            let key = object::key_of("replicasets", &set);
            let write = Write::by(MANAGER, self.now);
            let _ = self.store.delete(&key, &Deletion::default(), &write);
        }
    }
}

/// Whether the Deployment was given another size since its sets were.
fn is_scaled(deployment: &Value, sets: &Sets) -> bool {
    let wanted = replicas(deployment);
    sets.all()
        .filter(|set| replicas(set) > 0)
        .any(|set| annotated(set, DESIRED).is_some_and(|desired| desired != wanted))
}

fn annotated(set: &Value, name: &str) -> Option<i64> {
    set["metadata"]["annotations"]
        .get(name)?
        .as_str()?
        .parse()
        .ok()
}

/// The annotations by which a set knows the Deployment's size.
fn sizes(deployment: &Value) -> [(&'static str, String); 2] {
    let wanted = replicas(deployment);
    let most = wanted + max_surge(deployment);
    [(DESIRED, wanted.to_string()), (MOST, most.to_string())]
}
