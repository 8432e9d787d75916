//! What is left of real lines, and that nothing of what varies or of a client's is.

use super::{BREAK, CLIENT, CLIENTS, Names, VARIES, mask};

fn names() -> Names {
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Names {
        own: set(&["frontend-76d98597b9-g5zrg", "g5zrg", "worker-b"]),
        hosts: set(&["api"]),
    }
}

/// With `*` for what varies, `@` for a client's text and `/` for the end of a run.
fn masked(line: &str) -> String {
    let mut out = String::new();
    mask(line, &names(), &mut out);
    out.replace(VARIES, "*")
        .replace(CLIENT, "@")
        .replace(BREAK, "/")
}

#[test]
fn the_names_of_clients_text_can_be_searched() {
    assert!(CLIENTS.is_sorted());
}

#[test]
fn nginx() {
    assert_eq!(
        masked(
            r#"2026/10/02 20:35:48 [error] 29#29: *8 upstream timed out (110: Operation timed out) while connecting to upstream, client: 10.244.1.43, server: , request: "GET /api/items?user=bob HTTP/1.1", upstream: "http://10.96.10.144:8000/items", host: "frontend""#
        ),
        "* * / error / * * upstream timed out / * Operation timed out / while connecting to upstream / client / @ / server / request / @ / upstream / *:8000 / host / @"
    );
    assert_eq!(
        masked(
            r#"10.244.1.43 - - [02/Oct/2026:20:35:34 +0000] "GET /api/items HTTP/1.1" 200 38 "-" "Wget" "-""#
        ),
        // Nothing but what varies and what the client said.
        ""
    );
    assert_eq!(
        masked("2026/10/02 20:35:25 [notice] 1#1: nginx/1.27.5"),
        "* * / notice / * nginx/*.*.*"
    );
}

#[test]
fn go() {
    assert_eq!(
        masked(
            r#"time=2026-10-02T20:35:48.123Z level=ERROR msg="upstream request failed" err="Get \"http://api:8000/items\": dial tcp 10.96.10.144:8000: i/o timeout" request_id=6f1c2a9e-8d1b-4a55-9a40-0c1d2e3f4a5b user=bob took=2.001s"#
        ),
        "time=* level=ERROR / upstream request failed / Get / api:8000 / dial tcp *:8000 i/o timeout / @ @ took=*"
    );
    assert_eq!(
        masked(
            r#"{"level":"info","ts":1790973348.12,"caller":"x","msg":"serving","feature_recs":false,"workers":8,"remote_addr":"10.1.2.3:53122"}"#
        ),
        "level=info / ts=* / @ / msg=serving / feature_recs=false / workers=* / @"
    );
    assert_eq!(
        masked(
            "E1002 20:35:48.123456       1 reflector.go:147] failed to list *v1.Pod: connection refused"
        ),
        "E* * * reflector.go:147 / failed to list v1.Pod connection refused"
    );
}

#[test]
fn java() {
    assert_eq!(
        masked(
            "2026-10-02 20:35:48,123 ERROR [http-nio-8080-exec-12] c.e.shop.OrderService : Recommendation client disabled for order 4711 (trace 4bf92f3577b34da6a3ce929d0e0e4736)"
        ),
        "* * / * ERROR / http-nio-*-exec-* / c.e.shop.OrderService Recommendation client disabled for order * / trace *"
    );
    assert_eq!(
        masked("\tat com.example.shop.orders.OrderServiceImpl.process(OrderServiceImpl.java:57)"),
        "at com.example.shop.orders.OrderServiceImpl.process / OrderServiceImpl.java:*"
    );
}

#[test]
fn node() {
    assert_eq!(
        masked(
            r#"{"level":50,"time":1790973348123,"pid":7,"hostname":"frontend-76d98597b9-g5zrg","req":{"method":"GET","url":"/api/items?q=secret","headers":{"user-agent":"curl"}},"err":{"type":"Error","message":"connect ECONNREFUSED 10.96.10.144:8000"},"msg":"request errored"}"#
        ),
        "level=* / time=* / pid=* / @ / @ / type=Error / connect ECONNREFUSED *:8000 / request errored"
    );
    assert_eq!(masked("GET /api/items 504 2003.114 ms - 167"), "@ * * ms *");
    // A colour that is cut, and one that is not.
    assert_eq!(
        masked("\u{1b}[32minfo\u{1b}[39m: recs are \u{1b}[1moff\u{1b}[0m \u{1b}[3"),
        "info recs are off"
    );
}

#[test]
fn python() {
    assert_eq!(
        masked(
            "2026-10-02 20:35:48,001 - shop.recs - WARNING - HTTPConnectionPool(host='api', port=8000): Max retries exceeded with url: /items?user=bob (Caused by NewConnectionError('[Errno 111] Connection refused'))"
        ),
        "* * / * shop.recs WARNING HTTPConnectionPool / @ / port=* / Max retries exceeded with url / @ / Caused by NewConnectionError / Errno * / Connection refused"
    );
    assert_eq!(
        masked("{'user': 'bob smith', 'path': \"/x\", 'recs': 'off', 'ok': True} can't say"),
        "@ / @ / recs=off / ok=True / can't say"
    );
}

#[test]
fn ids_counters_and_names_of_the_replicas_go() {
    for (line, left) in [
        ("job 0x7f3a done", "job * done"),
        ("span deadbeef closed", "span * closed"),
        ("commit a1b2c3d loaded", "commit * loaded"),
        ("etag abc123 kept", "etag * kept"),
        ("pool-3-thread-17 took 15ms", "pool-*-thread-* took *"),
        ("queue:1234 conns=100 seq#12", "queue:* conns=* seq#*"),
        ("api v2 over h2", "api v2 over h*"),
        (
            "on worker-b as frontend-76d98597b9-g5zrg or g5zrg",
            "on * as * or *",
        ),
        ("peer api-76d98597b9-kxzwt joined", "peer api-* joined"),
        ("AKIAIOSFODNN7EXAMPLE12345 used", "* used"),
        (
            "from fe80::1 and [::1]:80 by bob@example.com",
            "from * and / * / * by *",
        ),
        ("Fri Oct  2 20:35:48 UTC 2026 up", "Fri Oct * * UTC * up"),
        ("-12.5 +3 #4 100% 1m30s", ""),
        ("", ""),
        ("\u{1}\u{2}\u{3} \u{7f}", ""),
    ] {
        assert_eq!(masked(line), left, "{line}");
    }
}

#[test]
fn hostile_lines_end_and_leave_nothing_that_commands() {
    let mut long = "\"".repeat(5_000);
    long.push_str(&"'a".repeat(5_000));
    for line in [
        long.as_str(),
        "\"unclosed 'and \\",
        "\\",
        "\u{1b}",
        "\u{1b}[",
        "key=",
        "user=",
        "request: \"GET /",
        "user={{{{",
        "éé=üü ößß 日本語 \u{202e}x",
        "a\u{fffd}\u{fffd}b",
        "GET ",
        "GET /\" onload=x",
        "://",
        "=====",
    ] {
        let out = masked(line);
        assert!(out.len() < 1_000, "{line}");
        assert!(!out.contains('\u{1b}'), "{line}");
    }
    assert!(masked(&"x y ".repeat(1 << 18)).len() < 410);
}
