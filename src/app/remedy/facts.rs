//! What is known of the pair that a remedy is about.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};

use super::{App, Remedy};
use crate::analysis::{Incident, Replica};
use crate::app::Reading;
use crate::app::msg::Link;
use crate::app::screen::Screen;
use crate::model::{ConfigRef, Pod, Workload, WorkloadRef};
use crate::remedy::{self, Seen};

impl App {
    /// Looks with what is known now of what a remedy is about.
    pub(super) fn seeing<T>(&self, remedy: &Remedy, look: impl FnOnce(&Seen<'_>) -> T) -> T {
        let (config, workload) = remedy.pair();
        let watched = self.judged(&config, &workload);
        let replicas = watched.map_or(&[][..], |watched| &watched.replicas);
        let pods = self.pods_of(&workload, replicas);
        let fresh =
            matches!(self.reading, Reading::Done) && matches!(self.link, Some(Link::Live { .. }));
        look(&Seen {
            now: self.cluster_now(),
            fresh,
            config: self.facts.config(&remedy.config),
            workload: self.workload_of(&workload),
            replicas,
            pods: &pods,
        })
    }

    /// A pair as it is judged now, be it an incident or not.
    fn judged(&self, config: &ConfigRef, workload: &WorkloadRef) -> Option<&Incident> {
        let is_it = |one: &&Incident| one.config == *config && one.workload == *workload;
        let watched = self.watched.as_deref().filter(is_it);
        watched.or_else(|| self.incident_of(config, workload))
    }

    /// The pods of a workload: those of its replicas, and those of the same owner that are not judged.
    pub(super) fn pods_of<'a>(
        &'a self,
        workload: &'a WorkloadRef,
        replicas: &[Replica],
    ) -> Vec<&'a Pod> {
        let parts = self.facts.parts.iter().flat_map(|part| &part.workloads);
        let sets = parts.filter(|set| set.owner.as_ref() == Some(workload));
        let mut owners: BTreeSet<&WorkloadRef> = sets.map(|set| &set.reference).collect();
        owners.insert(workload);
        let owned = |pod: &Pod| {
            pod.owner
                .as_ref()
                .is_some_and(|owner| owners.contains(owner))
        };
        let here = self.facts.pods(&workload.namespace);
        here.filter(|pod| {
            let running = !matches!(pod.phase.as_str(), "Succeeded" | "Failed");
            running && (owned(pod) || replicas.iter().any(|r| r.pod == pod.reference))
        })
        .collect()
    }

    pub(in crate::app) fn workload_of(&self, workload: &WorkloadRef) -> Option<&Workload> {
        let parts = self.facts.parts.iter().flat_map(|part| &part.workloads);
        parts.map(|w| &**w).find(|w| w.reference == *workload)
    }

    /// Now, on the API server's clock.
    pub(in crate::app) fn cluster_now(&self) -> DateTime<Utc> {
        let ahead = self
            .facts
            .parts
            .first()
            .map(|part| part.taken_at - part.now());
        self.now - ahead.unwrap_or_default()
    }

    /// What is to be known before it is agreed to.
    pub fn remedy_notes(&self) -> Vec<remedy::Note> {
        let Some(remedy) = &self.remedy else {
            return Vec::new();
        };
        let (Ok(goal), Some(Ok(prepared))) = (&remedy.goal, &remedy.prepared) else {
            return Vec::new();
        };
        let incident = self.incident_of(&remedy.config, &remedy.workload);
        let replicas = incident.map_or(&[][..], |incident| &incident.replicas);
        let pods = self.pods_of(&remedy.workload, replicas);
        remedy::notes(
            goal,
            incident,
            &pods,
            self.workload_of(&remedy.workload),
            prepared,
        )
    }

    pub(super) fn incident_of(
        &self,
        config: &ConfigRef,
        workload: &WorkloadRef,
    ) -> Option<&Incident> {
        let mut all = self.incidents().iter();
        all.find(|incident| incident.config == *config && incident.workload == *workload)
    }

    /// The pair that a remedy is about, where one is open or under way.
    pub(in crate::app) fn remedied(&self) -> Option<(ConfigRef, WorkloadRef)> {
        let remedy = self.remedy.as_ref()?;
        let shown = matches!(self.screen, Screen::Remedy(_));
        (shown || remedy.is_under_way()).then(|| remedy.pair())
    }
}
