//! API objects become facts. Big lists are read into types of their own that hold only what is needed, object by object,
//! so that one that cannot be understood costs no other.

mod config;
mod event;
mod expand;
mod marks;
mod meta;
mod names;
mod network;
mod pod;
mod workload;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::model::{Kind, Object};

pub(crate) use config::{ConfigMapObject, LAST_APPLIED, SecretObject, config_map};
pub(crate) use meta::time;
pub(crate) use pod::{PodObject, pod};

/// A list's objects, and those that could not be understood by name and reason.
#[derive(Debug)]
pub(crate) struct Objects<T> {
    pub(crate) items: Vec<T>,
    pub(crate) bad: Vec<(Option<String>, String)>,
    pub(crate) resource_version: Option<String>,
    /// The server has more of them than it gave.
    pub(crate) partial: bool,
}

#[derive(Deserialize)]
struct RawList<'a> {
    kind: Option<String>,
    #[serde(default)]
    metadata: RawListMeta,
    #[serde(borrow, default)]
    items: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct RawListMeta {
    resource_version: Option<String>,
    #[serde(rename = "continue")]
    more: Option<String>,
}

#[derive(Deserialize)]
struct Named {
    metadata: NamedMeta,
}

#[derive(Deserialize)]
struct NamedMeta {
    name: Option<String>,
}

/// Whether what an answer says it is may be a list of a kind. Proxies that make answers of their own may leave it out; the answer
/// to something else may not be taken for "there is none".
pub(crate) fn is_list_of(kind: Kind, said: Option<&str>) -> bool {
    let of_kind = |said: &str| said.strip_suffix("List") == Some(kind.name());
    said.is_none_or(|said| of_kind(said) || matches!(said, "List" | "PartialObjectMetadataList"))
}

/// What is said of an answer that is none, without the text that a parser quotes.
pub(crate) fn no_list(error: &serde_json::Error) -> String {
    match error.is_eof() {
        true => "the answer breaks off before its end".to_owned(),
        false => "the answer is no list".to_owned(),
    }
}

/// Whether what an object says it is may be one of a kind.
pub(crate) fn is_of(kind: Kind, said: Option<&str>) -> bool {
    said.is_none_or(|said| said == kind.name() || said == "PartialObjectMetadata")
}

/// Reads a list of a kind, object by object. Fails only where it is no such list at all, or not the whole of it.
pub(crate) fn list<T: DeserializeOwned>(kind: Kind, body: &[u8]) -> Result<Objects<T>, String> {
    let raw: RawList<'_> = serde_json::from_slice(body).map_err(|error| no_list(&error))?;
    if !is_list_of(kind, raw.kind.as_deref()) {
        return Err("the answer is of another kind".to_owned());
    }
    let items = raw.items.unwrap_or_default();
    let partial = raw.metadata.more.is_some_and(|token| !token.is_empty());
    if items.is_empty() && partial {
        return Err("it says that there is more, and gives none of it".to_owned());
    }
    let mut found = Objects {
        items: Vec::new(),
        bad: Vec::new(),
        resource_version: raw.metadata.resource_version,
        partial,
    };
    for object in items {
        match serde_json::from_str(object.get()) {
            Ok(item) => found.items.push(item),
            Err(error) => {
                let named = serde_json::from_str::<Named>(object.get()).ok();
                found
                    .bad
                    .push((named.and_then(|n| n.metadata.name), without_values(&error)));
            }
        }
    }
    Ok(found)
}

/// One object of a list as facts, or its name, if that much can be read, and what is wrong with it.
pub(crate) fn object(kind: Kind, json: &[u8]) -> Result<Object, (Option<String>, String)> {
    let read = match kind {
        Kind::ConfigMaps => parse(json, |o| Object::Config(config_map(o))),
        Kind::Secrets => parse(json, |o| Object::Config(config::secret_metadata(&o))),
        Kind::Pods => parse(json, |o| Object::Pod(pod(o))),
        Kind::ReplicaSets => workload("ReplicaSet", json),
        Kind::Deployments => workload("Deployment", json),
        Kind::StatefulSets => workload("StatefulSet", json),
        Kind::DaemonSets => workload("DaemonSet", json),
        Kind::Services => parse(json, |o| Object::Service(network::service(o))),
        Kind::EndpointSlices => parse(json, network::slice),
        Kind::Events => parse(json, |o| Object::Event(event::event(o))),
    };
    read.map_err(|error| {
        let named = serde_json::from_slice::<Named>(json).ok();
        (named.and_then(|n| n.metadata.name), without_values(&error))
    })
}

fn parse<T: DeserializeOwned>(
    json: &[u8],
    convert: impl Fn(T) -> Object,
) -> Result<Object, serde_json::Error> {
    serde_json::from_slice(json).map(convert)
}

fn workload(kind: &str, json: &[u8]) -> Result<Object, serde_json::Error> {
    parse(json, |o| Object::Workload(workload::workload(kind, o)))
}

/// What a parser complains of, without the text that it quotes: that may be a value nobody should see.
fn without_values(error: &serde_json::Error) -> String {
    format!(
        "its shape is not the expected one, at line {} column {}",
        error.line(),
        error.column()
    )
}

#[cfg(test)]
mod tests;
