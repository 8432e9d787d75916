//! What stands in the way of a remedy: each ends in a sentence that is true, and in the state that it says.

use confsplit::app::Msg;
use confsplit::remedy::Prepared;
use confsplit::sim::Rights;
use serde_json::{Value, json};

use super::{
    WORDS, agree, content, desk, is_content, is_eviction, look, looked, say, select, written,
};

fn budget(available: u32) -> Value {
    json!({
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "frontend"},
        "spec": {"minAvailable": available, "selector": {"matchLabels": {"app": "frontend"}}},
    })
}

#[tokio::test(start_paused = true)]
async fn a_budget_that_allows_no_eviction_is_told_before_and_paused_at() {
    let mut desk = desk("partial-restart").await;
    desk.played.create("poddisruptionbudgets", &budget(2)).await;
    look(&mut desk).await;
    desk.says("PodDisruptionBudget/frontend allows 0 evictions now: it will pause there");
    say(&mut desk, WORDS);
    desk.wait_for("Paused.").await;
    desk.says("disruption budget");
    assert!(
        content(&desk).await.contains("api:8080"),
        "the content is back all the same"
    );
    // It goes on once that is settled.
    desk.played.delete("poddisruptionbudgets", "frontend").await;
    desk.press("\n");
    desk.wait_for("Every replica runs it").await;
}

#[tokio::test(start_paused = true)]
async fn each_right_that_is_missing_is_named_before_anything_is_written() {
    for (verb, resource, named) in [
        (
            "patch",
            "configmaps",
            "the right to patch configmaps is missing in shop",
        ),
        (
            "create",
            "pods/eviction",
            "the right to create pods/eviction is missing in shop",
        ),
    ] {
        let mut desk = desk("partial-restart").await;
        desk.played
            .sim
            .set_rights(Rights::default().without(verb, resource));
        look(&mut desk).await;
        desk.says(named);
        desk.press("\n");
        desk.says("It cannot be done so");
        desk.press(WORDS);
        desk.press("\n");
        desk.pass(5).await;
        assert_eq!(written(&desk), Vec::<String>::new(), "{named}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_paused_workload_is_not_restarted_but_its_pods_can_be_replaced() {
    let mut desk = desk("partial-restart").await;
    desk.played
        .patch(
            "deployments",
            "frontend",
            &json!({"spec": {"paused": true}}),
        )
        .await;
    desk.pass(2).await;
    look(&mut desk).await;
    desk.says("Deployment/frontend is paused; pods that are evicted are made again all the same");
    desk.press("f");
    looked(&mut desk).await;
    desk.says("it restarts nothing until it is resumed");
    desk.press("\n");
    desk.says("It cannot be done so");
    assert_eq!(written(&desk), Vec::<String>::new());
    desk.press("f");
    desk.press("\u{1b}");
    agree(&mut desk).await;
    desk.wait_for("Every replica runs it").await;
}

/// Another controller takes the annotation away.
#[tokio::test(start_paused = true)]
async fn a_restart_that_somebody_undoes_is_no_success() {
    let mut desk = desk("env-frozen").await;
    look(&mut desk).await;
    desk.press("f");
    looked(&mut desk).await;
    desk.says("Restart Deployment/recs");
    say(&mut desk, WORDS);
    desk.wait_for("is being rolled out").await;
    let gone = json!({"spec": {"template": {"metadata": {"annotations": {"kubectl.kubernetes.io/restartedAt": null}}}}});
    desk.played.patch("deployments", "recs", &gone).await;
    desk.wait_for("Stopped.").await;
    desk.says("the restart of Deployment/recs was undone");
}

#[tokio::test(start_paused = true)]
async fn a_whole_restart_comes_after_the_content_and_leads_to_the_end() {
    let mut desk = desk("partial-restart").await;
    look(&mut desk).await;
    desk.press("f");
    looked(&mut desk).await;
    say(&mut desk, WORDS);
    desk.wait_for("Every replica runs it").await;
    let written = written(&desk);
    assert_eq!(written.len(), 2, "{written:#?}");
    assert!(is_content(&written[0]), "{written:#?}");
    assert!(
        written[1].starts_with(
            "PATCH /apis/apps/v1/namespaces/shop/deployments/frontend?fieldManager=confsplit"
        ),
        "{written:#?}"
    );
}

/// Nothing is decided on what may have changed, and it goes on by itself.
#[tokio::test(start_paused = true)]
async fn a_lost_connection_stops_nothing_and_decides_nothing() {
    let mut desk = desk("partial-restart").await;
    agree(&mut desk).await;
    desk.wait_for("Replacing").await;
    desk.played.wire.cut();
    desk.wait_for("nothing is done on what may have changed")
        .await;
    let before = written(&desk);
    desk.pass(40).await;
    desk.says("Replacing");
    desk.played.wire.mend();
    desk.wait_for("Every replica runs it").await;
    assert_eq!(written(&desk), before);
}

/// Nobody asks anything: it cannot be said that it helped.
#[tokio::test(start_paused = true)]
async fn without_traffic_it_is_closed_as_not_verified() {
    let mut desk = desk("partial-restart").await;
    desk.played
        .patch("deployments", "loadgen", &json!({"spec": {"replicas": 0}}))
        .await;
    desk.pass(70).await;
    agree(&mut desk).await;
    desk.wait_for("Every replica runs it").await;
    desk.says("10 would show something");
    desk.pass(110).await;
    desk.wait_for("Closed, not verified by traffic").await;
}

/// What is live is what fails, by the evidence.
#[tokio::test(start_paused = true)]
async fn what_fails_is_only_rolled_out_by_other_words() {
    let mut desk = desk("partial-restart").await;
    select(&mut desk, "roll-forward");
    look(&mut desk).await;
    desk.says("this makes a part failure a whole one");
    say(&mut desk, WORDS);
    desk.says("Cancelled");
    assert_eq!(written(&desk), Vec::<String>::new());
    say(&mut desk, &format!("{WORDS} fails"));
    desk.wait("the eviction", |desk| {
        written(desk).iter().any(|w| is_eviction(w))
    })
    .await;
}

/// Of the workload nothing is known; its pods are enough to do it, and not enough to call it verified.
#[tokio::test(start_paused = true)]
async fn a_workload_that_may_not_be_read_is_told_and_not_called_verified() {
    let mut desk = desk("partial-restart").await;
    let rights = Rights::default()
        .without("list", "deployments")
        .without("watch", "deployments");
    desk.played.sim.set_rights(rights);
    desk.press("R");
    desk.pass(5).await;
    agree(&mut desk).await;
    desk.wait_for("Every replica runs it").await;
    desk.says("the workload itself could not be read");
    desk.pass(110).await;
    desk.wait_for("Closed, not verified by traffic").await;
}

/// Between the look and the words there are more pods than were on screen.
#[tokio::test(start_paused = true)]
async fn a_pod_that_was_not_announced_is_not_touched_without_another_word() {
    let mut desk = desk("partial-restart").await;
    look(&mut desk).await;
    let three = json!({"spec": {"replicas": 3}});
    desk.played.patch("deployments", "frontend", &three).await;
    desk.pass(10).await;
    say(&mut desk, WORDS);
    desk.wait_for("It serves. Enter replaces").await;
    let evicted = written(&desk)
        .into_iter()
        .filter(|w| is_eviction(w))
        .count();
    assert_eq!(evicted, 1);
    desk.press("\n");
    desk.wait_for("and was not announced: Enter replaces it too")
        .await;
    desk.pass(30).await;
    let evicted = written(&desk)
        .into_iter()
        .filter(|w| is_eviction(w))
        .count();
    assert_eq!(evicted, 1, "nobody said a word");
    desk.press("\n");
    desk.wait_for("Every replica runs it").await;
}

#[tokio::test(start_paused = true)]
async fn a_config_that_is_deleted_meanwhile_is_named_and_stops_it() {
    let mut desk = desk("partial-restart").await;
    agree(&mut desk).await;
    desk.wait_for("Replacing").await;
    desk.played.delete("configmaps", "frontend-nginx").await;
    desk.wait_for("Stopped.").await;
    desk.says("ConfigMap/frontend-nginx is not there any more: somebody deleted it");
    desk.says_not("the connection is lost");
}

/// Of another choice, or of what was looked at before.
#[tokio::test(start_paused = true)]
async fn an_answer_about_other_writes_is_not_taken_for_this_ones() {
    let mut desk = desk("partial-restart").await;
    desk.press("r");
    desk.tell(Msg::Prepared(Ok(Box::new(Prepared {
        rights: Vec::new(),
        saved: None,
        rehearsals: Vec::new(),
        budgets: Some(Vec::new()),
        quotas: Some(Vec::new()),
        scalers: None,
    }))));
    desk.says("the cluster is being asked");
    desk.press("\n");
    desk.says("The cluster is still being asked");
    looked(&mut desk).await;
    desk.says("✓ rights");
}

/// Another key takes the first q back.
#[tokio::test(start_paused = true)]
async fn only_two_qs_in_a_row_leave_a_remedy() {
    let mut desk = desk("partial-restart").await;
    agree(&mut desk).await;
    desk.wait_for("Replacing").await;
    for _ in 0..3 {
        desk.press("q");
        desk.says("A remedy is under way");
        desk.press("j");
        assert!(!desk.quit);
    }
    desk.press("qq");
    assert!(desk.quit);
}
