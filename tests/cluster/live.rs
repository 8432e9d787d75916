//! The dashboard in a terminal while the cluster moves: what happens is on screen without a key pressed.

use serde_json::json;

use crate::manifests::{deployment, env_from, pod, shell};
use crate::place::{Place, some_seconds_pass};
use crate::screen::Screen;

const NAMESPACE: &str = "confsplit-live";

#[test]
fn an_edit_a_kill_and_a_new_pod_appear_without_a_key() {
    let place = Place::new(NAMESPACE);
    place.kubectl(&["create", "configmap", "flags", "--from-literal=MODE=blue"]);
    let state = tempfile::tempdir().expect("a folder");
    let screen = Screen::open(&["-n", NAMESPACE], state.path());
    screen.wait_for("● live");
    let container = shell("echo mode=$MODE; exec sleep 3600", env_from("flags"));
    place.apply(&[deployment("app", 2, pod(json!([container])))]);
    place.kubectl(&["rollout", "status", "deployment/app", "--timeout=80s"]);
    screen.wait_for("No config split in namespace confsplit-live: of 2 replicas");
    some_seconds_pass();
    place.patch("flags", &json!({"MODE": "green"}));
    screen.wait_for("stale-everywhere");
    screen.wait_for("blue → green");
    some_seconds_pass();
    let first = place.oldest("app");
    place.kubectl(&["delete", "pod", &first, "--wait=false"]);
    screen.wait_for("split-replicas");
    screen.wait_for("1 of 2 app replicas runs the edited config");
    screen.wait_for("killed");
}
