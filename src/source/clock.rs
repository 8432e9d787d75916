//! What time it is: this machine's, a test's, or that of a cluster in memory.

use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, Utc};

/// Tells the time to whoever reads a source; its copies tell the same.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> DateTime<Utc> + Send + Sync>);

impl Clock {
    pub fn now(&self) -> DateTime<Utc> {
        (self.0)()
    }
}

impl<F> From<F> for Clock
where
    F: Fn() -> DateTime<Utc> + Send + Sync + 'static,
{
    fn from(tell: F) -> Self {
        Self(Arc::new(tell))
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({})", self.now())
    }
}
