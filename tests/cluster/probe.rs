//! Probes of real containers: what they hold, and each way in which they may not tell it.

use std::collections::BTreeSet;
use std::process::Command;
use std::time::{Duration, Instant};

use chrono::{TimeDelta, Utc};
use confsplit::model::{
    ConfigKind, ConfigRef, GapReason, Held, PodRef, Probe, ProbeReads, Scope, Snapshot,
    SocketState, Want,
};
use confsplit::source::live::{ConnectOptions, Live};
use confsplit::source::{Probing, Source};

use crate::program::{kubeconfig, kubectl};

/// A namespace that goes with the test.
struct Place(&'static str);

impl Place {
    fn new(namespace: &'static str, manifest: &str) -> Self {
        let admin = kubeconfig();
        let delete = [
            "delete",
            "namespace",
            namespace,
            "--ignore-not-found",
            "--wait",
        ];
        kubectl(&admin, &delete);
        kubectl(&admin, &["create", "namespace", namespace]);
        let place = Self(namespace);
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), manifest).expect("the manifest is written");
        place.kubectl(&["apply", "-f", file.path().to_str().expect("UTF-8")]);
        place.kubectl(&[
            "wait",
            "pods",
            "--all",
            "--for=condition=Ready",
            "--timeout=90s",
        ]);
        place
    }

    fn kubectl(&self, arguments: &[&str]) -> String {
        kubectl(&kubeconfig(), &[&["-n", self.0], arguments].concat())
    }

    fn field(&self, pod: &str, path: &str) -> String {
        let path = format!("-o=jsonpath={{{path}}}");
        self.kubectl(&["get", "pod", pod, &path])
    }

    /// What is asked of a pod's only container.
    fn want(&self, pod: &str, reads: ProbeReads) -> Want {
        Want::Probe {
            pod: PodRef {
                namespace: self.0.to_owned(),
                name: pod.to_owned(),
                uid: self.field(pod, ".metadata.uid"),
            },
            container: "main".to_owned(),
            run: self.field(pod, ".status.containerStatuses[0].containerID"),
            config: ConfigRef::new(ConfigKind::ConfigMap, self.0, "app"),
            resource_version: "1".to_owned(),
            reads: Box::new(reads),
        }
    }

    fn live(&self, user: Option<&str>) -> Live {
        let options = ConnectOptions {
            kubeconfig: Some(kubeconfig()),
            namespace: Some(self.0.to_owned()),
            impersonate: user.map(str::to_owned),
            request_timeout: Some(Duration::from_secs(10)),
            ..ConnectOptions::default()
        };
        Live::connect(&options, Utc::now).expect("a connection")
    }

    /// What the wants came to, with consent or without.
    async fn answer(&self, live: &Live, agreed: bool, wants: Vec<Want>) -> Snapshot {
        live.permit(Probing {
            exec: agreed,
            version_at: None,
        });
        let scope = Scope {
            namespace: Some(self.0.to_owned()),
            ..Scope::default()
        };
        let mut snapshot = live.lists(&scope, &|_| {}).await.expect("the lists");
        let answers = live.answer(&snapshot, wants, &|_| {}).await;
        answers.into_snapshot(&mut snapshot);
        snapshot
    }

    async fn probe(&self, pod: &str, reads: ProbeReads) -> Probe {
        let wants = vec![self.want(pod, reads)];
        let mut snapshot = self.answer(&self.live(None), true, wants).await;
        let gaps = whys(&snapshot);
        snapshot.probes.pop().unwrap_or_else(|| panic!("{gaps:?}"))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // The next run removes what is left where this fails.
        let removed = Command::new("kubectl")
            .args(["delete", "namespace", self.0, "--wait=false"])
            .env("KUBECONFIG", kubeconfig())
            .output();
        drop(removed);
    }
}

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn whys(snapshot: &Snapshot) -> Vec<GapReason> {
    let gaps = snapshot.gaps.iter();
    let gaps = gaps.filter(|gap| gap.resource == "pods/exec" && gap.verb == "create");
    gaps.map(|gap| gap.reason.clone()).collect()
}

fn bounded(probe: &Probe) -> Vec<&str> {
    let reasons = probe.gaps.iter().map(|gap| &gap.reason);
    reasons
        .map(|reason| match reason {
            GapReason::Bounded(why) => why.as_str(),
            other => panic!("{other:?}"),
        })
        .collect()
}

const APP: &str = r#"
apiVersion: v1
kind: ConfigMap
metadata: {name: app}
data: {MODE: blue, settings.yaml: "level: info\n"}
---
apiVersion: v1
kind: Secret
metadata: {name: db}
stringData: {PASSWORD: correct-horse-battery}
---
apiVersion: v1
kind: Pod
metadata: {name: app}
spec:
  terminationGracePeriodSeconds: 0
  containers:
  - name: main
    image: docker.io/library/busybox:1.36
    command: [sh, -c, "mkfifo /shared/pipe; exec sleep 3600"]
    envFrom: [{configMapRef: {name: app}}, {secretRef: {name: db}}]
    volumeMounts:
    - {name: conf, mountPath: /etc/app/settings.yaml, subPath: settings.yaml}
    - {name: conf, mountPath: /conf}
    - {name: db, mountPath: /secret}
    - {name: shared, mountPath: /shared}
  volumes:
  - {name: conf, configMap: {name: app}}
  - {name: db, secret: {secretName: db}}
  - {name: shared, emptyDir: {}}
---
apiVersion: v1
kind: Pod
metadata: {name: bare}
spec:
  terminationGracePeriodSeconds: 0
  containers:
  - {name: main, image: "docker.io/lab/pause:1"}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: viewer}
rules:
- {apiGroups: [""], resources: [pods, configmaps], verbs: [get, list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: viewer}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: viewer}
subjects: [{kind: User, name: confsplit-viewer, apiGroup: rbac.authorization.k8s.io}]
"#;

fn all() -> ProbeReads {
    ProbeReads {
        env: names(&["MODE", "NOT_SET"]),
        secret_env: names(&["PASSWORD"]),
        files: names(&[
            "/etc/app/settings.yaml",
            "/conf/settings.yaml",
            "/conf/none",
            "/shared/pipe",
        ]),
        secret_files: names(&["/secret/PASSWORD"]),
        folders: names(&["/conf", "/shared"]),
        processes: true,
        sockets: true,
    }
}

#[tokio::test]
async fn a_container_tells_what_it_holds() {
    let place = Place::new("confsplit-probe", APP);
    let probe = place.probe("app", all()).await;
    let text = |value: &str| Held::Text(value.to_owned());
    let env = probe.env.as_ref().expect("the environment");
    assert_eq!(env["MODE"], Some(text("blue")));
    assert_eq!(env["NOT_SET"], None);
    let Some(Held::Hashed(password)) = &env["PASSWORD"] else {
        panic!("{env:?}");
    };
    let files: Vec<(&str, &Held)> = probe
        .files
        .iter()
        .map(|f| (f.path.as_str(), &f.held))
        .collect();
    assert_eq!(
        files,
        [
            ("/conf/settings.yaml", &text("level: info\n")),
            ("/etc/app/settings.yaml", &text("level: info\n")),
            // The same value, wherever it is read.
            ("/secret/PASSWORD", &Held::Hashed(password.clone())),
        ]
    );
    assert!(probe.files.iter().all(|file| file.modified.is_some()));
    assert_eq!(probe.missing, ["/conf/none"]);
    assert_eq!(
        bounded(&probe),
        ["container main: /shared/pipe: it is no file, but: fifo"]
    );
    let near = TimeDelta::minutes(3);
    let swapped: Vec<&String> = probe.swapped.keys().collect();
    assert_eq!(swapped, ["/conf"]);
    assert!((Utc::now() - probe.swapped["/conf"]).abs() < near);
    let processes = probe.processes.as_ref().expect("the processes");
    let seen: Vec<(u32, &str, Option<bool>)> = processes
        .iter()
        .map(|p| (p.pid, p.name.as_str(), p.watches))
        .collect();
    assert_eq!(seen, [(1, "sleep", Some(false))]);
    let started = place.field(
        "app",
        ".status.containerStatuses[0].state.running.startedAt",
    );
    let started = started.parse::<chrono::DateTime<Utc>>().expect("a moment");
    let off = (processes[0].started_at - started).abs();
    assert!(off < TimeDelta::seconds(3), "{off}");
    assert_eq!(probe.sockets, Some(Vec::new()));
    let shown = format!("{probe:?}");
    assert!(!shown.contains("horse"), "{shown}");

    each_reason_is_told(&place).await;
}

async fn each_reason_is_told(place: &Place) {
    // There is no cat, nor anything else.
    let bare = place.probe("bare", all()).await;
    assert_eq!(
        (&bare.env, &bare.processes, &bare.sockets),
        (&None, &None, &None)
    );
    assert_eq!((bare.files.len(), bare.missing.len()), (0, 0));
    let why = bounded(&bare);
    assert!(
        why.iter()
            .any(|why| why.contains("its environment: the image has no `cat`, no `env`")),
        "{why:?}"
    );
    assert!(
        why.iter()
            .any(|why| why.contains("/conf/none") && why.ends_with("the image has no `stat`")),
        "{why:?}"
    );
    // Nobody agreed.
    let live = place.live(None);
    let want = place.want("app", all());
    let silent = place.answer(&live, false, vec![want.clone()]).await;
    assert_eq!(
        whys(&silent),
        [GapReason::Bounded("nobody agreed to probing".to_owned())]
    );
    // The right is missing.
    let viewer = place.live(Some("confsplit-viewer"));
    let forbidden = place.answer(&viewer, true, vec![want.clone()]).await;
    assert_eq!(whys(&forbidden), [GapReason::Forbidden]);
    assert!(forbidden.probes.is_empty());
    another_run_or_pod(place, &live, want).await;
}

async fn another_run_or_pod(place: &Place, live: &Live, want: Want) {
    let changed = |change: &dyn Fn(&mut PodRef, &mut String)| {
        let mut want = want.clone();
        if let Want::Probe { pod, run, .. } = &mut want {
            change(pod, run);
        }
        vec![want]
    };
    let before = changed(&|_, run| *run = "containerd://before".to_owned());
    assert_eq!(
        whys(&place.answer(live, true, before).await),
        [GapReason::Bounded(
            "container main was started anew since".to_owned()
        )]
    );
    let gone = changed(&|pod, _| pod.uid = "other".to_owned());
    let gone = place.answer(live, true, gone).await;
    assert_eq!(whys(&gone), [GapReason::NotFound]);
}

const HANGING: &str = r#"
apiVersion: v1
kind: Pod
metadata: {name: stuck}
spec:
  terminationGracePeriodSeconds: 0
  containers:
  - name: main
    image: docker.io/library/busybox:1.36
    # Its own `cat`, of a hostile image: it prints something and never ends.
    command: [sh, -c, "printf '#!/bin/sh\necho MODE=blue\nexec sleep 3600\n' > /bin/x/cat; chmod +x /bin/x/cat; exec sleep 3600"]
    env: [{name: PATH, value: "/bin/x:/bin:/usr/bin"}]
    readinessProbe: {exec: {command: [test, -x, /bin/x/cat]}, periodSeconds: 1}
    volumeMounts: [{name: x, mountPath: /bin/x}]
  volumes: [{name: x, emptyDir: {}}]
"#;

#[tokio::test]
async fn what_hangs_costs_five_seconds() {
    let place = Place::new("confsplit-probe-hangs", HANGING);
    let live = place.live(None);
    let began = Instant::now();
    let want = |reads| place.want("stuck", reads);
    let wants = vec![want(ProbeReads {
        env: names(&["MODE"]),
        ..ProbeReads::default()
    })];
    let snapshot = place.answer(&live, true, wants).await;
    let took = began.elapsed();
    assert_eq!(whys(&snapshot), [GapReason::TimedOut { seconds: 5 }]);
    assert!(took < Duration::from_secs(8), "{took:?}");
    // What could be read is kept: the folder, though not the processes.
    let wants = vec![want(ProbeReads {
        folders: names(&["/bin/x"]),
        files: names(&["/etc/hostname"]),
        ..ProbeReads::default()
    })];
    let snapshot = place.answer(&live, true, wants).await;
    assert_eq!(snapshot.probes.len(), 1);
    assert_eq!(whys(&snapshot), [GapReason::TimedOut { seconds: 5 }]);
}

const NGINX: &str = r#"
apiVersion: v1
kind: ConfigMap
metadata: {name: conf}
data: {default.conf: "server { listen 80; location / { return 200; } }\n"}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  terminationGracePeriodSeconds: 0
  containers:
  - name: main
    image: docker.io/library/nginx:1.27-alpine
    volumeMounts: [{name: conf, mountPath: /etc/nginx/conf.d}]
  volumes: [{name: conf, configMap: {name: conf}}]
---
apiVersion: v1
kind: Pod
metadata: {name: client}
spec:
  terminationGracePeriodSeconds: 0
  containers:
  - name: main
    image: docker.io/library/busybox:1.36
    command: [sh, -c, "while true; do sleep 3600 | nc \"$WEB\" 80; sleep 1; done"]
    env: [{name: WEB, value: "WEB_IP"}]
"#;

#[tokio::test]
async fn a_reload_and_a_connection_are_seen() {
    let (web, client) = NGINX.rsplit_once("---").expect("two pods");
    let place = Place::new("confsplit-probe-web", web);
    let reads = || ProbeReads {
        processes: true,
        sockets: true,
        ..ProbeReads::default()
    };
    let before = place.probe("web", reads()).await;
    let workers = |probe: &Probe| {
        let processes = probe.processes.clone().expect("the processes");
        let (master, workers): (Vec<_>, Vec<_>) = processes.into_iter().partition(|p| p.pid == 1);
        assert!(workers.iter().all(|p| p.name == "nginx"), "{workers:?}");
        (
            master[0].started_at,
            workers.iter().map(|p| p.started_at).min(),
        )
    };
    let (master, first) = workers(&before);
    place.kubectl(&["exec", "web", "--", "nginx", "-s", "reload"]);
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let (still, second) = workers(&place.probe("web", reads()).await);
        assert!((still - master).abs() < TimeDelta::seconds(1));
        if second > first {
            break;
        }
        assert!(Instant::now() < deadline, "no new worker");
        std::thread::sleep(Duration::from_millis(200));
    }
    let ip = place.field("web", ".status.podIP");
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), client.replace("WEB_IP", &ip)).expect("the manifest is written");
    place.kubectl(&["apply", "-f", file.path().to_str().expect("UTF-8")]);
    place.kubectl(&[
        "wait",
        "pod",
        "client",
        "--for=condition=Ready",
        "--timeout=90s",
    ]);
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let sockets = place
            .probe("client", reads())
            .await
            .sockets
            .expect("the sockets");
        let open = sockets.iter().find(|s| s.state == SocketState::Established);
        if let Some(socket) = open {
            assert_eq!((&socket.address, socket.port), (&ip, 80));
            break;
        }
        assert!(Instant::now() < deadline, "no connection: {sockets:?}");
        std::thread::sleep(Duration::from_millis(200));
    }
    // A server's clients are no connections outwards.
    assert_eq!(place.probe("web", reads()).await.sockets, Some(Vec::new()));
}
