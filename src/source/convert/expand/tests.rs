//! Expansion as the kubelet's own tests have it.

use super::{expanded, variables};

#[test]
fn variables_are_found_once_and_not_where_they_are_escaped() {
    assert_eq!(
        variables("http://$(HOST):$(PORT)/$(HOST)"),
        ["HOST", "PORT"]
    );
    assert!(variables("$$(HOST) $HOST ${HOST} $( and $").is_empty());
    assert_eq!(variables("$$$(HOST)"), ["HOST"]);
}

#[test]
fn a_text_is_expanded_or_not_known() {
    let value = |name: &str| (name == "POD").then(|| "web-0".to_owned());
    assert_eq!(
        expanded("conf/$(POD)", value).as_deref(),
        Some("conf/web-0")
    );
    assert_eq!(
        expanded("$$(POD)-$x-$", value).as_deref(),
        Some("$(POD)-$x-$")
    );
    assert_eq!(expanded("$(POD)/$(OTHER)", value), None);
}
