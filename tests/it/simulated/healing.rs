//! What the plans print is done, and the incident is gone.

use confsplit::runtime::commands::Outcome;

use super::cluster::Played;
use super::desk::Desk;

/// Carries a plan out, and waits until there is no incident.
async fn healed(scenario: &str, plan: &str) -> Desk {
    let mut desk = Desk::on(scenario).await;
    assert_eq!(desk.app.incidents().len(), 1, "{}", desk.screen());
    desk.carry_out(plan).await;
    desk.wait("the end of the incident", |desk| {
        desk.app.incidents().is_empty()
    })
    .await;
    desk.says("is no longer among the incidents.");
    // And for good: the old pods are gone, and who asks anew finds nothing.
    desk.pass(60).await;
    desk.says("No config split in namespace shop");
    let (_, diagnosis) = desk.played.diagnose().await;
    assert_eq!(diagnosis.incidents, []);
    assert_eq!(diagnosis.suspects, []);
    assert_eq!(
        Outcome::of(&diagnosis),
        Outcome::Clear,
        "{}",
        diagnosis.verdict
    );
    desk
}

macro_rules! heals {
    ($($name:ident: $scenario:literal by $plan:literal;)*) => {
        $(
            #[tokio::test(start_paused = true)]
            async fn $name() {
                healed($scenario, $plan).await;
            }
        )*
    };
}

heals! {
    the_partial_restart_is_mitigated: "partial-restart" by "mitigate-first";
    the_environment_is_reverted: "env-frozen" by "revert-then-restart";
    the_environment_is_delivered: "env-frozen" by "roll-forward";
    the_file_is_reverted: "subpath-frozen" by "revert-then-restart";
    the_file_is_delivered: "subpath-frozen" by "roll-forward";
    the_reference_is_put_back: "immutable-split" by "repoint";
    the_rollout_goes_on: "immutable-split" by "roll-forward";
    the_crash_is_reverted: "crash-new" by "revert-then-restart";
    the_secret_is_delivered: "secret-frozen" by "roll-forward";
    what_slept_is_reverted: "half-year" by "revert-then-restart";
    what_slept_is_delivered: "half-year" by "roll-forward";
}

#[tokio::test(start_paused = true)]
async fn the_partial_restart_is_reverted_and_every_request_goes_well() {
    let mut desk = healed("partial-restart", "revert-then-restart").await;
    let before = desk.known();
    let began = before.taken_at;
    desk.pass(60).await;
    let known = desk.known();
    let pods = desk.played.pods("frontend").await;
    assert_eq!(pods.len(), 2);
    for pod in pods {
        let log = known.logs.iter().find(|log| log.pod.name == pod).unwrap();
        let since = log.lines().filter(|line| line.at > Some(began));
        let answers: Vec<&str> = since
            .map(|line| line.text)
            .filter(|text| text.contains("GET /api/items"))
            .collect();
        assert!(answers.len() > 5, "{answers:#?}");
        assert!(answers.iter().all(|a| a.contains(" 200 ")), "{answers:#?}");
    }
}

/// Of what was put together, since the API server has forgotten what there was.
#[tokio::test(start_paused = true)]
async fn a_reconstruction_heals_as_well() {
    let played = Played::named("partial-restart");
    played.pass(300).await;
    let mut desk = Desk::over(played);
    desk.wait_for("NEXT Write the reconstruction of api:8080")
        .await;
    desk.carry_out("revert-then-restart").await;
    desk.wait("the end of the incident", |desk| {
        desk.app.incidents().is_empty()
    })
    .await;
}

/// Argo CD puts back what Git says: the revert by hand is undone, as was said.
#[tokio::test(start_paused = true)]
async fn what_argo_cd_keeps_does_not_stay_reverted() {
    let mut desk = Desk::on("argo-cd").await;
    desk.says("owner-will-undo: Argo CD keeps it (Application shop)");
    desk.press("\n");
    desk.says("argocd app set shop --sync-policy none");
    desk.press("\u{1b}");
    desk.carry_out("revert-then-restart").await;
    desk.wait("the end of the incident", |desk| {
        desk.app.incidents().is_empty()
    })
    .await;
    desk.pass(180).await;
    desk.wait_for("edited back").await;
    desk.says(
        "by argocd-controller (person not recorded): what is live is again what revision B held.",
    );
    desk.press("\n\n");
    desk.says("owner-will-undo");
}
