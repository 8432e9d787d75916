//! What time it is in the simulated cluster: this machine's time, or what a test says.

use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};

/// The time, for the cluster and for who looks at it.
#[derive(Clone)]
pub enum Clock {
    /// Goes by itself.
    Real(fn() -> DateTime<Utc>),
    /// Stands still until it is moved.
    Manual(Arc<Mutex<DateTime<Utc>>>),
}

impl Clock {
    pub fn manual(at: DateTime<Utc>) -> Self {
        Self::Manual(Arc::new(Mutex::new(at)))
    }

    pub fn now(&self) -> DateTime<Utc> {
        match self {
            Self::Real(now) => now(),
            Self::Manual(at) => *at.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Moves a manual clock; a real one goes by itself.
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
