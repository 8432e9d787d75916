//! A remedy that is under way: which write comes next, what is waited for, and when it is over. Pure: facts come in, approved
//! writes go out, one at a time.
//!
//! ```text
//! Ready ── content ──▶ Settling ──▶ Replacing ⇄ Settling ──▶ Asking ──▶ Replacing … ──▶ Verifying ──▶ Closed
//!   └── nothing to write ─────────────────▲                                    └── Restarting ──▶
//! ```
//!
//! Anything that is not as it was meant stops it, with a sentence: a live content that somebody changed, a replacement that fails.

mod seen;
mod steps;
mod verify;

use chrono::{DateTime, TimeDelta, Utc};

pub use self::seen::Seen;
pub use self::verify::{Check, Mark};
use super::PlanKind;
use super::goal::{Goal, Method};
use super::write::{Approved, Confirmation, Safe, Write, WriteError, Written};
use crate::model::PodRef;

/// A write that the facts do not show by then is asked about.
const LAG: TimeDelta = TimeDelta::seconds(30);
/// So long a replacement is watched where nobody asks it anything.
const TRIAL: TimeDelta = TimeDelta::seconds(20);
/// So many answers without an error show that a replacement serves.
const ANSWERS: usize = 5;

/// Where it stands.
#[derive(Debug, Clone, PartialEq)]
pub enum Stage {
    /// Agreed to; nothing is written yet.
    Ready,
    /// Sent; no answer yet.
    Sending(Write),
    /// The content is written; the facts are to show it.
    Settling { since: DateTime<Utc> },
    /// A pod was evicted; one that serves is to take its place.
    Replacing { pod: PodRef, since: DateTime<Utc> },
    /// The first one serves: are the others to be replaced too?
    Asking,
    /// The whole workload is being restarted, or rolled out.
    Restarting { since: DateTime<Utc> },
    /// Everything runs the target; it is watched.
    Verifying { since: DateTime<Utc> },
    /// Over. Whether traffic showed that it helped.
    Closed { verified: bool },
    /// It can go on once that is settled.
    Paused(String),
    /// It cannot go on.
    Stopped(String),
}

/// A remedy under way.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    pub goal: Goal,
    confirmation: Confirmation,
    pub stage: Stage,
    /// When the target was live, or what is live was agreed to.
    pub fixed_at: Option<DateTime<Utc>>,
    /// The version that our own write gave.
    own_version: Option<String>,
    /// The restart annotation that our own write gave.
    own_restart: Option<String>,
    /// The user said that the others are to be replaced too.
    go_on: bool,
    replaced: Vec<PodRef>,
    /// Pods that were on screen when it was agreed to. No other is touched without another word.
    announced: Vec<PodRef>,
    /// One that was not, and that it paused at.
    unannounced: Option<PodRef>,
    /// Something was written, or may have been.
    pub wrote: bool,
    /// No answer came to the write that is waited for: it may not have happened.
    unanswered: bool,
    /// The checklist as it was when it was closed.
    closing: Vec<Check>,
    /// What was done and seen, in order.
    pub told: Vec<(DateTime<Utc>, String)>,
}

impl Course {
    /// `announced` are the writes that were on screen.
    pub fn new(goal: Goal, confirmation: Confirmation, announced: &[Write]) -> Self {
        let pods = announced.iter().filter_map(|write| match write {
            Write::Evict { pod } => Some(pod.clone()),
            _ => None,
        });
        Self {
            announced: pods.collect(),
            unannounced: None,
            wrote: false,
            unanswered: false,
            goal,
            confirmation,
            stage: Stage::Ready,
            fixed_at: None,
            own_version: None,
            own_restart: None,
            go_on: false,
            replaced: Vec::new(),
            closing: Vec::new(),
            told: Vec::new(),
        }
    }

    pub fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Closed { .. } | Stage::Stopped(_))
    }

    fn tell(&mut self, now: DateTime<Utc>, what: impl Into<String>) {
        self.told.push((now, what.into()));
    }

    fn stop(&mut self, now: DateTime<Utc>, why: impl Into<String>) {
        let why = why.into();
        self.tell(now, why.clone());
        self.stage = Stage::Stopped(why);
    }

    fn pause(&mut self, now: DateTime<Utc>, why: impl Into<String>) {
        let why = why.into();
        self.tell(now, why.clone());
        self.stage = Stage::Paused(why);
    }

    /// The user goes on: after the first replacement, or where it paused.
    pub fn go_on(&mut self, now: DateTime<Utc>) {
        match &self.stage {
            Stage::Asking => {
                self.go_on = true;
                self.stage = Stage::Settling { since: now };
            }
            Stage::Paused(_) => {
                self.announced.extend(self.unannounced.take());
                self.stage = match self.fixed_at {
                    Some(_) => Stage::Settling { since: now },
                    None => Stage::Ready,
                };
            }
            _ => {}
        }
    }

    /// The others are restarted all at once instead of one by one.
    pub fn restart_all(&mut self, now: DateTime<Utc>) {
        if self.stage == Stage::Asking {
            self.goal.method = Method::Restart;
            self.go_on(now);
        }
    }

    /// The user stops it.
    pub fn stop_here(&mut self, now: DateTime<Utc>) {
        if !self.is_over() {
            self.stop(now, "stopped by hand; what was done stays done");
        }
    }

    /// It has nothing to be done to any more.
    pub fn break_off(&mut self, now: DateTime<Utc>, why: &str) {
        if !self.is_over() {
            self.stop(now, format!("{why}: nothing further is written"));
        }
    }

    /// Takes in what became of the write that was sent.
    pub fn acted(&mut self, outcome: Result<Written, WriteError>, now: DateTime<Utc>) {
        let Stage::Sending(write) = self.stage.clone() else {
            return;
        };
        match outcome {
            Ok(written) => self.done(&write, written, now),
            // The facts tell whether it happened.
            Err(WriteError::Unknown(why)) => {
                self.wrote = true;
                self.unanswered = true;
                if let Write::Restart { at, .. } = &write {
                    self.own_restart = Some(crate::remedy::stamp(*at));
                }
                self.tell(
                    now,
                    format!(
                        "{write}: no answer came ({why}); the cluster is asked whether it happened"
                    ),
                );
                self.waits(&write, now);
            }
            Err(error @ (WriteError::Refused(_) | WriteError::Unread(_))) => {
                self.pause(now, format!("{write}: {error}"))
            }
            Err(error) => self.stop(now, format!("{write}: {error}")),
        }
    }

    fn done(&mut self, write: &Write, written: Written, now: DateTime<Utc>) {
        self.wrote = true;
        self.unanswered = false;
        self.tell(now, format!("{write}: done"));
        match write {
            Write::Content { to, .. } => {
                if written
                    .content
                    .as_ref()
                    .is_some_and(|content| content != to)
                {
                    let why = "what was written is not what was meant to be: something changes it on its way";
                    return self.stop(now, why);
                }
                self.own_version = Some(written.resource_version);
            }
            Write::Evict { pod } => self.replaced.push(pod.clone()),
            Write::Restart { at, .. } => self.own_restart = Some(crate::remedy::stamp(*at)),
            Write::Repoint { .. } => {}
        }
        self.waits(write, now);
    }

    fn waits(&mut self, write: &Write, now: DateTime<Utc>) {
        self.stage = match write {
            Write::Content { .. } => Stage::Settling { since: now },
            Write::Evict { pod } => Stage::Replacing {
                pod: pod.clone(),
                since: now,
            },
            Write::Restart { .. } | Write::Repoint { .. } => {
                self.fixed_at.get_or_insert(now);
                Stage::Restarting { since: now }
            }
        };
    }

    /// Looks at the facts: the write that comes next, where one does.
    pub fn look(&mut self, seen: &Seen<'_>) -> Option<Approved> {
        // Nothing is decided on what may have changed meanwhile.
        if !seen.fresh || self.is_over() {
            return None;
        }
        let next = match self.stage.clone() {
            Stage::Ready => self.begin(seen),
            Stage::Settling { since } => self.settled(seen, since),
            Stage::Replacing { pod, since } => self.replaced(seen, &pod, since),
            Stage::Restarting { since } => self.restarted(seen, since),
            Stage::Verifying { since } => self.verified(seen, since),
            _ => None,
        };
        if let Some(approved) = &next {
            self.tell(seen.now, format!("{}: sent", approved.write()));
            self.stage = Stage::Sending(approved.write().clone());
        }
        next
    }

    fn begin(&mut self, seen: &Seen<'_>) -> Option<Approved> {
        let agreed = self.confirmation.clone();
        if self.goal.repoint.is_some() {
            let write = self.goal.repointing(seen.workload?)?;
            return Approved::repoint(write, &agreed);
        }
        if let Some(write) = self.goal.content_write() {
            return Approved::content(write, &agreed);
        }
        self.stage = Stage::Settling { since: seen.now };
        None
    }

    /// Whether what is live is what is meant; it stops where somebody made it another.
    fn holds(&mut self, seen: &Seen<'_>, since: DateTime<Utc>) -> Option<Safe> {
        let Some(target) = self.goal.target.clone() else {
            return Safe::agreed(self.goal.needs_override(), &self.confirmation);
        };
        let Some(config) = seen.config.filter(|config| !config.is_absent()) else {
            self.stop(
                seen.now,
                format!(
                    "{} is not there any more: somebody deleted it",
                    self.goal.config
                ),
            );
            return None;
        };
        if let Some(safe) = Safe::since_live_is(&target.content, config) {
            self.fixed_at.get_or_insert(seen.now);
            if self.goal.kind == PlanKind::RollForward {
                return Safe::agreed(self.goal.needs_override(), &self.confirmation);
            }
            return Some(safe);
        }
        let before = config.resource_version == self.goal.seen.resource_version;
        if before && self.fixed_at.is_none() {
            if seen.now - since > LAG {
                self.pause(
                    seen.now,
                    format!(
                        "{} is still as it was: the write is not to be seen",
                        self.goal.config
                    ),
                );
            }
            return None;
        }
        let by = seen.last_writer().unwrap_or_else(|| "somebody".into());
        self.stop(
            seen.now,
            format!(
                "{} was changed meanwhile by {by}: it holds neither what was written nor may it be overwritten. Look at the diff, and begin anew",
                self.goal.config
            ),
        );
        None
    }

    /// The checklist, as far as it holds now.
    pub fn checks(&self, seen: &Seen<'_>) -> Vec<Check> {
        let since = match self.stage {
            Stage::Verifying { since } => Some(since),
            Stage::Closed { .. } => return self.closing.clone(),
            _ => None,
        };
        verify::checks(&self.goal, seen, self.fixed_at, since)
    }

    /// Why it takes so long, where the facts say so.
    pub fn stuck(&self, seen: &Seen<'_>) -> Option<String> {
        const PATIENCE: TimeDelta = TimeDelta::seconds(20);
        let since = match self.stage {
            Stage::Replacing { since, .. }
            | Stage::Restarting { since }
            | Stage::Settling { since } => since,
            _ => return None,
        };
        if seen.now - since < PATIENCE {
            return None;
        }
        seen.obstacle()
    }
}
