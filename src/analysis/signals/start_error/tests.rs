//! Errors of start-up.

use super::is_one;

#[test]
fn start_up_and_parse_errors() {
    assert!(is_one(
        r#"2026/11/30 06:16:40 [emerg] 1#1: unknown directive "locatoin" in /etc/nginx/conf.d/default.conf:1"#
    ));
    assert!(is_one(
        "panic: yaml: line 3: mapping values are not allowed in this context"
    ));
    assert!(is_one(
        "[ALERT]    (1) : config : parsing [/usr/local/etc/haproxy/haproxy.cfg:3] : unknown keyword"
    ));
    assert!(!is_one("GET /config 200"));
}
