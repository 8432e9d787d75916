//! The cluster as many use it at once: behind a lock, moved as its clock goes, with a sign to those who watch.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::TimeDelta;
use tokio::sync::watch;

use super::clock::Clock;
use super::rights::Rights;
use super::world::World;

/// A simulated cluster; its copies are the same one.
#[derive(Debug, Clone)]
pub struct Sim {
    world: Arc<Mutex<World>>,
    clock: Clock,
    /// Counts up whenever something happened.
    changed: watch::Sender<u64>,
    rights: Arc<Mutex<Rights>>,
}

/// With nothing due it is looked again after this time.
const IDLE: Duration = Duration::from_secs(1);

impl Sim {
    pub fn new(world: World, clock: Clock) -> Self {
        Self {
            world: Arc::new(Mutex::new(world)),
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
        let mut world = self.world.lock().unwrap_or_else(PoisonError::into_inner);
        let before = world.store().version();
        world.run_until(self.clock.now());
        let result = act(&mut world);
        world.settle();
        let wrote = world.store().version() != before;
        drop(world);
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

    fn notify(&self) {
        self.changed.send_modify(|n| *n += 1);
    }

    /// Moves the cluster as a real clock goes, for as long as it is polled.
    pub async fn run(&self) {
        loop {
            let next = self.with(|world| world.next_event());
            // Lines of logs are no writes, so they are told by this.
            self.notify();
            let wait = next.map(|at| at - self.clock.now());
            let wait = wait.map_or(IDLE, |wait| wait.to_std().unwrap_or_default());
            let mut changes = self.changes();
            tokio::select! {
                () = tokio::time::sleep(wait.min(IDLE).max(Duration::from_millis(5))) => {}
                _ = changes.changed() => {}
            }
        }
    }
}
