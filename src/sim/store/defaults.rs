//! What the API server fills in where an object does not say.

mod pod;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::Key;

/// Sets a field that is not set.
fn or(value: &mut Value, name: &str, default: impl Into<Value>) {
    if value.get(name).is_none_or(Value::is_null) {
        value[name] = default.into();
    }
}

/// Each item of a list.
fn each<'a>(value: &'a mut Value, list: &str) -> impl Iterator<Item = &'a mut Value> + use<'a> {
    let items = value.get_mut(list).and_then(Value::as_array_mut);
    items.into_iter().flatten()
}

/// What a new object gets. Whatever status it came with is the server's to write, but for a node's.
pub(super) fn on_create(key: &Key, object: &mut Value) {
    if key.resource.status && key.resource.kind != "Node" {
        object["status"] = json!({});
    }
    match key.resource.kind {
        "Namespace" => {
            let labels = &mut object["metadata"]["labels"];
            if !labels.is_object() {
                *labels = json!({});
            }
            labels["kubernetes.io/metadata.name"] = json!(key.name);
            or(object, "spec", json!({}));
            object["spec"]["finalizers"] = json!(["kubernetes"]);
            object["status"]["phase"] = json!("Active");
        }
        "Pod" => pod::begin(object),
        "ReplicaSet" | "StatefulSet" => object["status"]["replicas"] = json!(0),
        "Service" => object["status"]["loadBalancer"] = json!({}),
        _ => {}
    }
    if key.resource.kind == "StatefulSet" {
        object["status"]["availableReplicas"] = json!(0);
    }
    if key.resource.kind == "DaemonSet" {
        object["status"] = json!({
            "currentNumberScheduled": 0,
            "numberMisscheduled": 0,
            "desiredNumberScheduled": 0,
            "numberReady": 0,
        });
    }
    if key.resource.kind == "PodDisruptionBudget" {
        object["status"] = json!({
            "disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0,
        });
    }
    fill(key, object);
}

pub(super) fn on_update(key: &Key, before: &Value, object: &mut Value) {
    if key.resource.kind == "Service" {
        for name in ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
            if let Some(value) = before["spec"].get(name) {
                or(&mut object["spec"], name, value.clone());
            }
        }
    }
    fill(key, object);
}

fn fill(key: &Key, object: &mut Value) {
    match key.resource.kind {
        "Secret" => secret(object),
        "Pod" => {
            pod::spec(&mut object["spec"]);
            or(&mut object["spec"], "enableServiceLinks", true);
        }
        "Deployment" => deployment(object),
        "ReplicaSet" => {
            or(&mut object["spec"], "replicas", 1);
            template(object);
        }
        "StatefulSet" => stateful_set(object),
        "DaemonSet" => daemon_set(object),
        "Service" => service(object),
        "HorizontalPodAutoscaler" => or(&mut object["spec"], "minReplicas", 1),
        "EndpointSlice" => {
            for port in each(object, "ports") {
                or(port, "name", "");
                or(port, "protocol", "TCP");
            }
        }
        "Event" => event(object),
        "RoleBinding" | "ClusterRoleBinding" => binding(object),
        _ => {}
    }
}

fn binding(object: &mut Value) {
    const GROUP: &str = crate::sim::rbac::GROUP;
    or(&mut object["roleRef"], "apiGroup", GROUP);
    for subject in each(object, "subjects") {
        if subject["kind"] != "ServiceAccount" {
            or(subject, "apiGroup", GROUP);
        }
    }
}

/// What admission adds to a new pod, and the addresses of a Service. No manager owns it.
pub(super) fn admit(key: &Key, object: &mut Value, address: impl Fn(&str) -> String) {
    match key.resource.kind {
        "Pod" => pod::admit(&mut object["spec"]),
        "Service" => addresses(key, object, address),
        _ => {}
    }
}

fn secret(object: &mut Value) {
    or(object, "type", "Opaque");
    let Some(plain) = object.as_object_mut().and_then(|o| o.remove("stringData")) else {
        return;
    };
    or(object, "data", json!({}));
    for (name, value) in plain.as_object().into_iter().flatten() {
        let value = value.as_str().unwrap_or_default();
        object["data"][name] = json!(STANDARD.encode(value));
    }
}

fn template(object: &mut Value) {
    let template = &mut object["spec"]["template"];
    or(template, "metadata", json!({}));
    or(template, "spec", json!({}));
    pod::spec(&mut template["spec"]);
}

fn deployment(object: &mut Value) {
    let spec = &mut object["spec"];
    or(spec, "replicas", 1);
    or(spec, "revisionHistoryLimit", 10);
    or(spec, "progressDeadlineSeconds", 600);
    or(spec, "strategy", json!({}));
    let strategy = &mut spec["strategy"];
    or(strategy, "type", "RollingUpdate");
    if strategy["type"] == "RollingUpdate" {
        or(strategy, "rollingUpdate", json!({}));
        or(&mut strategy["rollingUpdate"], "maxSurge", "25%");
        or(&mut strategy["rollingUpdate"], "maxUnavailable", "25%");
    }
    template(object);
}

fn stateful_set(object: &mut Value) {
    let spec = &mut object["spec"];
    or(spec, "replicas", 1);
    or(spec, "revisionHistoryLimit", 10);
    or(spec, "podManagementPolicy", "OrderedReady");
    or(spec, "serviceName", "");
    let retention = json!({"whenDeleted": "Retain", "whenScaled": "Retain"});
    or(spec, "persistentVolumeClaimRetentionPolicy", retention);
    or(spec, "updateStrategy", json!({}));
    let strategy = &mut spec["updateStrategy"];
    or(strategy, "type", "RollingUpdate");
    if strategy["type"] == "RollingUpdate" {
        or(strategy, "rollingUpdate", json!({}));
        or(&mut strategy["rollingUpdate"], "partition", 0);
    }
    template(object);
}

fn daemon_set(object: &mut Value) {
    let spec = &mut object["spec"];
    or(spec, "revisionHistoryLimit", 10);
    or(spec, "updateStrategy", json!({}));
    let strategy = &mut spec["updateStrategy"];
    or(strategy, "type", "RollingUpdate");
    if strategy["type"] == "RollingUpdate" {
        or(strategy, "rollingUpdate", json!({}));
        or(&mut strategy["rollingUpdate"], "maxUnavailable", 1);
        or(&mut strategy["rollingUpdate"], "maxSurge", 0);
    }
    template(object);
}

fn service(object: &mut Value) {
    let spec = &mut object["spec"];
    or(spec, "type", "ClusterIP");
    or(spec, "sessionAffinity", "None");
    if spec["type"] == "ExternalName" {
        return;
    }
    or(spec, "internalTrafficPolicy", "Cluster");
    for port in each(spec, "ports") {
        or(port, "protocol", "TCP");
        let number = port["port"].clone();
        or(port, "targetPort", number);
    }
}

fn addresses(key: &Key, object: &mut Value, address: impl Fn(&str) -> String) {
    let spec = &mut object["spec"];
    if spec["type"] == "ExternalName" {
        return;
    }
    let salt = format!(
        "{}/{}",
        key.namespace.as_deref().unwrap_or_default(),
        key.name
    );
    if spec
        .get("clusterIP")
        .and_then(Value::as_str)
        .is_none_or(str::is_empty)
    {
        spec["clusterIP"] = json!(address(&salt));
    }
    let own = json!([spec["clusterIP"]]);
    or(spec, "clusterIPs", own);
    or(spec, "ipFamilies", json!(["IPv4"]));
    or(spec, "ipFamilyPolicy", "SingleStack");
}

fn event(object: &mut Value) {
    for name in ["firstTimestamp", "lastTimestamp", "eventTime"] {
        or(object, name, Value::Null);
    }
    or(object, "reportingComponent", "");
    or(object, "reportingInstance", "");
    or(object, "source", json!({}));
}
