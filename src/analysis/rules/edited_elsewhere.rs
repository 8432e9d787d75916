//! edited-elsewhere: the config of the same name in another namespace was edited, where no pod takes it, and this one was not.

use chrono::{DateTime, TimeDelta, Utc};

use super::Decision;
use super::words::sides;
use crate::analysis::case::Case;
use crate::analysis::content::Keys;
use crate::analysis::diff::{describe_all, value_changes};
use crate::analysis::evidence::{Book, show_config};
use crate::analysis::incident::{Code, Finding};
use crate::analysis::names::clock_time;
use crate::model::{Config, ManagedEntry, SETTLED};

/// A namesake that was written longer ago than this is not what somebody looks for.
const OF_LATE: TimeDelta = TimeDelta::hours(24);

pub(super) fn decide(case: &Case<'_>, book: &mut Book<'_>) -> Decision {
    let sides = sides(case);
    if !sides.stale.is_empty() || !sides.unknown.is_empty() || sides.live.is_empty() {
        return Decision::No;
    }
    let now = case.snapshot.now();
    let own = last_write(case.config).map(|(at, _)| at);
    let mut open = None;
    for (namesake, takers) in namesakes(case) {
        let Some((at, entry)) = last_write(namesake) else {
            continue;
        };
        let differs = namesake.content.is_some() && namesake.content != case.config.content;
        if !differs || own.is_some_and(|own| own >= at) || now - at > OF_LATE {
            continue;
        }
        match takers {
            Some(0) => return Decision::Yes(finding(case, namesake, (at, entry), book)),
            Some(_) => {}
            None => {
                open = Some(format!(
                    "whether any pod takes {} in namespace {}, which was written at {} UTC: its pods were not read, or it had only just been made",
                    namesake.reference.name,
                    namesake.reference.namespace,
                    clock_time(at, now)
                ));
            }
        }
    }
    open.map_or(Decision::No, Decision::CannotTell)
}

/// Configs of the same name elsewhere, and how many pods take each, as far as is known.
fn namesakes<'a>(case: &'a Case<'_>) -> impl Iterator<Item = (&'a Config, Option<u32>)> {
    let own = &case.config.reference;
    let same = move |config: &Config| {
        config.reference.name == own.name
            && config.reference.kind == own.kind
            && config.reference.namespace != own.namespace
    };
    let asked = case.snapshot.namesakes.iter();
    let asked = asked.map(|namesake| (&namesake.config, namesake.takers));
    // With all namespaces read, who takes it is known.
    let listed = case.snapshot.configs.iter().map(|config| &**config);
    let now = case.snapshot.now();
    let listed = listed.map(move |config| {
        let taken = case.index.first_taker(&config.reference).is_some();
        let settled = config.created.is_none_or(|made| now - made >= SETTLED);
        (config, (taken || settled).then_some(u32::from(taken)))
    });
    asked.chain(listed).filter(move |(config, _)| same(config))
}

/// The last write that touched data, by anybody but a controller that writes one into every namespace.
fn last_write(config: &Config) -> Option<(DateTime<Utc>, &ManagedEntry)> {
    let all = config.managed.iter();
    let data = all.filter(|e| !e.data_keys.is_empty() && e.manager != "kube-controller-manager");
    data.filter_map(|e| Some((e.time?, e)))
        .max_by_key(|(at, _)| *at)
}

fn finding(
    case: &Case<'_>,
    namesake: &Config,
    (at, entry): (DateTime<Utc>, &ManagedEntry),
    book: &mut Book<'_>,
) -> Finding {
    let number = book.add(
        format!(
            "{} in namespace {}",
            namesake.reference, namesake.reference.namespace
        ),
        &show_config(&namesake.reference),
        case.snapshot.taken_at,
        format!(
            "written {} by {}",
            at.format("%Y-%m-%dT%H:%M:%SZ"),
            entry.manager
        ),
    );
    let changes = match (&case.config.content, &namesake.content) {
        (Some(own), Some(other)) => value_changes(own, other, &Keys::all()),
        _ => Vec::new(),
    };
    let now = case.snapshot.now();
    let own = last_write(case.config).map_or_else(
        || "never".to_owned(),
        |(at, _)| format!("last at {} UTC", clock_time(at, now)),
    );
    let mut evidence: Vec<usize> = case.history.evidence.first().copied().into_iter().collect();
    evidence.push(number);
    Finding {
        code: Code::EditedElsewhere,
        sentence: format!(
            "{} {} in namespace {} was written at {} UTC by {} (person not recorded), and no pod there takes it; the one in namespace {}, which {} takes, was written {own}. They differ: {}. The edit seems to have gone to the wrong namespace.",
            namesake.reference.kind,
            namesake.reference.name,
            namesake.reference.namespace,
            clock_time(at, now),
            entry.manager,
            case.workload.namespace,
            case.workload.name,
            describe_all(&changes),
        ),
        evidence,
    }
}
