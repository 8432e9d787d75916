//! The cluster as many use it at once: behind a lock, moved as its clock goes, with a sign to those who watch.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::watch;

use super::clock::Clock;
use super::rights::Rights;
use super::scenario::Script;
use super::world::World;

/// A simulated cluster; its copies are the same one.
#[derive(Debug, Clone)]
pub struct Sim {
    played: Arc<Mutex<Played>>,
    clock: Clock,
    /// Counts up whenever something happened.
    changed: watch::Sender<u64>,
    rights: Arc<Mutex<Rights>>,
}

#[derive(Debug)]
struct Played {
    world: World,
    script: Script,
}

/// With nothing due it is looked again after this time.
const IDLE: Duration = Duration::from_secs(1);

impl Sim {
    pub fn new(world: World, clock: Clock) -> Self {
        Self::playing(world, Script::default(), clock)
    }

    /// One in which more is to happen.
    pub fn playing(world: World, script: Script, clock: Clock) -> Self {
        Self {
            played: Arc::new(Mutex::new(Played { world, script })),
            clock,
            changed: watch::Sender::new(0),
            rights: Arc::default(),
        }
    }

    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// What whoever asks its API may do.
    pub fn rights(&self) -> Rights {
        let rights = self.rights.lock().unwrap_or_else(PoisonError::into_inner);
        rights.clone()
    }

    pub fn set_rights(&self, rights: Rights) {
        *self.rights.lock().unwrap_or_else(PoisonError::into_inner) = rights;
    }

    /// Looks at the cluster, or writes to it, as it is now; whoever watches hears of it.
    pub fn with<T>(&self, act: impl FnOnce(&mut World) -> T) -> T {
        let mut played = self.played.lock().unwrap_or_else(PoisonError::into_inner);
        let Played { world, script } = &mut *played;
        let before = world.store().version();
        // A step that is refused leaves no trace in a real cluster either.
        drop(script.play(world, self.clock.now()));
        let result = act(world);
        world.settle();
        let wrote = world.store().version() != before;
        drop(played);
        if wrote {
            self.notify();
        }
        result
    }

    /// Moves a manual clock, and the cluster with it.
    pub fn advance(&self, by: TimeDelta) {
        self.clock.advance(by);
        self.with(|_| ());
        self.notify();
    }

    /// Tells when something happened: the value counts up.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// When something happens next, by itself or by the script.
    fn next(&self) -> Option<DateTime<Utc>> {
        let next = self.with(|world| world.next_event());
        let played = self.played.lock().unwrap_or_else(PoisonError::into_inner);
        next.into_iter().chain(played.script.next()).min()
    }

    fn notify(&self) {
        self.changed.send_modify(|n| *n += 1);
    }

    /// Moves the cluster as a real clock goes, for as long as it is polled.
    pub async fn run(&self) {
        let mut due = true;
        loop {
            let mut changes = self.changes();
            let next = self.next();
            if due {
                // Lines of logs are no writes, so they are told by this.
                self.notify();
            }
            let wait = next.map(|at| at - self.clock.now());
            let wait = wait.map_or(IDLE, |wait| wait.to_std().unwrap_or_default());
            tokio::select! {
                () = tokio::time::sleep(wait.min(IDLE).max(Duration::from_millis(5))) => {}
                _ = changes.changed() => {}
            }
            // Where nothing was, those who watch are left alone.
            due = next.is_some_and(|at| at <= self.clock.now());
        }
    }
}
