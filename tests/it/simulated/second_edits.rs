//! What is said after the edit that broke it was followed by others, and after everything was restarted: that is when it is needed most.

use confsplit::analysis::{Code, Diagnosis, Incident};
use confsplit::model::Snapshot;
use confsplit::remedy::{Plan, PlanKind, plans};
use confsplit::runtime::commands::Outcome;
use serde_json::json;

use super::cluster::{Played, cluster, only};

fn recommended(incident: &Incident) -> Plan {
    let mut all = plans(incident, &cluster()).into_iter();
    all.find(|plan| plan.recommended)
        .expect("a plan is recommended")
}

/// The content that worked is put back, and the failures are told.
fn puts_back_what_worked(diagnosis: &Diagnosis) {
    let incident = only(diagnosis);
    let impact = &incident.impact.as_ref().expect("an impact").sentence;
    assert!(impact.contains("FAIL, kt2jr 0 of "), "{impact}");
    assert!(impact.contains("SPREADS to any new pod."), "{impact}");
    let first = incident.impact.as_ref().and_then(|i| i.first_failure);
    assert!(first.is_some(), "{impact}");
    let plan = recommended(incident);
    assert_eq!(plan.kind, PlanKind::RevertThenRestart);
    assert!(plan.headline.contains("revision A"), "{}", plan.headline);
    assert!(
        plan.headline.contains("Do not restart"),
        "{}",
        plan.headline
    );
    let restore = &plan.steps[1];
    assert!(
        restore.command.contains(r"server api:8080;\n"),
        "{}",
        restore.command
    );
    let all = plans(incident, &cluster());
    let mitigate = all.iter().find(|plan| plan.kind == PlanKind::MitigateFirst);
    let replace = &mitigate.expect("a mitigation").steps[2];
    assert!(
        replace
            .command
            .ends_with("delete pod frontend-76d98597b9-g5zrg"),
        "{}",
        replace.command
    );
}

/// Edits a key that no replica fails by.
async fn extra(played: &Played, value: serde_json::Value) {
    let edit = json!({"data": {"extra": value}});
    played.patch("configmaps", "frontend-nginx", &edit).await;
}

#[tokio::test(start_paused = true)]
async fn an_edit_of_something_else_hides_neither_the_failure_nor_what_worked() {
    let played = Played::named("partial-restart");
    extra(&played, json!("1")).await;
    played.pass(3).await;
    let (_, soon) = played.diagnose().await;
    puts_back_what_worked(&soon);
    played.pass(30).await;
    let (_, later) = played.diagnose().await;
    puts_back_what_worked(&later);
    let first = |d: &Diagnosis| only(d).impact.as_ref().and_then(|i| i.first_failure);
    assert_eq!(first(&soon), first(&later));
    // And away again.
    extra(&played, json!(null)).await;
    played.pass(3).await;
    let (_, again) = played.diagnose().await;
    puts_back_what_worked(&again);
    assert_eq!(first(&soon), first(&again));
}

/// Everything runs what fails: that is no split, and the worst of it.
fn all_of_it_fails(diagnosis: &Diagnosis) -> &Incident {
    let incident = only(diagnosis);
    assert_eq!(
        incident.findings[0].code,
        Code::LoadedEverywhere,
        "{incident:#?}"
    );
    assert!(
        incident
            .findings
            .iter()
            .any(|f| f.code == Code::PortMismatch)
    );
    assert_eq!(Outcome::of(diagnosis), Outcome::Incident);
    let restore = &recommended(incident).steps[1];
    assert!(
        restore.command.contains(r"server api:8080;\n"),
        "{}",
        restore.command
    );
    incident
}

#[tokio::test(start_paused = true)]
async fn once_everything_runs_what_fails_that_is_told() {
    let played = Played::named("partial-restart");
    played.restart("frontend").await;
    played.rolled_out("frontend").await;
    played.pass(30).await;
    let (_, diagnosis) = played.diagnose().await;
    all_of_it_fails(&diagnosis);
    // Also when nobody knows any more what was there before, and after an edit of something else.
    played.pass(300).await;
    let (_, later) = played.diagnose().await;
    all_of_it_fails(&later);
    extra(&played, json!("1")).await;
    // What starts in the second of an edit may have read either.
    played.pass(10).await;
    played.restart("frontend").await;
    played.rolled_out("frontend").await;
    played.pass(330).await;
    let (_, last) = played.diagnose().await;
    all_of_it_fails(&last);
}

/// What the page named may be misspelt: that nobody asked for it is told, and what to do stays.
#[tokio::test(start_paused = true)]
async fn a_route_that_nobody_asked_for_changes_no_advice() {
    let played = Played::named("partial-restart");
    let (_, plain) = played.diagnose().await;
    let (_, asked) = about(&played, "/nope").await;
    assert_eq!(
        recommended(only(&asked)).headline,
        recommended(only(&plain)).headline
    );
    assert_eq!(only(&asked).impact, None);
    let said = |d: &Diagnosis| {
        d.not_checked
            .iter()
            .any(|n| n.what.starts_with("Failures of /nope"))
    };
    assert!(said(&asked) && !said(&plain));
    let (_, right) = about(&played, "/api/items").await;
    assert!(
        !right
            .not_checked
            .iter()
            .any(|n| n.what.starts_with("Failures of"))
    );
}

async fn about(played: &Played, route: &str) -> (Snapshot, Diagnosis) {
    let mut scope = played.scope();
    scope.route = Some(route.to_owned());
    played.diagnose_about(scope).await
}
