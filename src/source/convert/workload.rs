//! Deployments, ReplicaSets, StatefulSets and DaemonSets.

use serde::Deserialize;

use super::meta::{Meta, time};
use super::pod;
use crate::model::{Workload, WorkloadRef};

const REVISION: &str = "deployment.kubernetes.io/revision";

/// What is needed of any of the four: what one kind lacks stays unset.
#[derive(Deserialize)]
pub(crate) struct WorkloadObject {
    metadata: Meta,
    #[serde(default)]
    spec: Spec,
    #[serde(default)]
    status: Status,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Spec {
    replicas: Option<u32>,
    paused: Option<bool>,
    strategy: Option<Strategy>,
    update_strategy: Option<Strategy>,
    template: Option<Template>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Template {
    spec: pod::Spec,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
struct Strategy {
    r#type: Option<String>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
struct Status {
    ready_replicas: Option<u32>,
    desired_number_scheduled: Option<u32>,
    number_ready: Option<u32>,
    observed_generation: Option<i64>,
}

/// The workload of this kind that an object is.
pub(crate) fn workload(kind: &str, object: WorkloadObject) -> Workload {
    let WorkloadObject {
        metadata: mut meta,
        spec,
        status,
    } = object;
    let daemons = kind == "DaemonSet";
    let template = spec.template.filter(|_| kind == "ReplicaSet");
    let configs = template.map(|t| pod::configs(&t.spec, &meta.namespace));
    Workload {
        reference: WorkloadRef::new(kind, &meta.namespace, &meta.name),
        created: time(meta.creation_timestamp.as_deref()),
        owner: meta.owner(),
        desired: if daemons {
            status.desired_number_scheduled
        } else {
            spec.replicas
        },
        ready: if daemons {
            status.number_ready
        } else {
            status.ready_replicas
        },
        paused: spec.paused.unwrap_or(false),
        strategy: spec
            .strategy
            .or(spec.update_strategy)
            .and_then(|s| s.r#type),
        generation: meta.generation,
        observed_generation: status.observed_generation,
        revision: meta.annotations.as_mut().and_then(|a| a.remove(REVISION)),
        uid: meta.uid,
        configs: configs.unwrap_or_default(),
    }
}
