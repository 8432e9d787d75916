//! What was read inside containers: environments, mounted files, processes and sockets; and what programs tell of themselves.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::{ConfigRef, Fingerprint, Gap, PodRef};

/// What was read inside one container. Each part that could not be read is `None`, and a gap among the snapshot's says why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    pub pod: PodRef,
    pub container: String,
    /// The config that it was about.
    pub config: ConfigRef,
    /// The run that it was read in (`containerID`): another run may hold something else.
    pub run: String,
    pub read_at: DateTime<Utc>,
    /// Variables that were asked for; `None` is not set. Others are let go at once.
    pub env: Option<BTreeMap<String, Option<Held>>>,
    /// Files that were asked for and are there.
    pub files: Vec<ProbedFile>,
    /// Files that were asked for and are not there.
    pub missing: Vec<String>,
    /// When the kubelet swapped the files of a mount last, by its path, on the node's clock (the name behind `..data`, which it
    /// writes in UTC).
    pub swapped: BTreeMap<String, DateTime<Utc>>,
    pub processes: Option<Vec<Process>>,
    pub sockets: Option<Vec<Socket>>,
    /// What could not be read of it, and why.
    pub gaps: Vec<Gap>,
}

/// A value that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Held {
    Text(String),
    /// Not UTF-8.
    Bytes(Vec<u8>),
    /// May be a Secret's: salted as [`super::Content::Hashed`] is.
    Hashed(Fingerprint),
}

/// A file in a container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbedFile {
    pub path: String,
    pub held: Held,
    /// When it was written last, in whole seconds of the node's clock, where that was told.
    pub modified: Option<DateTime<Utc>>,
}

/// A process of a container, as `/proc` tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    pub pid: u32,
    /// `comm`: at most 15 bytes, untrusted.
    pub name: String,
    /// On the node's clock, in hundredths of a second.
    pub started_at: DateTime<Utc>,
    /// Whether it holds an inotify instance; `None` where its handles could not be listed.
    pub watches: Option<bool>,
}

/// A TCP connection out of a container's network (which is the whole pod's).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Socket {
    /// The other side's address and port.
    pub address: String,
    pub port: u16,
    pub state: SocketState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SocketState {
    Established,
    /// Asked, and not answered.
    SynSent,
    Other,
}

/// What a replica told of its configuration's version, asked through the API server's proxy to pods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldVersion {
    pub pod: PodRef,
    /// What was asked, as it was given: `:8080/info#config.version`.
    pub asked: String,
    /// Untrusted, at most 200 characters.
    pub version: String,
    pub read_at: DateTime<Utc>,
}
