//! Watches that end, stop, repeat, skip, go back or say nothing; and a server that comes back as another one.

use confsplit::app::{Link, Mode};
use confsplit::model::Kind;
use serde_json::json;

use crate::simulated::cluster::Played;
use crate::simulated::desk::Desk;
use crate::simulated::wire::{Asked, Fault};

/// The dashboard with everything read, and watches that are answered so from then on.
async fn with(kinds: &[Kind], fault: Fault) -> Desk {
    let mut desk = Desk::on("env-frozen").await;
    // A watch has shown by then that it is sent bookmarks.
    desk.pass(70).await;
    for kind in kinds {
        let asked = Asked::new("watch", kind.resource());
        desk.played.wire.fail(asked, fault);
    }
    desk.played.wire.cut();
    desk.pass(1).await;
    desk.played.wire.mend();
    desk
}

async fn edit(desk: &Desk, text: &str) {
    let edit = json!({"data": {"FEATURE_RECS": text}});
    desk.played.patch("configmaps", "features", &edit).await;
}

/// Whether the timeline has the gap.
fn is_told_as_lost(desk: &Desk) -> bool {
    let mut entries = desk
        .app
        .incidents()
        .iter()
        .flat_map(|incident| &incident.timeline);
    entries.any(|entry| entry.what.contains("the connection was lost"))
}

/// An edit is on screen within so many seconds.
async fn shows(desk: &mut Desk, text: &str, within: u64) {
    let step = if within > 60 { 10 } else { 1 };
    for _ in 0..within / step {
        desk.pass(step).await;
        if desk.words().contains(text) {
            return;
        }
    }
    panic!("{text} never came\n{}", desk.screen());
}

/// Told by the list's name at first, then listed in place of watched, until the watch holds again.
async fn is_listed_until_it_holds(fault: Fault) {
    let mut desk = with(&[Kind::ConfigMaps], fault).await;
    let mut named = false;
    for _ in 0..90 {
        desk.pass(1).await;
        named |= matches!(&desk.app.link, Some(Link::Lost { why, .. }) if why.starts_with("configmaps: "));
    }
    assert!(named, "{fault:?}: the list is named");
    desk.says("● live; listed every 15 s: configmaps");
    edit(&desk, "polled").await;
    shows(&mut desk, "polled", 61).await;
    desk.played.wire.make_good();
    desk.pass(90).await;
    desk.says_not("listed every");
    edit(&desk, "watched").await;
    shows(&mut desk, "watched", 3).await;
    assert!(is_told_as_lost(&desk), "{}", desk.screen());
}

macro_rules! broken {
    ($($name:ident: $fault:expr;)*) => {
        $(
            #[tokio::test(start_paused = true)]
            async fn $name() {
                is_listed_until_it_holds($fault).await;
            }
        )*
    };
}

broken! {
    a_watch_that_is_not_there: Fault::Status(404);
    a_watch_that_conflicts: Fault::Status(409);
    a_watch_that_is_invalid: Fault::Status(422);
    a_watch_for_which_there_is_too_much_to_do: Fault::Busy(7);
    a_watch_that_fails_inside: Fault::Status(500);
    a_watch_of_a_server_that_is_not_available: Fault::Status(503);
    a_watch_that_times_out_on_the_way: Fault::Status(504);
    a_watch_behind_a_broken_proxy: Fault::BadGateway;
    a_watch_that_is_the_page_of_a_login: Fault::Html;
    a_watch_that_is_garbage: Fault::Garbage;
    a_watch_of_which_half_comes: Fault::Half;
    a_watch_that_breaks_off: Fault::Breaks;
    a_watch_whose_connection_is_reset: Fault::Reset;
    a_watch_that_nobody_answers: Fault::Hangs;
    a_watch_of_another_kind: Fault::OtherKind;
}

/// Where each watch is too old at once, or ends at once, its list is read again and again, but not without a pause.
#[tokio::test(start_paused = true)]
async fn a_watch_that_never_holds_is_listed_instead() {
    for fault in [Fault::Status(410), Fault::Empty] {
        let mut desk = with(&[Kind::ConfigMaps], fault).await;
        desk.pass(60).await;
        let before = desk.played.wire.asked().len();
        desk.pass(60).await;
        let asked = desk.played.wire.asked().len() - before;
        assert!(asked < 60, "{asked} requests a minute");
        desk.says("● live; listed every 15 s: configmaps");
        edit(&desk, "polled").await;
        shows(&mut desk, "polled", 20).await;
        desk.played.wire.make_good();
        edit(&desk, "watched").await;
        shows(&mut desk, "watched", 20).await;
        desk.pass(90).await;
        desk.says_not("listed every");
    }
}

/// What comes twice happened once.
#[tokio::test(start_paused = true)]
async fn a_watch_that_repeats_itself_tells_nothing_twice() {
    let mut told = Vec::new();
    for fault in [None, Some(Fault::Repeats)] {
        let mut desk = match fault {
            Some(fault) => with(&Kind::ALL, fault).await,
            None => {
                let mut desk = Desk::on("env-frozen").await;
                desk.pass(71).await;
                desk
            }
        };
        edit(&desk, "once").await;
        shows(&mut desk, "once", 5).await;
        desk.pass(5).await;
        let incident = &desk.app.incidents()[0];
        let edits = incident
            .timeline
            .iter()
            .filter(|entry| entry.what.contains("once"));
        told.push((
            edits.count(),
            incident.revisions.len(),
            incident.replicas.len(),
        ));
    }
    assert_eq!(told[0], told[1]);
}

/// A server, or a proxy with several behind it, that goes back in time: what it says then is not taken for what is.
#[tokio::test(start_paused = true)]
async fn a_watch_that_goes_back_is_listed_anew() {
    let mut desk = with(&[Kind::ConfigMaps], Fault::GoesBack).await;
    for text in ["first", "second", "third"] {
        edit(&desk, text).await;
        shows(&mut desk, text, 30).await;
        desk.pass(5).await;
        desk.says(text);
    }
}

/// What one watch leaves out, the next list brings.
#[tokio::test(start_paused = true)]
async fn what_a_watch_left_out_is_seen_with_the_next_event_of_the_object() {
    let mut desk = with(&[Kind::ConfigMaps], Fault::Skips).await;
    edit(&desk, "left out").await;
    desk.pass(2).await;
    desk.says_not("left out");
    edit(&desk, "seen").await;
    shows(&mut desk, "seen", 5).await;
}

/// A watch that is dead says nothing: neither that, nor that something happened.
#[tokio::test(start_paused = true)]
async fn a_watch_that_falls_silent_for_ten_minutes_is_listed_instead() {
    let mut desk = with(&[Kind::ConfigMaps, Kind::Pods], Fault::Silent).await;
    for text in ["edit-1", "edit-2", "edit-3", "edit-4"] {
        edit(&desk, text).await;
        shows(&mut desk, text, 160).await;
        desk.says("● live; listed every 150 s: configmaps, pods");
    }
    desk.played.wire.make_good();
    desk.pass(170).await;
    desk.wait_for("● live").await;
    desk.pass(70).await;
    desk.says_not("listed every");
    edit(&desk, "watched").await;
    shows(&mut desk, "watched", 2).await;
}

/// Nothing happens for ten minutes but bookmarks: that is no loss, and nothing is listed again.
#[tokio::test(start_paused = true)]
async fn a_watch_that_has_nothing_but_bookmarks_is_live() {
    let mut desk = Desk::on("env-frozen").await;
    desk.pass(60).await;
    let lists = |desk: &Desk| {
        let asked = desk.played.wire.asked();
        let of_list = |line: &&String| line.contains("configmaps") && !line.contains("watch=");
        asked.iter().filter(of_list).count()
    };
    let before = lists(&desk);
    desk.pass(600).await;
    desk.says("● live");
    assert_eq!(lists(&desk), before);
    edit(&desk, "after all").await;
    shows(&mut desk, "after all", 2).await;
}

/// Away for a minute, while the dashboard goes on showing what it knew.
async fn away(desk: &mut Desk) {
    desk.played.wire.cut();
    desk.pass(60).await;
    desk.says("STALE");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_comes_back_newer_tells_what_is_new() {
    let mut desk = Desk::on("env-frozen").await;
    away(&mut desk).await;
    for n in 0..2000 {
        edit(&desk, &format!("newer-{n}")).await;
    }
    desk.played.wire.mend();
    shows(&mut desk, "newer-1999", 30).await;
    desk.wait_for("● live").await;
    desk.pass(2).await;
    assert!(is_told_as_lost(&desk), "{}", desk.screen());
}

#[tokio::test(start_paused = true)]
async fn a_server_that_was_taken_back_is_read_anew() {
    let mut desk = Desk::on("env-frozen").await;
    for n in 0..400 {
        edit(&desk, &format!("undone-{n}")).await;
    }
    shows(&mut desk, "undone-399", 5).await;
    let backup = Played::named("env-frozen");
    away(&mut desk).await;
    desk.played.wire.lead_to(&backup.sim);
    desk.played.wire.mend();
    desk.wait_for("The API server was taken back to an earlier state")
        .await;
    desk.pass(30).await;
    desk.says("● live");
    desk.says_not("undone-");
    assert_eq!(desk.app.incidents().len(), 1, "{}", desk.screen());
    desk.press("w");
    desk.says("The API server was taken back to an earlier state, and was read anew");
}

#[tokio::test(start_paused = true)]
async fn another_cluster_at_the_same_address_is_not_mixed_with_the_one_before() {
    let mut desk = Desk::on("env-frozen").await;
    assert_eq!(desk.app.incidents()[0].config.name, "features");
    let other = Played::named("subpath-frozen");
    away(&mut desk).await;
    desk.played.wire.lead_astray_to(&other.sim);
    desk.played.wire.mend();
    desk.wait_for("Another cluster answers at this address")
        .await;
    desk.says_not("features");
    desk.pass(30).await;
    desk.says("● live");
    let found: Vec<&str> = desk
        .app
        .incidents()
        .iter()
        .map(|i| &*i.config.name)
        .collect();
    let (_, alone) = other.diagnose().await;
    let expected: Vec<&str> = alone.incidents.iter().map(|i| &*i.config.name).collect();
    assert_eq!(found, expected);
    let known = desk.known();
    assert!(
        !known
            .configs
            .iter()
            .any(|config| config.reference.name == "features")
    );
    desk.press("w");
    desk.says("Another cluster answers at this address, and was read anew");
}

/// Without the connection having been lost: behind a proxy, or a name that leads elsewhere from now on.
#[tokio::test(start_paused = true)]
async fn another_cluster_is_noticed_within_a_minute_though_nothing_broke() {
    let mut desk = Desk::on("env-frozen").await;
    let other = Played::named("healthy");
    desk.played.wire.lead_astray_to(&other.sim);
    desk.pass(70).await;
    desk.says("No config split in namespace shop");
    desk.says_not("features →");
}

/// A remedy that was agreed to is not carried on in another cluster.
#[tokio::test(start_paused = true)]
async fn a_remedy_stops_where_another_cluster_answers() {
    let mut desk = Desk::as_mode(Played::named("crash-new"), Mode::Act);
    desk.wait_for("NEXT").await;
    desk.press("r");
    desk.wait_for("✓ rights").await;
    desk.press("\n");
    desk.press("demo/shop\n");
    desk.wait_for("Replacing").await;
    let other = Played::named("crash-new");
    let before = other.get("/api/v1/namespaces/shop/pods").await;
    away(&mut desk).await;
    desk.played.wire.lead_astray_to(&other.sim);
    desk.played.wire.mend();
    desk.wait_for("nothing further is written").await;
    desk.says("Another cluster answers at this address");
    desk.press("\n");
    desk.pass(120).await;
    let uids = |list: &serde_json::Value| {
        let items = list["items"].as_array().unwrap().iter();
        items
            .map(|pod| pod["metadata"]["uid"].clone())
            .collect::<Vec<_>>()
    };
    let after = other.get("/api/v1/namespaces/shop/pods").await;
    assert_eq!(uids(&before), uids(&after), "none of its pods was touched");
}
