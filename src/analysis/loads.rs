//! Which revision a replica runs by one use, and how well that is known.

use chrono::{DateTime, TimeDelta, Utc};

use super::content::same;
use super::evidence::Book;
use super::incident::{Grade, Use, UseLoad};
use super::names::clock_time;
use super::ordering::{Relation, Side, relation, started_at};
use super::revisions::{Edit, History};
use super::signals::{Scan, reads_once};
use super::uses::ConfigUse;
use crate::model::{Config, Container, Pod, Snapshot};

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
        with_shown(seen, usage, started.known)
    };
    let live = if known.live_unknown {
        None
    } else {
        known.index.map(|index| is_live(seen.history, index, usage))
    };
    UseLoad {
        via: usage.via.clone(),
        key: usage.keys.single().map(str::to_owned),
        loaded: known.index.and_then(|index| seen.history.name(index)),
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

fn alike(history: &History, a: usize, b: usize, usage: &ConfigUse) -> bool {
    let content = |index: usize| history.revisions.get(index)?.content.as_ref();
    match (content(a), content(b)) {
        (Some(a), Some(b)) => same(a, b, &usage.keys),
        _ => a == b,
    }
}

/// What was there when the container started.
struct AtStart {
    known: Known,
    /// The relation to the edit after which nothing changed any more for this use, where the start is known to be after it.
    after: Option<Relation>,
}

fn at_start(seen: &Seen<'_>, usage: &ConfigUse, book: &mut Book<'_>) -> AtStart {
    if seen.made_again {
        return AtStart {
            known: Known::nothing(
                "this immutable config was made again under its name: a kubelet that knows the former one does not read it anew (kubernetes/website#42359)"
                    .to_owned(),
            ),
            after: None,
        };
    }
    if let Some(why) = younger_config(seen.config, seen.container, seen.snapshot.taken_at) {
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
        if alike(history, index, index + 1, usage) && content_known(history, index) {
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

fn content_known(history: &History, index: usize) -> bool {
    [index, index + 1].iter().all(|i| {
        history
            .revisions
            .get(*i)
            .is_some_and(|r| r.content.is_some())
    })
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
        // Never edited: nothing else can have been loaded, whatever the clocks say.
        why.push("the config was never edited since it was created".to_owned());
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
        |at| clock_time(at, seen.snapshot.taken_at),
    );
    format!(
        "it may have started before a write by {by} (at the latest {latest}); what that write changed, if anything, is not known"
    )
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
    if let Some(by_log) = newest.and_then(|shown| by_shown(seen, usage, &known, shown)) {
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
        Reload::AfterSwap(at) => Known {
            index: Some(seen.history.live()),
            live_unknown: false,
            grade: Grade::Shown,
            why: vec![format!(
                "its log says at {} that it read its configuration again, after the files had been swapped",
                clock_time(at, seen.snapshot.taken_at)
            )],
            evidence: known.evidence,
        },
        Reload::DuringSwap => Known::nothing(
            "ambiguous: it read its configuration again while the files were being swapped"
                .to_owned(),
        ),
        Reload::No => {
            known.grade = Grade::Inferred;
            match once(seen, &usage.via) {
                Some(why) => known.why.push(why),
                None => {
                    known.live_unknown = true;
                    known.why.push(
                        "that is what it read at its start; whether it read the files again is not known".to_owned(),
                    );
                }
            }
            known
        }
    }
}

fn in_place_too_soon(after: Option<&Relation>) -> bool {
    after.is_some_and(|r| !r.new_pod && r.after_by.is_none_or(|by| by < SWAP))
}

/// Why this program is known to run what it read at its start.
fn once(seen: &Seen<'_>, via: &Use) -> Option<String> {
    let (Use::Volume { path } | Use::Projected { path }) = via else {
        return None;
    };
    let program = reads_once(
        &seen.container.image,
        seen.scan.and_then(|scan| scan.program),
        path,
    )?;
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

/// What a signal says of a program that may read again: only one logged after the edit says anything of now.
fn by_shown(seen: &Seen<'_>, usage: &ConfigUse, known: &Known, shown: &Shown) -> Option<Known> {
    let index = one_of(seen.history, &shown.revisions, usage, known.index)?;
    let edited = seen.history.last_edit().and_then(|edit| edit.at.latest)?;
    if shown.last.is_none_or(|last| last <= edited) {
        return None;
    }
    let agrees = known
        .index
        .is_none_or(|start| alike(seen.history, start, index, usage));
    let mut why = known.why.clone();
    if known.index.is_none() {
        why.clear();
    }
    why.push(if agrees {
        format!("its log shows {}", shown.text)
    } else {
        format!(
            "but its log shows {} at last, so it read the files again",
            shown.text
        )
    });
    let mut evidence = known.evidence.clone();
    evidence.push(shown.evidence);
    let grade = if agrees && known.grade == Grade::Ordered && is_live(seen.history, index, usage) {
        Grade::Ordered
    } else {
        Grade::Shown
    };
    Some(Known {
        index: Some(index),
        live_unknown: false,
        grade,
        why,
        evidence,
    })
}

/// The one revision that a signal means for this use: the expected one if it is among them, or one like all the others.
fn one_of(
    history: &History,
    revisions: &[usize],
    usage: &ConfigUse,
    expected: Option<usize>,
) -> Option<usize> {
    if let Some(expected) = expected
        && revisions
            .iter()
            .any(|r| alike(history, *r, expected, usage))
    {
        return Some(expected);
    }
    let last = *revisions.last()?;
    revisions
        .iter()
        .all(|r| alike(history, *r, last, usage))
        .then_some(last)
}

/// A load that is fixed from the start: what the log shows confirms it, or contradicts it.
fn with_shown(seen: &Seen<'_>, usage: &ConfigUse, known: Known) -> Known {
    let mut known = known;
    for shown in seen.shown {
        let Some(index) = one_of(seen.history, &shown.revisions, usage, known.index) else {
            continue;
        };
        match known.index {
            Some(start) if alike(seen.history, start, index, usage) => {
                known.grade = known.grade.min(Grade::Shown);
                known.why.push(format!("its log shows {}", shown.text));
            }
            Some(_) if known.grade < Grade::Shown => known.why.push(format!(
                "its log also shows {}, which speaks against it; the order is the stronger",
                shown.text
            )),
            Some(_) if known.grade == Grade::Shown => {
                return Known {
                    evidence: known.evidence,
                    ..Known::nothing(format!("its log contradicts itself: {}", shown.text))
                };
            }
            _ => {
                let against = known.index.is_some();
                known.index = Some(index);
                known.live_unknown = false;
                known.grade = Grade::Shown;
                let shows = format!("its log shows {}", shown.text);
                if against {
                    known
                        .why
                        .push(format!("but {shows}, which is the stronger"));
                } else {
                    known.why = vec![shows];
                }
            }
        }
        known.evidence.push(shown.evidence);
    }
    known.evidence.dedup();
    known
}
