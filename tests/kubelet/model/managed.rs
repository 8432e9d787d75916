//! `metadata.managedFields` as the API server keeps them (apimachinery pkg/util/managedfields/internal/managedfieldsupdater.go,
//! structured-merge-diff merge/update.go).

use std::collections::{BTreeMap, BTreeSet};

use confsplit::model::ManagedEntry;

use super::api::Object;
use super::{Millis, stamp};

/// A field that can be owned. A map is owned beside its entries (`"."`), by whoever made it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    Data,
    Key(&'static str),
    Labels,
    Label(&'static str),
    Annotations,
    LastApplied,
    Immutable,
}

/// One manager and what it owns. There is one for each manager and operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub manager: &'static str,
    pub operation: &'static str,
    pub time: Millis,
    pub fields: BTreeSet<Field>,
}

impl Entry {
    pub fn read(&self) -> ManagedEntry {
        let mut data_keys = BTreeSet::new();
        let mut owns_other = false;
        for field in &self.fields {
            match field {
                Field::Data => {}
                Field::Key(key) => {
                    data_keys.insert((*key).to_owned());
                }
                _ => owns_other = true,
            }
        }
        ManagedEntry {
            manager: self.manager.to_owned(),
            operation: self.operation.to_owned(),
            time: Some(stamp(self.time)),
            data_keys,
            owns_other,
        }
    }
}

/// Every field of an object with its value.
fn fields(object: &Object) -> BTreeMap<Field, String> {
    let mut all = BTreeMap::new();
    let mut add = |field, value: &str| all.insert(field, value.to_owned());
    if !object.data.is_empty() {
        add(Field::Data, "");
    }
    for (key, value) in &object.data {
        add(Field::Key(key), value);
    }
    if !object.labels.is_empty() {
        add(Field::Labels, "");
    }
    for (label, value) in &object.labels {
        add(Field::Label(label), value);
    }
    if let Some(applied) = &object.applied {
        add(Field::Annotations, "");
        add(Field::LastApplied, &format!("{applied:?}"));
    }
    if object.immutable {
        add(Field::Immutable, "");
    }
    all
}

/// Who owns what after an Update. What it changed or added is its own from then on, and its time moves; what it removed is
/// nobody's any more, and an Update that only removes moves no time and leaves no entry.
pub fn updated(
    old: Option<&Object>,
    new: &Object,
    manager: &'static str,
    now: Millis,
) -> Vec<Entry> {
    let before = old.map(fields).unwrap_or_default();
    let after = fields(new);
    let taken: BTreeSet<Field> = after
        .iter()
        .filter(|(field, value)| before.get(field) != Some(value))
        .map(|(field, _)| field.clone())
        .collect();
    let mut entries = old.map(|o| o.entries.clone()).unwrap_or_default();
    for entry in &mut entries {
        entry
            .fields
            .retain(|field| after.contains_key(field) && !taken.contains(field));
    }
    if !taken.is_empty() {
        let own = |e: &&mut Entry| e.manager == manager && e.operation == "Update";
        match entries.iter_mut().find(own) {
            Some(entry) => {
                entry.fields.extend(taken);
                entry.time = now;
            }
            None => entries.push(Entry {
                manager,
                operation: "Update",
                time: now,
                fields: taken,
            }),
        }
    }
    entries.retain(|entry| !entry.fields.is_empty());
    entries
}

/// Who owns what after a server-side apply of these keys, by force: it owns what it applied, whether that changed or not.
pub fn applied(
    old: Option<&Object>,
    new: &Object,
    keys: BTreeSet<Field>,
    manager: &'static str,
    now: Millis,
) -> Vec<Entry> {
    let before = old.map(fields).unwrap_or_default();
    let after = fields(new);
    let mut entries = old.map(|o| o.entries.clone()).unwrap_or_default();
    let own = |e: &Entry| e.manager == manager && e.operation == "Apply";
    for entry in entries.iter_mut().filter(|e| !own(e)) {
        entry
            .fields
            .retain(|field| after.contains_key(field) && before.get(field) == after.get(field));
    }
    let same = before == after && entries.iter().any(|e| own(e) && e.fields == keys);
    if !same {
        entries.retain(|e| !own(e));
        entries.push(Entry {
            manager,
            operation: "Apply",
            time: now,
            fields: keys,
        });
    }
    entries.retain(|entry| !entry.fields.is_empty());
    entries
}
