//! The kubelets of all nodes: what runs of each pod, and the steps from one state to the next.

mod containers;
mod disks;
mod env;
mod exec;
mod files;
mod logs;
mod pods;
mod probes;
mod proc;
mod report;
mod serving;
mod volumes;

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::images::Program;
use super::object;
use super::recorder::Source;
use super::schedule::Due;
use super::status::Failure;
use super::store::Key;
use super::world::World;

use self::disks::{Mounted, Volume};
use self::logs::Log;
use self::probes::{Checks, Kind};

/// A step of what runs on a node. One of a run that is over does nothing.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Volumes and sandbox of the pod with this uid.
    Prepare(String),
    /// A container of it is started, if its last run is still this one.
    Begin(String, String, u64),
    /// The process of a run ends.
    Exit(String, u64, i32),
    Probe(String, u64, Kind),
    /// The program of a run does what it does by itself.
    Tick(String, u64),
    /// A line of a request that took its time.
    Line(String, u64, String),
    /// The pod is looked at while a container waits to be started again.
    Wait(String, u64, bool),
    /// Files of volumes are brought up to date.
    Swap(String),
    /// All has stopped: the pod is removed.
    Finish(String),
}

/// What all kubelets know.
#[derive(Debug, Default)]
pub(crate) struct Kubelet {
    pods: BTreeMap<String, PodRun>,
    uids: BTreeMap<Key, String>,
    addresses: BTreeMap<String, String>,
    /// The last address given out on a node.
    given: BTreeMap<String, usize>,
    /// Immutable configs that a node read, and does not read again.
    immutable: BTreeMap<(String, Key), Arc<Value>>,
    runs: u64,
}

/// A pod on its node.
#[derive(Debug)]
pub(crate) struct PodRun {
    key: Key,
    uid: String,
    node: String,
    pod: Arc<Value>,
    /// When the kubelet took it on.
    since: DateTime<Utc>,
    ip: Option<String>,
    volumes: BTreeMap<String, Volume>,
    /// Failures to mount, one after the other.
    unmounted: u32,
    inits: Vec<Container>,
    containers: Vec<Container>,
    initialized: bool,
    /// What the conditions say, and since when.
    conditions: BTreeMap<&'static str, (bool, DateTime<Utc>)>,
    stopping: bool,
    finished: bool,
    /// A swap of volumes is due.
    swapping: bool,
    /// Connections that nobody answers, and until when they are tried.
    waiting: Vec<(String, u16, DateTime<Utc>)>,
}

/// How a run ended.
#[derive(Debug, Clone)]
pub(crate) struct Ended {
    code: i32,
    reason: &'static str,
    id: String,
    started: DateTime<Utc>,
    finished: DateTime<Utc>,
}

#[derive(Debug, Clone)]
pub(crate) enum State {
    Waiting(String, String),
    Running(DateTime<Utc>),
    Ended(Ended),
}

/// A container, from run to run.
#[derive(Debug)]
pub(crate) struct Container {
    name: String,
    image: String,
    state: State,
    last: Option<Ended>,
    restarts: u32,
    /// The number of its last run; none has 0.
    run: u64,
    id: String,
    program: Option<Program>,
    env: Vec<(String, String)>,
    mounts: Vec<Mounted>,
    log: Log,
    previous: Option<Log>,
    ready: bool,
    started: bool,
    checks: Checks,
    /// Seconds to wait before the start after the next end.
    back_off: i64,
    /// Seconds that it waits now.
    wait: i64,
}

impl Container {
    fn new(spec: &Value, waiting: &str) -> Self {
        Self {
            name: object::text(spec, "/name").to_owned(),
            image: object::text(spec, "/image").to_owned(),
            state: State::Waiting(waiting.to_owned(), String::new()),
            last: None,
            restarts: 0,
            run: 0,
            id: String::new(),
            program: None,
            env: Vec::new(),
            mounts: Vec::new(),
            log: Log::default(),
            previous: None,
            ready: false,
            started: false,
            checks: Checks::default(),
            back_off: 0,
            wait: 0,
        }
    }

    fn is_running(&self) -> bool {
        matches!(self.state, State::Running(_))
    }

    /// Whether it has done what it is for.
    fn is_done(&self) -> bool {
        matches!(&self.state, State::Ended(end) if end.code == 0)
    }

    /// Goes on to another state; how the last run ended is kept.
    fn turn(&mut self, state: State) {
        if let State::Ended(ended) = std::mem::replace(&mut self.state, state) {
            self.last = Some(ended);
        }
    }
}

impl PodRun {
    fn all(&self) -> impl Iterator<Item = &Container> {
        self.inits.iter().chain(&self.containers)
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut Container> {
        self.inits.iter_mut().chain(&mut self.containers)
    }

    fn container(&self, name: &str) -> Option<&Container> {
        self.all().find(|container| container.name == name)
    }

    fn container_mut(&mut self, name: &str) -> Option<&mut Container> {
        self.all_mut().find(|container| container.name == name)
    }

    /// The container that is meant: the first where none is named.
    fn meant<'a>(&'a self, name: Option<&'a str>) -> &'a str {
        let first = self.containers.first().map(|c| c.name.as_str());
        name.or(first).unwrap_or_default()
    }

    fn is_init(&self, name: &str) -> bool {
        self.inits.iter().any(|container| container.name == name)
    }

    fn of_run(&mut self, run: u64) -> Option<&mut Container> {
        self.all_mut()
            .find(|container| container.run == run && container.is_running())
    }

    /// What the pod says of a container.
    fn spec(&self, name: &str) -> &Value {
        let lists = ["/spec/containers", "/spec/initContainers"];
        let mut all = lists.iter().flat_map(|list| object::list(&self.pod, list));
        all.find(|spec| object::text(spec, "/name") == name)
            .unwrap_or(&Value::Null)
    }
}

impl World {
    pub(crate) fn step_kubelet(&mut self, step: Step) {
        match step {
            Step::Prepare(uid) => self.prepare(&uid),
            Step::Begin(uid, name, run) => self.begin(&uid, &name, run),
            Step::Exit(uid, run, code) => self.exited(&uid, run, code),
            Step::Probe(uid, run, kind) => self.probe(&uid, run, kind),
            Step::Tick(uid, run) => self.tick(&uid, run),
            Step::Line(uid, run, text) => self.write_line(&uid, run, text),
            Step::Wait(uid, run, first) => self.wait_longer(&uid, run, first),
            Step::Swap(uid) => self.swap(&uid),
            Step::Finish(uid) => self.finish(&uid),
        }
    }

    pub(crate) fn later(&mut self, after: chrono::TimeDelta, step: Step) {
        self.schedule.put(self.now + after, Due::Kubelet(step));
    }

    /// Records an event of a kubelet on a pod, or on one of its containers.
    fn record_pod(
        &mut self,
        uid: &str,
        container: Option<&str>,
        what: (&str, &str),
        message: &str,
    ) {
        let Some(run) = self.kubelet.pods.get(uid) else {
            return;
        };
        let (node, mut pod) = (run.node.clone(), Arc::clone(&run.pod));
        if let Some(live) = self.store.get(&run.key) {
            pod = Arc::clone(live);
        }
        let init = container.is_some_and(|name| run.is_init(name));
        let list = if init { "initContainers" } else { "containers" };
        let field = container.map(|name| format!("spec.{list}{{{name}}}"));
        let source = Source {
            component: "kubelet",
            host: Some(&node),
            field: field.as_deref(),
        };
        self.record(&pod, source, what, message);
    }

    fn run_of(&self, namespace: &str, pod: &str) -> Result<&PodRun, Failure> {
        let key = object::key("pods", namespace, pod);
        let uid = self.kubelet.uids.get(&key);
        uid.and_then(|uid| self.kubelet.pods.get(uid))
            .ok_or_else(|| Failure::not_found(&key))
    }
}

#[cfg(test)]
mod tests;
