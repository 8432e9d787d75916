//! `host:port` pairs in contents, and the addresses that they stand for in this cluster.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::LazyLock;

use regex::Regex;

use crate::analysis::index::Index;
use crate::model::{Content, Service};

/// An address as a config or a log writes it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct HostPort {
    pub(crate) host: String,
    pub(crate) port: u16,
}

impl fmt::Display for HostPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

impl HostPort {
    /// `10.96.10.144:8000`, `api:8080` or `[fd00::1]:8000`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (host, port) = text.rsplit_once(':')?;
        let host = host.trim_matches(['[', ']']);
        let valid = !host.is_empty()
            && host
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-._:".contains(&b));
        valid.then_some(Self {
            host: host.to_ascii_lowercase(),
            port: port.parse().ok()?,
        })
    }
}

static PAIR: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?):(\d{2,5})\b").ok());

/// The addresses in the text of a content.
pub(crate) fn endpoints_in(content: &Content) -> BTreeSet<HostPort> {
    let (Content::Plain { data, .. }, Some(pair)) = (content, PAIR.as_ref()) else {
        return BTreeSet::new();
    };
    data.values()
        .flat_map(|text| pair.find_iter(text))
        .filter_map(|found| HostPort::parse(found.as_str()))
        // A time of day or a line number is no address.
        .filter(|address| {
            address
                .host
                .chars()
                .any(|c| c.is_ascii_alphabetic() || c == '.')
        })
        .collect()
}

/// Services and endpoints of one namespace's view of the cluster.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Endpoints<'a> {
    index: &'a Index<'a>,
    namespace: &'a str,
}

impl<'a> Endpoints<'a> {
    pub(crate) fn new(index: &'a Index<'a>, namespace: &'a str) -> Self {
        Self { index, namespace }
    }

    /// The Service that a host name means from within this namespace.
    pub(crate) fn service(&self, host: &str) -> Option<&'a Service> {
        let mut parts = host.trim_end_matches('.').splitn(3, '.');
        let name = parts.next()?;
        let namespace = parts.next().unwrap_or(self.namespace);
        let rest = parts.next();
        if rest.is_some_and(|rest| rest != "svc" && !rest.starts_with("svc.")) {
            return None;
        }
        self.index.service(namespace, name)
    }

    /// The Service that a host is, by its name or by its own address.
    pub(crate) fn behind(&self, host: &str) -> Option<&'a Service> {
        self.service(host).or_else(|| self.index.service_at(host))
    }

    /// Whether an address in a log can be what a content's `host:port` means.
    pub(crate) fn means(&self, content: &HostPort, logged: &HostPort) -> bool {
        if content.port != logged.port {
            return false;
        }
        if content.host == logged.host {
            return true;
        }
        let Some(service) = self.service(&content.host) else {
            return false;
        };
        let endpoints = self.index.endpoints(service);
        service.cluster_ips.contains(&logged.host)
            || endpoints.iter().any(|e| e.addresses.contains(&logged.host))
    }

    /// Ready endpoints and all endpoints of a Service.
    pub(crate) fn ready(&self, service: &Service) -> (usize, usize) {
        let all = self.index.endpoints(service);
        (all.iter().filter(|e| e.ready).count(), all.len())
    }
}

#[cfg(test)]
mod tests;
