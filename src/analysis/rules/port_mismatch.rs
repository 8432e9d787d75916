//! port-mismatch: the live content names a port of a Service that publishes no such port. A state, not a cause.

use super::Decision;
use crate::analysis::case::Case;
use crate::analysis::dead_ends::{cite_ports, ports, unpublished};
use crate::analysis::evidence::Book;
use crate::analysis::gaps::unlisted;
use crate::analysis::incident::{Code, Finding};
use crate::analysis::signals::HostPort;
use crate::model::Service;

pub(super) fn decide(case: &Case<'_>, book: &mut Book<'_>) -> Decision {
    let Some(content) = &case.config.content else {
        return Decision::No;
    };
    if let Some(why) = unlisted(case.snapshot, "services") {
        return Decision::CannotTell(format!("which ports Services publish: {why}"));
    }
    let wrong = unpublished(case.index, &case.workload.namespace, content);
    match wrong.first() {
        Some((named, service)) => Decision::Yes(finding(case, named, service, book)),
        None => Decision::No,
    }
}

fn finding(case: &Case<'_>, named: &HostPort, service: &Service, book: &mut Book<'_>) -> Finding {
    let number = cite_ports(service, case.snapshot.taken_at, book);
    let mut evidence: Vec<usize> = case.history.evidence.first().copied().into_iter().collect();
    evidence.push(number);
    Finding {
        code: Code::PortMismatch,
        sentence: format!(
            "The live content names {named}, but Service {} publishes {}.",
            service.name,
            ports(service),
        ),
        evidence,
    }
}
