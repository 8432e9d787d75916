//! Signals of one replica, and which of them tell revisions apart.

use super::{Case, LogSource, Read, Scans, User, asked, sources};
use crate::analysis::evidence::Book;
use crate::analysis::incident::{Signal, SignalKind};
use crate::analysis::loads::{Shown, Speaker};
use crate::analysis::signals::{Endpoints, Hits, HostPort, Scan, Setting, endpoints_in};
use crate::analysis::uses::uses;

/// The signals of one replica's current log, and what those that tell revisions apart show.
pub(super) fn signals(
    case: &Case<'_>,
    user: &User<'_>,
    scans: &Scans,
    settings: &[Setting],
    book: &mut Book<'_>,
) -> Vec<(Signal, Option<Shown>)> {
    let mut found = Vec::new();
    if let Some(read) = &scans.current {
        let uses = uses(user.pod, user.container, case.index);
        let mut add = |signal, hits, revisions: Vec<usize>, of| {
            let signalled = signalled(case, signal, hits, &revisions, &read.source, book);
            found.push(sources::of(signalled, of));
        };
        for (address, hits) in &read.scan.upstreams {
            let text = format!("upstream {address}");
            let signal = (SignalKind::Upstream, address.to_string(), text);
            let of = sources::of_address(case, user, &uses, address);
            add(signal, hits, explaining(case, user, address), of);
        }
        for ((index, value), hits) in &read.scan.values {
            let Some(setting) = settings.get(*index) else {
                continue;
            };
            let revisions = if settled(&read.scan, *index, hits) {
                exclusive(case, setting.revisions_with(value))
            } else {
                Vec::new()
            };
            let text = format!("{}={value}", setting.name);
            let signal = (SignalKind::Value, text.clone(), text);
            let of = sources::of_setting(case, user, &uses, setting);
            add(signal, hits, revisions, of);
        }
        found.extend(reload(read, book));
    }
    found.extend(asked::sockets(case, user, book));
    found.extend(asked::version(case, user, book));
    let healthy = user.pod.ready
        && user
            .container
            .status
            .as_ref()
            .is_none_or(|s| s.restarts == 0);
    if !healthy {
        found.extend(start_error(scans, book));
    }
    found
}

/// The last time that the program said that it read its configuration again.
fn reload(read: &Read, book: &mut Book<'_>) -> Option<(Signal, Option<Shown>)> {
    let (at, line) = read.scan.reloads.last()?;
    let evidence = read.source.cite(book, line);
    let signal = Signal {
        kind: SignalKind::Reload,
        text: "configuration read again".to_owned(),
        count: read.scan.reloads.len(),
        first: read.scan.reloads.first().and_then(|(at, _)| *at),
        last: *at,
        revision: None,
        evidence: vec![evidence],
    };
    Some((signal, None))
}

/// Whether this value was logged after or before every other one of the same setting, and not in turns with it: a program
/// that logs both by turns does not tell which is in force.
fn settled(scan: &Scan, setting: usize, hits: &Hits) -> bool {
    let others = scan.values.iter().filter(|((s, _), _)| *s == setting);
    others
        .filter(|(_, other)| *other != hits)
        .all(|(_, other)| hits.first > other.last || hits.last < other.first)
}

fn start_error(scans: &Scans, book: &mut Book<'_>) -> Option<(Signal, Option<Shown>)> {
    let runs = [scans.current.as_ref(), scans.previous.as_ref()];
    let read = runs
        .into_iter()
        .flatten()
        .find(|read| read.scan.start_errors.count > 0)?;
    let hits = &read.scan.start_errors;
    let evidence = read.source.cite(book, &hits.line);
    let signal = Signal {
        kind: SignalKind::StartError,
        text: hits.line.clone(),
        count: hits.count,
        first: hits.first,
        last: hits.last,
        revision: None,
        evidence: vec![evidence],
    };
    Some((signal, None))
}

fn signalled(
    case: &Case<'_>,
    (kind, text, shows): (SignalKind, String, String),
    hits: &Hits,
    revisions: &[usize],
    source: &LogSource,
    book: &mut Book<'_>,
) -> (Signal, Option<Shown>) {
    let evidence = source.cite(book, &hits.line);
    let signal = Signal {
        kind,
        text,
        count: hits.count,
        first: hits.first,
        last: hits.last,
        revision: match revisions {
            [one] => case.history.name(*one),
            _ => None,
        },
        evidence: vec![evidence],
    };
    let shown = (!revisions.is_empty()).then(|| Shown {
        revisions: revisions.to_vec(),
        keys: None,
        speaker: Speaker::Itself,
        within: "log",
        text: shows,
        last: hits.last,
        evidence,
    });
    (signal, shown)
}

/// The revisions that name what this address is, where others do not.
pub(super) fn explaining(case: &Case<'_>, user: &User<'_>, address: &HostPort) -> Vec<usize> {
    let network = Endpoints::new(case.index, &user.pod.reference.namespace);
    let with: Vec<usize> = case
        .history
        .revisions
        .iter()
        .enumerate()
        .filter(|(_, revision)| {
            revision.content.as_ref().is_some_and(|content| {
                endpoints_in(content)
                    .iter()
                    .any(|named| network.means(named, address))
            })
        })
        .map(|(index, _)| index)
        .collect();
    exclusive(case, with)
}

/// Nothing where every revision explains it, or where one that is not known might.
pub(super) fn exclusive(case: &Case<'_>, revisions: Vec<usize>) -> Vec<usize> {
    let all = &case.history.revisions;
    if revisions.len() == all.len() || all.iter().any(|r| r.content.is_none()) {
        Vec::new()
    } else {
        revisions
    }
}
