//! Hardship on this machine: a disk that is full, no handles left, output that nobody takes, many keys at once.

mod served;
mod serving;

use std::fs::OpenOptions;
use std::process::{Command, Output, Stdio};

use crate::pty::terminal::{Terminal, captured};

fn diagnose(stdout: Stdio) -> Output {
    let (_folder, file) = captured();
    let mut command = Command::new(env!("CARGO_BIN_EXE_confsplit"));
    command.args(["diagnose", "-o", "json", "--from"]).arg(file);
    command.env_clear().stdout(stdout).stderr(Stdio::piped());
    command.spawn().unwrap().wait_with_output().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_no_disk_takes_is_an_error_with_its_cause() {
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = diagnose(full.into());
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(
        said.contains("Standard output could not be written."),
        "{said}"
    );
    assert!(said.contains("No space left on device"), "{said}");
}

#[test]
fn a_report_that_nobody_reads_keeps_its_exit_code_and_says_nothing() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = diagnose(writer.into());
    assert_eq!(output.status.code(), Some(1), "there is an incident");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn without_a_home_a_capture_is_diagnosed_as_ever() {
    // `diagnose` clears the environment: there is neither HOME nor PATH.
    let output = diagnose(Stdio::piped());
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.starts_with(b"{"), "a report");
}

#[test]
fn an_export_beyond_what_may_be_written_is_told_and_the_dashboard_goes_on() {
    let mut terminal = Terminal::limited("ulimit -f 0", "");
    terminal.wait_for("[1 Timeline]");
    terminal.press("e3");
    terminal.wait_for("File too large");
    let left: Vec<_> = std::fs::read_dir(terminal.folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains("20261002T2037Z"))
        .collect();
    assert_eq!(left, Vec::<String>::new(), "no half of an export is left");
    terminal.press("2");
    terminal.wait_for("[2 Replicas]");
    terminal.end();
}

#[test]
fn an_export_into_a_place_that_takes_no_files_is_told_and_the_dashboard_goes_on() {
    let mut terminal = Terminal::open_with(100, 30, "export = \"/proc/none\"\n");
    terminal.wait_for("[1 Timeline]");
    terminal.press("e3");
    terminal.wait_for("/proc/none");
    assert!(
        !terminal.shown().contains("Written:"),
        "{}",
        terminal.shown()
    );
    terminal.press("2");
    terminal.wait_for("[2 Replicas]");
    terminal.end();
}

#[test]
fn without_file_handles_it_ends_with_a_cause_and_gives_the_terminal_back() {
    let mut terminal = Terminal::limited("ulimit -n 8", "");
    assert_eq!(terminal.ended(), 3);
    terminal.wait_for("Too many open files");
    terminal.wait_for("error: ");
    let shown = terminal.shown();
    assert!(!shown.contains("panicked"), "{shown}");
    let taken = terminal.parser.lock().unwrap().screen().alternate_screen();
    assert!(!taken, "the main screen");
}

#[test]
fn four_hundred_keys_at_once_are_all_taken_in_their_order() {
    let mut terminal = Terminal::open(80, 24);
    terminal.wait_for("[1 Timeline]");
    terminal.press(&format!("{}5", "j2k1".repeat(100)));
    terminal.wait_for("[5 Evidence]");
    terminal.end();
}
