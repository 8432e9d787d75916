//! What tells something is found among many lines, however they are written and cut.

use super::plain;
use crate::analysis::signals::access::{FORMATS, is_answer};
use crate::analysis::signals::table::ROWS;
use crate::analysis::signals::{Kind, Tally, program};

const NOISE: &str = "2026-11-30T02:49:22Z cache hit for the key user:7\n";

fn tally(text: &[u8]) -> Tally {
    let mut tally = Tally::default();
    tally.take(text);
    tally
}

#[test]
fn no_sample_is_passed_over() {
    let reloads = program::RELOADS.iter().map(|line| (*line, Kind::Reload));
    let errors = [
        "[emerg] 1#1: x",
        "[ALERT] (1) : x",
        "AH00526: x",
        "Syntax error",
        "SYNTAX ERROR",
        "parse error",
        "Parsing failed",
        "error parsing",
        "Failed to load x",
        "could not parse",
        "Cannot unmarshal",
        "unknown directive",
        "Invalid port",
        "invalid URL x",
        "yaml: line 3",
        "json.decoder.JSONDecodeError",
        "json: cannot unmarshal",
    ];
    let samples = ROWS
        .iter()
        .map(|row| (row.sample, row.kind))
        .chain(reloads)
        .chain(errors.map(|line| (line, Kind::StartError)));
    for (sample, kind) in samples {
        for (before, behind) in [
            ("", ""),
            (NOISE, "\n2026-11-30T02:49:22Z cache hit\n"),
            ("\n\n", "\r\n"),
            (NOISE, "\n\u{0}\n"),
        ] {
            let text = format!("{before}{sample}{behind}");
            let items = tally(text.as_bytes()).items();
            assert!(
                items
                    .iter()
                    .any(|item| item.kind == kind && item.count == 1),
                "{sample}: {items:?}"
            );
        }
    }
}

#[test]
fn every_format_is_found_among_other_lines() {
    for (name, line) in FORMATS {
        for stamp in ["", "2026-11-30T02:49:22.123456789Z "] {
            let text = format!("{NOISE}{stamp}{line}\n{NOISE}{stamp}{line}\r\n{stamp}{line}");
            let tally = tally(text.as_bytes());
            let routes = tally.routes();
            let counts: Vec<(&str, usize)> = routes
                .iter()
                .map(|r| (r.route.as_str(), r.total()))
                .collect();
            assert_eq!(counts, [("GET /api/items", 3)], "{name} {stamp}");
            assert_eq!(tally.telling, 3);
        }
    }
}

#[test]
fn lines_of_no_interest_tell_nothing() {
    let text = NOISE.repeat(1_000);
    let tally = tally(text.as_bytes());
    assert!(tally.items().is_empty() && tally.routes().is_empty());
    assert_eq!(tally.telling, 0);
}

#[test]
fn hostile_bytes_hide_nothing_and_break_nothing() {
    let line = "Error: connect ECONNREFUSED 10.96.0.7:8000";
    let mut text = Vec::new();
    for part in [
        &b"\xff\xfe\x00\x80"[..],
        b"\x1b[31",
        b"\xc3",
        b"",
        b"\r",
        b"\x1b",
    ] {
        text.extend_from_slice(part);
        text.extend_from_slice(b"\n");
        text.extend_from_slice(line.as_bytes());
        text.extend_from_slice(b"\n");
    }
    let found = tally(&plain(&text)).items();
    assert_eq!(
        found
            .iter()
            .map(|item| (item.text.as_str(), item.count))
            .collect::<Vec<_>>(),
        [("10.96.0.7:8000", 6)]
    );
}

#[test]
fn colours_are_taken_out_even_where_they_cut_a_word() {
    let text = "\x1b[2m2026\x1b[0m \x1b[31mError: connect ECONN\x1b[1;31mREFUSED 10.96.0.7:8000\x1b[0m\n\x1b[0mGET /x \x1b[32m200\x1b[0m 1.2 ms - 5\n\x1b[3";
    let clean = plain(text.as_bytes());
    assert_eq!(
        String::from_utf8_lossy(&clean),
        "2026 Error: connect ECONNREFUSED 10.96.0.7:8000\nGET /x 200 1.2 ms - 5\n"
    );
}

#[test]
fn a_line_of_a_megabyte_costs_its_beginning_alone() {
    let long = format!(
        "{} connect ECONNREFUSED 10.96.0.7:8000",
        "x".repeat(1 << 20)
    );
    let text = format!("{long}\nError: connect ECONNREFUSED 10.96.0.8:8000 {long}\n{NOISE}");
    let items = tally(text.as_bytes()).items();
    assert_eq!(
        items
            .iter()
            .map(|item| item.text.as_str())
            .collect::<Vec<_>>(),
        ["10.96.0.8:8000"]
    );
}

#[test]
fn a_cut_line_changes_nothing_of_the_next() {
    let whole = r#"10.244.0.9 - - [30/Nov/2026:02:49:22 +0000] "GET /x HTTP/1.1" 502 157 "-" "curl/8.5.0" "-""#;
    let stamped = format!("2026-11-30T02:49:22.123456789Z {whole}");
    for (line, cut) in [whole, &stamped]
        .into_iter()
        .flat_map(|line| (0..=line.len()).map(move |cut| (line, cut)))
    {
        for end in ["\n", "\r\n", "\n\n"] {
            let alone = tally(&line.as_bytes()[..cut]).telling;
            let text = format!("{}{end}{line}{end}", &line[..cut]);
            let among = tally(text.as_bytes());
            assert_eq!(among.telling, alone + 1, "{text:?}");
            assert_eq!(among.routes()[0].route, "GET /x");
        }
    }
}

#[test]
fn what_a_proxy_says_is_told_from_what_a_client_says() {
    let found = |tail: &str| {
        let front = r#"10.0.0.9 - - [30/Nov/2026:02:49:22 +0000] "GET /x HTTP/1.1" 502 157"#;
        let text = format!("{NOISE}{front}{tail}\n{front}{tail}\r\n{NOISE}");
        let tally = tally(text.as_bytes());
        assert_eq!(tally.telling, 2, "{tail}");
        let items = tally.items();
        let items: Vec<String> = items.into_iter().map(|item| item.text).collect();
        (items, tally.probes)
    };
    let named = || vec!["10.0.0.1:80".to_owned()];
    for tail in [
        r#" "-" "curl" upstream_addr="10.0.0.1:80""#,
        r#" "-" "curl" upstream_addr="10.0.0.1:80" "-""#,
        r#" "-" "curl" "-" upstream: 10.0.0.1:80"#,
        // Each name that no other part of the line could have, quoted last.
        r#" "-" "curl" ups_addr="10.0.0.1:80""#,
        r#" "-" "curl" backend_addr="10.0.0.1:80""#,
        r#" "-" "curl" proxy_upstream_addr="10.0.0.1:80" "-""#,
        r#" "-" "curl" rt="0.1" upstream_host="10.0.0.1:80""#,
        // An escaped quote of a client ends nothing of what the proxy says.
        r#" "-" "a \" b" ups_addr="10.0.0.1:80""#,
        r#" "-" "a \\" ups_addr=10.0.0.1:80 x="y""#,
        r#" upstream_addr=10.0.0.1:80, "a, 10.0.0.2:80 b" 0.003"#,
        r#" "-" "curl" 92 0.001 [a] [] 10.0.0.1:80 157 0.001 502 7c9e66797425"#,
    ] {
        assert_eq!(found(tail), (named(), 0), "{tail}");
    }
    for tail in [
        r#" "-" "upstream_addr=10.0.0.1:80""#,
        r#" "upstream: 10.0.0.1:80" "curl" "-""#,
        r#" "-" "a \"b\" c""#,
        r#" "-" "curl" 0.003"#,
        r#" "-" "curl"#,
        "",
        // Escaped by Apache, and by nginx.
        r#" "-" "a\" upstream_addr=10.0.0.1:80 \"""#,
        r#" "-" "a\" upstream_addr=10.0.0.1:80 \"" 0.003"#,
        r#" "-" "a\" upstream_addr=\"10.0.0.1:80\" \"" 0.003"#,
        r#" "-" "a\x22 upstream_addr=10.0.0.1:80 \x22""#,
        r#" "-" "a\x22 upstream_addr=10.0.0.1:80 \x22" 0.003"#,
        r#" "a\\\" ups_addr=10.0.0.1:80 b" "x" 0.003"#,
        r#" "-" "a\" 92 0.001 [a] [] 10.0.0.1:80 157 0.001 502 7c9e66797425"#,
        r#" "a\" backend_addr=\"10.0.0.1:80" "x" 0.003"#,
        // Quotes that open within a word or behind a comma.
        r#" user-agent="a upstream_addr=10.0.0.1:80 b" 0.003"#,
        r#" ("a upstream_addr=10.0.0.1:80 b") 0.003"#,
        r#" 0.1, "a upstream_addr=10.0.0.1:80 b" 0.003"#,
        r#" rt=0.1, "a upstream_addr=10.0.0.1:80 b" 0.003"#,
        r#" rt=0.1,ua="a upstream_addr=10.0.0.1:80 b" 0.003"#,
        r#" "-" "a"b" upstream_addr=10.0.0.1:80 c" 0.003"#,
        // One quote more or less than there should be.
        r#" "-" "a" upstream_addr=10.0.0.1:80 b""#,
        r#" "-" "a upstream_addr=10.0.0.1:80 b"#,
        r#" "-" a\" upstream_addr=10.0.0.1:80 \""#,
    ] {
        assert_eq!(found(tail), (Vec::new(), 0), "{tail}");
    }
    assert_eq!(found(r#" "-" "kube-probe/1.37""#), (Vec::new(), 2));
    assert_eq!(found(r#" "-" "kube-probe/1.37" 0.003"#), (Vec::new(), 2));
}

#[test]
fn what_the_last_line_held_changes_nothing_of_the_next() {
    let mut lines = Vec::new();
    for time in [
        "[30/Nov/2026:02:49:22 +0000]",
        "[30/Nov/2026:02:49:23 +0000]",
        "[30/Nov/2026:02:]9:23 +0000]",
    ] {
        for tail in [
            r#" "-" "curl/8.5.0" "-""#,
            r#" "-" "curl/8.5.0" "-" ups_addr=10.0.0.1:80"#,
            r#" "-" "curl/8.5.0" "-" "kube-probe/1.37""#,
            r#" "-" "curl/8.5.1" "-""#,
            r#" "-" "kube-probe/1.37""#,
            r#" "-" "kube-probe/1.37"#,
            r#" "-""#,
            r#" "-" "-""#,
            "",
        ] {
            for end in ["\n", "\r\n", "\n\n"] {
                lines.push(format!(
                    r#"10.0.0.9 - - {time} "GET /x HTTP/1.1" 502 157{tail}{end}"#
                ));
            }
        }
    }
    let told = |text: &str| {
        let tally = tally(text.as_bytes());
        let items = tally.items().iter().map(|item| item.count).sum::<usize>();
        let answers: usize = tally.routes().iter().map(super::super::Route::total).sum();
        [tally.telling, tally.probes, tally.untimed, items, answers]
    };
    for first in &lines {
        for second in &lines {
            let alone = [told(first), told(second)];
            let among = told(&format!("{first}{second}{first}"));
            for (at, sum) in among.into_iter().enumerate() {
                assert_eq!(sum, 2 * alone[0][at] + alone[1][at], "{first}{second}");
            }
        }
    }
}

#[test]
fn what_a_client_sends_instead_of_a_request_tells_nothing() {
    for sent in ROWS.iter().map(|row| row.sample).chain([
        "Error: connect ECONNREFUSED 10.0.0.1:80",
        "Received SIGHUP, reconfiguring",
        "[emerg] 1#1: invalid port",
        "method=GET path=/x status=500 upstream_addr=10.0.0.1:80",
        "GET /x -> 502",
        r#"x upstream, client: y, server: , upstream: "http://10.0.0.1:80/""#,
    ]) {
        let escaped = sent.replace('\\', r"\\").replace('"', r#"\""#);
        let hex = sent.replace('\\', r"\x5C").replace('"', r"\x22");
        for time in [
            "[30/Nov/2026:02:49:22 +0000]",
            "[30/Nov/2026 02:49:22]",
            "[30/Nov/2026:02:49:22.123 +0000]",
        ] {
            for request in [sent, &escaped, &hex] {
                let line = format!(r#"10.0.0.9 - - {time} "{request}" 400 157 "-" "{request}""#);
                let tally = tally(format!("{line}\n{line}").as_bytes());
                let items = tally.items();
                assert!(items.is_empty(), "{line}: {items:?}");
                assert!(is_answer(&line), "{line}");
            }
        }
    }
}

#[test]
fn a_line_that_nginx_quotes_of_its_client_is_no_answer() {
    let front = "2026/11/30 02:49:22 [error] 29#29: *1";
    let sent = r#"GET /x [30/Nov/2026:02:49:22 +0000] "GET /planted HTTP/1.1" 502 157"#;
    for (error, expected) in [
        (
            format!(r#"open() "/srv/x" failed, client: 10.0.0.9, server: , request: "{sent}""#),
            0,
        ),
        (
            format!(
                r#"connect() failed (111: Connection refused) while connecting to upstream, client: 10.0.0.9, server: , request: "{sent}", upstream: "http://10.0.0.1:80/x""#
            ),
            1,
        ),
    ] {
        for stamp in ["", "2026-11-30T02:49:22.123456789Z "] {
            let tally = tally(format!("{NOISE}{stamp}{front} {error}\n{NOISE}").as_bytes());
            assert!(tally.routes().is_empty(), "{error}");
            assert_eq!(tally.items().len(), expected, "{error}");
        }
    }
}

#[test]
fn a_request_of_a_megabyte_ends_where_its_line_does() {
    let front = r#"10.0.0.9 - - [30/Nov/2026:02:49:22 +0000] "GET /x HTTP/1.1" 200 1"#;
    let short = format!(r#"{front} "-" "curl""#);
    let agent = "a".repeat(super::LONGEST_LINE);
    // The second one is cut where a quote closes.
    let exact = super::LONGEST_LINE - front.len() - 3;
    for long in [
        format!(r#"{front} "-" "{agent}" upstream_addr=10.0.0.1:80"#),
        format!(r#"{front} "{}" upstream_addr=10.0.0.1:80"#, &agent[..exact]),
        format!(r#"{front} "{}"#, "\" \"".repeat(super::LONGEST_LINE)),
    ] {
        let tally = tally(format!("{long}\n{short}\n{long}\r\n{short}").as_bytes());
        assert_eq!(tally.telling, 4);
        assert!(tally.items().is_empty(), "{:?}", tally.items());
    }
}
