//! What is printed of a log, and that nothing of it reaches the terminal as it was.

use super::{Log, list, write};
use crate::analysis::{FORMATS, Tally, extractors};
use crate::report::Charset;

const LOG: &str = concat!(
    "10.244.0.9 - - [30/Nov/2026:02:49:22 +0000] \"GET /api/items HTTP/1.1\" 200 157 \"-\" \"curl\"\n",
    "10.244.0.9 - - [30/Nov/2026:02:49:24 +0000] \"GET /api/items HTTP/1.1\" 504 157 \"-\" \"curl\"\n",
    "10.244.0.1 - - [30/Nov/2026:02:49:24 +0000] \"GET /healthz HTTP/1.1\" 200 1 \"-\" \"kube-probe/1.37\"\n",
    "2026/11/30 02:49:24 [error] 29#29: *8 upstream timed out (110: Connection timed out) while connecting to upstream, client: 10.244.0.9, server: , request: \"GET /api/items HTTP/1.1\", upstream: \"http://10.96.0.7:8000/items\", host: \"frontend\"\n",
    "httpx.ConnectError: [Errno 111] Connection refused \u{1b}]0;owned\u{7}\u{202e}\n",
);

fn text(json: bool, log: &Log, lines: &str) -> String {
    let mut tally = Tally::default();
    tally.take(lines.as_bytes());
    let mut out = Vec::new();
    write(json, Charset::Unicode, log, &tally, &mut out).expect("written");
    String::from_utf8(out).expect("UTF-8")
}

fn log() -> Log {
    Log {
        name: "frontend.log".to_owned(),
        bytes: 1_234_567,
        lines: 5,
        cut: 1,
        invalid: 2,
        ..Log::default()
    }
}

#[test]
fn a_log_as_text() {
    insta::assert_snapshot!(text(false, &log(), LOG));
}

#[test]
fn a_log_as_json() {
    insta::assert_snapshot!(text(true, &log(), LOG));
}

#[test]
fn a_log_without_findings() {
    insta::assert_snapshot!(text(
        false,
        &Log {
            name: "x".to_owned(),
            ..Log::default()
        },
        "nothing here\n"
    ));
}

#[test]
fn nothing_of_a_log_is_a_command_to_a_terminal() {
    let hostile = "connect ECONNREFUSED 10.96.0.7:8000 \u{1b}[2J\u{9b}31m\u{202e}\u{0}\u{7}\r\n";
    let page = text(
        false,
        &Log {
            name: "\u{1b}[31mx".to_owned(),
            ..Log::default()
        },
        hostile,
    );
    assert!(
        page.chars()
            .all(|c| c == '\n' || !crate::text::is_hostile(c)),
        "{page:?}"
    );
}

#[test]
fn the_list_has_every_extractor_and_format() {
    for json in [false, true] {
        let mut out = Vec::new();
        list(json, &mut out).expect("written");
        let page = String::from_utf8(out).expect("UTF-8");
        for name in extractors()
            .map(|row| row.name)
            .chain(FORMATS.iter().map(|(name, _)| *name))
        {
            assert!(page.contains(name), "{name}");
        }
    }
}
