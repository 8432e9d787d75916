//! The cluster in one value: its objects, what runs on its nodes, and what is due when. It is moved by hand, so that it is the same
//! each time.

use chrono::{DateTime, TimeDelta, Utc};

use super::status::Failure;
use super::store::Store;

/// What is written to the store, and forgotten of it, as the API server of a managed cluster does.
const WINDOW: TimeDelta = TimeDelta::minutes(5);

/// A cluster at a moment.
#[derive(Debug)]
pub struct World {
    pub(super) now: DateTime<Utc>,
    pub(super) store: Store,
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
        Self {
            now: start,
            store: Store::new(WINDOW),
        }
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
        self.now = self.now.max(moment);
        self.store.compact(self.now);
    }

    /// When something happens next by itself.
    pub fn next_event(&self) -> Option<DateTime<Utc>> {
        None
    }

    /// Lets the controllers take notice of what was written.
    pub fn settle(&mut self) {}

    /// The log of a container: of its present run, or of the one before.
    pub fn lines(
        &self,
        _namespace: &str,
        pod: &str,
        _container: Option<&str>,
        _previous: bool,
    ) -> Result<Lines, Failure> {
        Err(Failure::new(
            404,
            "NotFound",
            format!("pods \"{pod}\" not found"),
        ))
    }

    /// Runs a command in a container.
    pub fn exec(
        &mut self,
        _namespace: &str,
        pod: &str,
        _container: Option<&str>,
        _argv: &[String],
    ) -> Result<Output, Failure> {
        Err(Failure::new(
            404,
            "NotFound",
            format!("pods \"{pod}\" not found"),
        ))
    }

    /// Answers a request to a port of a pod, as the API server's proxy passes it on: status and body.
    pub fn proxy(
        &mut self,
        _namespace: &str,
        pod: &str,
        _port: u16,
        _path: &str,
    ) -> Result<(u16, String), Failure> {
        Err(Failure::new(
            404,
            "NotFound",
            format!("pods \"{pod}\" not found"),
        ))
    }
}
