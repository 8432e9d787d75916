//! What a scan keeps of a log, piece by piece.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::{Kind, Scan, Scans, Tally};
use crate::model::{Log, LogText, PodRef};

const LINES: &str = concat!(
    "2026-11-30T07:34:49.1Z 10.244.0.9 - - [30/Nov/2026:07:34:49 +0000] \"GET /api/items?x=1 HTTP/1.1\" 504 167 \"-\" \"curl\" \"-\"\n",
    "2026-11-30T07:34:50Z 10.244.0.1 - - [30/Nov/2026:07:34:50 +0000] \"GET /healthz HTTP/1.1\" 200 3 \"-\" \"kube-probe/1.37\" \"-\"\n",
    "2026-11-30T07:34:51Z GET http://api:8000/items 502\n",
    "2026-11-30T07:34:52Z Error: connect ECONNREFUSED 10.96.0.7:8000\n",
    "2026-11-30T07:34:53Z Error: getaddrinfo ENOTFOUND api.invalid\n",
    "2026-11-30T07:34:54Z java.net.ConnectException: Connection refused\n",
    "2026-11-30T07:34:55Z [WARNING]  (8) : Server web/s1 is DOWN, reason: x\n",
    "2026-11-30T07:34:56Z [2026-11-30T07:34:56Z] \"GET /api/items HTTP/1.1\" 200 - 0 95 1 0 \"-\" \"curl\" \"id\" \"api\" \"10.96.0.8:8000\"\n",
    "2026-11-30T07:34:57Z [2026-11-30T07:34:57Z] \"GET /api/items HTTP/1.1\" 503 UF 0 95 1 - \"-\" \"curl\" \"id\" \"api\" \"10.96.0.9:8000\"\n",
    "2026-11-30T07:34:58Z 2026/11/30 07:34:58 [notice] 1#1: signal 1 (SIGHUP) received from 30, reconfiguring\n",
    "2026-11-30T07:34:59Z 2026/11/30 07:34:59 [emerg] 1#1: unknown directive \"x\"\n",
    "2026-11-30T07:35:00Z bye\n",
);

fn at(second: &str) -> Option<DateTime<Utc>> {
    format!("2026-11-30T07:{second}Z").parse().ok()
}

fn check(scan: &Scan) {
    let answers: Vec<_> = scan
        .answers
        .iter()
        .map(|a| (a.at, a.route.to_owned(), a.status))
        .collect();
    assert_eq!(
        answers,
        [
            (at("34:49.1"), "GET /api/items".to_owned(), 504),
            (at("34:50"), String::new(), 200),
            (at("34:56"), "GET /api/items".to_owned(), 200),
            (at("34:57"), "GET /api/items".to_owned(), 503),
        ]
    );
    let asked: Vec<_> = scan
        .asked
        .iter()
        .map(|a| (a.at, a.route, a.status))
        .collect();
    assert_eq!(asked, [(at("34:51"), "GET /items", 502)]);
    let upstreams: Vec<String> = scan.upstreams.keys().map(ToString::to_string).collect();
    // What was asked well is no failing upstream.
    assert_eq!(upstreams, ["10.96.0.7:8000", "10.96.0.9:8000"]);
    assert_eq!(scan.reloads.len(), 1);
    assert_eq!(scan.start_errors.count, 1);
    assert_eq!(scan.last_line, "bye");
}

#[test]
fn each_kind_has_its_place_however_the_log_is_cut() {
    let mut whole = Scan::default();
    whole.take(LINES, &[]);
    check(&whole);
    let mut parts = Scan::default();
    LINES
        .split_inclusive('\n')
        .for_each(|line| parts.take(line, &[]));
    check(&parts);
}

#[test]
fn each_kind_has_its_name_where_all_is_shown() {
    let mut tally = Tally::default();
    tally.take(LINES.as_bytes());
    let items = tally.items();
    let of = |kind: Kind| -> Vec<&str> {
        let items = items.iter().filter(|item| item.kind == kind);
        let texts = items.map(|item| match item.text.as_str() {
            "" => item.name,
            text => text,
        });
        texts.collect()
    };
    assert_eq!(of(Kind::Upstream), ["10.96.0.9:8000", "10.96.0.7:8000"]);
    assert_eq!(of(Kind::Reached), ["api:8000", "10.96.0.8:8000"]);
    assert_eq!(of(Kind::Unresolved), ["api.invalid"]);
    assert_eq!(of(Kind::Unnamed), ["java-socket"]);
    assert_eq!(of(Kind::Backend), ["web/s1"]);
    assert_eq!(of(Kind::Flag), ["UF"]);
}

#[test]
fn values_are_found_in_the_programs_lines_alone() {
    let setting = super::Setting::new("feature_recs", vec!["on".to_owned(), "off".to_owned()])
        .expect("a setting");
    let mut scan = Scan::default();
    scan.take(
        "feature_recs=off at once\n2026-11-30T07:34:49Z x\n2026-11-30T07:34:50Z started feature_recs=off\r\nfeature_recs=off\n\
         2026-11-30T07:34:51Z 10.244.0.9 - - [30/Nov/2026:07:34:49 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"; feature_recs=off\" \"-\"\n\
         feature_recs=on feature_recs=off\nfeature_recs=on",
        &[setting],
    );
    let counts: Vec<_> = scan
        .values
        .iter()
        .map(|((_, value), hits)| (value.as_str(), hits.count))
        .collect();
    assert_eq!(counts, [("off", 3), ("on", 1)]);
}

fn log(text: LogText) -> Log {
    Log {
        from: None,
        pod: PodRef {
            namespace: "shop".to_owned(),
            name: "a".to_owned(),
            uid: "1".to_owned(),
        },
        container: "c".to_owned(),
        previous: false,
        text,
        complete: true,
        missing: None,
        read_at: DateTime::UNIX_EPOCH,
    }
}

#[test]
fn two_configs_of_a_container_read_its_log_once_each() {
    let mut scans = Scans::default();
    let mut log = log(LogText::default());
    log.text.push(LINES);
    let setting = super::Setting::new("feature_recs", vec!["on".to_owned()]).expect("a setting");
    let both = |scans: &mut Scans| {
        let both = (
            scans.of(&log, &[]),
            scans.of(&log, std::slice::from_ref(&setting)),
        );
        scans.tidy();
        both
    };
    let (first, again) = (both(&mut scans), both(&mut scans));
    assert!(Arc::ptr_eq(&first.0, &again.0) && Arc::ptr_eq(&first.1, &again.1));
}

/// 5,000 lines a second, a piece each second, as a follower keeps them: long enough for its front to be dropped several times.
#[test]
fn a_log_without_end_is_kept_up_with_in_bounded_room() {
    let mut scans = Scans::default();
    let mut log = log(LogText::default());
    let mut seen = 0;
    for second in 0..60 {
        let mut piece = String::with_capacity(5_000 * 100);
        for line in 0..5_000 {
            let (minute, second) = (second / 60, second % 60);
            piece.push_str(&format!("2026-11-30T07:{minute:02}:{second:02}.{line:09}Z 10.0.0.9 - - [30/Nov/2026:07:34:49 +0000] \"GET /a/{line} HTTP/1.1\" 200 1 \"-\" \"c\"\n"));
        }
        log.text.push(&piece);
        if log.text.len() > 12 << 20 {
            log.text.keep_last(8 << 20);
        }
        let scan = scans.of(&log, &[]);
        let kept = scan.answers.iter().count();
        assert_eq!(kept, log.text.lines().count());
        seen = seen.max(scan.answers.room());
        scans.tidy();
    }
    assert!(seen <= 4 << 20, "{seen} bytes of answers");
}
