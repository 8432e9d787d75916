//! Reading objects: paths into JSON, owners, selectors, times as the API writes them.

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};

use super::resources::{self, RESOURCES, Resource};
use super::store::Key;

/// The resource with this plural.
pub(crate) fn resource(plural: &str) -> &'static Resource {
    resources::named(plural).unwrap_or(&RESOURCES[0])
}

pub(crate) fn key(plural: &str, namespace: &str, name: &str) -> Key {
    place(resource(plural), namespace, name)
}

/// Where an object of this name is; one of the cluster is in no namespace.
pub(crate) fn place(resource: &'static Resource, namespace: &str, name: &str) -> Key {
    Key {
        resource,
        namespace: resource.namespaced.then(|| namespace.to_owned()),
        name: name.to_owned(),
    }
}

/// Where an object is that is one of this resource.
pub(crate) fn key_of(plural: &str, object: &Value) -> Key {
    key(plural, namespace(object), name(object))
}

/// The text at a JSON pointer; empty where there is none.
pub(crate) fn text<'a>(value: &'a Value, path: &str) -> &'a str {
    value
        .pointer(path)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

pub(crate) fn number(value: &Value, path: &str) -> Option<i64> {
    value.pointer(path).and_then(Value::as_i64)
}

pub(crate) fn flag(value: &Value, path: &str) -> bool {
    value
        .pointer(path)
        .and_then(Value::as_bool)
        .unwrap_or(false)
}

pub(crate) fn list<'a>(value: &'a Value, path: &str) -> &'a [Value] {
    value
        .pointer(path)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// The entries of a map at a JSON pointer.
pub(crate) fn entries<'a>(
    value: &'a Value,
    path: &str,
) -> impl Iterator<Item = (&'a str, &'a Value)> + use<'a> {
    let map = value.pointer(path).and_then(Value::as_object);
    map.into_iter()
        .flatten()
        .map(|(key, value)| (key.as_str(), value))
}

pub(crate) fn name(value: &Value) -> &str {
    text(value, "/metadata/name")
}

pub(crate) fn namespace(value: &Value) -> &str {
    text(value, "/metadata/namespace")
}

pub(crate) fn uid(value: &Value) -> &str {
    text(value, "/metadata/uid")
}

pub(crate) fn is_deleting(value: &Value) -> bool {
    !text(value, "/metadata/deletionTimestamp").is_empty()
}

/// The owner that controls an object.
pub(crate) fn controller(value: &Value) -> Option<&Value> {
    list(value, "/metadata/ownerReferences")
        .iter()
        .find(|owner| flag(owner, "/controller"))
}

/// The entry of `ownerReferences` that makes an object the controller.
pub(crate) fn owner_reference(owner: &Value) -> Value {
    json!({
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": name(owner),
        "uid": uid(owner),
        "controller": true,
        "blockOwnerDeletion": true,
    })
}

/// Whether labels fit a LabelSelector. An empty one fits all.
pub(crate) fn selects(selector: &Value, labels: &Value) -> bool {
    let equal = entries(selector, "/matchLabels").all(|(k, v)| labels.get(k) == Some(v));
    let fits = |expression: &Value| {
        let label = labels.get(text(expression, "/key"));
        let named = label.is_some_and(|l| list(expression, "/values").contains(l));
        match text(expression, "/operator") {
            "In" => named,
            "NotIn" => !named,
            "Exists" => label.is_some(),
            "DoesNotExist" => label.is_none(),
            _ => false,
        }
    };
    equal && list(selector, "/matchExpressions").iter().all(fits)
}

/// Whether labels hold all that a Service selects by. One that selects nothing has its endpoints from elsewhere.
pub(crate) fn is_selected(selector: &Value, labels: &Value) -> bool {
    let wanted = selector.as_object().filter(|map| !map.is_empty());
    wanted.is_some_and(|map| map.iter().all(|(k, v)| labels.get(k) == Some(v)))
}

/// The labels of an object.
pub(crate) fn labels(value: &Value) -> &Value {
    value.pointer("/metadata/labels").unwrap_or(&Value::Null)
}

/// As a `Time` is written: whole seconds.
pub(crate) fn seconds(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// As a `MicroTime` is written.
pub(crate) fn micros(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Micros, true)
}

pub(crate) fn time(value: &Value, path: &str) -> Option<DateTime<Utc>> {
    let parsed = DateTime::parse_from_rfc3339(text(value, path)).ok()?;
    Some(parsed.with_timezone(&Utc))
}

/// A condition of an object's status.
pub(crate) fn condition<'a>(value: &'a Value, kind: &str) -> Option<&'a Value> {
    list(value, "/status/conditions")
        .iter()
        .find(|condition| text(condition, "/type") == kind)
}

pub(crate) fn is_ready(pod: &Value) -> bool {
    condition(pod, "Ready").is_some_and(|ready| text(ready, "/status") == "True")
}

/// A number or a percentage of a whole: `1`, `25%`.
pub(crate) fn share(value: Option<&Value>, whole: i64, default: &str, up: bool) -> i64 {
    let given = value.and_then(Value::as_i64);
    given.unwrap_or_else(|| {
        let text = value.and_then(Value::as_str).unwrap_or(default);
        match text.strip_suffix('%').and_then(|n| n.parse::<i64>().ok()) {
            Some(percent) => (percent * whole + if up { 99 } else { 0 }) / 100,
            None => text.parse().unwrap_or_default(),
        }
    })
}
