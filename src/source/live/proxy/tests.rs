//! The environment and the kubeconfig's proxy-url, as Go reads them (golang.org/x/net/http/httpproxy).

use http::Uri;

use super::{from_environment, parse};

/// The proxy for a server with this HTTPS_PROXY, HTTP_PROXY and NO_PROXY.
fn proxy(server: &str, no_proxy: &str) -> Option<String> {
    let server: Uri = server.parse().expect("an address");
    let found = from_environment(&server, |name| match name {
        "HTTPS_PROXY" => Some("http://secure.test:3128".to_owned()),
        "http_proxy" => Some("plain.test:3128".to_owned()),
        "NO_PROXY" => Some(no_proxy.to_owned()),
        _ => None,
    });
    let found = found.expect("proxies that can be used");
    found.map(|proxy| proxy.to_string())
}

fn exempt(no_proxy: &str, host: &str) -> bool {
    proxy(&format!("https://{host}"), no_proxy).is_none()
}

#[test]
fn the_scheme_decides_which_variable_counts() {
    let secure = proxy("https://api.test:6443", "");
    assert_eq!(secure.as_deref(), Some("http://secure.test:3128/"));
    let plain = proxy("http://api.test:8080", "");
    assert_eq!(plain.as_deref(), Some("http://plain.test:3128/"));
}

#[test]
fn this_machine_is_never_asked_through_a_proxy_of_the_environment() {
    for host in [
        "localhost:6443",
        "127.0.0.1:6443",
        "127.9.9.9",
        "[::1]:6443",
    ] {
        assert!(exempt("", host), "{host}");
    }
    assert!(!exempt("", "localhost.example.org"));
}

#[test]
fn no_proxy_names_hosts_domains_ports_and_networks() {
    for (list, host) in [
        ("10.0.0.1", "10.0.0.1:6443"),
        ("10.0.0.1:6443", "10.0.0.1:6443"),
        ("10.0.0.1:443", "10.0.0.1"),
        ("a, .example.org ,", "api.example.org"),
        ("example.org", "example.org"),
        ("example.org", "api.example.org"),
        ("EXAMPLE.org:6443", "api.Example.org:6443"),
        ("*.example.org", "api.example.org"),
        ("10.0.0.0/8", "10.200.3.4"),
        ("0.0.0.0/0", "10.200.3.4"),
        ("*", "anything"),
        ("x,*", "anything"),
        ("fd00::/8", "[fd00::1]:6443"),
        ("fd00::1", "[fd00::1]:6443"),
        ("[fd00::1]:6443", "[fd00::1]:6443"),
    ] {
        assert!(exempt(list, host), "{list:?} exempts {host}");
    }
}

#[test]
fn no_proxy_leaves_others_alone() {
    for (list, host) in [
        ("", "10.0.0.1"),
        (",,", "10.0.0.1"),
        ("10.0.0.1:6443", "10.0.0.1:443"),
        ("10.0.0.1", "10.0.0.11"),
        ("example.org", "badexample.org"),
        ("example.org:443", "example.org:6443"),
        // Only what is below, as Go has it.
        (".example.org", "example.org"),
        ("*.example.org", "example.org"),
        ("*example.org", "badexample.org"),
        ("10.0.0.0/8", "11.0.0.1"),
        ("10.0.0.0/8", "fd00.example.org"),
        ("10.0.0.0/33", "10.0.0.1"),
        ("fd00::/8", "[fe00::1]"),
        (":6443", "10.0.0.1:6443"),
    ] {
        assert!(!exempt(list, host), "{list:?} leaves {host} alone");
    }
}

#[test]
fn a_proxy_is_http_unless_it_says_otherwise() {
    for (text, uri) in [
        ("proxy.test:3128", "http://proxy.test:3128/"),
        ("proxy.test", "http://proxy.test/"),
        ("https://proxy.test:3129", "https://proxy.test:3129/"),
        ("socks5://proxy.test", "socks5://proxy.test:1080/"),
        ("socks5h://proxy.test:1081", "socks5://proxy.test:1081/"),
    ] {
        let parsed = parse(text).expect(text);
        assert_eq!(parsed.to_string(), uri);
    }
}

#[test]
fn what_is_no_proxy_is_told_without_its_password() {
    for text in [
        "ftp://me:hunter2@proxy.test",
        "http://",
        "http://me:hunter2@:x",
    ] {
        let said = parse(text).expect_err(text);
        assert!(!said.contains("hunter2"), "{said}");
        assert!(said.contains("proxy"), "{said}");
    }
    let server: Uri = "https://api.test".parse().expect("an address");
    let said = from_environment(&server, |name| {
        (name == "https_proxy").then(|| "ftp://proxy.test".to_owned())
    });
    assert!(said.expect_err("no such kind").contains("https_proxy"));
}
