//! The printed plans of every scenario are lines that a shell takes.

use std::io::Write;
use std::process::{Command, Stdio};

use confsplit::report::{PlanFormat, write_plans};
use confsplit::sim::scenario;

use super::cluster::Played;

/// What a shell says to text that it only reads.
fn complaint(text: &[u8]) -> Option<String> {
    let mut shell = Command::new("sh")
        .arg("-n")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    shell.stdin.take().unwrap().write_all(text).unwrap();
    let output = shell.wait_with_output().unwrap();
    (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

#[tokio::test(start_paused = true)]
async fn every_scenarios_plans_are_lines_that_a_shell_takes() {
    for name in scenario::names() {
        let (_, diagnosis) = Played::named(name).diagnose().await;
        let mut page = Vec::new();
        write_plans(PlanFormat::Commands, &diagnosis, &mut page).unwrap();
        let text = String::from_utf8(page).unwrap();
        // What is handed on is read by a shell of its own.
        let (first, rest) = text.split_once('\n').unwrap();
        let inside = rest.strip_suffix("CONFSPLIT\n").unwrap();
        assert_eq!(first, "sh /dev/fd/3 3<<'CONFSPLIT'", "{name}");
        for part in [&text, inside] {
            assert_eq!(complaint(part.as_bytes()), None, "{name}:\n{part}");
        }
    }
    assert!(complaint(b"if true; then\n").is_some(), "it would say so");
}
