//! When a config reaches a process, and what is told of one that does not run.

use serde_json::{Value, json};

use crate::sim::object;
use crate::sim::store::{Deletion, Write};
use crate::sim::world::World;
use crate::sim::world::tests::{config, deployment, empty, proxy, shop};

fn features(value: &str) -> Value {
    config("features", json!({"FEATURE_RECS": value}))
}

fn settings(mode: &str) -> Value {
    config(
        "settings",
        json!({"settings.yaml": format!("mode: {mode}\nrps: 100\n")}),
    )
}

fn from_env(replicas: i64) -> Value {
    let container = json!({
        "image": "printer",
        "args": ["--every=2", "env:FEATURE_RECS"],
        "envFrom": [{"configMapRef": {"name": "features"}}],
    });
    deployment("catalog", replicas, container, json!([]))
}

fn from_file(sub: bool) -> Value {
    let mut mount = json!({"name": "s", "mountPath": "/etc/app"});
    if sub {
        mount =
            json!({"name": "s", "mountPath": "/etc/app/settings.yaml", "subPath": "settings.yaml"});
    }
    let container = json!({
        "image": "printer",
        "args": ["file:/etc/app/settings.yaml#mode"],
        "volumeMounts": [mount],
    });
    deployment(
        "worker",
        2,
        container,
        json!([{"name": "s", "configMap": {"name": "settings"}}]),
    )
}

fn last(world: &World, pod: &str) -> String {
    world.log(pod).last().cloned().unwrap_or_default()
}

fn container_status(world: &World, pod: &str) -> Value {
    world.get("pods", pod)["status"]["containerStatuses"][0].clone()
}

#[test]
fn an_environment_is_frozen() {
    let mut world = empty();
    world.apply(features("on"));
    world.apply(from_env(2));
    world.pass(10);
    world.apply(features("off"));
    let old = world.pods("catalog");
    world.delete_pod(&old[0]);
    world.pass(300);
    let pods = world.pods("catalog");
    assert!(last(&world, &pods[0]).ends_with("feature_recs=on"));
    assert!(last(&world, &pods[1]).ends_with("feature_recs=off"));
    let env = world.run_in(&pods[0], &["cat", "/proc/self/environ"]);
    assert!(env.contains("\0FEATURE_RECS=on\0"), "{env:?}");
    assert!(env.contains("KUBERNETES_SERVICE_HOST=10.96.0.1\0"));
}

#[test]
fn a_container_that_starts_again_reads_its_environment_again() {
    let mut world = empty();
    world.apply(features("on"));
    world.apply(from_env(2));
    world.pass(10);
    world.apply(features("off"));
    let pods = world.pods("catalog");
    world.kill_container("shop", &pods[0], "app").unwrap();
    world.pass(5);
    assert_eq!(world.pods("catalog"), pods);
    assert!(last(&world, &pods[0]).ends_with("feature_recs=off"));
    let status = container_status(&world, &pods[0]);
    assert_eq!(status["restartCount"], 1, "{status:#}");
    assert_eq!(status["lastState"]["terminated"]["exitCode"], 137);
    let before = world.lines_after("shop", &pods[0], None, true, 0).unwrap();
    assert!(before.ended && before.lines[0].text.ends_with("feature_recs=on"));
}

#[test]
fn files_are_swapped_within_ninety_seconds() {
    let mut world = empty();
    world.apply(settings("blue"));
    world.apply(from_file(false));
    world.pass(10);
    let pod = world.pods("worker")[0].clone();
    let listed = world.run_in(&pod, &["ls", "-la", "/etc/app"]);
    assert!(listed.contains(" ..data -> ..2026_"), "{listed}");
    assert!(listed.contains("settings.yaml -> ..data/settings.yaml"));
    world.apply(settings("green"));
    world.pass(2);
    assert!(last(&world, &pod).ends_with("mode=blue"));
    world.pass(90);
    assert!(last(&world, &pod).ends_with("mode=green"));
    assert_ne!(world.run_in(&pod, &["ls", "-la", "/etc/app"]), listed);
}

#[test]
fn a_sub_path_stays_as_it_was() {
    let mut world = empty();
    world.apply(settings("blue"));
    world.apply(from_file(true));
    world.pass(10);
    world.apply(settings("green"));
    world.pass(300);
    let pods = world.pods("worker");
    assert!(last(&world, &pods[0]).ends_with("mode=blue"));
    world.kill_container("shop", &pods[0], "app").unwrap();
    world.pass(5);
    assert!(last(&world, &pods[0]).ends_with("mode=green"));
    assert!(last(&world, &pods[1]).ends_with("mode=blue"));
}

#[test]
fn a_node_does_not_read_an_immutable_config_again() {
    let mut world = empty();
    let immutable = |value: &str| {
        let mut config = features(value);
        config["immutable"] = json!(true);
        config
    };
    world.apply(immutable("on"));
    world.apply(from_env(4));
    world.pass(10);
    let key = object::key("configmaps", "shop", "features");
    let write = Write::by("kubectl", world.now());
    world
        .store_mut()
        .delete(&key, &Deletion::default(), &write)
        .unwrap();
    world.apply(immutable("off"));
    let old = world.pods("catalog");
    world.delete_pod(&old[0]);
    world.pass(20);
    let made = world.pods("catalog")[3].clone();
    assert!(!old.contains(&made));
    assert!(
        last(&world, &made).ends_with("feature_recs=on"),
        "{}",
        last(&world, &made)
    );
}

#[test]
fn a_configuration_that_does_not_parse_is_tried_again_and_again() {
    let mut world = shop();
    let bad = "server { listen 80; locatoin / { return 200 \"ok\\n\"; } }\n";
    world.apply(config("frontend-nginx", json!({"default.conf": bad})));
    let old = world.pods("frontend");
    world.delete_pod(&old[0]);
    world.pass(45);
    let pod = world.pods("frontend")[1].clone();
    let log = world.log(&pod);
    let wrong = "[emerg] 1#1: unknown directive \"locatoin\" in /etc/nginx/conf.d/default.conf:1";
    assert!(log.iter().any(|line| line.ends_with(wrong)), "{log:#?}");
    let status = container_status(&world, &pod);
    assert_eq!(
        status["state"]["waiting"]["reason"], "CrashLoopBackOff",
        "{status:#}"
    );
    let message = object::text(&status, "/state/waiting/message");
    assert!(
        message.starts_with("back-off 40s restarting failed container=app pod="),
        "{message}"
    );
    assert_eq!(status["lastState"]["terminated"]["exitCode"], 1);
    assert!(status["restartCount"].as_i64() >= Some(2));
    assert!(world.reasons(&pod).contains(&"BackOff".to_owned()));
    world.pass(600);
    let pulled = world.all("events");
    let pulled = pulled
        .iter()
        .find(|e| e["reason"] == "Pulled" && e["involvedObject"]["name"] == *pod);
    assert!(
        (7..=9).contains(&pulled.unwrap()["count"].as_i64().unwrap()),
        "{pulled:?}"
    );
    // The other one serves on.
    assert_eq!(
        world.get("deployments", "frontend")["status"]["readyReplicas"],
        1
    );
}

#[test]
fn a_key_that_is_missing_is_named() {
    let mut world = empty();
    world.apply(features("on"));
    let mut app = from_env(1);
    let env = json!([{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "features", "key": "NONE"}}}]);
    app["spec"]["template"]["spec"]["containers"][0]["env"] = env;
    world.apply(app);
    world.pass(10);
    let pod = world.pods("catalog")[0].clone();
    let waiting = container_status(&world, &pod)["state"]["waiting"].clone();
    assert_eq!(waiting["reason"], "CreateContainerConfigError");
    assert_eq!(
        waiting["message"],
        "couldn't find key NONE in ConfigMap shop/features"
    );
    assert_eq!(world.get("pods", &pod)["status"]["phase"], "Pending");
    world.apply(config(
        "features",
        json!({"FEATURE_RECS": "on", "NONE": "x"}),
    ));
    world.pass(20);
    assert_eq!(world.get("pods", &pod)["status"]["phase"], "Running");
}

#[test]
fn a_volume_waits_for_its_config() {
    let mut world = empty();
    world.apply(from_file(false));
    world.pass(10);
    let pod = world.pods("worker")[0].clone();
    assert_eq!(
        container_status(&world, &pod)["state"]["waiting"]["reason"],
        "ContainerCreating"
    );
    let events = world.all("events");
    let failed = events
        .iter()
        .find(|e| e["reason"] == "FailedMount")
        .unwrap();
    assert_eq!(
        failed["message"],
        "MountVolume.SetUp failed for volume \"s\" : configmap \"settings\" not found"
    );
    world.apply(settings("blue"));
    world.pass(125);
    assert!(last(&world, &pod).ends_with("mode=blue"));
}

#[test]
fn an_init_container_copies_once() {
    let mut world = empty();
    world.apply(settings("blue"));
    let mut app = from_file(false);
    let spec = &mut app["spec"]["template"]["spec"];
    spec["initContainers"] = json!([{
        "name": "render", "image": "copy", "args": ["/config", "/work"],
        "volumeMounts": [{"name": "s", "mountPath": "/config"}, {"name": "work", "mountPath": "/work"}],
    }]);
    spec["containers"][0]["volumeMounts"] = json!([{"name": "work", "mountPath": "/etc/app"}]);
    spec["volumes"] =
        json!([{"name": "s", "configMap": {"name": "settings"}}, {"name": "work", "emptyDir": {}}]);
    world.apply(app);
    world.pass(10);
    let pod = world.pods("worker")[0].clone();
    let init = world.get("pods", &pod)["status"]["initContainerStatuses"][0].clone();
    assert_eq!(
        init["state"]["terminated"]["reason"], "Completed",
        "{init:#}"
    );
    assert_eq!(init["ready"], true);
    world.apply(settings("green"));
    world.pass(200);
    world.kill_container("shop", &pod, "app").unwrap();
    world.pass(5);
    assert!(last(&world, &pod).ends_with("mode=blue"));
}

#[test]
fn commands_find_what_is_there() {
    let mut world = shop();
    let pod = world.pods("frontend")[0].clone();
    let file = "/etc/nginx/conf.d/default.conf";
    let stat = world.run_in(&pod, &["stat", "-L", "-c", "%Y %s %F %n", file, "/none"]);
    assert!(stat.contains(&format!(" regular file {file}\n")), "{stat}");
    assert!(stat.contains("stat: can't stat '/none': No such file or directory"));
    assert!(
        world
            .run_in(&pod, &["cat", "/proc/1/stat"])
            .starts_with("1 (nginx) S 0 ")
    );
    assert!(
        world
            .run_in(&pod, &["cat", "/proc/stat"])
            .contains("\nbtime ")
    );
    assert!(
        !world
            .run_in(&pod, &["cat", "/proc/1/environ"])
            .contains("HOSTNAME")
    );
    assert!(
        world
            .run_in(&pod, &["cat", "/proc/net/tcp"])
            .contains("00000000:0050 00000000:0000 0A")
    );
    let none = world
        .exec("shop", &pod, None, &["sh".to_owned()])
        .unwrap_err();
    assert!(
        none.message
            .contains("exec: \"sh\": executable file not found in $PATH"),
        "{none}"
    );
    assert_eq!(
        world.proxy("shop", &pod, 80, "/").unwrap(),
        (200, "shop frontend\n".to_owned())
    );
    assert_eq!(world.proxy("shop", &pod, 81, "/").unwrap_err().code, 503);
}

#[test]
fn a_proxy_that_waits_shows_it() {
    let mut world = shop();
    world.apply(proxy(8000));
    world.delete_pod(&world.pods("frontend")[0].clone());
    world.pass(10);
    let pod = world.pods("frontend")[1].clone();
    assert_eq!(world.proxy("shop", &pod, 80, "/api/items").unwrap().0, 504);
    let sockets = world.run_in(&pod, &["cat", "/proc/net/tcp", "/proc/net/tcp6"]);
    assert!(sockets.contains(" 900A600A:1F40 02 "), "{sockets}");
}
