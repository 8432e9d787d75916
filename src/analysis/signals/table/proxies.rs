//! Proxies: lines beside their access logs, which `access/` reads.

use super::{Kind, Row};

/// What stands before HAProxy's own messages: a syslog's head, its name, the level with the process.
macro_rules! haproxy {
    () => {
        r"^(?:<\d+>)?(?:[A-Z][a-z]{2} +\d+ [\d:]{8} )?(?:\S+ )?(?:haproxy\[\d+\]: )?(?:\[[A-Z]+\] +(?:\d+/\d+ )?(?:\(\d+\) )?: )?"
    };
}

pub(super) const ROWS: &[Row] = &[
    // The one stock log of nginx that has the address. The field comes after the request, so `extract` reads it by itself.
    Row::new(super::super::extract::NGINX_UPSTREAM, Kind::Upstream, &["upstream: \""])
        .sample(
            r#"2026/11/30 02:49:22 [error] 23460#23460: *1 connect() failed (111: Connection refused) while connecting to upstream, client: 10.244.0.9, server: , request: "GET /one HTTP/1.1", upstream: "http://10.96.0.7:8000/one", host: "frontend""#,
            "10.96.0.7:8000",
        ),
    Row::new(super::super::extract::NGINX_GROUP, Kind::Backend, &["no live upstreams"])
        .sample(
            r#"2026/11/30 02:49:22 [error] 23460#23460: *3 no live upstreams while connecting to upstream, client: 10.244.0.9, server: , request: "GET /two HTTP/1.1", upstream: "http://app/two", host: "frontend""#,
            "app",
        ),
    Row::new("nginx-name", Kind::Unresolved, &["host not found in upstream"])
        .pattern(r#"^(?:[\d/]{10} [\d:]{8} )?\[emerg\] \d+#\d+: host not found in upstream "(?P<n>[\w.-]+)"#)
        .sample(
            r#"2026/11/30 02:49:20 [emerg] 1#1: host not found in upstream "api.shop" in /etc/nginx/conf.d/default.conf:4"#,
            "api.shop",
        ),
    // The name may be the one that the client asked for (`proxy_pass http://$host`): not where the line says so.
    Row::new(super::super::extract::NGINX_RESOLVER, Kind::Unresolved, &["could not be resolved"])
        .pattern(r"^(?:[\d/]{10} [\d:]{8} )?\[error\] \d+#\d+: \*\d+ (?P<n>[\w.-]+) could not be resolved \(")
        .sample(
            r#"2026/11/30 02:49:22 [error] 29#29: *1 api.shop.invalid could not be resolved (3: Host not found), client: 10.244.0.9, server: , request: "GET / HTTP/1.1", host: "frontend""#,
            "api.shop.invalid",
        ),
    Row::new("haproxy-down", Kind::Backend, &[" is DOWN"])
        .pattern(concat!(haproxy!(), r"Server (?P<n>[\w.-]+/[\w.-]+) is DOWN[.,]"))
        .sample(
            r#"[WARNING]  (8) : Server web/s1 is DOWN, reason: Layer4 connection problem, info: "Connection refused", check duration: 0ms. 1 active and 0 backup servers left. 0 sessions active, 0 requeued, 0 remaining in queue."#,
            "web/s1",
        ),
    Row::new("haproxy-empty", Kind::Backend, &["has no server available"])
        .pattern(concat!(haproxy!(), r"backend '?(?P<n>[\w.-]+)'? has no server available!"))
        .sample("[ALERT]    (8) : backend 'web' has no server available!", "web"),
    // The body that Envoy answers with, as programs behind it log it.
    Row::new("envoy-body", Kind::Unnamed, &["upstream connect error"])
        .pattern(r"upstream connect error or disconnect/reset before headers\.")
        .sample(
            "upstream connect error or disconnect/reset before headers. retried and the latest reset reason: remote connection failure, transport failure reason: delayed connect error: Connection refused",
            "",
        ),
];
