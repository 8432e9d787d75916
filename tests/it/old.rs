//! Old contents from outside the API, by the flags that name them, as the program takes them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use confsplit::capture;
use confsplit::model::{
    ConfigKind, ConfigRef, Content, Found, GapReason, Kind, Origin, Outside, Snapshot, Want,
};
use confsplit::report::{self, Charset, Format};
use confsplit::runtime::collect::collect;
use confsplit::source::outside::Loaded;
use confsplit::source::replay::Replay;
use confsplit::source::{Change, Source};
use serde_json::{Value, json};

use crate::build::{NS, config, config_ref, snapshot, t};
use crate::keeping::desk::Desk;
use crate::live::fake::{Answer, Fake, LISTS, SERVER, list_path, read, scope};

fn confsplit(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_confsplit"))
        .args(args)
        .env("KUBECONFIG", "/nonexistent/kubeconfig")
        .env("XDG_CONFIG_HOME", "/nonexistent")
        .env("XDG_STATE_HOME", "/nonexistent")
        .env_remove("CONFSPLIT_CONFIG")
        .output()
        .unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn capture_in(folder: &Path) -> PathBuf {
    let mut snapshot = snapshot();
    snapshot
        .configs
        .push(config("nginx", 0, 12, &[("port", "8000")]).into());
    let path = folder.join("shop.capture");
    capture::save(&snapshot, &path, true).unwrap();
    path
}

fn manifest(port: u16) -> String {
    format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: nginx}}\ndata: {{port: \"{port}\"}}\n"
    )
}

fn audit_line(namespace: &str) -> String {
    let event = json!({
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "Metadata", "auditID": namespace,
        "stage": "ResponseComplete", "verb": "update",
        "requestURI": format!("/api/v1/namespaces/{namespace}/configmaps/nginx?fieldManager=kubectl-edit"),
        "user": {"username": "alice"}, "sourceIPs": ["192.0.2.7"],
        "objectRef": {"resource": "configmaps", "namespace": namespace, "name": "nginx", "apiVersion": "v1"},
        "responseStatus": {"code": 200}, "requestReceivedTimestamp": "2026-10-02T20:36:00.000001Z"
    });
    format!("{event}\n")
}

#[tokio::test]
async fn beside_a_capture_they_are_facts_like_those_that_it_holds() {
    let folder = tempfile::tempdir().unwrap();
    let path = capture_in(folder.path());
    let loaded = Loaded {
        outside: Outside {
            found: vec![Found {
                config: config_ref("nginx"),
                content: Content::text([("port", "8080")]),
                origin: Origin::File {
                    path: "old.yaml".to_owned(),
                },
                at: None,
            }],
            ..Outside::default()
        },
        gaps: Vec::new(),
    };
    let replay = Replay::open(&path).unwrap().with_outside(loaded.clone());
    let (with, first) = collect(&replay, &scope(), &|_| {}).await.unwrap();
    assert_eq!(with.outside, loaded.outside);
    // What was found is in the capture of this run, and the report on that is the same byte for byte.
    let again = folder.path().join("again.capture");
    capture::save(&with, &again, false).unwrap();
    let replay = Replay::open(&again).unwrap();
    let (replayed, second) = collect(&replay, &scope(), &|_| {}).await.unwrap();
    assert_eq!(replayed.outside, loaded.outside);
    let page = |diagnosis| {
        let mut out = Vec::new();
        report::write(Format::Json, Charset::Unicode, diagnosis, &mut out).unwrap();
        out
    };
    assert_eq!(page(&first), page(&second));
}

#[test]
fn the_flags_may_stand_with_a_capture_and_what_they_lack_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let capture = capture_in(folder.path());
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let audit = file("audit.log", &audit_line("shop"));
    let elsewhere = file("other.log", &audit_line("prod"));
    let old = file("old.yaml", &manifest(8080));
    let from = ["diagnose", "--from", capture.to_str().unwrap()];
    let run = |more: &[&str]| confsplit(&[&from[..], more].concat());
    let fine = run(&[
        "--audit",
        &audit,
        "--previous",
        &old,
        "--previous",
        capture.to_str().unwrap(),
    ]);
    assert!(
        fine.status.code().is_some_and(|code| code < 3),
        "{}",
        stderr(&fine)
    );
    let text = |output: &Output| String::from_utf8(output.stdout.clone()).unwrap();
    assert!(!text(&fine).contains("audit log "), "{}", text(&fine));
    let lacking = run(&["--audit", &audit, "--audit", &elsewhere]);
    let page = text(&lacking)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(
        page.contains(&format!(
            "All of the audit log {elsewhere}: of its 1 events none is a write to a config in scope"
        )),
        "{page}"
    );
    assert_eq!(
        lacking.status.code(),
        fine.status.code(),
        "it hides nothing of the cluster"
    );
}

#[test]
fn what_cannot_be_used_ends_the_run_before_anything_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let capture = capture_in(folder.path());
    let capture = capture.to_str().unwrap();
    let conf = folder.path().join("nginx.conf");
    std::fs::write(&conf, "server { listen 80; }\n").unwrap();
    let conf = conf.to_str().unwrap();
    let here = folder.path().to_str().unwrap();
    let place = format!("{here}:cm.yaml@HEAD");
    for (flags, said) in [
        (["--audit", conf], "nginx.conf is no audit log: "),
        (["--audit", capture], "is no audit log: "),
        (
            ["--audit", "/nonexistent/a.log"],
            "/nonexistent/a.log could not be read",
        ),
        (
            ["--previous", conf],
            "nginx.conf cannot be used: it is no manifest",
        ),
        (["--git", &place], "git says: "),
        (["--git", "nowhere:cm.yaml@HEAD"], "nowhere is no folder"),
        (
            ["--git", ".:cm.yaml@--help"],
            "no revision begins with a dash",
        ),
        (
            ["--git", "cm.yaml"],
            "it names no path; expected REPO:PATH@REV",
        ),
    ] {
        for from in [vec!["diagnose", "--from", capture], vec!["open", capture]] {
            let output = confsplit(&[&from[..], &flags].concat());
            let text = stderr(&output);
            assert_eq!(output.status.code(), Some(3), "{flags:?}: {text}");
            assert!(text.contains(said), "{flags:?}: {text}");
            assert!(text.contains("hint: ") || text.contains("--help"), "{text}");
            assert!(output.stdout.is_empty());
        }
    }
}

#[test]
fn without_git_it_is_said_that_there_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let capture = capture_in(folder.path());
    let output = Command::new(env!("CARGO_BIN_EXE_confsplit"))
        .args(["diagnose", "--from", capture.to_str().unwrap(), "--git"])
        .arg(format!("{}:cm.yaml@HEAD", folder.path().display()))
        .env("PATH", folder.path())
        .output()
        .unwrap();
    let text = stderr(&output);
    assert!(text.contains("there is no git in PATH."), "{text}");
    assert!(
        text.contains("hint: Install git, or give the old manifest as a file with --previous."),
        "{text}"
    );
}

/// What was found in this process's memory of a release, as Helm packs it.
fn release(port: u16) -> String {
    use std::io::Write;
    let release = json!({
        "name": "web", "namespace": NS, "version": 2,
        "info": {"last_deployed": "2026-10-02T20:30:00Z", "status": "superseded"},
        "config": {"password": "hunter2"},
        "manifest": format!("---\napiVersion: v1\nkind: Secret\nmetadata: {{name: db}}\nstringData: {{pw: hunter2}}\n---\n{}", manifest(port))
    });
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    out.write_all(release.to_string().as_bytes()).unwrap();
    STANDARD.encode(STANDARD.encode(out.finish().unwrap()))
}

fn holder() -> ConfigRef {
    ConfigRef::new(ConfigKind::Secret, NS, "sh.helm.release.v1.web.v2")
}

fn want() -> Want {
    Want::HelmRelease {
        config: config_ref("nginx"),
        holder: holder(),
    }
}

#[tokio::test]
async fn a_release_is_read_by_one_get_and_nothing_of_a_secret_stays() {
    let fake = Fake::default();
    let path = format!("{}/sh.helm.release.v1.web.v2", list_path("secrets"));
    fake.answers(
        &path,
        Answer::Json(json!({"type": "helm.sh/release.v1", "metadata": {"name": "x"}, "data": {"release": release(8080)}})),
    );
    let live = fake.live();
    let snapshot = read(&live, vec![want()]).await;
    let [found] = &snapshot.outside.found[..] else {
        panic!("{:?}", snapshot.gaps)
    };
    assert_eq!(found.content, Content::text([("port", "8080")]));
    assert_eq!(found.at, Some(t(-300)));
    let asked: Vec<String> = fake
        .urls()
        .into_iter()
        .filter(|url| url.contains("sh.helm"))
        .collect();
    assert_eq!(asked, [path]);
    let all = format!("{snapshot:?}");
    assert!(!all.contains("hunter2") && !all.contains(&release(8080)[..40]));
}

#[tokio::test]
async fn a_release_that_may_not_be_read_is_a_gap_with_its_name() {
    let fake = Fake::default();
    let path = format!("{}/sh.helm.release.v1.web.v2", list_path("secrets"));
    fake.answers(&path, Answer::failure(403, "forbidden"));
    let snapshot = read(&fake.live(), vec![want()]).await;
    assert_eq!(snapshot.outside, Outside::default());
    let gap = snapshot
        .gaps
        .iter()
        .find(|gap| gap.resource == "secrets")
        .unwrap();
    assert_eq!(
        (gap.verb.as_str(), &gap.reason),
        ("get", &GapReason::Forbidden)
    );
    assert_eq!(gap.name.as_deref(), Some("sh.helm.release.v1.web.v2"));
}

/// A ConfigMap of a release, edited after it was applied.
fn of_helm() -> Value {
    let mut map = crate::live::objects::config_map(
        "frontend-nginx",
        14_598,
        &[("default.conf", "x")],
        33,
        None,
    );
    map["metadata"]["annotations"] =
        json!({"meta.helm.sh/release-name": "web", "meta.helm.sh/release-namespace": NS});
    map
}

#[tokio::test]
async fn the_releases_of_an_edited_config_are_asked_for_by_themselves() {
    let fake = Fake::default();
    let held = |revision: u32| json!({"metadata": {"name": format!("sh.helm.release.v1.web.v{revision}"), "namespace": NS, "uid": "u", "resourceVersion": "1"}});
    fake.holds("configmaps", &[of_helm()])
        .holds("secrets", &[held(1), held(2), held(3), held(4)])
        .holds(
            "pods",
            &[
                crate::live::objects::pod("kt2jr", 25),
                crate::live::objects::pod("g5zrg", 34),
            ],
        )
        .holds("deployments", &[crate::live::objects::deployment()])
        .holds("replicasets", &[crate::live::objects::replica_set()]);
    let (snapshot, _) = collect(&fake.live(), &scope(), &|_| {}).await.unwrap();
    let asked: Vec<&str> = snapshot
        .asked
        .iter()
        .filter_map(|want| match want {
            Want::HelmRelease { holder, .. } => Some(holder.name.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(
        asked,
        [
            "sh.helm.release.v1.web.v2",
            "sh.helm.release.v1.web.v3",
            "sh.helm.release.v1.web.v4"
        ]
    );
}

#[tokio::test]
async fn a_live_cluster_is_joined_by_them_listed_and_watched() {
    let found = Found {
        config: config_ref("nginx"),
        content: Content::text([("port", "8080")]),
        origin: Origin::File {
            path: "old.yaml".to_owned(),
        },
        at: None,
    };
    let loaded = Loaded {
        outside: Outside {
            found: vec![found],
            ..Outside::default()
        },
        gaps: Vec::new(),
    };
    let fake = Fake::default();
    let live = fake
        .live()
        .with_outside(loaded.clone(), Some("/nonexistent/history".into()));
    let listed: Snapshot = live.lists(&scope(), &|_| {}).await.unwrap();
    assert_eq!(listed.outside, loaded.outside);
    // Where there is no history, nobody is asked which cluster this is.
    assert!(
        fake.urls().iter().all(|url| !url.contains("kube-system")),
        "{:?}",
        fake.urls()
    );
    assert_eq!(live.about().server, SERVER);
    let (sender, mut changes) = tokio::sync::mpsc::channel(64);
    let watching = tokio::spawn(async move { live.watch(&scope(), sender).await });
    loop {
        if let Change::Outside(told) = changes.recv().await.unwrap() {
            assert_eq!(told.outside, loaded.outside);
            break;
        }
    }
    watching.abort();
    assert_eq!(LISTS.len(), Kind::ALL.len());
}

#[tokio::test]
async fn the_dashboard_takes_them_in_when_they_are_told() {
    let mut desk = Desk::new(|_, want| panic!("nothing is wanted: {want:?}"));
    let found = Found {
        config: config_ref("nginx"),
        content: Content::text([("port", "8080")]),
        origin: Origin::File {
            path: "old.yaml".to_owned(),
        },
        at: None,
    };
    let loaded = Loaded {
        outside: Outside {
            found: vec![found],
            ..Outside::default()
        },
        gaps: Vec::new(),
    };
    desk.tell(Change::Outside(Box::new(loaded.clone()))).await;
    desk.lists(&snapshot()).await;
    let news = desk.settled().await;
    assert_eq!(news.facts.parts[0].outside, loaded.outside);
}
