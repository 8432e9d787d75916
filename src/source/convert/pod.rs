//! Pods: specs and what the kubelet reports of them.

mod object;

pub(crate) use self::object::PodObject;
pub(super) use self::object::Spec;
use self::object::*;
use super::expand::{expanded, variables};
use super::marks;
use super::meta::time;
use super::names;
use crate::model::{
    ConfigKind, ConfigRef, Container, ContainerKind, ContainerState, ContainerStatus, EnvFrom,
    EnvSource, EnvVar, Mount, Need, Pod, PodRef, SubPath, Termination, Volume, VolumeSource,
    configs, needs,
};

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
        marks: marks::of_template(&meta.annotations),
        labels: meta.labels.into_iter().flatten().collect(),
        node: spec.node_name,
        phase: status.phase.unwrap_or_default(),
        ip: status.pod_ip,
        containers,
        volumes,
        reference,
    }
}

/// What a template names, once each, and what its pods cannot start without.
pub(super) fn of_template(spec: &Spec, namespace: &str) -> (Vec<ConfigRef>, Vec<Need>) {
    let pod = PodRef {
        namespace: namespace.to_owned(),
        name: String::new(),
        uid: String::new(),
    };
    let volumes = spec.volumes.iter().flatten();
    let volumes: Vec<Volume> = volumes.filter_map(|v| volume(v, namespace)).collect();
    let containers = containers(spec, &Status::default(), &pod);
    let mut named: Vec<ConfigRef> = configs(&volumes, &containers).cloned().collect();
    named.sort();
    named.dedup();
    (named, needs(&volumes, &containers))
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
