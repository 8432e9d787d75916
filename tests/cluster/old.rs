//! Old contents from outside the API: what `record` keeps of a real server's watch, and what its audit log tells of the same writes.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use confsplit::capture;
use confsplit::model::{Content, Outside};
use serde_json::json;

use crate::manifests::{config_map, deployment, env_from, pod, silent};
use crate::place::{Place, some_seconds_pass};
use crate::program::{kubeconfig, run_in};

/// A write is on screen long before; a busy machine may start a program late.
const PATIENCE: Duration = Duration::from_secs(60);

/// The audit log of the cluster under test, at level RequestResponse for ConfigMaps.
fn audit_log() -> PathBuf {
    std::env::var_os("CONFSPLIT_TEST_AUDIT")
        .expect("CONFSPLIT_TEST_AUDIT names the audit log of the cluster under test")
        .into()
}

/// A program that records, and the lines that it prints.
struct Recording {
    child: Child,
    lines: Receiver<String>,
}

impl Recording {
    fn start(namespace: &str, store: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_confsplit"))
            .args(["-n", namespace, "record", "cm/flags", "--store"])
            .arg(store)
            .env("KUBECONFIG", kubeconfig())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let (sender, lines) = channel();
        let out = BufReader::new(child.stdout.take().expect("its output"));
        std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self { child, lines }
    }

    /// The next version that is on disk: its number, and what is said of it.
    fn next(&self) -> (String, String) {
        loop {
            let line = self.lines.recv_timeout(PATIENCE).expect("a line comes");
            let words: Vec<&str> = line.split_whitespace().collect();
            if let [_, "flags", version, _, said @ ..] = &words[..] {
                return ((*version).to_owned(), said.join(" "));
            }
        }
    }

    /// As nothing ends more suddenly.
    fn kill(mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it is over");
    }
}

/// What a run reads of old contents, by its capture.
fn outside(namespace: &str, flags: &[&str]) -> Outside {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("x.capture");
    let path = file.to_str().expect("UTF-8");
    let arguments = [&["-n", namespace, "diagnose", "--capture", path], flags].concat();
    let ran = run_in(&kubeconfig(), &[], &arguments);
    assert!(ran.code.is_some_and(|code| code < 3), "{}", ran.stderr);
    let replayed = run_in(&kubeconfig(), &[], &["diagnose", "--from", path]);
    assert_eq!(ran.stdout, replayed.stdout);
    capture::open(&file).expect("a capture").snapshot.outside
}

fn mode(content: Option<&Content>) -> Option<&str> {
    content.and_then(|content| content.get_text("MODE"))
}

#[test]
fn every_revision_is_kept_through_a_kill() {
    let place = Place::new("confsplit-record");
    let store = tempfile::tempdir().expect("a folder");
    place.kubectl(&["create", "configmap", "flags", "--from-literal=MODE=blue"]);
    let recording = Recording::start(place.name(), store.path());
    let (blue, said) = recording.next();
    assert_eq!(said, "first seen");
    place.patch("flags", &json!({"MODE": "green"}));
    let (green, said) = recording.next();
    assert_eq!(said, format!("follows {blue}"));
    // Labels are no revision.
    place.kubectl(&["label", "configmap", "flags", "a=b"]);
    place.patch("flags", &json!({"MODE": "red"}));
    let (red, said) = recording.next();
    assert_eq!(said, format!("follows {green}"));
    recording.kill();
    place.patch("flags", &json!({"MODE": "white"}));
    let again = Recording::start(place.name(), store.path());
    let (white, said) = again.next();
    assert_eq!(said, "what was between is not known");
    again.kill();
    let named = store.path().to_str().expect("UTF-8");
    let outside = outside(place.name(), &["--store", named]);
    let kept: Vec<_> = outside
        .kept
        .iter()
        .map(|kept| {
            let mode = mode(kept.config.content.as_ref()).unwrap_or_default();
            (
                &*kept.config.resource_version,
                mode,
                kept.follows.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        kept,
        [
            (&*blue, "blue", None),
            (&*green, "green", Some(&*blue)),
            (&*red, "red", Some(&*green)),
            (&*white, "white", None),
        ]
    );
}

#[test]
fn the_audit_log_tells_who_wrote_what() {
    let place = Place::new("confsplit-audit");
    place.kubectl(&["create", "configmap", "flags", "--from-literal=MODE=blue"]);
    place.kubectl(&[
        "create",
        "secret",
        "generic",
        "db",
        "--from-literal=pw=hunter2",
    ]);
    let rehearsed = [
        "patch",
        "configmap",
        "flags",
        "--type=merge",
        "-p",
        "{\"data\":{\"MODE\":\"no\"}}",
        "--dry-run=server",
    ];
    place.kubectl(&rehearsed);
    assert!(
        place.tried(&["create", "configmap", "flags"]).is_err(),
        "it is there already"
    );
    place.patch("flags", &json!({"MODE": "green"}));
    let version = place.kubectl(&[
        "get",
        "configmap",
        "flags",
        "-o",
        "jsonpath={.metadata.resourceVersion}",
    ]);
    let log = audit_log();
    let log = log.to_str().expect("UTF-8");
    // The server writes it down a moment later.
    let end = std::time::Instant::now() + PATIENCE;
    let outside = loop {
        let outside = outside(place.name(), &["--audit", log]);
        let last = outside.audited.last();
        if last.is_some_and(|write| write.resource_version.as_ref() == Some(&version)) {
            break outside;
        }
        assert!(std::time::Instant::now() < end, "{:?}", outside.audited);
    };
    let flags = outside
        .audited
        .iter()
        .filter(|write| write.config.name == "flags");
    let told: Vec<_> = flags
        .map(|write| {
            let manager = write.field_manager.as_deref().unwrap_or_default();
            (&*write.verb, mode(write.content.as_ref()), manager)
        })
        .collect();
    assert_eq!(
        told,
        [
            ("create", Some("blue"), "kubectl-create"),
            ("patch", Some("green"), "kubectl-patch")
        ]
    );
    for write in &outside.audited {
        assert!(!write.user.is_empty() && write.at.is_some(), "{write:?}");
        assert_eq!(write.config.namespace, place.name());
    }
    assert!(
        outside
            .audited
            .iter()
            .any(|write| write.config.name == "db" && write.content.is_none())
    );
    assert!(!format!("{outside:?}").contains("hunter2"));
}

/// Edited as by `get -o json | sed | apply`, which leaves nothing of what was there before.
fn fetched_and_applied(place: &Place, mode: &str) {
    let text = place.kubectl(&["get", "configmap", "flags", "-o", "json"]);
    let mut object: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    object["data"]["MODE"] = mode.into();
    place.send(&["apply", "-f", "-"], &object);
}

#[test]
fn later_what_was_recorded_is_recovered() {
    let place = Place::new("confsplit-recovered");
    let store = tempfile::tempdir().expect("a folder");
    let container = silent(env_from("flags"));
    place.apply(&[
        config_map("flags", &json!({"MODE": "blue"})),
        deployment("app", 2, pod(json!([container]))),
    ]);
    place.ready(&[("app", 2)]);
    let recording = Recording::start(place.name(), store.path());
    recording.next();
    some_seconds_pass();
    fetched_and_applied(&place, "green");
    recording.next();
    recording.kill();
    some_seconds_pass();
    place.replace_one("app", 2);
    place.wait_until_forgotten("flags");
    let named = store.path().to_str().expect("UTF-8");
    let arguments = [
        "-n",
        place.name(),
        "diagnose",
        "-o",
        "json",
        "--store",
        named,
    ];
    let report = run_in(&kubeconfig(), &[], &arguments).report(1);
    let replicas = &report.incident()["replicas"];
    assert_eq!(report.codes()[0], "split-replicas", "{replicas:#}");
    let before = &report.incident()["revisions"][0];
    let source = before["content_source"].as_str().expect("a source");
    assert!(source.starts_with("versions kept in "), "{source}");
    let cause = report.incident()["findings"][0]["sentence"].as_str();
    assert!(
        cause.is_some_and(|cause| cause.contains("MODE blue → green")),
        "{cause:?}"
    );
}
