//! Facts as plain data: what was read from a cluster, a capture or a simulator, before anyone draws a conclusion from it.
//!
//! Nothing here does I/O, knows the time, or fails. Kubernetes words are spelled as Kubernetes spells them.

mod clock;
mod config;
mod event;
mod facts;
mod gap;
mod id;
mod labels;
mod log;
mod namesake;
mod network;
mod object;
mod outside;
mod pod;
mod probe;
mod shared;
mod snapshot;
mod time;
mod want;
mod workload;

pub use clock::{Ahead, Clocks};
pub use config::{
    ChainEnd, Config, Content, EarlierConfig, Fingerprint, LastApplied, ManagedEntry,
};
pub use event::Event;
pub use facts::Facts;
pub use gap::{Gap, GapReason};
pub use id::{ConfigKind, ConfigRef, PodRef, Target, WorkloadRef};
pub use labels::Labels;
pub use log::{FollowState, Followed, Following, Log, LogFrom, LogLine, LogText};
pub use namesake::{Namesake, SETTLED};
pub use network::{Endpoint, Service, ServicePort};
pub use object::{Kind, Object};
pub use outside::{AuditedWrite, Found, Kept, Origin, Outside};
pub use pod::{
    Container, ContainerKind, ContainerState, ContainerStatus, EnvFrom, EnvSource, EnvVar, Mount,
    Pod, SubPath, Termination, Volume, VolumeSource,
};
pub(crate) use pod::{configs, needs};
pub use probe::{Held, Probe, ProbedFile, Process, Socket, SocketState, ToldVersion};
pub use shared::Shared;
pub use snapshot::{Cluster, PodsAt, Scope, Snapshot};
pub use time::Interval;
pub use want::{ProbeReads, Want};
pub use workload::{Condition, Need, Workload};
