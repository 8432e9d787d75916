//! Object metadata, and times.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::model::WorkloadRef;

/// The part of `metadata` that is needed. Managed fields are the bulk of most objects and matter for configs alone: `M` is
/// what becomes of them.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase", bound = "M: Deserialize<'de>")]
pub(crate) struct Meta<M = IgnoredAny> {
    #[serde(default)]
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) namespace: String,
    #[serde(default)]
    pub(crate) uid: String,
    #[serde(default)]
    pub(crate) resource_version: String,
    #[serde(default)]
    pub(crate) creation_timestamp: Option<String>,
    #[serde(default)]
    pub(crate) deletion_timestamp: Option<String>,
    #[serde(default)]
    pub(crate) labels: Option<BTreeMap<String, String>>,
    #[serde(default)]
    pub(crate) annotations: Option<BTreeMap<String, String>>,
    #[serde(default)]
    pub(crate) owner_references: Option<Vec<Owner>>,
    #[serde(default)]
    pub(crate) managed_fields: Option<Vec<M>>,
    #[serde(default)]
    pub(crate) generation: Option<i64>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(default)]
pub(crate) struct Owner {
    kind: String,
    name: String,
    controller: Option<bool>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Managed {
    pub(crate) manager: Option<String>,
    pub(crate) operation: Option<String>,
    pub(crate) time: Option<String>,
    pub(crate) fields_v1: Option<serde_json::Value>,
}

/// Of an entry only whether it is of the status, and when.
#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct StatusWrite {
    subresource: Option<String>,
    time: Option<String>,
}

impl Meta<StatusWrite> {
    /// When the status was written last.
    pub(crate) fn reported(&self) -> Option<DateTime<Utc>> {
        let entries = self.managed_fields.iter().flatten();
        let of_status = entries.filter(|e| e.subresource.as_deref() == Some("status"));
        of_status.filter_map(|e| time(e.time.as_deref())).max()
    }
}

impl<M> Meta<M> {
    /// The controlling owner.
    pub(crate) fn owner(&self) -> Option<WorkloadRef> {
        self.owner_references
            .iter()
            .flatten()
            .find(|o| o.controller == Some(true))
            .map(|o| WorkloadRef::new(&o.kind, &self.namespace, &o.name))
    }
}

/// A timestamp as the API writes it.
pub(crate) fn time(text: Option<&str>) -> Option<DateTime<Utc>> {
    let parsed = DateTime::parse_from_rfc3339(text?).ok()?;
    Some(parsed.with_timezone(&Utc))
}
