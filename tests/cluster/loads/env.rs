//! Environments: fixed at the start of the container.

use serde_json::json;

use super::truth::Ask;
use super::{BY_TIMES, KNOWN, Live, ORDERED, Pair, SPLIT, UNKNOWN, judged, row};
use crate::manifests::{
    config_map, deployment, env_from, on_delete, pod, shell, silent, variable, with,
};
use crate::place::{Place, some_seconds_pass};

const FLAGS: &str = "ConfigMap/flags";
const APP: &str = "Deployment/app";
const MODE: Ask = Ask::Env("MODE");

/// A namespace with a ConfigMap, and a Deployment of two replicas that run already.
fn two(name: &str, data: &serde_json::Value, container: serde_json::Value) -> Place {
    let place = Place::new(name);
    place.apply(&[
        config_map("flags", data),
        deployment("app", 2, pod(json!([container]))),
    ]);
    place.ready(&[("app", 2)]);
    place
}

#[test]
fn an_edit_of_a_key_that_another_source_overrides_splits_nothing() {
    let place = Place::new("loads-overridden");
    let literal = json!({"env": [{"name": "MODE", "value": "literal"}]});
    let by_env = silent(with(env_from("flags"), literal));
    let both = json!({"envFrom": [
        {"configMapRef": {"name": "flags"}},
        {"configMapRef": {"name": "overrides"}},
    ]});
    place.apply(&[
        config_map("flags", &json!({"MODE": "blue", "PORT": "80"})),
        config_map("overrides", &json!({"MODE": "later"})),
        deployment("app", 2, pod(json!([by_env]))),
        deployment("layered", 2, pod(json!([silent(both)]))),
    ]);
    place.ready(&[("app", 2), ("layered", 2)]);
    place.patch("flags", &json!({"MODE": "green"}));
    place.replace_one("app", 2);
    place.replace_one("layered", 2);
    let all = |truth| [row(truth, 2, &[], Live::Yes, KNOWN)];
    judged(
        &place,
        &[
            Pair::quiet(FLAGS, APP, MODE, &all("literal")),
            Pair::quiet(FLAGS, "Deployment/layered", MODE, &all("later")),
        ],
    );
}

#[test]
fn a_write_of_labels_changes_nothing() {
    let container = silent(env_from("flags"));
    let place = two("loads-label", &json!({"MODE": "blue"}), container);
    some_seconds_pass();
    place.kubectl(&["label", "configmap", "flags", "team=shop"]);
    // The same manager as that of the data: its time moves, the data does not.
    let labelled = with(
        config_map("flags", &json!({"MODE": "blue"})),
        json!({"metadata": {"name": "flags", "labels": {"tier": "front"}}}),
    );
    place.apply(&[labelled]);
    place.replace_one("app", 2);
    let all = [row("blue", 2, &[], Live::Yes, KNOWN)];
    judged(&place, &[Pair::quiet(FLAGS, APP, MODE, &all)]);
}

#[test]
fn of_an_edit_that_was_taken_back_only_who_started_between_is_behind() {
    let container = silent(env_from("flags"));
    let place = two("loads-back", &json!({"MODE": "blue"}), container);
    place.patch("flags", &json!({"MODE": "green"}));
    place.replace_one("app", 2);
    place.patch("flags", &json!({"MODE": "blue"}));
    let rows = [
        row("blue", 1, &["A", "C"], Live::Yes, ORDERED),
        row("green", 1, &["B"], Live::No, ORDERED),
    ];
    let causes = &["edited-back", "split-replicas"];
    judged(&place, &[Pair::incident(FLAGS, APP, MODE, causes, &rows)]);
}

#[test]
fn a_config_that_was_made_again_left_the_older_pods_with_the_former() {
    let container = silent(env_from("flags"));
    let place = two("loads-recreated", &json!({"MODE": "blue"}), container);
    some_seconds_pass();
    place.kubectl(&["delete", "configmap", "flags"]);
    place.kubectl(&["create", "configmap", "flags", "--from-literal=MODE=green"]);
    some_seconds_pass();
    place.replace_one("app", 2);
    // The former object is found in the API server's history; whether there was yet another between the two is not known.
    let rows = [
        row("blue", 1, &["A"], Live::No, BY_TIMES),
        row("green", 1, &["B"], Live::Yes, KNOWN),
    ];
    let causes = &["recreated", "split-replicas"];
    judged(&place, &[Pair::incident(FLAGS, APP, MODE, causes, &rows)]);
}

#[test]
fn a_stateful_set_that_replaces_nothing_by_itself_is_split_by_one_deleted_pod() {
    let place = Place::new("loads-stateful");
    let more = json!({"replicas": 2, "serviceName": "app", "podManagementPolicy": "Parallel"});
    let spec = pod(json!([silent(env_from("flags"))]));
    place.apply(&[
        config_map("flags", &json!({"MODE": "blue"})),
        on_delete("StatefulSet", "app", spec, more),
    ]);
    place.ready(&[("app", 2)]);
    place.apply(&[config_map("flags", &json!({"MODE": "green"}))]);
    // The new pod has the name of the old one.
    place.replace_one("app", 2);
    let rows = [
        row("blue", 1, &["A"], Live::No, ORDERED),
        row("green", 1, &["B"], Live::Yes, ORDERED),
    ];
    let pair = Pair::incident(FLAGS, "StatefulSet/app", MODE, SPLIT, &rows);
    judged(&place, &[pair]);
}

#[test]
fn a_pod_that_waits_for_a_key_that_is_gone_has_loaded_nothing() {
    let container = silent(json!({"env": [variable("flags", "MODE")]}));
    let data = json!({"MODE": "blue", "PORT": "80"});
    let place = Place::new("loads-missing");
    place.apply(&[config_map("flags", &data)]);
    // The entry of who made the config keeps the time of that, whoever takes the key away.
    some_seconds_pass();
    place.apply(&[deployment("app", 2, pod(json!([container])))]);
    place.ready(&[("app", 2)]);
    place.patch("flags", &json!({"MODE": null}));
    place.delete_one("app");
    place.wait_until("the new pod waits", || {
        let pods = place.kubectl(&["get", "pods"]);
        pods.contains("CreateContainerConfigError")
    });
    let rows = [
        row("blue", 1, &["A"], Live::No, ORDERED),
        row("CreateContainerConfigError", 1, &[], Live::Nothing, UNKNOWN),
    ];
    let causes = &["missing-reference", "stale-everywhere"];
    judged(&place, &[Pair::incident(FLAGS, APP, MODE, causes, &rows)]);
}

#[test]
fn a_value_from_elsewhere_tells_of_no_revision() {
    let script = "while true; do echo mode=$MODE; sleep 1; done";
    let literal = json!({"env": [{"name": "MODE", "value": "purple"}]});
    let container = shell(script, with(env_from("flags"), literal));
    let data = json!({"MODE": "blue", "PORT": "80"});
    let place = two("loads-elsewhere", &data, container);
    place.patch("flags", &json!({"MODE": "green", "PORT": "81"}));
    place.replace_one("app", 2);
    let rows = [
        row("80", 1, &["A"], Live::No, ORDERED),
        row("81", 1, &["B"], Live::Yes, ORDERED),
    ];
    let port = Ask::Env("PORT");
    let split = Pair::incident(FLAGS, APP, port, SPLIT, &rows);
    judged(&place, &[split]);
}

#[test]
fn a_container_that_was_started_again_in_its_pod_has_the_new_value() {
    let container = silent(env_from("flags"));
    let place = two("loads-in-place", &json!({"MODE": "blue"}), container);
    place.patch("flags", &json!({"MODE": "green"}));
    some_seconds_pass();
    place.kill_in_oldest("app", "app");
    let rows = [
        row("blue", 1, &["A"], Live::No, ORDERED),
        row("green", 1, &["B"], Live::Yes, BY_TIMES),
    ];
    judged(&place, &[Pair::incident(FLAGS, APP, MODE, SPLIT, &rows)]);
}
