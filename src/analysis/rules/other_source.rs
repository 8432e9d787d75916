//! other-source: what a replica holds or logs is in no revision of the config, of which the whole history is known.

use super::Decision;
use super::words::{evidence, recent};
use crate::analysis::case::Case;
use crate::analysis::evidence::Book;
use crate::analysis::incident::{Code, Finding, Replica};
use crate::analysis::names::{list, short_names};
use crate::analysis::signals::{Endpoints, HostPort, endpoints_in};
use crate::model::{ConfigRef, Content};

/// A value that a replica shows and that no revision explains.
struct Stray {
    what: String,
    value: String,
    /// Where it may be: in its environment or files, or in its log.
    within: &'static str,
}

pub(super) fn decide(case: &Case<'_>, _book: &mut Book<'_>) -> Decision {
    let mut found: Vec<(&Replica, Stray)> = Vec::new();
    for (place, replica) in case.replicas.iter().enumerate() {
        let held = replica.uses.iter().flat_map(|usage| &usage.strays);
        found.extend(held.map(|(name, value)| {
            let stray = Stray {
                what: format!("{name}={value}"),
                value: value.clone(),
                within: "holds",
            };
            (replica, stray)
        }));
        found.extend(
            logged(case, place)
                .into_iter()
                .map(|stray| (replica, stray)),
        );
    }
    let Some((_, first)) = found.first() else {
        return Decision::No;
    };
    if !case.history.oldest.whole || !case.history.is_exact() {
        return Decision::CannotTell(format!(
            "whether {} is of an earlier revision that is not known, or comes from elsewhere",
            first.what
        ));
    }
    let names = short_names(case.replicas.iter().map(|r| r.pod.name.as_str()));
    let mut who: Vec<String> = found
        .iter()
        .filter(|(_, stray)| stray.what == first.what)
        .map(|(replica, _)| names.get(&replica.pod.name).cloned().unwrap_or_default())
        .collect();
    who.dedup();
    let verb = match (who.len(), first.within) {
        (1, within) => within.to_owned(),
        (_, "holds") => "hold".to_owned(),
        _ => "log".to_owned(),
    };
    let sentence = format!(
        "{} {verb} {}, which is in no revision of {} {} since it was created. The value comes from elsewhere: {}.",
        list(&who),
        first.what,
        case.config.reference.kind,
        case.config.reference.name,
        elsewhere(case, first),
    );
    let replicas = found.iter().map(|(replica, _)| *replica);
    Decision::Yes(Finding {
        code: Code::OtherSource,
        sentence,
        evidence: evidence(case, replicas),
    })
}

/// Upstreams in a replica's log that are of a Service which the config names, at a port that none of its revisions names.
fn logged(case: &Case<'_>, place: usize) -> Vec<Stray> {
    let network = Endpoints::new(case.index, &case.workload.namespace);
    let named: Vec<HostPort> = case.history.contents().flat_map(endpoints_in).collect();
    let read = case.scans.get(place).and_then(|s| s.current.as_ref());
    let Some(read) = read else { return Vec::new() };
    let upstreams = read.scan.upstreams.iter();
    upstreams
        .filter(|(_, hits)| recent(case.snapshot, hits))
        .filter(|(address, _)| named.iter().all(|named| !network.means(named, address)))
        .filter(|(address, _)| {
            let service = |host: &str| network.behind(host).map(|s| (&s.namespace, &s.name));
            let of = service(&address.host);
            of.is_some() && named.iter().any(|named| service(&named.host) == of)
        })
        .map(|(address, _)| Stray {
            what: format!("upstream {address}"),
            value: address.port.to_string(),
            within: "logs",
        })
        .collect()
}

/// Where it may come from: another config that the same pods take and that holds it, else what cannot be read.
fn elsewhere(case: &Case<'_>, stray: &Stray) -> String {
    let holds = |config: &ConfigRef| {
        let content = case.index.config(config).and_then(|c| c.content.as_ref());
        match content {
            Some(Content::Plain { data, .. }) => data
                .values()
                .any(|text| text.contains(stray.value.as_str())),
            _ => false,
        }
    };
    let pods = case.replicas.iter().filter_map(|r| case.index.pod(&r.pod));
    let mut others: Vec<String> = pods
        .flat_map(|pod| pod.configs())
        .filter(|config| **config != case.config.reference && holds(config))
        .map(ToString::to_string)
        .collect();
    others.sort_unstable();
    others.dedup();
    match others.as_slice() {
        [] => "no other config of these pods holds it, so look at a literal in the template, a default in the image, or what was built in".to_owned(),
        some => format!("{} {} it too", list(some), if some.len() == 1 { "holds" } else { "hold" }),
    }
}
