//! Where to find things in a snapshot: looking through ten thousand pods for each of a thousand pairs would take seconds.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use chrono::{DateTime, Utc};

use super::case::waits;
use crate::model::{
    Config, ConfigRef, Container, EarlierConfig, Endpoint, Log, Pod, PodRef, Probe, Service,
    Shared, Snapshot, Workload, WorkloadRef,
};

type ProbeKey<'a> = (&'a PodRef, &'a str, &'a ConfigRef);

/// A snapshot with the ways into it.
#[derive(Debug)]
pub(crate) struct Index<'a> {
    pub(crate) snapshot: &'a Snapshot,
    configs: HashMap<&'a ConfigRef, &'a Shared<Config>>,
    /// What stands for configs that are not there, and that a container waits for.
    absent: HashMap<ConfigRef, Shared<Config>>,
    services: HashMap<(&'a str, &'a str), &'a Service>,
    addresses: HashMap<&'a str, &'a Service>,
    endpoints: HashMap<(&'a str, &'a str), Vec<&'a Endpoint>>,
    earlier: HashMap<&'a ConfigRef, &'a EarlierConfig>,
    first_takers: HashMap<&'a ConfigRef, DateTime<Utc>>,
    workloads: HashMap<&'a WorkloadRef, &'a Workload>,
    sets: HashMap<&'a WorkloadRef, Vec<&'a Workload>>,
    pods: HashMap<&'a PodRef, &'a Pod>,
    probes: HashMap<ProbeKey<'a>, &'a Probe>,
    logs: HashMap<(&'a PodRef, &'a str, bool), &'a Log>,
    /// Changes when any Service or endpoint does.
    pub(crate) network: u64,
}

impl<'a> Index<'a> {
    pub(crate) fn of(snapshot: &'a Snapshot) -> Self {
        let mut network = DefaultHasher::new();
        let mut services = HashMap::new();
        let mut addresses = HashMap::new();
        for service in &snapshot.services {
            (&service.namespace, &service.name, &service.cluster_ips).hash(&mut network);
            let ports = service.ports.iter().map(|port| port.port);
            ports.for_each(|port| port.hash(&mut network));
            service.external_name.hash(&mut network);
            let key = (service.namespace.as_str(), service.name.as_str());
            services.entry(key).or_insert(&**service);
            for address in &service.cluster_ips {
                addresses.entry(address.as_str()).or_insert(&**service);
            }
        }
        let mut endpoints: HashMap<_, Vec<&Endpoint>> = HashMap::new();
        for endpoint in &snapshot.endpoints {
            (&endpoint.namespace, &endpoint.service).hash(&mut network);
            (&endpoint.addresses, endpoint.ready).hash(&mut network);
            let key = (endpoint.namespace.as_str(), endpoint.service.as_str());
            endpoints.entry(key).or_default().push(&**endpoint);
        }
        let configs: HashMap<_, _> = snapshot.configs.iter().map(|c| (&c.reference, c)).collect();
        Self {
            snapshot,
            absent: absent(snapshot, &configs),
            configs,
            first_takers: first_takers(snapshot),
            workloads: snapshot
                .workloads
                .iter()
                .map(|w| (&w.reference, &**w))
                .collect(),
            sets: sets(snapshot),
            pods: snapshot.pods.iter().map(|p| (&p.reference, &**p)).collect(),
            earlier: snapshot.earlier.iter().map(|e| (&e.reference, e)).collect(),
            services,
            addresses,
            endpoints,
            probes: probes(snapshot),
            logs: snapshot
                .logs
                .iter()
                .map(|log| ((&log.pod, log.container.as_str(), log.previous), log))
                .collect(),
            network: network.finish(),
        }
    }

    pub(crate) fn config(&self, reference: &ConfigRef) -> Option<&'a Shared<Config>> {
        self.configs.get(reference).copied()
    }

    /// What stands for a config that is not there, and that a container waits for.
    pub(crate) fn absent(&self, reference: &ConfigRef) -> Option<&Shared<Config>> {
        self.absent.get(reference)
    }

    pub(crate) fn workload(&self, reference: &WorkloadRef) -> Option<&'a Workload> {
        self.workloads.get(reference).copied()
    }

    /// The ReplicaSets of a workload, the one of the template of now first.
    pub(crate) fn sets(&self, workload: &WorkloadRef) -> &[&'a Workload] {
        self.sets.get(workload).map_or(&[], Vec::as_slice)
    }

    /// The ReplicaSet of the template of now.
    pub(crate) fn newest_set(&self, workload: &WorkloadRef) -> Option<&'a Workload> {
        self.sets(workload).first().copied()
    }

    /// When the template of now was made, as far as a ReplicaSet tells.
    pub(crate) fn template_made(&self, workload: &WorkloadRef) -> Option<DateTime<Utc>> {
        self.newest_set(workload)?.created
    }

    pub(crate) fn pod(&self, reference: &PodRef) -> Option<&'a Pod> {
        self.pods.get(reference).copied()
    }

    /// When the controller that owns a pod was created.
    pub(crate) fn owner_made(&self, pod: &Pod) -> Option<DateTime<Utc>> {
        self.workloads.get(pod.owner.as_ref()?)?.created
    }

    /// When the oldest pod or template that takes a config was created.
    pub(crate) fn first_taker(&self, reference: &ConfigRef) -> Option<DateTime<Utc>> {
        self.first_takers.get(reference).copied()
    }

    /// The earlier versions of a config, where they were read.
    pub(crate) fn earlier(&self, reference: &ConfigRef) -> Option<&'a EarlierConfig> {
        self.earlier.get(reference).copied()
    }

    pub(crate) fn service(&self, namespace: &str, name: &str) -> Option<&'a Service> {
        self.services.get(&(namespace, name)).copied()
    }

    /// The Service that has this address as its own.
    pub(crate) fn service_at(&self, address: &str) -> Option<&'a Service> {
        self.addresses.get(address).copied()
    }

    /// The endpoints of a Service.
    pub(crate) fn endpoints<'s>(&'s self, service: &'s Service) -> &'s [&'a Endpoint] {
        let (namespace, name) = (service.namespace.as_str(), service.name.as_str());
        self.endpoints
            .get(&(namespace, name))
            .map_or(&[], Vec::as_slice)
    }

    /// What was read last inside this run of a container, about a config.
    pub(crate) fn probe(
        &self,
        pod: &Pod,
        container: &Container,
        config: &ConfigRef,
    ) -> Option<&'a Probe> {
        let run = container.status.as_ref()?.container_id.as_deref();
        let key = (&pod.reference, container.name.as_str(), config);
        let probe = self.probes.get(&key).copied();
        probe.filter(|probe| Some(probe.run.as_str()) == run)
    }

    pub(crate) fn log(&self, pod: &Pod, container: &str, previous: bool) -> Option<&'a Log> {
        self.logs
            .get(&(&pod.reference, container, previous))
            .copied()
    }
}

/// Stand-ins for the configs that are not there, of those that a container waits for.
fn absent(
    snapshot: &Snapshot,
    configs: &HashMap<&ConfigRef, &Shared<Config>>,
) -> HashMap<ConfigRef, Shared<Config>> {
    let waiting = |pod: &&Shared<Pod>| !pod.ready && pod.containers.iter().any(waits);
    let needs = snapshot.pods.iter().filter(waiting).flat_map(|p| p.needs());
    let missing = needs.filter(|need| !configs.contains_key(&need.config));
    let stand_in = |need: crate::model::Need| {
        let config = Config::absent(need.config.clone());
        (need.config, config.into())
    };
    missing.map(stand_in).collect()
}

/// The ReplicaSets of each workload, the one of the template of now first.
fn sets(snapshot: &Snapshot) -> HashMap<&WorkloadRef, Vec<&Workload>> {
    let mut found: HashMap<_, Vec<&Workload>> = HashMap::new();
    let sets = snapshot.workloads.iter();
    for set in sets.filter(|w| w.reference.kind == "ReplicaSet") {
        if let Some(owner) = &set.owner {
            found.entry(owner).or_default().push(set);
        }
    }
    let number = |set: &Workload| set.revision.as_ref().and_then(|r| r.parse::<u64>().ok());
    for sets in found.values_mut() {
        sets.sort_by_key(|set| Reverse((number(set), set.created)));
    }
    found
}

/// The newest of each container and config.
fn probes(snapshot: &Snapshot) -> HashMap<ProbeKey<'_>, &Probe> {
    let mut newest: HashMap<ProbeKey<'_>, &Probe> = HashMap::new();
    for probe in &snapshot.probes {
        let key = (&probe.pod, probe.container.as_str(), &probe.config);
        let known = newest.entry(key).or_insert(probe);
        if known.read_at < probe.read_at {
            *known = probe;
        }
    }
    newest
}

fn first_takers(snapshot: &Snapshot) -> HashMap<&ConfigRef, DateTime<Utc>> {
    let mut first: HashMap<&ConfigRef, DateTime<Utc>> = HashMap::new();
    let mut take = |config, created: DateTime<Utc>| {
        let known = first.entry(config).or_insert(created);
        *known = created.min(*known);
    };
    for pod in &snapshot.pods {
        let Some(created) = pod.created else { continue };
        pod.configs().for_each(|config| take(config, created));
    }
    // The template of another kind may be younger than the object.
    let sets = snapshot.workloads.iter();
    for workload in sets.filter(|w| w.reference.kind == "ReplicaSet") {
        let Some(created) = workload.created else {
            continue;
        };
        workload
            .configs
            .iter()
            .for_each(|config| take(config, created));
    }
    first
}
