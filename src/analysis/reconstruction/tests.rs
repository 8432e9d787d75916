//! What is replaced, and what only looks like it.

use std::collections::BTreeMap;

use super::replace;

fn replaced(text: &str) -> String {
    let mut data = BTreeMap::from([("k".to_owned(), text.to_owned())]);
    replace(&mut data, "api:80", "api:8080");
    data.remove("k").unwrap_or_default()
}

#[test]
fn an_address_is_replaced_where_it_stands_by_itself() {
    assert_eq!(replaced("server api:80;"), "server api:8080;");
    assert_eq!(
        replaced("http://api:80/x api:80"),
        "http://api:8080/x api:8080"
    );
    assert_eq!(
        replaced("api:8000 my-api:80 v1.api:80"),
        "api:8000 my-api:80 v1.api:80"
    );
}
