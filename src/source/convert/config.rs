//! ConfigMaps, and Secrets by their metadata.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use zeroize::Zeroizing;

use super::marks;
use super::meta::{Managed, Meta, time};
use crate::model::{Config, ConfigKind, ConfigRef, Content, LastApplied, ManagedEntry};

#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConfigMapObject {
    pub(crate) metadata: Meta<Managed>,
    data: Option<BTreeMap<String, String>>,
    binary_data: Option<BTreeMap<String, String>>,
    immutable: Option<bool>,
}

/// A Secret as `PartialObjectMetadata`: no `data` is asked for, none is read.
#[derive(Deserialize, Debug)]
pub(crate) struct PartialSecret {
    pub(crate) metadata: Meta<Managed>,
}

/// A Secret with its values, which are wiped when it is dropped. It has no `Debug`.
#[derive(Deserialize)]
pub(crate) struct SecretObject {
    pub(crate) metadata: Meta<Managed>,
    #[serde(default)]
    pub(crate) data: Option<BTreeMap<String, Zeroizing<String>>>,
    immutable: Option<bool>,
}

impl SecretObject {
    /// The Secret without its values.
    pub(crate) fn shell(&self) -> Config {
        base(ConfigKind::Secret, &self.metadata, self.immutable)
    }
}

/// Where `kubectl apply` leaves what it applied.
pub(crate) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

pub(crate) fn config_map(object: ConfigMapObject) -> Config {
    let mut config = base(ConfigKind::ConfigMap, &object.metadata, object.immutable);
    config.last_applied = object
        .metadata
        .annotations
        .as_ref()
        .and_then(|a| a.get(LAST_APPLIED))
        .and_then(|text| last_applied(text));
    config.content = Some(content(object.data, object.binary_data));
    config
}

/// A Secret's annotations are not kept but for who owns it: `last-applied-configuration` holds its values.
pub(crate) fn secret_metadata(object: &PartialSecret) -> Config {
    base(ConfigKind::Secret, &object.metadata, None)
}

fn base(kind: ConfigKind, meta: &Meta<Managed>, immutable: Option<bool>) -> Config {
    Config {
        reference: ConfigRef::new(kind, &meta.namespace, &meta.name),
        uid: meta.uid.clone(),
        resource_version: meta.resource_version.clone(),
        created: time(meta.creation_timestamp.as_deref()),
        content: None,
        immutable: immutable.unwrap_or(false),
        managed: meta.managed_fields.iter().flatten().map(managed).collect(),
        last_applied: None,
        owner_marks: owner_marks(meta),
    }
}

fn content(
    data: Option<BTreeMap<String, String>>,
    binary: Option<BTreeMap<String, String>>,
) -> Content {
    Content::Plain {
        data: data.unwrap_or_default(),
        binary: binary
            .unwrap_or_default()
            .into_iter()
            // The API server keeps base64 only; what is not is kept as the bytes of its text, so that it still compares.
            .map(|(key, text)| {
                let bytes = STANDARD.decode(&text).unwrap_or_else(|_| text.into_bytes());
                (key, bytes)
            })
            .collect(),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Applied {
    data: Option<BTreeMap<String, String>>,
    binary_data: Option<BTreeMap<String, String>>,
    #[serde(default)]
    metadata: AppliedMeta,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct AppliedMeta {
    resource_version: Option<String>,
}

fn last_applied(text: &str) -> Option<LastApplied> {
    let applied: Applied = serde_json::from_str(text).ok()?;
    Some(LastApplied {
        content: content(applied.data, applied.binary_data),
        resource_version: applied.metadata.resource_version.filter(|v| !v.is_empty()),
    })
}

fn managed(entry: &Managed) -> ManagedEntry {
    let mut data_keys = BTreeSet::new();
    // What it owns is not told: it may be anything.
    let mut owns_other = entry.fields_v1.is_none();
    let fields = entry.fields_v1.as_ref().and_then(|f| f.as_object());
    for (field, below) in fields.into_iter().flatten() {
        if field != "f:data" && field != "f:binaryData" {
            owns_other = true;
            continue;
        }
        let keys = below.as_object().into_iter().flatten();
        data_keys.extend(
            keys.filter_map(|(key, _)| key.strip_prefix("f:"))
                .map(str::to_owned),
        );
    }
    ManagedEntry {
        manager: entry
            .manager
            .clone()
            .unwrap_or_else(|| "unknown".to_owned()),
        operation: entry.operation.clone().unwrap_or_default(),
        time: time(entry.time.as_deref()),
        data_keys,
        owns_other,
    }
}

fn owner_marks(meta: &Meta<Managed>) -> BTreeMap<String, String> {
    let all = meta.labels.iter().chain(&meta.annotations).flatten();
    let named = all.filter(|(name, _)| marks::names_owner(name));
    let owner = meta.owner().map(|owner| {
        let name = format!("{}/{}", owner.kind, owner.name);
        ("ownerReferences".to_owned(), name)
    });
    named
        .map(|(name, value)| (name.clone(), value.clone()))
        .chain(owner)
        .collect()
}
