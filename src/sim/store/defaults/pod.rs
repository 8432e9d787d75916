//! The defaults of a pod and of a workload's template.

use serde_json::{Value, json};

use super::{each, or};

/// A new pod: nothing of it runs.
pub(super) fn begin(pod: &mut Value) {
    let class = quality(&pod["spec"]);
    pod["status"] = json!({"phase": "Pending", "qosClass": class});
}

/// How much of what its containers ask for is promised to them.
fn quality(spec: &Value) -> &'static str {
    let lists = ["containers", "initContainers"];
    let containers = lists.iter().filter_map(|list| spec[*list].as_array());
    let containers: Vec<&Value> = containers.flatten().collect();
    let some = |container: &&Value, which: &str| {
        container["resources"][which]
            .as_object()
            .is_some_and(|r| !r.is_empty())
    };
    if !containers
        .iter()
        .any(|c| some(c, "limits") || some(c, "requests"))
    {
        return "BestEffort";
    }
    let all = |container: &&Value| {
        let limits = &container["resources"]["limits"];
        ["cpu", "memory"].iter().all(|name| {
            let limit = limits.get(*name);
            let request = container["resources"]["requests"].get(*name).or(limit);
            limit.is_some() && limit == request
        })
    };
    if containers.iter().all(all) {
        "Guaranteed"
    } else {
        "Burstable"
    }
}

pub(super) fn spec(spec: &mut Value) {
    or(spec, "restartPolicy", "Always");
    or(spec, "terminationGracePeriodSeconds", 30);
    or(spec, "dnsPolicy", "ClusterFirst");
    or(spec, "schedulerName", "default-scheduler");
    or(spec, "securityContext", json!({}));
    // The same under its former name.
    if let Some(account) = spec.get("serviceAccountName").cloned() {
        spec["serviceAccount"] = account;
    }
    for list in ["initContainers", "containers"] {
        for one in each(spec, list) {
            container(one);
        }
    }
    for one in each(spec, "volumes") {
        volume(one);
    }
}

fn container(container: &mut Value) {
    let image = container["image"].as_str().unwrap_or_default();
    let name = image.rsplit('/').next().unwrap_or_default();
    let latest = !name.contains(':') || name.ends_with(":latest");
    let policy = if latest && !name.contains('@') {
        "Always"
    } else {
        "IfNotPresent"
    };
    or(container, "imagePullPolicy", policy);
    or(container, "terminationMessagePath", "/dev/termination-log");
    or(container, "terminationMessagePolicy", "File");
    or(container, "resources", json!({}));
    requests(&mut container["resources"]);
    for port in each(container, "ports") {
        or(port, "protocol", "TCP");
    }
    for env in each(container, "env") {
        if let Some(field) = env.pointer_mut("/valueFrom/fieldRef") {
            or(field, "apiVersion", "v1");
        }
        if let Some(resource) = env.pointer_mut("/valueFrom/resourceFieldRef") {
            or(resource, "divisor", "0");
        }
    }
    for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
        if let Some(one) = container.get_mut(name) {
            probe(one);
        }
    }
    for name in ["/lifecycle/postStart/httpGet", "/lifecycle/preStop/httpGet"] {
        if let Some(get) = container.pointer_mut(name) {
            http_get(get);
        }
    }
}

/// What is limited is asked for.
fn requests(resources: &mut Value) {
    let Some(limits) = resources.get("limits").and_then(Value::as_object).cloned() else {
        return;
    };
    or(resources, "requests", json!({}));
    for (name, limit) in limits {
        or(&mut resources["requests"], &name, limit);
    }
}

fn probe(probe: &mut Value) {
    or(probe, "timeoutSeconds", 1);
    or(probe, "periodSeconds", 10);
    or(probe, "successThreshold", 1);
    or(probe, "failureThreshold", 3);
    if let Some(get) = probe.get_mut("httpGet") {
        http_get(get);
    }
    if let Some(grpc) = probe.get_mut("grpc") {
        or(grpc, "service", "");
    }
}

fn http_get(get: &mut Value) {
    or(get, "path", "/");
    or(get, "scheme", "HTTP");
}

fn volume(volume: &mut Value) {
    const MODE: u32 = 0o644;
    if volume.as_object().is_some_and(|v| v.len() == 1) {
        volume["emptyDir"] = json!({});
    }
    for name in ["configMap", "secret", "projected", "downwardAPI"] {
        if let Some(source) = volume.get_mut(name) {
            or(source, "defaultMode", MODE);
        }
    }
    if let Some(path) = volume.get_mut("hostPath") {
        or(path, "type", "");
    }
    if let Some(source) = volume.get_mut("downwardAPI") {
        downward(source);
    }
    if let Some(projected) = volume.get_mut("projected") {
        for source in each(projected, "sources") {
            if let Some(token) = source.get_mut("serviceAccountToken") {
                or(token, "expirationSeconds", 3600);
            }
            if let Some(source) = source.get_mut("downwardAPI") {
                downward(source);
            }
        }
    }
}

fn downward(source: &mut Value) {
    for item in each(source, "items") {
        if let Some(field) = item.get_mut("fieldRef") {
            or(field, "apiVersion", "v1");
        }
    }
}

/// What admission plugins add: the account, the priority, and how long a pod stays on a node that is gone.
pub(super) fn admit(spec: &mut Value) {
    or(spec, "serviceAccountName", "default");
    let account = spec["serviceAccountName"].clone();
    or(spec, "serviceAccount", account);
    or(spec, "priority", 0);
    or(spec, "preemptionPolicy", "PreemptLowerPriority");
    or(spec, "tolerations", json!([]));
    let Some(tolerations) = spec["tolerations"].as_array_mut() else {
        return;
    };
    for key in [
        "node.kubernetes.io/not-ready",
        "node.kubernetes.io/unreachable",
    ] {
        let tolerated = tolerations.iter().any(|toleration| {
            let named = toleration.get("key").and_then(Value::as_str);
            let effect = toleration.get("effect").and_then(Value::as_str);
            named.is_none_or(|named| named == key) && effect.is_none_or(|e| e == "NoExecute")
        });
        if !tolerated {
            tolerations.push(json!({
                "key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300,
            }));
        }
    }
}
