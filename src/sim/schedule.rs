//! What is due when. Of what is due at one moment, that which was put in first comes first.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::controllers::Work;
use super::kubelet::Step;
use super::store::Key;

/// Something that happens by itself.
#[derive(Debug, Clone)]
pub(crate) enum Due {
    /// A controller looks again.
    Work(Work),
    /// A step of what runs on a node.
    Kubelet(Step),
    /// An event gets too old, if nothing was added to it.
    Expire(Key),
}

/// The queue.
#[derive(Debug, Default)]
pub(crate) struct Schedule {
    queue: BTreeMap<(DateTime<Utc>, u64), Due>,
    count: u64,
}

impl Schedule {
    pub(crate) fn put(&mut self, at: DateTime<Utc>, due: Due) {
        self.count += 1;
        self.queue.insert((at, self.count), due);
    }

    pub(crate) fn next(&self) -> Option<DateTime<Utc>> {
        self.queue.first_key_value().map(|((at, _), _)| *at)
    }

    /// What is due until a moment, the earliest of it.
    pub(crate) fn pop(&mut self, until: DateTime<Utc>) -> Option<(DateTime<Utc>, Due)> {
        if self.next()? > until {
            return None;
        }
        let ((at, _), due) = self.queue.pop_first()?;
        Some((at, due))
    }
}
