//! Signals that are not in the log: connections of the pod, and what the program tells of its configuration's version.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};

use super::telling::{exclusive, explaining};
use super::{Case, User};
use crate::analysis::content::hash;
use crate::analysis::evidence::{Book, show_in_container, show_version};
use crate::analysis::incident::{Grade, Replica, Signal, SignalKind};
use crate::analysis::loads::Shown;
use crate::analysis::signals::HostPort;
use crate::model::{Content, SocketState, ToldVersion};

/// A version that is shorter may stand in a content by chance.
const HASH: usize = 8;

/// Something that was seen once, when it was asked for.
struct Seen {
    kind: SignalKind,
    text: String,
    shows: String,
    within: &'static str,
    count: usize,
    at: DateTime<Utc>,
    evidence: usize,
}

fn signal(case: &Case<'_>, seen: Seen, revisions: &[usize]) -> (Signal, Option<Shown>) {
    let shown = (!revisions.is_empty()).then(|| Shown {
        revisions: revisions.to_vec(),
        keys: None,
        several: false,
        within: seen.within,
        text: seen.shows,
        last: Some(seen.at),
        evidence: seen.evidence,
    });
    let signal = Signal {
        kind: seen.kind,
        text: seen.text,
        count: seen.count,
        first: Some(seen.at),
        last: Some(seen.at),
        revision: match revisions {
            [one] => case.history.name(*one),
            _ => None,
        },
        evidence: vec![seen.evidence],
    };
    (signal, shown)
}

/// Connections that only some revisions explain, as the pod's socket table shows them.
pub(super) fn sockets(
    case: &Case<'_>,
    user: &User<'_>,
    book: &mut Book<'_>,
) -> Vec<(Signal, Option<Shown>)> {
    let Some(probe) = case.probe(user) else {
        return Vec::new();
    };
    let mut seen = BTreeMap::<(HostPort, bool), usize>::new();
    for socket in probe.sockets.iter().flatten() {
        let waits = match socket.state {
            SocketState::Established => false,
            SocketState::SynSent => true,
            SocketState::Other => continue,
        };
        let address = HostPort {
            host: socket.address.clone(),
            port: socket.port,
        };
        *seen.entry((address, waits)).or_default() += 1;
    }
    let mut found = Vec::new();
    for ((address, waits), count) in seen {
        let revisions = explaining(case, user, &address);
        if revisions.is_empty() {
            continue;
        }
        let text = format!("{address}{}", if waits { " (no answer)" } else { "" });
        let tables = ["/proc/net/tcp", "/proc/net/tcp6"];
        let evidence = book.add(
            format!("Sockets of pod {}", probe.pod.name),
            &show_in_container(&probe.pod, &probe.container, "cat", &tables),
            probe.read_at,
            format!("{count} × to {text}"),
        );
        let seen = Seen {
            kind: SignalKind::Socket,
            shows: format!("a connection to {text}"),
            text,
            within: "socket table",
            count,
            at: probe.read_at,
            evidence,
        };
        found.push(signal(case, seen, &revisions));
    }
    found
}

fn told<'a>(case: &Case<'a>, replica_pod: &crate::model::PodRef) -> Option<&'a ToldVersion> {
    case.snapshot
        .told
        .iter()
        .rfind(|told| told.pod == *replica_pod)
}

/// What the replica tells of its configuration's version: evidence by itself where it stands in some revisions and not in others.
pub(super) fn version(
    case: &Case<'_>,
    user: &User<'_>,
    book: &mut Book<'_>,
) -> Option<(Signal, Option<Shown>)> {
    let told = told(case, &user.pod.reference)?;
    let evidence = book.add(
        format!("What pod {} tells at {}", told.pod.name, told.asked),
        &show_version(told),
        told.read_at,
        told.version.clone(),
    );
    let holds = |content: &Content| {
        let is_value = |key: &String| {
            let text = content.get_text(key);
            text.is_some_and(|text| text.trim() == told.version)
        };
        let is_hash = told.version.len() >= HASH && hash(content).starts_with(&told.version);
        is_hash || case.keys.of(content).iter().any(is_value)
    };
    let revisions = case.history.revisions.iter().enumerate();
    let with = revisions.filter(|(_, r)| r.content.as_ref().is_some_and(holds));
    let revisions = exclusive(case, with.map(|(index, _)| index).collect());
    let seen = Seen {
        kind: SignalKind::Version,
        text: told.version.clone(),
        shows: format!("version {}", told.version),
        within: "own word",
        count: 1,
        at: told.read_at,
        evidence,
    };
    Some(signal(case, seen, &revisions))
}

/// Replicas of which nothing else is known, by those that tell the same version and of which it is: where all that tell this
/// version run one revision, and all that run it tell this version.
pub(super) fn compare(case: &mut Case<'_>) {
    let version = |replica: &Replica| told(case, &replica.pod).map(|told| told.version.clone());
    let mut known: BTreeSet<(String, String, Option<bool>)> = BTreeSet::new();
    for replica in case.replicas.iter().filter(|r| r.grade < Grade::Unknown) {
        if let (Some(version), Some(loaded), Some(_)) =
            (version(replica), replica.loaded.clone(), replica.live)
        {
            known.insert((version, loaded, replica.live));
        }
    }
    let open: Vec<(usize, String)> = case
        .replicas
        .iter()
        .enumerate()
        .filter(|(_, r)| r.loaded.is_none() && r.grade == Grade::Unknown)
        .filter_map(|(place, r)| Some((place, version(r)?)))
        .collect();
    for (place, version) in open {
        let mut same = known.iter().filter(|(told, ..)| *told == version);
        let (Some((_, loaded, live)), None) = (same.next(), same.next()) else {
            continue;
        };
        if known.iter().filter(|(_, other, _)| other == loaded).count() > 1 {
            continue;
        }
        let Some(replica) = case.replicas.get_mut(place) else {
            continue;
        };
        replica.loaded = Some(loaded.clone());
        replica.live = *live;
        replica.grade = Grade::Shown;
        replica.why = format!(
            "it tells version {version}, as replicas do that are known to run revision {loaded}; by itself: {}",
            replica.why
        );
        if let Some(usage) = replica.uses.first_mut() {
            usage.loaded.clone_from(&replica.loaded);
            usage.live = replica.live;
            usage.grade = replica.grade;
            usage.why.clone_from(&replica.why);
        }
    }
}
