//! Which revision a replica runs by one use, and how well that is known.

mod compare;
mod files;
mod former;
mod probed;
mod start;
mod told;

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};

use self::compare::compared;
use super::content::Reaches;
use super::evidence::Book;
use super::incident::{Grade, Use, UseLoad};
use super::revisions::History;
use super::signals::Scan;
use super::uses::ConfigUse;
use crate::model::{Container, Content, Pod, Probe, Snapshot};

pub(crate) use former::perhaps_replaced;

/// After a container restarted in place, the files of its volume may still be the old ones for as long as the kubelet takes
/// to swap them: its sync period (a minute by default) and the delay of its cache.
pub(crate) const SWAP: TimeDelta = TimeDelta::seconds(120);

/// What a log shows: revisions that explain a signal which others do not, and the last time it was logged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) revisions: Vec<usize>,
    /// The config's keys of which it tells the values; `None` is any.
    pub(crate) keys: Option<BTreeSet<String>>,
    /// Who told it.
    pub(crate) speaker: Speaker,
    /// `log`, or what else it was seen in.
    pub(crate) within: &'static str,
    pub(crate) text: String,
    pub(crate) last: Option<DateTime<Utc>>,
    pub(crate) evidence: usize,
}

impl Shown {
    /// Whether it tells of what a container takes by this use: the key reaches it, and nothing else could have told the same.
    fn concerns(&self, usage: &ConfigUse) -> bool {
        let reaches = |key: &String| {
            let content = Content::text([(key.as_str(), "")]);
            usage.keys.reaches(key, &content) == Reaches::Yes
        };
        let speaks = match &self.speaker {
            Speaker::Itself => true,
            Speaker::Use(via) => *via == usage.via,
            Speaker::Unclear => false,
        };
        speaks
            && self
                .keys
                .as_ref()
                .is_none_or(|keys| keys.iter().all(reaches))
    }
}

/// By which use a container has what it logs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Speaker {
    /// The program speaks of itself: of all that it takes.
    Itself,
    /// By this use of the config alone.
    Use(Use),
    /// Other uses of this container, or variables of its own, could have told the same: then it is evidence of none.
    Unclear,
}

/// One replica, and what there is to judge it by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) pod: &'a Pod,
    pub(crate) container: &'a Container,
    /// The container that took the config: an init container where its copy is meant, else the container itself.
    pub(crate) taker: &'a Container,
    /// When the controller that owns the pod was created.
    pub(crate) owner_made: Option<DateTime<Utc>>,
    /// When the oldest pod or template of any workload that takes the config was created.
    pub(crate) first_taker: Option<DateTime<Utc>>,
    pub(crate) history: &'a History,
    pub(crate) scan: Option<&'a Scan>,
    /// The current log is whole.
    pub(crate) log_complete: bool,
    pub(crate) shown: &'a [Shown],
    /// What was read inside this run of the container.
    pub(crate) probe: Option<&'a Probe>,
}

/// What is known so far of one load.
#[derive(Debug, Clone)]
struct Known {
    index: Option<usize>,
    /// Overrides the comparison of contents: the process may have read again.
    live_unknown: bool,
    /// It is not known which revision it is, but that it is not what is live.
    differs: bool,
    grade: Grade,
    why: Vec<String>,
    evidence: Vec<usize>,
}

impl Known {
    fn nothing(why: String) -> Self {
        Self {
            index: None,
            live_unknown: true,
            differs: false,
            grade: Grade::Unknown,
            why: vec![why],
            evidence: Vec::new(),
        }
    }
}

/// The load of one use.
pub(crate) fn load(seen: &Seen<'_>, usage: &ConfigUse, book: &mut Book<'_>) -> UseLoad {
    if seen.history.absent {
        return gone(seen, usage);
    }
    let seen = &taken_by(*seen, &usage.via);
    let started = start::at_start(seen, usage, book);
    let speaking: Vec<&Shown> = seen.shown.iter().filter(|s| s.concerns(usage)).collect();
    let mut known = if usage.swaps() {
        files::since_start(seen, usage, &started, &speaking)
    } else {
        told::with_shown(seen, usage, &started, &speaking)
    };
    known = probed::with_probe(seen, usage, known, book);
    let live = match known.index {
        _ if known.differs => Some(false),
        Some(index) if !known.live_unknown => {
            compared(seen.history, index, seen.history.live(), usage)
        }
        _ => None,
    };
    if let (Some(index), None, false) = (known.index, live, known.live_unknown) {
        known
            .why
            .push(open_comparison(seen.history, index).to_owned());
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
        strays: probed::strays(seen, usage),
    }
}

/// Of a config that is not there any more: the container holds what it was when it started.
fn gone(seen: &Seen<'_>, usage: &ConfigUse) -> UseLoad {
    let started = seen.container.started_at().is_some();
    UseLoad {
        via: usage.via.clone(),
        key: usage.keys.single().map(str::to_owned),
        loaded: None,
        live: None,
        grade: Grade::Unknown,
        why: if started && !usage.optional {
            "the config is not there any more; it runs what that held when it started".to_owned()
        } else {
            "the config is not there".to_owned()
        },
        evidence: Vec::new(),
        strays: Vec::new(),
    }
}

/// The same, with the container that took the config for this use.
fn taken_by<'a>(seen: Seen<'a>, via: &Use) -> Seen<'a> {
    let Use::InitCopy { init, .. } = via else {
        return seen;
    };
    let taker = seen.pod.container(init);
    Seen {
        taker: taker.unwrap_or(seen.container),
        ..seen
    }
}

/// Why it is not known whether a load differs from what is live.
fn open_comparison(history: &History, index: usize) -> &'static str {
    if history.content(index).is_some() && history.live_content().is_some() {
        "what differs from what is live may be overridden by another source, so whether it reaches the process is not known"
    } else {
        "what the config held then is not known, so whether it differs from what is live is not either"
    }
}
