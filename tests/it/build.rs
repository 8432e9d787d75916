//! Builders of facts: a small cluster in a few lines, with the time as seconds after 20:35:00.

use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use confsplit::model::{
    ChainEnd, Cluster, Config, ConfigKind, ConfigRef, Container, ContainerKind, ContainerState,
    ContainerStatus, Content, EarlierConfig, Endpoint, EnvFrom, Event, Held, Labels, LastApplied,
    Log, ManagedEntry, Mount, Pod, PodRef, PodsAt, Probe, Scope, Service, ServicePort, Shared,
    Snapshot, SubPath, Termination, Volume, VolumeSource, Workload, WorkloadRef,
};

pub const NS: &str = "shop";

/// A moment: so many seconds after 20:35:00.
pub fn t(seconds: i64) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 10, 2, 20, 35, 0).unwrap() + TimeDelta::seconds(seconds)
}

pub fn config_ref(name: &str) -> ConfigRef {
    ConfigRef::new(ConfigKind::ConfigMap, NS, name)
}

/// A snapshot taken ten minutes after 20:35.
pub fn snapshot() -> Snapshot {
    Snapshot::empty(
        Cluster {
            flags: None,
            context: Some("kind-a".to_owned()),
            server: "https://127.0.0.1:6443".to_owned(),
            version: Some("v1.37.0".to_owned()),
        },
        Scope {
            namespace: Some(NS.to_owned()),
            ..Scope::default()
        },
        t(600),
    )
}

/// A ConfigMap as `kubectl apply` made it.
pub fn config(name: &str, created: i64, version: u64, data: &[(&str, &str)]) -> Config {
    let content = Content::text(data.iter().copied());
    Config {
        reference: config_ref(name),
        uid: format!("uid-{name}"),
        resource_version: version.to_string(),
        created: Some(t(created)),
        last_applied: Some(LastApplied {
            content: content.clone(),
            resource_version: None,
        }),
        content: Some(content),
        immutable: false,
        managed: vec![ManagedEntry {
            manager: "kubectl-client-side-apply".to_owned(),
            operation: "Update".to_owned(),
            time: Some(t(created)),
            data_keys: data.iter().map(|(k, _)| (*k).to_owned()).collect(),
            owns_other: true,
        }],
        owner_marks: Default::default(),
    }
}

/// The config after `kubectl patch` wrote one key.
pub fn patched(config: &Config, at: i64, version: u64, key: &str, value: &str) -> Config {
    let mut after = config.clone();
    if let Some(Content::Plain { data, .. }) = &mut after.content {
        data.insert(key.to_owned(), value.to_owned());
    }
    after.resource_version = version.to_string();
    for entry in &mut after.managed {
        entry.data_keys.remove(key);
    }
    after.managed.retain(|e| e.manager != "kubectl-patch");
    after.managed.push(ManagedEntry {
        manager: "kubectl-patch".to_owned(),
        operation: "Update".to_owned(),
        time: Some(t(at)),
        data_keys: [key.to_owned()].into(),
        owns_other: false,
    });
    after
}

/// The config after get, sed, apply.
pub fn reapplied(config: &Config, at: i64, version: u64, key: &str, value: &str) -> Config {
    let mut after = config.clone();
    if let Some(Content::Plain { data, .. }) = &mut after.content {
        data.insert(key.to_owned(), value.to_owned());
    }
    after.last_applied = Some(LastApplied {
        content: after.content.clone().unwrap(),
        resource_version: Some(config.resource_version.clone()),
    });
    after.resource_version = version.to_string();
    for entry in &mut after.managed {
        entry.time = Some(t(at));
    }
    after
}

/// A label-only write.
pub fn labelled(config: &Config, at: i64, version: u64) -> Config {
    let mut after = config.clone();
    after.resource_version = version.to_string();
    after.managed.push(ManagedEntry {
        manager: "kubectl-label".to_owned(),
        operation: "Update".to_owned(),
        time: Some(t(at)),
        data_keys: Default::default(),
        owns_other: true,
    });
    after
}

/// The versions before the live one, as Exact reads found them.
pub fn earlier(versions: &[&Config], end: ChainEnd) -> EarlierConfig {
    EarlierConfig {
        reference: versions[0].reference.clone(),
        versions: versions.iter().map(|c| (*c).clone()).collect(),
        end,
        read_at: t(600),
    }
}

/// How a built pod takes its config.
pub enum Take<'a> {
    EnvFrom(&'a str),
    Volume(&'a str, &'a str),
    SubPath(&'a str, &'a str),
}

/// A ready pod of `Deployment/NAME`, whose one container started a second after the pod was created.
pub fn pod(workload: &str, suffix: &str, created: i64, take: &Take<'_>) -> Pod {
    let name = format!("{workload}-76d98597b9-{suffix}");
    let (env_from, mounts, volumes) = taking(take);
    Pod {
        reference: PodRef {
            namespace: NS.to_owned(),
            name: name.clone(),
            uid: format!("uid-{name}"),
        },
        resource_version: "1".to_owned(),
        created: Some(t(created)),
        reported: None,
        terminating: false,
        owner: Some(WorkloadRef::new(
            "ReplicaSet",
            NS,
            &format!("{workload}-76d98597b9"),
        )),
        marks: Labels::default(),
        labels: [
            ("pod-template-hash".to_owned(), "76d98597b9".to_owned()),
            ("app".to_owned(), workload.to_owned()),
        ]
        .into_iter()
        .collect(),
        node: Some("node-1".to_owned()),
        os: None,
        phase: "Running".to_owned(),
        ip: None,
        ready: true,
        containers: vec![Container {
            name: "app".to_owned(),
            kind: ContainerKind::Main,
            image: "nginx:1.27-alpine".to_owned(),
            env: Vec::new(),
            env_from,
            mounts,
            expands: Vec::new(),
            names: Vec::new(),
            status: Some(ContainerStatus {
                container_id: Some(format!("containerd://{suffix}-0")),
                image_id: None,
                ready: true,
                restarts: 0,
                state: ContainerState::Running {
                    started_at: Some(t(created + 1)),
                },
                last: None,
            }),
        }],
        volumes,
    }
}

fn taking(take: &Take<'_>) -> (Vec<EnvFrom>, Vec<Mount>, Vec<Volume>) {
    let volume = |config: &str, sub_path: Option<SubPath>, path: &str| {
        let mount = Mount {
            volume: "c".to_owned(),
            path: path.to_owned(),
            sub_path,
            read_only: false,
        };
        let volume = Volume {
            name: "c".to_owned(),
            projected: false,
            scratch: false,
            sources: vec![VolumeSource {
                config: config_ref(config),
                items: None,
                optional: false,
            }],
        };
        (Vec::new(), vec![mount], vec![volume])
    };
    match take {
        Take::EnvFrom(config) => {
            let from = EnvFrom {
                config: config_ref(config),
                prefix: String::new(),
                optional: false,
            };
            (vec![from], Vec::new(), Vec::new())
        }
        Take::Volume(config, path) => volume(config, None, path),
        Take::SubPath(config, key) => volume(
            config,
            Some(SubPath::Path((*key).to_owned())),
            "/etc/app/file",
        ),
    }
}

/// The pod after its container died and started again in place.
pub fn restarted(mut pod: Pod, at: i64, restarts: u32) -> Pod {
    let status = pod.containers[0].status.as_mut().unwrap();
    status.last = Some(Termination {
        container_id: status.container_id.clone(),
        exit_code: 137,
        reason: "Error".to_owned(),
        started_at: pod.created,
        finished_at: Some(t(at)),
    });
    status.restarts = restarts;
    status.container_id = Some(format!("containerd://{}-{restarts}", pod.reference.name));
    status.state = ContainerState::Running {
        started_at: Some(t(at)),
    };
    pod
}

/// The pod in a crash loop.
pub fn crashing(mut pod: Pod, started: i64) -> Pod {
    pod.ready = false;
    let status = pod.containers[0].status.as_mut().unwrap();
    status.ready = false;
    status.restarts = 5;
    status.state = ContainerState::Waiting {
        reason: "CrashLoopBackOff".to_owned(),
        message: "back-off 40s restarting failed container".to_owned(),
    };
    status.last = Some(Termination {
        container_id: None,
        exit_code: 1,
        reason: "Error".to_owned(),
        started_at: Some(t(started)),
        finished_at: Some(t(started)),
    });
    pod
}

/// A whole log; each line with its second.
pub fn log(pod: &Pod, lines: &[(i64, &str)]) -> Log {
    let text = lines
        .iter()
        .map(|(at, line)| format!("{} {line}\n", t(*at).to_rfc3339()))
        .collect();
    Log {
        pod: pod.reference.clone(),
        container: "app".to_owned(),
        previous: false,
        text,
        complete: true,
        missing: None,
        read_at: t(600),
        from: None,
    }
}

/// The pods as they were at a resourceVersion.
pub fn pods_at(version: u64, pods: &[&Pod]) -> PodsAt {
    PodsAt {
        namespace: NS.to_owned(),
        resource_version: version.to_string(),
        pods: pods.iter().map(|p| (*p).clone()).collect(),
        read_at: t(600),
    }
}

pub fn service(name: &str, ip: &str, port: u16) -> Service {
    Service {
        namespace: NS.to_owned(),
        name: name.to_owned(),
        cluster_ips: vec![ip.to_owned()],
        ports: vec![ServicePort {
            name: None,
            port,
            target: None,
            protocol: "TCP".to_owned(),
        }],
        selector: [("app".to_owned(), name.to_owned())].into(),
        external_name: None,
        created: Some(t(-100)),
    }
}

pub fn endpoint(service: &str, address: &str, ready: bool, pod: Option<&Pod>) -> Endpoint {
    Endpoint {
        slice: None,
        namespace: NS.to_owned(),
        service: service.to_owned(),
        addresses: vec![address.to_owned()],
        ready,
        pod_uid: pod.map(|p| p.reference.uid.clone()),
    }
}

pub fn deployment(name: &str, replicas: u32) -> Workload {
    Workload {
        reference: WorkloadRef::new("Deployment", NS, name),
        uid: format!("uid-{name}"),
        created: Some(t(-100)),
        owner: None,
        desired: Some(replicas),
        ready: Some(replicas),
        paused: false,
        strategy: Some("RollingUpdate".to_owned()),
        generation: Some(1),
        configs: Vec::new(),
        needs: Vec::new(),
        updated: None,
        partition: None,
        conditions: Vec::new(),
        marks: Labels::default(),
        template_marks: Labels::default(),
        observed_generation: Some(1),
        revision: Some("1".to_owned()),
    }
}

pub fn killed(pod_name: &str, at: i64) -> Event {
    Event {
        object: None,
        namespace: NS.to_owned(),
        resource_version: "500".to_owned(),
        kind: "Pod".to_owned(),
        name: pod_name.to_owned(),
        uid: None,
        reason: "Killing".to_owned(),
        message: "Stopping container app".to_owned(),
        warning: false,
        first: Some(t(at)),
        last: Some(t(at)),
        count: 1,
        reporter: "kubelet".to_owned(),
    }
}

const NGINX: &str = "upstream api {\n  server api:PORT;\n}\nserver {\n  listen 80;\n}\n";
pub const STARTED: &str = "2026/10/02 20:35:26 [notice] 1#1: nginx/1.27.5";

pub fn nginx_conf(port: u16) -> String {
    NGINX.replace("PORT", &port.to_string())
}

pub fn access(status: u16) -> String {
    format!(
        r#"10.244.1.43 - - [02/Oct/2026:20:36:00 +0000] "GET /api/items HTTP/1.1" {status} 167 "-" "Wget" "-""#
    )
}

pub fn timed_out(port: u16) -> String {
    format!(
        r#"2026/10/02 20:35:48 [error] 29#29: *8 upstream timed out (110: Operation timed out) while connecting to upstream, client: 10.244.1.43, server: , request: "GET /api/items HTTP/1.1", upstream: "http://10.96.10.144:{port}/items", host: "frontend""#
    )
}

/// The incident of a ConfigMap edited from 8080 to 8000 of which one of two nginx pods was replaced: the older pod first.
pub fn partial_restart() -> Snapshot {
    let before = config(
        "frontend-nginx",
        25,
        14417,
        &[("default.conf", &nginx_conf(8080))],
    );
    let live = reapplied(&before, 33, 14598, "default.conf", &nginx_conf(8000));
    let take = Take::Volume("frontend-nginx", "/etc/nginx/conf.d");
    let old = pod("frontend", "kt2jr", 25, &take);
    let young = pod("frontend", "g5zrg", 34, &take);
    let gone = pod("frontend", "2vqr4", 25, &take);
    let good: Vec<(i64, String)> = (0..40).map(|i| (36 + 2 * i, access(200))).collect();
    let bad: Vec<(i64, String)> = (0..35)
        .flat_map(|i| [(48 + 2 * i, timed_out(8000)), (48 + 2 * i, access(504))])
        .collect();
    let lines = |first: (i64, &str), rest: &[(i64, String)], pod: &Pod| {
        let mut all = vec![(first.0, first.1)];
        all.extend(rest.iter().map(|(at, line)| (*at, line.as_str())));
        log(pod, &all)
    };
    let mut s = snapshot();
    s.taken_at = t(150);
    s.logs = vec![
        lines((26, STARTED), &good, &old),
        lines((35, STARTED), &bad, &young),
    ];
    s.earlier = vec![earlier(&[&before], ChainEnd::Created)];
    s.pods_at = vec![pods_at(14598, &[&old, &gone])];
    s.services = shared(vec![
        service("api", "10.96.10.144", 8080),
        service("frontend", "10.96.1.1", 80),
    ]);
    s.endpoints = shared(vec![
        endpoint("api", "10.244.1.52", true, None),
        endpoint("frontend", "10.244.2.53", true, Some(&old)),
        endpoint("frontend", "10.244.1.44", true, Some(&young)),
    ]);
    s.workloads = shared(vec![deployment("frontend", 2)]);
    s.events = shared(vec![killed(&gone.reference.name, 34)]);
    s.pods = shared(vec![old, young]);
    s.configs = shared(vec![live]);
    s
}

/// Facts as a snapshot keeps them.
pub fn shared<T>(facts: Vec<T>) -> Vec<Shared<T>> {
    facts.into_iter().map(Into::into).collect()
}

/// What was read of a pod's environment, about `features`.
pub fn environment(pod: &Pod, name: &str, value: &str) -> Probe {
    let status = pod.containers[0].status.as_ref().unwrap();
    Probe {
        pod: pod.reference.clone(),
        container: "app".to_owned(),
        config: config_ref("features"),
        run: status.container_id.clone().unwrap(),
        read_at: t(600),
        env: Some([(name.to_owned(), Some(Held::Text(value.to_owned())))].into()),
        files: Vec::new(),
        missing: Vec::new(),
        swapped: Default::default(),
        processes: None,
        sockets: None,
        gaps: Vec::new(),
    }
}
