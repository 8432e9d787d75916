//! The form in which objects are answered: as they are, their metadata alone, or a table.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Value, json};

use super::asked::Asked;
use super::table;
use crate::sim::resources::Resource;
use crate::sim::status::Failure;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Whole,
    Metadata,
    Table(Rows),
}

/// What the rows of a table hold beside their cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rows {
    Nothing,
    Metadata,
    /// kubectl sorts by any field.
    Objects,
}

impl Rows {
    fn of(asked: &Asked) -> Self {
        match asked.query.get("includeObject") {
            Some("None") => Self::Nothing,
            Some("Object") => Self::Objects,
            _ => Self::Metadata,
        }
    }
}

/// The first form of those that are accepted that there is.
pub(crate) fn accepted(asked: &Asked) -> Result<Form, Failure> {
    if asked.accept.trim().is_empty() {
        return Ok(Form::Whole);
    }
    for wanted in asked.accept.split(',') {
        let mut parts = wanted.split(';').map(str::trim);
        let media = parts.next().unwrap_or_default();
        if !matches!(media, "application/json" | "*/*" | "application/*") {
            continue;
        }
        match parts.find_map(|part| part.strip_prefix("as=")) {
            None => return Ok(Form::Whole),
            Some("PartialObjectMetadata" | "PartialObjectMetadataList") => {
                return Ok(Form::Metadata);
            }
            Some("Table") => return Ok(Form::Table(Rows::of(asked))),
            Some(_) => {}
        }
    }
    Err(Failure::new(
        406,
        "NotAcceptable",
        "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    ))
}

/// An object of a list, which does not say its kind.
pub(crate) struct Item<'a>(pub(crate) &'a Value);

impl Serialize for Item<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.0.as_object().into_iter().flatten() {
            if name != "kind" && name != "apiVersion" {
                map.serialize_entry(name, value)?;
            }
        }
        map.end()
    }
}

/// One object in its form.
pub(crate) fn one<'a>(
    form: Form,
    resource: &Resource,
    object: &'a Value,
    now: DateTime<Utc>,
) -> Cow<'a, Value> {
    match form {
        Form::Whole => Cow::Borrowed(object),
        Form::Metadata => Cow::Owned(metadata(object)),
        Form::Table(rows) => {
            let meta = json!({"resourceVersion": object["metadata"]["resourceVersion"]});
            Cow::Owned(table::table(resource, &[object], rows, meta, now))
        }
    }
}

pub(crate) fn metadata(object: &Value) -> Value {
    json!({
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": object["metadata"],
    })
}
