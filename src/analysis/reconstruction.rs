//! A content that nobody kept, put together again: the live one with what fails in it replaced by what works. It is a proposal, and
//! is called a reconstruction wherever it is shown.

use std::collections::{BTreeMap, BTreeSet};

use super::case::Case;
use super::dead_ends::{cite_ports, unpublished};
use super::evidence::Book;
use super::incident::ContentSource;
use super::names::list;
use super::signals::{Endpoints, HostPort};
use crate::model::{Content, Service};

/// The content and what speaks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reconstruction {
    pub(crate) content: Content,
    /// What was replaced by what.
    pub(crate) replaced: Vec<(String, String)>,
    pub(crate) reasons: Vec<String>,
    pub(crate) evidence: Vec<usize>,
}

impl Reconstruction {
    pub(crate) fn source(&self) -> ContentSource {
        ContentSource::Reconstruction {
            reasons: self.reasons.clone(),
        }
    }

    /// `api:8000 → api:8080`.
    pub(crate) fn replaced(&self) -> String {
        let pairs = self.replaced.iter();
        let words: Vec<String> = pairs.map(|(bad, good)| format!("{bad} → {good}")).collect();
        list(&words)
    }
}

/// Nothing where an earlier content is known, or where nothing tells what would work.
pub(crate) fn of(case: &Case<'_>, book: &mut Book<'_>) -> Option<Reconstruction> {
    let live = case.history.live();
    let known = (0..live).any(|earlier| case.history.content(earlier).is_some());
    let behind = case.replicas.iter().any(|r| r.live == Some(false));
    let fails = case.impact.as_ref().is_some_and(|impact| impact.live_fails);
    let content = case.history.live_content()?;
    if known || !(behind || fails) || case.last_write().is_none() {
        return None;
    }
    let mut found = Reconstruction {
        content: content.clone(),
        replaced: Vec::new(),
        reasons: Vec::new(),
        evidence: Vec::new(),
    };
    let namespace = case.workload.namespace.as_str();
    for (bad, service) in unpublished(case.index, namespace, content) {
        let Some((good, reasons)) = instead(case, &bad, service) else {
            continue;
        };
        if let Content::Plain { data, .. } = &mut found.content {
            replace(data, &bad.to_string(), &good.to_string());
        }
        found
            .evidence
            .push(cite_ports(service, case.snapshot.taken_at, book));
        found.replaced.push((bad.to_string(), good.to_string()));
        found.reasons.extend(reasons);
    }
    (!found.replaced.is_empty()).then_some(found)
}

/// What works where this address does not: what replicas that do not run what is live are connected to, and what the Service
/// publishes.
fn instead(case: &Case<'_>, bad: &HostPort, service: &Service) -> Option<(HostPort, Vec<String>)> {
    let network = Endpoints::new(case.index, &case.workload.namespace);
    let tcp = service.ports.iter().filter(|p| p.protocol == "TCP");
    let published: BTreeSet<u16> = tcp.map(|p| p.port).collect();
    let with = |port: u16| HostPort {
        host: bad.host.clone(),
        port,
    };
    let behind = case.replicas.iter().filter(|r| r.live == Some(false));
    let shown: BTreeSet<u16> = behind
        .flat_map(|r| &r.signals)
        .filter_map(|signal| HostPort::parse(signal.text.split(' ').next()?))
        .filter(|address| published.contains(&address.port))
        .filter(|address| network.means(&with(address.port), address))
        .map(|address| address.port)
        .collect();
    let names = format!(
        "the live content names {bad}, and Service {} does not publish that port",
        service.name
    );
    let one = |ports: &BTreeSet<u16>| match ports.iter().collect::<Vec<_>>().as_slice() {
        [port] => Some(**port),
        _ => None,
    };
    if let Some(port) = one(&shown) {
        let why = format!(
            "a replica that does not run what is live is connected to {}",
            with(port)
        );
        return Some((with(port), vec![names, why]));
    }
    let port = one(&published)?;
    let why = format!(
        "{port} is the one TCP port that Service {} publishes",
        service.name
    );
    Some((with(port), vec![names, why]))
}

/// Replaces an address where it stands by itself: `api:80` is no part of `api:8000`.
fn replace(data: &mut BTreeMap<String, String>, bad: &str, good: &str) {
    let within = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    for text in data.values_mut() {
        let mut out = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some(at) = rest.find(bad) {
            let (before, from) = rest.split_at(at);
            let after = from.get(bad.len()..).unwrap_or_default();
            let alone =
                !before.ends_with(within) && !after.starts_with(|c: char| c.is_ascii_digit());
            out.push_str(before);
            out.push_str(if alone { good } else { bad });
            rest = after;
        }
        out.push_str(rest);
        *text = out;
    }
}

#[cfg(test)]
mod tests;
