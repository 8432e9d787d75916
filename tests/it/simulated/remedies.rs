//! The remedy by keys alone: from the cause to the closed incident, and what must be written meanwhile, in which order.

mod answers;
mod choosing;
mod hindrances;

use confsplit::app::Mode;

use super::cluster::Played;
use super::desk::Desk;

const WORDS: &str = "demo/shop";

/// The dashboard, where writing is possible.
async fn desk(scenario: &str) -> Desk {
    let mut desk = Desk::as_mode(Played::named(scenario), Mode::Act);
    desk.wait("the cause", |desk| {
        desk.app.incidents().len() == 1 && desk.words().contains("NEXT")
    })
    .await;
    desk
}

/// Looks at what would be done, until the dry runs are in.
async fn look(desk: &mut Desk) {
    desk.press("r");
    looked(desk).await;
}

/// The dry runs of what is on screen are in.
async fn looked(desk: &mut Desk) {
    desk.wait("the dry runs", |desk| {
        let words = desk.words();
        words.contains("Before it is agreed to") && !words.contains("the cluster is being asked")
    })
    .await;
}

/// Is asked for the words, and types these.
fn say(desk: &mut Desk, words: &str) {
    desk.press("\n");
    desk.press(words);
    desk.press("\n");
}

/// Looks at what would be done, and agrees to it.
async fn agree(desk: &mut Desk) {
    look(desk).await;
    say(desk, WORDS);
}

/// What the config of the partial restart holds, as JSON.
async fn content(desk: &Desk) -> String {
    let path = "/api/v1/namespaces/shop/configmaps/frontend-nginx";
    desk.played.get(path).await["data"].to_string()
}

/// Selects the first step of a plan.
fn select(desk: &mut Desk, kind: &str) {
    desk.press("6");
    let (_, plans) = desk.app.incident().unwrap();
    let first = plans.iter().position(|plan| plan.kind.as_str() == kind);
    let above = plans[..first.unwrap()].iter().map(|plan| plan.steps.len());
    let above: usize = above.sum();
    desk.press(&"j".repeat(above));
}

/// What was sent that writes, dry runs left out, without the values.
fn written(desk: &Desk) -> Vec<String> {
    let all = desk.played.wire.asked().into_iter();
    all.filter(|asked| !asked.starts_with("GET ") && !asked.contains("dryRun=All"))
        .filter(|asked| !asked.contains("selfsubject"))
        .collect()
}

#[tokio::test(start_paused = true)]
async fn the_partial_restart_is_closed_by_keys_alone() {
    let mut desk = desk("partial-restart").await;
    agree(&mut desk).await;
    desk.wait_for("Every replica runs it").await;
    desk.pass(110).await;
    desk.wait_for("Closed, verified by traffic").await;
    desk.press("E");
    let report = desk.reports.pop().expect("a closing report");
    for part in [
        "# revert-then-restart of ConfigMap/frontend-nginx → Deployment/frontend in shop",
        "**Closed, verified by traffic.**",
        "write the content of ConfigMap/frontend-nginx: done",
        "- holds: 2 of 2 replicas run revision A",
        "## So that it does not happen again",
    ] {
        assert!(report.contains(part), "{part:?} is not in\n{report}");
    }
    let written = written(&desk);
    assert_eq!(written.len(), 2, "{written:#?}");
    assert!(
        written[0].starts_with(
            "PATCH /api/v1/namespaces/shop/configmaps/frontend-nginx?fieldManager=confsplit"
        ),
        "{written:#?}"
    );
    assert!(
        written[1].contains("/eviction?fieldManager=confsplit"),
        "{written:#?}"
    );
    let data = content(&desk).await;
    assert!(data.contains("api:8080"), "{data}");
}

/// Agrees, lets it run its course, and gives what was written.
async fn carried_out(desk: &mut Desk) -> Vec<String> {
    agree(desk).await;
    for _ in 0..4 {
        desk.wait("the next stage", |desk| {
            [
                "Every replica runs it",
                "It serves. Enter replaces",
                "Stopped.",
                "Paused.",
                "Closed,",
            ]
            .iter()
            .any(|stage| desk.words().contains(stage))
        })
        .await;
        if desk.words().contains("It serves. Enter replaces") {
            desk.press("\n");
        }
    }
    desk.pass(110).await;
    desk.wait("the end", |desk| {
        desk.words().contains("Closed,") || desk.words().contains("Stopped.")
    })
    .await;
    written(desk)
}

fn is_content(request: &str) -> bool {
    request.starts_with("PATCH /api/v1/namespaces/shop/configmaps/")
}

fn is_eviction(request: &str) -> bool {
    request.starts_with("POST /api/v1/namespaces/shop/pods/") && request.contains("/eviction?")
}

#[tokio::test(start_paused = true)]
async fn a_crash_is_reverted_before_anything_is_replaced_and_the_survivors_stay() {
    let mut desk = desk("crash-new").await;
    let survivors: Vec<String> = desk.app.incidents()[0]
        .replicas
        .iter()
        .filter(|r| r.ready)
        .map(|r| r.pod.name.clone())
        .collect();
    assert!(!survivors.is_empty());
    let written = carried_out(&mut desk).await;
    desk.says("Closed,");
    assert!(is_content(&written[0]), "{written:#?}");
    assert!(written[1..].iter().all(|w| is_eviction(w)), "{written:#?}");
    for survivor in survivors {
        assert!(
            !written.iter().any(|w| w.contains(&survivor)),
            "{survivor}: {written:#?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn an_edit_that_was_meant_is_delivered_to_those_alone_that_are_behind() {
    let mut desk = desk("env-frozen").await;
    desk.press("6");
    let (_, plans) = desk.app.incident().unwrap();
    assert_eq!(plans[0].kind.as_str(), "roll-forward");
    let behind = desk.app.incidents()[0]
        .replicas
        .iter()
        .filter(|r| r.live != Some(true))
        .count();
    let written = carried_out(&mut desk).await;
    desk.says("Closed,");
    assert_eq!(written.len(), behind, "{written:#?}");
    assert!(written.iter().all(|w| is_eviction(w)), "{written:#?}");
}

#[tokio::test(start_paused = true)]
async fn a_template_names_the_config_of_before_again() {
    let mut desk = desk("immutable-split").await;
    let written = carried_out(&mut desk).await;
    desk.says("Closed,");
    assert_eq!(written.len(), 1, "{written:#?}");
    assert!(
        written[0].starts_with("PATCH /apis/apps/v1/namespaces/shop/deployments/"),
        "{written:#?}"
    );
}

#[tokio::test(start_paused = true)]
async fn other_words_write_nothing() {
    let mut desk = desk("partial-restart").await;
    for words in ["", "y", "demo/shop ", "demo/shopx", "DEMO/SHOP"] {
        look(&mut desk).await;
        say(&mut desk, words);
        desk.says("Cancelled: that is not what was asked for, and nothing is written.");
        desk.press("\u{1b}");
    }
    look(&mut desk).await;
    desk.press("\n");
    desk.press("\u{1b}");
    desk.says("Cancelled: nothing is written.");
    // A held key confirms nothing.
    desk.press(&"\n".repeat(50));
    desk.pass(5).await;
    assert_eq!(written(&desk), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_read_only_says_so_and_sends_nothing() {
    let mut desk = Desk::as_mode(Played::named("partial-restart"), Mode::ReadOnly);
    desk.wait("the cause", |desk| desk.app.incidents().len() == 1)
        .await;
    desk.says("read-only");
    desk.press("r");
    desk.says("This session is read-only");
    desk.press("\n");
    desk.says("This session is read-only");
    desk.press("\u{1b}");
    for tab in "123456r".chars() {
        for key in ('!'..='~').filter(|key| !"q:/i".contains(*key)) {
            desk.press(&tab.to_string());
            desk.press(&key.to_string());
            desk.press("\n");
            desk.press("\u{1b}\u{1b}\u{1b}");
            desk.press("\n");
        }
        desk.pass(1).await;
    }
    assert_eq!(written(&desk), Vec::<String>::new());
    let dry = desk
        .played
        .wire
        .asked()
        .into_iter()
        .filter(|asked| asked.contains("dryRun"));
    assert_eq!(dry.collect::<Vec<_>>(), Vec::<String>::new());
}

/// Somebody else writes between the preview and the words.
#[tokio::test(start_paused = true)]
async fn what_somebody_wrote_meanwhile_is_never_overwritten() {
    let mut desk = desk("partial-restart").await;
    look(&mut desk).await;
    desk.press("\n");
    let theirs = serde_json::json!({"data": {"theirs": "kept"}});
    desk.played
        .patch("configmaps", "frontend-nginx", &theirs)
        .await;
    desk.press(WORDS);
    desk.press("\n");
    desk.wait_for("Stopped.").await;
    desk.says("somebody changed ConfigMap/frontend-nginx meanwhile");
    let config = desk
        .played
        .get("/api/v1/namespaces/shop/configmaps/frontend-nginx")
        .await;
    assert_eq!(config["data"]["theirs"], "kept");
    assert!(config["data"].to_string().contains("api:8000"), "{config}");
    assert_eq!(written(&desk), Vec::<String>::new());
}

/// Somebody writes between the revert and the end.
#[tokio::test(start_paused = true)]
async fn an_edit_in_the_middle_of_it_stops_it() {
    let mut desk = desk("partial-restart").await;
    agree(&mut desk).await;
    desk.wait_for("Every replica runs it").await;
    let theirs = serde_json::json!({"data": {"theirs": "kept"}});
    desk.played
        .patch("configmaps", "frontend-nginx", &theirs)
        .await;
    desk.wait_for("Stopped.").await;
    desk.says("ConfigMap/frontend-nginx was changed meanwhile by");
}

/// Argo CD puts back what Git says.
#[tokio::test(start_paused = true)]
async fn an_owner_is_named_before_and_its_undoing_is_no_success() {
    let mut desk = desk("argo-cd").await;
    // The edit was no fault by the evidence: going back is the second plan.
    select(&mut desk, "revert-then-restart");
    desk.press("r");
    desk.wait_for("Argo CD keeps it").await;
    desk.press("\u{1b}");
    agree(&mut desk).await;
    desk.wait_for("Every replica runs it").await;
    desk.says("may still undo it");
    desk.pass(110).await;
    desk.wait("the end", |desk| {
        desk.words().contains("Stopped.") || desk.words().contains("Closed,")
    })
    .await;
    desk.says("was changed meanwhile by argocd-controller");
}

#[tokio::test(start_paused = true)]
async fn undoing_says_what_comes_back_and_writes_that_alone() {
    let mut desk = desk("partial-restart").await;
    agree(&mut desk).await;
    desk.wait_for("Every replica runs it").await;
    desk.press("s");
    desk.says("Stopped.");
    desk.press("z");
    looked(&mut desk).await;
    desk.says("api:8000");
    say(&mut desk, WORDS);
    desk.wait_for("Undone: what was there before is live again")
        .await;
    let data = content(&desk).await;
    assert!(data.contains("api:8000"), "{data}");
    assert_eq!(written(&desk).len(), 3);
}
