//! All facts at a moment, and what is missing from them.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};

use super::{
    Clocks, Config, EarlierConfig, Endpoint, Event, Gap, Log, Namesake, Outside, Pod, Probe,
    Service, Shared, Target, ToldVersion, Want, Workload,
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
    pub probes: Vec<Probe>,
    pub told: Vec<ToldVersion>,
    pub outside: Outside,
    /// Of configs in scope, those of the same name elsewhere, as far as they were asked for.
    pub namesakes: Vec<Namesake>,
    pub clocks: Clocks,
    /// Whether the resourceVersions of ConfigMaps and pods come from one counter, so that they give an order; `None` is not asked.
    pub one_counter: Option<bool>,
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

impl Cluster {
    /// The context, or what is said in its place inside a cluster.
    pub fn context_name(&self) -> &str {
        self.context.as_deref().unwrap_or("in-cluster")
    }
}

/// What was asked for; by default everything, in all namespaces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// `None` is all namespaces.
    pub namespace: Option<String>,
    pub target: Option<Target>,
    /// The route that the failures are about, as `/api/items` or `GET /api/items`.
    pub route: Option<String>,
    /// Where each replica tells its configuration's version, as `:8080/info#config.version`.
    pub version_at: Option<String>,
    /// Whose log is read for what clients see.
    pub client: Option<Target>,
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
    /// The "now" of this snapshot on the API server's clock: times of the cluster are compared with it. Where the two clocks
    /// agree within seconds, or it is not known how far they are apart, it is this machine's.
    pub fn now(&self) -> DateTime<Utc> {
        const AGREE: TimeDelta = TimeDelta::seconds(2);
        match self.clocks.local {
            Some(ahead) if ahead.least > AGREE || ahead.most < -AGREE => {
                self.taken_at - (ahead.least + ahead.most) / 2
            }
            _ => self.taken_at,
        }
    }

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
            probes: Vec::new(),
            told: Vec::new(),
            outside: Outside::default(),
            namesakes: Vec::new(),
            clocks: Clocks::default(),
            one_counter: None,
            gaps: Vec::new(),
            asked: BTreeSet::new(),
        }
    }
}
