//! Strategic merge patches: maps are merged, lists too where their items have a key, and directives say what is to go.

use serde_json::{Map, Value};

use crate::sim::resources::Resource;
use crate::sim::status::Failure;
use crate::sim::store::schema::{merge_key, merges_values};

const DIRECTIVE: &str = "$patch";
const RETAIN: &str = "$retainKeys";
const ORDER: &str = "$setElementOrder/";
const DELETE: &str = "$deleteFromPrimitiveList/";

pub(super) fn merge(resource: &Resource, object: &mut Value, patch: &Value) -> Result<(), Failure> {
    let Value::Object(patch) = patch else {
        return Err(Failure::bad_request("a strategic merge patch is an object"));
    };
    let mut names = Vec::new();
    map(resource, &mut names, object, patch)
}

fn map<'a>(
    resource: &Resource,
    names: &mut Vec<&'a str>,
    object: &mut Value,
    patch: &'a Map<String, Value>,
) -> Result<(), Failure> {
    match patch.get(DIRECTIVE).and_then(Value::as_str) {
        Some("replace") => {
            *object = Value::Object(patch.clone());
            if let Some(map) = object.as_object_mut() {
                map.remove(DIRECTIVE);
            }
            return Ok(());
        }
        Some("delete") => {
            *object = Value::Object(Map::new());
            return Ok(());
        }
        Some("merge") | None => {}
        Some(other) => {
            return Err(Failure::bad_request(format!("unknown patch type: {other}")));
        }
    }
    if !object.is_object() {
        *object = Value::Object(Map::new());
    }
    if let (Some(Value::Array(kept)), Value::Object(fields)) = (patch.get(RETAIN), &mut *object) {
        fields.retain(|name, _| kept.iter().any(|k| k == name));
    }
    for (name, value) in patch {
        if let Some(list) = name.strip_prefix(DELETE) {
            without(&mut object[list], value);
        } else if !name.starts_with('$') {
            names.push(name);
            entry(resource, names, object, name, value)?;
            names.pop();
        }
    }
    // Last: the order is of what is there then.
    for (name, order) in patch {
        if let Some(list) = name.strip_prefix(ORDER) {
            names.push(list);
            let key = merge_key(resource, names);
            names.pop();
            sort(&mut object[list], order, key);
        }
    }
    // Indexing made entries of lists that are not there.
    if let Value::Object(fields) = object {
        fields.retain(|_, value| !value.is_null());
    }
    Ok(())
}

fn entry<'a>(
    resource: &Resource,
    names: &mut Vec<&'a str>,
    object: &mut Value,
    name: &str,
    patch: &'a Value,
) -> Result<(), Failure> {
    match patch {
        Value::Null => {
            if let Some(map) = object.as_object_mut() {
                map.remove(name);
            }
            Ok(())
        }
        Value::Object(fields) if fields.get(DIRECTIVE).is_some_and(|d| d == "delete") => {
            entry(resource, names, object, name, &Value::Null)
        }
        Value::Object(fields) => map(resource, names, &mut object[name], fields),
        Value::Array(items) => list(resource, names, &mut object[name], items),
        other => {
            object[name] = other.clone();
            Ok(())
        }
    }
}

fn list<'a>(
    resource: &Resource,
    names: &mut Vec<&'a str>,
    object: &mut Value,
    patch: &'a [Value],
) -> Result<(), Failure> {
    let replaces = patch
        .iter()
        .any(|item| item.get(DIRECTIVE).is_some_and(|d| d == "replace"));
    let key = merge_key(resource, names);
    if replaces || (key.is_none() && !merges_values(names)) {
        let items = patch.iter().filter(|item| item.get(DIRECTIVE).is_none());
        *object = Value::Array(items.cloned().collect());
        return Ok(());
    }
    if !object.is_array() {
        *object = Value::Array(Vec::new());
    }
    let Value::Array(there) = object else {
        return Ok(());
    };
    for item in patch {
        let Some(key) = key else {
            if !there.contains(item) {
                there.push(item.clone());
            }
            continue;
        };
        let Some(wanted) = item.get(key) else {
            return Err(Failure::new(
                500,
                "InternalError",
                format!("map: {item} does not contain declared merge key: {key}"),
            ));
        };
        let at = there.iter().position(|one| one.get(key) == Some(wanted));
        if item.get(DIRECTIVE).is_some_and(|d| d == "delete") {
            there.retain(|one| one.get(key) != Some(wanted));
            continue;
        }
        let at = at.unwrap_or_else(|| {
            there.push(Value::Object(Map::new()));
            there.len() - 1
        });
        if let (Some(one), Value::Object(fields)) = (there.get_mut(at), item) {
            names.push("*");
            map(resource, names, one, fields)?;
            names.pop();
        }
    }
    Ok(())
}

/// Takes plain values out of a list.
fn without(list: &mut Value, values: &Value) {
    if let (Value::Array(list), Value::Array(values)) = (list, values) {
        list.retain(|item| !values.contains(item));
    }
}

/// Puts items in an order; those that it does not name stay behind those that it names.
fn sort(list: &mut Value, order: &Value, key: Option<&str>) {
    let (Value::Array(list), Value::Array(order)) = (list, order) else {
        return;
    };
    let named = |item: &Value| match key {
        Some(key) => item.get(key).cloned(),
        None => Some(item.clone()),
    };
    list.sort_by_key(|item| {
        let at = order.iter().position(|one| named(one) == named(item));
        at.unwrap_or(order.len())
    });
}
