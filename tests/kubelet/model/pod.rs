//! Pods: their template, what their node knows of them, and what the API server was told.

use confsplit::model::{
    Container, ContainerKind, ContainerState, ContainerStatus, Labels, Pod as Listed, PodRef,
    Termination, Volume, WorkloadRef,
};

use super::env::Read;
use super::program::Program;
use super::volume::Projected;
use super::{Millis, NS, stamp};

/// What every pod of the one workload is made from.
#[derive(Debug)]
pub struct Template {
    pub containers: Vec<Container>,
    /// What runs in each of them.
    pub programs: Vec<Program>,
    pub volumes: Vec<Volume>,
    /// `web-0` is made again under its name; otherwise every pod has a name of its own.
    pub stateful: bool,
}

impl Template {
    pub fn volume(&self, name: &str) -> usize {
        self.volumes.iter().position(|v| v.name == name).unwrap()
    }

    /// The containers that run for the pod's whole life, in the order in which they are started.
    pub fn running(&self) -> Vec<usize> {
        let init = |at: &usize| self.containers[*at].kind == ContainerKind::Init;
        (0..self.containers.len()).filter(|at| !init(at)).collect()
    }

    pub fn init(&self) -> Option<usize> {
        (0..self.containers.len()).find(|at| self.containers[*at].kind == ContainerKind::Init)
    }
}

/// One run of one container, as its node knows it. Times are true; the node writes them by its own clock.
#[derive(Debug, Clone)]
pub struct Run {
    pub id: String,
    pub started: Millis,
    pub finished: Option<Millis>,
    /// What the environment was made from.
    pub environment: Read,
    /// What the volumes held when the mounts were made: subPaths are bound to that for the whole run.
    pub bound: Vec<Projected>,
    /// What the process read of its volumes, by when.
    pub views: Vec<(Millis, Vec<Projected>)>,
    pub reloads: Vec<Millis>,
}

impl Run {
    /// What the process had read last at a moment.
    pub fn view(&self, at: Millis) -> &[Projected] {
        let read = self.views.iter().rev().find(|(since, _)| *since <= at);
        &read.unwrap_or(&self.views[0]).1
    }
}

/// One container, with all its runs.
#[derive(Debug, Clone, Default)]
pub struct State {
    pub runs: Vec<Run>,
    /// Why it waits while it does not run.
    pub waiting: &'static str,
    /// When its next start was begun.
    pub since: Millis,
    /// Whether its last end is told as `state.terminated`, which it is until the next start is tried.
    pub ended: bool,
}

#[derive(Debug)]
pub struct Pod {
    pub name: String,
    pub uid: String,
    pub created: Millis,
    pub node: usize,
    /// The kubelet knows it, from when it was scheduled until it is gone.
    pub registered: bool,
    pub terminating: bool,
    pub gone: bool,
    pub synced: bool,
    /// What each volume held, from when on; empty until it is mounted.
    pub projected: Vec<Vec<(Millis, Projected)>>,
    pub containers: Vec<State>,
    /// What the API server holds of it, by resourceVersion. `None` is deleted.
    pub told: Vec<(u64, Option<Told>)>,
}

/// The status as it was written to the API server.
#[derive(Debug, Clone)]
pub struct Told {
    pub node: Option<usize>,
    pub terminating: bool,
    pub statuses: Vec<Option<ContainerStatus>>,
    /// When it was written; in the status' managed fields in whole seconds.
    pub at: Millis,
}

impl Pod {
    /// The volumes as they are on the node at a moment.
    pub fn volumes(&self, at: Millis) -> Vec<Projected> {
        let then = |states: &Vec<(Millis, Projected)>| {
            let last = states.iter().rev().find(|(since, _)| *since <= at);
            last.or(states.first()).unwrap().1.clone()
        };
        self.projected.iter().map(then).collect()
    }

    /// What the API server holds at a resourceVersion.
    pub fn told_at(&self, version: u64) -> Option<&Told> {
        let told = self.told.iter().rev().find(|(v, _)| *v <= version)?;
        told.1.as_ref()
    }

    /// The status of every container as the node knows it, by the node's clock.
    pub fn statuses(&self, offset: Millis) -> Vec<Option<ContainerStatus>> {
        let each = self.containers.iter();
        each.map(|state| self.registered.then(|| state.status(offset)))
            .collect()
    }
}

impl State {
    pub fn current(&self) -> Option<&Run> {
        self.runs.last().filter(|run| run.finished.is_none())
    }

    fn status(&self, offset: Millis) -> ContainerStatus {
        let newest = self.runs.last();
        let before = self.runs.len().checked_sub(2).map(|at| &self.runs[at]);
        let waits = || ContainerState::Waiting {
            reason: self.waiting.to_owned(),
            message: String::new(),
        };
        let (state, last) = match newest {
            None => (waits(), None),
            Some(run) if run.finished.is_none() => {
                let started_at = Some(stamp(run.started + offset));
                (ContainerState::Running { started_at }, before)
            }
            Some(run) if self.ended => {
                (ContainerState::Terminated(termination(run, offset)), before)
            }
            Some(run) => (waits(), Some(run)),
        };
        ContainerStatus {
            container_id: newest.map(|run| run.id.clone()),
            image_id: None,
            ready: self.current().is_some(),
            restarts: u32::try_from(self.runs.len().saturating_sub(1)).unwrap(),
            state,
            last: last.map(|run| termination(run, offset)),
        }
    }
}

fn termination(run: &Run, offset: Millis) -> Termination {
    Termination {
        container_id: Some(run.id.clone()),
        exit_code: 137,
        reason: "Error".to_owned(),
        started_at: Some(stamp(run.started + offset)),
        finished_at: run.finished.map(|at| stamp(at + offset)),
    }
}

/// The pod as a list returns it, of what the API server was told.
pub fn listed(template: &Template, pod: &Pod, told: &Told, version: u64) -> Listed {
    let mut containers = template.containers.clone();
    for (container, status) in containers.iter_mut().zip(&told.statuses) {
        container.status.clone_from(status);
    }
    let ready = containers
        .iter()
        .filter(|c| c.kind != ContainerKind::Init)
        .all(|c| c.status.as_ref().is_some_and(|s| s.ready));
    let (kind, owner) = match template.stateful {
        true => ("StatefulSet", "web"),
        false => ("ReplicaSet", "web-76d98597b9"),
    };
    let label = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    Listed {
        reference: PodRef {
            namespace: NS.to_owned(),
            name: pod.name.clone(),
            uid: pod.uid.clone(),
        },
        resource_version: version.to_string(),
        created: Some(stamp(pod.created)),
        reported: Some(stamp(told.at)),
        os: None,
        terminating: told.terminating,
        owner: Some(WorkloadRef::new(kind, NS, owner)),
        marks: Labels::default(),
        labels: [label("pod-template-hash", "76d98597b9")]
            .into_iter()
            .collect(),
        node: told.node.map(|node| format!("node-{node}")),
        phase: if ready { "Running" } else { "Pending" }.to_owned(),
        ip: None,
        ready,
        containers,
        volumes: template.volumes.clone(),
    }
}
