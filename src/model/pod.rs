//! Pods: what their template says, and what the kubelet reports.

use chrono::{DateTime, Utc};

use super::{ConfigRef, Labels, Need, PodRef, WorkloadRef};

/// A pod as one read returned it. Literal values of environment variables are not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pod {
    pub reference: PodRef,
    pub resource_version: String,
    pub created: Option<DateTime<Utc>>,
    /// When its status was written last, on the API server's clock in whole seconds: what the status tells had happened by then.
    pub reported: Option<DateTime<Utc>>,
    /// `metadata.deletionTimestamp` is set.
    pub terminating: bool,
    /// The controlling owner as the pod names it (often a ReplicaSet).
    pub owner: Option<WorkloadRef>,
    pub labels: Labels,
    /// Annotations that its template gave it and that tell of its configuration: checksums of contents, a restart that was asked
    /// for, a sidecar that was injected; no others are kept.
    pub marks: Labels,
    pub node: Option<String>,
    /// `linux` or `windows`, where the spec names it.
    pub os: Option<String>,
    pub phase: String,
    pub ip: Option<String>,
    pub ready: bool,
    pub containers: Vec<Container>,
    pub volumes: Vec<Volume>,
}

impl Pod {
    /// The container of this name, in whichever list of the spec it stands.
    pub fn container(&self, name: &str) -> Option<&Container> {
        self.containers.iter().find(|c| c.name == name)
    }

    /// What it cannot start without: each config that is not optional, and the keys that are named.
    pub fn needs(&self) -> Vec<Need> {
        needs(&self.volumes, &self.containers)
    }

    /// Every config that its spec names, optional ones and those of init containers too; as often as it is named.
    pub fn configs(&self) -> impl Iterator<Item = &ConfigRef> {
        configs(&self.volumes, &self.containers)
    }
}

/// What a pod with these volumes and containers cannot start without.
pub(crate) fn needs(volumes: &[Volume], containers: &[Container]) -> Vec<Need> {
    let mut found = Vec::new();
    for source in volumes.iter().flat_map(|v| &v.sources) {
        let keys = source.items.iter().flatten().map(|(key, _)| key);
        need(&mut found, &source.config, keys, source.optional);
    }
    let started = |c: &&Container| c.kind != ContainerKind::Ephemeral;
    for container in containers.iter().filter(started) {
        for variable in &container.env {
            if let EnvSource::Key {
                config,
                key,
                optional,
            } = &variable.source
            {
                need(&mut found, config, std::iter::once(key), *optional);
            }
        }
        for from in &container.env_from {
            need(&mut found, &from.config, std::iter::empty(), from.optional);
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Every config that such a pod names.
pub(crate) fn configs<'a>(
    volumes: &'a [Volume],
    containers: &'a [Container],
) -> impl Iterator<Item = &'a ConfigRef> {
    let mounted = volumes.iter().flat_map(|v| &v.sources);
    let containers = containers.iter().flat_map(|c| {
        let keys = c.env.iter().filter_map(|v| match &v.source {
            EnvSource::Key { config, .. } => Some(config),
            EnvSource::Literal { .. } | EnvSource::File { .. } | EnvSource::Other => None,
        });
        keys.chain(c.env_from.iter().map(|e| &e.config))
            .chain(&c.names)
    });
    mounted.map(|s| &s.config).chain(containers)
}

fn need<'a>(
    found: &mut Vec<Need>,
    config: &ConfigRef,
    keys: impl Iterator<Item = &'a String>,
    optional: bool,
) {
    if optional {
        return;
    }
    let need = |key| Need {
        config: config.clone(),
        key,
    };
    let before = found.len();
    found.extend(keys.map(|key| need(Some(key.clone()))));
    if found.len() == before {
        found.push(need(None));
    }
}

/// Which list of the pod's spec a container stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ContainerKind {
    /// `initContainers` without `restartPolicy: Always`.
    Init,
    /// `initContainers` with `restartPolicy: Always`.
    Sidecar,
    Main,
    Ephemeral,
}

/// One container: how it takes its configuration, and its status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Container {
    pub name: String,
    pub kind: ContainerKind,
    pub image: String,
    pub env: Vec<EnvVar>,
    pub env_from: Vec<EnvFrom>,
    pub mounts: Vec<Mount>,
    /// Variables that `command` and `args` name as `$(VAR)`.
    pub expands: Vec<String>,
    /// ConfigMaps that it seems to read through the API: those that an option or a variable called like one names.
    pub names: Vec<ConfigRef>,
    /// `None` while the kubelet has not reported it.
    pub status: Option<ContainerStatus>,
}

impl Container {
    /// When its current run began; of one that waits to be started again, its last run, whose log is the current one.
    pub fn started_at(&self) -> Option<DateTime<Utc>> {
        let status = self.status.as_ref()?;
        match &status.state {
            ContainerState::Running { started_at } => *started_at,
            ContainerState::Terminated(end) => end.started_at,
            ContainerState::Waiting { .. } | ContainerState::Unknown => {
                status.last.as_ref()?.started_at
            }
        }
    }
}

/// One entry of `env`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvVar {
    pub name: String,
    pub source: EnvSource,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EnvSource {
    /// `value`, of which nothing is kept but the variables that it names as `$(VAR)`. An empty value with `valueFrom` counts
    /// as that.
    Literal { expands: Vec<String> },
    /// `configMapKeyRef` or `secretKeyRef`.
    Key {
        config: ConfigRef,
        key: String,
        optional: bool,
    },
    /// `fileKeyRef`: a file in a volume that an init container filled.
    File { volume: String, optional: bool },
    /// `fieldRef`, `resourceFieldRef` or a source of a newer API.
    Other,
}

/// One entry of `envFrom`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvFrom {
    pub config: ConfigRef,
    pub prefix: String,
    pub optional: bool,
}

/// One entry of `volumeMounts`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    pub volume: String,
    pub path: String,
    pub sub_path: Option<SubPath>,
    pub read_only: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubPath {
    Path(String),
    /// `subPathExpr`, as far as it could not be expanded from the spec alone: the kubelet does it from the environment.
    Expr(String),
}

/// A volume that holds configs, or an `emptyDir`, into which an init container may copy them. Volumes of other types are not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Volume {
    pub name: String,
    pub projected: bool,
    /// An `emptyDir`.
    pub scratch: bool,
    pub sources: Vec<VolumeSource>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VolumeSource {
    pub config: ConfigRef,
    /// Key to path; `None` mounts every key under its own name.
    pub items: Option<Vec<(String, String)>>,
    pub optional: bool,
}

/// A container's status, as the kubelet last reported it (times are the node's clock, in whole seconds).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContainerStatus {
    pub container_id: Option<String>,
    pub image_id: Option<String>,
    pub ready: bool,
    pub restarts: u32,
    pub state: ContainerState,
    /// `lastState.terminated`: how the run before this one ended.
    pub last: Option<Termination>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContainerState {
    Waiting { reason: String, message: String },
    Running { started_at: Option<DateTime<Utc>> },
    Terminated(Termination),
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Termination {
    pub container_id: Option<String>,
    pub exit_code: i32,
    pub reason: String,
    pub started_at: Option<DateTime<Utc>>,
    pub finished_at: Option<DateTime<Utc>>,
}
