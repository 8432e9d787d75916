//! All facts at a moment, and what is missing from them.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};

use super::{
    Config, EarlierConfig, Endpoint, Event, Gap, Log, Pod, Service, Shared, Target, Want, Workload,
};

/// Everything that was read. The reader fills it; the analysis only looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    pub cluster: Cluster,
    pub scope: Scope,
    /// When the lists had been read: the "now" of the report.
    pub taken_at: DateTime<Utc>,
    pub configs: Vec<Shared<Config>>,
    pub earlier: Vec<EarlierConfig>,
    /// Deployments, ReplicaSets, StatefulSets and DaemonSets.
    pub workloads: Vec<Shared<Workload>>,
    pub pods: Vec<Shared<Pod>>,
    pub pods_at: Vec<PodsAt>,
    pub services: Vec<Shared<Service>>,
    pub endpoints: Vec<Shared<Endpoint>>,
    pub events: Vec<Shared<Event>>,
    pub logs: Vec<Log>,
    pub gaps: Vec<Gap>,
    /// The further reads that were asked for, answered or not.
    pub asked: BTreeSet<Want>,
}

/// Which cluster this is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// The kubeconfig's context; `None` inside a cluster.
    pub context: Option<String>,
    /// `--kubeconfig`, `--as` and `--as-group` with their values, where they were given: commands that are printed need them too.
    pub flags: Option<Vec<String>>,
    /// The API server's address.
    pub server: String,
    /// `gitVersion`, where it was told.
    pub version: Option<String>,
}

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// `None` is all namespaces.
    pub namespace: Option<String>,
    pub target: Option<Target>,
    /// The route that the failures are about, as `/api/items` or `GET /api/items`.
    pub route: Option<String>,
}

/// The pods of a namespace as they were at a resourceVersion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodsAt {
    pub namespace: String,
    pub resource_version: String,
    pub pods: Vec<Pod>,
    pub read_at: DateTime<Utc>,
}

impl Snapshot {
    /// A snapshot in which nothing has been read yet.
    pub fn empty(cluster: Cluster, scope: Scope, taken_at: DateTime<Utc>) -> Self {
        Self {
            cluster,
            scope,
            taken_at,
            configs: Vec::new(),
            earlier: Vec::new(),
            workloads: Vec::new(),
            pods: Vec::new(),
            pods_at: Vec::new(),
            services: Vec::new(),
            endpoints: Vec::new(),
            events: Vec::new(),
            logs: Vec::new(),
            gaps: Vec::new(),
            asked: BTreeSet::new(),
        }
    }
}
