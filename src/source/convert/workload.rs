//! Deployments, ReplicaSets, StatefulSets and DaemonSets.

use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, StatefulSet};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::Deserialize;

use super::meta::{Meta, controller, from_api, time};
use crate::model::{Workload, WorkloadRef};

const REVISION: &str = "deployment.kubernetes.io/revision";

/// Of ReplicaSets there are many: every Deployment keeps ten.
#[derive(Deserialize, Debug)]
pub(crate) struct ReplicaSetObject {
    metadata: Meta,
    #[serde(default)]
    spec: ReplicaSetSpec,
    #[serde(default)]
    status: ReplicaSetStatus,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
struct ReplicaSetSpec {
    replicas: Option<u32>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
struct ReplicaSetStatus {
    ready_replicas: Option<u32>,
    observed_generation: Option<i64>,
}

pub(crate) fn replica_set(object: &ReplicaSetObject) -> Workload {
    let meta = &object.metadata;
    Workload {
        reference: WorkloadRef::new("ReplicaSet", &meta.namespace, &meta.name),
        uid: meta.uid.clone(),
        created: time(meta.creation_timestamp.as_deref()),
        owner: meta.owner(),
        desired: object.spec.replicas,
        ready: object.status.ready_replicas,
        paused: false,
        strategy: None,
        generation: meta.generation,
        observed_generation: object.status.observed_generation,
        revision: meta
            .annotations
            .as_ref()
            .and_then(|a| a.get(REVISION).cloned()),
    }
}

fn base(kind: &str, meta: &ObjectMeta) -> Workload {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    Workload {
        reference: WorkloadRef::new(kind, &text(&meta.namespace), &text(&meta.name)),
        uid: text(&meta.uid),
        created: from_api(meta.creation_timestamp.as_ref()),
        owner: controller(meta),
        desired: None,
        ready: None,
        paused: false,
        strategy: None,
        generation: meta.generation,
        observed_generation: None,
        revision: meta
            .annotations
            .as_ref()
            .and_then(|a| a.get(REVISION).cloned()),
    }
}

fn number(value: Option<i32>) -> Option<u32> {
    value.and_then(|v| u32::try_from(v).ok())
}

pub(crate) fn deployment(object: &Deployment) -> Workload {
    let (spec, status) = (&object.spec, object.status.as_ref());
    Workload {
        desired: number(spec.replicas),
        ready: number(status.and_then(|s| s.ready_replicas)),
        paused: spec.paused.unwrap_or(false),
        strategy: spec.strategy.as_ref().and_then(|s| s.type_.clone()),
        observed_generation: status.and_then(|s| s.observed_generation),
        ..base("Deployment", &object.metadata)
    }
}

pub(crate) fn stateful_set(object: &StatefulSet) -> Workload {
    let (spec, status) = (&object.spec, object.status.as_ref());
    Workload {
        desired: number(spec.replicas),
        ready: number(status.and_then(|s| s.ready_replicas)),
        strategy: spec.update_strategy.as_ref().and_then(|s| s.type_.clone()),
        observed_generation: status.and_then(|s| s.observed_generation),
        ..base("StatefulSet", &object.metadata)
    }
}

pub(crate) fn daemon_set(object: &DaemonSet) -> Workload {
    let (spec, status) = (&object.spec, object.status.as_ref());
    Workload {
        desired: number(status.map(|s| s.desired_number_scheduled)),
        ready: number(status.map(|s| s.number_ready)),
        strategy: spec.update_strategy.as_ref().and_then(|s| s.type_.clone()),
        observed_generation: status.and_then(|s| s.observed_generation),
        ..base("DaemonSet", &object.metadata)
    }
}
