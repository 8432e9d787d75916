//! What decides whether a key reaches the process at all: other sources of its name, optional keys, paths, and names made again.

use serde_json::{Value, json};

use super::truth::Ask;
use super::{KNOWN, Live, ORDERED, PERHAPS, Pair, SPLIT, UNKNOWN, any, judged, row};
use crate::manifests::{
    STAY, config_map, deployment, env_from, pod, pod_with, shell, silent, with,
};
use crate::place::{Place, some_seconds_pass};

const FLAGS: &str = "ConfigMap/flags";
const APP: &str = "Deployment/app";
const MODE: Ask = Ask::Env("MODE");

fn flags(mode: &str) -> Value {
    config_map("flags", &json!({"MODE": mode, "PORT": "80"}))
}

/// The older of two pods and the one that replaced the other, both fixed at their start.
fn split(workload: &'static str, ask: Ask) -> Pair {
    let rows = [
        row("blue", 1, &["A"], Live::No, ORDERED),
        row("green", 1, &["B"], Live::Yes, ORDERED),
    ];
    Pair::incident(FLAGS, workload, ask, SPLIT, &rows)
}

#[test]
fn a_key_that_a_later_secret_overrides_splits_nothing() {
    let place = Place::new("loads-secret-overrides");
    let sources = json!({"envFrom": [
        {"configMapRef": {"name": "flags"}},
        {"secretRef": {"name": "hidden"}},
    ]});
    let secret = json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "hidden"},
        "stringData": {"MODE": "secret"},
    });
    place.apply(&[flags("blue"), secret]);
    // The Secret is older than any pod, so its content is none of the program's business: its keys are.
    some_seconds_pass();
    place.apply(&[deployment("app", 2, pod(json!([silent(sources)])))]);
    place.ready(&[("app", 2)]);
    place.patch("flags", &json!({"MODE": "green"}));
    place.replace_one("app", 2);
    let rows = [row("secret", 2, &[], Live::Yes, KNOWN)];
    judged(&place, &[Pair::quiet(FLAGS, APP, MODE, &rows)]);
}

#[test]
fn an_optional_key_overrides_only_where_it_is_there() {
    let place = Place::new("loads-optional-overrides");
    let optional = |key: &str| {
        let key = json!({"name": "others", "key": key, "optional": true});
        let variable = json!({"name": "MODE", "valueFrom": {"configMapKeyRef": key}});
        pod(json!([silent(with(
            env_from("flags"),
            json!({"env": [variable]})
        ))]))
    };
    place.apply(&[
        flags("blue"),
        config_map("others", &json!({"THERE": "other"})),
    ]);
    // An optional config that is made in the same second may be the later one.
    some_seconds_pass();
    place.apply(&[
        deployment("app", 2, optional("THERE")),
        deployment("open", 2, optional("MISSING")),
    ]);
    place.ready(&[("app", 2), ("open", 2)]);
    place.patch("flags", &json!({"MODE": "green"}));
    place.replace_one("app", 2);
    place.replace_one("open", 2);
    let other = [row("other", 2, &[], Live::Yes, KNOWN)];
    judged(
        &place,
        &[
            Pair::quiet(FLAGS, APP, MODE, &other),
            split("Deployment/open", MODE),
        ],
    );
}

#[test]
fn a_path_by_a_variable_takes_one_key() {
    let place = Place::new("loads-sub-path-by-variable");
    let container = json!({
        "env": [{"name": "FILE", "value": "MODE"}],
        "volumeMounts": [{"name": "conf", "mountPath": "/etc/mode", "subPathExpr": "$(FILE)"}],
    });
    let volume = json!({"configMap": {"name": "flags"}});
    let spec = || pod_with(volume.clone(), json!([shell(STAY, container.clone())]));
    place.apply(&[flags("blue"), deployment("app", 2, spec())]);
    place.ready(&[("app", 2)]);
    place.patch("flags", &json!({"PORT": "81"}));
    place.replace_one("app", 2);
    let same = [row("blue", 2, &[], Live::Near(true), UNKNOWN)];
    let pair = Pair::quiet(FLAGS, APP, Ask::File("/etc/mode"), &same);
    judged(&place, &[pair]);
}

#[test]
fn an_item_whose_key_was_not_edited_is_the_same() {
    let place = Place::new("loads-other-item");
    let volume = json!({"configMap": {
        "name": "flags",
        "items": [{"key": "PORT", "path": "port"}],
    }});
    let mount = json!({"volumeMounts": [{"name": "conf", "mountPath": "/etc/app"}]});
    let script = format!("cat /etc/app/port; echo; {STAY}");
    let spec = pod_with(volume, json!([shell(&script, mount)]));
    place.apply(&[flags("blue"), deployment("app", 2, spec)]);
    place.ready(&[("app", 2)]);
    place.patch("flags", &json!({"MODE": "green"}));
    place.replace_one("app", 2);
    let same = [row("80", 2, &[], Live::Yes, KNOWN)];
    judged(&place, &[Pair::quiet(FLAGS, APP, Ask::Printed, &same)]);
}

#[test]
fn an_immutable_config_that_was_made_again_proves_nothing_by_order() {
    let place = Place::new("loads-immutable-again");
    let immutable = |mode: &str| with(flags(mode), json!({"immutable": true}));
    place.apply(&[
        immutable("blue"),
        deployment("app", 2, pod(json!([silent(env_from("flags"))]))),
    ]);
    place.ready(&[("app", 2)]);
    some_seconds_pass();
    place.kubectl(&["delete", "configmap", "flags"]);
    place.apply(&[immutable("green")]);
    place.replace_one("app", 2);
    // The kubelet may give a new pod the former content.
    let rows = [
        any("blue", &[], Live::Near(false), UNKNOWN),
        any("green", &[], Live::Near(true), UNKNOWN),
    ];
    let causes = &["recreated", "split-replicas", "stale-everywhere", PERHAPS];
    judged(&place, &[Pair::incident(FLAGS, APP, MODE, causes, &rows)]);
}

#[test]
fn an_optional_config_that_came_later_did_not_reach_who_started_before() {
    let place = Place::new("loads-optional-config");
    let source = json!({"name": "flags", "optional": true});
    let sources = json!({"envFrom": [{"configMapRef": source}]});
    place.apply(&[deployment("app", 2, pod(json!([silent(sources)])))]);
    place.ready(&[("app", 2)]);
    some_seconds_pass();
    place.apply(&[flags("green")]);
    place.replace_one("app", 2);
    let rows = [
        row("", 1, &[], Live::Near(false), KNOWN),
        // Had there been another object before, an immutable one, its kubelet might have given it that.
        row("green", 1, &["A"], Live::Near(true), KNOWN),
    ];
    let causes = &["split-replicas", PERHAPS];
    judged(&place, &[Pair::incident(FLAGS, APP, MODE, causes, &rows)]);
}
