//! Files: swapped in running pods, or copied before the program starts.

use serde_json::{Value, json};

use super::truth::Ask;
use super::{BY_TIMES, KNOWN, Live, ORDERED, Pair, SPLIT, STALE, UNKNOWN, any, judged, row};
use crate::manifests::{STAY, config_map, deployment, pod_with, shell, with};
use crate::place::{Place, some_seconds_pass};

const SETTINGS: &str = "ConfigMap/settings";
const APP: &str = "Deployment/app";

fn mode(value: &str) -> Value {
    config_map("settings", &json!({"app.conf": format!("mode={value}\n")}))
}

/// The volume `conf` of the ConfigMap.
fn volume() -> Value {
    json!({"configMap": {"name": "settings"}})
}

fn mounted() -> Value {
    json!({"volumeMounts": [{"name": "conf", "mountPath": "/etc/app"}]})
}

/// A pod in which an init container makes the app's file of the config.
fn copying(command: &str) -> Value {
    let copy = |name: &str, script: &str, mounts: Value| {
        shell(script, json!({"name": name, "volumeMounts": mounts}))
    };
    let out = json!({"name": "out", "mountPath": "/etc/app"});
    let init = copy(
        "render",
        command,
        json!([{"name": "conf", "mountPath": "/in"}, out]),
    );
    let script = format!("cat /etc/app/app.conf; {STAY}");
    let spec = pod_with(volume(), json!([copy("app", &script, json!([out]))]));
    let volumes = json!([with(json!({"name": "conf"}), volume()), {"name": "out", "emptyDir": {}}]);
    with(spec, json!({"initContainers": [init], "volumes": volumes}))
}

#[test]
fn a_copy_by_an_init_container_is_as_old_as_that_container() {
    let place = Place::new("loads-copied");
    let rendered = copying("sed s/mode/MODE/ /in/app.conf > /etc/app/app.conf");
    place.apply(&[
        mode("blue"),
        deployment("app", 2, copying("cp /in/app.conf /etc/app/app.conf")),
        deployment("rendered", 2, rendered),
    ]);
    place.ready(&[("app", 2), ("rendered", 2)]);
    place.apply(&[mode("green")]);
    some_seconds_pass();
    place.replace_one("app", 2);
    // It starts again on the copy that is there.
    place.kill_in_oldest("rendered", "app");
    let copied = [
        row("mode=blue", 1, &["A"], Live::No, ORDERED),
        row("mode=green", 1, &["B"], Live::Yes, ORDERED),
    ];
    let stale = [row("MODE=blue", 2, &["A"], Live::No, ORDERED)];
    let file = Ask::File("/etc/app/app.conf");
    judged(
        &place,
        &[
            Pair::incident(SETTINGS, APP, file, SPLIT, &copied).via("initCopy"),
            Pair::incident(SETTINGS, "Deployment/rendered", file, STALE, &stale).via("initCopy"),
        ],
    );
}

#[test]
fn a_program_that_reads_again_runs_what_it_says_after_the_swap() {
    let place = Place::new("loads-reading-again");
    let script = "while true; do cat /etc/app/app.conf; sleep 1; done";
    let spec = pod_with(volume(), json!([shell(script, mounted())]));
    place.apply(&[mode("blue"), deployment("app", 2, spec)]);
    place.ready(&[("app", 2)]);
    place.apply(&[mode("green")]);
    place.replace_one("app", 2);
    // Whether the older one has been swapped already is left to chance, and not known before it says so.
    let between = [
        any("mode=blue", &["A"], Live::Hidden(false), UNKNOWN),
        any("mode=green", &["B"], Live::Yes, KNOWN),
    ];
    judged(
        &place,
        &[Pair::quiet(SETTINGS, APP, Ask::Printed, &between)],
    );
    place.nudge("app");
    place.wait_until("both print the new value", || {
        let printed = place.kubectl(&["logs", "-l", "app=app", "--tail=1"]);
        printed.lines().filter(|line| *line == "mode=green").count() == 2
    });
    let after = [row("mode=green", 2, &["B"], Live::Yes, KNOWN)];
    judged(&place, &[Pair::quiet(SETTINGS, APP, Ask::Printed, &after)]);
}

#[test]
fn a_program_that_is_not_known_to_read_once_is_never_called_stale() {
    let place = Place::new("loads-read-once");
    let script = format!("cat /etc/app/app.conf; {STAY}");
    let spec = pod_with(volume(), json!([shell(&script, mounted())]));
    place.apply(&[mode("blue"), deployment("app", 2, spec)]);
    place.ready(&[("app", 2)]);
    place.apply(&[mode("green")]);
    place.replace_one("app", 2);
    let rows = [
        row("mode=blue", 1, &["A"], Live::Hidden(false), UNKNOWN),
        row("mode=green", 1, &["B"], Live::Yes, KNOWN),
    ];
    judged(&place, &[Pair::quiet(SETTINGS, APP, Ask::Printed, &rows)]);
}

#[test]
fn a_file_by_sub_path_is_bound_anew_when_its_container_starts_again() {
    let place = Place::new("loads-sub-path-again");
    let mount = json!({"volumeMounts": [
        {"name": "conf", "mountPath": "/etc/app/app.conf", "subPath": "app.conf"},
    ]});
    let spec = pod_with(volume(), json!([shell(STAY, mount)]));
    place.apply(&[
        mode("blue"),
        deployment("app", 2, spec.clone()),
        deployment("swapped", 2, spec),
    ]);
    place.ready(&[("app", 2), ("swapped", 2)]);
    place.apply(&[mode("green")]);
    some_seconds_pass();
    // What is bound is the file that the kubelet made last: of the one it may be the former still, of the other it is swapped. So
    // soon after the edit neither times nor order tell which.
    place.kill_in_oldest("app", "app");
    place.nudge("swapped");
    some_seconds_pass();
    place.kill_in_oldest("swapped", "app");
    let at_once = [
        any("mode=blue", &["A"], Live::Near(false), KNOWN),
        any("mode=green", &["B"], Live::Near(true), BY_TIMES),
    ];
    let after_the_swap = [
        row("mode=blue", 1, &["A"], Live::No, ORDERED),
        row("mode=green", 1, &[], Live::Hidden(true), UNKNOWN),
    ];
    let causes = &["split-replicas", "stale-everywhere"];
    let pair = |workload, rows: &[_]| {
        let file = Ask::File("/etc/app/app.conf");
        Pair::incident(SETTINGS, workload, file, causes, rows).via("subPath")
    };
    judged(
        &place,
        &[
            pair(APP, &at_once),
            pair("Deployment/swapped", &after_the_swap),
        ],
    );
}
