//! Addresses in contents.

use super::{HostPort, endpoints_in};
use crate::model::Content;

#[test]
fn addresses_are_found_and_times_are_not() {
    let content = Content::text([(
        "default.conf",
        "server api:8080;\nurl http://db.shop.svc.cluster.local:5432/x at 10:30 on 10.0.0.7:99",
    )]);
    let found: Vec<String> = endpoints_in(&content)
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        found,
        ["10.0.0.7:99", "api:8080", "db.shop.svc.cluster.local:5432"]
    );
}

#[test]
fn addresses_are_read_in_all_forms() {
    let v6 = HostPort::parse("[fd00::1]:8000");
    assert_eq!(v6.map(|a| a.to_string()).as_deref(), Some("[fd00::1]:8000"));
    assert_eq!(HostPort::parse("api"), None);
    assert_eq!(HostPort::parse("api:99999"), None);
    assert_eq!(HostPort::parse("a b:80"), None);
}
