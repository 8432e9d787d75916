//! Consent to read in containers, given by keys, and what it proves. And other namespaces.

use super::desk::Desk;
use super::reports::loads;

/// Agrees by `i` and the answer Yes, and waits until nothing more is read.
async fn agreed(scenario: &str) -> Desk {
    let mut desk = Desk::on(scenario).await;
    desk.says("could be probed: i shows what would run.");
    let execs = |desk: &Desk| {
        let asked = desk.played.wire.asked();
        asked.iter().filter(|line| line.contains("/exec?")).count()
    };
    assert_eq!(execs(&desk), 0);
    desk.press("i");
    desk.says("cat /proc/self/environ");
    // No is what Enter would take at first.
    desk.press("\n");
    desk.pass(10).await;
    assert_eq!(execs(&desk), 0);
    desk.press("iy");
    desk.pass(10).await;
    assert!(execs(&desk) > 0);
    desk.says_not("  observe  ");
    desk
}

#[tokio::test(start_paused = true)]
async fn the_environment_proves_what_is_loaded() {
    let desk = agreed("env-frozen").await;
    assert_eq!(loads(&desk.app.incidents()[0]), ["A not proved"; 3]);
}

#[tokio::test(start_paused = true)]
async fn a_file_that_is_never_swapped_proves_what_is_loaded() {
    let desk = agreed("subpath-frozen").await;
    assert_eq!(
        loads(&desk.app.incidents()[0]),
        ["B live proved", "A not proved", "A not proved"]
    );
}

#[tokio::test(start_paused = true)]
async fn what_is_half_a_year_old_is_proved() {
    let desk = agreed("half-year").await;
    assert_eq!(
        loads(&desk.app.incidents()[0]),
        ["B live proved", "A not proved", "A not proved"]
    );
}

/// A file that was swapped under a program that read it once says nothing of what the program runs.
#[tokio::test(start_paused = true)]
async fn a_file_that_was_swapped_proves_nothing() {
    let desk = agreed("partial-restart").await;
    let loads = loads(&desk.app.incidents()[0]);
    assert_eq!(loads[1], "A not inferred");
}

#[tokio::test(start_paused = true)]
async fn a_no_is_kept() {
    let mut desk = Desk::on("env-frozen").await;
    desk.press("in");
    desk.pass(30).await;
    assert_eq!(loads(&desk.app.incidents()[0]), ["A not inferred"; 3]);
    let asked = desk.played.wire.asked();
    assert!(!asked.iter().any(|line| line.contains("/exec")));
}

#[tokio::test(start_paused = true)]
async fn every_request_but_execs_only_reads() {
    let mut desk = Desk::on("partial-restart").await;
    desk.press("iy");
    desk.pass(60).await;
    for line in desk.played.wire.asked() {
        let reads = line.starts_with("GET ");
        let reviews = line.starts_with("POST ") && line.contains("selfsubject");
        assert!(reads || reviews, "{line}");
    }
}

#[tokio::test(start_paused = true)]
async fn other_namespaces_are_looked_at_and_left_again() {
    let mut desk = Desk::on("partial-restart").await;
    desk.press(":ns kube-system\n");
    desk.wait_for("kube-system").await;
    desk.wait_for("No replica in namespace kube-system takes a ConfigMap or Secret.")
        .await;
    assert!(
        desk.known()
            .pods
            .iter()
            .all(|p| p.reference.namespace == "kube-system")
    );
    desk.press(":all\n");
    desk.wait_for("all namespaces").await;
    desk.wait_for("1 of 2 frontend replicas runs the edited config.")
        .await;
    desk.press(":ns shop\n");
    desk.wait_for("CAUSE 1 of 2 frontend replicas runs the edited config.")
        .await;
    desk.press(":ns nowhere\n");
    desk.wait_for("nowhere").await;
    desk.pass(5).await;
    assert!(desk.app.incidents().is_empty());
}
