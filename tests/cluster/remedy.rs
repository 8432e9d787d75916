//! The remedy by keys on a real cluster: what is written, in which order and by whom, as its audit log tells it.

use std::time::Duration;

use serde_json::{Value, json};

use crate::manifests::{
    config_map, deployment, env_from, nginx, on_delete, pod, pod_with, shell, with,
};
use crate::place::{Place, some_seconds_pass};
use crate::program::{kubeconfig, kubectl, run};
use crate::screen::Screen;

/// Two minutes are watched at the end, and a replacement is given its time before.
const TO_THE_END: Duration = Duration::from_secs(240);

fn words(place: &Place) -> String {
    let context = kubectl(&kubeconfig(), &["config", "current-context"]);
    format!("{context}/{}", place.name())
}

/// Looks at what would be done, and agrees to it.
fn agree(screen: &mut Screen, place: &Place) {
    screen.press("r");
    screen.wait_for("✓ rights");
    screen.press("\r");
    screen.wait_for("to agree; Esc cancels");
    screen.press(&words(place));
    screen.press("\r");
}

/// What the program wrote in a namespace, in order: verb, resource with its subresource, name, and the URI. Dry runs are none.
fn written(place: &Place) -> Vec<(String, String, String)> {
    // An earlier run had a namespace of the same name.
    let made = place.kubectl(&[
        "get",
        "namespace",
        place.name(),
        "-o",
        "jsonpath={.metadata.creationTimestamp}",
    ]);
    let log =
        std::env::var("CONFSPLIT_TEST_AUDIT").expect("CONFSPLIT_TEST_AUDIT names the audit log");
    let text = std::fs::read_to_string(log).expect("the audit log");
    let mut found = Vec::new();
    for line in text.lines() {
        // The last line may be half written.
        let Ok(event) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let word = |pointer: &str| {
            event
                .pointer(pointer)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let ours = word("/userAgent").starts_with("confsplit/")
            && word("/objectRef/namespace") == place.name();
        let acts = !matches!(word("/verb"), "get" | "list" | "watch");
        let uri = word("/requestURI");
        let now = word("/requestReceivedTimestamp") >= made.as_str();
        if ours
            && now
            && acts
            && word("/stage") == "ResponseComplete"
            && !uri.contains("dryRun=All")
        {
            let sub = word("/objectRef/subresource");
            let resource = [word("/objectRef/resource"), sub].join("/");
            let resource = resource.trim_end_matches('/').to_owned();
            found.push((resource, word("/objectRef/name").to_owned(), uri.to_owned()));
        }
    }
    found
}

fn front(port: u16) -> Value {
    let text = format!(
        "upstream api {{\n  server api:{port};\n}}\nserver {{\n  listen 80;\n  location /healthz {{ return 200 \"ok\"; }}\n  \
         location /api/ {{\n    proxy_pass http://api/;\n    proxy_connect_timeout 1s;\n  }}\n}}\n"
    );
    config_map("front-nginx", &json!({"default.conf": text}))
}

/// A Service, and its address.
fn service(place: &Place, name: &str, port: u16) -> String {
    place.apply(&[json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": name},
        "spec": {"selector": {"app": name}, "ports": [{"port": port}]},
    })]);
    place.kubectl(&["get", "service", name, "-o", "jsonpath={.spec.clusterIP}"])
}

/// An edit of which one of two replicas knows, and requests of which half fail.
pub(crate) fn partial_restart(place: &Place) {
    let api = "server { listen 8080; location / { return 200 \"{}\\n\"; } }\n";
    place.apply(&[
        front(8080),
        config_map("api-nginx", &json!({"default.conf": api})),
    ]);
    let (behind, before) = (service(place, "api", 8080), service(place, "front", 80));
    let web = |config: &str, address: &str, port: u16| {
        let mut container = nginx();
        container["readinessProbe"] = json!({"tcpSocket": {"port": port}, "periodSeconds": 1});
        with(
            pod_with(json!({"configMap": {"name": config}}), json!([container])),
            json!({"hostAliases": [{"ip": address, "hostnames": ["api"]}]}),
        )
    };
    let load = json!({
        "name": "app",
        "image": "docker.io/lab/loadgen:1",
        "imagePullPolicy": "IfNotPresent",
        "command": ["/loadgen", "http://front", "/api/items"],
    });
    let load = with(
        pod(json!([load])),
        json!({"hostAliases": [{"ip": before, "hostnames": ["front"]}]}),
    );
    place.apply(&[
        deployment("api", 1, web("api-nginx", &behind, 8080)),
        deployment("front", 2, web("front-nginx", &behind, 80)),
        deployment("load", 1, load),
    ]);
    place.ready(&[("api", 1), ("front", 2), ("load", 1)]);
    some_seconds_pass();
    place.apply(&[front(8000)]);
    some_seconds_pass();
    place.replace_one("front", 2);
    // So many requests failed that the evidence says which content does.
    place.wait_until("the revert is recommended", || {
        let plan = run(&["-n", place.name(), "plan"]).stdout;
        plan.contains("# PLAN revert-then-restart, recommended")
    });
}

#[test]
fn by_keys_alone_from_the_cause_to_the_closed_incident() {
    let place = Place::new("confsplit-remedy");
    partial_restart(&place);
    let state = tempfile::tempdir().expect("a folder");
    nothing_is_written_where_it_is_read_only(&place, state.path());
    let mut screen = Screen::open(&["-n", place.name()], state.path());
    screen.wait_for("6 Remedy");
    let survivor = place.oldest("front");
    agree(&mut screen, &place);
    screen.wait_for("Every replica runs it");
    screen.wait_so_long(TO_THE_END, "Closed, verified by traffic");
    let written = written(&place);
    let kinds: Vec<&str> = written
        .iter()
        .map(|(resource, ..)| resource.as_str())
        .collect();
    assert_eq!(kinds, ["configmaps", "pods/eviction"], "{written:#?}");
    assert!(
        written
            .iter()
            .all(|(.., uri)| uri.contains("fieldManager=confsplit")),
        "{written:#?}"
    );
    assert_ne!(written[1].1, survivor, "the one that serves stays");
    assert_eq!(place.oldest("front"), survivor);
    let last = place.kubectl(&["logs", "deployment/load", "--since=60s"]);
    let answers: Vec<&str> = last
        .lines()
        .filter(|line| line.contains("/api/items"))
        .collect();
    assert!(answers.len() > 20, "{last}");
    assert!(answers.iter().all(|line| line.contains("200")), "{last}");
    let managed = place.kubectl(&[
        "get",
        "configmap",
        "front-nginx",
        "--show-managed-fields",
        "-o",
        "json",
    ]);
    assert!(managed.contains("\"manager\": \"confsplit\""), "{managed}");
}

fn nothing_is_written_where_it_is_read_only(place: &Place, state: &std::path::Path) {
    let mut screen = Screen::open(&["-n", place.name(), "--read-only", "--no-probe"], state);
    screen.wait_for("6 Remedy");
    screen.press("r");
    screen.wait_for("This session is read-only");
    screen.press("\u{1b}");
    for tab in "123456r".chars() {
        for key in ('!'..='~').filter(|key| !"q!:/".contains(*key)) {
            screen.press(&format!("{tab}{key}\r"));
            screen.press("\u{1b}");
            std::thread::sleep(Duration::from_millis(15));
        }
    }
    screen.kill();
    assert_eq!(written(place), []);
}

#[test]
fn an_edit_that_was_meant_reaches_a_statefulset_that_replaces_nothing_by_itself() {
    let place = Place::new("confsplit-remedy-ondelete");
    let container = shell("echo mode=$MODE; exec sleep 3600", env_from("flags"));
    place.apply(&[
        config_map("flags", &json!({"MODE": "blue"})),
        on_delete(
            "StatefulSet",
            "app",
            pod(json!([container])),
            json!({"replicas": 2, "serviceName": "app"}),
        ),
    ]);
    place.ready(&[("app", 2)]);
    some_seconds_pass();
    place.patch("flags", &json!({"MODE": "green"}));
    some_seconds_pass();
    let state = tempfile::tempdir().expect("a folder");
    let mut screen = Screen::open(&["-n", place.name()], state.path());
    screen.wait_for("stale-everywhere");
    screen.wait_for("6 Remedy");
    agree(&mut screen, &place);
    screen.wait_for("It serves. Enter replaces the others");
    screen.press("\r");
    screen.wait_for("Every replica runs it");
    let kinds: Vec<String> = written(&place)
        .into_iter()
        .map(|(resource, ..)| resource)
        .collect();
    assert_eq!(kinds, ["pods/eviction", "pods/eviction"]);
    for pod in ["app-0", "app-1"] {
        assert_eq!(place.kubectl(&["logs", pod]), "mode=green");
    }
}

/// The new content does not start; the one that still runs is not touched.
#[test]
fn a_crash_is_reverted_before_anything_is_replaced() {
    let place = Place::new("confsplit-remedy-crash");
    let script = "echo mode=$MODE; [ \"$MODE\" = blue ] || { echo \"fatal: unknown MODE $MODE\"; exit 1; }; exec sleep 3600";
    let container = shell(script, env_from("flags"));
    place.apply(&[
        config_map("flags", &json!({"MODE": "blue"})),
        deployment("app", 2, pod(json!([container]))),
    ]);
    place.ready(&[("app", 2)]);
    some_seconds_pass();
    place.patch("flags", &json!({"MODE": "grene"}));
    some_seconds_pass();
    place.delete_one("app");
    let state = tempfile::tempdir().expect("a folder");
    let mut screen = Screen::open(&["-n", place.name()], state.path());
    screen.wait_for("crash-on-new");
    screen.wait_for("6 Remedy");
    let survivor = place.oldest("app");
    agree(&mut screen, &place);
    screen.wait_for("Every replica runs it");
    let written = written(&place);
    assert_eq!(written[0].0, "configmaps", "{written:#?}");
    assert!(
        written.iter().all(|(_, name, _)| *name != survivor),
        "{written:#?}"
    );
    assert_eq!(place.oldest("app"), survivor);
}

/// Killed between the content and the end, it is offered again, and goes on.
#[test]
fn what_was_left_open_is_gone_on_with() {
    let place = Place::new("confsplit-remedy-killed");
    let container = shell("echo mode=$MODE; exec sleep 3600", env_from("flags"));
    let spec = with(
        pod(json!([container])),
        json!({"terminationGracePeriodSeconds": 8}),
    );
    place.apply(&[
        config_map("flags", &json!({"MODE": "blue"})),
        deployment("app", 2, spec),
    ]);
    place.ready(&[("app", 2)]);
    some_seconds_pass();
    place.patch("flags", &json!({"MODE": "green"}));
    some_seconds_pass();
    place.replace_one("app", 2);
    let state = tempfile::tempdir().expect("a folder");
    let mut screen = Screen::open(&["-n", place.name()], state.path());
    screen.wait_for("6 Remedy");
    // What was meant the evidence does not say: going back is the second plan.
    screen.press("6G");
    screen.press("r");
    screen.wait_for("revert-then-restart   ConfigMap/flags");
    screen.press("\u{1b}");
    std::thread::sleep(Duration::from_millis(200));
    agree(&mut screen, &place);
    screen.wait_for("Replacing");
    screen.kill();
    let mut screen = Screen::open(&["-n", place.name()], state.path());
    screen.wait_for("A remedy was left open: C goes on, U undoes");
    screen.press("C");
    screen.wait_for("Enter asks for the words");
    screen.press("\r");
    screen.wait_for("to agree; Esc cancels");
    screen.press(&words(&place));
    screen.press("\r");
    screen.wait_for("Every replica runs it");
    let mode = place.kubectl(&["get", "configmap", "flags", "-o", "jsonpath={.data.MODE}"]);
    assert_eq!(mode, "blue");
}
