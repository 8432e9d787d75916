//! What time it is in the simulated cluster: this machine's time, or what a test says.

use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};

/// The time, for the cluster and for who looks at it.
#[derive(Clone)]
pub enum Clock {
    /// Goes by itself: this machine's, or that of a runtime whose time is made to pass.
    Told(Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>),
    /// Stands still until it is moved.
    Manual(Arc<Mutex<DateTime<Utc>>>),
}

impl Clock {
    pub fn told(now: impl Fn() -> DateTime<Utc> + Send + Sync + 'static) -> Self {
        Self::Told(Arc::new(now))
    }

    pub fn manual(at: DateTime<Utc>) -> Self {
        Self::Manual(Arc::new(Mutex::new(at)))
    }

    pub fn now(&self) -> DateTime<Utc> {
        match self {
            Self::Told(now) => now(),
            Self::Manual(at) => *at.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Moves a manual clock; any other goes by itself.
    pub fn advance(&self, by: TimeDelta) {
        if let Self::Manual(at) = self {
            *at.lock().unwrap_or_else(PoisonError::into_inner) += by;
        }
    }
}

impl std::fmt::Debug for Clock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Clock({})", self.now())
    }
}
