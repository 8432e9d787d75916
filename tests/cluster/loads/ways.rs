//! The many ways by which containers take a config, each with one edit.

use serde_json::{Value, json};

use super::truth::Ask;
use super::{KNOWN, Live, ORDERED, Pair, SPLIT, STALE, UNKNOWN, judged, row};
use crate::manifests::{
    STAY, bare, config_map, deployment, env_from, job, on_delete, pod, pod_with, shell, silent,
    variable, with,
};
use crate::place::Place;

const SETTINGS: &str = "ConfigMap/settings";
const MODE: Ask = Ask::Env("MODE");

/// The same before and after the edit, but for the keys that it touches.
fn settings(mode: &str) -> Value {
    json!({"MODE": mode, "PORT": "80"})
}

fn beside(name: &str, container: Value) -> Value {
    with(container, json!({"name": name}))
}

/// Variables that stand for a key in other ways than by its name alone.
fn variables() -> Vec<Value> {
    let prefixed = json!({"envFrom": [
        {"prefix": "APP_", "configMapRef": {"name": "settings"}},
    ]});
    let optional = json!({"env": [{"name": "EXTRA", "valueFrom": {
        "configMapKeyRef": {"name": "settings", "key": "EXTRA", "optional": true},
    }}]});
    let referenced = json!({"env": [
        variable("settings", "MODE"),
        {"name": "ADDRESS", "value": "http://$(MODE)/"},
    ]});
    let untouched = json!({"env": [variable("settings", "PORT")]});
    [
        ("prefixed", prefixed),
        ("optional", optional),
        ("referenced", referenced),
        ("untouched", untouched),
    ]
    .map(|(name, env)| deployment(name, 2, pod(json!([silent(env)]))))
    .to_vec()
}

#[test]
fn variables_by_prefix_by_reference_and_by_an_optional_key() {
    let place = Place::new("loads-variables");
    place.apply(&[config_map("settings", &settings("blue"))]);
    place.apply(&variables());
    let apps = ["prefixed", "optional", "referenced", "untouched"];
    place.ready(&apps.map(|app| (app, 2)));
    place.patch("settings", &json!({"MODE": "green", "EXTRA": "yes"}));
    for app in apps {
        place.delete_one(app);
    }
    place.ready(&apps.map(|app| (app, 2)));
    let split = |workload, ask, before, after| {
        let rows = [
            row(before, 1, &["A"], Live::No, ORDERED),
            row(after, 1, &["B"], Live::Yes, ORDERED),
        ];
        Pair::incident(SETTINGS, workload, ask, SPLIT, &rows)
    };
    let same = [row("80", 2, &[], Live::Yes, KNOWN)];
    judged(
        &place,
        &[
            split("Deployment/prefixed", Ask::Env("APP_MODE"), "blue", "green"),
            split("Deployment/optional", Ask::Env("EXTRA"), "", "yes"),
            split(
                "Deployment/referenced",
                Ask::Env("ADDRESS"),
                "http://blue/",
                "http://green/",
            ),
            Pair::quiet(SETTINGS, "Deployment/untouched", Ask::Env("PORT"), &same),
        ],
    );
}

/// Pods of every kind of owner, and of none.
fn owners() -> Vec<Value> {
    let spec = || pod(json!([silent(env_from("settings"))]));
    let sidecar = beside(
        "side",
        silent(with(
            env_from("settings"),
            json!({"restartPolicy": "Always"}),
        )),
    );
    let with_sidecar = with(
        pod(json!([silent(json!({}))])),
        json!({"initContainers": [sidecar]}),
    );
    vec![
        deployment("grown", 1, spec()),
        on_delete("DaemonSet", "node", spec(), json!({})),
        bare("bare", spec()),
        job("batch", spec()),
        deployment("beside", 2, with_sidecar),
    ]
}

#[test]
fn pods_of_every_owner_and_of_none() {
    let place = Place::new("loads-owners");
    place.apply(&[config_map("settings", &settings("blue"))]);
    place.apply(&owners());
    place.ready(&[
        ("grown", 1),
        ("node", 1),
        ("bare", 1),
        ("batch", 1),
        ("beside", 2),
    ]);
    place.apply(&[config_map("settings", &settings("green"))]);
    place.kubectl(&["scale", "deployment/grown", "--replicas=2"]);
    place.delete_one("beside");
    place.ready(&[("grown", 2), ("beside", 2)]);
    let split = [
        row("blue", 1, &["A"], Live::No, ORDERED),
        row("green", 1, &["B"], Live::Yes, ORDERED),
    ];
    let stale = [row("blue", 1, &["A"], Live::No, ORDERED)];
    judged(
        &place,
        &[
            Pair::incident(SETTINGS, "Deployment/grown", MODE, SPLIT, &split),
            Pair::incident(SETTINGS, "DaemonSet/node", MODE, STALE, &stale),
            Pair::incident(SETTINGS, "Pod/bare", MODE, STALE, &stale),
            Pair::incident(SETTINGS, "Job/batch", MODE, STALE, &stale),
            Pair::incident(SETTINGS, "Deployment/beside", MODE, SPLIT, &split).container("side"),
        ],
    );
}

fn file(content: &str, bytes: &str) -> Value {
    let whole = config_map("settings", &json!({"app.conf": content, "MODE": content}));
    with(whole, json!({"binaryData": {"blob": bytes}}))
}

/// Files by items below a subPath, a binary key that is read once, and a pod of which one container takes variables, one files.
fn file_workloads() -> Vec<Value> {
    let volume = |items: Value| json!({"configMap": {"name": "settings", "items": items}});
    let mount = |path: &str, more: Value| {
        let own = json!({"name": "conf", "mountPath": path});
        json!({"volumeMounts": [with(own, more)]})
    };
    let item = pod_with(
        volume(json!([{"key": "app.conf", "path": "deep/renamed.conf"}])),
        json!([shell(
            STAY,
            mount("/etc/app.conf", json!({"subPath": "deep/renamed.conf"}))
        )]),
    );
    let reading = |name: &str| format!("cat /etc/app/{name}; echo; {STAY}");
    let blob = pod_with(
        volume(json!([{"key": "blob", "path": "blob"}])),
        json!([shell(&reading("blob"), mount("/etc/app", json!({})))]),
    );
    let both = pod_with(
        volume(json!([{"key": "app.conf", "path": "app.conf"}])),
        json!([
            silent(json!({"env": [variable("settings", "MODE")]})),
            beside(
                "files",
                shell(&reading("app.conf"), mount("/etc/app", json!({})))
            ),
        ]),
    );
    vec![
        deployment("item", 2, item),
        deployment("blob", 2, blob),
        deployment("both", 2, both),
    ]
}

#[test]
fn files_by_items_and_of_binary_keys_and_two_containers_with_two_ways() {
    let place = Place::new("loads-files");
    place.apply(&[file("blue", "QUFB")]);
    place.apply(&file_workloads());
    let apps = ["item", "blob", "both"];
    place.ready(&apps.map(|app| (app, 2)));
    place.apply(&[file("green", "QkJC")]);
    for app in apps {
        place.delete_one(app);
    }
    place.ready(&apps.map(|app| (app, 2)));
    let fixed = [
        row("blue", 1, &["A"], Live::No, ORDERED),
        row("green", 1, &["B"], Live::Yes, ORDERED),
    ];
    // A program that is not known to read once: before the edit says only what it read at its start.
    let swapped = |before, after| {
        [
            row(before, 1, &["A"], Live::Hidden(false), UNKNOWN),
            row(after, 1, &["B"], Live::Yes, KNOWN),
        ]
    };
    let item = Ask::File("/etc/app.conf");
    let both = "Deployment/both";
    judged(
        &place,
        &[
            Pair::incident(SETTINGS, "Deployment/item", item, SPLIT, &fixed).via("subPath"),
            Pair::quiet(
                SETTINGS,
                "Deployment/blob",
                Ask::Printed,
                &swapped("AAA", "BBB"),
            ),
            Pair::incident(SETTINGS, both, MODE, SPLIT, &fixed).via("env"),
            Pair::incident(
                SETTINGS,
                both,
                Ask::Printed,
                SPLIT,
                &swapped("blue", "green"),
            )
            .container("files")
            .via("volume"),
        ],
    );
}
