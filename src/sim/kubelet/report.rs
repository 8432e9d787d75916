//! What a kubelet reports of a pod: phase, conditions, the states of containers.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::{Container, Ended, PodRun, State};
use crate::sim::images;
use crate::sim::nodes;
use crate::sim::object::{self, seconds};
use crate::sim::world::World;

/// The conditions, in the order in which a kubelet writes them.
const SANDBOX: &str = "PodReadyToStartContainers";
const INITIALIZED: &str = "Initialized";
const READY: &str = "Ready";
const ALL_READY: &str = "ContainersReady";
const SCHEDULED: &str = "PodScheduled";

impl World {
    /// Writes the status of a pod, if it is another one than before.
    pub(super) fn report(&mut self, uid: &str) {
        let now = self.now;
        let Some(run) = self.kubelet.pods.get_mut(uid) else {
            return;
        };
        let key = run.key.clone();
        let Some(live) = self.store.get(&key).filter(|live| object::uid(live) == uid) else {
            return;
        };
        let scheduled = object::condition(live, SCHEDULED)
            .and_then(|c| object::time(c, "/lastTransitionTime"))
            .unwrap_or(run.since);
        let generation = object::number(live, "/metadata/generation").unwrap_or(1);
        run.conditions.entry(SCHEDULED).or_insert((true, scheduled));
        run.judge(now);
        let status = run.status(generation);
        self.put_status(&key, "kubelet", status);
    }
}

impl PodRun {
    /// Sets the conditions, keeping the time of those that did not change.
    fn judge(&mut self, now: DateTime<Utc>) {
        let ready = self.initialized && self.containers.iter().all(|c| c.ready);
        let told = [
            (SANDBOX, self.ip.is_some() && !self.finished),
            (INITIALIZED, self.initialized),
            (READY, ready),
            (ALL_READY, ready),
        ];
        for (name, holds) in told {
            let condition = self.conditions.entry(name).or_insert((holds, now));
            if condition.0 != holds {
                *condition = (holds, now);
            }
        }
    }

    fn phase(&self) -> &'static str {
        if self.finished {
            return if self.containers.iter().all(Container::is_done) {
                "Succeeded"
            } else {
                "Failed"
            };
        }
        let ended = |c: &Container| matches!(c.state, State::Ended(_));
        let over = self.containers.iter().all(ended);
        let policy = object::text(&self.pod, "/spec/restartPolicy");
        if over && self.initialized && matches!(policy, "Never" | "OnFailure") {
            match self.containers.iter().all(Container::is_done) {
                true => return "Succeeded",
                false if policy == "Never" => return "Failed",
                false => {}
            }
        }
        let fresh = |c: &Container| matches!(c.state, State::Waiting(..)) && c.last.is_none();
        if !self.initialized || self.containers.iter().any(fresh) {
            return "Pending";
        }
        "Running"
    }

    fn status(&self, generation: i64) -> Value {
        let mut status = json!({
            "observedGeneration": generation,
            "phase": self.phase(),
            "conditions": self.told(generation),
            "hostIP": nodes::address(&self.node),
            "hostIPs": [{"ip": nodes::address(&self.node)}],
            "startTime": seconds(self.since),
            "qosClass": self.pod["status"]["qosClass"],
            "resources": {},
            "containerStatuses": self.containers.iter().map(|c| self.container_status(c)).collect::<Vec<_>>(),
        });
        if let Some(ip) = &self.ip {
            status["podIP"] = json!(ip);
            status["podIPs"] = json!([{"ip": ip}]);
        }
        if !self.inits.is_empty() {
            let all: Vec<_> = self
                .inits
                .iter()
                .map(|c| self.container_status(c))
                .collect();
            status["initContainerStatuses"] = json!(all);
        }
        status
    }

    fn told(&self, generation: i64) -> Value {
        let names = |list: &[Container], ok: fn(&Container) -> bool| {
            let names = list.iter().filter(|c| !ok(c)).map(|c| c.name.as_str());
            names.collect::<Vec<_>>().join(" ")
        };
        let unready = names(&self.containers, |c| c.ready);
        let incomplete = names(&self.inits, Container::is_done);
        let not_ready = match self.finished {
            true if self.phase() == "Succeeded" => ("PodCompleted", String::new()),
            true => ("PodFailed", String::new()),
            false => (
                "ContainersNotReady",
                format!("containers with unready status: [{unready}]"),
            ),
        };
        let why = |name: &str| match name {
            SANDBOX if self.finished => None,
            SANDBOX => Some(("PodSandboxNotReady", "no pod sandbox exists".to_owned())),
            INITIALIZED => {
                let message = format!("containers with incomplete status: [{incomplete}]");
                Some(("ContainersNotInitialized", message))
            }
            READY | ALL_READY => Some(not_ready.clone()),
            _ => None,
        };
        let condition = |name: &&'static str| {
            let (holds, since) = self.conditions.get(name)?;
            let mut told = json!({
                "type": name,
                "observedGeneration": generation,
                "status": if *holds { "True" } else { "False" },
                "lastTransitionTime": seconds(*since),
            });
            if let Some((reason, message)) = why(name).filter(|_| !holds) {
                told["reason"] = json!(reason);
                if !message.is_empty() {
                    told["message"] = json!(message);
                }
            }
            Some(told)
        };
        [SANDBOX, INITIALIZED, READY, ALL_READY, SCHEDULED]
            .iter()
            .filter_map(condition)
            .collect()
    }

    fn container_status(&self, container: &Container) -> Value {
        let ran = container.run > 0;
        let init = self.is_init(&container.name);
        let last = container
            .last
            .as_ref()
            .map_or(json!({}), |end| json!({"terminated": ended(end)}));
        let mut status = json!({
            "name": container.name,
            "state": state(&container.state),
            "lastState": last,
            "ready": if init { container.is_done() } else { container.ready },
            "restartCount": container.restarts,
            "image": if ran { images::full_name(&container.image) } else { container.image.clone() },
            "imageID": if ran { images::id(&container.image) } else { String::new() },
            "started": container.started && container.is_running(),
        });
        if ran {
            status["containerID"] = json!(container.id);
            status["resources"] = json!({});
        }
        let spec = self.spec(&container.name);
        let mount = |mount: &Value| {
            let mut told = json!({"name": mount["name"], "mountPath": mount["mountPath"]});
            if object::flag(mount, "/readOnly") {
                told["readOnly"] = json!(true);
                told["recursiveReadOnly"] = json!("Disabled");
            }
            told
        };
        let mounts = object::list(spec, "/volumeMounts");
        if !mounts.is_empty() {
            status["volumeMounts"] = mounts.iter().map(mount).collect();
        }
        status
    }
}

fn state(state: &State) -> Value {
    match state {
        State::Waiting(reason, message) => {
            let mut waiting = json!({"reason": reason});
            if !message.is_empty() {
                waiting["message"] = json!(message);
            }
            json!({"waiting": waiting})
        }
        State::Running(since) => json!({"running": {"startedAt": seconds(*since)}}),
        State::Ended(end) => json!({"terminated": ended(end)}),
    }
}

fn ended(end: &Ended) -> Value {
    json!({
        "containerID": end.id,
        "exitCode": end.code,
        "reason": end.reason,
        "startedAt": seconds(end.started),
        "finishedAt": seconds(end.finished),
    })
}
