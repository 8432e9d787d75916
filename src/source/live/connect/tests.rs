//! Which hosts NO_PROXY exempts.

use super::exempt;

#[test]
fn no_proxy_names_hosts_domains_and_networks() {
    assert!(exempt("10.0.0.1", "10.0.0.1"));
    assert!(exempt("localhost, .example.org", "api.example.org"));
    assert!(exempt("example.org", "api.example.org"));
    assert!(exempt("10.0.0.0/8", "10.200.3.4"));
    assert!(exempt("*", "anything"));
    assert!(exempt("fd00::/8", "[fd00::1]"));
}

#[test]
fn no_proxy_leaves_others_alone() {
    assert!(!exempt("", "10.0.0.1"));
    assert!(!exempt("example.org", "badexample.org"));
    assert!(!exempt("10.0.0.0/8", "11.0.0.1"));
    assert!(!exempt("127.0.0.1", "10.0.0.1"));
}
