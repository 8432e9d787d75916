//! Services and EndpointSlices.

use k8s_openapi::api::core::v1 as core;
use k8s_openapi::api::discovery::v1::EndpointSlice;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::meta::from_api;
use crate::model::{Endpoint, Service, ServicePort};

pub(crate) fn service(object: &core::Service) -> Service {
    let spec = object.spec.as_ref();
    let mut cluster_ips = spec
        .and_then(|s| s.cluster_ips.clone())
        .or_else(|| spec.and_then(|s| s.cluster_ip.clone()).map(|ip| vec![ip]))
        .unwrap_or_default();
    cluster_ips.retain(|ip| !ip.is_empty() && ip != "None");
    Service {
        namespace: object.metadata.namespace.clone().unwrap_or_default(),
        name: object.metadata.name.clone().unwrap_or_default(),
        cluster_ips,
        ports: spec
            .and_then(|s| s.ports.as_ref())
            .into_iter()
            .flatten()
            .filter_map(port)
            .collect(),
        selector: spec.and_then(|s| s.selector.clone()).unwrap_or_default(),
        external_name: spec.and_then(|s| s.external_name.clone()),
        created: from_api(object.metadata.creation_timestamp.as_ref()),
    }
}

fn port(port: &core::ServicePort) -> Option<ServicePort> {
    Some(ServicePort {
        name: port.name.clone(),
        port: u16::try_from(port.port).ok()?,
        target: port.target_port.as_ref().map(|target| match target {
            IntOrString::Int(number) => number.to_string(),
            IntOrString::String(name) => name.clone(),
        }),
        protocol: port.protocol.clone().unwrap_or_else(|| "TCP".to_owned()),
    })
}

/// The endpoints of a slice; none for a slice that belongs to no Service.
pub(crate) fn endpoints(slice: &EndpointSlice) -> Vec<Endpoint> {
    let labels = slice.metadata.labels.as_ref();
    let Some(service) = labels.and_then(|l| l.get("kubernetes.io/service-name")) else {
        return Vec::new();
    };
    let all = slice.endpoints.iter().flatten();
    all.map(|endpoint| Endpoint {
        namespace: slice.metadata.namespace.clone().unwrap_or_default(),
        service: service.clone(),
        addresses: endpoint.addresses.clone(),
        // "nil should be interpreted as true" (EndpointConditions.ready).
        ready: endpoint
            .conditions
            .as_ref()
            .and_then(|c| c.ready)
            .unwrap_or(true),
        pod_uid: endpoint
            .target_ref
            .as_ref()
            .filter(|r| r.kind.as_deref() == Some("Pod"))
            .and_then(|r| r.uid.clone()),
    })
    .collect()
}
