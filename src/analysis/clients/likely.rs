//! Who may be a client of an incident's workload: those whose configuration names its Service, and load generators and gateways by
//! their names. Their logs are read only if the user names one.

use std::collections::BTreeMap;

use crate::analysis::incident::{Incident, NotChecked};
use crate::analysis::index::Index;
use crate::analysis::names::list;
use crate::analysis::signals::{Endpoints, endpoints_in};
use crate::analysis::target::selects;
use crate::model::{ConfigKind, ConfigRef, Pod, Service, Shared, Snapshot, WorkloadRef};

/// So many are proposed.
const PROPOSED: usize = 3;

/// In the name of a workload or an image these say that it asks others.
const NAMES: [&str; 14] = [
    "loadgen",
    "load-gen",
    "loadtest",
    "load-test",
    "traffic",
    "gateway",
    "ingress",
    "k6",
    "locust",
    "vegeta",
    "fortio",
    "gatling",
    "artillery",
    "jmeter",
];

/// Workloads that by their names ask others.
#[derive(Debug, Default)]
pub(crate) struct Likely(Vec<WorkloadRef>);

impl Likely {
    pub(crate) fn note(&mut self, workload: &WorkloadRef, pods: &[&Shared<Pod>]) {
        let says = |text: &str| NAMES.iter().any(|name| text.contains(name));
        let images = pods.first().into_iter().flat_map(|pod| &pod.containers);
        let mut images = images.map(|c| c.image.rsplit('/').next().unwrap_or_default());
        if says(&workload.name) || images.any(says) {
            self.0.push(workload.clone());
        }
    }
}

/// What would be known if a client's log were counted.
pub(crate) fn propose<'t>(
    index: &Index<'_>,
    incident: &Incident,
    takers: &'t BTreeMap<ConfigRef, Vec<WorkloadRef>>,
    likely: &'t Likely,
) -> Option<NotChecked> {
    let snapshot = index.snapshot;
    if snapshot.scope.client.is_some() {
        return None;
    }
    let service = service(snapshot, incident)?;
    let mut found: Vec<&WorkloadRef> = Vec::new();
    let mut add = |workload: &'t WorkloadRef| {
        if *workload != incident.workload && !found.contains(&workload) {
            found.push(workload);
        }
    };
    for (config, workloads) in takers {
        if config.kind == ConfigKind::ConfigMap && names(index, config, service) {
            workloads.iter().for_each(&mut add);
        }
    }
    let near = |workload: &&WorkloadRef| workload.namespace == service.namespace;
    likely.0.iter().filter(near).for_each(add);
    let flags = found.iter().filter_map(|workload| short(workload));
    let flags: Vec<String> = flags.take(PROPOSED).collect();
    if flags.is_empty() {
        return None;
    }
    Some(NotChecked {
        what: format!("What clients of Service/{} see", service.name),
        why: format!(
            "nobody's log was named: {} would count the answers in it",
            list(&flags)
        ),
    })
}

/// The Service in front of the incident's replicas.
fn service<'a>(snapshot: &'a Snapshot, incident: &Incident) -> Option<&'a Service> {
    let replica = |pod: &Pod| incident.replicas.iter().any(|r| r.pod == pod.reference);
    let pod = snapshot.pods.iter().find(|pod| replica(pod))?;
    let services = snapshot.services.iter().map(|service| &**service);
    let mut near = services.filter(|service| service.namespace == pod.reference.namespace);
    near.find(|service| selects(service, pod))
}

/// Whether a ConfigMap's content names a Service as a host.
fn names(index: &Index<'_>, config: &ConfigRef, service: &Service) -> bool {
    let Some(content) = index.config(config).and_then(|c| c.content.as_ref()) else {
        return false;
    };
    let mut texts = content
        .keys()
        .into_iter()
        .filter_map(|key| content.get_text(key));
    // Most contents name no Service at all, and what follows takes its time.
    if !texts.any(|text| text.contains(service.name.as_str())) {
        return false;
    }
    let network = Endpoints::new(index, &config.namespace);
    let named = endpoints_in(content);
    named.iter().any(|named| {
        network
            .service(&named.host)
            .is_some_and(|other| other.namespace == service.namespace && other.name == service.name)
    })
}

/// The flag as it is typed; of a kind that has no short name, none.
fn short(workload: &WorkloadRef) -> Option<String> {
    let kind = match workload.kind.as_str() {
        "Deployment" => "deploy",
        "StatefulSet" => "sts",
        "DaemonSet" => "ds",
        "ReplicaSet" => "rs",
        "Pod" => "pod",
        _ => return None,
    };
    Some(format!("`--client {kind}/{}`", workload.name))
}
