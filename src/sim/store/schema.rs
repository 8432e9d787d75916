//! What the API's schema says of lists and maps: which are one field, and by what the items of a list are told apart. Field
//! management and strategic patches go by it.

use serde_json::Value;

use super::super::resources::Resource;

/// How a value is cut into fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A scalar, or a list or map that is one field.
    Leaf,
    /// Each entry is a field.
    Map,
    /// Each item is a field, told apart by these of its own.
    List(&'static [&'static str]),
    /// Each item is a field by its value.
    Set,
}

/// Maps and structs that are replaced as a whole (`x-kubernetes-map-type: atomic`).
const ATOMIC: [&str; 15] = [
    "selector",
    "nodeSelector",
    "fieldRef",
    "configMapKeyRef",
    "secretKeyRef",
    "fileKeyRef",
    "resourceFieldRef",
    "involvedObject",
    "related",
    "labelSelector",
    "namespaceSelector",
    "scopeSelector",
    "dataSource",
    "secretRef",
    "requiredDuringSchedulingIgnoredDuringExecution",
];

/// What tells the items of a list apart, by the list's name.
fn keys(resource: &Resource, list: &str, path: &[&str]) -> Option<&'static [&'static str]> {
    let keys: &'static [&'static str] = match list {
        "containers"
        | "initContainers"
        | "ephemeralContainers"
        | "env"
        | "schedulingGates"
        | "resourceClaims"
        | "imagePullSecrets"
        | "volumes"
        | "claims" => &["name"],
        "ports" if resource.kind == "EndpointSlice" => return None,
        "ports" if resource.kind == "Service" => &["port", "protocol"],
        "ports" => &["containerPort", "protocol"],
        "volumeMounts" => &["mountPath"],
        "volumeDevices" => &["devicePath"],
        "conditions" if path == ["status"] => &["type"],
        "addresses" if resource.kind == "Node" => &["type"],
        "hostAliases" | "podIPs" => &["ip"],
        "topologySpreadConstraints" => &["topologyKey", "whenUnsatisfiable"],
        "ownerReferences" => &["uid"],
        _ => return None,
    };
    Some(keys)
}

/// The shape of the value of a field. The path leads to it by names; an item of a list has the name `*`.
pub(crate) fn shape(resource: &Resource, path: &[&str], value: &Value) -> Shape {
    let Some((name, parents)) = path.split_last() else {
        return Shape::Map;
    };
    let data = parents.is_empty()
        || parents.last().is_some_and(|parent| {
            ["labels", "annotations", "data", "matchLabels"].contains(parent)
        });
    match value {
        // The names below are not the schema's but the user's.
        Value::Object(_) if data => Shape::Map,
        Value::Object(_) if *name == "*" => match parents.last() {
            Some(&("ownerReferences" | "imagePullSecrets")) => Shape::Leaf,
            _ => Shape::Map,
        },
        Value::Object(_) if ATOMIC.contains(name) => Shape::Leaf,
        Value::Object(_) if resource.kind == "ControllerRevision" && path[0] == "data" => {
            Shape::Leaf
        }
        Value::Object(_) => Shape::Map,
        Value::Array(_) => match *name {
            "finalizers" if parents == ["metadata"] => Shape::Set,
            "podCIDRs" => Shape::Set,
            _ => keys(resource, name, parents).map_or(Shape::Leaf, Shape::List),
        },
        _ => Shape::Leaf,
    }
}

/// By what a strategic patch tells the items of a list apart: the first of the keys, and none for lists that it replaces.
pub(crate) fn merge_key(resource: &Resource, path: &[&str]) -> Option<&'static str> {
    let (list, parents) = path.split_last()?;
    keys(resource, list, parents).and_then(|keys| keys.first().copied())
}

/// Whether a strategic patch adds to a list of plain values, and does not replace it.
pub(crate) fn merges_values(path: &[&str]) -> bool {
    path == ["metadata", "finalizers"] || path.last() == Some(&"podCIDRs")
}

/// What an item of a list is called in a path.
pub(crate) fn element(keys: &[&str], item: &Value) -> String {
    let named: serde_json::Map<String, Value> = keys
        .iter()
        .filter_map(|key| Some(((*key).to_owned(), item.get(*key)?.clone())))
        .collect();
    format!("k:{}", Value::Object(named))
}
