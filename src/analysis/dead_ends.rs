//! What a content names and nobody can answer at: a port that its Service does not publish.

use chrono::{DateTime, Utc};

use super::case::Scans;
use super::evidence::Book;
use super::incident::{Signal, SignalKind};
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

/// What a content names in vain, to be found in logs.
pub(crate) struct DeadEnds<'a> {
    network: Endpoints<'a>,
    named: Vec<HostPort>,
}

impl<'a> DeadEnds<'a> {
    pub(crate) fn of(index: &'a Index<'a>, namespace: &'a str, content: Option<&Content>) -> Self {
        let found = content.map(|content| unpublished(index, namespace, content));
        let named = found.into_iter().flatten().map(|(named, _)| named);
        Self {
            network: Endpoints::new(index, namespace),
            named: named.collect(),
        }
    }

    pub(crate) fn names(&self, address: &HostPort) -> bool {
        self.named.contains(address)
    }

    /// All but those of which this is true.
    pub(crate) fn without(mut self, of: impl Fn(&HostPort) -> bool) -> Self {
        self.named.retain(|named| !of(named));
        self
    }

    /// The one that an address in a log is.
    fn meant(&self, logged: &HostPort) -> Option<&HostPort> {
        let mut named = self.named.iter();
        named.find(|named| self.network.means(named, logged))
    }

    /// The one that a replica was sent to, by its log.
    pub(crate) fn asked_by(&self, scans: &Scans) -> Option<&HostPort> {
        let read = scans.current.as_ref()?;
        let mut logged = read.scan.upstreams.keys();
        logged.find_map(|address| self.meant(address))
    }

    /// Whether a signal tells that one of them was asked.
    pub(crate) fn told_by(&self, signal: &Signal) -> bool {
        let address = signal.text.split(' ').next().and_then(HostPort::parse);
        signal.kind == SignalKind::Upstream && address.is_some_and(|a| self.meant(&a).is_some())
    }
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
