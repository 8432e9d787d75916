//! `--logs-cmd`: what the kubelet has not of a log is read by a command, which is then what shows it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use confsplit::analysis::diagnose;
use confsplit::model::{GapReason, Log, PodRef, Snapshot, Want};
use confsplit::source::live::{Live, LogsCommand};
use tempfile::TempDir;

use super::fake::{Answer, Fake, list, read};
use super::objects::{line, pod};
use crate::build::NS;

const POD: &str = "frontend-76d98597b9-kt2jr";
const PATH: &str = "/api/v1/namespaces/shop/pods/frontend-76d98597b9-kt2jr/log";

fn wanted() -> Vec<Want> {
    vec![Want::Log {
        pod: PodRef {
            namespace: NS.to_owned(),
            name: POD.to_owned(),
            uid: format!("uid-{POD}"),
        },
        container: "nginx".to_owned(),
        previous: false,
    }]
}

/// A program that does this.
struct Store {
    folder: TempDir,
}

impl Store {
    fn doing(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my logs");
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        Self { folder }
    }

    fn command(&self, arguments: &str) -> Option<LogsCommand> {
        let path = self.folder.path().join("my logs");
        let text = format!("'{}' {arguments}", path.display());
        Some(text.parse().unwrap())
    }
}

/// A server with a pod whose container started at second 26, and the kubelet's answer for its log.
fn server(answer: Answer) -> Fake {
    let fake = Fake::default();
    fake.holds("pods", &[pod("kt2jr", 25)])
        .answers(PATH, answer);
    fake
}

fn reading(fake: &Fake, store: &Store) -> Live {
    fake.live()
        .with_logs_command(store.command("{namespace} {pod} {container} {since}"))
}

fn only(snapshot: &Snapshot) -> &Log {
    assert_eq!(snapshot.gaps, []);
    assert_eq!(snapshot.logs.len(), 1);
    &snapshot.logs[0]
}

#[tokio::test]
async fn lines_that_were_rotated_away_come_from_the_command() {
    let fake = server(Answer::text(&line(90, "after a rotation")));
    let store = Store::doing(
        "echo \"2026-10-02T20:35:26Z asked: $*\"; echo '2026-10-02T20:36:00Z between'; echo '2026-10-02T20:36:30.100827946Z after a rotation'",
    );
    let snapshot = read(&reading(&fake, &store), wanted()).await;
    let log = only(&snapshot);
    let texts: Vec<&str> = log.lines().map(|line| line.text).collect();
    assert_eq!(
        texts,
        [
            "asked: shop frontend-76d98597b9-kt2jr nginx 2026-10-02T20:35:26Z",
            "between",
            "after a rotation"
        ]
    );
    assert!(log.lines().all(|line| line.at.is_some()));
    assert!(!log.complete, "nobody knows whether the store has all");
    let missing = log.missing.as_deref().unwrap();
    assert!(
        missing.starts_with("the kubelet: no lines before 2026-10-02 20:36:30"),
        "{missing}"
    );
    assert!(
        missing.contains("2 lines, from 2026-10-02 20:35:26 on, came by the logs command"),
        "{missing}"
    );
    let from = log.from.as_ref().unwrap();
    assert!(!from.alone);
    let ours = "/my logs' shop frontend-76d98597b9-kt2jr nginx '2026-10-02T20:35:26Z'";
    let found = from
        .command
        .replace(" 2026-10-02T20:35:26Z", " '2026-10-02T20:35:26Z'");
    assert!(found.starts_with('\'') && found.ends_with(ours), "{found}");
}

#[tokio::test]
async fn a_log_that_is_whole_needs_no_command() {
    let fake = server(Answer::text(&line(26, "start")));
    let store = Store::doing("echo ran > \"$(dirname \"$0\")/ran\"");
    let snapshot = read(&reading(&fake, &store), wanted()).await;
    assert_eq!(only(&snapshot).from, None);
    assert!(!store.folder.path().join("ran").exists());
}

#[tokio::test]
async fn a_log_that_the_kubelet_has_not_at_all_is_the_commands_alone() {
    let fake = server(Answer::failure(404, "not found"));
    let store = Store::doing("echo '2026-10-02T20:35:30Z here'");
    let snapshot = read(&reading(&fake, &store), wanted()).await;
    let log = only(&snapshot);
    assert!(log.from.as_ref().unwrap().alone);
    let missing = log.missing.as_deref().unwrap();
    assert!(
        missing.starts_with("the kubelet gave none (not found); 1 line"),
        "{missing}"
    );
}

#[tokio::test]
async fn what_goes_wrong_with_the_command_is_said_beside_what_is_missing() {
    let fake = server(Answer::text(&line(90, "after a rotation")));
    let store = Store::doing("echo 'token=abcdefgh1234 refused' >&2; exit 2");
    let snapshot = read(&reading(&fake, &store), wanted()).await;
    let missing = only(&snapshot).missing.clone().unwrap();
    assert!(
        missing.contains("failed (exit status: 2): token=[credential] refused"),
        "{missing}"
    );
    assert_eq!(only(&snapshot).from, None);

    let fake = server(Answer::failure(403, "no"));
    let snapshot = read(&reading(&fake, &store), wanted()).await;
    assert_eq!(snapshot.logs, []);
    let GapReason::Bounded(why) = &snapshot.gaps[0].reason else {
        panic!("{:?}", snapshot.gaps);
    };
    assert!(
        why.starts_with("no permission: get pods/log; the logs command: "),
        "{why}"
    );
}

#[tokio::test]
async fn it_may_take_as_long_as_an_answer() {
    let fake = server(Answer::text(&line(90, "after a rotation")));
    let store = Store::doing("sleep 30");
    let live = fake
        .live_within(Duration::from_millis(600))
        .with_logs_command(store.command("{pod}"));
    let began = Instant::now();
    let snapshot = read(&live, wanted()).await;
    assert!(began.elapsed() < Duration::from_secs(10));
    let missing = only(&snapshot).missing.clone().unwrap();
    assert!(missing.contains("was not done in 1 s"), "{missing}");
}

#[tokio::test]
async fn a_great_output_is_cut_at_a_line_and_bad_bytes_are_replaced() {
    let fake = server(Answer::failure(404, "not found"));
    // Long lines, since each one takes its time.
    let long = format!("line {}", "x".repeat(4000));
    let store = Store::doing(&format!(
        "printf '2026-10-02T20:35:27Z \\377\\376 bytes\\n'; yes '2026-10-02T20:35:28Z {long}'"
    ));
    let snapshot = read(&reading(&fake, &store), wanted()).await;
    let log = only(&snapshot);
    assert_eq!(log.lines().next().unwrap().text, "\u{fffd}\u{fffd} bytes");
    assert_eq!(log.lines().next_back().unwrap().text, long);
    let missing = log.missing.as_deref().unwrap();
    assert!(
        missing.ends_with("it printed more than 8 MiB: the rest was let go"),
        "{missing}"
    );
}

#[tokio::test]
async fn a_value_of_a_secret_is_taken_out_of_it() {
    let secret = |version: u64| {
        serde_json::json!({
            "kind": "Secret", "apiVersion": "v1",
            "metadata": {"name": "db", "namespace": NS, "uid": "uid-db", "resourceVersion": version.to_string(),
                "creationTimestamp": "2026-10-02T20:30:00Z"},
            "data": {"password": "aHVudGVyMi1odW50ZXIy"}
        })
    };
    let fake = server(Answer::text(&line(90, "after a rotation")));
    fake.holds("secrets", &[secret(500)]).answers(
        "/api/v1/namespaces/shop/secrets/db",
        Answer::Json(secret(500)),
    );
    fake.on("/api/v1/namespaces/shop/secrets", move |_| {
        list(20_000, &[secret(500)])
    });
    let store = Store::doing("echo '2026-10-02T20:35:40Z joined as hunter2-hunter2 today'");
    let mut wants = wanted();
    wants.push(Want::SecretContent {
        config: confsplit::model::ConfigRef::new(confsplit::model::ConfigKind::Secret, NS, "db"),
    });
    let snapshot = read(&reading(&fake, &store), wants).await;
    let log = &snapshot.logs[0];
    assert!(log.from.is_some(), "{:?}", snapshot.gaps);
    let text = log.text.to_string();
    assert!(!text.contains("hunter2"), "{text}");
    assert!(
        text.contains("joined as [Secret db/password] today"),
        "{text}"
    );
}

#[tokio::test]
async fn the_evidence_of_a_log_line_names_the_command() {
    let mut with = super::whole::collected().await;
    for log in &mut with.logs {
        log.from = Some(confsplit::model::LogFrom {
            command: "mylogs 'x'".to_owned(),
            alone: log.pod.name.ends_with("g5zrg"),
        });
    }
    let commands: Vec<String> = diagnose(&with)
        .evidence
        .into_iter()
        .filter(|item| item.source.starts_with("Log of pod"))
        .map(|item| item.command)
        .collect();
    assert!(commands.iter().any(|c| c == "mylogs 'x'"), "{commands:?}");
    assert!(
        commands
            .iter()
            .all(|c| c == "mylogs 'x'" || c.starts_with("mylogs 'x'; kubectl ")),
        "{commands:?}"
    );
}
