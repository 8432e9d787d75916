//! Captures: nothing is lost, nothing that is damaged goes unnoticed, and no Secret leaves in clear.

mod rich;

use std::io::{Read, Write};

use confsplit::analysis;
use confsplit::capture::{self, OpenError, Opened};
use confsplit::model::{Cluster, Content, GapReason, LastApplied, Scope, Snapshot, Target, Want};
use confsplit::report::{Charset, Format};
use confsplit::runtime::collect::collect;
use confsplit::source::Source;
use confsplit::source::replay::Replay;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use rich::{config, log, secret, snapshot};

fn write(snapshot: &Snapshot) -> Vec<u8> {
    let mut out = Vec::new();
    capture::write(snapshot, &mut out).unwrap();
    out
}

fn read(bytes: &[u8]) -> Opened {
    capture::read(bytes).unwrap()
}

/// What `zcat` prints.
fn unpack(bytes: &[u8]) -> String {
    let mut text = String::new();
    GzDecoder::new(bytes).read_to_string(&mut text).unwrap();
    text
}

fn pack(text: &str) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(text.as_bytes()).unwrap();
    out.finish().unwrap()
}

fn empty() -> Snapshot {
    let mut empty = snapshot();
    empty.cluster.context = None;
    empty.cluster.version = None;
    empty.scope = Scope::default();
    Snapshot::empty(empty.cluster, empty.scope, empty.taken_at)
}

/// The one gap that opening the file added, in words.
fn damage(opened: &Opened) -> String {
    let mut added = opened
        .snapshot
        .gaps
        .iter()
        .filter(|gap| gap.resource == "capture");
    let Some(gap) = added.next() else {
        panic!("the damage went unnoticed");
    };
    assert_eq!((gap.verb.as_str(), added.next()), ("read", None));
    match &gap.reason {
        GapReason::Capture(text) => text.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn everything_comes_back() {
    for target in [
        None,
        Some(Target::Service {
            name: "api".to_owned(),
        }),
        Some(Target::Workload {
            kind: "Deployment".to_owned(),
            name: "frontend".to_owned(),
        }),
    ] {
        let mut rich = snapshot();
        rich.scope.target = target;
        assert!(read(&write(&rich)).snapshot == rich, "not the same");
    }
    assert_eq!(read(&write(&empty())).snapshot, empty());
}

#[test]
fn the_same_snapshot_gives_the_same_bytes() {
    let first = write(&snapshot());
    assert!(first == write(&snapshot()), "two writes differ");
    let again = write(&read(&first).snapshot);
    assert!(first == again, "a copy of a copy differs");
}

#[test]
fn it_is_gzip_over_lines_of_json_that_count_themselves() {
    let text = unpack(&write(&snapshot()));
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[0]["confsplit_capture"], 1);
    assert_eq!(lines[0]["taken_at"], "2026-10-02T20:35:26.123456789Z");
    assert_eq!(lines[0]["withheld"][0]["what"], "values of Secrets");
    assert_eq!(lines[1]["config"]["reference"]["name"], "a");
    let end = &lines[lines.len() - 1]["end"];
    assert_eq!(end["records"], lines.len() - 2);
    let before = text.rfind("{\"end\"").unwrap();
    let sum = <sha2::Sha256 as sha2::Digest>::digest(&text.as_bytes()[..before]);
    let sum: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(end["sha256"], sum);
}

#[test]
fn a_log_as_long_as_any_and_all_of_it_escaped_fits() {
    let mut snapshot = empty();
    snapshot.logs.push(log("\u{1}".repeat(8 << 20)));
    assert!(read(&write(&snapshot)).snapshot == snapshot, "not the same");
}

#[test]
fn a_secret_in_clear_is_withheld_and_named() {
    let mut leaky = empty();
    let clear = Content::text([("password", "hunter2")]);
    let mut first = config(secret(), Some(clear.clone()));
    first.last_applied = Some(LastApplied {
        content: clear.clone(),
        resource_version: None,
    });
    leaky.configs = crate::build::shared(vec![first]);
    leaky.earlier = snapshot().earlier;
    leaky.earlier[0].reference = secret();
    leaky.earlier[0].versions = vec![config(secret(), Some(clear))];
    let bytes = write(&leaky);
    assert!(
        !unpack(&bytes).contains("hunter2"),
        "the value is in the file"
    );
    let opened = read(&bytes);
    assert_eq!(opened.snapshot.configs[0].content, None);
    assert_eq!(opened.snapshot.configs[0].last_applied, None);
    assert_eq!(opened.snapshot.earlier[0].versions[0].content, None);
    let named = opened.withheld.last().map(|w| w.what.as_str());
    assert_eq!(named, Some("content of Secret/db in namespace shop"));
}

#[test]
fn what_is_no_capture_is_refused_with_what_to_do() {
    let header = unpack(&write(&empty())).lines().next().unwrap().to_owned();
    let newer = header.replacen(
        "\"confsplit_capture\":1",
        "\"confsplit_capture\":2,\"x\":0",
        1,
    );
    let strange = header.replacen("\"program\"", "\"programme\"", 1);
    let cases: Vec<(Vec<u8>, &str, &str)> = vec![
        (b"".to_vec(), "ends before its first line", "copy it again"),
        (
            header.clone().into_bytes(),
            "not compressed with gzip",
            "compress it again",
        ),
        (
            pack("hello\n"),
            "first line is not the header",
            "capture -o FILE",
        ),
        (
            pack("{}\n"),
            "first line is not the header",
            "capture -o FILE",
        ),
        (pack(&header), "ends before its first line", "copy it again"),
        (
            pack(&format!("{newer}\n")),
            "format version 2",
            "newer confsplit",
        ),
        (
            pack(&format!("{strange}\n")),
            "header of the capture could not",
            "copy it again",
        ),
    ];
    for (bytes, message, hint) in cases {
        let error = capture::read(bytes.as_slice()).unwrap_err();
        let text = error.to_string();
        assert!(text.contains(message) && text.ends_with('.'), "{text}");
        assert!(error.hint().contains(hint), "{text}: {}", error.hint());
    }
}

#[test]
fn a_version_that_is_newer_is_told_as_a_number() {
    let newer = pack("{\"confsplit_capture\":7}\n");
    let error = capture::read(newer.as_slice()).unwrap_err();
    assert!(matches!(error, OpenError::Newer { found: 7 }), "{error}");
}

#[test]
fn a_file_cut_anywhere_is_opened_in_part_or_refused() {
    let whole = snapshot();
    let bytes = write(&whole);
    let mut partly = 0;
    for keep in (0..bytes.len()).step_by(bytes.len() / 40) {
        match capture::read(&bytes[..keep]) {
            Ok(opened) => {
                partly += 1;
                let text = damage(&opened);
                // In the last bytes stands nothing but gzip's own checksum.
                let cut = text.contains("it is cut")
                    || (keep + 16 > bytes.len() && text.contains("its checksum does not match"));
                assert!(cut, "{keep}: {text}");
                assert!(text.contains("records were read"), "{keep}: {text}");
            }
            Err(error) => assert!(matches!(error, OpenError::Empty), "{keep}: {error}"),
        }
    }
    assert!(partly > 20, "only {partly} cuts were opened");
}

#[test]
fn a_missing_end_is_told_with_what_was_read() {
    let whole = snapshot();
    let text = unpack(&write(&whole));
    let end = text.rfind("{\"end\"").unwrap();
    let opened = read(&pack(&text[..end]));
    assert_eq!(opened.snapshot.pods, whole.pods);
    let told = damage(&opened);
    assert!(told.starts_with("its last line is missing; "), "{told}");
}

#[test]
fn flipped_bytes_never_go_unnoticed() {
    let whole = snapshot();
    let bytes = write(&whole);
    // The first ten are gzip's header, of which the time and the system's name mean nothing.
    for at in (10..bytes.len()).step_by(bytes.len() / 60) {
        let mut bad = bytes.clone();
        bad[at] ^= 0x10;
        // A few bits of packed data only fill up a byte: without them it says the same.
        if let Ok(opened) = capture::read(bad.as_slice())
            && opened.snapshot != whole
        {
            assert!(!damage(&opened).is_empty(), "byte {at}");
        }
    }
}

#[test]
fn a_line_that_does_not_parse_is_skipped_and_named() {
    let whole = snapshot();
    let text = unpack(&write(&whole));
    let bad = text.replacen("{\"workload\":{", "{\"workload\":{\"new_field\":1,", 1);
    let opened = read(&pack(&bad));
    assert!(opened.snapshot.workloads.is_empty());
    assert_eq!(opened.snapshot.pods, whole.pods);
    let told = damage(&opened);
    let records = text.lines().count() - 2;
    assert!(
        told.contains("1 line could not be understood (line 12: unknown field"),
        "{told}"
    );
    assert!(
        told.ends_with(&format!("{} of {records} records were read", records - 1)),
        "{told}"
    );
}

#[test]
fn a_changed_value_fails_the_checksum() {
    let whole = snapshot();
    let text = unpack(&write(&whole));
    let opened = read(&pack(&text.replacen("nginx:1.27", "nginx:1.28", 1)));
    let told = damage(&opened);
    assert!(told.starts_with("its checksum does not match"), "{told}");
}

#[test]
fn versions_do_not_move_into_another_configs_history() {
    let whole = snapshot();
    let text = unpack(&write(&whole));
    let kept: String = text
        .lines()
        .filter(|line| !(line.starts_with("{\"earlier\"") && line.contains("\"name\":\"c\"")))
        .map(|line| format!("{line}\n"))
        .collect();
    let opened = read(&pack(&kept));
    assert!(opened.snapshot.earlier[1].versions.is_empty());
    let told = damage(&opened);
    assert!(
        told.contains("an earlier version without its beginning"),
        "{told}"
    );
}

#[test]
fn a_line_without_end_is_not_swallowed() {
    let header = unpack(&write(&empty())).lines().next().unwrap().to_owned();
    let mut bomb = GzEncoder::new(Vec::new(), Compression::fast());
    writeln!(bomb, "{header}").unwrap();
    let chunk = [b' '; 1 << 16];
    for _ in 0..(65 << 20) / chunk.len() {
        bomb.write_all(&chunk).unwrap();
    }
    let opened = read(&bomb.finish().unwrap());
    let told = damage(&opened);
    assert!(told.starts_with("a line is longer than 64 MiB"), "{told}");
}

#[test]
fn files_are_private_whole_and_never_replaced_unasked() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("shop.capture");
    capture::save(&empty(), &path, false).unwrap();
    let meta = std::fs::metadata(&path).unwrap();
    #[cfg(unix)]
    assert_eq!(
        std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o777,
        0o600
    );
    assert!(meta.len() > 0);

    let error = capture::save(&snapshot(), &path, false).unwrap_err();
    assert!(error.to_string().ends_with("exists already."), "{error}");
    assert_eq!(capture::open(&path).unwrap().snapshot, empty());
    capture::save(&snapshot(), &path, true).unwrap();
    assert!(
        capture::open(&path).unwrap().snapshot == snapshot(),
        "not replaced"
    );

    // Nothing is left beside it.
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn places_that_are_no_files_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    for path in [directory.path().to_owned(), "/dev/null".into()] {
        let error = capture::ensure_free(&path, true).unwrap_err();
        assert!(
            error.to_string().contains("is not a regular file"),
            "{error}"
        );
    }
    let nowhere = directory.path().join("no/such/place");
    let error = capture::save(&empty(), &nowhere, false).unwrap_err();
    assert!(error.hint().contains("directory exists"), "{error}");
}

/// The report on a capture is the report on what was captured, byte for byte.
#[tokio::test]
async fn replaying_gives_the_same_report() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("c");
    let live = snapshot();
    capture::save(&live, &path, false).unwrap();
    let replay = Replay::open(&path).unwrap();
    let scope = Scope::default();
    let replayed = replay.lists(&scope, &|_| {}).await.unwrap();
    assert!(replayed == live, "not the same");
    for format in [Format::Text, Format::Json, Format::Markdown] {
        let report = |snapshot: &Snapshot| {
            let mut out = Vec::new();
            let diagnosis = analysis::diagnose(snapshot);
            confsplit::report::write(format, Charset::Unicode, &diagnosis, &mut out).unwrap();
            out
        };
        assert!(report(&live) == report(&replayed), "{format:?} differs");
    }
}

#[tokio::test]
async fn what_was_not_asked_then_is_a_gap_now() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("c");
    capture::save(&empty(), &path, false).unwrap();
    let replay = Replay::open(&path).unwrap();
    let (mut snapshot, _) = collect(&replay, replay.scope(), &|_| {}).await.unwrap();
    let want = Want::SecretContent { config: secret() };
    let twice = vec![want.clone(), want.clone()];
    let answers = replay.answer(&snapshot, twice, &|_| {}).await;
    answers.into_snapshot(&mut snapshot);
    assert!(snapshot.asked.contains(&want));
    assert_eq!(snapshot.gaps.len(), 1);
    assert_eq!(snapshot.gaps[0].resource, "secrets");
}

#[tokio::test]
async fn a_target_narrows_a_capture_down() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("c");
    let cluster = Cluster {
        flags: None,
        context: None,
        ..empty().cluster
    };
    let plain = Snapshot::empty(cluster, empty().scope, empty().taken_at);
    capture::save(&plain, &path, false).unwrap();
    let replay = Replay::open(&path).unwrap();
    let scope = Scope {
        namespace: None,
        target: Some(Target::Service {
            name: "api".to_owned(),
        }),
        route: None,
        version_at: None,
        client: None,
    };
    let narrowed = replay.lists(&scope, &|_| {}).await.unwrap();
    assert_eq!(narrowed.scope.target, scope.target);
}
