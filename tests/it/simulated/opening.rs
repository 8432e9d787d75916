//! From opening to the cause, and what appears by itself while it is open.

use std::time::Duration;

use confsplit::app::screen::{Screen, Tab};
use confsplit::model::FollowState;
use serde_json::json;
use tokio::time::Instant;

use super::cluster::Played;
use super::desk::Desk;

const SOON: Duration = Duration::from_secs(1);

fn tab(desk: &Desk) -> Option<Tab> {
    match &desk.app.screen {
        Screen::Sheet(sheet) => Some(sheet.tab),
        Screen::Triage | Screen::Object(_) | Screen::Remedy(_) => None,
    }
}

#[tokio::test(start_paused = true)]
async fn it_opens_on_the_cause() {
    let mut desk = Desk::over(Played::named("partial-restart"));
    let began = Instant::now();
    assert!(desk.app.diagnosis().is_none());
    desk.wait_for("CAUSE 1 of 2 frontend replicas runs the edited config.")
        .await;
    desk.wait_for("NEXT Restore api:8080 in ConfigMap/frontend-nginx (revision A), then restart Deployment/frontend.")
        .await;
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    assert_eq!(tab(&desk), Some(Tab::Timeline));
    desk.says("● live");
    desk.says("recovered from the API server's history");
    desk.says(
        "GET /api/items since the edit at 09:56:23 UTC: g5zrg 35 of 35 FAIL, kt2jr 0 of 38 failed.",
    );
    desk.says("> 09:56:23 ✎ frontend-nginx edited by kubectl-client-side-apply to B");
}

#[tokio::test(start_paused = true)]
async fn the_keys_lead_through_the_tabs() {
    let mut desk = Desk::on("partial-restart").await;
    for (keys, said) in [
        ("2", "kt2jr A ≠live inferred 09:56:14 yes 0 0 of 38 :8080"),
        ("j", "replica 2 of 2"),
        ("3", "2 - server api:8080; 2 + server api:8000;"),
        ("4", "upstream timed out (110:"),
        ("5j", "resourceVersionMatch=Exact"),
        (
            "6",
            "> *revert-then-restart 1. Save ConfigMap/frontend-nginx as it is now",
        ),
        ("j", "patch configmap frontend-nginx --type merge -p"),
        ("w", "nobody's log was named: `--client deploy/loadgen`"),
        ("\u{1b}", "[6 Remedy]"),
        (
            "o",
            "Who uses it in shop Deployment/frontend 2 of 2 wanted pods",
        ),
        (
            "\u{1b}\u{1b}",
            "> split-replicas cm/frontend-nginx → deploy/frontend 1 A | 1 B",
        ),
        ("\n", "[1 Timeline]"),
    ] {
        desk.press(keys);
        desk.pass(0).await;
        desk.says(said);
    }
    desk.press("6jy");
    let copied = desk.copied.last().unwrap();
    assert!(copied.starts_with("kubectl --context demo -n shop patch configmap frontend-nginx"));
    desk.press("q");
    assert!(desk.quit);
}

#[tokio::test(start_paused = true)]
async fn an_edit_appears_by_itself() {
    let mut desk = Desk::on("healthy").await;
    desk.says("No config split in namespace shop");
    let began = Instant::now();
    let edit = json!({"data": {"FEATURE_RECS": "sometimes"}});
    desk.played.patch("configmaps", "features", &edit).await;
    desk.wait_for("CAUSE The edit reached no replica of recs.")
        .await;
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    desk.says("FEATURE_RECS off → sometimes");
    desk.press("3");
    desk.wait_for("1 - off").await;
    desk.says("1 + sometimes");
}

#[tokio::test(start_paused = true)]
async fn a_second_edit_appears_in_the_open_diff() {
    let mut desk = Desk::on("env-frozen").await;
    desk.press("3");
    desk.says("1 - on (no newline at the end) 1 + off (no newline at the end)");
    let edit = json!({"data": {"FEATURE_RECS": "later"}});
    desk.played.patch("configmaps", "features", &edit).await;
    desk.wait_for("later").await;
    assert_eq!(tab(&desk), Some(Tab::Diff));
    let revisions = &desk.app.incident().unwrap().0.revisions;
    let names: Vec<&str> = revisions.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["A", "B", "C"]);
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_is_killed_and_the_one_in_its_place_appear() {
    let mut desk = Desk::on("env-frozen").await;
    desk.press("2");
    let before = desk.played.pods("recs").await;
    let killed = &before[0];
    desk.played.delete("pods", killed).await;
    desk.wait_for("B =live").await;
    let after = desk.played.pods("recs").await;
    let new = after.iter().find(|pod| !before.contains(pod)).unwrap();
    let short = new.rsplit('-').next().unwrap();
    desk.says(&format!("{short} B =live ordered"));
    desk.says("CAUSE 1 of 3 recs replicas runs the edited config.");
    // It stops within its grace period, and is no replica then.
    desk.wait("the end of the killed one", |desk| {
        let replicas = &desk.app.incidents()[0].replicas;
        replicas.len() == 3 && replicas.iter().all(|r| r.pod.name != *killed)
    })
    .await;
    desk.press("1");
    let gone = killed.rsplit('-').next().unwrap();
    desk.wait_for(&format!("{gone} gone")).await;
    desk.says(&format!("✕ {gone} Stopping container app"));
}

#[tokio::test(start_paused = true)]
async fn a_container_that_is_killed_starts_again_with_what_is_live() {
    let mut desk = Desk::on("env-frozen").await;
    desk.press("2");
    let pods = desk.played.pods("recs").await;
    let (namespace, pod) = (desk.played.namespace.clone(), pods[0].clone());
    desk.played
        .sim
        .with(|world| world.kill_container(&namespace, &pod, "app"))
        .unwrap();
    desk.wait("its restart", |desk| {
        let replicas = &desk.app.incidents()[0].replicas;
        let one = replicas.iter().find(|r| r.pod.name == pod).unwrap();
        one.restarts == 1 && one.live == Some(true)
    })
    .await;
    desk.says("CAUSE 1 of 3 recs replicas runs the edited config.");
    let short = pod.rsplit('-').next().unwrap();
    desk.says(&format!("{short} B =live"));
}

#[tokio::test(start_paused = true)]
async fn a_line_that_is_logged_now_appears_under_logs() {
    let mut desk = Desk::on("partial-restart").await;
    desk.press("4");
    desk.wait("the logs of both", |desk| desk.followed() >= 2)
        .await;
    let last = |desk: &Desk| {
        let screen = desk.screen();
        let mut rows = screen.lines().filter(|row| row.contains("GET /api/items"));
        rows.next_back().unwrap().to_owned()
    };
    for _ in 0..3 {
        let before = last(&desk);
        let began = Instant::now();
        desk.wait("another line", |desk| last(desk) != before).await;
        // The client asks again at once, and a request fails after two seconds.
        assert!(began.elapsed() < Duration::from_secs(10));
    }
    let open = desk.app.facts().following.clone();
    assert!(open.logs.iter().all(|log| log.dropped == 0));
    assert!(open.logs.iter().any(|log| log.state == FollowState::Open));
}

#[tokio::test(start_paused = true)]
async fn a_config_that_is_deleted_and_made_again_appears() {
    let mut desk = Desk::on("healthy").await;
    desk.played.delete("configmaps", "features").await;
    let pods = desk.played.pods("recs").await;
    desk.played.delete("pods", &pods[0]).await;
    desk.wait_for("missing-reference").await;
    desk.wait_for("ConfigMap features, which app needs, is not there.")
        .await;
    desk.wait_for("its last content is recovered from the API server's history")
        .await;
    desk.says("2 replicas still run, and their next start fails as well: do not restart them.");
    desk.press("2");
    desk.wait_for("CreateContainerConfigError").await;
    let object = json!({
        "metadata": {"name": "features"},
        "data": {"FEATURE_RECS": "off"},
    });
    desk.played.create("configmaps", &object).await;
    desk.wait("its end", |desk| desk.app.incidents().is_empty())
        .await;
    // The pod that waited for it starts by itself, and all run the same again.
    desk.wait_for("of 3 replicas that take a config").await;
    desk.wait_for("No config split in namespace shop").await;
    desk.says("0 unknown");
}
