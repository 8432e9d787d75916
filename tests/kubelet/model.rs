//! The rules of Kubernetes as far as they decide what reaches a process. Written from its sources and not from our analysis: the two
//! are compared.

pub mod api;
pub mod env;
pub mod kubelet;
pub mod managed;
pub mod pod;
pub mod program;
pub mod volume;
pub mod world;

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, TimeZone, Utc};

pub const NS: &str = "shop";

/// What a ConfigMap holds. Names and values come from small fixed sets, so that an edit back is likely.
pub type Data = BTreeMap<&'static str, &'static str>;

/// A moment: milliseconds after 20:35 on the API server's clock, which is the true time here.
pub type Millis = i64;

pub fn moment(at: Millis) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 10, 2, 20, 35, 0).unwrap() + TimeDelta::milliseconds(at)
}

/// As the API writes it: whole seconds, cut off (metav1.Time marshals with time.RFC3339).
pub fn stamp(at: Millis) -> DateTime<Utc> {
    moment(at.div_euclid(1000) * 1000)
}

#[cfg(test)]
mod tests;
