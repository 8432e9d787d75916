//! Nothing happened: nothing may be found, and every load is known.
//! The names are of this test alone: an edit of one in another namespace, by another test, would be told.

use serde_json::{Value, json};

use super::truth::Ask;
use super::{KNOWN, Live, Pair, judged, row};
use crate::manifests::{
    STAY, config_map, deployment, env_from, nginx, on_delete, pod, pod_with, shell, silent, site,
    variable,
};
use crate::place::Place;

fn workloads() -> Vec<Value> {
    let settings = || json!({"configMap": {"name": "healthy-settings"}});
    let file = json!({"volumeMounts": [
        {"name": "conf", "mountPath": "/etc/app.conf", "subPath": "app.conf"},
    ]});
    let folder = json!({"volumeMounts": [{"name": "conf", "mountPath": "/etc/app"}]});
    let reading = format!("cat /etc/app/app.conf; {STAY}");
    let web = json!({"projected": {"sources": [{"configMap": {"name": "healthy-web"}}]}});
    let by_name = json!({"env": [variable("healthy-flags", "MODE")]});
    let stateful = json!({"replicas": 2, "serviceName": "kept"});
    vec![
        deployment("all", 2, pod(json!([silent(env_from("healthy-flags"))]))),
        deployment("one", 2, pod(json!([silent(by_name)]))),
        deployment("file", 2, pod_with(settings(), json!([shell(STAY, file)]))),
        deployment(
            "folder",
            2,
            pod_with(settings(), json!([shell(&reading, folder)])),
        ),
        deployment("web", 2, pod_with(web, json!([nginx()]))),
        on_delete(
            "StatefulSet",
            "kept",
            pod(json!([silent(env_from("healthy-flags"))])),
            stateful,
        ),
        on_delete(
            "DaemonSet",
            "node",
            pod(json!([silent(env_from("healthy-flags"))])),
            json!({}),
        ),
        deployment("none", 1, pod(json!([silent(json!({}))]))),
    ]
}

#[test]
fn a_healthy_namespace_has_no_finding_and_no_unknown_load() {
    let place = Place::new("loads-healthy");
    place.apply(&[
        config_map("healthy-flags", &json!({"MODE": "blue"})),
        config_map("healthy-settings", &json!({"app.conf": "mode=blue\n"})),
        config_map("healthy-web", &site("first", "")),
    ]);
    // It may well be edited before anything runs.
    place.patch("healthy-flags", &json!({"MODE": "green"}));
    place.apply(&workloads());
    let apps = ["all", "one", "file", "folder", "web", "kept"].map(|app| (app, 2));
    place.ready(&apps);
    place.ready(&[("node", 1), ("none", 1)]);
    let all = |truth, count| [row(truth, count, &[], Live::Yes, KNOWN)];
    let flags = |workload, count| {
        let rows = all("green", count);
        Pair::quiet("ConfigMap/healthy-flags", workload, Ask::Env("MODE"), &rows)
    };
    let settings = |workload, ask| {
        Pair::quiet(
            "ConfigMap/healthy-settings",
            workload,
            ask,
            &all("mode=blue", 2),
        )
    };
    let web = all("first", 2);
    let reports = judged(
        &place,
        &[
            flags("Deployment/all", 2),
            flags("Deployment/one", 2),
            flags("StatefulSet/kept", 2),
            flags("DaemonSet/node", 1),
            settings("Deployment/file", Ask::File("/etc/app.conf")),
            settings("Deployment/folder", Ask::Printed),
            Pair::quiet(
                "ConfigMap/healthy-web",
                "Deployment/web",
                Ask::Page("/revision"),
                &web,
            ),
        ],
    );
    for report in reports {
        let verdict = report["verdict"].as_str().expect("a verdict");
        for part in ["13 replicas", "0 unknown", "look elsewhere"] {
            assert!(verdict.contains(part), "{part:?} is not in {verdict}");
        }
    }
}
