//! Counts, windows, and their bounds.

use super::{MOST, Tally};
use crate::analysis::signals::Kind;

fn tally(text: &str) -> Tally {
    let mut tally = Tally::default();
    tally.take(text.as_bytes());
    tally
}

#[test]
fn counts_have_their_window_and_their_last_line() {
    let tally = tally(
        "2026-11-30T02:49:22Z connect ECONNREFUSED 10.96.0.7:8000 first\n\
         2026-11-30T02:50:22.5Z connect ECONNREFUSED 10.96.0.7:8000 last\n\
         2026-11-30T02:51:00Z GET http://x/a 200\n\
         GET http://x/a timeout\n",
    );
    let items = tally.items();
    let item = items
        .iter()
        .find(|item| item.kind == Kind::Upstream)
        .expect("the upstream");
    assert_eq!(
        (item.count, item.name, item.text.as_str()),
        (2, "node-connect", "10.96.0.7:8000")
    );
    assert_eq!(item.line, "connect ECONNREFUSED 10.96.0.7:8000 last");
    let shown = |moment: Option<crate::analysis::Moment>| moment.map(|m| m.at.to_string());
    assert_eq!(shown(item.first).as_deref(), Some("2026-11-30 02:49:22"));
    assert_eq!(shown(item.last).as_deref(), Some("2026-11-30 02:50:22.500"));
    assert_eq!(
        shown(tally.span().1).as_deref(),
        Some("2026-11-30 02:51:00")
    );
    assert_eq!((tally.telling, tally.untimed), (4, 1));
    let routes = tally.routes();
    assert_eq!(
        (
            routes[0].route.as_str(),
            routes[0].total(),
            routes[0].failed()
        ),
        ("GET /a", 2, 1)
    );
}

#[test]
fn a_line_of_several_facts_is_counted_once_as_a_line() {
    let tally = tally(
        r#"[2026-11-30T02:49:22.123Z] "GET /x HTTP/1.1" 503 UF 0 95 0 - "-" "curl" "id" "api" "10.244.1.7:8000""#,
    );
    assert_eq!(tally.telling, 1);
    assert_eq!(tally.items().len(), 2);
}

#[test]
fn many_routes_and_addresses_are_bounded_and_none_is_lost() {
    let mut tally = Tally::default();
    for n in 0..10_000 {
        let line = format!(
            "10.0.0.9 - - [30/Nov/2026:02:49:22 +0000] \"GET /a{n}b/x HTTP/1.1\" 500 1 \"-\" \"c\"\nconnect ECONNREFUSED host-{n}:80\n"
        );
        tally.take(line.as_bytes());
    }
    let routes = tally.routes();
    assert!(routes.len() <= 2_001, "{}", routes.len());
    assert_eq!(
        routes.iter().map(super::Route::failed).sum::<usize>(),
        10_000
    );
    assert!(
        routes
            .iter()
            .any(|route| route.route == "GET (other routes)")
    );
    let items = tally.items();
    assert_eq!(items.len(), MOST);
    assert_eq!(
        items.iter().map(|item| item.count).sum::<usize>() + tally.beyond,
        10_000
    );
}

#[test]
fn methods_that_a_client_makes_up_take_no_room() {
    let mut tally = Tally::default();
    for n in 0..10_000 {
        let method =
            |at: u32| char::from(b'A' + u8::try_from(n / 26_u32.pow(at) % 26).unwrap_or(0));
        let line = format!(
            "10.0.0.9 - - [30/Nov/2026:02:49:22 +0000] \"X{}{}{} / HTTP/1.1\" 405 1 \"-\" \"c\"\n",
            method(0),
            method(1),
            method(2)
        );
        tally.take(line.as_bytes());
    }
    assert!(tally.routes().len() <= 2_001, "{}", tally.routes().len());
}
