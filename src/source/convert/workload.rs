//! Deployments, ReplicaSets, StatefulSets and DaemonSets.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::meta::{Meta, time};
use super::{marks, pod};
use crate::model::{Condition, Workload, WorkloadRef};

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
    metadata: TemplateMeta,
    spec: pod::Spec,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct TemplateMeta {
    annotations: Option<BTreeMap<String, String>>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
#[serde(rename_all = "camelCase")]
struct Strategy {
    r#type: Option<String>,
    rolling_update: Option<RollingUpdate>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
struct RollingUpdate {
    partition: Option<u32>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
struct ConditionOf {
    r#type: String,
    status: String,
    reason: Option<String>,
    message: Option<String>,
    last_transition_time: Option<String>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
struct Status {
    ready_replicas: Option<u32>,
    desired_number_scheduled: Option<u32>,
    number_ready: Option<u32>,
    observed_generation: Option<i64>,
    updated_replicas: Option<u32>,
    updated_number_scheduled: Option<u32>,
    conditions: Option<Vec<ConditionOf>>,
}

/// The workload of this kind that an object is.
pub(crate) fn workload(kind: &str, object: WorkloadObject) -> Workload {
    let WorkloadObject {
        metadata: mut meta,
        spec,
        status,
    } = object;
    let daemons = kind == "DaemonSet";
    let template = spec.template.unwrap_or_default();
    let (configs, needs) = pod::of_template(&template.spec, &meta.namespace);
    let strategy = spec.strategy.or(spec.update_strategy);
    let rolling = strategy.as_ref().and_then(|s| s.rolling_update.as_ref());
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
        partition: rolling.and_then(|r| r.partition).filter(|p| *p > 0),
        strategy: strategy.and_then(|s| s.r#type),
        updated: match daemons {
            true => status.updated_number_scheduled,
            false => status.updated_replicas,
        },
        conditions: status
            .conditions
            .into_iter()
            .flatten()
            .map(condition)
            .collect(),
        marks: marks::of_object(&meta.labels, &meta.annotations),
        template_marks: marks::of_template(&template.metadata.annotations),
        generation: meta.generation,
        observed_generation: status.observed_generation,
        revision: meta.annotations.as_mut().and_then(|a| a.remove(REVISION)),
        uid: meta.uid,
        configs,
        needs,
    }
}

fn condition(of: ConditionOf) -> Condition {
    Condition {
        kind: of.r#type,
        holds: of.status == "True",
        reason: of.reason.unwrap_or_default(),
        message: of.message.unwrap_or_default(),
        since: time(of.last_transition_time.as_deref()),
    }
}
