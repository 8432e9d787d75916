//! `confsplit signals` as it is called: what it reads, what it prints, how it ends, and how little memory it takes.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

const LINE: &str = "Error: connect ECONNREFUSED 10.96.0.7:8000\n";

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_confsplit"));
    command
        .arg("signals")
        .args(args)
        .env("COLUMNS", "100")
        .env("CONFSPLIT_CONFIG", "/nonexistent")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn run(args: &[&str]) -> Output {
    command(args).output().unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Runs it on what a writer sends through a pipe.
fn piped(args: &[&str], write: impl FnOnce(&mut dyn Write)) -> Output {
    let mut child = command(args).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    write(&mut input);
    drop(input);
    child.wait_with_output().unwrap()
}

fn json(output: &Output) -> serde_json::Value {
    assert_eq!(code(output), 0, "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn help_of_signals() {
    let output = run(&["--help"]);
    assert_eq!(code(&output), 0);
    insta::assert_snapshot!(text(&output.stdout));
}

#[test]
fn it_reads_a_file_standard_input_and_gzip_alike() {
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("app.log");
    std::fs::write(&plain, LINE.repeat(3)).unwrap();
    let zipped = folder.path().join("app.log.1");
    let mut out =
        flate2::write::GzEncoder::new(File::create(&zipped).unwrap(), flate2::Compression::fast());
    out.write_all(LINE.repeat(3).as_bytes()).unwrap();
    out.finish().unwrap();
    let all = [
        run(&["-o", "json", &plain.to_string_lossy()]),
        run(&["-o", "json", &zipped.to_string_lossy()]),
        piped(&["-o", "json"], |input| {
            input.write_all(LINE.repeat(3).as_bytes()).unwrap()
        }),
        piped(&["-o", "json", "-"], |input| {
            input.write_all(LINE.repeat(3).as_bytes()).unwrap()
        }),
    ];
    for output in &all {
        let found = json(output);
        assert_eq!(found["schema"], "confsplit.signals/v1");
        assert_eq!(found["log"]["lines"], 3);
        assert_eq!(found["signals"][0]["count"], 3);
        assert_eq!(found["signals"][0]["text"], "10.96.0.7:8000");
        assert_eq!(found["signals"][0]["extractor"], "node-connect");
        // A time that is not there is not made up.
        assert!(found["signals"][0]["first"].is_null());
        assert_eq!(found["not_read"]["telling_lines_without_time"], 3);
    }
}

#[test]
fn nothing_found_is_no_error_and_said() {
    for input in ["", "nothing of interest\n"] {
        let output = piped(&[], |pipe| pipe.write_all(input.as_bytes()).unwrap());
        assert_eq!(code(&output), 0);
        assert!(text(&output.stdout).contains("No extractor found anything"));
    }
}

#[test]
fn what_cannot_be_read_ends_with_3_and_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    for (path, why) in [
        (folder.path().join("none"), "No such file"),
        (folder.path().to_owned(), "directory"),
    ] {
        let output = run(&[&path.to_string_lossy()]);
        assert_eq!(code(&output), 3);
        let said = text(&output.stderr);
        assert!(said.contains(why) && said.contains("hint: "), "{said}");
    }
    // No cluster is asked, so none may be named.
    let output = run(&["-n", "shop", "x"]);
    assert_eq!(code(&output), 3);
    assert!(text(&output.stderr).contains("--namespace cannot be used with it"));
}

#[test]
fn a_gzip_that_ends_too_early_is_shown_as_far_as_it_goes_and_is_an_error() {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    out.write_all(LINE.repeat(1_000).as_bytes()).unwrap();
    let whole = out.finish().unwrap();
    let output = piped(&[], |pipe| {
        pipe.write_all(&whole[..whole.len() - 100]).unwrap()
    });
    assert_eq!(code(&output), 3);
    assert!(text(&output.stdout).contains("10.96.0.7:8000"));
    assert!(text(&output.stdout).contains("It was not read to its end"));
    assert!(text(&output.stderr).contains("could not be read to its end"));
}

#[test]
fn it_does_not_wait_for_somebody_to_type_a_log() {
    let pty = native_pty_system().openpty(PtySize::default()).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_confsplit"));
    command.arg("signals");
    let mut child = pty.slave.spawn_command(command).unwrap();
    drop(pty.slave);
    let mut screen = String::new();
    // The terminal's end is an error on some systems, after what was written.
    drop(
        pty.master
            .try_clone_reader()
            .unwrap()
            .read_to_string(&mut screen),
    );
    assert_eq!(child.wait().unwrap().exit_code(), 3);
    assert!(
        screen.contains("standard input is a terminal") && screen.contains("hint: "),
        "{screen}"
    );
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let mut child = command(&["--list"]).spawn().unwrap();
    let mut first = String::new();
    BufReader::with_capacity(64, child.stdout.take().unwrap())
        .read_line(&mut first)
        .unwrap();
    assert!(first.starts_with("Extractors"));
    let output = child.wait_with_output().unwrap();
    assert_eq!((code(&output), text(&output.stderr).as_str()), (0, ""));
}

#[test]
fn a_pipe_with_a_name_is_read_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("fifo");
    let made = Command::new("mkfifo").arg(&fifo).status().unwrap();
    assert!(made.success());
    let child = command(&["-o", "json", &fifo.to_string_lossy()])
        .spawn()
        .unwrap();
    let mut pipe = File::options().write(true).open(&fifo).unwrap();
    for part in LINE.repeat(100).as_bytes().chunks(13) {
        pipe.write_all(part).unwrap();
    }
    drop(pipe);
    assert_eq!(
        json(&child.wait_with_output().unwrap())["signals"][0]["count"],
        100
    );
}

/// The most memory that a process has taken, in bytes.
#[cfg(target_os = "linux")]
fn most_memory(child: &Child) -> u64 {
    let status = std::fs::read_to_string(
        Path::new("/proc")
            .join(child.id().to_string())
            .join("status"),
    )
    .unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    line.split_whitespace()
        .nth(1)
        .unwrap()
        .parse::<u64>()
        .unwrap()
        * 1_024
}

/// Forty megabytes in hostile shapes: requests with ids without end, a line that never ends, bytes of all kinds.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_log() {
    let mut child = command(&["-o", "json"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut chunk = String::new();
    let (mut early, mut requests) = (0, 0);
    for round in 0..24 {
        chunk.clear();
        while chunk.len() < 1 << 20 {
            chunk.push_str(&format!(
                "2026-11-30T07:34:49.{requests:09}Z 10.0.0.9 - - [30/Nov/2026:07:34:49 +0000] \"GET /a{requests}z/b?x HTTP/1.1\" 500 1 \"-\" \"c\"\nconnect ECONNREFUSED host-{requests}:80\n"
            ));
            requests += 1;
        }
        input.write_all(chunk.as_bytes()).unwrap();
        if round == 8 {
            early = most_memory(&child);
        }
    }
    let bytes: Vec<u8> = (0..=255)
        .filter(|b| *b != b'\n')
        .cycle()
        .take(1 << 20)
        .collect();
    for _ in 0..16 {
        input.write_all(&bytes).unwrap();
    }
    let late = most_memory(&child);
    drop(input);
    let found = json(&child.wait_with_output().unwrap());
    // Of each line it would be some bytes, if anything of it were kept.
    assert!(
        late < early + (5 << 19) && late < 80 << 20,
        "{early} then {late} bytes"
    );
    let answers: u64 = found["routes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|route| route["total"].as_u64().unwrap())
        .sum();
    assert_eq!(answers, requests);
    assert_eq!(found["not_read"]["lines_cut"], 1);
    assert_eq!(found["not_read"]["lines_not_utf8"], 1);
}
