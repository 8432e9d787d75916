//! What could not be read is tried again: at once where the connection comes back, else ever more seldom. What is said of it stays
//! until there is another answer.

use std::time::Duration;

use tokio::time::Instant;

use super::Keeper;
use crate::model::{ChainEnd, GapReason, Snapshot, Want};
use crate::source::Source;

/// The first wait, and the longest.
const FIRST: Duration = Duration::from_secs(30);
const LONGEST: Duration = Duration::from_secs(300);

/// When it is tried next.
#[derive(Debug)]
pub(super) struct Retry {
    pub(super) at: Instant,
    wait: Duration,
}

impl Retry {
    pub(super) fn new() -> Self {
        Self {
            at: Instant::now() + FIRST,
            wait: FIRST,
        }
    }

    /// The next one is as far away again as all that went before, or as the first where nothing failed.
    fn next(&mut self, failed: bool) {
        self.wait = match failed {
            true => (self.wait * 2).min(LONGEST),
            false => FIRST,
        };
        self.at = Instant::now() + self.wait;
    }
}

impl<S: Source + 'static> Keeper<S> {
    /// Tries what failed, now and then. What is run in containers is not tried again by itself.
    pub(super) fn retry(&mut self) {
        let given_up = self.lists.ended.len();
        self.lists.ended.retain(|_, why| why.is_none());
        let given_up = self.lists.ended.len() < given_up;
        let failed = self.ask_failed(|want| !want.is_probing()) || given_up;
        self.retry.next(failed);
        if failed {
            self.look_soon();
        }
    }

    /// What failed while the connection was lost is read once more.
    pub(super) fn try_again(&mut self) {
        self.lists.ended.clear();
        self.ask_failed(|_| true);
        self.retry = Retry::new();
    }

    /// Has what failed wanted again; whether anything had.
    fn ask_failed(&mut self, among: impl Fn(&Want) -> bool) -> bool {
        let before = self.snapshot.asked.len();
        let snapshot = &mut self.snapshot;
        let mut asked = std::mem::take(&mut snapshot.asked);
        asked.retain(|want| !(among(want) && has_failed(want, snapshot)));
        snapshot.asked = asked;
        self.snapshot.asked.len() < before
    }
}

/// Whether a read gave nothing, for a reason that may pass.
fn has_failed(want: &Want, snapshot: &Snapshot) -> bool {
    match want {
        Want::Earlier { config, .. } => snapshot.earlier.iter().any(|known| {
            known.reference == *config
                && matches!(&known.end, ChainEnd::Failed(gap) if may_pass(&gap.reason))
        }),
        // Where nothing was found there is nothing to be known of.
        Want::Former { .. } => false,
        Want::PodsAt { .. } | Want::OneCounter { .. } => snapshot
            .gaps
            .iter()
            .any(|gap| *gap == want.gap(gap.reason.clone()) && may_pass(&gap.reason)),
        _ => snapshot
            .gaps
            .iter()
            .any(|gap| want.is_refused_by(gap) && may_pass(&gap.reason)),
    }
}

fn may_pass(reason: &GapReason) -> bool {
    matches!(
        reason,
        GapReason::Forbidden
            | GapReason::NotFound
            | GapReason::TimedOut { .. }
            | GapReason::Status { .. }
            | GapReason::Connection(_)
            | GapReason::Unreadable(_)
    )
}
