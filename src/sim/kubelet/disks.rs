//! Volumes and what a container sees of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};

/// A file, and when it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct File {
    pub(super) bytes: Arc<[u8]>,
    pub(super) modified: DateTime<Utc>,
}

/// The files of a volume, by their path in it.
pub(super) type Files = BTreeMap<String, File>;

/// A volume of a pod.
#[derive(Debug, Default)]
pub(super) struct Volume {
    pub(super) files: Files,
    /// The folder that `..data` leads to, of one that the kubelet writes: `..2026_11_30_02_58_24.163043493`.
    pub(super) stamp: Option<String>,
    pub(super) swapped: DateTime<Utc>,
}

/// Where a container has what.
#[derive(Debug)]
pub(super) struct Mounted {
    pub(super) path: String,
    pub(super) what: What,
}

#[derive(Debug)]
pub(super) enum What {
    /// A volume as it is each moment, from a folder of it on.
    Volume(String, String),
    /// Files as they were when the container started. One file alone has an empty name.
    Frozen(Files),
}
