//! What a content names and nobody can answer at: a port that its Service does not publish.

use chrono::{DateTime, Utc};

use super::evidence::Book;
use super::index::Index;
use super::names::{list, quote};
use super::signals::{Endpoints, HostPort, endpoints_in};
use crate::model::{Content, Service};

/// Every `host:port` of a content whose host is a Service of this cluster that publishes no such port.
pub(crate) fn unpublished<'a>(
    index: &'a Index<'a>,
    namespace: &'a str,
    content: &Content,
) -> Vec<(HostPort, &'a Service)> {
    let network = Endpoints::new(index, namespace);
    let named = endpoints_in(content).into_iter();
    named
        .filter_map(|named| {
            let service = network.behind(&named.host)?;
            let external = service.external_name.is_some() || service.cluster_ips.is_empty();
            let published = service.ports.iter().any(|p| p.port == named.port);
            (!external && !published).then_some((named, service))
        })
        .collect()
}

/// `8080/TCP and 9090/TCP`.
pub(crate) fn ports(service: &Service) -> String {
    let ports = service.ports.iter();
    let ports: Vec<String> = ports
        .map(|p| format!("{}/{}", p.port, p.protocol))
        .collect();
    list(&ports)
}

/// Cites what a Service publishes.
pub(crate) fn cite_ports(service: &Service, taken_at: DateTime<Utc>, book: &mut Book<'_>) -> usize {
    book.add(
        format!("Service/{}", service.name),
        &format!(
            "-n {} get service {}",
            quote(&service.namespace),
            quote(&service.name)
        ),
        taken_at,
        format!("ports {}", ports(service)),
    )
}
