//! Lines of nginx's error log.

use super::address;

#[test]
fn the_address_is_read() {
    let line = r#"2026/11/30 02:49:22 [error] 23460#23460: *1 connect() failed (111: Connection refused) while connecting to upstream, client: 127.0.0.1, server: , request: "GET /one HTTP/1.1", upstream: "http://127.0.0.1:8999/one", host: "127.0.0.1:18080""#;
    assert_eq!(
        address(line).map(|a| a.to_string()).as_deref(),
        Some("127.0.0.1:8999")
    );
}

#[test]
fn a_group_without_a_live_member_has_no_address() {
    let line = r#"[error] *1 no live upstreams while connecting to upstream, client: 127.0.0.1, request: "GET /two HTTP/1.1", upstream: "http://app/two", host: "x""#;
    assert_eq!(address(line), None);
}

#[test]
fn a_client_cannot_plant_an_address() {
    let line = r#"[error] *1 upstream timed out, request: "GET /", upstream: "http://10.0.0.1:1/ HTTP/1.1", upstream: "http://10.96.0.1:8080/", host: "x""#;
    assert_eq!(address(line), None);
}
