//! Events of the cluster.

use chrono::{DateTime, Utc};

/// An Event of core/v1. They expire, an hour after the last repeat by default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    pub namespace: String,
    /// Its own name; `None` in an old capture.
    pub object: Option<String>,
    pub resource_version: String,
    /// Kind, name and uid of `involvedObject`.
    pub kind: String,
    pub name: String,
    pub uid: Option<String>,
    pub reason: String,
    pub message: String,
    pub warning: bool,
    /// The first and the last time of its repeats, on the reporter's clock.
    pub first: Option<DateTime<Utc>>,
    pub last: Option<DateTime<Utc>>,
    pub count: u32,
    pub reporter: String,
}
