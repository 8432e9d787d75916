//! What a write adds, changes and removes, field by field, as the API server's field management sees it.

use serde_json::Value;

use super::fields::Fields;
use super::schema::{Shape, element, shape};
use crate::sim::resources::Resource;

/// The difference between two states of an object.
#[derive(Debug, Default)]
pub(crate) struct Difference {
    /// Added, or with another value.
    pub(crate) written: Fields,
    pub(crate) removed: Fields,
}

/// Where the walk is: as managedFields name it, and as the schema does.
struct Walk<'a> {
    resource: &'static Resource,
    path: Vec<String>,
    names: Vec<&'a str>,
    found: Difference,
}

pub(crate) fn difference(resource: &'static Resource, before: &Value, after: &Value) -> Difference {
    let mut walk = Walk {
        resource,
        path: Vec::new(),
        names: Vec::new(),
        found: Difference::default(),
    };
    walk.map(Some(before), Some(after));
    unmanaged(&mut walk.found.written);
    unmanaged(&mut walk.found.removed);
    walk.found
}

/// Every field of an object: what an apply owns. A map or a list is not owned itself, but for an empty one.
pub(crate) fn all(resource: &'static Resource, object: &Value) -> Fields {
    let mut found = Fields::default();
    own(
        resource,
        &mut Vec::new(),
        &mut Vec::new(),
        object,
        &mut found,
    );
    unmanaged(&mut found);
    found
}

fn own<'a>(
    resource: &Resource,
    path: &mut Vec<String>,
    names: &mut Vec<&'a str>,
    value: &'a Value,
    found: &mut Fields,
) {
    let whole = shape(resource, names, value);
    let mut below = |element: String, name: &'a str, value: &'a Value, itself: bool| {
        path.push(element);
        names.push(name);
        own(resource, path, names, value, found);
        if itself {
            found.insert(path);
        }
        path.pop();
        names.pop();
    };
    match (whole, value) {
        (Shape::Map, Value::Object(map)) if !map.is_empty() => {
            for (name, value) in map {
                below(format!("f:{name}"), name, value, false);
            }
        }
        (Shape::List(keys), Value::Array(items)) => {
            for item in items {
                below(element(keys, item), "*", item, true);
            }
        }
        (Shape::Set, Value::Array(items)) => {
            for item in items {
                below(format!("v:{item}"), "*", item, true);
            }
        }
        _ => found.insert(path),
    }
}

/// Takes out what the server itself writes.
fn unmanaged(fields: &mut Fields) {
    const META: [&str; 9] = [
        "f:name",
        "f:namespace",
        "f:creationTimestamp",
        "f:selfLink",
        "f:uid",
        "f:generation",
        "f:managedFields",
        "f:resourceVersion",
        "f:deletionTimestamp",
    ];
    fields.cut(&["f:apiVersion"]);
    fields.cut(&["f:kind"]);
    for name in META {
        fields.cut(&["f:metadata", name]);
    }
    fields.cut(&["f:metadata", "f:deletionGracePeriodSeconds"]);
}

impl<'a> Walk<'a> {
    fn value(&mut self, before: Option<&'a Value>, after: Option<&'a Value>) {
        let Some(one) = after.filter(|v| !v.is_null()).or(before).or(after) else {
            return;
        };
        let whole = shape(self.resource, &self.names, one);
        let alike = |v: Option<&Value>| {
            v.is_none_or(|v| v.is_null() || shape(self.resource, &self.names, v) == whole)
        };
        if whole == Shape::Leaf || !alike(before) || !alike(after) {
            return self.leaf(before, after);
        }
        match whole {
            Shape::Map => self.map(before, after),
            Shape::List(keys) => self.list(keys, before, after),
            Shape::Set => self.set(before, after),
            Shape::Leaf => {}
        }
        match (before, after) {
            (None, Some(_)) => self.found.written.insert(&self.path),
            (Some(_), None) => self.found.removed.insert(&self.path),
            _ => {}
        }
    }

    fn leaf(&mut self, before: Option<&Value>, after: Option<&Value>) {
        match (before, after) {
            (Some(before), Some(after)) if before == after => {}
            (_, Some(_)) => self.found.written.insert(&self.path),
            (Some(_), None) => self.found.removed.insert(&self.path),
            (None, None) => {}
        }
    }

    fn below(
        &mut self,
        path: String,
        name: &'a str,
        before: Option<&'a Value>,
        after: Option<&'a Value>,
    ) {
        self.path.push(path);
        self.names.push(name);
        self.value(before, after);
        self.path.pop();
        self.names.pop();
    }

    fn map(&mut self, before: Option<&'a Value>, after: Option<&'a Value>) {
        let before = before.and_then(Value::as_object);
        let after = after.and_then(Value::as_object);
        for (name, was) in before.into_iter().flatten() {
            let is = after.and_then(|after| after.get(name));
            self.below(format!("f:{name}"), name, Some(was), is);
        }
        for (name, is) in after.into_iter().flatten() {
            if before.is_none_or(|before| !before.contains_key(name)) {
                self.below(format!("f:{name}"), name, None, Some(is));
            }
        }
    }

    fn list(
        &mut self,
        keys: &'static [&'static str],
        before: Option<&'a Value>,
        after: Option<&'a Value>,
    ) {
        let named = |list: Option<&'a Value>| -> Vec<(String, &'a Value)> {
            let items = list.and_then(Value::as_array).into_iter().flatten();
            items.map(|item| (element(keys, item), item)).collect()
        };
        let (before, after) = (named(before), named(after));
        let find = |items: &[(String, &'a Value)], name: &str| {
            items.iter().find(|(n, _)| n == name).map(|(_, item)| *item)
        };
        for (name, was) in &before {
            self.below(name.clone(), "*", Some(was), find(&after, name));
        }
        for (name, is) in &after {
            if find(&before, name).is_none() {
                self.below(name.clone(), "*", None, Some(is));
            }
        }
    }

    fn set(&mut self, before: Option<&'a Value>, after: Option<&'a Value>) {
        let items = |list: Option<&'a Value>| list.and_then(Value::as_array).into_iter().flatten();
        let has = |list, item: &Value| items(list).any(|other| other == item);
        for was in items(before) {
            let is = has(after, was).then_some(was);
            self.below(format!("v:{was}"), "*", Some(was), is);
        }
        for is in items(after).filter(|is| !has(before, is)) {
            self.below(format!("v:{is}"), "*", None, Some(is));
        }
    }
}
