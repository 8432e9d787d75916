//! port-mismatch: the live content names a port of a Service that publishes no such port. A state, not a cause.

use super::Decision;
use crate::analysis::case::Case;
use crate::analysis::evidence::Book;
use crate::analysis::gaps::unlisted;
use crate::analysis::incident::{Code, Finding};
use crate::analysis::names::{list, quote};
use crate::analysis::signals::{Endpoints, HostPort, endpoints_in};
use crate::model::Service;

pub(super) fn decide(case: &Case<'_>, book: &mut Book<'_>) -> Decision {
    let Some(content) = &case.config.content else {
        return Decision::No;
    };
    if let Some(why) = unlisted(case.snapshot, "services") {
        return Decision::CannotTell(format!("which ports Services publish: {why}"));
    }
    let network = Endpoints::new(case.index, &case.workload.namespace);
    let wrong = endpoints_in(content).into_iter().find_map(|named| {
        let service = network.service(&named.host)?;
        let external = service.external_name.is_some() || service.cluster_ips.is_empty();
        let published = service.ports.iter().any(|p| p.port == named.port);
        (!external && !published).then_some((named, service))
    });
    match wrong {
        Some((named, service)) => Decision::Yes(finding(case, &named, service, book)),
        None => Decision::No,
    }
}

fn finding(case: &Case<'_>, named: &HostPort, service: &Service, book: &mut Book<'_>) -> Finding {
    let ports: Vec<String> = service
        .ports
        .iter()
        .map(|p| format!("{}/{}", p.port, p.protocol))
        .collect();
    let number = book.add(
        format!("Service/{}", service.name),
        &format!(
            "-n {} get service {}",
            quote(&service.namespace),
            quote(&service.name)
        ),
        case.snapshot.taken_at,
        format!("ports {}", list(&ports)),
    );
    let mut evidence: Vec<usize> = case.history.evidence.first().copied().into_iter().collect();
    evidence.push(number);
    Finding {
        code: Code::PortMismatch,
        sentence: format!(
            "The live content names {named}, but Service {} publishes {}.",
            service.name,
            list(&ports),
        ),
        evidence,
    }
}
