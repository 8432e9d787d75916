//! Lines of access logs and of clients as programs write them.

use std::collections::BTreeSet;

use super::{FORMATS, Side, read, told};
use crate::analysis::signals::table::Kind;

fn route(line: &str) -> Option<(String, u16)> {
    let (_, side, route, status, _) = whole(line)?;
    (side == Side::Server).then_some((route, status))
}

/// Format, side, route, status, and what is told of the upstream.
type Whole = (&'static str, Side, String, u16, Vec<(Kind, String)>);

fn whole(line: &str) -> Option<Whole> {
    let told = told(line.as_bytes());
    let (seen, facts) = read(line.as_bytes(), told.as_ref())?;
    let facts = facts
        .into_iter()
        .map(|fact| (fact.kind, fact.text))
        .collect();
    Some((
        seen.by,
        seen.side,
        super::route_of(seen.reply()),
        seen.status,
        facts,
    ))
}

#[test]
fn nginx_combined_and_main() {
    assert_eq!(
        route(
            r#"127.0.0.1 - - [30/Nov/2026:02:49:22 +0000] "GET /one HTTP/1.1" 502 157 "-" "curl/7.88.1""#
        ),
        Some(("GET /one".to_owned(), 502))
    );
    assert_eq!(
        route(
            r#"10.244.1.43 - - [02/Oct/2026:20:35:48 +0000] "GET /api/items?page=2 HTTP/1.1" 504 167 "-" "Wget" "-""#
        ),
        Some(("GET /api/items".to_owned(), 504))
    );
}

#[test]
fn ids_are_masked_so_that_counts_come_together() {
    assert_eq!(
        route(
            r#"1.2.3.4 - - [30/Nov/2026:02:49:22 +0000] "PUT /users/42/7c9e6679-7425-40de-944b-e07fc1f90ae7 HTTP/2.0" 200 -"#
        ),
        Some(("PUT /users/*/*".to_owned(), 200))
    );
}

#[test]
fn the_kubelets_probes_are_no_route() {
    for probe in [
        r#"10.244.1.1 - - [30/Nov/2026:06:15:14 +0000] "GET /healthz HTTP/1.1" 200 3 "-" "kube-probe/1.37" "-""#,
        r#"{"method":"GET","path":"/healthz","status":200,"user_agent":"kube-probe/1.37"}"#,
        r#"{"status":200,"request":{"method":"GET","uri":"/healthz","headers":{"User-Agent":["kube-probe/1.37"]}}}"#,
        r#"method=GET path=/healthz status=200 user_agent="kube-probe/1.37""#,
        r#"[2026-11-30T02:49:22.123Z] "GET /healthz HTTP/1.1" 200 - 0 95 0 0 "-" "kube-probe/1.37" "id" "api" "127.0.0.1:8080""#,
    ] {
        assert_eq!(route(probe), Some((String::new(), 200)), "{probe}");
    }
}

#[test]
fn other_lines_are_none() {
    for line in [
        r#"2026/11/30 06:15:14 [notice] 1#1: nginx/1.22.1"#,
        r#"level=info request="[x] \"GET / 200""#,
        r#"{"level":"info","status":"ok","path":"/x","method":"GET"}"#,
        r#"{"level":"info","status":200}"#,
        "method=GET status=200",
        "moved a -> b",
        "GET /x -> /y",
    ] {
        assert_eq!(route(line), None, "{line}");
    }
}

#[test]
fn every_format_reads_its_line() {
    let names: BTreeSet<&str> = FORMATS.iter().map(|(name, _)| *name).collect();
    assert_eq!(names.len(), FORMATS.len());
    for (name, line) in FORMATS {
        let (by, side, route, status, _) = whole(line).expect(line);
        // The controller's format is the common one with more behind it.
        let by = if *name == "ingress-nginx" { name } else { by };
        let client = matches!(*name, "urllib3" | "httpx" | "client");
        let failed = if line.contains("503") { 503 } else { 502 };
        assert_eq!(
            (by, side == Side::Client, route.as_str(), status),
            (*name, client, "GET /api/items", failed),
            "{line}"
        );
    }
}

#[test]
fn json_and_logfmt_of_many_loggers() {
    for line in [
        // nginx with a JSON format.
        r#"{"time":"2026-11-30T02:49:22+00:00","remote_addr":"10.244.0.9","request":"GET /api/items?x=1 HTTP/1.1","status":"502","body_bytes_sent":"157"}"#,
        // Envoy.
        r#"{"method":"GET","path":"/api/items","protocol":"HTTP/1.1","response_code":502,"response_flags":"-","upstream_host":"-"}"#,
        // Traefik.
        r#"{"ClientAddr":"10.244.0.9:4711","DownstreamStatus":502,"OriginStatus":0,"RequestMethod":"GET","RequestPath":"/api/items","level":"info","msg":""}"#,
        // Caddy.
        r#"{"level":"info","ts":1764470962.123,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"10.244.0.9","proto":"HTTP/1.1","method":"GET","host":"x","uri":"/api/items","headers":{"User-Agent":["curl/8.5.0"]}},"duration":0.001,"size":0,"status":502}"#,
        // zap, zerolog, logrus, slog.
        r#"{"level":"info","ts":1764470962.1,"caller":"web/log.go:12","msg":"request","status":502,"method":"GET","path":"/api/items","latency":0.001}"#,
        r#"{"level":"info","method":"GET","url":"/api/items","status":502,"size":157,"duration":1.2,"time":"2026-11-30T02:49:22Z"}"#,
        r#"time="2026-11-30T02:49:22Z" level=info msg="request completed" method=GET path=/api/items status=502"#,
        r#"time=2026-11-30T02:49:22.123Z level=INFO msg=request method=GET uri=/api/items?x=1 status=502 ua="x status=200""#,
        // pino and express.
        r#"{"level":30,"time":1764470962123,"req":{"id":1,"method":"GET","url":"/api/items?x=1","headers":{"host":"x"}},"res":{"statusCode":502},"responseTime":3,"msg":"request completed"}"#,
        r#"{"message":"HTTP GET /api/items","level":"info","meta":{},"req.method":"GET","req.url":"/api/items","res.statusCode":502}"#,
        // lograge.
        "method=GET path=/api/items format=json controller=ItemsController action=index status=502 duration=58.33 view=40.43",
        // OpenTelemetry's names, and ECS.
        r#"{"http.request.method":"GET","url.path":"/api/items","http.response.status_code":502}"#,
        r#"{"http":{"request":{"method":"GET"},"response":{"status_code":502}},"url":{"path":"/api/items"},"message":"x"}"#,
        // Spring.
        r#"{"@timestamp":"2026-11-30T02:49:22Z","logger_name":"access","method":"GET","requestURI":"/api/items","request_uri":"/api/items","status_code":502}"#,
    ] {
        assert_eq!(
            route(line),
            Some(("GET /api/items".to_owned(), 502)),
            "{line}"
        );
    }
}

#[test]
fn a_field_that_is_there_twice_tells_nothing() {
    for line in [
        r#"{"method":"GET","path":"/x","status":200,"status":502}"#,
        "method=GET path=/x status=200 status=502",
    ] {
        assert_eq!(route(line), None, "{line}");
    }
}

#[test]
fn upstreams_of_custom_formats() {
    let line = |tail: &str| {
        let line = format!(
            r#"10.244.0.9 - - [30/Nov/2026:02:49:22 +0000] "GET /x HTTP/1.1" 502 157 "-" "curl"{tail}"#
        );
        whole(&line).expect("a request").4
    };
    let failed = |text: &str| (Kind::Upstream, text.to_owned());
    let reached = |text: &str| (Kind::Reached, text.to_owned());
    assert_eq!(
        line(r#" upstream_addr="10.0.0.1:8999, 10.0.0.2:8998" upstream_status="502, 200""#),
        [failed("10.0.0.1:8999"), reached("10.0.0.2:8998")]
    );
    assert_eq!(
        line(" rt=0.001 upstream_addr=10.0.0.1:8999 upstream_status=502"),
        [failed("10.0.0.1:8999")]
    );
    assert_eq!(
        line(" upstream: 10.0.0.1:8999, 10.0.0.2:8999 us: 504, 200 t=1"),
        [failed("10.0.0.1:8999"), reached("10.0.0.2:8999")]
    );
    assert_eq!(line(r#" upstream_addr="-""#), []);
    assert_eq!(line(r#" upstream_addr="app" upstream_status="502""#), []);
    // Twice: one of them may be a client's.
    assert_eq!(
        line(" x upstream_addr=10.0.0.1:1 upstream_addr=10.0.0.2:2"),
        []
    );
    // This may be the user agent.
    assert_eq!(line(r#" ua="10.0.0.1:8999""#), []);
}

#[test]
fn a_request_that_ends_in_pairs_is_read_as_all_requests_are() {
    let line = r#"10.0.0.9 - - [30/Nov/2026:02:49:22 +0000] "GET /x HTTP/1.1" 502 157 "-" "curl" method=PUT path=/y status=200 ups_addr="10.0.0.1:80""#;
    let (by, _, route, status, facts) = whole(line).expect("a request");
    assert_eq!((by, route.as_str(), status), ("common", "GET /x", 502));
    assert_eq!(facts, [(Kind::Upstream, "10.0.0.1:80".to_owned())]);
}

#[test]
fn proxies_name_upstreams_and_flags() {
    let facts = |name: &str| {
        let (_, line) = FORMATS
            .iter()
            .find(|(known, _)| *known == name)
            .expect(name);
        whole(line).expect(name).4
    };
    let fact = |kind, text: &str| (kind, text.to_owned());
    assert_eq!(
        facts("ingress-nginx"),
        [
            fact(Kind::Upstream, "10.244.1.7:8000"),
            fact(Kind::Upstream, "10.244.1.8:8000")
        ]
    );
    for name in ["envoy", "istio"] {
        assert_eq!(
            facts(name),
            [
                fact(Kind::Flag, "UF"),
                fact(Kind::Upstream, "10.244.1.7:8000")
            ]
        );
    }
    assert_eq!(facts("haproxy"), [fact(Kind::Backend, "web/s2")]);
    assert_eq!(facts("urllib3"), [fact(Kind::Reached, "api:8000")]);
    let json = r#"{"method":"GET","path":"/x","response_code":503,"response_flags":"UF,URX","upstream_host":"10.244.1.7:8000"}"#;
    assert_eq!(
        whole(json).expect("JSON").4,
        [
            fact(Kind::Flag, "UF"),
            fact(Kind::Flag, "URX"),
            fact(Kind::Upstream, "10.244.1.7:8000")
        ]
    );
    let well = r#"[2026-11-30T02:49:22.123Z] "GET /x HTTP/1.1" 200 - 0 95 1 0 "-" "curl" "id" "api" "10.244.1.7:8000""#;
    assert_eq!(
        whole(well).expect("Envoy").4,
        [fact(Kind::Reached, "10.244.1.7:8000")]
    );
}

#[test]
fn a_client_cannot_plant_an_upstream_in_a_proxys_line() {
    for line in [
        // One quote more, which Envoy does not escape.
        r#"[2026-11-30T02:49:22.123Z] "GET /x HTTP/1.1" 503 UF 0 95 0 - "-" "evil" "id" "api" "10.0.0.1:1" "id" "api" "-""#,
        r#"[2026-11-30T02:49:22.123Z] "GET /" 200 - 0 0 0 - "-" "a" "b" "c" "10.0.0.1:1" HTTP/1.1" 503 UF 0 95 0 - "-" "evil" "id" "api" "-""#,
    ] {
        assert_eq!(whole(line), None, "{line}");
    }
}

#[test]
fn clients_tell_that_no_answer_came() {
    let line = "2026-11-30T07:34:49Z GET /api/items -> timeout";
    let (by, side, route, status, _) = whole(line).expect("a client's line");
    assert_eq!(
        (by, side, route.as_str(), status),
        ("client", Side::Client, "GET /api/items", 0)
    );
    let line = "GET http://frontend/api/items 504";
    let (_, side, route, status, _) = whole(line).expect("a client's line");
    assert_eq!(
        (side, route.as_str(), status),
        (Side::Client, "GET /api/items", 504)
    );
    // What it asked is no answer that it gave.
    assert!(!super::is_answer(line));
}

#[test]
fn a_quote_within_a_request_of_apache_ends_nothing() {
    let line = r#"10.244.0.9 - - [30/Nov/2026:02:49:22 +0000] "GET /api/\" 500 1 \" HTTP/1.1" 200 157 "-" "x""#;
    assert_eq!(route(line).expect("an answer").1, 200);
}
