//! The metadata of an object through its writes: what the server gives it, and what a write cannot take from it.

use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::Key;
use super::managed::seconds;
use crate::sim::status::Failure;

/// Kinds whose `metadata.generation` counts the changes of their spec.
const COUNTED: [&str; 8] = [
    "Pod",
    "Deployment",
    "ReplicaSet",
    "StatefulSet",
    "DaemonSet",
    "PodDisruptionBudget",
    "HorizontalPodAutoscaler",
    "EndpointSlice",
];

/// Fields that a write leaves as they are.
const FIXED: [&str; 8] = [
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "generation",
    "generateName",
    "managedFields",
    "resourceVersion",
];

/// An object without what the API's types would drop: nulls, and lists and maps of metadata and data that are empty.
pub(super) fn cleaned(object: Value) -> Value {
    const EMPTY: [&str; 6] = [
        "labels",
        "annotations",
        "data",
        "binaryData",
        "stringData",
        "nodeSelector",
    ];
    match object {
        Value::Object(map) => {
            let kept = map.into_iter().filter_map(|(name, value)| {
                let value = cleaned(value);
                let nothing = match &value {
                    Value::Null => true,
                    Value::Array(items) => items.is_empty() && name != "endpoints",
                    Value::Object(map) => map.is_empty() && EMPTY.contains(&name.as_str()),
                    _ => false,
                };
                (!nothing).then_some((name, value))
            });
            Value::Object(kept.collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(cleaned).collect()),
        other => other,
    }
}

/// Changes an object's metadata, which it has from then on.
fn metadata(object: &mut Value, change: impl FnOnce(&mut Map<String, Value>)) {
    if !object.is_object() {
        *object = json!({});
    }
    let mut meta = match object["metadata"].take() {
        Value::Object(meta) => meta,
        _ => Map::new(),
    };
    change(&mut meta);
    object["metadata"] = Value::Object(meta);
}

/// What a new object gets.
pub(super) fn begin(key: &Key, object: &mut Value, now: DateTime<Utc>, uid: &str) {
    metadata(object, |meta| {
        for name in FIXED.iter().filter(|name| **name != "generateName") {
            meta.remove(*name);
        }
        identify(key, meta);
        meta.insert("uid".to_owned(), json!(uid));
        meta.insert("creationTimestamp".to_owned(), json!(seconds(now)));
        if COUNTED.contains(&key.resource.kind) {
            meta.insert("generation".to_owned(), json!(1));
        }
    });
    kind(key, object);
}

fn identify(key: &Key, meta: &mut Map<String, Value>) {
    meta.insert("name".to_owned(), json!(key.name));
    match &key.namespace {
        Some(namespace) => meta.insert("namespace".to_owned(), json!(namespace)),
        None => meta.remove("namespace"),
    };
}

fn kind(key: &Key, object: &mut Value) {
    object["apiVersion"] = json!(key.resource.api_version());
    object["kind"] = json!(key.resource.kind);
}

/// What an update demands of the object that is there.
pub(super) fn preconditions(key: &Key, before: &Value, object: &Value) -> Result<(), Failure> {
    let text = |object: &Value, name: &str| {
        let text = object["metadata"][name].as_str();
        text.unwrap_or_default().to_owned()
    };
    let uid = text(object, "uid");
    let live = text(before, "uid");
    if !uid.is_empty() && uid != live {
        return Err(Failure::conflict_because(
            key,
            &format!("Precondition failed: UID in precondition: {uid}, UID in object meta: {live}"),
        ));
    }
    let version = text(object, "resourceVersion");
    if !version.is_empty() && version != text(before, "resourceVersion") {
        return Err(Failure::conflict(key));
    }
    Ok(())
}

/// Puts back what a write has no say in.
pub(super) fn carry_over(key: &Key, before: &Value, object: &mut Value, sub: Option<&str>) {
    if sub == Some("status") {
        only_status(before, object);
    } else if sub != Some("binding") && key.resource.status {
        keep(before, object, "status");
    }
    metadata(object, |meta| {
        let brought = meta.get("managedFields").cloned();
        for name in FIXED {
            match before["metadata"].get(name) {
                Some(value) => meta.insert(name.to_owned(), value.clone()),
                None => meta.remove(name),
            };
        }
        // Who owns what may be said anew, and kubectl does so when it takes to server-side apply.
        if let Some(brought) = brought.filter(|b| b.as_array().is_some_and(|b| !b.is_empty())) {
            meta.insert("managedFields".to_owned(), brought);
        }
        identify(key, meta);
    });
    kind(key, object);
}

fn keep(before: &Value, object: &mut Value, name: &str) {
    match before.get(name) {
        Some(value) => object[name] = value.clone(),
        None => {
            if let Some(map) = object.as_object_mut() {
                map.remove(name);
            }
        }
    }
}

/// A write of the status takes the status and the annotations, and leaves the rest.
fn only_status(before: &Value, object: &mut Value) {
    let status = object.get("status").cloned();
    let annotations = object["metadata"].get("annotations").cloned();
    *object = before.clone();
    object["status"] = status.unwrap_or_else(|| json!({}));
    metadata(object, |meta| {
        match annotations {
            Some(annotations) => meta.insert("annotations".to_owned(), annotations),
            None => meta.remove("annotations"),
        };
    });
}

pub(super) fn count_generation(
    key: &Key,
    before: &Value,
    object: &mut Value,
    subresource: Option<&str>,
) {
    let counted = COUNTED.contains(&key.resource.kind);
    if !counted || subresource == Some("status") {
        return;
    }
    let parts = ["/spec", "/endpoints", "/ports"];
    // Of a Deployment the annotations count too.
    let more = (key.resource.kind == "Deployment").then_some("/metadata/annotations");
    let mut parts = parts.into_iter().chain(more);
    if parts.all(|part| before.pointer(part) == object.pointer(part)) {
        return;
    }
    // A pod that is bound to a node is no other pod.
    let bound = key.resource.kind == "Pod" && before["spec"].get("nodeName").is_none();
    if bound && object["spec"].get("nodeName").is_some() {
        return;
    }
    let generation = before["metadata"]["generation"].as_i64().unwrap_or(0);
    object["metadata"]["generation"] = json!(generation + 1);
}

/// Whether nothing changed but what the server writes by itself.
pub(super) fn same(before: &Value, after: &Value) -> bool {
    fn beside<'a>(
        map: &'a Map<String, Value>,
        left_out: &'a [&'a str],
    ) -> impl Iterator<Item = (&'a String, &'a Value)> {
        map.iter()
            .filter(|(name, _)| !left_out.contains(&name.as_str()))
    }
    let (Some(a), Some(b)) = (before.as_object(), after.as_object()) else {
        return before == after;
    };
    let own = ["managedFields", "resourceVersion"];
    let meta = match (a.get("metadata"), b.get("metadata")) {
        (Some(Value::Object(a)), Some(Value::Object(b))) => beside(a, &own).eq(beside(b, &own)),
        (a, b) => a == b,
    };
    meta && beside(a, &["metadata"]).eq(beside(b, &["metadata"]))
}

fn hash(parts: &[&str]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.as_bytes());
        hasher.update([0]);
    }
    hasher.finalize().into()
}

/// A uid that looks random, and is the same in each run.
pub(super) fn uid(key: &Key, given: u64, version: u64) -> String {
    let namespace = key.namespace.as_deref().unwrap_or_default();
    let numbers = format!("{given} {version}");
    let bytes = hash(&["uid", key.resource.plural, namespace, &key.name, &numbers]);
    let mut uuid = [0; 16];
    uuid.copy_from_slice(&bytes[..16]);
    uuid[6] = uuid[6] & 0x0f | 0x40;
    uuid[8] = uuid[8] & 0x3f | 0x80;
    let hex: String = uuid.iter().map(|byte| format!("{byte:02x}")).collect();
    format!(
        "{}-{}-{}-{}-{}",
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..]
    )
}

/// A name as the server makes them: the prefix, cut to fit, and five characters that spell nothing.
pub(super) fn generated(prefix: &str, given: u64, version: u64, attempt: u64) -> String {
    const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    const LONGEST: usize = 58;
    let bytes = hash(&["name", prefix, &format!("{given} {version} {attempt}")]);
    let suffix = bytes.iter().take(5);
    let suffix = suffix.map(|byte| char::from(LETTERS[usize::from(*byte) % LETTERS.len()]));
    let prefix: String = prefix.chars().take(LONGEST).collect();
    prefix.chars().chain(suffix).collect()
}

/// An address of the range that Services have here.
pub(super) fn cluster_ip(salt: &str, attempt: u64) -> String {
    let bytes = hash(&["address", salt, &attempt.to_string()]);
    format!("10.96.{}.{}", bytes[0], bytes[1].clamp(1, 254))
}
