//! The cluster in one value: its objects, what runs on its nodes, and what is due when. It is moved by hand, so that it is the same
//! each time.

use chrono::{DateTime, TimeDelta, Utc};

use super::controllers::Controllers;
use super::kubelet::Kubelet;
use super::names::{Chosen, Setup};
use super::random::Random;
use super::recorder::Recorder;
use super::schedule::{Due, Schedule};
use super::status::Failure;
use super::store::Store;

/// What is written to the store, and forgotten of it, as the API server of a managed cluster does.
const WINDOW: TimeDelta = TimeDelta::minutes(5);
/// What chance begins with, if nobody says.
const SEED: u64 = 4;

/// A cluster at a moment.
#[derive(Debug)]
pub struct World {
    pub(super) began: DateTime<Utc>,
    pub(super) now: DateTime<Utc>,
    /// Since and until when nobody writes to it.
    pub(super) undisturbed: (DateTime<Utc>, DateTime<Utc>),
    pub(super) store: Store,
    pub(super) random: Random,
    pub(super) chosen: Chosen,
    pub(super) schedule: Schedule,
    pub(super) recorder: Recorder,
    pub(super) controllers: Controllers,
    pub(super) kubelet: Kubelet,
    /// When the nodes last renewed their Leases.
    pub(super) renewed: DateTime<Utc>,
}

/// One line that a container wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub at: DateTime<Utc>,
    pub text: String,
}

/// What a run of a container wrote.
#[derive(Debug, Clone, Default)]
pub struct Lines {
    pub lines: Vec<Line>,
    /// So many lines were written up to the last of these, with those that are no longer kept.
    pub written: usize,
    /// The number of the run, of which no other has it.
    pub run: u64,
    /// The run is over: nothing follows.
    pub ended: bool,
}

/// What a command in a container came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Output {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub code: i32,
}

impl World {
    /// A cluster with nodes and system namespaces and nothing else.
    pub fn new(start: DateTime<Utc>) -> Self {
        Self::set_up(start, Setup::default())
    }

    /// One whose names, addresses and delays come from a seed, or are what somebody chose.
    pub fn set_up(start: DateTime<Utc>, setup: Setup) -> Self {
        let mut world = Self {
            began: start,
            now: start,
            undisturbed: (start, start),
            store: Store::new(WINDOW),
            random: Random::new(setup.seed.unwrap_or(SEED)),
            chosen: Chosen::new(setup.names),
            schedule: Schedule::default(),
            recorder: Recorder::default(),
            controllers: Controllers::default(),
            kubelet: Kubelet::default(),
            renewed: start,
        };
        world.furnish();
        world.settle();
        world
    }

    pub fn now(&self) -> DateTime<Utc> {
        self.now
    }

    pub fn store(&self) -> &Store {
        &self.store
    }

    /// To write by; [`World::settle`] after it.
    pub fn store_mut(&mut self) -> &mut Store {
        &mut self.store
    }

    /// Lets everything happen that is due until a moment.
    pub fn run_until(&mut self, moment: DateTime<Utc>) {
        self.settle();
        self.undisturbed = (self.now, moment);
        while let Some((at, due)) = self.schedule.pop(moment) {
            self.now = self.now.max(at);
            match due {
                Due::Work(work) => self.work(work),
                Due::Kubelet(step) => self.step_kubelet(step),
                Due::Expire(key) => self.expire(&key),
            }
            self.settle();
        }
        self.now = self.now.max(moment);
        self.renew_leases();
        self.settle();
        self.store.compact(self.now);
    }

    /// When something happens next by itself.
    pub fn next_event(&self) -> Option<DateTime<Utc>> {
        self.schedule.next()
    }

    /// The log of a container, of its present run or of the one before, without so many lines that were written first.
    pub fn lines_after(
        &self,
        namespace: &str,
        pod: &str,
        container: Option<&str>,
        previous: bool,
        skip: usize,
    ) -> Result<Lines, Failure> {
        let log = self.log_of(namespace, pod, container, previous)?;
        Ok(log.after(skip))
    }
}

#[cfg(test)]
pub(crate) mod tests;
