//! A cluster of any size, made of facts: Deployments whose pods take a ConfigMap of their own by `envFrom`.

use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use confsplit::model::{
    ChainEnd, Cluster, Config, ConfigKind, ConfigRef, Container, ContainerKind, ContainerState,
    ContainerStatus, Content, EarlierConfig, EnvFrom, Event, Labels, ManagedEntry, Pod, PodRef,
    Scope, Snapshot, Want, Workload, WorkloadRef,
};

/// So many of each. The first Deployment of each namespace is the one whose config was edited.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) namespaces: usize,
    pub(crate) deployments: usize,
    pub(crate) replicas: usize,
    pub(crate) events: usize,
}

/// A moment: so many seconds after ten.
pub(crate) fn t(seconds: i64) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 30, 10, 0, 0)
        .single()
        .unwrap_or_default()
        + TimeDelta::seconds(seconds)
}

/// The cluster ten minutes after the edits, their history read.
pub(crate) fn snapshot(size: Size) -> Snapshot {
    let cluster = Cluster {
        context: Some("made".into()),
        flags: None,
        server: "https://127.0.0.1:6443".into(),
        version: Some("v1.37.2".into()),
    };
    let scope = Scope::default();
    let mut snapshot = Snapshot::empty(cluster, scope, t(600));
    for at in 0..size.namespaces {
        let namespace = format!("team-{at:03}");
        for app in 0..size.deployments {
            add(
                &mut snapshot,
                &namespace,
                &format!("app-{app:02}"),
                size.replicas,
                app == 0,
            );
        }
    }
    for at in 0..size.events {
        let event = event(&snapshot.pods[at % snapshot.pods.len()], at);
        snapshot.events.push(event.into());
    }
    snapshot
}

/// A Deployment with its ReplicaSet, its pods and its config.
fn add(snapshot: &mut Snapshot, namespace: &str, name: &str, replicas: usize, edited: bool) {
    let created = config(namespace, name, 100, "on");
    if edited {
        let live = self::edited(&created, "off");
        let resource_version = live.resource_version.clone();
        snapshot.asked.insert(Want::Earlier {
            config: live.reference.clone(),
            resource_version,
        });
        snapshot.earlier.push(EarlierConfig {
            reference: live.reference.clone(),
            versions: vec![created],
            end: ChainEnd::Created,
            read_at: t(600),
        });
        snapshot.configs.push(live.into());
    } else {
        snapshot.configs.push(created.into());
    }
    let set = format!("{name}-5d4c8b7f6");
    let deployment = WorkloadRef::new("Deployment", namespace, name);
    let owner = WorkloadRef::new("ReplicaSet", namespace, &set);
    for (reference, owner) in [
        (deployment.clone(), None),
        (owner.clone(), Some(deployment)),
    ] {
        let workload = workload(reference, owner, replicas);
        snapshot.workloads.push(workload.into());
    }
    for at in 0..replicas {
        let pod = pod(&owner, name, &format!("{set}-{at:05}"), at as i64 % 60);
        snapshot.pods.push(pod.into());
    }
}

fn config(namespace: &str, name: &str, version: u64, feature: &str) -> Config {
    let data = [
        ("FEATURE", feature),
        ("app.conf", "upstream: api:8080\nretries: 3\n"),
    ];
    Config {
        reference: ConfigRef::new(ConfigKind::ConfigMap, namespace, name),
        uid: format!("uid-{namespace}-{name}"),
        resource_version: version.to_string(),
        created: Some(t(0)),
        content: Some(Content::text(data)),
        immutable: false,
        managed: vec![managed("kubectl-create", 0, &["FEATURE", "app.conf"])],
        last_applied: None,
        owner_marks: Default::default(),
    }
}

/// The config after `kubectl patch` wrote FEATURE.
pub(crate) fn edited(config: &Config, feature: &str) -> Config {
    let mut after = config.clone();
    if let Some(Content::Plain { data, .. }) = &mut after.content {
        data.insert("FEATURE".into(), feature.into());
    }
    let before: u64 = config.resource_version.parse().unwrap_or_default();
    after.resource_version = (before + 40_000).to_string();
    after.managed = vec![
        managed("kubectl-create", 0, &["app.conf"]),
        managed("kubectl-patch", 300, &["FEATURE"]),
    ];
    after
}

fn managed(manager: &str, at: i64, keys: &[&str]) -> ManagedEntry {
    ManagedEntry {
        manager: manager.into(),
        operation: "Update".into(),
        time: Some(t(at)),
        data_keys: keys.iter().map(|key| (*key).into()).collect(),
        owns_other: false,
    }
}

fn workload(reference: WorkloadRef, owner: Option<WorkloadRef>, replicas: usize) -> Workload {
    let replicas = u32::try_from(replicas).ok();
    Workload {
        uid: format!("uid-{}-{}", reference.namespace, reference.name),
        reference,
        created: Some(t(0)),
        owner,
        desired: replicas,
        ready: replicas,
        paused: false,
        strategy: Some("RollingUpdate".into()),
        generation: Some(1),
        configs: Vec::new(),
        needs: Vec::new(),
        updated: None,
        partition: None,
        conditions: Vec::new(),
        marks: Labels::default(),
        template_marks: Labels::default(),
        observed_generation: Some(1),
        revision: Some("1".into()),
    }
}

fn pod(owner: &WorkloadRef, app: &str, name: &str, created: i64) -> Pod {
    let namespace = &owner.namespace;
    Pod {
        reference: PodRef {
            namespace: namespace.clone(),
            name: name.into(),
            uid: format!("uid-{namespace}-{name}"),
        },
        resource_version: "200".into(),
        created: Some(t(created)),
        reported: None,
        terminating: false,
        owner: Some(owner.clone()),
        marks: Labels::default(),
        labels: [("app".into(), app.into())].into_iter().collect(),
        node: Some("nowhere".into()),
        os: None,
        phase: "Running".into(),
        ip: Some("10.9.9.9".into()),
        ready: true,
        containers: vec![Container {
            name: "app".into(),
            kind: ContainerKind::Main,
            image: "busybox:1.36".into(),
            env: Vec::new(),
            env_from: vec![EnvFrom {
                config: ConfigRef::new(ConfigKind::ConfigMap, namespace, app),
                prefix: String::new(),
                optional: false,
            }],
            mounts: Vec::new(),
            expands: Vec::new(),
            names: Vec::new(),
            status: Some(ContainerStatus {
                container_id: Some(format!("containerd://{name}")),
                image_id: None,
                ready: true,
                restarts: 0,
                state: ContainerState::Running {
                    started_at: Some(t(created + 1)),
                },
                last: None,
            }),
        }],
        volumes: Vec::new(),
    }
}

fn event(pod: &Pod, at: usize) -> Event {
    let moment = Some(t(at as i64 % 300));
    Event {
        namespace: pod.reference.namespace.clone(),
        object: Some(format!("{}.{at:x}", pod.reference.name)),
        resource_version: (50_000 + at).to_string(),
        kind: "Pod".into(),
        name: pod.reference.name.clone(),
        uid: Some(pod.reference.uid.clone()),
        reason: "Pulled".into(),
        message: "Container image already present on machine".into(),
        warning: false,
        first: moment,
        last: moment,
        count: 1,
        reporter: "kubelet".into(),
    }
}
