//! Object metadata, and times.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference, Time};
use serde::Deserialize;

use crate::model::WorkloadRef;

/// The part of `metadata` that is needed.
#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Meta {
    pub(crate) name: String,
    pub(crate) namespace: String,
    pub(crate) uid: String,
    pub(crate) resource_version: String,
    pub(crate) creation_timestamp: Option<String>,
    pub(crate) deletion_timestamp: Option<String>,
    pub(crate) labels: Option<BTreeMap<String, String>>,
    pub(crate) annotations: Option<BTreeMap<String, String>>,
    pub(crate) owner_references: Option<Vec<Owner>>,
    pub(crate) managed_fields: Option<Vec<Managed>>,
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

impl Meta {
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

/// k8s-openapi's times are another library's: this is where they become ours.
pub(super) fn from_api(time: Option<&Time>) -> Option<DateTime<Utc>> {
    let time = time?.0;
    DateTime::from_timestamp(
        time.as_second(),
        u32::try_from(time.subsec_nanosecond()).ok()?,
    )
}

pub(super) fn controller(meta: &ObjectMeta) -> Option<WorkloadRef> {
    let namespace = meta.namespace.clone().unwrap_or_default();
    let owner: &OwnerReference = meta
        .owner_references
        .iter()
        .flatten()
        .find(|o| o.controller == Some(true))?;
    Some(WorkloadRef::new(&owner.kind, &namespace, &owner.name))
}
