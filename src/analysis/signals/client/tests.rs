//! Client lines of several programs, and lines that are none.

use super::{NONE, asked};

fn told(line: &str) -> Option<(String, u16)> {
    asked(line, None).map(|answer| (answer.route, answer.status))
}

#[test]
fn what_was_asked_for_and_what_came() {
    let items = |status| Some(("GET /api/items".to_owned(), status));
    for (line, status) in [
        ("2026-10-02T20:35:52Z GET /api/items -> 504", 504),
        ("2026-10-02T20:35:54Z GET /api/items -> 200", 200),
        ("2026-10-02T20:35:25Z GET /api/items -> timeout", NONE),
        ("GET http://frontend/api/items?page=2 -> 200", 200),
        ("GET http://frontend:80/api/items 503 0.012s", 503),
        (
            "2026-10-02T20:35:52Z GET http://frontend/api/items timed out",
            NONE,
        ),
        ("504 http://frontend/api/items", 504),
        ("000 http://frontend/api/items", NONE),
        (
            r#"DEBUG:urllib3.connectionpool:http://frontend:80 "GET /api/items HTTP/1.1" 504 167"#,
            504,
        ),
        (
            r#"INFO:httpx:HTTP Request: GET http://frontend/api/items "HTTP/1.1 502 Bad Gateway""#,
            502,
        ),
        (
            r#"2026/10/02 20:35:52 Get "http://frontend/api/items": context deadline exceeded (Client.Timeout exceeded while awaiting headers)"#,
            NONE,
        ),
        (
            r#"time="2026-10-02T20:35:52Z" level=warning msg="Request Failed" error="Get \"http://frontend/api/items\": dial tcp: lookup frontend: no such host""#,
            NONE,
        ),
    ] {
        assert_eq!(told(line), items(status), "{line}");
    }
    assert_eq!(
        told("POST http://shop/orders/4711/pay 201"),
        Some(("POST /orders/*/pay".to_owned(), 201))
    );
    assert_eq!(
        told("GET http://frontend -> 200"),
        Some(("GET /".to_owned(), 200))
    );
}

#[test]
fn other_lines_are_none() {
    for line in [
        r#"10.244.1.43 - - [02/Oct/2026:20:36:00 +0000] "GET /api/items HTTP/1.1" 504 167 "http://x" "Wget" "-""#,
        "a -> b",
        "listening on http://0.0.0.0:8080",
        "GET /api/items -> 999",
        "state READY -> CONNECTING",
        "",
    ] {
        assert_eq!(told(line), None, "{line}");
    }
}
