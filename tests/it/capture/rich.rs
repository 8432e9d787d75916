//! A snapshot in which every field of the model is set, every variant is used, and every value is awkward.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use confsplit::model::{
    Ahead, AuditedWrite, ChainEnd, Clocks, Cluster, Condition, Config, ConfigKind, ConfigRef,
    Container, ContainerKind, ContainerState, ContainerStatus, Content, EarlierConfig, Endpoint,
    EnvFrom, EnvSource, EnvVar, Event, Fingerprint, Found, Gap, GapReason, Held, Kept, LastApplied,
    Log, LogFrom, ManagedEntry, Mount, Namesake, Need, Origin, Outside, Pod, PodRef, PodsAt, Probe,
    ProbeReads, ProbedFile, Process, Scope, Service, ServicePort, Snapshot, Socket, SocketState,
    SubPath, Target, Termination, ToldVersion, Volume, VolumeSource, Want, Workload, WorkloadRef,
};

/// Control characters, quotes, a line separator, text beyond the basic plane, and no character at the end of it.
pub(crate) const AWKWARD: &str =
    "a\u{0}\u{1b}[31m\"\\\r\n\u{85}\u{2028}\u{202e}日本𝄞\u{fffd}\u{10ffff}";

pub(crate) fn at(text: &str) -> DateTime<Utc> {
    DateTime::parse_from_rfc3339(text)
        .unwrap()
        .with_timezone(&Utc)
}

fn nanos() -> DateTime<Utc> {
    at("2026-10-02T20:35:26.123456789Z")
}

fn s(text: &str) -> String {
    text.to_owned()
}

fn cm(name: &str) -> ConfigRef {
    ConfigRef::new(ConfigKind::ConfigMap, "shop", name)
}

pub(crate) fn secret() -> ConfigRef {
    ConfigRef::new(ConfigKind::Secret, "shop", "db")
}

fn deployment() -> WorkloadRef {
    WorkloadRef::new("Deployment", "shop", "frontend")
}

pub(crate) fn pod_ref() -> PodRef {
    PodRef {
        namespace: s("shop"),
        name: s("frontend-1"),
        uid: s("u-1"),
    }
}

pub(crate) fn config(reference: ConfigRef, content: Option<Content>) -> Config {
    Config {
        reference,
        uid: s("u-c"),
        resource_version: s("14598"),
        created: Some(at("2026-10-02T20:35:25Z")),
        content,
        immutable: true,
        managed: vec![ManagedEntry {
            manager: s(AWKWARD),
            operation: s("Apply"),
            time: Some(nanos()),
            data_keys: BTreeSet::from([s("a"), s(AWKWARD)]),
            owns_other: true,
        }],
        last_applied: None,
        owner_marks: BTreeMap::from([(s("helm.sh/chart"), s(AWKWARD))]),
    }
}

fn configs() -> Vec<Config> {
    let big = "x\n".repeat(512 << 10);
    let plain = Content::Plain {
        data: BTreeMap::from([
            (s("big"), big),
            (s(AWKWARD), s(AWKWARD)),
            (s("empty"), s("")),
        ]),
        binary: BTreeMap::from([(s("all"), (0..=255).collect()), (s("none"), Vec::new())]),
    };
    let hashed = Content::Hashed(BTreeMap::from([(s("k"), Fingerprint(s("abc")))]));
    let mut first = config(cm("a"), Some(plain.clone()));
    first.last_applied = Some(LastApplied {
        content: plain,
        resource_version: Some(s("14417")),
    });
    let mut bare = config(secret(), None);
    bare.created = None;
    bare.immutable = false;
    bare.managed[0].time = None;
    vec![first, bare, config(secret(), Some(hashed))]
}

fn earlier() -> Vec<EarlierConfig> {
    let chain = |name: &str, end, versions| EarlierConfig {
        reference: cm(name),
        versions,
        end,
        read_at: nanos(),
    };
    let old = || config(cm("a"), Some(Content::text([("k", "v")])));
    let failed = ChainEnd::Failed(gap(GapReason::Gone));
    vec![
        chain("a", ChainEnd::Created, vec![old(), old()]),
        chain("b", ChainEnd::Compacted, Vec::new()),
        chain("c", ChainEnd::Bounded, vec![config(cm("c"), None)]),
        chain("d", failed, Vec::new()),
    ]
}

pub(crate) fn gap(reason: GapReason) -> Gap {
    Gap {
        verb: s("list"),
        resource: s("configmaps"),
        namespace: Some(s("shop")),
        name: Some(s(AWKWARD)),
        reason,
    }
}

fn gaps() -> Vec<Gap> {
    let status = GapReason::Status {
        code: 500,
        message: s(AWKWARD),
    };
    let reasons = vec![
        GapReason::Unauthorized,
        GapReason::Forbidden,
        GapReason::NotFound,
        GapReason::Gone,
        GapReason::TimedOut { seconds: u64::MAX },
        status,
        GapReason::Connection(s("a")),
        GapReason::Unreadable(s("b")),
        GapReason::Bounded(s("c")),
        GapReason::Capture(s("d")),
        GapReason::Unordered(s("e")),
    ];
    reasons.into_iter().map(gap).collect()
}

fn workload() -> Workload {
    Workload {
        reference: WorkloadRef::new("ReplicaSet", "shop", "frontend-1"),
        uid: s("u-w"),
        created: Some(nanos()),
        owner: Some(deployment()),
        desired: Some(2),
        ready: Some(u32::MAX),
        paused: true,
        strategy: Some(s("Recreate")),
        generation: Some(i64::MIN),
        configs: vec![cm("a")],
        needs: vec![
            Need {
                config: cm("a"),
                key: Some(s(AWKWARD)),
            },
            Need {
                config: secret(),
                key: None,
            },
        ],
        updated: Some(1),
        partition: Some(u32::MAX),
        conditions: vec![Condition {
            kind: s("Progressing"),
            holds: true,
            reason: s(AWKWARD),
            message: s(AWKWARD),
            since: Some(nanos()),
        }],
        marks: [(s("meta.helm.sh/release-name"), s(AWKWARD))]
            .into_iter()
            .collect(),
        template_marks: [(s("checksum/config"), s(AWKWARD))].into_iter().collect(),
        observed_generation: Some(i64::MAX),
        revision: Some(s("1")),
    }
}

fn containers() -> Vec<Container> {
    let key = EnvSource::Key {
        config: secret(),
        key: s("k"),
        optional: true,
    };
    let kinds = [
        ContainerKind::Init,
        ContainerKind::Sidecar,
        ContainerKind::Main,
        ContainerKind::Ephemeral,
    ];
    kinds
        .into_iter()
        .zip(states())
        .map(|(kind, status)| Container {
            name: s("nginx"),
            kind,
            image: s("nginx:1.27"),
            env: [
                EnvSource::Literal {
                    expands: vec![s("HOST")],
                },
                EnvSource::File {
                    volume: s("v"),
                    optional: true,
                },
                key.clone(),
                EnvSource::Other,
            ]
            .into_iter()
            .map(|source| EnvVar {
                name: s("E"),
                source,
            })
            .collect(),
            env_from: vec![EnvFrom {
                config: cm("a"),
                prefix: s("P_"),
                optional: false,
            }],
            expands: vec![s("E")],
            names: vec![cm("read-by-api")],
            mounts: [
                None,
                Some(SubPath::Path(s("p"))),
                Some(SubPath::Expr(s("$(E)"))),
            ]
            .into_iter()
            .map(|sub_path| Mount {
                volume: s("v"),
                path: s("/etc"),
                sub_path,
                read_only: false,
            })
            .collect(),
            status,
        })
        .collect()
}

pub(crate) fn pod() -> Pod {
    Pod {
        reference: pod_ref(),
        resource_version: s("1"),
        created: Some(nanos()),
        reported: None,
        terminating: true,
        owner: Some(deployment()),
        labels: [(s("app"), s("frontend"))].into_iter().collect(),
        marks: [(s("checksum/config"), s(AWKWARD))].into_iter().collect(),
        node: Some(s("worker")),
        os: None,
        phase: s("Running"),
        ip: Some(s("10.0.0.1")),
        ready: true,
        containers: containers(),
        volumes: [None, Some(vec![(s("key"), s("path"))])]
            .into_iter()
            .map(|items| Volume {
                name: s("v"),
                projected: items.is_some(),
                scratch: false,
                sources: vec![VolumeSource {
                    config: cm("a"),
                    items,
                    optional: true,
                }],
            })
            .collect(),
    }
}

fn states() -> [Option<ContainerStatus>; 4] {
    let end = Termination {
        container_id: Some(s("containerd://2")),
        exit_code: i32::MIN,
        reason: s("Error"),
        started_at: Some(nanos()),
        finished_at: None,
    };
    let waiting = ContainerState::Waiting {
        reason: s("CrashLoopBackOff"),
        message: s(AWKWARD),
    };
    let running = ContainerState::Running {
        started_at: Some(nanos()),
    };
    let status = |state| {
        Some(ContainerStatus {
            container_id: Some(s("containerd://1")),
            image_id: Some(s("sha256:1")),
            ready: true,
            restarts: 7,
            state,
            last: Some(end.clone()),
        })
    };
    let mut unknown = status(ContainerState::Unknown);
    if let Some(unknown) = &mut unknown {
        unknown.last = None;
    }
    [
        status(waiting),
        status(running),
        status(ContainerState::Terminated(end.clone())),
        unknown,
    ]
}

fn wants() -> BTreeSet<Want> {
    BTreeSet::from([
        Want::Log {
            pod: pod_ref(),
            container: s("nginx"),
            previous: true,
        },
        Want::Earlier {
            config: cm("a"),
            resource_version: s("14598"),
        },
        Want::PodsAt {
            namespace: s("shop"),
            resource_version: s("14598"),
        },
        Want::SecretContent { config: secret() },
        Want::Former {
            config: cm("a"),
            resource_version: s("14598"),
        },
        Want::OneCounter {
            namespace: s("shop"),
        },
        Want::NodeClock { node: s("node-1") },
        Want::ToldVersion {
            pod: pod_ref(),
            asked: s(":8080/info#config.version"),
            resource_version: s("14598"),
        },
        Want::Probe {
            pod: pod_ref(),
            container: s("nginx"),
            run: s("containerd://1"),
            config: cm("a"),
            resource_version: s("14598"),
            reads: Box::new(ProbeReads {
                env: [s("A")].into(),
                secret_env: [s("B")].into(),
                files: [s("/etc/app/a")].into(),
                secret_files: [s("/etc/app/b")].into(),
                folders: [s("/etc/app")].into(),
                processes: true,
                sockets: true,
            }),
        },
    ])
}

fn service() -> Service {
    Service {
        namespace: s("shop"),
        name: s("api"),
        cluster_ips: vec![s("10.96.10.144"), s("fd00::1")],
        ports: vec![ServicePort {
            name: Some(s("http")),
            port: u16::MAX,
            target: Some(s("web")),
            protocol: s("TCP"),
        }],
        selector: BTreeMap::from([(s("app"), s("api"))]),
        external_name: Some(s("api.example")),
        created: Some(nanos()),
    }
}

fn event() -> Event {
    Event {
        object: Some(s("frontend.17e")),
        namespace: s("shop"),
        resource_version: s("9"),
        kind: s("Pod"),
        name: s("frontend-1"),
        uid: Some(s("u-1")),
        reason: s("Killing"),
        message: s(AWKWARD),
        warning: true,
        first: Some(nanos()),
        last: Some(nanos()),
        count: 3,
        reporter: s("kubelet"),
    }
}

pub(crate) fn log(text: String) -> Log {
    Log {
        pod: pod_ref(),
        container: s("nginx"),
        previous: true,
        text: text.into(),
        complete: false,
        missing: Some(s("no lines before 20:35")),
        read_at: nanos(),
        from: Some(LogFrom {
            command: s("mylogs shop 'frontend-1'"),
            alone: true,
        }),
    }
}

fn probe() -> Probe {
    let process = |watches| Process {
        pid: 7,
        name: s("nginx"),
        started_at: nanos(),
        watches,
    };
    let file = |path: &str, held, modified| ProbedFile {
        path: s(path),
        held,
        modified,
    };
    let socket = |state| Socket {
        address: s("10.96.37.207"),
        port: 8000,
        state,
    };
    Probe {
        pod: pod_ref(),
        container: s("nginx"),
        config: cm("a"),
        run: s("containerd://1"),
        read_at: nanos(),
        env: Some([(s("A"), None), (s("B"), Some(Held::Text(s(AWKWARD))))].into()),
        files: vec![
            file("/etc/app/a", Held::Bytes(vec![0, 159, 255]), Some(nanos())),
            file("/etc/app/b", Held::Hashed(Fingerprint(s("ab12"))), None),
        ],
        missing: vec![s("/etc/app/c")],
        swapped: [(s("/etc/app"), nanos())].into(),
        processes: Some(vec![process(Some(true)), process(None)]),
        sockets: Some(
            [
                SocketState::Established,
                SocketState::SynSent,
                SocketState::Other,
            ]
            .map(socket)
            .into(),
        ),
        gaps: gaps(),
    }
}

fn told() -> ToldVersion {
    ToldVersion {
        pod: pod_ref(),
        asked: s(":8080/info#config.version"),
        version: s(AWKWARD),
        read_at: nanos(),
    }
}

fn clocks() -> Clocks {
    let ahead = Ahead {
        least: chrono::TimeDelta::milliseconds(-1500),
        most: chrono::TimeDelta::milliseconds(2500),
    };
    Clocks {
        local: Some(ahead),
        nodes: [(s("node-1"), ahead)].into(),
    }
}

fn client() -> Target {
    Target::Workload {
        kind: s("Deployment"),
        name: s("loadgen"),
    }
}

fn pods_at(namespace: &str, version: &str, pods: Vec<Pod>) -> PodsAt {
    PodsAt {
        namespace: s(namespace),
        resource_version: s(version),
        pods,
        read_at: nanos(),
    }
}

pub(crate) fn snapshot() -> Snapshot {
    Snapshot {
        cluster: Cluster {
            flags: Some(vec!["--as".to_owned(), "me".to_owned()]),
            context: Some(s(AWKWARD)),
            server: s("https://127.0.0.1:6443"),
            version: Some(s("v1.37.0")),
        },
        scope: Scope {
            namespace: Some(s("shop")),
            target: Some(Target::Config {
                kind: ConfigKind::Secret,
                name: s("db"),
            }),
            route: None,
            version_at: None,
            client: Some(client()),
        },
        taken_at: nanos(),
        configs: crate::build::shared(configs()),
        earlier: earlier(),
        workloads: crate::build::shared(vec![workload()]),
        pods: crate::build::shared(vec![pod()]),
        pods_at: vec![
            pods_at("shop", "14598", vec![pod(), pod()]),
            pods_at("other", "2", Vec::new()),
        ],
        services: crate::build::shared(vec![service()]),
        endpoints: vec![
            Endpoint {
                slice: Some(s("api-x2")),
                namespace: s("shop"),
                service: s("api"),
                addresses: vec![s("10.244.1.52")],
                ready: true,
                pod_uid: Some(s("u-2")),
            }
            .into(),
        ],
        events: crate::build::shared(vec![event()]),
        logs: vec![log(
            format!("2026-10-02T20:35:28.5Z {AWKWARD}\n").repeat(2_000)
        )],
        probes: vec![probe()],
        told: vec![told()],
        outside: outside(),
        namesakes: vec![namesake()],
        clocks: clocks(),
        one_counter: Some(true),
        gaps: gaps(),
        asked: wants(),
    }
}

fn namesake() -> Namesake {
    Namesake {
        config: config(cm("b"), Some(Content::text([("k", AWKWARD)]))),
        takers: Some(3),
    }
}

fn outside() -> Outside {
    let map = || ConfigRef::new(ConfigKind::ConfigMap, "shop", "frontend-nginx");
    let found = |origin| Found {
        config: map(),
        content: Content::text([("nginx.conf", AWKWARD)]),
        origin,
        at: Some(at("2026-10-01T08:00:00Z")),
    };
    Outside {
        found: vec![
            found(Origin::Helm {
                release: s("shop"),
                revision: 3,
            }),
            found(Origin::File { path: s(AWKWARD) }),
            found(Origin::Git {
                repository: s("/srv/deploy"),
                path: s("shop/nginx.yaml"),
                revision: s("HEAD~1"),
                commit: s("5d41402abc4b2a76b9719d911017c592ae1f9d33"),
            }),
        ],
        audited: vec![AuditedWrite {
            config: map(),
            file: s("audit.jsonl"),
            verb: s("patch"),
            at: Some(at("2026-10-02T20:35:26.123456Z")),
            user: s("jane@example.org"),
            impersonated: Some(s("deployer")),
            source_ips: vec![s("192.0.2.7")],
            user_agent: Some(s("kubectl/v1.37.2 (linux/amd64)")),
            field_manager: Some(s("kubectl-client-side-apply")),
            content: Some(Content::text([("nginx.conf", "server api:8000;")])),
            resource_version: Some(s("431")),
        }],
        kept: vec![Kept {
            config: config(cm("a"), Some(Content::text([("k", AWKWARD)]))),
            follows: Some(s("398")),
            seen_at: at("2026-10-02T20:35:27Z"),
            file: s("history.ndjson"),
        }],
    }
}
