//! Moments that are known only within bounds.

use chrono::{DateTime, TimeDelta, Utc};

/// When something happened: not before `earliest`, not after `latest`. `None` is "no bound known".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Interval {
    pub earliest: Option<DateTime<Utc>>,
    pub latest: Option<DateTime<Utc>>,
}

impl Interval {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self {
        earliest: None,
        latest: None,
    };

    /// An exact moment.
    pub fn at(moment: DateTime<Utc>) -> Self {
        Self {
            earliest: Some(moment),
            latest: Some(moment),
        }
    }

    /// A time that the API wrote in whole seconds: it happened within the second that began then.
    /// (metav1.Time has no fractions; the API server truncates.)
    pub fn second(moment: DateTime<Utc>) -> Self {
        Self {
            earliest: Some(moment),
            latest: Some(moment + TimeDelta::seconds(1)),
        }
    }

    pub fn between(earliest: Option<DateTime<Utc>>, latest: Option<DateTime<Utc>>) -> Self {
        Self { earliest, latest }
    }

    /// The moment to sort and draw by: the earliest that is known, else the latest.
    pub fn anchor(&self) -> Option<DateTime<Utc>> {
        self.earliest.or(self.latest)
    }
}
