//! Each parser of foreign text with what it is fed. What it answers is not looked at, but made and shown where it has words.

use std::ffi::OsString;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use confsplit::analysis::{Tally, Wrapped, diagnose};
use confsplit::app::filter::Filter;
use confsplit::capture;
use confsplit::cli;
use confsplit::cli::settings::Settings;
use confsplit::source::live::{ConnectOptions, Live};
use confsplit::source::outside::{About, Given};
use confsplit::text::harmless;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

use crate::campaign::run;
use crate::samples;

fn zipped(bytes: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn now() -> chrono::DateTime<chrono::Utc> {
    "2026-11-30T08:00:00Z".parse().unwrap()
}

/// Reads a file that a flag names.
fn outside(input: &[u8], name: &str, given: impl Fn(PathBuf) -> Given) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, input).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let loaded = runtime
        .unwrap()
        .block_on(given(path).load(About::default()));
    if let Err(error) = loaded {
        assert!(!error.message.is_empty());
    }
}

fn audit(path: PathBuf) -> Given {
    Given {
        audit: vec![path],
        ..Given::default()
    }
}

fn previous(path: PathBuf) -> Given {
    Given {
        previous: vec![path],
        ..Given::default()
    }
}

#[test]
fn logs() {
    run("logs", &samples::logs(), |input| {
        let (mut wrapped, mut tally) = (Wrapped::default(), Tally::default());
        for lines in input.split_inclusive(|b| *b == b'\n') {
            tally.take(&wrapped.unwrap(lines));
        }
        tally.take(&wrapped.rest());
        for item in tally.items() {
            assert!(harmless(&item.line).chars().all(|c| c != '\u{1b}'));
        }
        drop((tally.routes(), tally.span()));
    });
}

#[test]
fn captures() {
    let mut plain = Vec::new();
    let shipped = samples::capture();
    MultiGzDecoder::new(&shipped[..])
        .read_to_end(&mut plain)
        .unwrap();
    run("captures", &[plain], |input| {
        if let Ok(opened) = capture::read(&zipped(input)[..]) {
            drop(diagnose(&opened.snapshot));
        }
    });
}

#[test]
fn captures_damaged_as_files() {
    run(
        "captures_damaged_as_files",
        &[samples::capture()],
        |input| {
            drop(capture::read(input));
        },
    );
}

#[test]
fn audit_logs() {
    run("audit_logs", &samples::audit(), |input| {
        outside(input, "audit.log", audit)
    });
}

#[test]
fn audit_logs_zipped() {
    run("audit_logs_zipped", &samples::audit(), |input| {
        outside(&zipped(input), "audit.log.gz", audit);
    });
}

#[test]
fn manifests() {
    run("manifests", &samples::manifests(), |input| {
        outside(input, "old.yaml", previous)
    });
}

#[test]
fn kubeconfigs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    run("kubeconfigs", &samples::kubeconfigs(), |input| {
        fs::write(&path, input).unwrap();
        let options = ConnectOptions {
            kubeconfig: Some(path.clone()),
            ..ConnectOptions::default()
        };
        let _inside = runtime.enter();
        drop(Live::connect(&options, now));
    });
}

#[test]
fn settings() {
    run("settings", &samples::settings(), |input| {
        drop(Settings::parse(
            &String::from_utf8_lossy(input),
            Path::new("settings.toml"),
        ));
    });
}

/// Words of a command line, one a line.
#[test]
fn command_lines() {
    run("command_lines", &samples::command_lines(), |input| {
        let text = String::from_utf8_lossy(input);
        let words = text
            .lines()
            .map(|word| OsString::from(word.replace('\0', "")));
        if let Err(error) = cli::parse(words) {
            drop(error.to_string());
        }
    });
}

#[test]
fn filters() {
    let row = "frontend-g5zrg  revision 2  GET /api/items 35 of 35 👩‍🚀 \u{202e}x";
    run("filters", &samples::filters(), |input| {
        let filter = Filter::new(&String::from_utf8_lossy(input));
        let found = filter.found(row);
        assert!(found.iter().all(|range| row.get(range.clone()).is_some()));
        filter.matches(row);
    });
}
