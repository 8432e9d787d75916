//! One audit event: whether it is a write to a config that took place, and what it tells of it.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::About;
use crate::model::{AuditedWrite, ConfigKind, ConfigRef, Content};
use crate::source::convert::{ConfigMapObject, config_map, time};

/// What an event tells.
#[derive(Debug)]
pub(super) struct Read {
    /// Files overlap, and their events have an id.
    pub(super) id: String,
    pub(super) writes: Vec<AuditedWrite>,
}

/// Why a line tells nothing.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Skipped {
    /// It is an event, but no write to a config in scope, or one that did not take place.
    NoWrite,
    Damaged,
    NoEvent,
    Version,
}

#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow, default)]
    kind: Cow<'a, str>,
    #[serde(borrow, rename = "apiVersion", default)]
    version: Cow<'a, str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event<'a> {
    #[serde(borrow, rename = "auditID", default)]
    id: Cow<'a, str>,
    #[serde(borrow, default)]
    stage: Cow<'a, str>,
    #[serde(borrow, rename = "requestURI", default)]
    uri: Cow<'a, str>,
    #[serde(borrow, default)]
    verb: Cow<'a, str>,
    #[serde(default)]
    user: User,
    #[serde(default)]
    impersonated_user: Option<User>,
    #[serde(rename = "sourceIPs", default)]
    source_ips: Vec<String>,
    #[serde(default)]
    user_agent: Option<String>,
    #[serde(default)]
    object_ref: Option<ObjectRef>,
    #[serde(default)]
    response_status: Option<Status>,
    #[serde(borrow, default)]
    request_object: Option<&'a RawValue>,
    #[serde(borrow, default)]
    response_object: Option<&'a RawValue>,
    #[serde(default)]
    request_received_timestamp: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct User {
    username: String,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct ObjectRef {
    resource: String,
    namespace: String,
    name: String,
    api_group: String,
    subresource: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Status {
    code: u16,
}

/// Of an object only what it is.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Named {
    kind: String,
    metadata: NamedMeta,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct NamedMeta {
    name: String,
    resource_version: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Options {
    dry_run: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct List {
    items: Vec<Named>,
}

/// Whether it says what it is: items of a list need not.
pub(super) fn names_itself(item: &[u8]) -> bool {
    serde_json::from_slice::<Head<'_>>(item).is_ok_and(|head| !head.version.is_empty())
}

pub(super) fn read(line: &[u8], file: &str, about: &About) -> Result<Read, Skipped> {
    let head: Head<'_> = serde_json::from_slice(line).map_err(|_| Skipped::Damaged)?;
    if head.kind != "Event" || !head.version.starts_with("audit.k8s.io/") {
        return Err(Skipped::NoEvent);
    }
    if head.version != "audit.k8s.io/v1" {
        return Err(Skipped::Version);
    }
    let event: Event<'_> = serde_json::from_slice(line).map_err(|_| Skipped::Damaged)?;
    let (kind, about_it) = event.config(about).ok_or(Skipped::NoWrite)?;
    if !event.took_place() {
        return Err(Skipped::NoWrite);
    }
    let writes = if event.verb == "deletecollection" {
        event.deleted(kind, about_it, file)
    } else {
        vec![event.write(kind, about_it, file).ok_or(Skipped::NoWrite)?]
    };
    if writes.is_empty() {
        return Err(Skipped::NoWrite);
    }
    Ok(Read {
        id: event.id.into_owned(),
        writes,
    })
}

impl Event<'_> {
    /// The config that it writes to, where that is in scope.
    fn config(&self, about: &About) -> Option<(ConfigKind, &ObjectRef)> {
        const WRITES: [&str; 5] = ["create", "update", "patch", "delete", "deletecollection"];
        let about_it = self.object_ref.as_ref()?;
        let kind = match about_it.resource.as_str() {
            "configmaps" => ConfigKind::ConfigMap,
            "secrets" => ConfigKind::Secret,
            _ => return None,
        };
        let asked = about.namespace.as_ref();
        let plain = about_it.api_group.is_empty() && about_it.subresource.is_empty();
        let fits = plain
            && WRITES.contains(&&*self.verb)
            && !about_it.namespace.is_empty()
            && asked.is_none_or(|asked| *asked == about_it.namespace);
        fits.then_some((kind, about_it))
    }

    /// Whether anything was stored: it is complete, it succeeded, and it was no rehearsal.
    fn took_place(&self) -> bool {
        let code = self
            .response_status
            .as_ref()
            .map_or(0, |status| status.code);
        let rehearsed = self.parameter("dryRun").is_some()
            || (self.verb.starts_with("delete")
                && self.request_object.is_some_and(|options| {
                    let options = serde_json::from_str::<Options>(options.get());
                    options.is_ok_and(|options| !options.dry_run.is_empty())
                }));
        self.stage == "ResponseComplete" && (200..300).contains(&code) && !rehearsed
    }

    fn write(&self, kind: ConfigKind, about_it: &ObjectRef, file: &str) -> Option<AuditedWrite> {
        let stored = self.response_object.and_then(named);
        let stored = stored.filter(|object| object.kind == kind.as_str());
        let name = match (about_it.name.as_str(), &stored) {
            // The server made the name up.
            ("", Some(object)) => object.metadata.name.clone(),
            (name, _) => name.to_owned(),
        };
        if name.is_empty() {
            return None;
        }
        let resource_version = stored.and_then(|object| object.metadata.resource_version);
        let content = match kind {
            ConfigKind::ConfigMap if self.verb != "delete" => self.content(),
            _ => None,
        };
        let config = ConfigRef::new(kind, &about_it.namespace, &name);
        Some(self.told(config, &self.verb, file, content, resource_version))
    }

    /// Each of a whole collection that was deleted, where the log names them.
    fn deleted(&self, kind: ConfigKind, about_it: &ObjectRef, file: &str) -> Vec<AuditedWrite> {
        let list = self.response_object;
        let list: List = list
            .and_then(|list| serde_json::from_str(list.get()).ok())
            .unwrap_or_default();
        let names = list.items.into_iter().map(|item| item.metadata.name);
        names
            .filter(|name| !name.is_empty())
            .map(|name| {
                let config = ConfigRef::new(kind, &about_it.namespace, &name);
                self.told(config, "delete", file, None, None)
            })
            .collect()
    }

    fn told(
        &self,
        config: ConfigRef,
        verb: &str,
        file: &str,
        content: Option<Content>,
        resource_version: Option<String>,
    ) -> AuditedWrite {
        let at: Option<DateTime<Utc>> = time(self.request_received_timestamp.as_deref());
        let impersonated = self.impersonated_user.as_ref();
        AuditedWrite {
            config,
            file: file.to_owned(),
            verb: verb.to_owned(),
            at,
            user: self.user.username.clone(),
            impersonated: impersonated.map(|user| user.username.clone()),
            source_ips: self.source_ips.clone(),
            user_agent: self.user_agent.clone().filter(|agent| !agent.is_empty()),
            field_manager: self.parameter("fieldManager"),
            content,
            resource_version,
        }
    }

    /// What the ConfigMap held after the write: as the server answered, or the request where that was the whole object. A
    /// patch's request is not.
    fn content(&self) -> Option<Content> {
        let whole = matches!(&*self.verb, "create" | "update");
        let request = self.request_object.filter(|_| whole);
        let mut objects = self.response_object.into_iter().chain(request);
        let object = objects.find(|object| {
            named(object).is_some_and(|named| named.kind == ConfigKind::ConfigMap.as_str())
        })?;
        let object: ConfigMapObject = serde_json::from_str(object.get()).ok()?;
        config_map(object).content
    }

    /// A parameter of the request.
    fn parameter(&self, name: &str) -> Option<String> {
        let (_, query) = self.uri.split_once('?')?;
        let mut pairs = form_urlencoded::parse(query.as_bytes());
        let (_, value) = pairs.find(|(key, value)| key == name && !value.is_empty())?;
        Some(value.into_owned())
    }
}

fn named(object: &RawValue) -> Option<Named> {
    serde_json::from_str(object.get()).ok()
}
