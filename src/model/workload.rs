//! Controllers of pods.

use chrono::{DateTime, Utc};

use super::{ConfigRef, WorkloadRef};

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
    /// Of a ReplicaSet the configs that its template names, which never changes.
    pub configs: Vec<ConfigRef>,
}
