//! Which revision a replica runs by one use, and how well that is known.

mod told;

use chrono::{DateTime, TimeDelta, Utc};

use super::content::same;
use super::evidence::Book;
use super::gaps::no_log;
use super::incident::{Grade, Use, UseLoad};
use super::names::clock_time;
use super::ordering::{Relation, Side, relation, started_at};
use super::revisions::{Edit, History};
use super::signals::{Program, Scan, reads_once};
use super::uses::ConfigUse;
use crate::model::{Config, Container, Interval, Pod, Snapshot};

/// After a container restarted in place, the files of its volume may still be the old ones for as long as the kubelet takes
/// to swap them: its sync period (a minute by default) and the delay of its cache.
const SWAP: TimeDelta = TimeDelta::seconds(120);

/// What a log shows: revisions that explain a signal which others do not, and the last time it was logged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) revisions: Vec<usize>,
    pub(crate) text: String,
    pub(crate) last: Option<DateTime<Utc>>,
    pub(crate) evidence: usize,
}

/// One replica, and what there is to judge it by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) config: &'a Config,
    pub(crate) pod: &'a Pod,
    pub(crate) container: &'a Container,
    pub(crate) history: &'a History,
    pub(crate) scan: Option<&'a Scan>,
    /// The current log is whole.
    pub(crate) log_complete: bool,
    pub(crate) shown: &'a [Shown],
    /// An immutable config of this name was deleted and made again while a container that took the former one runs on.
    pub(crate) made_again: bool,
}

/// What is known so far of one load.
#[derive(Debug, Clone)]
struct Known {
    index: Option<usize>,
    /// Overrides the comparison of contents: the process may have read again.
    live_unknown: bool,
    grade: Grade,
    why: Vec<String>,
    evidence: Vec<usize>,
}

impl Known {
    fn nothing(why: String) -> Self {
        Self {
            index: None,
            live_unknown: true,
            grade: Grade::Unknown,
            why: vec![why],
            evidence: Vec::new(),
        }
    }
}

/// The load of one use.
pub(crate) fn load(seen: &Seen<'_>, usage: &ConfigUse, book: &mut Book<'_>) -> UseLoad {
    let started = at_start(seen, usage, book);
    let known = if usage.swaps() {
        since_start(seen, usage, started)
    } else {
        told::with_shown(seen, usage, started.known)
    };
    let mut known = known;
    let live = if known.live_unknown {
        None
    } else {
        known
            .index
            .and_then(|index| compared(seen.history, index, usage))
    };
    if live.is_none() && known.index.is_some() && !known.live_unknown {
        known.why.push(
            "what the config held then is not known, so whether it differs from what is live is not either".to_owned(),
        );
    }
    UseLoad {
        via: usage.via.clone(),
        key: usage.keys.single().map(str::to_owned),
        // Edited and edited back: what it loaded then is what is live, so it bears that name.
        loaded: match live {
            Some(true) => seen.history.name(seen.history.live()),
            _ => known.index.and_then(|index| seen.history.name(index)),
        },
        live,
        grade: known.grade,
        why: known.why.join("; "),
        evidence: known.evidence,
    }
}

/// Whether a revision is what is live, as far as it reaches the process.
fn is_live(history: &History, index: usize, usage: &ConfigUse) -> bool {
    index == history.live() || alike(history, index, history.live(), usage)
}

/// The same, where both contents are known: one that is not may have been the same.
fn compared(history: &History, index: usize, usage: &ConfigUse) -> Option<bool> {
    let known = |index: usize| {
        history
            .revisions
            .get(index)
            .is_some_and(|r| r.content.is_some())
    };
    match is_live(history, index, usage) {
        true => Some(true),
        false if known(index) && known(history.live()) => Some(false),
        false => None,
    }
}

fn alike(history: &History, a: usize, b: usize, usage: &ConfigUse) -> bool {
    let content = |index: usize| history.revisions.get(index)?.content.as_ref();
    match (content(a), content(b)) {
        (Some(a), Some(b)) => same(a, b, &usage.keys),
        // The write that replaced an unknown content touched no other keys than those that its manager owns.
        _ => a == b || untouched(history, a.min(b), a.max(b), usage),
    }
}

fn untouched(history: &History, from: usize, to: usize, usage: &ConfigUse) -> bool {
    let edits = history.edits.get(from..to).unwrap_or_default();
    let live = history.revisions.last().and_then(|r| r.content.as_ref());
    !edits.is_empty()
        && edits.iter().all(|edit| {
            edit.keys
                .as_ref()
                .is_some_and(|keys| keys.iter().all(|key| !usage.keys.reaches_in(key, live)))
        })
}

/// What was there when the container started.
struct AtStart {
    known: Known,
    /// The relation to the edit after which nothing changed any more for this use, where the start is known to be after it.
    after: Option<Relation>,
}

/// Why the order of edits and starts shows nothing for this use.
fn no_order(seen: &Seen<'_>, usage: &ConfigUse, book: &mut Book<'_>) -> Option<String> {
    if seen.made_again {
        return Some(
            "this immutable config was made again under its name: a kubelet that knows the former one does not read it anew (kubernetes/website#42359)"
                .to_owned(),
        );
    }
    younger_config(seen.config, seen.container, seen.snapshot.now()).or_else(|| {
        usage
            .optional
            .then(|| maybe_before_creation(seen, book))
            .flatten()
    })
}

fn at_start(seen: &Seen<'_>, usage: &ConfigUse, book: &mut Book<'_>) -> AtStart {
    if let Some(why) = no_order(seen, usage, book) {
        return AtStart {
            known: Known::nothing(why),
            after: None,
        };
    }
    let history = seen.history;
    let mut grade = Grade::Ordered;
    let mut why = Vec::new();
    let mut evidence = Vec::new();
    for (index, edit) in history.edits.iter().enumerate().rev() {
        if alike(history, index, index + 1, usage) {
            continue;
        }
        let found = relation(seen.snapshot, seen.pod, seen.container, edit, book);
        match found.side {
            Side::Unclear => {
                return AtStart {
                    known: Known::nothing(found.why),
                    after: None,
                };
            }
            Side::Before => {
                grade = grade.max(found.grade);
                why = vec![found.why];
                evidence = found.evidence;
            }
            Side::After => {
                grade = grade.max(found.grade);
                if let Some(next) = why.first_mut() {
                    *next = format!("of the next edit: {next}");
                }
                why.insert(0, found.why.clone());
                evidence.splice(0..0, found.evidence.iter().copied());
                let known = Known {
                    index: Some(index + 1),
                    live_unknown: false,
                    grade,
                    why,
                    evidence,
                };
                return AtStart {
                    known,
                    after: Some(found),
                };
            }
        }
    }
    before_all(seen, grade, why, evidence, book)
}

/// The start is before every known edit that matters: it loaded the oldest known revision, unless that one was itself written
/// over something unknown after the start.
fn before_all(
    seen: &Seen<'_>,
    grade: Grade,
    mut why: Vec<String>,
    evidence: Vec<usize>,
    book: &mut Book<'_>,
) -> AtStart {
    let mut after = None;
    let mut grade = grade;
    if let Some(floor) = &seen.history.floor {
        let found = relation(seen.snapshot, seen.pod, seen.container, floor, book);
        if found.side != Side::After {
            return AtStart {
                known: Known::nothing(unknown_content(seen, floor)),
                after: None,
            };
        }
        grade = grade.max(found.grade);
        if why.is_empty() {
            why.push(found.why.clone());
        }
        after = Some(found);
    }
    if why.is_empty() {
        // Nothing else can have been loaded, whatever the clocks say.
        why.push(if seen.history.edits.is_empty() {
            "the config was never edited since it was created".to_owned()
        } else {
            "no edit since the config was created touched what this container takes".to_owned()
        });
        grade = Grade::Inferred;
    }
    AtStart {
        known: Known {
            index: Some(0),
            live_unknown: false,
            grade,
            why,
            evidence,
        },
        after,
    }
}

fn unknown_content(seen: &Seen<'_>, floor: &Edit) -> String {
    let by = floor.manager.as_deref().unwrap_or("an unknown manager");
    let latest = floor.at.latest.map_or_else(
        || "an unknown time".to_owned(),
        |at| clock_time(at, seen.snapshot.now()),
    );
    format!(
        "it may have started before a write by {by} (at the latest {latest}); what that write changed, if anything, is not known"
    )
}

/// An optional config does not hold a container back: it may have started before there was one.
fn maybe_before_creation(seen: &Seen<'_>, book: &mut Book<'_>) -> Option<String> {
    let creation = Edit {
        at: Interval::second(seen.config.created?),
        resource_version: None,
        manager: None,
        keys: None,
    };
    let found = relation(seen.snapshot, seen.pod, seen.container, &creation, book);
    (found.side != Side::After).then(|| {
        format!(
            "the config is optional, and the container may have started before it was created {}",
            clock_time(
                seen.config.created.unwrap_or(seen.snapshot.now()),
                seen.snapshot.now()
            )
        )
    })
}

/// A config that is younger than the container was made after it: under this name there was another one, or none.
pub(crate) fn younger_config(
    config: &Config,
    container: &Container,
    now: DateTime<Utc>,
) -> Option<String> {
    let created = config.created?;
    let started = started_at(container)?;
    (started + TimeDelta::seconds(3) < created).then(|| {
        format!(
            "the config was created {}, after this container started {}: it held a former object of that name, or none",
            clock_time(created, now),
            clock_time(started, now)
        )
    })
}

/// Files that the kubelet swaps: what the process read at its start, and whether it read again.
fn since_start(seen: &Seen<'_>, usage: &ConfigUse, start: AtStart) -> Known {
    let mut known = start.known;
    let newest = seen.shown.iter().max_by_key(|s| s.last);
    if let Some(by_log) = newest.and_then(|shown| told::by_shown(seen, usage, &known, shown)) {
        return by_log;
    }
    let Some(index) = known.index else {
        return known;
    };
    if is_live(seen.history, index, usage) {
        return if in_place_too_soon(start.after.as_ref()) {
            Known::nothing(
                "ambiguous: it restarted in place so soon after the edit that its files may not have been swapped yet"
                    .to_owned(),
            )
        } else {
            known
        };
    }
    match reload_after(seen) {
        // It read its own configuration again; whether this mount is part of that is known by the path alone.
        Reload::AfterSwap(at) if of_program(seen, &usage.via).is_some() => Known {
            index: Some(seen.history.live()),
            live_unknown: false,
            grade: Grade::Shown,
            why: vec![format!(
                "its log says at {} that it read its configuration again, after the files had been swapped",
                clock_time(at, seen.snapshot.now())
            )],
            evidence: known.evidence,
        },
        Reload::AfterSwap(_) | Reload::DuringSwap => Known::nothing(
            "ambiguous: it read its configuration again while the files were being swapped"
                .to_owned(),
        ),
        Reload::No => {
            known.grade = Grade::Inferred;
            match once(seen, &usage.via) {
                Some(why) => known.why.push(why),
                None => {
                    known.live_unknown = true;
                    let mut open = "that is what it read at its start; whether it read the files again is not known".to_owned();
                    if let Some(why) = no_log(seen.snapshot, seen.pod) {
                        open.push_str(&format!(" without its log ({why})"));
                    }
                    known.why.push(open);
                }
            }
            known
        }
    }
}

fn in_place_too_soon(after: Option<&Relation>) -> bool {
    after.is_some_and(|r| !r.new_pod && r.after_by.is_none_or(|by| by < SWAP))
}

/// The program whose own configuration a mount is.
fn of_program(seen: &Seen<'_>, via: &Use) -> Option<Program> {
    let (Use::Volume { path } | Use::Projected { path }) = via else {
        return None;
    };
    let logged = seen.scan.and_then(|scan| scan.program);
    reads_once(&seen.container.image, logged, path)
}

/// Why this program is known to run what it read at its start.
fn once(seen: &Seen<'_>, via: &Use) -> Option<String> {
    let program = of_program(seen, via)?;
    seen.log_complete.then(|| {
        format!(
            "{} reads its configuration once, and its complete log holds no reload",
            program.as_str()
        )
    })
}

enum Reload {
    No,
    DuringSwap,
    AfterSwap(DateTime<Utc>),
}

fn reload_after(seen: &Seen<'_>) -> Reload {
    let Some(edit) = seen.history.last_edit() else {
        return Reload::No;
    };
    let Some(last) = seen.scan.and_then(|scan| scan.reloads.last()) else {
        return Reload::No;
    };
    match (last.0, edit.at.earliest, edit.at.latest) {
        (Some(at), _, Some(latest)) if at > latest + SWAP => Reload::AfterSwap(at),
        (Some(at), Some(earliest), _) if at + TimeDelta::seconds(2) < earliest => Reload::No,
        _ => Reload::DuringSwap,
    }
}
