//! A cluster of one workload over time: what was begun goes on by itself while time passes.

use std::collections::BTreeMap;

use super::Millis;
use super::api::Api;
use super::env::variables;
use super::kubelet::Node;
use super::pod::{Pod, Run, State, Template, Told};
use super::volume::files;
use crate::chance::Chance;

/// What happens to a pod, by its place among the pods.
#[derive(Debug, Clone, Copy)]
enum Event {
    Scheduled(usize),
    Mount(usize),
    /// The init container runs.
    Init(usize),
    /// One of the containers that run is started, for the first time or again.
    Start(usize, usize),
    /// The node's status of the pod is written to the API server.
    Status(usize),
    /// The kubelet looks at the pod again, and so at its volumes; and when it does so next.
    Sync(usize, bool),
    Gone(usize),
    /// The controller makes a pod.
    Create(Option<usize>),
}

#[derive(Debug)]
pub struct World {
    pub now: Millis,
    pub api: Api,
    pub nodes: Vec<Node>,
    pub template: Template,
    pub pods: Vec<Pod>,
    pub chance: Chance,
    events: BTreeMap<(Millis, u64), Event>,
    made: u64,
    /// What happened, in words, where someone wants to read it.
    pub story: Option<Vec<String>>,
}

impl World {
    pub fn new(template: Template, nodes: Vec<Node>, chance: Chance, tell: bool) -> Self {
        Self {
            now: 0,
            api: Api::default(),
            nodes,
            template,
            pods: Vec::new(),
            chance,
            events: BTreeMap::new(),
            made: 0,
            story: tell.then(Vec::new),
        }
    }

    pub fn tell(&mut self, what: impl FnOnce() -> String) {
        let (now, version) = (self.now, self.api.counter);
        if let Some(story) = &mut self.story {
            story.push(format!(
                "{:>9.3} s, version {version:>3}: {}",
                now as f64 / 1000.0,
                what()
            ));
        }
    }

    fn after(&mut self, low: Millis, high: Millis, event: Event) {
        let at = self.now + self.chance.between(low, high);
        self.made += 1;
        self.events.insert((at, self.made), event);
    }

    /// Lets time pass.
    pub fn wait(&mut self, for_so_long: Millis) {
        let until = self.now + for_so_long;
        while let Some(((at, _), _)) = self.events.first_key_value()
            && *at <= until
        {
            let ((at, _), event) = self.events.pop_first().unwrap();
            self.now = at;
            self.happen(event);
        }
        self.now = until;
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Create(name_of) => self.create(name_of),
            Event::Gone(pod) => self.remove(pod),
            Event::Scheduled(pod) => self.scheduled(pod),
            _ if self.pods[self.of(event)].gone => {}
            Event::Mount(pod) => self.mount(pod),
            Event::Init(pod) => self.init(pod),
            Event::Start(pod, container) => self.start(pod, container),
            Event::Status(pod) => self.write_status(pod),
            Event::Sync(pod, again) => self.sync(pod, again),
        }
    }

    fn of(&self, event: Event) -> usize {
        match event {
            Event::Scheduled(pod)
            | Event::Mount(pod)
            | Event::Init(pod)
            | Event::Start(pod, _)
            | Event::Status(pod)
            | Event::Sync(pod, _)
            | Event::Gone(pod) => pod,
            Event::Create(_) => 0,
        }
    }

    /// Makes a pod, in a StatefulSet under the name of the one before.
    pub fn create(&mut self, name_of: Option<usize>) {
        let at = self.pods.len();
        let name = match name_of {
            Some(former) if self.template.stateful => self.pods[former].name.clone(),
            _ if self.template.stateful => format!("web-{at}"),
            _ => format!("web-76d98597b9-{at:05}"),
        };
        let node = self.chance.below(self.nodes.len());
        self.pods.push(Pod {
            uid: format!("uid-{at}"),
            created: self.now - 5,
            node,
            registered: false,
            terminating: false,
            gone: false,
            synced: false,
            projected: vec![Vec::new(); self.template.volumes.len()],
            containers: vec![
                State {
                    waiting: "ContainerCreating",
                    ..State::default()
                };
                self.template.containers.len()
            ],
            told: Vec::new(),
            name,
        });
        self.write_status(at);
        self.tell(|| format!("pod {at} is created, for node {node}"));
        self.after(30, 300, Event::Scheduled(at));
    }

    fn scheduled(&mut self, pod: usize) {
        if self.pods[pod].gone {
            return;
        }
        self.pods[pod].registered = true;
        self.write_status(pod);
        self.after(50, 400, Event::Mount(pod));
    }

    fn write_status(&mut self, pod: usize) {
        let version = self.api.next_version();
        let pod = &mut self.pods[pod];
        let told = Told {
            node: pod.registered.then_some(pod.node),
            terminating: pod.terminating,
            statuses: pod.statuses(self.nodes[pod.node].offset),
            at: self.now,
        };
        pod.told.push((version, Some(told)));
    }

    /// A fact is in the API server up to three seconds later (status manager's queue, PLEG's relist period of 1 s).
    fn status_soon(&mut self, pod: usize) {
        self.after(0, 3000, Event::Status(pod));
    }

    /// Volumes are mounted before images are pulled (kubelet.go `SyncPod`).
    fn mount(&mut self, pod: usize) {
        if !self.project(pod, true) {
            self.tell(|| format!("pod {pod}: its volume lacks something"));
            return self.after(1000, 5000, Event::Mount(pod));
        }
        match self.template.init() {
            Some(init) => {
                self.pods[pod].containers[init].since = self.now;
                self.after(300, 2000, Event::Init(pod));
            }
            None => self.start_soon(pod, self.template.running()[0]),
        }
    }

    /// An image may have to be pulled first, which may take minutes.
    fn start_soon(&mut self, pod: usize, container: usize) {
        let (low, high) = match self.chance.below(60) {
            0 => (60_000, 200_000),
            1..=4 => (3000, 40_000),
            _ => (300, 1500),
        };
        self.start_after(low, high, pod, container);
    }

    fn start_after(&mut self, low: Millis, high: Millis, pod: usize, container: usize) {
        self.pods[pod].containers[container].since = self.now;
        self.after(low, high, Event::Start(pod, container));
    }

    /// Writes the volumes of a pod anew, those of which nothing is missing; whether that was so of all.
    fn project(&mut self, pod: usize, first: bool) -> bool {
        let mut found = Vec::new();
        let node = &mut self.nodes[self.pods[pod].node];
        for volume in &self.template.volumes {
            let contents = node.volume(&self.api, volume, self.now);
            found.push((files(volume, &contents).1, contents));
        }
        let complete = found.iter().all(|(complete, _)| *complete);
        if first && !complete {
            return false;
        }
        for (states, (complete, contents)) in self.pods[pod].projected.iter_mut().zip(found) {
            if complete && states.last().is_none_or(|(_, last)| *last != contents) {
                states.push((self.now, contents));
            }
        }
        complete
    }

    fn init(&mut self, pod: usize) {
        let container = self.template.init().unwrap();
        let Some(run) = self.run(pod, container) else {
            return self.after(5000, 15_000, Event::Init(pod));
        };
        let takes = self.chance.between(100, 3000);
        let state = &mut self.pods[pod].containers[container];
        state.ended = true;
        state.runs.push(Run {
            finished: Some(self.now + takes),
            ..run
        });
        let next = self.template.running()[0];
        self.start_after(takes + 300, takes + 1500, pod, next);
    }

    fn start(&mut self, pod: usize, container: usize) {
        let run = self.run(pod, container);
        let state = &mut self.pods[pod].containers[container];
        state.ended = false;
        let first = state.runs.is_empty();
        match run {
            Some(run) => {
                self.tell(|| format!("pod {pod}: run {} starts with {}", run.id, spoken(&run)));
                self.pods[pod].containers[container].runs.push(run);
            }
            None => {
                state.waiting = "CreateContainerConfigError";
                self.tell(|| format!("pod {pod}: container {container} lacks a config or a key"));
                self.start_after(5000, 15_000, pod, container);
            }
        }
        self.status_soon(pod);
        if !self.pods[pod].synced {
            self.pods[pod].synced = true;
            self.after(0, 90_000, Event::Sync(pod, true));
        }
        let next = self.template.running().into_iter().find(|c| *c > container);
        if let Some(next) = next
            && first
            && self.pods[pod].containers[next].runs.is_empty()
        {
            self.start_soon(pod, next);
        }
    }

    /// A container's configuration is made some time before it is started (kuberuntime_container.go `startContainer`).
    fn run(&mut self, pod: usize, container: usize) -> Option<Run> {
        let slow = self.chance.below(25) == 0;
        let before = self.chance.between(20, if slow { 1200 } else { 250 });
        let made = (self.now - before).max(self.pods[pod].containers[container].since);
        let spec = &self.template.containers[container];
        let node = &mut self.nodes[self.pods[pod].node];
        let environment = node.environment(&self.api, spec, made);
        if !variables(spec, &environment).1 {
            return None;
        }
        let runs = self.pods[pod].containers[container].runs.len();
        Some(Run {
            id: format!("containerd://{pod}-{container}-{runs}"),
            started: self.now,
            finished: None,
            environment,
            bound: self.pods[pod].volumes(made),
            views: vec![(self.now, self.pods[pod].volumes(self.now))],
            reloads: Vec::new(),
        })
    }

    /// The files of a running pod are swapped at the kubelet's next look at it, a minute to a minute and a half after the last one
    /// (docs tasks/configure-pod-container/configure-pod-configmap, "Mounted ConfigMaps are updated automatically"). What is bound
    /// by a subPath is not (concepts/storage/volumes, "configMap").
    fn sync(&mut self, pod: usize, again: bool) {
        let before = self.pods[pod].volumes(self.now);
        self.project(pod, false);
        let after = self.pods[pod].volumes(self.now);
        if before != after {
            self.tell(|| format!("pod {pod}: its files are swapped for {after:?}"));
            let template = &self.template;
            for (at, state) in self.pods[pod].containers.iter_mut().enumerate() {
                if let Some(run) = state.runs.last_mut()
                    && template.programs[at].watches()
                {
                    let read = self.now + self.chance.between(0, 2000);
                    let last = run.views.last().map_or(read, |(at, _)| *at);
                    run.views.push((read.max(last), after.clone()));
                }
            }
        }
        if again {
            self.after(60_000, 90_000, Event::Sync(pod, true));
        }
    }

    /// Pods that are there and not on their way out.
    pub fn standing(&self) -> Vec<usize> {
        let stands = |at: &usize| !self.pods[*at].gone && !self.pods[*at].terminating;
        (0..self.pods.len()).filter(stands).collect()
    }

    /// A container dies and is started again in the same pod, after a back-off or none.
    pub fn restart(&mut self, pod: usize, container: usize) {
        let ended = self.chance.percent(50);
        let now = self.now;
        let state = &mut self.pods[pod].containers[container];
        let Some(run) = state.runs.last_mut().filter(|run| run.finished.is_none()) else {
            return;
        };
        run.finished = Some(now);
        state.ended = ended;
        state.waiting = "CrashLoopBackOff";
        self.tell(|| format!("pod {pod}: container {container} dies"));
        self.status_soon(pod);
        // The restart is a look at the pod too, and what is swapped then races with the start.
        if self.chance.percent(50) {
            self.after(100, 600, Event::Sync(pod, false));
        }
        let (low, high) = if self.chance.percent(15) {
            (20_000, 60_000)
        } else {
            (300, 12_000)
        };
        self.start_after(low, high, pod, container);
    }

    /// The program is told to read its files again.
    pub fn reload(&mut self, pod: usize, container: usize) {
        if self.pods[pod].containers[container].current().is_none() {
            return;
        }
        let (now, files) = (self.now, self.pods[pod].volumes(self.now));
        if let Some(run) = self.pods[pod].containers[container].runs.last_mut() {
            run.reloads.push(now);
            run.views.push((now, files));
            self.tell(|| format!("pod {pod}: container {container} is told to reload"));
        }
    }

    /// A pod is deleted and another one made for it.
    pub fn replace(&mut self, pod: usize) {
        self.pods[pod].terminating = true;
        self.write_status(pod);
        self.tell(|| format!("pod {pod} is deleted"));
        self.after(500, 30_000, Event::Gone(pod));
        if !self.template.stateful {
            self.after(10, 500, Event::Create(None));
        }
    }

    fn remove(&mut self, pod: usize) {
        let version = self.api.next_version();
        let gone = &mut self.pods[pod];
        gone.gone = true;
        gone.told.push((version, None));
        let node = gone.node;
        if !self
            .pods
            .iter()
            .any(|p| p.node == node && p.registered && !p.gone)
        {
            self.nodes[node].forget();
        }
        if self.template.stateful {
            self.after(10, 500, Event::Create(Some(pod)));
        }
    }
}

fn spoken(run: &Run) -> String {
    format!(
        "environment from {:?}, files {:?}",
        run.environment, run.bound
    )
}
