//! API objects as the API server writes them, and the facts that become of them.

use serde_json::json;

use super::event::{EventObject, event};
use super::{ConfigMapObject, PodObject, config_map, list, pod, time};
use crate::model::Kind;
use crate::model::{
    ConfigKind, ConfigRef, ContainerKind, ContainerState, Content, EnvSource, Pod, SubPath,
};

#[test]
fn a_bad_object_costs_no_other() {
    let body = json!({
        "kind": "ConfigMapList", "metadata": {"resourceVersion": "9"},
        "items": [
            {"metadata": {"name": "good", "namespace": "shop"}, "data": {"a": "b"}},
            {"metadata": {"name": "bad", "namespace": "shop"}, "data": {"a": {"hunter2": 1}}},
            {"metadata": {"name": "newer", "namespace": "shop"}, "field_of_2030": [1]}
        ]
    });
    let found =
        list::<ConfigMapObject>(Kind::ConfigMaps, body.to_string().as_bytes()).expect("a list");
    assert_eq!(found.items.len(), 2);
    assert_eq!(found.bad.len(), 1);
    assert_eq!(found.bad[0].0.as_deref(), Some("bad"));
    assert!(!found.bad[0].1.contains("hunter2"));
    assert_eq!(found.resource_version.as_deref(), Some("9"));
    assert!(list::<ConfigMapObject>(Kind::ConfigMaps, b"<html>").is_err());
}

#[test]
fn managed_fields_and_last_applied_are_read() {
    let object: ConfigMapObject = serde_json::from_value(json!({
        "metadata": {
            "name": "features", "namespace": "shop", "uid": "u", "resourceVersion": "464",
            "creationTimestamp": "2026-11-30T06:14:55Z",
            "annotations": {
                "kubectl.kubernetes.io/last-applied-configuration":
                    "{\"data\":{\"A\":\"1\"},\"metadata\":{\"resourceVersion\":\"346\"}}",
                "argocd.argoproj.io/tracking-id": "x", "other": "y"
            },
            "managedFields": [
                {"manager": "kubectl-client-side-apply", "operation": "Update", "time": "2026-11-30T06:15:13Z",
                 "fieldsV1": {"f:data": {".": {}, "f:A": {}}, "f:metadata": {"f:annotations": {}}}},
                {"manager": "kubectl-patch", "operation": "Update", "time": "2026-11-30T06:16:00Z",
                 "fieldsV1": {"f:data": {"f:B": {}}}}
            ]
        },
        "data": {"A": "1", "B": "2"}, "binaryData": {"C": "AAH/"}
    }))
    .expect("a ConfigMap");
    let config = config_map(object);
    assert_eq!(
        config.managed[0].data_keys.iter().collect::<Vec<_>>(),
        ["A"]
    );
    assert!(config.managed[0].owns_other);
    assert!(!config.managed[1].owns_other);
    let applied = config.last_applied.expect("last applied");
    assert_eq!(applied.resource_version.as_deref(), Some("346"));
    assert_eq!(applied.content, Content::text([("A", "1")]));
    let Some(Content::Plain { binary, .. }) = config.content else {
        panic!("plain content");
    };
    assert_eq!(binary["C"], [0, 1, 255]);
    assert_eq!(config.owner_marks.len(), 1);
}

/// A pod with something of everything.
fn rich_pod() -> Pod {
    let object: PodObject = serde_json::from_value(json!({
        "metadata": {"name": "front-1", "namespace": "shop", "uid": "u", "creationTimestamp": "2026-11-30T06:14:55Z",
            "managedFields": [{"manager": "kubelet", "subresource": "status", "time": "2026-11-30T06:15:16Z", "fieldsV1": {"f:status": {}}},
                {"manager": "kube-controller-manager", "time": "2026-11-30T06:20:00Z"}],
            "ownerReferences": [{"kind": "ReplicaSet", "name": "p-rs", "controller": true}]},
        "spec": {
            "nodeSelector": {"kubernetes.io/os": "linux"},
            "initContainers": [{"name": "init"}, {"name": "side", "restartPolicy": "Always"}],
            "containers": [{
                "name": "app", "image": "nginx", "command": ["run", "--configmap=shop/controller", "--address=$(IP)"],
                "env": [
                    {"name": "LITERAL", "value": "hunter2"},
                    {"name": "KEY", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k", "optional": true}}},
                    {"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
                    {"name": "URL", "value": "http://$(KEY)"},
                    {"name": "FILE", "valueFrom": {"fileKeyRef": {"volumeName": "e", "path": "p", "key": "k"}}},
                    {"name": "NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}
                ],
                "envFrom": [{"prefix": "X_", "secretRef": {"name": "s"}}],
                "volumeMounts": [{"name": "v", "mountPath": "/etc/x", "subPath": "f"}, {"name": "v", "mountPath": "/y", "subPath": ""},
                    {"name": "v", "mountPath": "/n", "subPathExpr": "$(NAME)/p"}, {"name": "v", "mountPath": "/k", "subPathExpr": "$(KEY)/p"}]
            }],
            "volumes": [
                {"name": "v", "projected": {"sources": [{"configMap": {"name": "c", "items": [{"key": "k", "path": "p"}]}}, {"serviceAccountToken": {}}]}},
                {"name": "w", "secret": {"secretName": "s"}},
                {"name": "e", "emptyDir": {}}
            ]
        },
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}],
            "containerStatuses": [{"name": "app", "ready": true, "restartCount": 2, "containerID": "containerd://1",
                "state": {"running": {"startedAt": "2026-11-30T06:15:14Z"}},
                "lastState": {"terminated": {"exitCode": 137, "reason": "Error", "finishedAt": "2026-11-30T06:15:13Z"}}}]}
    }))
    .expect("a pod");
    pod(object)
}

#[test]
fn a_pod_keeps_ways_and_no_values() {
    let pod = rich_pod();
    assert!(!format!("{pod:?}").contains("hunter2"));
    assert!(pod.ready);
    let kinds: Vec<ContainerKind> = pod.containers.iter().map(|c| c.kind).collect();
    assert_eq!(
        kinds,
        [
            ContainerKind::Init,
            ContainerKind::Sidecar,
            ContainerKind::Main
        ]
    );
    let app = &pod.containers[2];
    assert_eq!(app.env_from[0].config.kind, ConfigKind::Secret);
    assert_eq!(app.mounts[0].sub_path, Some(SubPath::Path("f".to_owned())));
    assert_eq!(app.mounts[1].sub_path, None);
    assert_eq!(
        app.mounts[2].sub_path,
        Some(SubPath::Path("front-1/p".to_owned()))
    );
    assert_eq!(
        app.mounts[3].sub_path,
        Some(SubPath::Expr("$(KEY)/p".to_owned()))
    );
    let status = app.status.as_ref().expect("a status");
    assert!(matches!(
        status.state,
        ContainerState::Running {
            started_at: Some(_)
        }
    ));
    assert_eq!(status.last.as_ref().map(|l| l.exit_code), Some(137));
    // An emptyDir may be what an init container copies a config to.
    let scratch: Vec<bool> = pod.volumes.iter().map(|v| v.scratch).collect();
    assert_eq!(scratch, [false, false, true]);
    assert!(pod.volumes[0].projected);
    assert_eq!(pod.volumes[0].sources.len(), 1);
}

#[test]
fn a_container_keeps_which_variables_and_configs_are_named() {
    let pod = rich_pod();
    let app = &pod.containers[2];
    assert_eq!(
        app.env[0].source,
        EnvSource::Literal {
            expands: Vec::new()
        }
    );
    assert!(matches!(&app.env[1].source, EnvSource::Key { key, optional: true, .. } if key == "k"));
    assert_eq!(app.env[2].source, EnvSource::Other);
    assert_eq!(
        app.env[3].source,
        EnvSource::Literal {
            expands: vec!["KEY".to_owned()]
        }
    );
    assert_eq!(
        app.env[4].source,
        EnvSource::File {
            volume: "e".to_owned(),
            optional: false
        }
    );
    assert_eq!(app.expands, ["IP"]);
    assert_eq!(
        app.names,
        [ConfigRef::new(ConfigKind::ConfigMap, "shop", "controller")]
    );
    assert_eq!(pod.reported, time(Some("2026-11-30T06:15:16Z")));
    assert_eq!(pod.os.as_deref(), Some("linux"));
}

#[test]
fn events_of_both_recorders_have_times() {
    let read = |value| event(serde_json::from_value::<EventObject>(value).expect("an event"));
    let old = read(
        json!({"metadata": {"namespace": "shop"}, "reason": "Killing", "count": 3,
        "firstTimestamp": "2026-11-30T06:15:00Z", "lastTimestamp": "2026-11-30T06:16:00Z", "eventTime": null}),
    );
    assert_eq!(
        old.last.map(|t| t.to_rfc3339()).as_deref(),
        Some("2026-11-30T06:16:00+00:00")
    );
    assert_eq!(old.count, 3);
    let new = read(
        json!({"metadata": {"namespace": "shop"}, "reason": "Scheduled", "firstTimestamp": null,
        "eventTime": "2026-11-30T06:15:00.123456Z", "reportingComponent": "default-scheduler"}),
    );
    assert_eq!(new.first, new.last);
    assert!(new.first.is_some());
    assert_eq!(new.reporter, "default-scheduler");
    let bare = read(
        json!({"metadata": {"namespace": "shop", "creationTimestamp": "2026-11-30T06:15:00Z"}}),
    );
    assert!(bare.first.is_some());
}
