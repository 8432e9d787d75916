//! Which proxy to go through. kube 5.0 compares NO_PROXY with the proxy's own address instead of the cluster's, so
//! the choice is made here, by the rules of Go's `net/http` that kubectl follows.

use std::net::IpAddr;

use http::Uri;
use kube::config::Kubeconfig;

use super::problem;
use crate::source::SourceError;

type Variable<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The proxy for the cluster of a context: the kubeconfig's own, which NO_PROXY does not touch, else the environment's.
pub(super) fn of(
    kubeconfig: &Kubeconfig,
    context: &str,
    variable: Variable<'_>,
) -> Result<Option<Uri>, SourceError> {
    let cluster = kubeconfig
        .contexts
        .iter()
        .find(|named| named.name == context)
        .and_then(|named| named.context.as_ref())
        .and_then(|context| kubeconfig.clusters.iter().find(|named| named.name == context.cluster))
        .and_then(|named| named.cluster.as_ref());
    let Some(cluster) = cluster else {
        return Ok(None);
    };
    if let Some(proxy) = cluster.proxy_url.as_deref().filter(|proxy| !proxy.is_empty()) {
        return parse(proxy, "the proxy-url of the kubeconfig").map(Some);
    }
    let Some(server) = cluster.server.as_deref().and_then(|server| server.parse::<Uri>().ok()) else {
        return Ok(None);
    };
    from_environment(&server, variable)
}

/// The environment's proxy for a server.
pub(super) fn from_environment(server: &Uri, variable: Variable<'_>) -> Result<Option<Uri>, SourceError> {
    let either = |upper: &str, lower: &str| variable(upper).or_else(|| variable(lower));
    let https = server.scheme_str() != Some("http");
    let proxy = if https { either("HTTPS_PROXY", "https_proxy") } else { either("HTTP_PROXY", "http_proxy") };
    let Some(proxy) = proxy else {
        return Ok(None);
    };
    let host = server.host().unwrap_or_default().trim_matches(['[', ']']);
    let port = server.port_u16().unwrap_or(if https { 443 } else { 80 });
    let exceptions = either("NO_PROXY", "no_proxy").unwrap_or_default();
    if is_local(host) || exceptions.split(',').any(|entry| excepts(entry.trim(), host, port)) {
        return Ok(None);
    }
    parse(&proxy, "the proxy of the environment (HTTPS_PROXY or HTTP_PROXY)").map(Some)
}

fn parse(proxy: &str, place: &str) -> Result<Uri, SourceError> {
    // `host:port` alone is HTTP, as it is for kubectl.
    let text = if proxy.contains("://") { proxy.to_owned() } else { format!("http://{proxy}") };
    // The address is not quoted: it may hold a password.
    text.parse().map_err(|error| problem(format!("{place} is not an address: {error}."), None))
}

fn is_local(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Whether an entry of NO_PROXY (`*`, a name, `.name`, an address or a range, each with or without a port) means this host.
fn excepts(entry: &str, host: &str, port: u16) -> bool {
    if entry == "*" {
        return true;
    }
    if let (Some((network, bits)), Ok(address)) = (entry.split_once('/'), host.parse::<IpAddr>()) {
        return in_network(network, bits, address);
    }
    let (name, wanted_port) = match entry.rsplit_once(':') {
        Some((name, digits)) if !name.contains(':') || name.ends_with(']') => (name, digits.parse::<u16>().ok()),
        _ => (entry, None),
    };
    if wanted_port.is_some_and(|wanted| wanted != port) {
        return false;
    }
    let name = name.trim_matches(['[', ']']).trim_start_matches("*.").to_ascii_lowercase();
    let (name, only_below) = match name.strip_prefix('.') {
        Some(name) => (name, true),
        None => (name.as_str(), entry.starts_with("*.")),
    };
    let host = host.to_ascii_lowercase();
    if name.is_empty() {
        return false;
    }
    if host == name {
        return !only_below;
    }
    host.parse::<IpAddr>().is_err() && host.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'))
}

fn in_network(network: &str, bits: &str, address: IpAddr) -> bool {
    let (Ok(network), Ok(bits)) = (network.parse::<IpAddr>(), bits.parse::<u32>()) else {
        return false;
    };
    match (network, address) {
        (IpAddr::V4(network), IpAddr::V4(address)) => {
            let mask = u32::MAX.checked_shl(32u32.saturating_sub(bits)).unwrap_or(0);
            u32::from(network) & mask == u32::from(address) & mask
        }
        (IpAddr::V6(network), IpAddr::V6(address)) => {
            let mask = u128::MAX.checked_shl(128u32.saturating_sub(bits)).unwrap_or(0);
            u128::from(network) & mask == u128::from(address) & mask
        }
        _ => false,
    }
}
