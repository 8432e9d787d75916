//! Each stage's own question to the facts: is it done, and what is next?

use chrono::{DateTime, TimeDelta, Utc};

use super::{ANSWERS, Course, LAG, Seen, Stage, TRIAL, verify};
use crate::model::PodRef;
use crate::remedy::PlanKind;
use crate::remedy::goal::{Method, fails};
use crate::remedy::write::{Approved, Write};

/// kubectl's annotation of a template, which is also what is written here.
const RESTARTED: &str = "kubectl.kubernetes.io/restartedAt";

impl Course {
    /// What is live is as meant: whose turn is it?
    pub(super) fn settled(&mut self, seen: &Seen<'_>, since: DateTime<Utc>) -> Option<Approved> {
        let safe = self.holds(seen, since)?;
        if self.goal.kind == PlanKind::Undo {
            self.tell(
                seen.now,
                "what was there before is live again; no pod is touched",
            );
            self.stage = Stage::Closed { verified: false };
            return None;
        }
        let written = self.own_version.as_ref().and(self.fixed_at);
        let stale = seen.stale(&self.goal.failing, written);
        let mitigated = !stale.iter().any(|pod| self.goal.failing.contains(pod));
        if self.goal.kind == PlanKind::MitigateFirst && mitigated {
            self.goal.method = Method::Restart;
        }
        if self.goal.method == Method::Restart && self.own_restart.is_none() {
            let workload = seen.workload?;
            if workload.paused {
                self.pause(
                    seen.now,
                    format!(
                        "{} is paused: it restarts nothing until it is resumed",
                        self.goal.workload
                    ),
                );
                return None;
            }
            let write = self.goal.restarting(workload, seen.now);
            return Some(Approved::restarting(write, safe, &self.confirmation));
        }
        let Some(next) = stale.first() else {
            return self.complete(seen);
        };
        if !self.replaced.is_empty() && !self.go_on {
            self.stage = Stage::Asking;
            return None;
        }
        // One that serves is only taken where as many serve as did at the start.
        if seen.serves(next) && seen.serving() < self.goal.serving {
            return None;
        }
        if !self.announced.contains(next) {
            let why = format!(
                "pod {} does not run {} as far as is known, and was not announced: Enter replaces it too",
                next.name,
                self.goal.meant()
            );
            self.unannounced = Some(next.clone());
            self.pause(seen.now, why);
            return None;
        }
        let write = Write::Evict { pod: next.clone() };
        Some(Approved::restarting(write, safe, &self.confirmation))
    }

    /// A replacement is there, ready, and serves.
    pub(super) fn replaced(
        &mut self,
        seen: &Seen<'_>,
        pod: &PodRef,
        since: DateTime<Utc>,
    ) -> Option<Approved> {
        self.holds(seen, since)?;
        if seen.has(pod) {
            if self.unanswered && !seen.going(pod) && seen.now - since > LAG {
                let why = format!(
                    "pod {} is still there: the eviction that nobody answered is not to be seen. Enter sends it once more",
                    pod.name
                );
                self.pause(seen.now, why);
            }
            return None;
        }
        let new: Vec<_> = seen.started_after(since).collect();
        if let Some(failing) = new.iter().find(|r| r.ready && fails(r)) {
            let why = format!(
                "{} took its place and fails too: look at its log before anything else is replaced",
                failing.pod.name
            );
            self.stop(seen.now, why);
            return None;
        }
        let enough = seen.ready() >= seen.desired();
        let serves = new.iter().any(|r| {
            let answers: usize = r.traffic.iter().map(|t| t.total - t.failed).sum();
            let old = r.started_at.is_some_and(|at| seen.now - at >= TRIAL);
            r.ready && r.live == Some(true) && (answers >= ANSWERS || old)
        });
        if enough && serves {
            let names: Vec<&str> = new.iter().map(|r| r.pod.name.as_str()).collect();
            self.tell(
                seen.now,
                format!(
                    "{} is ready and runs {}",
                    names.join(", "),
                    self.goal.meant()
                ),
            );
            self.stage = Stage::Settling { since: seen.now };
        }
        None
    }

    pub(super) fn restarted(&mut self, seen: &Seen<'_>, since: DateTime<Utc>) -> Option<Approved> {
        self.holds(seen, since)?;
        let workload = seen.workload?;
        let marked = workload.template_marks.get(RESTARTED);
        let ours = match (&self.own_restart, &self.goal.repoint) {
            (Some(own), _) => marked == Some(own.as_str()),
            (None, Some(to)) => workload.configs.contains(to),
            (None, None) => true,
        };
        if ours {
            return self.complete(seen);
        }
        // What is known may be of the moment before.
        if seen.now - since > TimeDelta::seconds(5) {
            let new = seen.started_after(since).count();
            let why = format!(
                "the restart of {} was undone: somebody made its template another, and {new} of {} are new",
                self.goal.workload,
                seen.replicas.len()
            );
            self.stop(seen.now, why);
        }
        None
    }

    /// All that was to be replaced has been, once every replica is seen to run what is meant.
    pub(super) fn complete(&mut self, seen: &Seen<'_>) -> Option<Approved> {
        let all = !seen.replicas.is_empty() && seen.replicas.iter().all(|r| r.live == Some(true));
        if all && seen.is_rolled_out() {
            self.tell(
                seen.now,
                format!("every replica runs {}", self.goal.meant()),
            );
            self.stage = Stage::Verifying { since: seen.now };
        }
        None
    }

    pub(super) fn verified(&mut self, seen: &Seen<'_>, since: DateTime<Utc>) -> Option<Approved> {
        self.holds(seen, since)?;
        if let Some(verified) = verify::outcome(&self.goal, seen, self.fixed_at, since) {
            self.tell(
                seen.now,
                match verified {
                    true => "closed: verified by traffic",
                    false => "closed: not verified by traffic",
                },
            );
            self.closing = self.checks(seen);
            self.stage = Stage::Closed { verified };
        }
        None
    }
}
