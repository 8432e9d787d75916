//! Sets of fields, as managedFields keep them (`fieldsV1`).

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// Fields below one field, by what leads to each: `f:data`, `k:{"name":"web"}`, `v:"x"`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Fields {
    /// The field itself is one of the set (`.`, or an empty object at a leaf).
    own: bool,
    below: BTreeMap<String, Fields>,
}

impl Fields {
    pub(crate) fn is_empty(&self) -> bool {
        !self.own && self.below.is_empty()
    }

    pub(crate) fn insert(&mut self, path: &[String]) {
        let leaf = path.iter().fold(self, |at, element| {
            at.below.entry(element.clone()).or_default()
        });
        leaf.own = true;
    }

    /// Takes a field and all below it out.
    pub(crate) fn cut(&mut self, path: &[&str]) {
        match path {
            [] => *self = Self::default(),
            [first, rest @ ..] => {
                if let Some(child) = self.below.get_mut(*first) {
                    child.cut(rest);
                    if child.is_empty() {
                        self.below.remove(*first);
                    }
                }
            }
        }
    }

    pub(crate) fn union(&mut self, other: &Self) {
        self.own |= other.own;
        for (element, theirs) in &other.below {
            self.below.entry(element.clone()).or_default().union(theirs);
        }
    }

    /// Takes the fields of another set out.
    pub(crate) fn subtract(&mut self, other: &Self) {
        self.own &= !other.own;
        for (element, theirs) in &other.below {
            if let Some(ours) = self.below.get_mut(element) {
                ours.subtract(theirs);
                if ours.is_empty() {
                    self.below.remove(element);
                }
            }
        }
    }

    /// With the fields that lead to those of the set: what holds something that is owned stays, whoever lets go of it. An item of a
    /// list is there for itself.
    pub(crate) fn with_parents(mut self) -> Self {
        let below = self.below.into_iter().map(|(element, child)| {
            let mut child = child.with_parents();
            child.own |= element.starts_with("f:");
            (element, child)
        });
        self.below = below.collect();
        self
    }

    /// The fields that are in both.
    pub(crate) fn common(&self, other: &Self) -> Self {
        let mut both = Self {
            own: self.own && other.own,
            below: BTreeMap::new(),
        };
        for (element, ours) in &self.below {
            if let Some(theirs) = other.below.get(element) {
                let common = ours.common(theirs);
                if !common.is_empty() {
                    both.below.insert(element.clone(), common);
                }
            }
        }
        both
    }

    /// Every field of the set by its path.
    pub(crate) fn paths(&self) -> Vec<Vec<String>> {
        fn walk(fields: &Fields, path: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
            if fields.own {
                found.push(path.clone());
            }
            for (element, child) in &fields.below {
                path.push(element.clone());
                walk(child, path, found);
                path.pop();
            }
        }
        let mut found = Vec::new();
        walk(self, &mut Vec::new(), &mut found);
        found
    }

    pub(crate) fn from_json(json: &Value) -> Self {
        let mut fields = Self::default();
        for (element, below) in json.as_object().into_iter().flatten() {
            if element == "." {
                fields.own = true;
                continue;
            }
            let mut child = Self::from_json(below);
            child.own |= child.below.is_empty();
            fields.below.insert(element.clone(), child);
        }
        fields
    }

    pub(crate) fn to_json(&self) -> Value {
        let mut json = Map::new();
        if self.own && !self.below.is_empty() {
            json.insert(".".to_owned(), Value::Object(Map::new()));
        }
        for (element, below) in &self.below {
            json.insert(element.clone(), below.to_json());
        }
        Value::Object(json)
    }
}
