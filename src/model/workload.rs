//! Controllers of pods.

use chrono::{DateTime, Utc};

use super::{ConfigRef, Labels, WorkloadRef};

/// A Deployment, ReplicaSet, StatefulSet or DaemonSet as one read returned it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workload {
    pub reference: WorkloadRef,
    pub uid: String,
    pub created: Option<DateTime<Utc>>,
    /// The controlling owner: a ReplicaSet's Deployment.
    pub owner: Option<WorkloadRef>,
    /// `spec.replicas`, or a DaemonSet's desired number.
    pub desired: Option<u32>,
    pub ready: Option<u32>,
    /// `spec.paused`.
    pub paused: bool,
    /// `RollingUpdate`, `Recreate` or `OnDelete`.
    pub strategy: Option<String>,
    /// `metadata.generation`, and what the controller has seen of it.
    pub generation: Option<i64>,
    pub observed_generation: Option<i64>,
    /// Annotation `deployment.kubernetes.io/revision`.
    pub revision: Option<String>,
    /// The configs that its template names. A ReplicaSet's template never changes; that of another kind is the one of now.
    pub configs: Vec<ConfigRef>,
    /// What its template cannot do without: a config, and the key where it names one.
    pub needs: Vec<Need>,
    /// Pods of the template of now; of a StatefulSet or DaemonSet those of the newest revision.
    pub updated: Option<u32>,
    /// Of a StatefulSet: pods of a lower ordinal are not replaced (`spec.updateStrategy.rollingUpdate.partition`).
    pub partition: Option<u32>,
    /// `Progressing`, `ReplicaFailure` and the like, with what they say.
    pub conditions: Vec<Condition>,
    /// Its labels and annotations that name who keeps it or restarts it by itself; no others are kept.
    pub marks: Labels,
    /// Those of its template, and the checksums of contents among its annotations.
    pub template_marks: Labels,
}

/// Something that a pod cannot start without.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Need {
    pub config: ConfigRef,
    /// `None` is any.
    pub key: Option<String>,
}

/// One entry of `status.conditions`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// `type`.
    pub kind: String,
    /// `status` is `True`.
    pub holds: bool,
    pub reason: String,
    pub message: String,
    pub since: Option<DateTime<Utc>>,
}
