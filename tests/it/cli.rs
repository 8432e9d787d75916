//! The program as it is called: what it prints, where, and with which code it ends.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use confsplit::analysis::{self, Diagnosis};
use confsplit::capture;
use confsplit::model::{Cluster, Scope, Snapshot};
use confsplit::report::{self, Charset, Format};
use confsplit::runtime::commands::Outcome;

use crate::reports::fixture;

/// Runs it away from every cluster that this machine may know.
fn confsplit(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_confsplit"))
        .args(args)
        .env("KUBECONFIG", "/nonexistent/kubeconfig")
        .env("COLUMNS", "100")
        .env("XDG_CONFIG_HOME", "/nonexistent")
        .env_remove("CONFSPLIT_CONFIG")
        .output()
        .unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn quiet_cluster() -> Snapshot {
    let cluster = Cluster {
        flags: None,
        context: Some("kind-a".to_owned()),
        server: "https://127.0.0.1:6443".to_owned(),
        version: None,
    };
    let scope = Scope {
        namespace: Some("shop".to_owned()),
        ..Scope::default()
    };
    Snapshot::empty(cluster, scope, fixture::at("20:38:40"))
}

fn capture_in(directory: &Path) -> PathBuf {
    let path = directory.join("shop.capture");
    capture::save(&quiet_cluster(), &path, false).unwrap();
    path
}

#[test]
fn help_of_the_program() {
    let output = confsplit(&["--help"]);
    assert_eq!(code(&output), 0);
    insta::assert_snapshot!(stdout(&output));
}

#[test]
fn help_of_diagnose() {
    let output = confsplit(&["diagnose", "--help"]);
    assert_eq!(code(&output), 0);
    insta::assert_snapshot!(stdout(&output));
}

#[test]
fn the_version_is_the_packages() {
    let output = confsplit(&["--version"]);
    assert_eq!(code(&output), 0);
    assert_eq!(
        stdout(&output),
        format!("confsplit {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn wrong_usage_ends_with_3_and_says_what_is_right() {
    for (args, said) in [
        (vec!["diagnos"], "neither a command nor TYPE/NAME"),
        (vec!["diagnose", "node/x"], "TYPE is one of: configmap (cm)"),
        (vec!["diagnose", "-o", "yaml"], "text, json, markdown"),
        (
            vec!["diagnose", "--from", "x", "-n", "shop"],
            "--namespace cannot be used with it",
        ),
        (vec!["capture"], "--output <FILE>"),
        (vec!["--request-timeout", "soon"], "10s, 1m30s or 500ms"),
    ] {
        let output = confsplit(&args);
        assert_eq!(code(&output), 3, "{args:?}");
        let text = stderr(&output);
        assert!(
            text.starts_with("error: ") && text.contains(said),
            "{args:?}: {text}"
        );
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn a_file_that_is_no_capture_ends_with_3_and_a_hint() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("notes.txt");
    std::fs::write(&path, "hello").unwrap();
    let path = path.to_str().unwrap();
    for args in [vec!["diagnose", "--from", path], vec!["open", path]] {
        let output = confsplit(&args);
        assert_eq!(code(&output), 3);
        let text = stderr(&output);
        let lines: Vec<&str> = text.lines().collect();
        let expected =
            format!("error: {path}: The file is not a capture: it is not compressed with gzip.");
        assert_eq!(lines[0], expected);
        assert!(lines[1].starts_with("hint: Give a file that"), "{text}");
    }
    let output = confsplit(&["diagnose", "--from", "/no/such/file"]);
    assert_eq!(code(&output), 3);
    assert!(stderr(&output).contains("/no/such/file: The capture could not be read"));
}

#[test]
fn a_name_in_an_error_cannot_reach_the_terminal() {
    let output = confsplit(&["diagnose", "--from", "\u{1b}[2Jx"]);
    assert_eq!(code(&output), 3);
    assert!(
        stderr(&output).starts_with("error: ^[[2Jx: "),
        "{}",
        stderr(&output)
    );
}

#[test]
fn the_report_on_a_capture_is_the_librarys() {
    let directory = tempfile::tempdir().unwrap();
    let path = capture_in(directory.path());
    let diagnosis = analysis::diagnose(&quiet_cluster());
    for (name, format) in [
        ("text", Format::Text),
        ("json", Format::Json),
        ("markdown", Format::Markdown),
    ] {
        let output = confsplit(&["diagnose", "--from", path.to_str().unwrap(), "-o", name]);
        let mut expected = Vec::new();
        report::write(format, Charset::Unicode, &diagnosis, &mut expected).unwrap();
        assert_eq!(stdout(&output), String::from_utf8(expected).unwrap());
        assert_eq!(code(&output), i32::from(Outcome::of(&diagnosis).code()));
        assert!(output.stderr.is_empty(), "{}", stderr(&output));
    }
}

#[test]
fn the_code_says_what_was_found() {
    let of = |diagnosis: &Diagnosis| Outcome::of(diagnosis).code();
    let mut clear = fixture::nothing_wrong();
    assert_eq!(of(&clear), 0);
    clear.weakened = true;
    assert_eq!(of(&clear), 2);
    let mut incident = fixture::partial_restart();
    assert_eq!(of(&incident), 1);
    incident.weakened = true;
    assert_eq!(of(&incident), 1);
}

#[test]
fn a_capture_that_would_replace_a_file_is_refused_before_anything_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = capture_in(directory.path());
    let path = path.to_str().unwrap();
    for args in [
        vec!["capture", "-o", path],
        vec!["diagnose", "--capture", path],
    ] {
        let output = confsplit(&args);
        assert_eq!(code(&output), 3);
        let expected = format!(
            "error: {path} exists already.\nhint: Choose another name, or give --force to replace it.\n"
        );
        assert_eq!(stderr(&output), expected);
    }
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    let directory = tempfile::tempdir().unwrap();
    let path = capture_in(directory.path());
    let mut child = Command::new(env!("CARGO_BIN_EXE_confsplit"))
        .args(["diagnose", "--from", path.to_str().unwrap()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The reader goes away before the first byte.
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(stderr(&output), "");
    assert!(code(&output) < 3, "{}", code(&output));
}

#[cfg(unix)]
#[test]
fn as_a_plugin_it_calls_itself_what_was_typed() {
    let directory = tempfile::tempdir().unwrap();
    let plugin = directory.path().join("kubectl-confsplit");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_confsplit"), &plugin).unwrap();
    let output = Command::new(plugin).arg("--help").output().unwrap();
    let text = stdout(&output);
    assert!(text.contains("Usage: kubectl confsplit"), "{text}");
    assert!(text.contains("\n  kubectl confsplit -n shop"), "{text}");
}

#[test]
fn a_fault_in_the_settings_ends_with_3_and_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let file = capture_in(folder.path());
    let open = |variable: &str, value: &Path| {
        Command::new(env!("CARGO_BIN_EXE_confsplit"))
            .args([Path::new("open"), &file])
            .env("XDG_CONFIG_HOME", "/nonexistent")
            .env(variable, value)
            .stdin(Stdio::null())
            .output()
            .unwrap()
    };
    let usual = folder.path().join("confsplit");
    std::fs::create_dir(&usual).unwrap();
    let settings = usual.join("config.toml");
    std::fs::write(&settings, "mouse = true\ntheme = \"drak\"\n").unwrap();
    for output in [
        open("XDG_CONFIG_HOME", folder.path()),
        open("CONFSPLIT_CONFIG", &settings),
    ] {
        assert_eq!(code(&output), 3);
        let said = stderr(&output);
        assert!(
            said.contains("config.toml, line 2, column 9 are wrong"),
            "{said}"
        );
        assert!(
            said.contains("expected one of `auto`, `dark`, `light`, `mono`"),
            "{said}"
        );
        assert!(said.contains("hint: "), "{said}");
    }
    // A file that is named has to be there; the usual one need not.
    let said = stderr(&open("CONFSPLIT_CONFIG", &folder.path().join("gone")));
    assert!(
        said.contains("gone could not be read")
            && said.contains("CONFSPLIT_CONFIG names this file"),
        "{said}"
    );
    let said = stderr(&open("XDG_CONFIG_HOME", &folder.path().join("gone")));
    assert!(said.contains("needs a terminal"), "{said}");
    // What writes a report for a script does not depend on them.
    let report = Command::new(env!("CARGO_BIN_EXE_confsplit"))
        .args([Path::new("diagnose"), Path::new("--from"), &file])
        .env("CONFSPLIT_CONFIG", &settings)
        .output()
        .unwrap();
    assert_ne!(code(&report), 3, "{}", stderr(&report));
}
