//! Services and EndpointSlices.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::meta::{Meta, time};
use crate::model::{Endpoint, Object, Service, ServicePort};

#[derive(Deserialize, Debug)]
pub(crate) struct ServiceObject {
    metadata: Meta,
    #[serde(default)]
    spec: ServiceSpec,
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
struct ServiceSpec {
    #[serde(rename = "clusterIP")]
    cluster_ip: Option<String>,
    #[serde(rename = "clusterIPs")]
    cluster_ips: Option<Vec<String>>,
    ports: Option<Vec<Port>>,
    selector: Option<BTreeMap<String, String>>,
    external_name: Option<String>,
}

#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
struct Port {
    name: Option<String>,
    port: i32,
    target_port: Option<NumberOrName>,
    protocol: Option<String>,
}

#[derive(Deserialize, Debug)]
#[serde(untagged)]
enum NumberOrName {
    Number(i32),
    Name(String),
}

pub(crate) fn service(object: ServiceObject) -> Service {
    let ServiceObject { metadata, spec } = object;
    let mut cluster_ips = spec
        .cluster_ips
        .or_else(|| spec.cluster_ip.map(|ip| vec![ip]))
        .unwrap_or_default();
    cluster_ips.retain(|ip| !ip.is_empty() && ip != "None");
    Service {
        created: time(metadata.creation_timestamp.as_deref()),
        namespace: metadata.namespace,
        name: metadata.name,
        cluster_ips,
        ports: spec.ports.into_iter().flatten().filter_map(port).collect(),
        selector: spec.selector.unwrap_or_default(),
        external_name: spec.external_name,
    }
}

fn port(port: Port) -> Option<ServicePort> {
    Some(ServicePort {
        name: port.name,
        port: u16::try_from(port.port).ok()?,
        target: port.target_port.map(|target| match target {
            NumberOrName::Number(number) => number.to_string(),
            NumberOrName::Name(name) => name,
        }),
        protocol: port.protocol.unwrap_or_else(|| "TCP".to_owned()),
    })
}

#[derive(Deserialize, Debug)]
pub(crate) struct SliceObject {
    metadata: Meta,
    #[serde(default)]
    endpoints: Option<Vec<EndpointObject>>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
struct EndpointObject {
    addresses: Option<Vec<String>>,
    conditions: Option<Conditions>,
    target_ref: Option<TargetRef>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
struct Conditions {
    ready: Option<bool>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
struct TargetRef {
    kind: Option<String>,
    uid: Option<String>,
}

pub(super) fn slice(object: SliceObject) -> Object {
    Object::Slice {
        namespace: object.metadata.namespace.clone(),
        name: object.metadata.name.clone(),
        endpoints: endpoints(object),
    }
}

/// The endpoints of a slice; none for a slice that belongs to no Service.
fn endpoints(slice: SliceObject) -> Vec<Endpoint> {
    let labels = slice.metadata.labels.as_ref();
    let Some(service) = labels.and_then(|l| l.get("kubernetes.io/service-name")) else {
        return Vec::new();
    };
    let all = slice.endpoints.into_iter().flatten();
    all.map(|endpoint| Endpoint {
        namespace: slice.metadata.namespace.clone(),
        slice: Some(slice.metadata.name.clone()),
        service: service.clone(),
        addresses: endpoint.addresses.unwrap_or_default(),
        // "nil should be interpreted as true" (EndpointConditions.ready).
        ready: endpoint.conditions.and_then(|c| c.ready).unwrap_or(true),
        pod_uid: endpoint
            .target_ref
            .filter(|r| r.kind.as_deref() == Some("Pod"))
            .and_then(|r| r.uid),
    })
    .collect()
}
