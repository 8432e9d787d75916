//! Rights that are missing, a wire that is cut, and an hour that passes.

use confsplit::app::Link;
use confsplit::sim::Rights;
use serde_json::json;

use super::cluster::Played;
use super::desk::Desk;

/// Rights that are taken away are told by name, and the rest goes on.
async fn without(verb: &str, resource: &str, gap: &str) -> Desk {
    let mut desk = Desk::on("env-frozen").await;
    desk.played
        .sim
        .set_rights(Rights::default().without(verb, resource));
    desk.press("R");
    desk.wait_for("FEATURE_RECS").await;
    desk.pass(2).await;
    desk.press("w");
    desk.says(gap);
    desk.press("\u{1b}");
    // It goes on, by itself.
    let edit = json!({"data": {"FEATURE_RECS": "later"}});
    desk.played.patch("configmaps", "features", &edit).await;
    desk.wait_for("later").await;
    desk
}

#[tokio::test(start_paused = true)]
async fn without_the_right_to_read_logs() {
    without("get", "pods/log", "no permission: get pods/log").await;
}

#[tokio::test(start_paused = true)]
async fn without_the_right_to_list_events() {
    without("list", "events", "no permission: list events").await;
}

#[tokio::test(start_paused = true)]
async fn without_the_right_to_list_services() {
    without("list", "services", "no permission: list services").await;
}

#[tokio::test(start_paused = true)]
async fn without_the_right_to_watch_configs_they_are_listed_again_and_again() {
    let mut desk = without("watch", "configmaps", "configmaps").await;
    let polled = Link::Live {
        polled: vec![("configmaps", 10)],
        unread: Vec::new(),
    };
    desk.pass(1).await;
    assert_eq!(desk.app.link, Some(polled));
}

#[tokio::test(start_paused = true)]
async fn without_the_right_to_list_configs_nothing_is_said_to_be_well() {
    let played = Played::named("env-frozen");
    played
        .sim
        .set_rights(Rights::default().without("list", "configmaps"));
    let mut desk = Desk::over(played);
    desk.pass(5).await;
    assert!(desk.app.incidents().is_empty());
    desk.says_not("No config split in namespace shop");
    desk.press("w");
    desk.says("no permission: list configmaps");
    // The right is given, and everything is read again.
    desk.press("\u{1b}");
    desk.played.sim.set_rights(Rights::default());
    desk.press("R");
    desk.wait_for("stale-everywhere").await;
}

/// A watch that was broken off for longer than the server remembers: 410, and everything is listed anew.
#[tokio::test(start_paused = true)]
async fn a_watch_that_expired_goes_on_by_itself() {
    let mut desk = Desk::on("healthy").await;
    desk.says("● live");
    desk.played.wire.cut();
    desk.wait("the loss", |desk| {
        matches!(desk.app.link, Some(Link::Lost { .. }))
    })
    .await;
    desk.pass(60).await;
    let edit = json!({"data": {"FEATURE_RECS": "sometimes"}});
    desk.played.patch("configmaps", "features", &edit).await;
    desk.pass(400).await;
    desk.says_not("sometimes");
    desk.says("STALE 4");
    desk.says("s: the wire was cut");
    let before = desk.played.wire.asked().len();
    desk.played.wire.mend();
    desk.wait_for("CAUSE The edit reached no replica of recs.")
        .await;
    desk.wait_for("● live").await;
    let asked = desk.played.wire.asked().split_off(before);
    let maps: Vec<&String> = asked
        .iter()
        .filter(|line| line.contains("/namespaces/shop/configmaps"))
        // How far the cluster is by now.
        .filter(|line| !line.ends_with("configmaps?limit=1"))
        .collect();
    let is_watch = |line: &&&String| line.contains("watch=");
    // First it is asked to go on, and then it has to begin anew.
    let watch = maps.iter().position(|line| is_watch(&line)).unwrap();
    let list = maps.iter().position(|line| !is_watch(&line)).unwrap();
    assert!(watch < list, "{maps:#?}");
    desk.says("kubectl-patch");
}

/// What there is of everything: rows, lines of logs aside, and tasks.
fn counts(desk: &Desk) -> Vec<(&'static str, usize)> {
    let known = desk.known();
    let incident = &desk.app.incidents()[0];
    vec![
        ("pods", known.pods.len()),
        ("configs", known.configs.len()),
        ("earlier", known.earlier.len()),
        ("pods then", known.pods_at.len()),
        ("events", known.events.len()),
        ("logs", known.logs.len()),
        ("gaps", known.gaps.len()),
        ("asked", known.asked.len()),
        ("timeline", incident.timeline.len()),
        ("evidence", desk.app.diagnosis().unwrap().evidence.len()),
        ("rows", desk.screen().lines().count()),
        (
            "tasks",
            tokio::runtime::Handle::current()
                .metrics()
                .num_alive_tasks(),
        ),
    ]
}

/// Fails where something is more than before.
fn not_grown(before: &[(&str, usize)], after: &[(&str, usize)]) {
    let grown = before.iter().zip(after).filter(|(b, a)| a.1 > b.1);
    let grown: Vec<_> = grown.collect();
    assert!(grown.is_empty(), "{grown:?}");
}

#[tokio::test(start_paused = true)]
async fn an_hour_passes_and_nothing_grows() {
    let mut desk = Desk::on("half-year").await;
    desk.pass(300).await;
    let before = counts(&desk);
    desk.pass(3600).await;
    not_grown(&before, &counts(&desk));
    desk.says("CAUSE 1 of 3 cart replicas runs the edited config.");
    desk.says("● live");
    // And it still hears of what happens.
    let edit = json!({"data": {"MAX_ITEMS": "7"}});
    desk.played.patch("configmaps", "limits", &edit).await;
    desk.wait_for("MAX_ITEMS 50 → 7").await;
}

#[tokio::test(start_paused = true)]
async fn busy_logs_let_nothing_else_grow() {
    let mut desk = Desk::on("partial-restart").await;
    desk.pass(10).await;
    let lines = |desk: &Desk| {
        let logs = desk.known().logs;
        logs.iter().map(|log| log.lines().count()).sum::<usize>()
    };
    let (before, written) = (counts(&desk), lines(&desk));
    desk.pass(120).await;
    not_grown(&before, &counts(&desk));
    assert!(lines(&desk) > written + 100);
}
