//! Edits while pods start: what cannot be told apart may be left open, but nothing may be told wrongly.

use serde_json::json;

use super::truth::Ask;
use super::{KNOWN, Live, PERHAPS, Pair, any, judged};
use crate::manifests::{config_map, deployment, env_from, nginx, pod, pod_with, silent, site};
use crate::place::Place;

const NAMES: [&str; 6] = ["v0", "v1", "v2", "v3", "v4", "v5"];
const LETTERS: [&[&str]; 6] = [&["A"], &["B"], &["C"], &["D"], &["E"], &["F"]];
const CAUSES: &[&str] = &["split-replicas", "stale-everywhere", PERHAPS];

/// A replica may have come upon any of the revisions.
fn rows() -> Vec<super::Row> {
    let last = NAMES.len() - 1;
    (0..=last)
        .map(|at| any(NAMES[at], LETTERS[at], Live::Near(at == last), KNOWN))
        .collect()
}

#[test]
fn edits_while_pods_start_are_told_rightly_or_not_at_all() {
    let place = Place::new("loads-races");
    let source = json!({"configMap": {"name": "web"}});
    let write = |at: usize| {
        place.apply(&[
            config_map("flags", &json!({"MODE": NAMES[at]})),
            config_map("web", &site(NAMES[at], "")),
        ]);
    };
    write(0);
    place.apply(&[
        deployment("app", 1, pod(json!([silent(env_from("flags"))]))),
        deployment("web", 1, pod_with(source, json!([nginx()]))),
    ]);
    place.ready(&[("app", 1), ("web", 1)]);
    // No waiting: each round's pods start while the next rounds write.
    for at in 1..NAMES.len() {
        let replicas = format!("--replicas={at}");
        place.kubectl(&["scale", "deployment/app", "deployment/web", &replicas]);
        write(at);
        if at == 3 {
            drop(place.exec(&place.oldest("app"), "app", &["kill", "1"]));
        }
    }
    let number = NAMES.len() - 1;
    place.ready(&[("app", number), ("web", number)]);
    let app = Ask::Env("MODE");
    let web = Ask::Page("/revision");
    judged(
        &place,
        &[
            Pair::incident("ConfigMap/flags", "Deployment/app", app, CAUSES, &rows()),
            Pair::incident("ConfigMap/web", "Deployment/web", web, CAUSES, &rows()),
        ],
    );
}
