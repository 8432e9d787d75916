//! Plays the steps of a scenario, each when it is due, and lets the cluster go on between them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use chrono::{DateTime, Utc};

use super::kubectl::{Kubectl, Refused};
use super::{Deed, Pick, ScenarioError, Step, Which};
use crate::sim::object;
use crate::sim::world::World;

/// What is still to happen.
#[derive(Debug, Default)]
pub struct Script {
    namespace: String,
    steps: Vec<Step>,
    /// When, and the place of the step: what is due at the same time happens in the order of the file.
    due: BinaryHeap<Reverse<(DateTime<Utc>, usize)>>,
}

impl Script {
    pub(super) fn new(begins: DateTime<Utc>, namespace: String, steps: Vec<Step>) -> Self {
        let due = steps.iter().enumerate();
        let due = due.map(|(place, step)| Reverse((begins + step.at, place)));
        Self {
            namespace,
            due: due.collect(),
            steps,
        }
    }

    /// When the next step is due.
    pub fn next(&self) -> Option<DateTime<Utc>> {
        self.due.peek().map(|Reverse((at, _))| *at)
    }

    /// Lets everything happen that is due until a moment. A step that fails is left out, and the first of these is told.
    pub fn play(&mut self, world: &mut World, until: DateTime<Utc>) -> Result<(), ScenarioError> {
        let mut failed = None;
        while let Some(&Reverse((at, place))) = self.due.peek()
            && at <= until
        {
            self.due.pop();
            world.run_until(at);
            if let Some(step) = self.steps.get(place) {
                if let Err(Refused(what)) = act(world, &self.namespace, step) {
                    failed.get_or_insert(ScenarioError::Failed { at, what });
                }
                world.settle();
                if let Some(every) = step.every {
                    self.due.push(Reverse((at + every, place)));
                }
            }
        }
        world.run_until(until);
        failed.map_or(Ok(()), Err)
    }
}

fn act(world: &mut World, namespace: &str, step: &Step) -> Result<(), Refused> {
    let mut kubectl = Kubectl::new(world, namespace, step.by.as_deref());
    match &step.deed {
        Deed::Apply(objects) => objects.iter().try_for_each(|object| kubectl.apply(object)),
        Deed::Create(objects) => objects.iter().try_for_each(|object| kubectl.create(object)),
        Deed::Sed { object, from, to } => kubectl.sed(object, from, to),
        Deed::Patch { object, with } => kubectl.patch(object, with),
        Deed::Restart(object) => kubectl.restart(object),
        Deed::Delete(object) => kubectl.delete(object),
        Deed::DeletePod(pick) => {
            let pod = picked(world, namespace, pick)?;
            Kubectl::new(world, namespace, None).delete(&format!("Pod/{pod}"))
        }
        Deed::KillContainer(pick) => {
            let pod = picked(world, namespace, pick)?;
            let container = first_container(world, namespace, &pod);
            world
                .kill_container(namespace, &pod, &container)
                .map_err(Refused::from)
        }
    }
}

fn first_container(world: &World, namespace: &str, pod: &str) -> String {
    let pod = world.store().get(&object::key("pods", namespace, pod));
    let name = pod.map_or("", |pod| object::text(pod, "/spec/containers/0/name"));
    name.to_owned()
}

/// The name of the pod that is meant.
fn picked(world: &World, namespace: &str, pick: &Pick) -> Result<String, Refused> {
    let pods = world
        .store()
        .list(object::resource("pods"), Some(namespace));
    let pods = pods
        .filter(|(_, pod)| object::labels(pod)["app"] == pick.app.as_str())
        .filter(|(_, pod)| !object::is_deleting(pod))
        .map(|(key, pod)| (object::text(pod, "/metadata/creationTimestamp"), &key.name));
    let found = match pick.which {
        Which::Oldest => pods.min(),
        Which::Youngest => pods.max(),
    };
    let found = found.map(|(_, name)| name.clone());
    found.ok_or_else(|| Refused(format!("no pod has the label app={}", pick.app)))
}
