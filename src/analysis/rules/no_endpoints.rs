//! no-endpoints: the failing upstream is a Service without a ready endpoint, and no edit brought that Service in.

use super::Decision;
use super::words::recent;
use crate::analysis::case::Case;
use crate::analysis::evidence::Book;
use crate::analysis::gaps::all_unlisted;
use crate::analysis::incident::{Code, Finding};
use crate::analysis::names::{count, quote};
use crate::analysis::signals::{Endpoints, HostPort, endpoints_in};
use crate::model::Service;

pub(super) fn decide(case: &Case<'_>, book: &mut Book<'_>) -> Decision {
    let network = Endpoints::new(case.index, &case.workload.namespace);
    let failing: Vec<(&HostPort, usize)> = case
        .scans
        .iter()
        .filter_map(|scans| scans.current.as_ref())
        .flat_map(|read| &read.scan.upstreams)
        .filter(|(_, hits)| recent(case.snapshot, hits))
        .map(|(address, hits)| (address, hits.count))
        .collect();
    if failing.is_empty() {
        return Decision::No;
    }
    if let Some(why) = all_unlisted(case.snapshot, &["services", "endpointslices"]) {
        return Decision::CannotTell(format!("whether the upstream has ready endpoints: {why}"));
    }
    for (address, lines) in failing {
        let Some(service) = network.behind(&address.host) else {
            continue;
        };
        let (ready, all) = network.ready(service);
        if ready > 0 || brought_in(case, address, &network) {
            continue;
        }
        if !service.ports.iter().any(|p| p.port == address.port) {
            continue;
        }
        return Decision::Yes(finding(case, service, address, (lines, all), book));
    }
    Decision::No
}

/// Whether an edit put this address in: the first known revision does not name it, a later one does.
fn brought_in(case: &Case<'_>, address: &HostPort, network: &Endpoints<'_>) -> bool {
    let names = |index: usize| {
        let content = case.history.content(index)?;
        Some(
            endpoints_in(content)
                .iter()
                .any(|named| network.means(named, address)),
        )
    };
    !case.history.edits.is_empty()
        && names(0) == Some(false)
        && names(case.history.live()) == Some(true)
}

fn finding(
    case: &Case<'_>,
    service: &Service,
    address: &HostPort,
    (lines, endpoints): (usize, usize),
    book: &mut Book<'_>,
) -> Finding {
    let number = book.add(
        format!("Endpoints of Service/{}", service.name),
        &format!(
            "-n {} get endpointslices -l kubernetes.io/service-name={}",
            quote(&service.namespace),
            quote(&service.name)
        ),
        case.snapshot.taken_at,
        format!("0 of {} ready", count(endpoints, "endpoint")),
    );
    let mut evidence = vec![number];
    let cited = case
        .replicas
        .iter()
        .flat_map(|r| &r.signals)
        .filter(|s| s.text == address.to_string())
        .flat_map(|s| s.evidence.iter().copied());
    evidence.extend(cited);
    Finding {
        code: Code::NoEndpoints,
        sentence: format!(
            "Service {} has no ready endpoint (0 of {endpoints}), and {} fails against it at {address} ({}). No known edit of {} {} brought that Service in: the config is not the problem.",
            service.name,
            case.workload.name,
            count(lines, "log line"),
            case.config.reference.kind,
            case.config.reference.name,
        ),
        evidence,
    }
}
