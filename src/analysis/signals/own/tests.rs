//! Where a client's text begins.

use super::{is_nginx, own};

#[test]
fn the_programs_words_end_where_a_clients_begin() {
    for (line, expected) in [
        (
            "dial tcp 10.0.0.1:80: i/o timeout",
            "dial tcp 10.0.0.1:80: i/o timeout",
        ),
        ("x, request: \"GET / HTTP/1.1\", host: \"y\"", "x, "),
        ("level=info user_agent=\"y\"", "level=info "),
        ("INFO handled GET /x", "INFO handled "),
        ("handled /items?q=1", "handled "),
        ("User-Agent: x", ""),
        (
            "Get \"http://api/x\": dial tcp",
            "Get \"http://api/x\": dial tcp",
        ),
        (
            "open /etc/app/config.yaml: no such file",
            "open /etc/app/config.yaml: no such file",
        ),
    ] {
        let end = own(line.as_bytes());
        assert_eq!(&line[..end], expected, "{line}");
    }
}

#[test]
fn lines_of_nginx_are_known() {
    assert!(is_nginx(b"2026/11/30 02:49:22 [error] 29#29: *1 x"));
    assert!(is_nginx(b"[error] *1 x"));
    assert!(!is_nginx(b"[GIN] 2026/11/30 - x"));
    assert!(!is_nginx(b"2026/11/30 02:49:22 dial tcp"));
}
