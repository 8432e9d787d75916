//! Against a real cluster: the one of `CONFSPLIT_TEST_KUBECONFIG`, on which the incidents that are judged here were made
//! a few minutes ago, the one in namespace `shop` last. CONTRIBUTING says how.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, its helpers too"
)]

mod conformance;
mod demo;
mod live;
mod loads;
mod manifests;
mod old;
mod place;
mod plan;
mod probe;
mod program;
mod proxies;
mod remedy;
mod rights;
mod rules;
mod screen;

use program::{Report, Run, run};

/// Each replica's `(loaded, live)`, in the order of their starts.
fn loads(report: &Report) -> Vec<(String, Option<bool>)> {
    let mut replicas: Vec<&serde_json::Value> = report.incident()["replicas"]
        .as_array()
        .expect("replicas")
        .iter()
        .collect();
    replicas.sort_by_key(|r| r["started_at"].as_str().map(str::to_owned));
    replicas
        .iter()
        .map(|r| {
            let loaded = r["loaded"].as_str().unwrap_or("unknown").to_owned();
            (loaded, r["live"].as_bool())
        })
        .collect()
}

fn load(name: &str, live: bool) -> (String, Option<bool>) {
    (name.to_owned(), Some(live))
}

#[test]
fn partial_restart_is_a_split_with_its_edit_and_a_revert_first() {
    let report = run(&["-n", "shop", "diagnose", "-o", "json"]).report(1);
    assert_eq!(
        report.codes(),
        ["split-replicas", "port-mismatch", "in-place-edit"]
    );
    assert_eq!(loads(&report), [load("A", false), load("B", true)]);
    let incident = report.incident();
    let cause = incident["findings"][0]["sentence"]
        .as_str()
        .expect("a sentence");
    for part in [
        "1 of 2 frontend replicas",
        "by kubectl-client-side-apply",
        "api:8080 → api:8000",
        "recovered from the API server's history",
    ] {
        assert!(cause.contains(part), "{part:?} is not in {cause:?}");
    }
    let grades: Vec<&str> = incident["replicas"]
        .as_array()
        .expect("replicas")
        .iter()
        .filter_map(|r| r["grade"].as_str())
        .collect();
    assert!(
        grades.contains(&"ordered") && grades.contains(&"inferred"),
        "{grades:?}"
    );
    let impact = incident["impact"].as_str().expect("an impact");
    assert!(
        impact.contains("FAIL") && impact.contains("SPREADS"),
        "{impact}"
    );
    let plans = incident["plans"].as_array().expect("plans");
    let recommended: Vec<&str> = plans
        .iter()
        .filter(|p| p["recommended"] == true)
        .filter_map(|p| p["kind"].as_str())
        .collect();
    assert_eq!(recommended, ["revert-then-restart"]);
    let writes: Vec<&str> = plans[0]["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .filter_map(|s| s["command"].as_str())
        .filter(|c| c.contains(" patch ") || c.contains(" restart ") || c.contains(" delete "))
        .collect();
    assert!(
        writes[0].contains(" patch configmap frontend-nginx "),
        "{writes:?}"
    );
    assert!(writes[0].contains("server api:8080;"), "{writes:?}");
}

#[test]
fn envfrom_frozen_is_stale_everywhere() {
    let report = run(&["-n", "envfrom-frozen", "diagnose", "-o", "json"]).report(1);
    assert_eq!(report.codes()[0], "stale-everywhere");
    assert_eq!(
        loads(&report),
        [load("A", false), load("A", false), load("A", false)]
    );
}

#[test]
fn subpath_frozen_is_one_live_and_two_before() {
    let report = run(&["-n", "subpath-frozen", "diagnose", "-o", "json"]).report(1);
    assert_eq!(report.codes()[0], "split-replicas");
    assert_eq!(
        loads(&report),
        [load("A", false), load("A", false), load("B", true)]
    );
}

#[test]
fn restarted_in_place_names_the_container_that_restarted() {
    let report = run(&["-n", "restarted-in-place", "diagnose", "-o", "json"]).report(1);
    assert_eq!(report.codes()[0], "split-replicas");
    assert_eq!(loads(&report), [load("A", false), load("B", true)]);
    // The truth from the pods themselves: the one that restarted is the one on B.
    let on_b = report.incident()["replicas"]
        .as_array()
        .expect("replicas")
        .iter()
        .find(|r| r["loaded"] == "B")
        .and_then(|r| r["pod"].as_str())
        .expect("a pod on B")
        .to_owned();
    let text = run(&["-n", "restarted-in-place", "diagnose"]).stdout;
    assert!(text.contains(&format!("{on_b}  B       yes")), "{text}");
    assert!(text.contains("restarted in place"), "{text}");
}

#[test]
fn crash_on_new_quotes_the_error_and_spares_the_survivor() {
    let report = run(&["-n", "crash-new", "diagnose", "-o", "json"]).report(1);
    assert_eq!(report.codes()[0], "crash-on-new");
    let cause = report.incident()["findings"][0]["sentence"]
        .as_str()
        .expect("a sentence");
    assert!(cause.contains("unknown directive \"locatoin\""), "{cause}");
    assert!(cause.contains("do not restart it"), "{cause}");
}

#[test]
fn a_rotated_secret_is_split_and_no_value_is_shown() {
    let report = run(&["-n", "secret-frozen", "diagnose", "-o", "json"]).report(1);
    assert_eq!(report.codes()[0], "split-replicas");
    for output in ["text", "json", "markdown"] {
        let page = run(&["-n", "secret-frozen", "diagnose", "-o", output]).stdout;
        assert!(!page.contains("hunter2"), "a value in {output}");
        assert!(
            !page.contains("aHVudGVyMi"),
            "a value as base64 in {output}"
        );
    }
}

#[test]
fn a_quiet_namespace_has_nothing_to_find() {
    let report = run(&["-n", "kube-system", "diagnose", "-o", "json"]).report(0);
    assert!(report.codes().is_empty());
}

#[test]
fn every_report_keeps_to_the_schema() {
    let schema: serde_json::Value =
        serde_json::from_str(include_str!("../../assets/report.schema.json")).expect("the schema");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    for scope in [
        ["-n", "shop"],
        ["-n", "crash-new"],
        ["-n", "default"],
        ["-A", "--ascii"],
    ] {
        let page = run(&[scope[0], scope[1], "diagnose", "-o", "json"]).stdout;
        let report: serde_json::Value = serde_json::from_str(&page).expect("JSON");
        let errors: Vec<String> = validator
            .iter_errors(&report)
            .map(|e| e.to_string())
            .collect();
        assert!(errors.is_empty(), "{scope:?}: {errors:?}");
    }
}

#[test]
fn a_capture_of_this_very_run_gives_the_same_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("shop.capture");
    let path = file.to_str().expect("UTF-8");
    for output in ["json", "text", "markdown"] {
        let live = run(&[
            "-n",
            "shop",
            "diagnose",
            "-o",
            output,
            "--capture",
            path,
            "--force",
        ]);
        let replayed = run(&["diagnose", "--from", path, "-o", output]);
        assert_eq!(live.stdout, replayed.stdout, "{output}");
        assert_eq!((live.code, replayed.code), (Some(1), Some(1)));
    }
}

#[test]
fn without_rights_it_says_so_and_never_that_all_is_well() {
    let Run { code, stderr, .. } = run(&["-n", "shop", "--as", "nobody", "diagnose"]);
    assert_eq!(code, Some(3));
    assert!(
        stderr.contains("Nothing may be listed in namespace shop"),
        "{stderr}"
    );
    let Run { code, stderr, .. } = run(&["-n", "no-such-namespace", "diagnose"]);
    assert_eq!(code, Some(3));
    assert!(
        stderr.contains("no namespace no-such-namespace"),
        "{stderr}"
    );
}
