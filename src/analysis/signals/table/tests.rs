//! Every extractor reads its line, and nothing of a client's text.

use std::collections::BTreeSet;

use super::{Kind, ROWS, hint};
use crate::analysis::signals::access::{self, told};
use crate::analysis::signals::extract::{Fact, facts};

/// What a line tells, as the scan reads it.
fn of(line: &str) -> Vec<Fact> {
    let told = told(line.as_bytes());
    match access::read(line.as_bytes(), told.as_ref()) {
        Some((_, facts)) => facts,
        None => facts(line.as_bytes(), told.as_ref()),
    }
}

#[test]
fn names_are_unique_and_every_row_has_its_line() {
    let names: BTreeSet<&str> = ROWS.iter().map(|row| row.name).collect();
    assert_eq!(names.len(), ROWS.len());
    for row in ROWS.iter() {
        assert!(row.sample.len() > 15, "{}", row.name);
        assert!(
            row.needles.iter().any(|needle| row.sample.contains(needle)),
            "{}",
            row.name
        );
        assert_eq!(
            row.shows.is_empty(),
            row.kind == Kind::Unnamed,
            "{}",
            row.name
        );
    }
}

#[test]
fn every_sample_is_read_by_its_row() {
    for row in ROWS.iter() {
        let found = of(row.sample);
        let found: Vec<(&str, Kind, &str)> = found
            .iter()
            .map(|f| (f.by, f.kind, f.text.as_str()))
            .collect();
        assert_eq!(found, [(row.name, row.kind, row.shows)], "{}", row.sample);
    }
}

#[test]
fn samples_are_read_behind_what_loggers_write_before_them() {
    for row in ROWS
        .iter()
        .filter(|row| !row.pattern.starts_with('^') && !row.name.starts_with("nginx"))
    {
        let escaped = row.sample.replace('\\', "\\\\").replace('"', "\\\"");
        for line in [
            format!(
                "2026-11-30 02:49:22,123 ERROR [main] app.client - {}",
                row.sample
            ),
            format!("time=2026-11-30T02:49:22Z level=ERROR msg=\"{escaped}\""),
            format!("level=error path=\"/items?x=1\" err=\"{escaped}\" ua=\"curl\""),
            format!("{{\"level\":\"error\",\"path\":\"/items\",\"error\":\"{escaped}\"}}"),
            format!(
                "{{\"level\":\"error\",\"err\":{{\"type\":\"E\",\"message\":\"{escaped}\"}},\"req\":{{\"url\":\"/x\"}}}}"
            ),
        ] {
            let found = of(&line);
            let found: Vec<(Kind, &str)> =
                found.iter().map(|f| (f.kind, f.text.as_str())).collect();
            assert_eq!(found, [(row.kind, row.shows)], "{}: {line}", row.name);
        }
    }
}

/// Where a client may write, in the lines of servers that log it.
const CLIENTS: &[&str] = &[
    r#"10.244.0.9 - - [30/Nov/2026:02:49:22 +0000] "GET /{} HTTP/1.1" 200 157 "-" "curl/8.5.0""#,
    r#"10.244.0.9 - {} [30/Nov/2026:02:49:22 +0000] "GET / HTTP/1.1" 200 157 "-" "curl/8.5.0""#,
    r#"10.244.0.9 - - [30/Nov/2026:02:49:22 +0000] "GET / HTTP/1.1" 200 157 "{}" "curl/8.5.0""#,
    r#"10.244.0.9 - - [30/Nov/2026:02:49:22 +0000] "GET / HTTP/1.1" 200 157 "-" "{}""#,
    r#"10.244.0.9 - - [30/Nov/2026:02:49:22 +0000] "GET / HTTP/1.1" 200 157 "-" "{}" upstream="-""#,
    r#"2026/11/30 02:49:22 [error] 29#29: *1 open() "/usr/share/nginx/html/{}" failed (2: No such file or directory), client: 10.244.0.9, server: , request: "GET / HTTP/1.1", host: "x""#,
    r#"2026/11/30 02:49:22 [error] 29#29: *1 open() "/srv/x" failed (2: No such file or directory), client: 10.244.0.9, server: , request: "GET /{} HTTP/1.1", host: "x""#,
    r#"2026/11/30 02:49:22 [error] 29#29: *1 open() "/srv/x" failed (2: No such file or directory), client: 10.244.0.9, server: , request: "GET / HTTP/1.1", host: "{}""#,
    r#"2026/11/30 02:49:22 [error] 29#29: *1 open() "/srv/x" failed (2: No such file or directory), client: 10.244.0.9, server: , request: "GET / HTTP/1.1", host: "x", referrer: "{}""#,
    r#"[2026-11-30T02:49:22.123Z] "GET /{} HTTP/1.1" 200 - 0 95 0 - "-" "curl" "id" "api" "-""#,
    r#"[2026-11-30T02:49:22.123Z] "GET / HTTP/1.1" 200 - 0 95 0 - "{}" "curl" "id" "api" "-""#,
    r#"[2026-11-30T02:49:22.123Z] "GET / HTTP/1.1" 200 - 0 95 0 - "-" "{}" "id" "api" "-""#,
    r#"[2026-11-30T02:49:22.123Z] "GET / HTTP/1.1" 200 - 0 95 0 - "-" "curl" "id" "{}" "-""#,
    r#"10.244.0.9:46872 [30/Nov/2026:02:49:32.246] fe web/s2 0/0/1/1/2 200 217 - - ---- 1/1/0/0/0 0/0 {{}} "GET / HTTP/1.1""#,
    r#"10.244.0.9:46872 [30/Nov/2026:02:49:32.246] fe web/s2 0/0/1/1/2 200 217 - - ---- 1/1/0/0/0 0/0 "GET /{} HTTP/1.1""#,
    r#"{"level":"info","method":"GET","path":"/{}","status":200,"msg":"request completed"}"#,
    r#"{"level":"info","method":"GET","path":"/","status":200,"user_agent":"{}"}"#,
    r#"{"level":"info","msg":"started","request":{"uri":"/{}","host":"{}","headers":{"User-Agent":["{}"],"Message":["{}"]}}}"#,
    r#"{"level":"info","msg":"got a request","body":"{}","query":"{}","headers":{"err":"{}"}}"#,
    r#"level=info method=GET path="/{}" status=200 user_agent="{}""#,
    r#"level=info msg=started ua="{}" referer="{}""#,
    r#"level=info msg="request GET /{}" took=3ms"#,
    "INFO handled GET /{} for 10.244.0.9",
    "INFO handled request: path={} took=3ms",
    "INFO handled /items?q={}",
    "WARN unknown client, User-Agent: {}",
    "WARN bad referer: {}",
];

#[test]
fn what_a_client_writes_is_no_evidence() {
    for row in ROWS.iter() {
        for place in CLIENTS {
            let raw = place.replace("{}", row.sample);
            // Servers escape quotes, each in its way; a client can do without them.
            for text in [
                row.sample.replace('"', "'"),
                row.sample.replace('"', "\\x22"),
                row.sample.replace('\\', "\\\\").replace('"', "\\\""),
            ] {
                let line = place.replace("{}", &text);
                let found: Vec<Fact> = of(&line)
                    .into_iter()
                    .filter(|f| f.text == row.shows)
                    .collect();
                assert_eq!(found, [], "{}: {line}", row.name);
            }
            // Raw quotes too, where a proxy does not escape them.
            if place.starts_with('[') || place.starts_with("2026/") {
                let found: Vec<Fact> = of(&raw)
                    .into_iter()
                    .filter(|f| f.text == row.shows)
                    .collect();
                assert_eq!(found, [], "{}: {raw}", row.name);
            }
        }
    }
}

#[test]
fn two_addresses_in_one_line_are_none() {
    for line in [
        "connect ECONNREFUSED 10.0.0.1:1 after connect ECONNREFUSED 10.96.0.7:8000",
        "dial tcp 10.0.0.1:1: connect: connection refused, connect ECONNREFUSED 10.96.0.7:8000",
        r#"2026/11/30 02:49:22 [error] 29#29: *1 upstream timed out (110: Connection timed out) while connecting to upstream, client: 10.244.0.9, server: , request: "GET /", upstream: "http://10.0.0.1:1/ HTTP/1.1", upstream: "http://10.96.0.1:8080/", host: "x""#,
    ] {
        assert!(of(line).iter().all(|f| f.kind != Kind::Upstream), "{line}");
    }
}

const OTHER_FORMS: &[(&str, Kind, &str)] = &[
    (
        "Feb 19 04:11:57 host haproxy[4436]: [ALERT] 049/041157 (4436) : backend 'web' has no server available!",
        Kind::Backend,
        "web",
    ),
    (
        "haproxy[1808]: [WARNING] (1808) : Server web/s1 is DOWN, reason: Layer4 timeout, check duration: 2000ms.",
        Kind::Backend,
        "web/s1",
    ),
    (
        "Cannot reconnect to [redis/<unresolved>:6379]: Connection refused",
        Kind::Upstream,
        "redis:6379",
    ),
    (
        "dial tcp [fd00::7]:8000: connect: connection refused",
        Kind::Upstream,
        "[fd00::7]:8000",
    ),
    (
        "dial tcp 10.96.0.7:8000: i/o timeout",
        Kind::Upstream,
        "10.96.0.7:8000",
    ),
    (
        "Error: connect ECONNREFUSED ::1:8999",
        Kind::Upstream,
        "[::1]:8999",
    ),
    (
        "Error: connect ETIMEDOUT 10.96.0.7:8000",
        Kind::Upstream,
        "10.96.0.7:8000",
    ),
    (
        "dial tcp: lookup api on 10.96.0.10:53: server misbehaving",
        Kind::Unresolved,
        "api",
    ),
    (
        r#"connection to server at "db" (10.96.0.9), port 5432 failed: Connection refused"#,
        Kind::Upstream,
        "db:5432",
    ),
    (
        "Connection refused: db.shop/10.0.0.1:5432",
        Kind::Upstream,
        "10.0.0.1:5432",
    ),
    (
        "Connect to api:8000 [api/10.96.0.7] failed: Connection refused (Connection refused)",
        Kind::Upstream,
        "api:8000",
    ),
    (
        "Connecting to api (api)|10.96.0.7|:8000... failed: Connection refused.",
        Kind::Upstream,
        "10.96.0.7:8000",
    ),
    (
        "last error: UNAVAILABLE: ipv6:%5Bfd00::7%5D:8000: Failed to connect to remote host: Connection refused",
        Kind::Upstream,
        "[fd00::7]:8000",
    ),
    (
        "rpc error: code = Unavailable desc = connection error: desc = \"transport: Error while dialing: dial tcp 10.96.0.7:8000: connect: connection refused\"",
        Kind::Upstream,
        "10.96.0.7:8000",
    ),
    (
        "MongoServerSelectionError: connect ECONNREFUSED 10.96.0.7:27017",
        Kind::Upstream,
        "10.96.0.7:27017",
    ),
    (
        r#"2026/11/30 02:49:22 [error] 7#7: *3 connect() failed (111: Connection refused) while connecting to upstream, client: 10.244.0.9, server: 0.0.0.0:5432, upstream: "10.96.0.7:5432", bytes from/to client:0/0, bytes from/to upstream:0/0"#,
        Kind::Upstream,
        "10.96.0.7:5432",
    ),
    (
        r#"2026/11/30 02:49:22 [warn] 7#7: *3 upstream server temporarily disabled while connecting to upstream, client: 10.244.0.9, server: , request: "GET / HTTP/1.1", upstream: "fastcgi://10.96.0.7:9000", host: "x""#,
        Kind::Upstream,
        "10.96.0.7:9000",
    ),
];

#[test]
fn other_forms_of_the_same() {
    for (line, kind, text) in OTHER_FORMS {
        let found = of(line);
        let found: Vec<(Kind, &str)> = found.iter().map(|f| (f.kind, f.text.as_str())).collect();
        assert_eq!(found, [(*kind, *text)], "{line}");
    }
}

#[test]
fn a_client_of_the_program_is_no_upstream() {
    // The address behind the arrow is whoever connected to it.
    let line = "read tcp 10.244.0.2:8080->10.244.0.9:40312: read: connection reset by peer";
    assert_eq!(of(line), []);
    // The name server's address.
    let line = "dial tcp: lookup api.invalid on 10.96.0.10:53: no such host";
    assert!(of(line).iter().all(|f| f.address.is_none()));
    // The name that the client asked for.
    let line = r#"2026/11/30 02:49:22 [error] 29#29: *1 evil.invalid could not be resolved (3: Host not found), client: 10.244.0.9, server: , request: "GET / HTTP/1.1", host: "evil.invalid""#;
    assert_eq!(of(line), []);
}

#[test]
fn an_address_is_hinted_at_in_all_forms() {
    let hint = regex::Regex::new(&hint("10.96.0.7:8000")).expect("a pattern");
    for row in ROWS.iter().filter(|row| row.shows == "10.96.0.7:8000") {
        assert!(hint.is_match(row.sample), "{}", row.sample);
    }
    assert!(!hint.is_match("10.96.0.7:80001"));
}
