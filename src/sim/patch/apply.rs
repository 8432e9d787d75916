//! Server-side apply: a manager says all that it wants to be so, owns that, and what it no longer says goes.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::sim::status::Failure;
use crate::sim::store::compare;
use crate::sim::store::fields::Fields;
use crate::sim::store::managed::{self, Entry};
use crate::sim::store::schema::{Shape, element, shape};
use crate::sim::store::{Key, Store, Write};

/// Applies a configuration: the status code, and what the object is then.
pub(crate) fn apply(
    store: &mut Store,
    key: &Key,
    config: &Value,
    write: &Write<'_>,
    force: bool,
) -> Result<(u16, Arc<Value>), Failure> {
    let mut own = Entry::new("Apply", key.resource, write);
    own.fields = compare::all(key.resource, config);
    let Some(live) = store.get(key).cloned() else {
        let made = store.create_applied(key, config.clone(), own, write)?;
        return Ok((201, made));
    };
    let mut object = Value::clone(&live);
    let mut names = Vec::new();
    merge(key, &mut names, &mut object, config);
    let mut entries = managed::entries(&live);
    let written = compare::difference(key.resource, &live, &object).written;
    conflicts(&entries, &own, &written, force)?;
    let former = entries.iter().find(|entry| entry.same(&own)).cloned();
    for entry in entries.iter_mut().filter(|entry| !entry.same(&own)) {
        // What was taken from others by force is theirs no longer.
        entry.fields.subtract(&written.common(&own.fields));
    }
    if let Some(former) = &former {
        let mut owned = own.fields.clone();
        for entry in entries.iter().filter(|entry| !entry.same(&own)) {
            owned.union(&entry.fields);
        }
        let mut dropped = former.fields.clone();
        dropped.subtract(&owned.with_parents());
        for path in dropped.paths() {
            remove(&mut object, &path);
        }
        if former.fields == own.fields && written.is_empty() {
            own = former.clone();
        }
    }
    entries.retain(|entry| !entry.same(&own));
    entries.push(own);
    if write.manager == KUBECTL {
        refresh_last_applied(&mut object, config);
    }
    let made = store.update_managed(key, object, entries, write)?;
    Ok((200, made))
}

/// kubectl's own manager of applies, which the server knows by its name.
const KUBECTL: &str = "kubectl";

/// Where a client-side apply left what it applied, a server-side one of kubectl brings it up to date, so that one may go back.
/// Nobody comes to own it by that.
fn refresh_last_applied(object: &mut Value, config: &Value) {
    let Some(last) = object.pointer_mut(LAST_APPLIED) else {
        return;
    };
    let mut config = config.clone();
    if let Some(metadata) = config["metadata"].as_object_mut() {
        metadata.remove("managedFields");
        if let Some(annotations) = metadata
            .get_mut("annotations")
            .and_then(Value::as_object_mut)
        {
            annotations.remove("kubectl.kubernetes.io/last-applied-configuration");
        }
    }
    *last = json!(format!("{config}\n"));
}

const LAST_APPLIED: &str =
    "/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration";

/// Fails where others own what would get another value.
fn conflicts(entries: &[Entry], own: &Entry, written: &Fields, force: bool) -> Result<(), Failure> {
    if force {
        return Ok(());
    }
    let mut causes = Vec::new();
    let mut each = Vec::new();
    for entry in entries.iter().filter(|entry| !entry.same(own)) {
        let paths = entry.fields.common(written).paths();
        let fields: Vec<String> = paths.iter().map(|path| readable(path)).collect();
        if fields.is_empty() {
            continue;
        }
        let with = entry.called();
        causes.extend(fields.iter().map(|field| {
            let message = format!("conflict with {with}");
            json!({"reason": "FieldManagerConflict", "message": message, "field": field})
        }));
        each.push((with, fields));
    }
    let message = match (causes.len(), each.as_slice()) {
        (0, _) => return Ok(()),
        (1, [(with, fields)]) => {
            format!(
                "Apply failed with 1 conflict: conflict with {with}: {}",
                fields.concat()
            )
        }
        (number, each) => {
            let each = each
                .iter()
                .map(|(with, fields)| format!("conflicts with {with}:\n- {}", fields.join("\n- ")));
            let each = each.collect::<Vec<_>>().join("\n");
            format!("Apply failed with {number} conflicts: {each}")
        }
    };
    Err(Failure::new(409, "Conflict", message).with_details(json!({"causes": causes})))
}

/// `.data.key`, `.spec.containers[name="web"].image`.
fn readable(path: &[String]) -> String {
    let each = path.iter().map(|element| {
        if let Some(name) = element.strip_prefix("f:") {
            return format!(".{name}");
        }
        let (_, json) = element.split_once(':').unwrap_or_default();
        match serde_json::from_str::<Value>(json) {
            Ok(Value::Object(keys)) => {
                let keys = keys.iter().map(|(name, value)| format!("{name}={value}"));
                format!("[{}]", keys.collect::<Vec<_>>().join(","))
            }
            _ => format!("[={json}]"),
        }
    });
    each.collect()
}

/// Puts what a configuration says into an object.
fn merge<'a>(key: &Key, names: &mut Vec<&'a str>, object: &mut Value, config: &'a Value) {
    match (shape(key.resource, names, config), config) {
        (Shape::Map, Value::Object(fields)) => {
            if !object.is_object() {
                *object = json!({});
            }
            for (name, value) in fields {
                names.push(name);
                merge(key, names, &mut object[name], value);
                names.pop();
            }
        }
        (Shape::List(keys), Value::Array(items)) => {
            if !object.is_array() {
                *object = json!([]);
            }
            let Value::Array(there) = object else {
                return;
            };
            for item in items {
                let name = element(keys, item);
                let at = there.iter().position(|one| element(keys, one) == name);
                let at = at.unwrap_or_else(|| {
                    there.push(Value::Null);
                    there.len() - 1
                });
                if let Some(one) = there.get_mut(at) {
                    names.push("*");
                    merge(key, names, one, item);
                    names.pop();
                }
            }
        }
        (Shape::Set, Value::Array(items)) => {
            if !object.is_array() {
                *object = json!([]);
            }
            if let Value::Array(there) = object {
                let new = items.iter().filter(|item| !there.contains(item)).cloned();
                let new: Vec<Value> = new.collect();
                there.extend(new);
            }
        }
        _ => *object = config.clone(),
    }
}

/// Takes a field out of an object.
fn remove(object: &mut Value, path: &[String]) {
    let [first, rest @ ..] = path else {
        return;
    };
    if let Some(name) = first.strip_prefix("f:") {
        if let Some(map) = object.as_object_mut() {
            match map.get_mut(name) {
                Some(child) if !rest.is_empty() => remove(child, rest),
                _ => drop(map.remove(name)),
            }
        }
        return;
    }
    let (kind, json) = first.split_once(':').unwrap_or_default();
    let Ok(wanted) = serde_json::from_str::<Value>(json) else {
        return;
    };
    let is = |item: &Value| match (&wanted, kind) {
        (Value::Object(keys), "k") => keys
            .iter()
            .all(|(name, value)| item.get(name) == Some(value)),
        _ => *item == wanted,
    };
    let Value::Array(items) = object else {
        return;
    };
    if rest.is_empty() {
        items.retain(|item| !is(item));
    } else if let Some(item) = items.iter_mut().find(|item| is(item)) {
        remove(item, rest);
    }
}
