//! Objects as the API has them, in JSON: what a write changes in them, and whose fields it takes.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::model::Content;
use crate::remedy::MANAGER;
use crate::source::convert::LAST_APPLIED;

/// Where `kubectl apply` left what it applied, it is told the new content: the next apply then takes away what its file does not
/// have, instead of taking it for somebody else's.
pub(super) fn with_last_applied(object: &Value, to: &Content, patch: &mut Value) {
    let applied = object["metadata"]["annotations"][LAST_APPLIED].as_str();
    let Some(Ok(mut applied)) = applied.map(serde_json::from_str::<Value>) else {
        return;
    };
    let Content::Plain { data, binary } = to else {
        return;
    };
    if !applied.is_object() {
        return;
    }
    let encoded = binary
        .iter()
        .map(|(key, bytes)| (key.clone(), json!(STANDARD.encode(bytes))));
    for (field, values) in [
        ("data", json!(data)),
        ("binaryData", Value::Object(encoded.collect::<Map<_, _>>())),
    ] {
        let empty = values.as_object().is_some_and(Map::is_empty);
        if !empty {
            applied[field] = values;
        } else if let Some(applied) = applied.as_object_mut() {
            applied.remove(field);
        }
    }
    // kubectl ends it with a line break.
    patch["metadata"]["annotations"][LAST_APPLIED] = json!(format!("{applied}\n"));
}

/// Managers that owned fields of the content or of the template before, and own fewer of them now.
pub(super) fn changed_managers(before: &Value, after: &Value) -> Vec<String> {
    let (had, has) = (owned(before), owned(after));
    let lost = had.into_iter().filter(|(manager, fields)| {
        let now = has.get(manager);
        manager != MANAGER
            && fields
                .iter()
                .any(|field| now.is_none_or(|now| !now.contains(field)))
    });
    lost.map(|(manager, _)| manager).collect()
}

fn owned(object: &Value) -> BTreeMap<String, BTreeSet<String>> {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for entry in object["metadata"]["managedFields"]
        .as_array()
        .into_iter()
        .flatten()
    {
        let Some(manager) = entry["manager"].as_str() else {
            continue;
        };
        let fields = all.entry(manager.to_owned()).or_default();
        for part in ["f:data", "f:binaryData"] {
            let keys = entry["fieldsV1"][part].as_object().into_iter().flatten();
            fields.extend(
                keys.filter(|(key, _)| *key != ".")
                    .map(|(key, _)| format!("{part}/{key}")),
            );
        }
        if let Some(template) = entry["fieldsV1"].pointer("/f:spec/f:template") {
            leaves(template, "f:template", fields);
        }
    }
    all
}

fn leaves(value: &Value, path: &str, into: &mut BTreeSet<String>) {
    match value.as_object() {
        Some(map) if !map.is_empty() => {
            for (key, value) in map {
                leaves(value, &format!("{path}/{key}"), into);
            }
        }
        _ => {
            into.insert(path.to_owned());
        }
    }
}

/// The JSON patch that names another ConfigMap wherever a template names one. The version makes it fail where the object is newer.
pub(super) fn repoint(
    object: &Value,
    version: &str,
    (from, to): (&str, &str),
    resume: bool,
) -> Value {
    let mut paths = Vec::new();
    let template = &object["spec"]["template"]["spec"];
    references(template, "/spec/template/spec", from, &mut paths);
    let mut patch =
        vec![json!({"op": "replace", "path": "/metadata/resourceVersion", "value": version})];
    patch.extend(
        paths
            .into_iter()
            .map(|path| json!({"op": "replace", "path": path, "value": to})),
    );
    if resume {
        patch.push(json!({"op": "replace", "path": "/spec/paused", "value": false}));
    }
    Value::Array(patch)
}

/// `configMap`, `configMapRef` and `configMapKeyRef` are where a pod's spec names one.
fn references(value: &Value, path: &str, name: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let path = format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"));
                let names = matches!(
                    key.as_str(),
                    "configMap" | "configMapRef" | "configMapKeyRef"
                );
                if names && value["name"].as_str() == Some(name) {
                    found.push(format!("{path}/name"));
                }
                references(value, &path, name, found);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                references(item, &format!("{path}/{at}"), name, found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests;
