//! What the controllers make of what is written.

use serde_json::{Value, json};

use crate::sim::object;
use crate::sim::world::World;
use crate::sim::world::tests::{config, deployment, empty, service};

fn printer(words: Value) -> Value {
    json!({"image": "lab/printer:1", "args": words})
}

fn app(replicas: i64, mark: &str) -> Value {
    let mut app = deployment("app", replicas, printer(json!(["env:A"])), json!([]));
    app["spec"]["template"]["metadata"]["annotations"] = json!({"mark": mark});
    app
}

fn status(world: &World, name: &str) -> Value {
    world.get("deployments", name)["status"].clone()
}

fn condition(world: &World, kind: &str) -> (String, String) {
    let app = world.get("deployments", "app");
    let found = object::condition(&app, kind).cloned().unwrap_or_default();
    let text = |path: &str| object::text(&found, path).to_owned();
    (text("/reason"), text("/message"))
}

#[test]
fn a_rolling_update_keeps_capacity() {
    let mut world = empty();
    world.apply(app(4, "1"));
    world.pass(10);
    world.apply(app(4, "2"));
    for _ in 0..60 {
        world.pass(1);
        let status = status(&world, "app");
        assert!(
            status["availableReplicas"].as_i64() >= Some(3),
            "{status:#}"
        );
        assert!(status["replicas"].as_i64() <= Some(5), "{status:#}");
    }
    let status = status(&world, "app");
    assert_eq!(status["updatedReplicas"], 4);
    assert_eq!(status["replicas"], 4);
    let (reason, message) = condition(&world, "Progressing");
    assert_eq!(reason, "NewReplicaSetAvailable");
    assert!(
        message.ends_with("has successfully progressed."),
        "{message}"
    );
    let app = world.get("deployments", "app");
    assert_eq!(
        app["metadata"]["annotations"]["deployment.kubernetes.io/revision"],
        "2"
    );
    assert_eq!(
        app["status"]["observedGeneration"],
        app["metadata"]["generation"]
    );
    let sets = world.all("replicasets");
    assert_eq!(sets.len(), 2);
}

#[test]
fn an_undo_finds_the_old_set_again() {
    let mut world = empty();
    for mark in ["1", "2", "1"] {
        world.apply(app(2, mark));
        world.pass(30);
    }
    let sets = world.all("replicasets");
    assert_eq!(sets.len(), 2);
    let live = sets
        .iter()
        .find(|set| set["spec"]["replicas"] == 2)
        .unwrap();
    let annotations = &live["metadata"]["annotations"];
    assert_eq!(annotations["deployment.kubernetes.io/revision"], "3");
    assert_eq!(
        annotations["deployment.kubernetes.io/revision-history"],
        "1"
    );
}

#[test]
fn a_paused_rollout_stands_still() {
    let mut world = empty();
    world.apply(app(4, "1"));
    world.pass(10);
    world.apply(app(4, "2"));
    let mut paused = app(4, "2");
    paused["spec"]["paused"] = json!(true);
    world.apply(paused);
    world.pass(60);
    let pods: Vec<_> = world
        .all("pods")
        .iter()
        .map(|p| p["metadata"]["annotations"]["mark"].clone())
        .collect();
    assert!(
        pods.contains(&json!("1")) && pods.contains(&json!("2")),
        "{pods:?}"
    );
    assert_eq!(condition(&world, "Progressing").0, "DeploymentPaused");
    world.apply({
        let mut going = app(4, "2");
        going["spec"]["paused"] = json!(false);
        going
    });
    world.pass(60);
    assert_eq!(status(&world, "app")["updatedReplicas"], 4);
    assert_eq!(condition(&world, "Progressing").0, "NewReplicaSetAvailable");
}

#[test]
fn a_rollout_that_does_not_go_on_is_late() {
    let mut world = empty();
    let mut stuck = deployment("app", 1, printer(json!([])), json!([]));
    stuck["spec"]["template"]["spec"]["containers"][0]["envFrom"] =
        json!([{"configMapRef": {"name": "none"}}]);
    world.apply(stuck);
    world.pass(700);
    let (reason, message) = condition(&world, "Progressing");
    assert_eq!(reason, "ProgressDeadlineExceeded", "{message}");
    assert_eq!(
        condition(&world, "Available").0,
        "MinimumReplicasUnavailable"
    );
}

#[test]
fn recreate_stops_all_before_it_begins() {
    let mut world = empty();
    let strategy = json!({"type": "Recreate"});
    for mark in ["1", "2"] {
        let mut app = app(2, mark);
        app["spec"]["strategy"] = strategy.clone();
        world.apply(app);
        world.pass(20);
    }
    let pods = world.all("pods");
    assert_eq!(pods.len(), 2);
    assert!(
        pods.iter()
            .all(|pod| pod["metadata"]["annotations"]["mark"] == "2")
    );
}

#[test]
fn scaling_removes_the_youngest() {
    let mut world = empty();
    world.apply(app(2, "1"));
    world.pass(30);
    let old = world.pods("app");
    world.apply(app(4, "1"));
    world.pass(30);
    assert_eq!(world.pods("app").len(), 4);
    world.apply(app(2, "1"));
    world.pass(30);
    assert_eq!(world.pods("app"), old);
    assert!(
        world
            .reasons("app")
            .contains(&"SuccessfulDelete".to_owned())
    );
}

fn stateful(mark: &str, strategy: &str) -> Value {
    let mut set = deployment("db", 3, printer(json!(["env:A"])), json!([]));
    set["kind"] = json!("StatefulSet");
    set["spec"]["serviceName"] = json!("db");
    set["spec"]["updateStrategy"] = json!({"type": strategy});
    set["spec"]["template"]["metadata"]["annotations"] = json!({"mark": mark});
    set
}

fn marks(world: &World) -> Vec<String> {
    let pods = ["db-0", "db-1", "db-2"];
    let mark = |name: &&str| world.get("pods", name)["metadata"]["annotations"]["mark"].to_string();
    pods.iter().map(mark).collect()
}

#[test]
fn on_delete_waits_for_a_delete() {
    let mut world = empty();
    world.apply(stateful("1", "OnDelete"));
    world.pass(30);
    assert_eq!(world.pods("db"), ["db-0", "db-1", "db-2"]);
    world.apply(stateful("2", "OnDelete"));
    world.pass(60);
    assert_eq!(marks(&world), ["\"1\"", "\"1\"", "\"1\""]);
    let status = world.get("statefulsets", "db")["status"].clone();
    assert_ne!(status["currentRevision"], status["updateRevision"]);
    world.delete_pod("db-1");
    world.pass(20);
    assert_eq!(marks(&world), ["\"1\"", "\"2\"", "\"1\""]);
}

#[test]
fn a_stateful_set_rolls_from_the_last() {
    let mut world = empty();
    world.apply(stateful("1", "RollingUpdate"));
    world.pass(30);
    world.apply(stateful("2", "RollingUpdate"));
    world.pass(1);
    assert_eq!(marks(&world)[0], "\"1\"");
    world.pass(60);
    assert_eq!(marks(&world), ["\"2\"", "\"2\"", "\"2\""]);
    let status = world.get("statefulsets", "db")["status"].clone();
    assert_eq!(
        status["currentRevision"], status["updateRevision"],
        "{status:#}"
    );
    assert_eq!(status["readyReplicas"], 3);
}

#[test]
fn a_budget_counts() {
    let mut world = empty();
    world.apply(json!({
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "app"},
        "spec": {"minAvailable": 2, "selector": {"matchLabels": {"app": "app"}}},
    }));
    world.apply(app(3, "1"));
    world.pass(10);
    let status = world.get("poddisruptionbudgets", "app")["status"].clone();
    assert_eq!(status["disruptionsAllowed"], 1, "{status:#}");
    assert_eq!(status["currentHealthy"], 3);
    assert_eq!(status["expectedPods"], 3);
}

#[test]
fn a_quota_stops_pods() {
    let mut world = empty();
    world.apply(json!({
        "apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"}, "spec": {"hard": {"pods": "2"}},
    }));
    world.apply(app(3, "1"));
    world.pass(40);
    assert_eq!(world.all("pods").len(), 2);
    let events = world.all("events");
    let failed = events
        .iter()
        .find(|e| e["reason"] == "FailedCreate")
        .unwrap();
    let message = object::text(failed, "/message");
    assert!(
        message.contains(
            "is forbidden: exceeded quota: few, requested: pods=1, used: pods=2, limited: pods=2"
        ),
        "{message}"
    );
    assert_eq!(
        world.get("resourcequotas", "few")["status"]["used"]["pods"],
        "2"
    );
}

#[test]
fn what_has_no_owner_goes() {
    let mut world = empty();
    world.apply(app(2, "1"));
    world.apply(service("app", "10.96.0.77", 80));
    world.pass(10);
    for (plural, name) in [("deployments", "app"), ("services", "app")] {
        let key = object::key(plural, "shop", name);
        let write = crate::sim::store::Write::by("kubectl", world.now());
        world
            .store_mut()
            .delete(&key, &crate::sim::store::Deletion::default(), &write)
            .unwrap();
    }
    world.settle();
    world.pass(10);
    for plural in ["replicasets", "pods", "endpointslices"] {
        assert!(world.all(plural).is_empty(), "{plural}");
    }
}

#[test]
fn a_namespace_goes_with_all_that_is_in_it() {
    let mut world = empty();
    world.apply(config("settings", json!({"A": "1"})));
    world.apply(app(2, "1"));
    world.pass(10);
    let key = object::key("namespaces", "", "shop");
    let write = crate::sim::store::Write::by("kubectl", world.now());
    world
        .store_mut()
        .delete(&key, &crate::sim::store::Deletion::default(), &write)
        .unwrap();
    world.settle();
    world.pass(10);
    assert!(world.store().get(&key).is_none());
    assert!(world.all("pods").is_empty() && world.all("configmaps").is_empty());
}
