//! Pods: specs and what the kubelet reports of them.

use serde::Deserialize;

use super::expand::{expanded, variables};
use super::meta::{Meta, StatusWrite, time};
use super::names;
use crate::model::{
    ConfigKind, ConfigRef, Container, ContainerKind, ContainerState, ContainerStatus, EnvFrom,
    EnvSource, EnvVar, Mount, Pod, PodRef, SubPath, Termination, Volume, VolumeSource,
};

#[derive(Deserialize)]
pub(crate) struct PodObject {
    metadata: Meta<StatusWrite>,
    #[serde(default)]
    spec: Spec,
    #[serde(default)]
    status: Status,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Spec {
    node_name: Option<String>,
    os: Option<Os>,
    node_selector: Option<std::collections::BTreeMap<String, String>>,
    init_containers: Option<Vec<ContainerSpec>>,
    containers: Option<Vec<ContainerSpec>>,
    ephemeral_containers: Option<Vec<ContainerSpec>>,
    volumes: Option<Vec<VolumeSpec>>,
}

/// It holds literal values, so it has no `Debug`, and nothing of it but what [`container`] takes is kept.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct ContainerSpec {
    name: String,
    image: Option<String>,
    restart_policy: Option<String>,
    env: Option<Vec<Env>>,
    env_from: Option<Vec<From>>,
    volume_mounts: Option<Vec<MountSpec>>,
    command: Option<Vec<String>>,
    args: Option<Vec<String>>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
struct Os {
    name: String,
}

/// Of `value` only the variables that it names are kept.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Env {
    name: String,
    value: Option<String>,
    value_from: Option<ValueFrom>,
}

impl Env {
    /// The literal value: an empty one counts where there is no `valueFrom`.
    fn literal(&self) -> Option<&str> {
        let value = self.value.as_deref().unwrap_or_default();
        (!value.is_empty() || self.value_from.is_none()).then_some(value)
    }
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
struct ValueFrom {
    config_map_key_ref: Option<KeyRef>,
    secret_key_ref: Option<KeyRef>,
    field_ref: Option<FieldRef>,
    file_key_ref: Option<FileRef>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
struct FieldRef {
    field_path: String,
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
struct FileRef {
    volume_name: String,
    optional: Option<bool>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
struct KeyRef {
    name: String,
    key: String,
    optional: Option<bool>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
struct From {
    prefix: Option<String>,
    config_map_ref: Option<NameRef>,
    secret_ref: Option<NameRef>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
struct NameRef {
    name: String,
    optional: Option<bool>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
struct MountSpec {
    name: String,
    mount_path: String,
    sub_path: Option<String>,
    sub_path_expr: Option<String>,
    read_only: Option<bool>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
struct VolumeSpec {
    name: String,
    config_map: Option<Projection>,
    secret: Option<Projection>,
    projected: Option<Projected>,
    empty_dir: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
struct Projected {
    sources: Option<Vec<ProjectedSource>>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
struct ProjectedSource {
    config_map: Option<Projection>,
    secret: Option<Projection>,
}

/// A ConfigMap (`name`) or a Secret (`secretName` in a volume of its own, `name` in a projected one).
#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
struct Projection {
    name: Option<String>,
    secret_name: Option<String>,
    items: Option<Vec<Item>>,
    optional: Option<bool>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
struct Item {
    key: String,
    path: String,
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
struct Status {
    phase: Option<String>,
    #[serde(rename = "podIP")]
    pod_ip: Option<String>,
    conditions: Option<Vec<Condition>>,
    init_container_statuses: Option<Vec<StatusOf>>,
    container_statuses: Option<Vec<StatusOf>>,
    ephemeral_container_statuses: Option<Vec<StatusOf>>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
struct Condition {
    r#type: String,
    status: String,
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
struct StatusOf {
    name: String,
    #[serde(rename = "containerID")]
    container_id: Option<String>,
    #[serde(rename = "imageID")]
    image_id: Option<String>,
    ready: Option<bool>,
    restart_count: Option<u32>,
    state: Option<State>,
    last_state: Option<State>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
struct State {
    waiting: Option<Waiting>,
    running: Option<Running>,
    terminated: Option<Ended>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
struct Waiting {
    reason: Option<String>,
    message: Option<String>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
struct Running {
    started_at: Option<String>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
struct Ended {
    #[serde(rename = "containerID")]
    container_id: Option<String>,
    exit_code: Option<i32>,
    reason: Option<String>,
    started_at: Option<String>,
    finished_at: Option<String>,
}

/// The pod as a fact.
pub(crate) fn pod(object: PodObject) -> Pod {
    let PodObject {
        metadata: meta,
        spec,
        status,
    } = object;
    let reference = PodRef {
        namespace: meta.namespace.clone(),
        name: meta.name.clone(),
        uid: meta.uid.clone(),
    };
    let namespace = &reference.namespace;
    let condition = |kind: &str| {
        let mut all = status.conditions.iter().flatten();
        all.any(|c| c.r#type == kind && c.status == "True")
    };
    let containers = containers(&spec, &status, &reference);
    let volumes = spec.volumes.iter().flatten();
    let volumes = fitting(volumes.filter_map(|v| volume(v, namespace)));
    let selected = spec.node_selector.as_ref();
    let os = spec.os.map(|os| os.name);
    Pod {
        reported: meta.reported(),
        os: os.or_else(|| selected?.get("kubernetes.io/os").cloned()),
        resource_version: meta.resource_version.clone(),
        created: time(meta.creation_timestamp.as_deref()),
        terminating: meta.deletion_timestamp.is_some(),
        owner: meta.owner(),
        ready: condition("Ready"),
        labels: meta.labels.into_iter().flatten().collect(),
        node: spec.node_name,
        phase: status.phase.unwrap_or_default(),
        ip: status.pod_ip,
        containers,
        volumes,
        reference,
    }
}

fn containers(spec: &Spec, status: &Status, pod: &PodRef) -> Vec<Container> {
    let lists = [
        (
            ContainerKind::Init,
            &spec.init_containers,
            &status.init_container_statuses,
        ),
        (
            ContainerKind::Main,
            &spec.containers,
            &status.container_statuses,
        ),
        (
            ContainerKind::Ephemeral,
            &spec.ephemeral_containers,
            &status.ephemeral_container_statuses,
        ),
    ];
    let place = Place {
        pod,
        node: spec.node_name.as_deref(),
    };
    fitting(lists.iter().flat_map(|(kind, specs, statuses)| {
        let specs = specs.iter().flatten();
        specs.map(|spec| container(*kind, spec, statuses.as_deref(), place))
    }))
}

/// What a container's variables may speak of.
#[derive(Clone, Copy)]
struct Place<'a> {
    pod: &'a PodRef,
    node: Option<&'a str>,
}

impl Place<'_> {
    /// The fields that never change.
    fn field(self, path: &str) -> Option<String> {
        match path {
            "metadata.name" => Some(self.pod.name.clone()),
            "metadata.namespace" => Some(self.pod.namespace.clone()),
            "metadata.uid" => Some(self.pod.uid.clone()),
            "spec.nodeName" => self.node.map(str::to_owned),
            _ => None,
        }
    }
}

/// A list that takes no more room than it needs: an iterator that cannot tell its length collects with room for four, and
/// most pods have one container.
fn fitting<T>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = items.collect();
    all.shrink_to_fit();
    all
}

fn container(
    kind: ContainerKind,
    spec: &ContainerSpec,
    statuses: Option<&[StatusOf]>,
    place: Place<'_>,
) -> Container {
    let sidecar = kind == ContainerKind::Init && spec.restart_policy.as_deref() == Some("Always");
    let namespace = place.pod.namespace.as_str();
    let found = statuses
        .unwrap_or_default()
        .iter()
        .find(|s| s.name == spec.name);
    Container {
        name: spec.name.clone(),
        kind: if sidecar {
            ContainerKind::Sidecar
        } else {
            kind
        },
        image: spec.image.clone().unwrap_or_default(),
        env: fitting(spec.env.iter().flatten().map(|e| env(e, namespace))),
        env_from: fitting(
            spec.env_from
                .iter()
                .flatten()
                .filter_map(|f| env_from(f, namespace)),
        ),
        mounts: fitting(
            spec.volume_mounts
                .iter()
                .flatten()
                .map(|m| mount(m, spec, place)),
        ),
        expands: expands(spec),
        names: names(spec, namespace),
        status: found.map(container_status),
    }
}

fn env(env: &Env, namespace: &str) -> EnvVar {
    let key = |kind, key: &KeyRef| EnvSource::Key {
        config: ConfigRef::new(kind, namespace, &key.name),
        key: key.key.clone(),
        optional: key.optional.unwrap_or(false),
    };
    let source = match &env.value_from {
        _ if env.literal().is_some() => EnvSource::Literal {
            expands: variables(env.literal().unwrap_or_default()),
        },
        None => EnvSource::Other,
        Some(from) => match (&from.config_map_key_ref, &from.secret_key_ref) {
            (Some(found), _) => key(ConfigKind::ConfigMap, found),
            (None, Some(found)) => key(ConfigKind::Secret, found),
            (None, None) => match &from.file_key_ref {
                Some(file) => EnvSource::File {
                    volume: file.volume_name.clone(),
                    optional: file.optional.unwrap_or(false),
                },
                None => EnvSource::Other,
            },
        },
    };
    EnvVar {
        name: env.name.clone(),
        source,
    }
}

fn env_from(from: &From, namespace: &str) -> Option<EnvFrom> {
    let (kind, found) = match (&from.config_map_ref, &from.secret_ref) {
        (Some(found), _) => (ConfigKind::ConfigMap, found),
        (None, Some(found)) => (ConfigKind::Secret, found),
        (None, None) => return None,
    };
    Some(EnvFrom {
        config: ConfigRef::new(kind, namespace, &found.name),
        prefix: from.prefix.clone().unwrap_or_default(),
        optional: found.optional.unwrap_or(false),
    })
}

/// Variables that the command names.
fn expands(spec: &ContainerSpec) -> Vec<String> {
    let words = [&spec.command, &spec.args];
    let words = words.into_iter().flatten().flatten();
    let mut found: Vec<String> = words.flat_map(|word| variables(word)).collect();
    found.sort();
    found.dedup();
    found
}

/// ConfigMaps that it seems to read through the API.
fn names(spec: &ContainerSpec, namespace: &str) -> Vec<ConfigRef> {
    let words = [&spec.command, &spec.args];
    let words = words.into_iter().flatten().flatten().map(String::as_str);
    let mut found = names::of_arguments(words, namespace);
    for env in spec.env.iter().flatten() {
        let value = env.literal().unwrap_or_default();
        found.extend(names::of_variable(&env.name, value, namespace));
    }
    found.sort();
    found.dedup();
    let config = |name: &String| ConfigRef::new(ConfigKind::ConfigMap, namespace, name);
    found.iter().map(config).collect()
}

fn mount(spec: &MountSpec, of: &ContainerSpec, place: Place<'_>) -> Mount {
    let filled = |text: &Option<String>| text.clone().filter(|t| !t.is_empty());
    let expression = |text: String| match expanded(&text, |name| literal(of, name, place)) {
        Some(path) => SubPath::Path(path),
        None => SubPath::Expr(text),
    };
    Mount {
        volume: spec.name.clone(),
        path: spec.mount_path.clone(),
        sub_path: filled(&spec.sub_path)
            .map(SubPath::Path)
            .or_else(|| filled(&spec.sub_path_expr).map(expression)),
        read_only: spec.read_only.unwrap_or(false),
    }
}

/// What a variable holds, where the spec alone says so. Of a name that stands twice the last one counts.
fn literal(of: &ContainerSpec, name: &str, place: Place<'_>) -> Option<String> {
    let env = of.env.iter().flatten().rfind(|env| env.name == name)?;
    if let Some(value) = env.literal() {
        return variables(value)
            .is_empty()
            .then(|| expanded(value, |_| None))?;
    }
    let field = env.value_from.as_ref()?.field_ref.as_ref()?;
    place.field(&field.field_path)
}

fn volume(spec: &VolumeSpec, namespace: &str) -> Option<Volume> {
    let both = |map: &Option<Projection>, secret: &Option<Projection>| {
        [(ConfigKind::ConfigMap, map), (ConfigKind::Secret, secret)]
            .into_iter()
            .filter_map(|(kind, found)| source(kind, found.as_ref()?, namespace))
            .collect::<Vec<_>>()
    };
    let projected = spec.projected.is_some();
    let sources = match &spec.projected {
        Some(projected) => projected
            .sources
            .iter()
            .flatten()
            .flat_map(|s| both(&s.config_map, &s.secret))
            .collect(),
        None => both(&spec.config_map, &spec.secret),
    };
    let scratch = spec.empty_dir.is_some();
    (scratch || !sources.is_empty()).then(|| Volume {
        name: spec.name.clone(),
        projected,
        scratch,
        sources,
    })
}

fn source(kind: ConfigKind, found: &Projection, namespace: &str) -> Option<VolumeSource> {
    let name = found.name.as_ref().or(found.secret_name.as_ref())?;
    Some(VolumeSource {
        config: ConfigRef::new(kind, namespace, name),
        items: found.items.as_ref().map(|items| {
            items
                .iter()
                .map(|item| (item.key.clone(), item.path.clone()))
                .collect()
        }),
        optional: found.optional.unwrap_or(false),
    })
}

fn container_status(status: &StatusOf) -> ContainerStatus {
    let state = status.state.as_ref();
    let last = status.last_state.as_ref();
    ContainerStatus {
        container_id: status.container_id.clone().filter(|id| !id.is_empty()),
        image_id: status.image_id.clone().filter(|id| !id.is_empty()),
        ready: status.ready.unwrap_or(false),
        restarts: status.restart_count.unwrap_or(0),
        state: match state {
            Some(State {
                running: Some(running),
                ..
            }) => ContainerState::Running {
                started_at: time(running.started_at.as_deref()),
            },
            Some(State {
                terminated: Some(end),
                ..
            }) => ContainerState::Terminated(ended(end)),
            Some(State {
                waiting: Some(waiting),
                ..
            }) => ContainerState::Waiting {
                reason: waiting.reason.clone().unwrap_or_default(),
                message: waiting.message.clone().unwrap_or_default(),
            },
            _ => ContainerState::Unknown,
        },
        last: last.and_then(|s| s.terminated.as_ref()).map(ended),
    }
}

fn ended(end: &Ended) -> Termination {
    Termination {
        container_id: end.container_id.clone(),
        exit_code: end.exit_code.unwrap_or(0),
        reason: end.reason.clone().unwrap_or_default(),
        started_at: time(end.started_at.as_deref()),
        finished_at: time(end.finished_at.as_deref()),
    }
}
