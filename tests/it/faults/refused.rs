//! Lists that are refused: the header claims nothing of them, and they are read as soon as they may be.

use confsplit::model::Kind;
use confsplit::sim::Rights;
use serde_json::json;

use crate::simulated::cluster::Played;
use crate::simulated::desk::Desk;

/// Longer than the second try is away, which follows the first after a minute.
const TRIED_AGAIN: u64 = 100;

fn without(resource: &str) -> Rights {
    Rights::default().without("list", resource)
}

/// How often a list, no watch, was asked for.
fn lists(desk: &Desk, resource: &str) -> usize {
    let path = format!("/namespaces/shop/{resource}");
    let asked = desk.played.wire.asked();
    asked
        .iter()
        .filter(|line| line.contains(&path) && !line.contains("watch="))
        .count()
}

#[tokio::test(start_paused = true)]
async fn each_list_that_is_refused_at_first_is_named_in_the_header_and_read_once_it_may_be() {
    for kind in Kind::ALL {
        let resource = kind.resource();
        let played = Played::named("env-frozen");
        played.sim.set_rights(without(resource));
        let mut desk = Desk::over(played);
        desk.pass(20).await;
        desk.says(&format!("NOT READ: {resource}; the rest is live"));
        desk.says_not("● live");
        desk.press("w");
        desk.says(&format!("no permission: list {resource}"));
        desk.press("\u{1b}");
        desk.played.sim.set_rights(Rights::default());
        desk.wait_for("● live").await;
        desk.says_not("NOT READ");
        // The link is told at once, the facts with the next look.
        desk.pass(5).await;
        desk.press("w");
        desk.says_not(&format!("no permission: list {resource}"));
    }
}

#[tokio::test(start_paused = true)]
async fn what_stays_refused_is_asked_for_ever_more_seldom() {
    let played = Played::named("env-frozen");
    played.sim.set_rights(without("events"));
    let mut desk = Desk::over(played);
    desk.pass(TRIED_AGAIN).await;
    assert_eq!(lists(&desk, "events"), 3, "at once, after 30 s and 60 s");
    desk.pass(400).await;
    assert_eq!(lists(&desk, "events"), 5, "after 120 s and 240 s more");
    // What was read meanwhile goes on being watched.
    let edit = json!({"data": {"FEATURE_RECS": "later"}});
    desk.played.patch("configmaps", "features", &edit).await;
    desk.wait_for("later").await;
    desk.says("NOT READ: events");
}
