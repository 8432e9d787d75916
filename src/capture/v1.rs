//! Version 1 of the format, mirrored from the model field by field: a field that the model gains does not compile until it is stored here.
//!
//! Once captures are out in the world this version is frozen. A new field then goes to a `v2` beside it (or is an `Option`
//! here, which older files simply lack), and [`super::VERSION`] counts up where an older program could not read the result.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::stored::Stored;
use crate::model::{self, Fingerprint};

/// A struct on disk with the fields of its namesake in the model.
macro_rules! mirror {
    ($($name:ident { $($(#[$how:meta])* $field:ident: $ty:ty),* $(,)? })*) => {$(
        #[derive(Debug, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $name { $($(#[$how])* pub(super) $field: <$ty as Stored>::V1),* }

        impl Stored for model::$name {
            type V1 = $name;
            fn store(&self) -> $name {
                let Self { $($field),* } = self;
                $name { $($field: Stored::store($field)),* }
            }
            fn load(stored: $name) -> Self {
                let $name { $($field),* } = stored;
                Self { $($field: Stored::load($field)),* }
            }
        }
    )*};
}

/// An enum on disk with the variants of its namesake in the model; a variant with a value gives it a name to bind it by.
macro_rules! mirror_enum {
    ($($name:ident { $($variant:ident $({ $($field:ident: $ty:ty),* $(,)? })? $(($value:ident: $of:ty))?),* $(,)? })*) => {$(
        #[derive(Debug, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) enum $name {
            $($variant $({ $($field: <$ty as Stored>::V1),* })? $((<$of as Stored>::V1))?),*
        }

        impl Stored for model::$name {
            type V1 = $name;
            fn store(&self) -> $name {
                match self {
                    $(Self::$variant $({ $($field),* })? $(($value))? =>
                        $name::$variant $({ $($field: Stored::store($field)),* })? $((Stored::store($value)))?),*
                }
            }
            fn load(stored: $name) -> Self {
                match stored {
                    $($name::$variant $({ $($field),* })? $(($value))? =>
                        Self::$variant $({ $($field: Stored::load($field)),* })? $((Stored::load($value)))?),*
                }
            }
        }
    )*};
}

type Time = DateTime<Utc>;
type Pairs = BTreeMap<String, String>;

mirror! {
    Cluster { context: Option<String>, flags: Option<Vec<String>>, server: String, version: Option<String> }
    Scope { namespace: Option<String>, target: Option<model::Target>, route: Option<String>, version_at: Option<String>, #[serde(default)] client: Option<model::Target> }
    ConfigRef { kind: model::ConfigKind, namespace: String, name: String }
    WorkloadRef { kind: String, namespace: String, name: String }
    PodRef { namespace: String, name: String, uid: String }

    Config {
        reference: model::ConfigRef,
        uid: String,
        resource_version: String,
        created: Option<Time>,
        content: Option<model::Content>,
        immutable: bool,
        managed: Vec<model::ManagedEntry>,
        last_applied: Option<model::LastApplied>,
        owner_marks: Pairs,
    }
    ManagedEntry {
        manager: String,
        operation: String,
        time: Option<Time>,
        data_keys: BTreeSet<String>,
        owns_other: bool,
    }
    LastApplied { content: model::Content, resource_version: Option<String> }

    Workload {
        reference: model::WorkloadRef,
        uid: String,
        created: Option<Time>,
        owner: Option<model::WorkloadRef>,
        desired: Option<u32>,
        ready: Option<u32>,
        paused: bool,
        strategy: Option<String>,
        generation: Option<i64>,
        observed_generation: Option<i64>,
        revision: Option<String>,
        #[serde(default)]
        configs: Vec<model::ConfigRef>,
        #[serde(default)]
        needs: Vec<model::Need>,
        #[serde(default)]
        updated: Option<u32>,
        #[serde(default)]
        partition: Option<u32>,
        #[serde(default)]
        conditions: Vec<model::Condition>,
        #[serde(default)]
        marks: model::Labels,
        #[serde(default)]
        template_marks: model::Labels,
    }

    Need { config: model::ConfigRef, key: Option<String> }
    Condition { kind: String, holds: bool, reason: String, message: String, since: Option<Time> }
    Namesake { config: model::Config, takers: Option<u32> }

    Pod {
        reference: model::PodRef,
        resource_version: String,
        created: Option<Time>,
        reported: Option<Time>,
        terminating: bool,
        owner: Option<model::WorkloadRef>,
        labels: model::Labels,
        #[serde(default)]
        marks: model::Labels,
        node: Option<String>,
        os: Option<String>,
        phase: String,
        ip: Option<String>,
        ready: bool,
        containers: Vec<model::Container>,
        volumes: Vec<model::Volume>,
    }
    Container {
        name: String,
        kind: model::ContainerKind,
        image: String,
        env: Vec<model::EnvVar>,
        env_from: Vec<model::EnvFrom>,
        mounts: Vec<model::Mount>,
        #[serde(default)]
        expands: Vec<String>,
        #[serde(default)]
        names: Vec<model::ConfigRef>,
        status: Option<model::ContainerStatus>,
    }
    EnvVar { name: String, source: model::EnvSource }
    EnvFrom { config: model::ConfigRef, prefix: String, optional: bool }
    Mount { volume: String, path: String, sub_path: Option<model::SubPath>, #[serde(default)] read_only: bool }
    Volume { name: String, projected: bool, #[serde(default)] scratch: bool, sources: Vec<model::VolumeSource> }
    VolumeSource { config: model::ConfigRef, items: Option<Vec<(String, String)>>, optional: bool }
    ContainerStatus {
        container_id: Option<String>,
        image_id: Option<String>,
        ready: bool,
        restarts: u32,
        state: model::ContainerState,
        last: Option<model::Termination>,
    }
    Termination {
        container_id: Option<String>,
        exit_code: i32,
        reason: String,
        started_at: Option<Time>,
        finished_at: Option<Time>,
    }

    Service {
        namespace: String,
        name: String,
        cluster_ips: Vec<String>,
        ports: Vec<model::ServicePort>,
        selector: Pairs,
        external_name: Option<String>,
        created: Option<Time>,
    }
    ServicePort { name: Option<String>, port: u16, target: Option<String>, protocol: String }
    Endpoint {
        namespace: String,
        slice: Option<String>,
        service: String,
        addresses: Vec<String>,
        ready: bool,
        pod_uid: Option<String>,
    }
    Event {
        namespace: String,
        object: Option<String>,
        resource_version: String,
        kind: String,
        name: String,
        uid: Option<String>,
        reason: String,
        message: String,
        warning: bool,
        first: Option<Time>,
        last: Option<Time>,
        count: u32,
        reporter: String,
    }
    Log {
        pod: model::PodRef,
        container: String,
        previous: bool,
        text: model::LogText,
        complete: bool,
        missing: Option<String>,
        read_at: Time,
        #[serde(default)]
        from: Option<model::LogFrom>,
    }
    LogFrom { command: String, alone: bool }
    Probe {
        pod: model::PodRef,
        container: String,
        config: model::ConfigRef,
        run: String,
        read_at: Time,
        env: Option<BTreeMap<String, Option<model::Held>>>,
        files: Vec<model::ProbedFile>,
        missing: Vec<String>,
        swapped: BTreeMap<String, Time>,
        processes: Option<Vec<model::Process>>,
        sockets: Option<Vec<model::Socket>>,
        gaps: Vec<model::Gap>,
    }
    ProbedFile { path: String, held: model::Held, modified: Option<Time> }
    Process { pid: u32, name: String, started_at: Time, watches: Option<bool> }
    Socket { address: String, port: u16, state: model::SocketState }
    ToldVersion { pod: model::PodRef, asked: String, version: String, read_at: Time }
    Found { config: model::ConfigRef, content: model::Content, origin: model::Origin, at: Option<Time> }
    AuditedWrite {
        config: model::ConfigRef,
        file: String,
        verb: String,
        at: Option<Time>,
        user: String,
        impersonated: Option<String>,
        source_ips: Vec<String>,
        user_agent: Option<String>,
        field_manager: Option<String>,
        content: Option<model::Content>,
        resource_version: Option<String>,
    }
    Kept { config: model::Config, follows: Option<String>, seen_at: Time, file: String }
    ProbeReads {
        env: BTreeSet<String>,
        secret_env: BTreeSet<String>,
        files: BTreeSet<String>,
        secret_files: BTreeSet<String>,
        folders: BTreeSet<String>,
        processes: bool,
        sockets: bool,
    }
    Ahead { least: TimeDelta, most: TimeDelta }
    Clocks { local: Option<model::Ahead>, nodes: BTreeMap<String, model::Ahead> }
    Gap {
        verb: String,
        resource: String,
        namespace: Option<String>,
        name: Option<String>,
        reason: model::GapReason,
    }
}

mirror_enum! {
    ConfigKind { ConfigMap, Secret }
    Content {
        Plain { data: Pairs, binary: BTreeMap<String, Vec<u8>> },
        Hashed(keys: BTreeMap<String, Fingerprint>),
    }
    ChainEnd { Created, Compacted, Bounded, Failed(gap: model::Gap) }
    ContainerKind { Init, Sidecar, Main, Ephemeral }
    EnvSource {
        Literal { expands: Vec<String> },
        Key { config: model::ConfigRef, key: String, optional: bool },
        File { volume: String, optional: bool },
        Other,
    }
    Held { Text(text: String), Bytes(bytes: Vec<u8>), Hashed(hash: Fingerprint) }
    SocketState { Established, SynSent, Other }
    SubPath { Path(path: String), Expr(expression: String) }
    ContainerState {
        Waiting { reason: String, message: String },
        Running { started_at: Option<Time> },
        Terminated(end: model::Termination),
        Unknown,
    }
    GapReason {
        Unauthorized,
        Forbidden,
        NotFound,
        Gone,
        TimedOut { seconds: u64 },
        Status { code: u16, message: String },
        Connection(text: String),
        Unreadable(text: String),
        Bounded(text: String),
        Capture(text: String),
        Unwatched { from: Time, until: Time },
        Unordered(text: String),
    }
    Origin {
        Helm { release: String, revision: u32 },
        File { path: String },
        Git { repository: String, path: String, revision: String, commit: String },
    }
    Target {
        Config { kind: model::ConfigKind, name: String },
        Workload { kind: String, name: String },
        Service { name: String },
    }
    Want {
        Log { pod: model::PodRef, container: String, previous: bool },
        Earlier { config: model::ConfigRef, resource_version: String },
        Former { config: model::ConfigRef, resource_version: String },
        PodsAt { namespace: String, resource_version: String },
        SecretContent { config: model::ConfigRef },
        HelmRelease { config: model::ConfigRef, holder: model::ConfigRef },
        Namesakes { config: model::ConfigRef },
        OneCounter { namespace: String },
        NodeClock { node: String },
        Probe {
            pod: model::PodRef,
            container: String,
            run: String,
            config: model::ConfigRef,
            resource_version: String,
            reads: Box<model::ProbeReads>,
        },
        ToldVersion { pod: model::PodRef, asked: String, resource_version: String },
    }
}

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    /// The version of the format.
    pub(super) confsplit_capture: u32,
    /// The version of the program that wrote it.
    pub(super) program: String,
    pub(super) taken_at: <Time as Stored>::V1,
    pub(super) cluster: Cluster,
    pub(super) scope: Scope,
    pub(super) withheld: Vec<Withheld>,
}

/// Something that is not in the file on purpose.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Withheld {
    pub(super) what: String,
    pub(super) why: String,
}

/// A line between the first and the last. What could grow without bound is spread over several lines, so that neither
/// side ever needs more than one version of one object at a time.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Record {
    Config(Config),
    /// Begins the earlier versions of a config; they follow.
    Earlier(Earlier),
    EarlierVersion(Config),
    Workload(Workload),
    Pod(Pod),
    /// Begins the pods of a namespace at a resourceVersion; they follow.
    PodsAt(PodsAt),
    PodThen(Pod),
    Service(Service),
    Endpoint(Endpoint),
    Event(Event),
    Log(Log),
    Probe(Probe),
    ToldVersion(ToldVersion),
    Found(Found),
    Audited(AuditedWrite),
    Kept(Kept),
    Namesake(Namesake),
    Clocks(Clocks),
    OneCounter(bool),
    Gap(Gap),
    Asked(Want),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Earlier {
    pub(super) reference: ConfigRef,
    pub(super) end: ChainEnd,
    pub(super) read_at: <Time as Stored>::V1,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PodsAt {
    pub(super) namespace: String,
    pub(super) resource_version: String,
    pub(super) read_at: <Time as Stored>::V1,
}

/// The last line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EndLine {
    pub(super) end: End,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct End {
    /// Lines between the first and this one.
    pub(super) records: u64,
    /// Of every uncompressed byte before this line, in hex.
    pub(super) sha256: String,
}
