//! API objects as the API server writes them, of the same small cluster that `build` makes as facts.

use serde_json::{Value, json};

use crate::build::{NS, t};

/// A time as the API writes it: so many seconds after 20:35:00.
pub fn at(seconds: i64) -> String {
    t(seconds).format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// A line of a log as the kubelet writes it.
pub fn line(seconds: i64, text: &str) -> String {
    format!(
        "{}.100827946Z {text}\n",
        t(seconds).format("%Y-%m-%dT%H:%M:%S")
    )
}

/// A ConfigMap that `kubectl apply` wrote last at `written`; with `fetched`, over a fetched object of that version.
pub fn config_map(
    name: &str,
    version: u64,
    data: &[(&str, &str)],
    written: i64,
    fetched: Option<u64>,
) -> Value {
    let text: serde_json::Map<String, Value> = data
        .iter()
        .map(|(key, value)| ((*key).to_owned(), json!(value)))
        .collect();
    let owned: serde_json::Map<String, Value> = data
        .iter()
        .map(|(key, _)| (format!("f:{key}"), json!({})))
        .collect();
    let mut applied = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "data": text.clone(),
        "metadata": {"name": name, "namespace": NS, "annotations": {}}
    });
    if let Some(fetched) = fetched {
        applied["metadata"]["resourceVersion"] = json!(fetched.to_string());
    }
    json!({
        "metadata": {
            "name": name, "namespace": NS, "uid": format!("uid-{name}"),
            "resourceVersion": version.to_string(), "creationTimestamp": at(25),
            "annotations": {"kubectl.kubernetes.io/last-applied-configuration": applied.to_string()},
            "managedFields": [{
                "manager": "kubectl-client-side-apply", "operation": "Update", "apiVersion": "v1",
                "time": at(written), "fieldsType": "FieldsV1",
                "fieldsV1": {"f:data": owned, "f:metadata": {"f:annotations": {}}}
            }]
        },
        "data": text
    })
}

/// A ready nginx pod of `Deployment/frontend` that mounts `ConfigMap/frontend-nginx`.
pub fn pod(suffix: &str, created: i64) -> Value {
    json!({
        "metadata": {
            "name": format!("frontend-76d98597b9-{suffix}"), "namespace": NS,
            "uid": format!("uid-frontend-76d98597b9-{suffix}"), "resourceVersion": "14700",
            "creationTimestamp": at(created),
            "labels": {"app": "frontend", "pod-template-hash": "76d98597b9"},
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet",
                "name": "frontend-76d98597b9", "uid": "uid-rs", "controller": true}]
        },
        "spec": {
            "nodeName": "node-1",
            "containers": [{
                "name": "nginx", "image": "nginx:1.27-alpine",
                "volumeMounts": [{"name": "conf", "mountPath": "/etc/nginx/conf.d"}]
            }],
            "volumes": [{"name": "conf", "configMap": {"name": "frontend-nginx", "defaultMode": 420}}]
        },
        "status": {
            "phase": "Running", "podIP": "10.244.1.44",
            "conditions": [{"type": "Ready", "status": "True"}],
            "containerStatuses": [{
                "name": "nginx", "ready": true, "restartCount": 0,
                "containerID": format!("containerd://{suffix}-0"),
                "imageID": "docker.io/library/nginx@sha256:0123",
                "state": {"running": {"startedAt": at(created + 1)}}, "lastState": {}
            }]
        }
    })
}

/// A pod that takes its whole environment from `Secret/db` and waits to be restarted.
pub fn pod_of_secret(message: &str) -> Value {
    let mut pod = pod("s3cr7", 20);
    pod["spec"]["containers"][0]["envFrom"] = json!([{"secretRef": {"name": "db"}}]);
    pod["status"]["containerStatuses"][0]["state"] =
        json!({"waiting": {"reason": "CrashLoopBackOff", "message": message}});
    pod["status"]["containerStatuses"][0]["lastState"] = json!({"terminated": {"exitCode": 1, "reason": "Error", "startedAt": at(21), "finishedAt": at(22)}});
    pod
}

pub fn deployment() -> Value {
    json!({
        "metadata": {
            "name": "frontend", "namespace": NS, "uid": "uid-frontend", "generation": 1,
            "resourceVersion": "14701", "creationTimestamp": at(25),
            "annotations": {"deployment.kubernetes.io/revision": "1"}
        },
        "spec": {
            "replicas": 2, "selector": {"matchLabels": {"app": "frontend"}},
            "strategy": {"type": "RollingUpdate"}, "template": {"metadata": {}, "spec": {"containers": []}}
        },
        "status": {"observedGeneration": 1, "replicas": 2, "readyReplicas": 2, "updatedReplicas": 2}
    })
}

pub fn replica_set() -> Value {
    json!({
        "metadata": {
            "name": "frontend-76d98597b9", "namespace": NS, "uid": "uid-rs", "generation": 1,
            "resourceVersion": "14702", "creationTimestamp": at(25),
            "annotations": {"deployment.kubernetes.io/revision": "1"},
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "frontend",
                "uid": "uid-frontend", "controller": true}]
        },
        "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "frontend"}}},
        "status": {"replicas": 2, "readyReplicas": 2, "observedGeneration": 1}
    })
}

pub fn service(name: &str, ip: &str, port: u16) -> Value {
    json!({
        "metadata": {"name": name, "namespace": NS, "uid": format!("uid-svc-{name}"), "creationTimestamp": at(20)},
        "spec": {
            "type": "ClusterIP", "clusterIP": ip, "clusterIPs": [ip], "selector": {"app": name},
            "ports": [{"port": port, "targetPort": port, "protocol": "TCP"}]
        }
    })
}

pub fn endpoint_slice(service: &str, addresses: &[&str]) -> Value {
    let endpoints: Vec<Value> = addresses
        .iter()
        .map(|address| json!({"addresses": [address], "conditions": {"ready": true}}))
        .collect();
    json!({
        "metadata": {"name": format!("{service}-x7z5k"), "namespace": NS,
            "labels": {"kubernetes.io/service-name": service}},
        "addressType": "IPv4", "endpoints": endpoints
    })
}

pub fn event(pod: &str, reason: &str, message: &str, seconds: i64) -> Value {
    json!({
        "metadata": {"name": format!("{pod}.{reason}"), "namespace": NS, "resourceVersion": "14600",
            "creationTimestamp": at(seconds)},
        "involvedObject": {"kind": "Pod", "namespace": NS, "name": pod, "uid": format!("uid-{pod}")},
        "reason": reason, "message": message, "type": "Normal", "count": 1,
        "firstTimestamp": at(seconds), "lastTimestamp": at(seconds), "eventTime": null,
        "source": {"component": "kubelet", "host": "node-1"}
    })
}
