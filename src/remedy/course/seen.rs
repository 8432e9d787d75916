//! What a remedy under way sees of the cluster: the config, the workload, and its replicas as they are judged now.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};

use crate::analysis::{Replica, Use, UseLoad};
use crate::model::{Config, Pod, PodRef, Workload};
use crate::remedy::goal::fails;

/// The kubelet swaps mounted files within two minutes.
const SWAP: TimeDelta = TimeDelta::seconds(150);

/// The facts of one look.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// On the API server's clock.
    pub now: DateTime<Utc>,
    /// Whether that is how it is now: the connection is not lost.
    pub fresh: bool,
    pub config: Option<&'a Config>,
    pub workload: Option<&'a Workload>,
    /// Of the pods that are not going.
    pub replicas: &'a [Replica],
    pub pods: &'a [&'a Pod],
}

impl<'a> Seen<'a> {
    /// Who wrote the config last, as far as the API records it.
    pub(super) fn last_writer(&self) -> Option<String> {
        let managed = self.config?.managed.iter();
        let last = managed.max_by_key(|entry| entry.time)?;
        Some(last.manager.clone())
    }

    pub(super) fn going(&self, pod: &PodRef) -> bool {
        self.pods
            .iter()
            .any(|p| p.reference == *pod && p.terminating)
    }

    /// Pods that do not run what is live, or of which that is not known: those that fail first, then the oldest. One that reads
    /// files may come to run it by itself, and is given the time that a swap takes after a content was written.
    pub(super) fn stale(&self, failing: &[PodRef], written: Option<DateTime<Utc>>) -> Vec<PodRef> {
        let early = written.is_some_and(|at| self.now - at < SWAP);
        let may_follow = |r: &Replica| {
            let swapped = |u: &UseLoad| matches!(u.via, Use::Volume { .. } | Use::Projected { .. });
            early
                && !failing.contains(&r.pod)
                && !fails(r)
                && r.uses.iter().all(|u| u.live == Some(true) || swapped(u))
        };
        let mut pods: Vec<(bool, Option<DateTime<Utc>>, &PodRef)> = self
            .replicas
            .iter()
            .filter(|r| r.live != Some(true) && !self.going(&r.pod) && !may_follow(r))
            .map(|r| (!failing.contains(&r.pod) && !fails(r), r.started_at, &r.pod))
            .collect();
        pods.sort();
        let mut told = BTreeSet::new();
        let new = pods
            .into_iter()
            .filter(|(.., pod)| told.insert((*pod).clone()));
        new.map(|(.., pod)| pod.clone()).collect()
    }

    /// Whether a pod is still there.
    pub(super) fn has(&self, pod: &PodRef) -> bool {
        self.pods.iter().any(|p| p.reference == *pod)
    }

    pub(super) fn started_after(&self, since: DateTime<Utc>) -> impl Iterator<Item = &'a Replica> {
        let pods = self.pods;
        // The second in which a pod was made may be the one before: times of the API are whole seconds.
        let since = since - TimeDelta::seconds(1);
        self.replicas.iter().filter(move |r| {
            let pod = pods.iter().find(|p| p.reference == r.pod);
            pod.and_then(|p| p.created)
                .is_some_and(|created| created >= since)
        })
    }

    /// Pods that serve: ready, and most of their answers no errors.
    pub(super) fn serving(&self) -> usize {
        let pods: BTreeSet<&PodRef> = self
            .replicas
            .iter()
            .filter(|r| !fails(r) && !self.going(&r.pod))
            .map(|r| &r.pod)
            .collect();
        pods.len()
    }

    pub(super) fn serves(&self, pod: &PodRef) -> bool {
        let of = self.replicas.iter().filter(|r| r.pod == *pod);
        of.clone().count() > 0 && of.clone().all(|r| !fails(r))
    }

    pub(super) fn ready(&self) -> usize {
        self.pods
            .iter()
            .filter(|p| p.ready && !p.terminating)
            .count()
    }

    pub(super) fn desired(&self) -> usize {
        let desired = self.workload.and_then(|w| w.desired);
        desired.map_or(0, |n| usize::try_from(n).unwrap_or(usize::MAX))
    }

    /// Whether the controller has done all that its template asks for, and every pod is ready.
    pub(super) fn is_rolled_out(&self) -> bool {
        let Some(workload) = self.workload else {
            // Without the right to read it, its pods are all that is seen.
            let still = |pod: &&Pod| pod.ready && !pod.terminating;
            return !self.pods.is_empty() && self.pods.iter().all(still);
        };
        let observed = workload.generation == workload.observed_generation
            || workload.observed_generation.is_none();
        let updated = workload.updated.is_none_or(|updated| {
            workload.strategy.as_deref() == Some("OnDelete") || Some(updated) >= workload.desired
        });
        let going = self.pods.iter().any(|p| p.terminating);
        observed
            && updated
            && !going
            && self.ready() >= self.desired()
            && self.pods.len() <= self.desired().max(self.ready())
    }

    /// What keeps pods from being made or from becoming ready.
    pub(super) fn obstacle(&self) -> Option<String> {
        let conditions = self.workload.into_iter().flat_map(|w| &w.conditions);
        let failure = conditions.clone().find(|c| {
            (c.kind == "ReplicaFailure" && c.holds) || (c.kind == "Progressing" && !c.holds)
        });
        if let Some(condition) = failure {
            return Some(format!("{}: {}", condition.reason, condition.message));
        }
        let waiting = self.replicas.iter().find(|r| !r.ready);
        let behind = self.replicas.iter().find(|r| r.live != Some(true));
        match (waiting, behind) {
            (Some(r), _) => Some(format!("{} is not ready: {}", r.pod.name, r.state)),
            (None, Some(r)) => Some(format!(
                "{} does not run it as far as is known: {}",
                r.pod.name, r.why
            )),
            (None, None) => None,
        }
    }
}
