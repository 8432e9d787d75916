//! The status of a Deployment: its counts, and the conditions Available and Progressing.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use super::{Sets, max_unavailable, replicas};
use crate::sim::controllers::{MANAGER, Work};
use crate::sim::object::{self, seconds};
use crate::sim::schedule::Due;
use crate::sim::store::Key;
use crate::sim::world::World;

/// A condition as it should be.
struct Told {
    kind: &'static str,
    status: &'static str,
    reason: &'static str,
    message: String,
}

/// The condition Progressing.
fn progressing(status: &'static str, reason: &'static str, message: String) -> Told {
    Told {
        kind: "Progressing",
        status,
        reason,
        message,
    }
}

/// Whether all pods are of the present template, and serve.
pub(super) fn is_complete(deployment: &Value, status: &Value) -> bool {
    let wanted = replicas(deployment);
    let count = |name: &str| status[name].as_i64().unwrap_or(0);
    count("updatedReplicas") == wanted
        && count("replicas") == wanted
        && count("availableReplicas") == wanted
        && status["observedGeneration"] == deployment["metadata"]["generation"]
}

/// When a rollout that does not go on is given up.
fn deadline(deployment: &Value, status: &Value) -> Option<DateTime<Utc>> {
    let limit = object::number(deployment, "/spec/progressDeadlineSeconds").unwrap_or(600);
    let all = status["conditions"].as_array()?;
    let progressing = all.iter().find(|c| c["type"] == "Progressing")?;
    let last = object::time(progressing, "/lastUpdateTime")?;
    Some(last + TimeDelta::seconds(limit))
}

/// Sets a condition; one that says the same stays untouched.
fn set(status: &mut Value, told: Told, now: DateTime<Utc>, anew: bool) {
    let mut all: Vec<Value> = status["conditions"].as_array().cloned().unwrap_or_default();
    let before = all.iter().position(|c| c["type"] == told.kind);
    let mut since = seconds(now);
    if let Some(at) = before {
        let before = &all[at];
        let same = before["status"] == told.status;
        if same && before["reason"] == told.reason && !anew {
            return;
        }
        if same {
            since = object::text(before, "/lastTransitionTime").to_owned();
        }
        all.remove(at);
    }
    all.push(json!({
        "type": told.kind,
        "status": told.status,
        "reason": told.reason,
        "message": told.message,
        "lastUpdateTime": seconds(now),
        "lastTransitionTime": since,
    }));
    status["conditions"] = json!(all);
}

impl World {
    pub(super) fn report_deployment(&mut self, key: &Key, sets: &Sets) {
        let Some(deployment) = self.store.get(key).cloned() else {
            return;
        };
        let before = &deployment["status"];
        let mut status = counts(&deployment, sets);
        if let Some(conditions) = before.get("conditions") {
            status["conditions"] = conditions.clone();
        }
        let now = self.now;
        let serving = status["availableReplicas"].as_i64().unwrap_or(0);
        let enough = serving >= replicas(&deployment) - max_unavailable(&deployment);
        let (holds, reason, message) = match enough {
            true => (
                "True",
                "MinimumReplicasAvailable",
                "Deployment has minimum availability.",
            ),
            false => (
                "False",
                "MinimumReplicasUnavailable",
                "Deployment does not have minimum availability.",
            ),
        };
        let told = Told {
            kind: "Available",
            status: holds,
            reason,
            message: message.to_owned(),
        };
        set(&mut status, told, now, false);
        if !object::flag(&deployment, "/spec/paused") {
            self.note_progress(key, &deployment, sets, &mut status);
        }
        let failure = sets
            .new
            .as_ref()
            .and_then(|new| object::condition(new, "ReplicaFailure"));
        let others = status["conditions"].as_array_mut();
        if let Some(others) = others {
            others.retain(|c| c["type"] != "ReplicaFailure");
            others.extend(failure.cloned());
        }
        self.put_status(key, MANAGER, status);
    }

    /// The condition Progressing, of a rollout that is neither paused nor over.
    fn note_progress(&mut self, key: &Key, deployment: &Value, sets: &Sets, status: &mut Value) {
        let before = object::condition(deployment, "Progressing");
        let reason = before.map_or("", |c| object::text(c, "/reason"));
        let done = status["replicas"] == status["updatedReplicas"];
        if done && reason == "NewReplicaSetAvailable" {
            return;
        }
        let now = self.now;
        let name = match &sets.new {
            Some(new) => format!("ReplicaSet \"{}\"", object::name(new)),
            None => format!("Deployment \"{}\"", object::name(deployment)),
        };
        if is_complete(deployment, status) {
            let message = format!("{name} has successfully progressed.");
            let complete = progressing("True", "NewReplicaSetAvailable", message);
            set(status, complete, now, false);
            return;
        }
        if is_further(&deployment["status"], status) {
            let message = format!("{name} is progressing.");
            let further = progressing("True", "ReplicaSetUpdated", message);
            set(status, further, now, true);
        }
        if reason == "ProgressDeadlineExceeded" {
            return;
        }
        let Some(deadline) = deadline(deployment, status) else {
            return;
        };
        if now >= deadline {
            let message = format!("{name} has timed out progressing.");
            let late = progressing("False", "ProgressDeadlineExceeded", message);
            set(status, late, now, false);
        } else {
            let work = Work::Deployment(key.clone());
            self.schedule.put(deadline, Due::Work(work));
        }
    }

    /// Tells in the conditions that a rollout was paused, or goes on.
    pub(super) fn note_pause(&mut self, key: &Key, deployment: &Value) {
        let paused = object::flag(deployment, "/spec/paused");
        let before = object::condition(deployment, "Progressing");
        let reason = before.map_or("", |c| object::text(c, "/reason"));
        if reason == "ProgressDeadlineExceeded" {
            return;
        }
        let was = reason == "DeploymentPaused";
        let (reason, message) = match (was, paused) {
            (false, true) => ("DeploymentPaused", "Deployment is paused"),
            (true, false) => ("DeploymentResumed", "Deployment is resumed"),
            _ => return,
        };
        self.tell(key, progressing("Unknown", reason, message.to_owned()));
    }

    pub(super) fn note_made(&mut self, deployment: &Value, set: &str) {
        let message = format!("Created new replica set \"{set}\"");
        let told = progressing("True", "NewReplicaSetCreated", message);
        self.tell(&object::key_of("deployments", deployment), told);
    }

    /// A set of this template was there: a rollback. Told only once, when the rollout was over before.
    pub(super) fn note_found(&mut self, deployment: &Value, set: &str) {
        let before = object::condition(deployment, "Progressing");
        let of_another = before.is_some_and(|c| {
            object::text(c, "/reason") == "NewReplicaSetAvailable"
                && !object::text(c, "/message").contains(&format!("\"{set}\""))
        });
        if before.is_none() || of_another {
            let message = format!("Found new replica set \"{set}\"");
            let told = progressing("True", "FoundNewReplicaSet", message);
            self.tell(&object::key_of("deployments", deployment), told);
        }
    }

    fn tell(&mut self, key: &Key, told: Told) {
        let Some(live) = self.store.get(key) else {
            return;
        };
        let mut status = live["status"].clone();
        set(&mut status, told, self.now, false);
        self.put_status(key, MANAGER, status);
    }
}

/// Whether more is done than before: more pods of the present template, fewer others, more that serve.
fn is_further(before: &Value, after: &Value) -> bool {
    let count = |status: &Value, name: &str| status[name].as_i64().unwrap_or(0);
    let old = |status: &Value| count(status, "replicas") - count(status, "updatedReplicas");
    let more = |name: &str| count(after, name) > count(before, name);
    more("updatedReplicas")
        || more("readyReplicas")
        || more("availableReplicas")
        || old(after) < old(before)
}

fn counts(deployment: &Value, sets: &Sets) -> Value {
    let of = |set: &Value, name: &str| set["status"][name].as_i64().unwrap_or(0);
    let sum = |name: &str| sets.all().map(|set| of(set, name)).sum::<i64>();
    let all = sum("replicas");
    let serving = sum("availableReplicas");
    let updated = sets.new.as_ref().map_or(0, |new| of(new, "replicas"));
    let mut status = json!({
        "observedGeneration": object::number(deployment, "/metadata/generation").unwrap_or(1),
        "terminatingReplicas": sum("terminatingReplicas"),
    });
    let some = [
        ("replicas", all),
        ("updatedReplicas", updated),
        ("readyReplicas", sum("readyReplicas")),
        ("availableReplicas", serving),
        ("unavailableReplicas", (sets.wanted() - serving).max(0)),
    ];
    for (name, count) in some.into_iter().filter(|(_, count)| *count > 0) {
        status[name] = json!(count);
    }
    status
}
