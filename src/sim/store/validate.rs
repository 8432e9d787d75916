//! Which objects the server refuses, in its words.

use serde_json::{Value, json};

use super::Key;
use crate::sim::status::Failure;

/// One thing that is wrong.
struct Wrong {
    field: String,
    reason: &'static str,
    message: String,
}

impl Wrong {
    fn invalid(field: impl Into<String>, value: &Value, why: &str) -> Self {
        Self {
            field: field.into(),
            reason: "FieldValueInvalid",
            message: format!("Invalid value: {value}: {why}"),
        }
    }

    fn required(field: impl Into<String>, why: &str) -> Self {
        let message = match why {
            "" => "Required value".to_owned(),
            why => format!("Required value: {why}"),
        };
        Self {
            field: field.into(),
            reason: "FieldValueRequired",
            message,
        }
    }

    fn forbidden(field: impl Into<String>, why: &str) -> Self {
        Self {
            field: field.into(),
            reason: "FieldValueForbidden",
            message: format!("Forbidden: {why}"),
        }
    }
}

/// The 422 for all that is wrong.
fn refuse(key: &Key, wrong: &[Wrong]) -> Result<(), Failure> {
    if wrong.is_empty() {
        return Ok(());
    }
    let (group, kind) = (key.resource.group, key.resource.kind);
    let qualified = if group.is_empty() {
        kind.to_owned()
    } else {
        format!("{kind}.{group}")
    };
    let each: Vec<String> = wrong
        .iter()
        .map(|w| format!("{}: {}", w.field, w.message))
        .collect();
    let all = match each.as_slice() {
        [one] => one.clone(),
        more => format!("[{}]", more.join(", ")),
    };
    let causes: Vec<Value> = wrong
        .iter()
        .map(|w| json!({"reason": w.reason, "message": w.message, "field": w.field}))
        .collect();
    let mut details = json!({"name": key.name, "kind": kind, "causes": causes});
    if key.name.is_empty() {
        details = json!({"kind": kind, "causes": causes});
    }
    if !group.is_empty() {
        details["group"] = json!(group);
    }
    let message = format!("{qualified} \"{}\" is invalid: {all}", key.name);
    Err(Failure::new(422, "Invalid", message).with_details(details))
}

/// An object that names neither itself nor what its name begins with.
pub(super) fn unnamed(key: &Key) -> Failure {
    let wrong = [Wrong::required(
        "metadata.name",
        "name or generateName is required",
    )];
    match refuse(key, &wrong) {
        Err(failure) => failure,
        Ok(()) => Failure::bad_request("name or generateName is required"),
    }
}

/// A patch that would change what an object is known by.
pub(crate) fn another_uid(key: &Key, uid: &Value) -> Failure {
    let wrong = [Wrong::invalid("metadata.uid", uid, "field is immutable")];
    match refuse(key, &wrong) {
        Err(failure) => failure,
        Ok(()) => Failure::conflict(key),
    }
}

pub(super) fn create(key: &Key, object: &Value) -> Result<(), Failure> {
    let mut wrong = Vec::new();
    name(key, &mut wrong);
    content(key, object, &mut wrong);
    refuse(key, &wrong)
}

pub(super) fn update(
    key: &Key,
    before: &Value,
    object: &Value,
    subresource: Option<&str>,
) -> Result<(), Failure> {
    if subresource == Some("status") || subresource == Some("binding") {
        return Ok(());
    }
    let mut wrong = Vec::new();
    match key.resource.kind {
        "ConfigMap" => immutable(before, object, &mut wrong),
        "Secret" => {
            if before["type"] != object["type"] {
                wrong.push(Wrong::invalid(
                    "type",
                    &object["type"],
                    "field is immutable",
                ));
            }
            immutable(before, object, &mut wrong);
        }
        "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet" => {
            let selector = object["spec"].get("selector");
            if before["spec"].get("selector") != selector {
                let value = selector.cloned().unwrap_or_default();
                wrong.push(Wrong::invalid(
                    "spec.selector",
                    &value,
                    "field is immutable",
                ));
            }
        }
        "Pod" => pod_spec(before, object, &mut wrong),
        "RoleBinding" | "ClusterRoleBinding" if before["roleRef"] != object["roleRef"] => {
            let text = |name: &str| object["roleRef"][name].clone();
            let value =
                json!({"APIGroup": text("apiGroup"), "Kind": text("kind"), "Name": text("name")});
            wrong.push(Wrong::invalid("roleRef", &value, "field is immutable"));
        }
        _ => {}
    }
    content(key, object, &mut wrong);
    refuse(key, &wrong)
}

/// What is no longer to change: `immutable` itself, and what it protects.
fn immutable(before: &Value, object: &Value, wrong: &mut Vec<Wrong>) {
    if before["immutable"] != true {
        return;
    }
    const WHY: &str = "field is immutable when `immutable` is set";
    if object["immutable"] != true {
        wrong.push(Wrong::forbidden("immutable", WHY));
    }
    for field in ["data", "binaryData"] {
        if before.get(field) != object.get(field) {
            wrong.push(Wrong::forbidden(field, WHY));
        }
    }
}

/// A pod's containers take another image, and little else changes.
fn pod_spec(before: &Value, object: &Value, wrong: &mut Vec<Wrong>) {
    let fixed = |pod: &Value| {
        let mut spec = pod["spec"].clone();
        for list in ["containers", "initContainers"] {
            let items = spec.get_mut(list).and_then(Value::as_array_mut);
            for container in items.into_iter().flatten() {
                container["image"] = Value::Null;
                container["imagePullPolicy"] = Value::Null;
            }
        }
        for name in [
            "activeDeadlineSeconds",
            "tolerations",
            "terminationGracePeriodSeconds",
            "nodeName",
        ] {
            spec[name] = Value::Null;
        }
        spec
    };
    if fixed(before) != fixed(object) {
        wrong.push(Wrong::forbidden("spec", "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"));
    }
}

fn content(key: &Key, object: &Value, wrong: &mut Vec<Wrong>) {
    match key.resource.kind {
        "ConfigMap" => {
            keys(object, "data", wrong);
            keys(object, "binaryData", wrong);
            for (name, _) in object["data"].as_object().into_iter().flatten() {
                if object["binaryData"].get(name).is_some() {
                    let why = "duplicate of key present in binaryData";
                    wrong.push(Wrong::invalid(format!("data[{name}]"), &json!(name), why));
                }
            }
        }
        "Secret" => keys(object, "data", wrong),
        "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet" => workload(object, wrong),
        "Pod" => containers(&object["spec"], "spec", wrong),
        _ => {}
    }
}

fn keys(object: &Value, field: &str, wrong: &mut Vec<Wrong>) {
    const WHY: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
    for (name, _) in object[field].as_object().into_iter().flatten() {
        let value = json!(name);
        let at = format!("{field}[{name}]");
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._".contains(&b);
        if name.is_empty() || !name.bytes().all(plain) {
            wrong.push(Wrong::invalid(at, &value, WHY));
        } else if name == "." || name == ".." {
            wrong.push(Wrong::invalid(at, &value, &format!("must not be '{name}'")));
        } else if name.starts_with("..") {
            wrong.push(Wrong::invalid(at, &value, "must not start with '..'"));
        }
    }
}

fn workload(object: &Value, wrong: &mut Vec<Wrong>) {
    let spec = &object["spec"];
    if let Some(replicas) = spec["replicas"].as_i64().filter(|n| *n < 0) {
        let why = "must be greater than or equal to 0";
        wrong.push(Wrong::invalid("spec.replicas", &json!(replicas), why));
    }
    let template = &spec["template"];
    match spec.get("selector") {
        None => wrong.push(Wrong::required("spec.selector", "")),
        Some(selector) => {
            let labels = &template["metadata"]["labels"];
            let wanted = selector["matchLabels"].as_object().into_iter().flatten();
            if wanted
                .into_iter()
                .any(|(name, value)| labels.get(name) != Some(value))
            {
                let labels = labels.as_object().cloned().unwrap_or_default();
                let why = "`selector` does not match template `labels`";
                let field = "spec.template.metadata.labels";
                wrong.push(Wrong::invalid(field, &Value::Object(labels), why));
            }
        }
    }
    containers(&template["spec"], "spec.template.spec", wrong);
}

fn containers(spec: &Value, at: &str, wrong: &mut Vec<Wrong>) {
    let Some(containers) = spec["containers"].as_array().filter(|c| !c.is_empty()) else {
        wrong.push(Wrong::required(format!("{at}.containers"), ""));
        return;
    };
    for (number, container) in containers.iter().enumerate() {
        for name in ["name", "image"] {
            if container[name].as_str().is_none_or(str::is_empty) {
                wrong.push(Wrong::required(
                    format!("{at}.containers[{number}].{name}"),
                    "",
                ));
            }
        }
        let volumes = spec["volumes"].as_array();
        let there = |name: &Value| volumes.is_some_and(|v| v.iter().any(|v| v["name"] == *name));
        let mounts = container["volumeMounts"].as_array().into_iter().flatten();
        for (mount, value) in mounts.enumerate() {
            if !there(&value["name"]) {
                wrong.push(Wrong {
                    field: format!("{at}.containers[{number}].volumeMounts[{mount}].name"),
                    reason: "FieldValueNotFound",
                    message: format!("Not found: {}", value["name"]),
                });
            }
        }
    }
}

fn name(key: &Key, wrong: &mut Vec<Wrong>) {
    const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
    const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
    let label = matches!(key.resource.kind, "Namespace" | "Service");
    let part = |part: &str| {
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        !part.is_empty()
            && part.bytes().all(plain)
            && !part.starts_with('-')
            && !part.ends_with('-')
    };
    let fine = match label {
        // Names of roles are free, as long as they fit into a path.
        _ if key.resource.group == crate::sim::rbac::GROUP => !key.name.contains(['/', '%']),
        true => part(&key.name),
        false => key.name.split('.').all(part),
    };
    if !fine {
        let why = if label { LABEL } else { SUBDOMAIN };
        wrong.push(Wrong::invalid("metadata.name", &json!(key.name), why));
    }
    let most = if label { 63 } else { 253 };
    if key.name.len() > most {
        let why = format!("must be no more than {most} bytes");
        wrong.push(Wrong::invalid("metadata.name", &json!(key.name), &why));
    }
}
