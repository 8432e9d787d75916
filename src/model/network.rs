//! Services and what stands behind them.

use std::collections::BTreeMap;

/// A Service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Service {
    pub namespace: String,
    pub name: String,
    /// `spec.clusterIPs`; empty for a headless one.
    pub cluster_ips: Vec<String>,
    pub ports: Vec<ServicePort>,
    pub selector: BTreeMap<String, String>,
    /// `type: ExternalName`: its name stands for a host outside, which publishes what it likes.
    pub external_name: Option<String>,
    pub created: Option<chrono::DateTime<chrono::Utc>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServicePort {
    pub name: Option<String>,
    pub port: u16,
    pub target: Option<String>,
    pub protocol: String,
}

/// One endpoint of an EndpointSlice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    pub namespace: String,
    /// The EndpointSlice's name; `None` in an old capture.
    pub slice: Option<String>,
    /// Label `kubernetes.io/service-name`.
    pub service: String,
    pub addresses: Vec<String>,
    /// `conditions.ready`; absent counts as ready, as the API says.
    pub ready: bool,
    /// uid of `targetRef`, where it is a Pod.
    pub pod_uid: Option<String>,
}
