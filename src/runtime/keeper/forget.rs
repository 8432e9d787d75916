//! What is no longer true of a container that was started again, or of a pod that is gone.

use std::collections::HashSet;

use tokio::task::JoinSet;

use super::Keeper;
use super::apply::Lists;
use super::link::Links;
use crate::analysis::Analyst;
use crate::app::Msg;
use crate::model::{Gap, GapReason, Log, PodRef, Snapshot, Want};
use crate::source::Source;

impl<S: Source + 'static> Keeper<S> {
    /// Lets go of everything: what comes next is of another cluster, or of another state of it. What is under way is given up, so
    /// that no answer of before is told after it.
    pub(super) async fn begin_anew(&mut self, why: String) {
        let now = self.clock.now();
        let (cluster, scope) = (self.snapshot.cluster.clone(), self.snapshot.scope.clone());
        self.snapshot = Snapshot::empty(cluster, scope, now);
        self.snapshot.gaps.push(Gap {
            verb: "watch".to_owned(),
            resource: "everything".to_owned(),
            namespace: self.snapshot.scope.namespace.clone(),
            name: None,
            reason: GapReason::Bounded(format!("{why}, and was read anew")),
        });
        self.following.drain().for_each(|(_, task)| task.abort());
        self.answering = JoinSet::new();
        self.looking = None;
        self.analyst = Some(Analyst::default());
        self.lists = Lists::default();
        self.links = Links::default();
        self.held_back.clear();
        self.complete = false;
        self.tell(Msg::Anew(why)).await;
    }

    pub(super) fn ask_again(&mut self, pod: &PodRef, container: &str) {
        for previous in [false, true] {
            self.snapshot.asked.remove(&Want::Log {
                pod: pod.clone(),
                container: container.to_owned(),
                previous,
            });
        }
        self.snapshot.gaps.retain(|gap| {
            gap.resource != "pods/log" || gap.name.as_deref() != Some(pod.name.as_str())
        });
        self.forget_probes(|of, name| of == pod && name.is_none_or(|name| name == container));
        let key = (pod.clone(), container.to_owned());
        self.lists.ended.remove(&key);
        if let Some(task) = self.following.remove(&key) {
            task.abort();
        }
        let same = |log: &Log| log.pod == *pod && log.container == container;
        self.snapshot
            .logs
            .retain(|log| !(same(log) && log.previous));
        for log in self.snapshot.logs.iter_mut().filter(|log| same(log)) {
            log.previous = true;
        }
    }

    /// The logs of a pod that is gone say nothing of any replica. Its events stay.
    pub(super) fn forget_pod(&mut self, namespace: &str, name: &str) {
        let of_it = |pod: &PodRef| pod.namespace == namespace && pod.name == name;
        self.snapshot.logs.retain(|log| !of_it(&log.pod));
        self.snapshot
            .asked
            .retain(|want| !matches!(want, Want::Log { pod, .. } if of_it(pod)));
        self.snapshot.gaps.retain(|gap| {
            gap.resource != "pods/log"
                || gap.name.as_deref() != Some(name)
                || gap.namespace.as_deref() != Some(namespace)
        });
        self.lists.ended.retain(|(pod, _), _| !of_it(pod));
        self.forget_probes(|pod, _| of_it(pod));
    }

    /// What was read in containers, and what they told, by pod and container. Of the latter only the pod is known.
    fn forget_probes(&mut self, gone: impl Fn(&PodRef, Option<&str>) -> bool) {
        let snapshot = &mut self.snapshot;
        snapshot
            .probes
            .retain(|p| !gone(&p.pod, Some(&p.container)));
        snapshot.told.retain(|told| !gone(&told.pod, None));
        let mut pods: HashSet<PodRef> = HashSet::new();
        snapshot.asked.retain(|want| {
            let (pod, container) = match want {
                Want::Probe { pod, container, .. } => (pod, Some(container.as_str())),
                Want::ToldVersion { pod, .. } => (pod, None),
                _ => return true,
            };
            let gone = gone(pod, container);
            if gone {
                pods.insert(pod.clone());
            }
            !gone
        });
        snapshot.gaps.retain(|gap| {
            !matches!(gap.resource.as_str(), "pods/exec" | "pods/proxy")
                || !pods.iter().any(|pod| {
                    gap.name.as_ref() == Some(&pod.name)
                        && gap.namespace.as_ref() == Some(&pod.namespace)
                })
        });
        // Those of its other containers are still true.
        let left = snapshot.probes.iter().flat_map(|probe| &probe.gaps);
        let left = left.filter(|gap| !snapshot.gaps.contains(gap));
        let left: Vec<Gap> = left.cloned().collect();
        snapshot.gaps.extend(left);
    }
}
