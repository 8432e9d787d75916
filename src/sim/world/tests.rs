//! A cluster from outside: an incident as it is played in the lab, and the words by which tests play others.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use super::World;
use crate::sim::object;
use crate::sim::store::{Deletion, Write};

pub(crate) fn start() -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000, 0).unwrap()
}

impl World {
    pub(crate) fn apply(&mut self, object: Value) {
        let namespace = match object::namespace(&object) {
            "" => "shop",
            namespace => namespace,
        };
        let api = object::text(&object, "/apiVersion").to_owned();
        let kind = object::text(&object, "/kind").to_owned();
        let resource = crate::sim::resources::of_kind(&api, &kind).unwrap();
        let key = object::key(resource.plural, namespace, object::name(&object));
        let mut object = object.clone();
        if resource.namespaced {
            object["metadata"]["namespace"] = json!(namespace);
        }
        let write = Write::by("kubectl-client-side-apply", self.now);
        match self.store.get(&key) {
            Some(before) => {
                let mut after = Value::clone(before);
                for (field, value) in object.as_object().unwrap() {
                    if field != "metadata" && field != "status" {
                        after[field] = value.clone();
                    }
                }
                self.store.update(&key, after, &write).unwrap();
            }
            None => {
                self.store.create(&key, object, &write).unwrap();
            }
        }
        self.settle();
    }

    pub(crate) fn pass(&mut self, seconds: i64) {
        self.run_until(self.now + TimeDelta::seconds(seconds));
    }

    pub(crate) fn all(&self, plural: &str) -> Vec<Value> {
        let all = self.store.list(object::resource(plural), Some("shop"));
        all.map(|(_, object)| Value::clone(object)).collect()
    }

    pub(crate) fn get(&self, plural: &str, name: &str) -> Value {
        let key = object::key(plural, "shop", name);
        self.store
            .get(&key)
            .map(|o| Value::clone(o))
            .unwrap_or_default()
    }

    /// Pods of an app, the oldest first.
    pub(crate) fn pods(&self, app: &str) -> Vec<String> {
        let mut pods = self.all("pods");
        pods.retain(|pod| object::labels(pod)["app"] == app);
        pods.sort_by_key(|pod| object::text(pod, "/status/startTime").to_owned());
        pods.iter()
            .map(|pod| object::name(pod).to_owned())
            .collect()
    }

    pub(crate) fn delete_pod(&mut self, name: &str) {
        let key = object::key("pods", "shop", name);
        let write = Write::by("kubectl", self.now);
        self.store
            .delete(&key, &Deletion::default(), &write)
            .unwrap();
        self.settle();
    }

    pub(crate) fn log(&self, pod: &str) -> Vec<String> {
        let lines = self.lines_after("shop", pod, None, false, 0).unwrap();
        lines.lines.into_iter().map(|line| line.text).collect()
    }

    pub(crate) fn run_in(&mut self, pod: &str, words: &[&str]) -> String {
        let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        let output = self.exec("shop", pod, None, &words).unwrap();
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    }

    /// Reasons of the events on objects whose name begins so, in the order in which they were written.
    pub(crate) fn reasons(&self, name: &str) -> Vec<String> {
        let mut events = self.all("events");
        events.retain(|e| object::text(e, "/involvedObject/name").starts_with(name));
        events.sort_by_key(|e| {
            object::text(e, "/metadata/resourceVersion")
                .parse::<u64>()
                .unwrap()
        });
        events
            .iter()
            .map(|e| object::text(e, "/reason").to_owned())
            .collect()
    }
}

pub(crate) fn config(name: &str, data: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})
}

/// A Deployment with one container, whose fields are these.
pub(crate) fn deployment(name: &str, replicas: i64, container: Value, volumes: Value) -> Value {
    let mut container = container;
    container["name"] = json!("app");
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"restartPolicy": "Always", "containers": [container], "volumes": volumes},
            },
        },
    })
}

pub(crate) fn service(name: &str, ip: &str, port: i64) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": name},
        "spec": {"clusterIP": ip, "selector": {"app": name}, "ports": [{"port": port, "protocol": "TCP", "targetPort": port}]},
    })
}

pub(crate) fn proxy(port: u16) -> Value {
    let text = format!(
        "upstream api {{\n  server api:{port};\n}}\nserver {{\n  listen 80;\n  location /healthz {{ return 200 \"ok\\n\"; }}\n  location /api/ {{\n    proxy_pass http://api/;\n    proxy_connect_timeout 2s;\n  }}\n  location / {{ return 200 \"shop frontend\\n\"; }}\n}}\n"
    );
    config("frontend-nginx", json!({"default.conf": text}))
}

/// nginx with a ConfigMap of the name as its configuration.
pub(crate) fn nginx(name: &str, port: i64) -> Value {
    deployment(
        name,
        2,
        json!({
            "image": "nginx:1.27-alpine",
            "readinessProbe": {"httpGet": {"path": "/healthz", "port": port}, "periodSeconds": 2},
            "volumeMounts": [{"name": "conf", "mountPath": "/etc/nginx/conf.d"}],
        }),
        json!([{"name": "conf", "configMap": {"name": format!("{name}-nginx")}}]),
    )
}

/// A cluster with the namespace of the tests.
pub(crate) fn empty() -> World {
    let mut world = World::new(start());
    world.apply(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}));
    world
}

/// The shop as it works.
pub(crate) fn shop() -> World {
    let mut world = empty();
    world.apply(proxy(8080));
    let api = "server { listen 8080; location / { return 200 \"{}\\n\"; } }\n";
    world.apply(config("api-nginx", json!({"default.conf": api})));
    world.apply(service("api", "10.96.10.144", 8080));
    world.apply(service("frontend", "10.96.150.160", 80));
    world.apply(nginx("api", 8080));
    world.apply(nginx("frontend", 80));
    let loadgen = json!({"image": "docker.io/lab/loadgen:1", "command": ["/loadgen", "http://frontend", "/api/items"]});
    world.apply(deployment("loadgen", 1, loadgen, json!([])));
    world.pass(20);
    world
}

#[test]
fn a_deployment_becomes_pods_that_serve() {
    let world = shop();
    let frontend = world.get("deployments", "frontend");
    assert_eq!(frontend["status"]["readyReplicas"], 2, "{frontend:#}");
    assert_eq!(frontend["status"]["availableReplicas"], 2);
    assert_eq!(
        frontend["metadata"]["annotations"]["deployment.kubernetes.io/revision"],
        "1"
    );
    let pod = world.get("pods", &world.pods("frontend")[0]);
    assert_eq!(pod["status"]["phase"], "Running", "{pod:#}");
    assert!(object::is_ready(&pod));
    let reasons = world.reasons(&world.pods("frontend")[0]);
    assert_eq!(reasons, ["Scheduled", "Pulled", "Created", "Started"]);
    let slice = &world.all("endpointslices")[0];
    assert_eq!(slice["endpoints"].as_array().unwrap().len(), 2, "{slice:#}");
    let log = world.log(&world.pods("loadgen")[0]);
    assert!(
        log.last().unwrap().ends_with("GET /api/items -> 200"),
        "{log:?}"
    );
}

#[test]
fn the_incident_of_the_seed_is_played() {
    let mut world = shop();
    world.apply(proxy(8000));
    let old = world.pods("frontend");
    world.delete_pod(&old[0]);
    world.pass(300);
    let pods = world.pods("frontend");
    assert_eq!(pods.len(), 2);
    let (kept, made) = (world.log(&pods[0]), world.log(&pods[1]));
    assert!(made.iter().any(|l| l.contains(
        "upstream timed out (110: Operation timed out) while connecting to upstream, client: 10.244."
    )), "{made:#?}");
    assert!(made.iter().any(|l| l.contains("upstream: \"http://10.96.10.144:8000/items\", host: \"frontend\"")));
    assert!(!kept.iter().any(|l| l.contains(":8000")));
    assert!(
        kept.iter()
            .any(|l| l.contains("\"GET /api/items HTTP/1.1\" 200 3"))
    );
    let log = world.log(&world.pods("loadgen")[0]);
    let failed = log.iter().filter(|l| l.ends_with("504")).count();
    let fine = log.iter().filter(|l| l.ends_with("200")).count();
    assert!(failed > 25 && fine > 25, "{failed} {fine}");
    // The file of the old pod was swapped, and its program does not know.
    let conf = world.run_in(&pods[0], &["cat", "/etc/nginx/conf.d/default.conf"]);
    assert!(conf.contains("api:8000"));
    let reasons = world.reasons(&old[0]);
    assert_eq!(reasons.last().unwrap(), "Killing");
}

#[test]
fn the_same_happens_each_time() {
    let play = || {
        let mut world = shop();
        world.apply(proxy(8000));
        world.delete_pod(&world.pods("frontend")[1].clone());
        world.pass(600);
        let pods = world.pods("frontend");
        (world.store.version(), world.log(&pods[1]), pods)
    };
    assert_eq!(play(), play());
}

#[test]
fn an_hour_later_half_of_the_requests_fail_still() {
    let mut world = shop();
    world.apply(proxy(8000));
    world.delete_pod(&world.pods("frontend")[0].clone());
    world.pass(3610);
    let log = world.log(&world.pods("loadgen")[0]);
    let failed = log.iter().filter(|l| l.ends_with("504")).count();
    let share = failed * 100 / log.len();
    assert!((40..60).contains(&share), "{share} % of {}", log.len());
    // What is over for an hour is told by no event any more.
    assert!(world.all("events").is_empty());
    let lease = object::key("leases", "kube-node-lease", "kind-worker");
    let renewed = object::time(world.store().get(&lease).unwrap(), "/spec/renewTime").unwrap();
    assert!(world.now() - renewed < TimeDelta::seconds(10));
}
