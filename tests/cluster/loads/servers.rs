//! nginx, which reads its configuration once and again when it is told to.

use serde_json::{Value, json};

use super::truth::Ask;
use super::{BY_TIMES, KNOWN, Live, ORDERED, Pair, SHOWN, SPLIT, UNKNOWN, judged, row};
use crate::manifests::{config_map, deployment, nginx, pod_with, site};
use crate::place::Place;

const REVISION: Ask = Ask::Page("/revision");
const FILE: &str = "/etc/nginx/conf.d/default.conf";

fn server(name: &str, replicas: usize) -> Value {
    let source = json!({"configMap": {"name": name}});
    deployment(name, replicas, pod_with(source, json!([nginx()])))
}

/// A proxy to a port of its own pod.
fn proxy(port: u16) -> String {
    format!("  location /api/ {{ proxy_pass http://127.0.0.1:{port}/; }}\n")
}

/// Asks the server of each pod, whatever it answers.
fn visit(place: &Place, app: &str, path: &str) {
    let address = format!("http://127.0.0.1{path}");
    for pod in place.pods(app) {
        let name = pod["metadata"]["name"].as_str().expect("a name");
        for _ in 0..4 {
            drop(place.exec(name, "app", &["wget", "-q", "-O", "-", &address]));
        }
    }
}

#[test]
fn a_projected_config_that_nginx_read_once_splits_by_one_new_pod() {
    let place = Place::new("loads-projected");
    let source = json!({"projected": {"sources": [{"configMap": {"name": "web"}}]}});
    place.apply(&[
        config_map("web", &site("first", "")),
        deployment("web", 2, pod_with(source, json!([nginx()]))),
    ]);
    place.ready(&[("web", 2)]);
    place.apply(&[config_map("web", &site("second", ""))]);
    place.replace_one("web", 2);
    let rows = [
        row("first", 1, &["A"], Live::No, BY_TIMES),
        row("second", 1, &["B"], Live::Yes, ORDERED),
    ];
    let pair = Pair::incident("ConfigMap/web", "Deployment/web", REVISION, SPLIT, &rows);
    judged(&place, &[pair.via("projected")]);
}

#[test]
fn nginx_that_was_told_to_reload_runs_the_edit() {
    let place = Place::new("loads-reloaded");
    let two = |web: &str, port: u16| {
        [
            config_map("web", &site(web, "")),
            config_map("gate", &site(web, &proxy(port))),
        ]
    };
    place.apply(
        &[
            two("first", 8081).to_vec(),
            vec![server("web", 2), server("gate", 2)],
        ]
        .concat(),
    );
    place.ready(&[("web", 2), ("gate", 2)]);
    place.apply(&two("second", 8082));
    for app in ["web", "gate"] {
        place.nudge(app);
        let pod = place.oldest(app);
        place.wait_until("its file is swapped", || {
            let text = place.exec(&pod, "app", &["cat", FILE]);
            text.is_ok_and(|text| text.contains("second"))
        });
        place
            .exec(&pod, "app", &["nginx", "-s", "reload"])
            .expect("it reloads");
        place.wait_until("it answers by its new configuration", || {
            let said = place.exec(
                &pod,
                "app",
                &["wget", "-q", "-O", "-", "http://127.0.0.1/revision"],
            );
            said.as_deref() == Ok("second")
        });
    }
    visit(&place, "gate", "/api/");
    // So soon after the edit a reload may have read the files as they were before; a failing upstream tells which they were.
    let silent = [
        row("second", 1, &[], Live::Hidden(true), UNKNOWN),
        row("first", 1, &["A"], Live::No, BY_TIMES),
    ];
    let telling = [
        row("second", 1, &["B"], Live::Yes, SHOWN),
        row("first", 1, &["A"], Live::No, BY_TIMES),
    ];
    let causes = &["split-replicas", "stale-everywhere"];
    judged(
        &place,
        &[
            Pair::incident("ConfigMap/web", "Deployment/web", REVISION, causes, &silent),
            Pair::incident(
                "ConfigMap/gate",
                "Deployment/gate",
                REVISION,
                SPLIT,
                &telling,
            ),
        ],
    );
}

#[test]
fn after_a_full_restart_onto_bad_content_every_replica_runs_it() {
    let place = Place::new("loads-restarted");
    let backend = "}\nserver {\n  listen 8081;\n  location / { return 200 \"ok\\n\"; }\n";
    let conf = |name: &str, port: u16| {
        config_map("web", &site(name, &format!("{}{backend}", proxy(port))))
    };
    place.apply(&[conf("first", 8081), server("web", 2)]);
    place.ready(&[("web", 2)]);
    place.apply(&[conf("second", 8082)]);
    place.kubectl(&["rollout", "restart", "deployment/web"]);
    place.kubectl(&["rollout", "status", "deployment/web", "--timeout=80s"]);
    place.ready(&[("web", 2)]);
    visit(&place, "web", "/api/");
    let revision = [row("second", 2, &["B"], Live::Yes, KNOWN)];
    let answers = [row("502", 2, &["B"], Live::Yes, KNOWN)];
    let causes = &["loaded-everywhere"];
    let pair =
        |ask, rows: &[_]| Pair::incident("ConfigMap/web", "Deployment/web", ask, causes, rows);
    let asked = [
        pair(REVISION, &revision),
        pair(Ask::Page("/api/"), &answers),
    ];
    judged(&place, &asked);
}
