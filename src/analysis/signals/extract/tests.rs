//! What one line tells, and what of it stands.

use super::facts;
use crate::analysis::signals::Kind;
use crate::analysis::signals::access::told;

fn of(line: &str) -> Vec<(Kind, String)> {
    let told = told(line.as_bytes());
    facts(line.as_bytes(), told.as_ref())
        .into_iter()
        .map(|fact| (fact.kind, fact.text))
        .collect()
}

#[test]
fn a_place_is_worth_more_than_that_there_was_none() {
    assert_eq!(
        of("java.net.ConnectException: Connection refused: api.shop/10.96.0.7:8000"),
        [(Kind::Upstream, "10.96.0.7:8000".to_owned())]
    );
    assert_eq!(
        of("java.net.ConnectException: Connection refused"),
        [(Kind::Unnamed, String::new())]
    );
}

#[test]
fn a_name_that_was_not_resolved_was_not_connected_to() {
    assert_eq!(
        of("redis: Error -2 connecting to redis.invalid:6379. Name or service not known."),
        [(Kind::Unresolved, "redis.invalid".to_owned())]
    );
    let failed = r#"HTTPConnectionPool(host='api.invalid', port=80): Max retries exceeded with url: /x (Caused by NameResolutionError("HTTPConnection(host='api.invalid', port=80): Failed to resolve 'api.invalid' ([Errno -2] Name or service not known)"))"#;
    assert_eq!(of(failed), [(Kind::Unresolved, "api.invalid".to_owned())]);
}

#[test]
fn of_nginx_only_its_own_extractors_count() {
    assert_eq!(
        of(
            r#"2026/11/30 02:49:22 [error] 29#29: *1 open() "/srv/connect ECONNREFUSED 10.0.0.1:1" failed (2: No such file or directory)"#
        ),
        []
    );
}

#[test]
fn what_nginx_says_of_an_upstream_that_does_not_fail_counts_for_nothing() {
    let tail = r#", client: 10.244.1.57, server: , request: "GET /x HTTP/1.1", upstream: "http://10.96.0.7:8085/", host: "x""#;
    for head in [
        "[warn] 8#8: *1 an upstream response is buffered to a temporary file /var/cache/nginx/proxy_temp/1 while reading upstream",
        "[info] 8#8: *1 epoll_wait() reported that client prematurely closed connection, so upstream connection is closed too while sending request to upstream",
        "[debug] 8#8: *1 connect to 10.96.0.7:8085 while connecting to upstream",
    ] {
        let line = format!("2026/11/30 02:49:22 {head}{tail}");
        assert_eq!(facts(line.as_bytes(), None), Vec::new(), "{line}");
    }
}

#[test]
fn a_decoded_path_in_the_log_of_a_framework_is_its_clients() {
    for line in [
        "Not Found: /Error: connect ECONNREFUSED 192.0.2.6:6",
        r#"Started GET "/dial tcp 192.0.2.6:6: connect: connection refused" for 10.244.0.9 at 2026-11-30 02:49:22 +0000"#,
        r#"ActionController::RoutingError (No route matches [GET] "/dial tcp 192.0.2.6:6: connect: connection refused"):"#,
        r"10.244.0.9 - - [30/Nov/2026 02:49:22] code 400, message Bad request syntax ('dial tcp 192.0.2.6:6: connect: connection refused')",
    ] {
        assert_eq!(facts(line.as_bytes(), None), Vec::new(), "{line}");
    }
}
