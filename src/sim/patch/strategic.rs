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
            let order = patch.get(&format!("{ORDER}{name}"));
            entry(resource, names, object, name, (value, order))?;
            names.pop();
        }
    }
    // Lists of which only the order is said.
    for (name, order) in patch {
        if let Some(list) = name.strip_prefix(ORDER)
            && !patch.contains_key(list)
        {
            names.push(list);
            let key = merge_key(resource, names);
            names.pop();
            let there = object[list].clone();
            arrange(&mut object[list], &there, order, key);
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
    (patch, order): (&'a Value, Option<&Value>),
) -> Result<(), Failure> {
    match patch {
        Value::Null => {
            if let Some(map) = object.as_object_mut() {
                map.remove(name);
            }
            Ok(())
        }
        Value::Object(fields) if fields.get(DIRECTIVE).is_some_and(|d| d == "delete") => {
            entry(resource, names, object, name, (&Value::Null, None))
        }
        Value::Object(fields) => map(resource, names, &mut object[name], fields),
        Value::Array(items) => {
            let before = object[name].clone();
            list(resource, names, &mut object[name], items)?;
            if let Some(key) = merge_key(resource, names) {
                let order = order.unwrap_or(patch);
                arrange(&mut object[name], &before, order, Some(key));
            }
            Ok(())
        }
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

/// Puts the items of a list in an order. Those that it does not name stay where they were among those that were there before.
fn arrange(list: &mut Value, before: &Value, order: &Value, key: Option<&str>) {
    let (Value::Array(list), Value::Array(order)) = (list, order) else {
        return;
    };
    let named = |item: &Value| match key {
        Some(key) => item.get(key).cloned(),
        None => Some(item.clone()),
    };
    let at = |all: &[Value], item: &Value| all.iter().position(|one| named(one) == named(item));
    let before = before.as_array().map(Vec::as_slice).unwrap_or_default();
    let (mut said, unsaid): (Vec<Value>, Vec<Value>) =
        list.drain(..).partition(|item| at(order, item).is_some());
    said.sort_by_key(|item| at(order, item));
    let (mut said, mut unsaid) = (said.into_iter().peekable(), unsaid.into_iter().peekable());
    while let (Some(one), Some(other)) = (said.peek(), unsaid.peek()) {
        let first = match (at(before, other), at(before, one)) {
            (Some(other), Some(one)) => other < one,
            _ => false,
        };
        list.extend(if first { unsaid.next() } else { said.next() });
    }
    list.extend(said);
    list.extend(unsaid);
}
