//! Kubernetes objects as the tests write them: small, quick to start and to end.

use serde_json::{Value, json};

const BUSYBOX: &str = "docker.io/library/busybox:1.36";
const NGINX: &str = "docker.io/library/nginx:1.27-alpine";

/// A ConfigMap.
pub(crate) fn config_map(name: &str, data: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})
}

/// A Deployment, whose pods bear the label `app`.
pub(crate) fn deployment(name: &str, replicas: usize, spec: Value) -> Value {
    controller("Deployment", name, spec, json!({"replicas": replicas}))
}

/// A StatefulSet or a DaemonSet that replaces no pod by itself.
pub(crate) fn on_delete(kind: &str, name: &str, spec: Value, more: Value) -> Value {
    let strategy = json!({"updateStrategy": {"type": "OnDelete"}});
    controller(kind, name, spec, with(strategy, more))
}

fn controller(kind: &str, name: &str, spec: Value, more: Value) -> Value {
    let labels = json!({"app": name});
    let own = json!({
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": spec},
    });
    json!({
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name, "labels": labels},
        "spec": with(own, more),
    })
}

/// A pod by itself.
pub(crate) fn bare(name: &str, spec: Value) -> Value {
    let metadata = json!({"name": name, "labels": {"app": name}});
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
}

/// A Job whose pod runs for as long as the test.
pub(crate) fn job(name: &str, spec: Value) -> Value {
    let spec = with(spec, json!({"restartPolicy": "Never"}));
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {"template": {"metadata": {"labels": {"app": name}}, "spec": spec}},
    })
}

/// A pod's spec.
pub(crate) fn pod(containers: Value) -> Value {
    json!({
        "automountServiceAccountToken": false,
        "terminationGracePeriodSeconds": 0,
        "containers": containers,
    })
}

/// A pod's spec with a volume `conf` of this source.
pub(crate) fn pod_with(source: Value, containers: Value) -> Value {
    let volume = with(json!({"name": "conf"}), source);
    with(pod(containers), json!({"volumes": [volume]}))
}

/// A container `app` that runs a script.
pub(crate) fn shell(script: &str, more: Value) -> Value {
    let own = json!({
        "name": "app",
        "image": BUSYBOX,
        "imagePullPolicy": "IfNotPresent",
        "command": ["sh", "-c", script],
    });
    with(own, more)
}

/// Waits for as long as the test, and ends when it is told to.
pub(crate) const STAY: &str = "trap 'exit 1' TERM; while true; do sleep 600 & wait $!; done";

/// A container `app` that prints nothing.
pub(crate) fn silent(more: Value) -> Value {
    shell(STAY, more)
}

/// A container `app` that runs nginx on the files of the volume `conf`.
pub(crate) fn nginx() -> Value {
    json!({
        "name": "app",
        "image": NGINX,
        "imagePullPolicy": "IfNotPresent",
        "volumeMounts": [{"name": "conf", "mountPath": "/etc/nginx/conf.d"}],
    })
}

/// The content of a config for nginx that tells its revision at `/revision`.
pub(crate) fn site(revision: &str, more: &str) -> Value {
    let text = format!(
        "server {{\n  listen 80;\n  location /revision {{ return 200 \"{revision}\\n\"; }}\n{more}}}\n"
    );
    json!({"default.conf": text})
}

/// All variables of a ConfigMap.
pub(crate) fn env_from(config: &str) -> Value {
    json!({"envFrom": [{"configMapRef": {"name": config}}]})
}

/// A variable by the name of its key.
pub(crate) fn variable(config: &str, key: &str) -> Value {
    json!({"name": key, "valueFrom": {"configMapKeyRef": {"name": config, "key": key}}})
}

/// Both objects' fields; the second's where both have one.
pub(crate) fn with(mut base: Value, more: Value) -> Value {
    let (Some(fields), Value::Object(more)) = (base.as_object_mut(), more) else {
        panic!("two objects");
    };
    fields.extend(more);
    base
}
