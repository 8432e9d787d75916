//! Who wrote which field when: managedFields, as the API server keeps them for writes that are no applies.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::Write;
use super::compare::difference;
use super::fields::Fields;
use super::skeleton::skeleton;
use crate::sim::resources::Resource;

/// One entry.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) manager: String,
    pub(crate) operation: &'static str,
    api_version: String,
    subresource: Option<String>,
    time: String,
    pub(crate) fields: Fields,
}

/// So many entries of updates at most; the oldest become one.
const UPDATES: usize = 10;

/// What is under the name of all whose entries became one.
const ANCIENT: &str = "ancient-changes";

impl Entry {
    pub(crate) fn new(operation: &'static str, resource: &Resource, write: &Write<'_>) -> Self {
        Self {
            manager: write.manager.to_owned(),
            operation,
            api_version: resource.api_version(),
            subresource: write.subresource.map(str::to_owned),
            time: seconds(write.now),
            fields: Fields::default(),
        }
    }

    fn from_json(json: &Value) -> Option<Self> {
        let text = |name: &str| json.get(name).and_then(Value::as_str);
        Some(Self {
            manager: text("manager").unwrap_or_default().to_owned(),
            operation: match text("operation")? {
                "Apply" => "Apply",
                _ => "Update",
            },
            api_version: text("apiVersion").unwrap_or_default().to_owned(),
            subresource: text("subresource").map(str::to_owned),
            time: text("time").unwrap_or_default().to_owned(),
            fields: Fields::from_json(json.get("fieldsV1")?),
        })
    }

    fn to_json(&self) -> Value {
        let mut json = json!({
            "manager": self.manager,
            "operation": self.operation,
            "apiVersion": self.api_version,
            "time": self.time,
            "fieldsType": "FieldsV1",
            "fieldsV1": self.fields.to_json(),
        });
        if let Some(subresource) = &self.subresource {
            json["subresource"] = json!(subresource);
        }
        json
    }

    /// The manager as conflicts name it.
    pub(crate) fn called(&self) -> String {
        let mut called = format!("{:?}", self.manager);
        if let Some(subresource) = &self.subresource {
            called += &format!(" with subresource {subresource:?}");
        }
        if self.operation == "Update" {
            called += &format!(" using {}", self.api_version);
        }
        called
    }

    /// Whether both are one manager's, of one kind.
    pub(crate) fn same(&self, other: &Self) -> bool {
        self.manager == other.manager
            && self.operation == other.operation
            && self.api_version == other.api_version
            && self.subresource == other.subresource
    }
}

pub(crate) fn seconds(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// The entries that an object has.
pub(crate) fn entries(object: &Value) -> Vec<Entry> {
    let list = object["metadata"]["managedFields"].as_array();
    list.into_iter()
        .flatten()
        .filter_map(Entry::from_json)
        .collect()
}

/// Whether two states have the same owners of the same fields, at whatever times.
pub(crate) fn same_fields(a: &Value, b: &Value) -> bool {
    let (a, b) = (entries(a), entries(b));
    let has = |all: &[Entry], one: &Entry| {
        all.iter()
            .any(|other| other.same(one) && other.fields == one.fields)
    };
    a.len() == b.len() && a.iter().all(|one| has(&b, one))
}

/// Writes the entries into an object.
pub(crate) fn keep(object: &mut Value, mut entries: Vec<Entry>) {
    entries.retain(|entry| !entry.fields.is_empty());
    sort(&mut entries);
    cap(&mut entries);
    let Some(metadata) = object["metadata"].as_object_mut() else {
        return;
    };
    if entries.is_empty() {
        metadata.remove("managedFields");
    } else {
        let list = entries.iter().map(Entry::to_json).collect();
        metadata.insert("managedFields".to_owned(), Value::Array(list));
    }
}

fn sort(entries: &mut [Entry]) {
    entries.sort_by(|a, b| {
        let key = |e: &Entry| {
            (
                e.operation,
                e.time.clone(),
                e.manager.clone(),
                e.api_version.clone(),
                e.subresource.clone(),
            )
        };
        key(a).cmp(&key(b))
    });
}

fn cap(entries: &mut Vec<Entry>) {
    let updates = entries.iter().filter(|e| e.operation == "Update").count();
    if updates <= UPDATES {
        return;
    }
    let mut over = updates - UPDATES + 1;
    let mut ancient: Vec<Entry> = Vec::new();
    entries.retain(|entry| {
        if entry.operation != "Update" || over == 0 {
            return true;
        }
        over -= 1;
        match ancient
            .iter_mut()
            .find(|a| a.api_version == entry.api_version)
        {
            Some(one) => {
                one.fields.union(&entry.fields);
                one.time.clone_from(&entry.time);
            }
            None => ancient.push(Entry {
                manager: ANCIENT.to_owned(),
                subresource: None,
                ..entry.clone()
            }),
        }
        false
    });
    entries.extend(ancient);
    sort(entries);
}

/// The entries that a write goes on from: those that it brings with it, else those that are there.
fn former(before: Option<&Value>, after: &Value) -> Vec<Entry> {
    let brought = entries(after);
    match before {
        Some(before) if brought.is_empty() => entries(before),
        _ => brought,
    }
}

/// Whether a write says other owners than there are.
pub(crate) fn says_others(before: &Value, after: &Value) -> bool {
    !entries(after).is_empty() && !same_fields(before, after)
}

/// Notes an update: who writes owns what it added or changed, nobody else does, and what was removed is nobody's. The time of an
/// entry moves where it came to own something.
pub(crate) fn update(
    resource: &'static Resource,
    before: Option<&Value>,
    after: &mut Value,
    write: &Write<'_>,
) {
    let skeleton = skeleton(resource);
    let found = difference(resource, before.unwrap_or(&skeleton), after);
    let mut all = former(before, after);
    for entry in &mut all {
        entry.fields.subtract(&found.written);
        entry.fields.subtract(&found.removed);
    }
    if !found.written.is_empty() {
        let mut own = Entry::new("Update", resource, write);
        own.fields = found.written;
        match all.iter_mut().find(|entry| entry.same(&own)) {
            Some(there) => {
                there.fields.union(&own.fields);
                there.time = own.time;
            }
            None => all.push(own),
        }
    }
    keep(after, all);
}
