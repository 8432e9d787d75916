//! The rules beside a plain split, each on an incident of its own.

use serde_json::{Value, json};

use crate::manifests::{
    config_map, deployment, env_from, nginx, pod, pod_with, shell, silent, with,
};
use crate::place::{Place, is_running, some_seconds_pass, statuses};
use crate::program::{Report, run};

/// The report on a namespace that has an incident.
fn told(place: &Place) -> Report {
    run(&["-n", place.name(), "diagnose", "-o", "json"]).report(1)
}

/// The sentence of a rule, which must be among the findings.
fn sentence(report: &Report, code: &str) -> String {
    let findings = report.incident()["findings"].as_array();
    let found = findings.into_iter().flatten().find(|f| f["code"] == code);
    let found = found.unwrap_or_else(|| panic!("no {code}: {:#}", report.incident()["findings"]));
    found["sentence"].as_str().expect("a sentence").to_owned()
}

fn holds(sentence: &str, parts: &[&str]) {
    for part in parts {
        assert!(sentence.contains(part), "{part:?} is not in {sentence:?}");
    }
}

fn app(config: &str) -> Value {
    deployment("app", 2, pod(json!([silent(env_from(config))])))
}

fn features(value: &str) -> Value {
    config_map("features", &json!({"FEATURE_RECS": value}))
}

#[test]
fn an_upstream_without_endpoints_is_not_the_configs_fault() {
    let place = Place::new("rules-no-endpoints");
    let service = json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": "api"},
        "spec": {"selector": {"app": "api"}, "ports": [{"port": 8080}]},
    });
    place.apply(&[service]);
    // The lab has no name server: the address stands in the content, and nginx would look the name up at its start.
    let address = place.kubectl(&["get", "service", "api", "-o", "jsonpath={.spec.clusterIP}"]);
    let conf = format!(
        "upstream api {{ server {address}:8080; }}\nserver {{ listen 80; location / {{ proxy_pass http://api; }} }}\n"
    );
    let volume = json!({"configMap": {"name": "web-conf"}});
    place.apply(&[
        config_map("web-conf", &json!({"default.conf": conf})),
        deployment("web", 1, pod_with(volume, json!([nginx()]))),
    ]);
    place.ready(&[("web", 1)]);
    let pod = place.oldest("web");
    place.wait_until("it has failed to reach the Service thrice", || {
        let get = ["wget", "-q", "-O", "-", "http://127.0.0.1/items"];
        // It fails, as it should.
        drop(place.exec(&pod, "app", &get));
        let log = place.kubectl(&["logs", &pod]);
        log.matches(&format!("upstream: \"http://{address}:8080"))
            .count()
            >= 3
    });
    let report = told(&place);
    assert_eq!(report.codes()[0], "no-endpoints");
    holds(
        &sentence(&report, "no-endpoints"),
        &[
            "Service api has no ready endpoint (0 of 0)",
            "the config is not the problem",
        ],
    );
    assert_eq!(report.incident()["plans"], json!([]));
}

#[test]
fn an_edit_that_went_to_another_namespace() {
    let place = Place::new("rules-right-namespace");
    let other = Place::new("rules-wrong-namespace");
    place.apply(&[features("on"), app("features")]);
    place.ready(&[("app", 2)]);
    other.apply(&[features("off")]);
    // At first the pods that take it may be still to come.
    let look = || run(&["-n", place.name(), "diagnose", "-o", "json"]);
    let early = look();
    assert_eq!(early.code, Some(0), "{}", early.stdout);
    place.wait_until("the other one has been there for a minute", || {
        look().code == Some(1)
    });
    let report = told(&place);
    assert_eq!(report.codes(), ["edited-elsewhere"]);
    holds(
        &sentence(&report, "edited-elsewhere"),
        &[
            "ConfigMap features in namespace rules-wrong-namespace was written at",
            "no pod there takes it",
            "FEATURE_RECS on → off",
        ],
    );
    // With somebody there who takes it, it is that one's own.
    other.apply(&[app("features")]);
    other.ready(&[("app", 2)]);
    let quiet = run(&["-n", place.name(), "diagnose", "-o", "json"]);
    assert_eq!(quiet.code, Some(0), "{}", quiet.stdout);
}

#[test]
fn a_checksum_that_did_not_move_with_the_content() {
    let place = Place::new("rules-checksum");
    let mut workload = app("features");
    workload["spec"]["template"]["metadata"]["annotations"] = json!({"checksum/config": "ab12"});
    place.apply(&[features("on"), workload]);
    place.ready(&[("app", 2)]);
    crate::place::some_seconds_pass();
    place.patch("features", &json!({"FEATURE_RECS": "off"}));
    let report = told(&place);
    assert_eq!(report.codes()[0], "stale-everywhere");
    holds(
        &sentence(&report, "checksum-stale"),
        &["checksum/config: ab12", "did not move with the content"],
    );
}

#[test]
fn an_undo_that_would_not_start() {
    let place = Place::new("rules-rollback");
    let settings = |name: &str| config_map(name, &json!({"FEATURE_RECS": "on"}));
    place.apply(&[settings("settings-v1"), app("settings-v1")]);
    place.ready(&[("app", 2)]);
    place.apply(&[settings("settings-v2"), app("settings-v2")]);
    place.kubectl(&["rollout", "status", "deployment/app", "--timeout=60s"]);
    place.ready(&[("app", 2)]);
    place.kubectl(&["delete", "configmap", "settings-v1"]);
    crate::place::some_seconds_pass();
    place.patch("settings-v2", &json!({"FEATURE_RECS": "off"}));
    holds(
        &sentence(&told(&place), "rollback-broken"),
        &[
            "An undo is no way back: revision 1 of app",
            "ConfigMap/settings-v1, which is not there",
        ],
    );
}

/// `features` with these annotations, written by this manager, then edited by hand; two pods that are older than the edit.
fn kept_by(place: &Place, manager: &str, annotations: Value) {
    let config = with(
        features("on"),
        json!({"metadata": {"name": "features", "annotations": annotations}}),
    );
    let apply = [
        "apply",
        "--server-side",
        "-f",
        "-",
        "--field-manager",
        manager,
    ];
    place.send(&apply, &config);
    place.apply(&[app("features")]);
    place.ready(&[("app", 2)]);
    crate::place::some_seconds_pass();
    place.patch("features", &json!({"FEATURE_RECS": "off"}));
}

#[test]
fn argo_cd_and_how_soon_it_would_undo_a_change() {
    let place = Place::new("rules-argo");
    let id = "shop:/ConfigMap:rules-argo/features";
    kept_by(
        &place,
        "argocd-controller",
        json!({"argocd.argoproj.io/tracking-id": id}),
    );
    holds(
        &sentence(&told(&place), "owner-will-undo"),
        &[
            "Argo CD keeps it (Application shop)",
            "within seconds",
            "argocd app set shop --sync-policy none",
        ],
    );
}

#[test]
fn a_config_of_helm_that_was_edited_by_hand() {
    let place = Place::new("rules-helm");
    kept_by(
        &place,
        "helm",
        json!({
            "meta.helm.sh/release-name": "shop",
            "meta.helm.sh/release-namespace": "rules-helm",
        }),
    );
    let report = told(&place);
    assert_eq!(report.codes()[0], "stale-everywhere");
    holds(
        &sentence(&report, "owner-will-undo"),
        &[
            "Helm keeps it (release shop)",
            "fails with a conflict",
            "last written by kubectl-patch, not by Helm",
        ],
    );
}

#[test]
fn a_key_that_an_edit_took_away() {
    let place = Place::new("rules-missing");
    let both = json!({"FEATURE_RECS": "on", "TIMEOUT_MS": "800"});
    let container = silent(json!({"env": [crate::manifests::variable("features", "TIMEOUT_MS")]}));
    place.apply(&[
        config_map("features", &both),
        deployment("app", 2, pod(json!([container]))),
    ]);
    place.ready(&[("app", 2)]);
    place.patch("features", &json!({"TIMEOUT_MS": null}));
    place.delete_one("app");
    place.wait_until("its replacement waits for the key", || {
        let text = place.kubectl(&["get", "pods", "-l", "app=app", "-o", "json"]);
        text.contains("CreateContainerConfigError")
    });
    let report = told(&place);
    assert_eq!(report.codes()[0], "missing-reference");
    holds(
        &sentence(&report, "missing-reference"),
        &[
            "1 pod of app cannot start",
            "does not hold key TIMEOUT_MS, which app needs",
            "revision A still held it",
            "1 replica still runs",
        ],
    );
}

#[test]
fn a_config_that_was_deleted_is_found_again() {
    let place = Place::new("rules-deleted");
    place.apply(&[features("on"), app("features")]);
    place.ready(&[("app", 2)]);
    place.kubectl(&["delete", "configmap", "features"]);
    place.delete_one("app");
    place.wait_until("its replacement waits for the config", || {
        let text = place.kubectl(&["get", "pods", "-l", "app=app", "-o", "json"]);
        text.contains("CreateContainerConfigError")
    });
    let report = told(&place);
    holds(
        &sentence(&report, "missing-reference"),
        &[
            "ConfigMap features, which app needs, is not there",
            "its last content is recovered from the API server's history",
        ],
    );
    let step = &report.incident()["plans"][0]["steps"][0];
    let command = step["command"].as_str().expect("a command");
    assert!(command.contains("\"FEATURE_RECS\":\"on\""), "{command}");
    // What it says to do is what helps.
    let ran = std::process::Command::new("sh")
        .args(["-c", command])
        .env("KUBECONFIG", crate::program::kubeconfig())
        .output()
        .expect("a shell");
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    place.ready(&[("app", 2)]);
}

/// A rollout from one immutable config to the next that is paused half way. It waits some seconds after each step, so that it is
/// paused before its end however fast the machine is.
pub(crate) fn paused_half_way(name: &str) -> Place {
    let place = Place::new(name);
    let settings = |version: &str, value: &str| {
        let mut config = config_map(version, &json!({"FEATURE_RECS": value}));
        config["immutable"] = json!(true);
        config
    };
    let catalog = |version: &str| {
        let container = shell("exec sleep 3600", env_from(version));
        let mut object = deployment("catalog", 4, pod(json!([container])));
        object["spec"]["minReadySeconds"] = json!(10);
        object
    };
    place.apply(&[
        settings("settings-v1", "blue"),
        settings("settings-v2", "green"),
        catalog("settings-v1"),
    ]);
    place.ready(&[("catalog", 4)]);
    place.apply(&[catalog("settings-v2")]);
    place.wait_until("a pod of the new template runs", || {
        place.pods("catalog").iter().any(|pod| {
            let named = &pod["spec"]["containers"][0]["envFrom"][0]["configMapRef"]["name"];
            named == "settings-v2" && statuses(pod).any(is_running)
        })
    });
    place.kubectl(&["rollout", "pause", "deployment/catalog"]);
    some_seconds_pass();
    place
}

#[test]
fn replicas_that_name_different_configs_in_a_paused_rollout() {
    let report = told(&paused_half_way("confsplit-paused-rules"));
    assert_eq!(report.codes()[0], "split-reference");
    holds(
        &sentence(&report, "split-reference"),
        &[
            "ConfigMap/settings-v2, as the template does now",
            "Deployment/catalog is paused",
        ],
    );
    let incident = report.incident();
    assert_eq!(incident["config"]["name"], "settings-v2");
    for replica in incident["replicas"].as_array().expect("replicas") {
        let live = replica["live"].as_bool().expect("known");
        let revision = if live { "B" } else { "A" };
        assert_eq!(replica["loaded"], revision, "{replica:#}");
    }
    assert_eq!(incident["plans"][0]["kind"], "repoint");
}

/// Some ten minutes after the lab made it, when the API server keeps nothing of it any more.
#[test]
fn later_a_reconstruction_is_proposed() {
    let place = Place::there("shop");
    place.wait_until_forgotten("frontend-nginx");
    let report = told(&place);
    assert_eq!(report.codes()[0], "split-replicas");
    holds(
        &sentence(&report, "split-replicas"),
        &["a reconstruction of it is proposed: api:8000 → api:8080"],
    );
    let before = &report.incident()["revisions"][0];
    let source = before["content_source"].as_str().expect("a source");
    holds(source, &["reconstruction, found nowhere", "8080"]);
    let plan = &report.incident()["plans"][0];
    assert_eq!(plan["recommended"], true);
    let steps = plan["steps"].as_array().expect("steps");
    assert!(steps.iter().any(|step| {
        let command = step["command"].as_str().unwrap_or_default();
        command.contains(" patch configmap ") && command.contains("api:8080")
    }));
}
