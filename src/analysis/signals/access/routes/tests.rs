//! A route is told again without being written, whatever a client asks for.

use super::{Reply, is_route, route_of, write_route};
use crate::analysis::signals::Side;

fn reply<'a>(method: &'a str, target: &'a str) -> Reply<'a> {
    Reply {
        by: "common",
        side: Side::Server,
        method: method.as_bytes(),
        target: target.as_bytes(),
        status: 200,
        probe: false,
    }
}

#[test]
fn a_route_is_told_again_only_where_it_would_be_written() {
    let long = format!("/{}/12345/x", "a".repeat(290));
    let targets = [
        "/",
        "/a",
        "/a/",
        "/a/1",
        "/a/22",
        "/a/*",
        "/a/1/b",
        "/a/22/b?c=1",
        "/a/*/b",
        "/a/x1/b",
        "/a/x2/b",
        "/a/x*/b",
        "/a/x*",
        "/a/*x",
        "/a/1x",
        "/a/7c9e6679-7425",
        "/a/7c9e6679-742g",
        "/a/abcdefab",
        "/a/?1",
        "/a?1",
        "/a#1",
        "/a/1?",
        "12",
        "*",
        "1/",
        "*/",
        "x",
        "",
        "http://h/a/1",
        "https://h:1/a/22?x",
        "http://h",
        "/a//1",
        "/a//*",
        "//1",
        &long,
        &long[..296],
    ];
    for (first, known) in ["GET", "POST", "GETS"]
        .into_iter()
        .flat_map(|m| targets.map(|t| (m, t)))
    {
        let mut route = Vec::new();
        write_route(reply(first, known), &mut route);
        for (method, target) in ["GET", "PUT"]
            .into_iter()
            .flat_map(|m| targets.map(|t| (m, t)))
        {
            let again = reply(method, target);
            let written = route_of(again).into_bytes() == route;
            assert_eq!(is_route(again, &route), written, "{known} and {target}");
        }
    }
}
