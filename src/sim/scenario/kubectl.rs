//! What a person does with kubectl, and the traces that it leaves.

use serde_json::{Value, json};

use crate::sim::object::{self, seconds};
use crate::sim::patch::Patch;
use crate::sim::resources::{RESOURCES, Resource, of_kind};
use crate::sim::status::Failure;
use crate::sim::store::{Deletion, Key, Write};
use crate::sim::world::World;

const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Why a step could not be taken.
#[derive(Debug)]
pub(super) struct Refused(pub(super) String);

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Self(failure.message)
    }
}

/// Somebody at a terminal.
pub(super) struct Kubectl<'a> {
    world: &'a mut World,
    namespace: &'a str,
    /// Another field manager than kubectl's own.
    by: Option<&'a str>,
}

impl<'a> Kubectl<'a> {
    pub(super) fn new(world: &'a mut World, namespace: &'a str, by: Option<&'a str>) -> Self {
        Self {
            world,
            namespace,
            by,
        }
    }

    /// `apply -f -`: what the last one held and this one does not is taken away.
    pub(super) fn apply(&mut self, manifest: &Value) -> Result<(), Refused> {
        let mut manifest = manifest.clone();
        let key = self.key(&manifest)?;
        if let Some(namespace) = &key.namespace {
            manifest["metadata"]["namespace"] = json!(namespace);
        }
        let applied = last_applied(&manifest);
        manifest["metadata"]["annotations"][LAST_APPLIED] = json!(applied);
        let write = self.write("kubectl-client-side-apply");
        let store = self.world.store_mut();
        let Some(live) = store.get(&key).cloned() else {
            store.create(&key, manifest, &write)?;
            return Ok(());
        };
        let before = live["metadata"]["annotations"][LAST_APPLIED].as_str();
        let before = before.and_then(|text| serde_json::from_str(text).ok());
        if let Some(before) = before {
            take_away(&before, &mut manifest);
        }
        let merged = Patch::Strategic(manifest).applied(&key, &live)?;
        store.update(&key, merged, &write)?;
        Ok(())
    }

    pub(super) fn create(&mut self, manifest: &Value) -> Result<(), Refused> {
        let key = self.key(manifest)?;
        let mut manifest = manifest.clone();
        if let Some(namespace) = &key.namespace {
            manifest["metadata"]["namespace"] = json!(namespace);
        }
        let write = self.write("kubectl-create");
        let store = self.world.store_mut();
        if store.get(&key).is_some() {
            // `kubectl replace`, and what other clients do with whole objects.
            store.update(&key, manifest, &write)?;
        } else {
            store.create(&key, manifest, &write)?;
        }
        Ok(())
    }

    /// `get -o json | sed s/from/to/ | apply -f -`.
    pub(super) fn sed(&mut self, object: &str, from: &str, to: &str) -> Result<(), Refused> {
        let key = self.named(object)?;
        let live = self.live(&key)?;
        let mut got = live.clone();
        if let Some(metadata) = got["metadata"].as_object_mut() {
            metadata.remove("managedFields");
        }
        if let Some(annotations) = got["metadata"]["annotations"].as_object_mut() {
            // kubectl leaves its own annotation out of what it writes into it.
            annotations.remove(LAST_APPLIED);
        }
        if !replace(&mut got, from, to) {
            return Err(Refused(format!("{object} holds no {from:?}")));
        }
        self.apply(&got)
    }

    /// `patch --type merge`.
    pub(super) fn patch(&mut self, object: &str, with: &Value) -> Result<(), Refused> {
        let key = self.named(object)?;
        let patched = Patch::Merge(with.clone()).applied(&key, &self.live(&key)?)?;
        let write = self.write("kubectl-patch");
        self.world.store_mut().update(&key, patched, &write)?;
        Ok(())
    }

    /// `rollout restart`: an annotation of the template.
    pub(super) fn restart(&mut self, object: &str) -> Result<(), Refused> {
        let key = self.named(object)?;
        let mut workload = self.live(&key)?;
        let at = seconds(self.world.now());
        workload["spec"]["template"]["metadata"]["annotations"]["kubectl.kubernetes.io/restartedAt"] =
            json!(at);
        let write = self.write("kubectl-rollout");
        self.world.store_mut().update(&key, workload, &write)?;
        Ok(())
    }

    pub(super) fn delete(&mut self, object: &str) -> Result<(), Refused> {
        let key = self.named(object)?;
        let write = self.write("kubectl");
        let store = self.world.store_mut();
        store.delete(&key, &Deletion::default(), &write)?;
        Ok(())
    }

    fn write(&self, own: &'a str) -> Write<'a> {
        Write::by(self.by.unwrap_or(own), self.world.now())
    }

    fn live(&self, key: &Key) -> Result<Value, Refused> {
        let live = self.world.store().get(key);
        let live = live.ok_or_else(|| Failure::not_found(key))?;
        Ok(Value::clone(live))
    }

    fn at(&self, resource: &'static Resource, namespace: Option<&str>, name: &str) -> Key {
        object::place(resource, namespace.unwrap_or(self.namespace), name)
    }

    /// The place of a manifest's object.
    fn key(&self, manifest: &Value) -> Result<Key, Refused> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (version, kind) = (text(&manifest["apiVersion"]), text(&manifest["kind"]));
        let resource = of_kind(&version, &kind)
            .ok_or_else(|| Refused(format!("no resource is of kind {kind:?} in {version:?}")))?;
        let name = text(&manifest["metadata"]["name"]);
        Ok(self.at(resource, manifest["metadata"]["namespace"].as_str(), &name))
    }

    /// The place of `Kind/name`.
    fn named(&self, object: &str) -> Result<Key, Refused> {
        let parts = object.split_once('/');
        let found = parts.and_then(|(kind, name)| {
            let resource = RESOURCES.iter().find(|r| r.kind == kind)?;
            Some(self.at(resource, None, name))
        });
        found.ok_or_else(|| Refused(format!("{object:?} is no Kind/name of a resource")))
    }
}

/// The annotation's text: the manifest, written as Go writes JSON, with the end of line that its encoder adds.
fn last_applied(manifest: &Value) -> String {
    let mut manifest = manifest.clone();
    let annotations = &mut manifest["metadata"]["annotations"];
    if annotations.is_null() {
        *annotations = json!({});
    }
    let escaped = manifest.to_string();
    let escaped = escaped.replace('<', "\\u003c").replace('>', "\\u003e");
    format!("{}\n", escaped.replace('&', "\\u0026"))
}

/// Puts a null for each field that was applied before and is not in the manifest: a patch takes it away.
fn take_away(before: &Value, manifest: &mut Value) {
    let (Some(before), Some(now)) = (before.as_object(), manifest.as_object_mut()) else {
        return;
    };
    for (name, old) in before {
        match now.get_mut(name) {
            Some(new) => take_away(old, new),
            None => {
                now.insert(name.clone(), Value::Null);
            }
        }
    }
}

/// Replaces a text wherever it stands in a value; whether it stood anywhere.
fn replace(value: &mut Value, from: &str, to: &str) -> bool {
    match value {
        Value::String(text) => {
            let found = text.contains(from);
            if found {
                *text = text.replace(from, to);
            }
            found
        }
        Value::Array(items) => {
            let mut found = false;
            for item in items {
                found |= replace(item, from, to);
            }
            found
        }
        Value::Object(fields) => {
            let mut found = false;
            for field in fields.values_mut() {
                found |= replace(field, from, to);
            }
            found
        }
        _ => false,
    }
}
