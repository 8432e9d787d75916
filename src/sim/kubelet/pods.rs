//! A pod from the moment its node sees it until it is gone: volumes, sandbox, containers, and the way back.

use std::sync::Arc;

use chrono::TimeDelta;
use serde_json::Value;

use super::{Container, PodRun, Step};
use crate::sim::nodes;
use crate::sim::object;
use crate::sim::status::Failure;
use crate::sim::store::{Deletion, Key, Write};
use crate::sim::world::World;

impl World {
    /// Compares what runs with what the store has.
    pub(crate) fn look_at_pod(&mut self, key: &Key) {
        let live = self.store.get(key).cloned();
        let known = self.kubelet.uids.get(key).cloned();
        if let Some(uid) = &known
            && live.as_ref().is_none_or(|pod| object::uid(pod) != uid)
        {
            self.drop_pod(&uid.clone());
        }
        let Some(pod) = live else {
            return;
        };
        let uid = object::uid(&pod).to_owned();
        let deleting = object::is_deleting(&pod);
        match self.kubelet.pods.get_mut(&uid) {
            None if deleting => self.remove_from_store(key),
            None => self.adopt(key, pod, &uid),
            Some(run) => {
                run.pod = pod;
                if deleting && !run.stopping {
                    self.stop(&uid);
                }
            }
        }
    }

    fn adopt(&mut self, key: &Key, pod: Arc<Value>, uid: &str) {
        let inits = object::list(&pod, "/spec/initContainers");
        let waiting = if inits.is_empty() {
            "ContainerCreating"
        } else {
            "PodInitializing"
        };
        let made = |list: &[Value]| {
            list.iter()
                .map(|spec| Container::new(spec, waiting))
                .collect()
        };
        let containers = object::list(&pod, "/spec/containers");
        let run = PodRun {
            key: key.clone(),
            uid: uid.to_owned(),
            node: object::text(&pod, "/spec/nodeName").to_owned(),
            since: self.now,
            ip: None,
            volumes: std::collections::BTreeMap::new(),
            unmounted: 0,
            initialized: inits.is_empty(),
            inits: made(inits),
            containers: made(containers),
            conditions: std::collections::BTreeMap::new(),
            stopping: false,
            finished: false,
            swapping: false,
            waiting: Vec::new(),
            pod,
        };
        self.kubelet.pods.insert(uid.to_owned(), run);
        self.kubelet.uids.insert(key.clone(), uid.to_owned());
        self.report(uid);
        let delay = self.random.millis(450, 950);
        self.later(delay, Step::Prepare(uid.to_owned()));
    }

    /// Mounts the volumes, and when all are there makes the sandbox and starts what is first.
    pub(super) fn prepare(&mut self, uid: &str) {
        let Some(run) = self.kubelet.pods.get(uid) else {
            return;
        };
        if run.stopping || run.ip.is_some() {
            return;
        }
        if let Err((volume, why)) = self.mount_all(uid) {
            let message = format!("MountVolume.SetUp failed for volume \"{volume}\" : {why}");
            self.record_pod(uid, None, ("Warning", "FailedMount"), &message);
            let Some(run) = self.kubelet.pods.get_mut(uid) else {
                return;
            };
            let wait = 500 << run.unmounted.min(8);
            run.unmounted += 1;
            let wait = TimeDelta::milliseconds(wait.min(122_000));
            self.later(wait, Step::Prepare(uid.to_owned()));
            return;
        }
        let Some(run) = self.kubelet.pods.get_mut(uid) else {
            return;
        };
        let last = self.kubelet.given.entry(run.node.clone()).or_insert(1);
        *last += 1;
        let ip = format!("10.244.{}.{last}", nodes::number(&run.node));
        run.ip = Some(ip.clone());
        self.kubelet.addresses.insert(ip, uid.to_owned());
        self.go_on(uid);
    }

    /// Starts the next init container, or all the others.
    pub(super) fn go_on(&mut self, uid: &str) {
        let Some(run) = self.kubelet.pods.get_mut(uid) else {
            return;
        };
        if let Some(next) = run.inits.iter().find(|c| !c.is_done()) {
            let (name, last) = (next.name.clone(), next.run);
            self.later(TimeDelta::zero(), Step::Begin(uid.to_owned(), name, last));
            return;
        }
        run.initialized = true;
        let names: Vec<String> = run.containers.iter().map(|c| c.name.clone()).collect();
        for (place, name) in (0..).zip(names) {
            let after = TimeDelta::milliseconds(120 * place);
            self.later(after, Step::Begin(uid.to_owned(), name, 0));
        }
    }

    /// Asks everything to end, and removes the pod when it has.
    fn stop(&mut self, uid: &str) {
        let Some(run) = self.kubelet.pods.get_mut(uid) else {
            return;
        };
        run.stopping = true;
        let now = self.now;
        let grace = object::number(&run.pod, "/metadata/deletionGracePeriodSeconds");
        let grace = TimeDelta::seconds(grace.unwrap_or(30));
        let mut ends = Vec::new();
        for container in run.all() {
            if let (true, Some(program)) = (container.is_running(), &container.program) {
                // What does not end in its time is killed.
                let stop = program.stop(now).filter(|(after, ..)| *after <= grace);
                let stop = stop.unwrap_or((grace, 137, Vec::new()));
                ends.push((container.name.clone(), container.run, stop));
            }
        }
        if ends.is_empty() {
            let soon = TimeDelta::milliseconds(40);
            self.later(soon, Step::Finish(uid.to_owned()));
        }
        for (name, run, (after, code, signal)) in ends {
            self.tell_stopping(uid, &name);
            for text in signal {
                self.write_line(uid, run, text);
            }
            self.later(after, Step::Exit(uid.to_owned(), run, code));
        }
    }

    fn tell_stopping(&mut self, uid: &str, container: &str) {
        let message = format!("Stopping container {container}");
        self.record_pod(uid, Some(container), ("Normal", "Killing"), &message);
    }

    /// Tells how everything ended, and lets the pod go.
    pub(super) fn finish(&mut self, uid: &str) {
        let Some(run) = self.kubelet.pods.get_mut(uid) else {
            return;
        };
        run.finished = true;
        let key = run.key.clone();
        self.report(uid);
        self.remove_from_store(&key);
    }

    fn remove_from_store(&mut self, key: &Key) {
        let at_once = Deletion {
            grace: Some(0),
            ..Deletion::default()
        };
        let write = Write::by("kubelet", self.now);
        let _ = self.store.delete(key, &at_once, &write);
    }

    /// Forgets a pod that the store no longer has; what still runs of it is ended.
    fn drop_pod(&mut self, uid: &str) {
        let Some(run) = self.kubelet.pods.get(uid) else {
            return;
        };
        if !run.stopping {
            let running = run.all().filter(|c| c.is_running());
            let running: Vec<String> = running.map(|c| c.name.clone()).collect();
            for name in running {
                self.tell_stopping(uid, &name);
            }
        }
        let Some(run) = self.kubelet.pods.remove(uid) else {
            return;
        };
        self.kubelet.uids.remove(&run.key);
        if let Some(ip) = &run.ip {
            self.kubelet.addresses.remove(ip);
        }
        self.forget_configs(&run.node);
    }

    /// Ends the process of a container, as the kernel does when memory runs out or someone kills it: the kubelet starts it again.
    pub fn kill_container(
        &mut self,
        namespace: &str,
        pod: &str,
        container: &str,
    ) -> Result<(), Failure> {
        let run = self.run_of(namespace, pod)?;
        let uid = run.uid.clone();
        let found = run.container(container).filter(|c| c.is_running());
        let number = found.map(|c| c.run).ok_or_else(|| {
            Failure::bad_request(format!("container {container} of pod {pod} is not running"))
        })?;
        self.exited(&uid, number, 137);
        self.settle();
        Ok(())
    }
}
