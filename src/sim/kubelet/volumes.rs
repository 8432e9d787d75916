//! The kubelet's volumes: written before a pod starts, and brought up to date some time after a config changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::TimeDelta;
use serde_json::Value;

use super::Step;
use super::disks::{File, Files, Mounted, Volume, What};
use crate::sim::object;
use crate::sim::store::Key;
use crate::sim::world::World;

/// After a volume could not be brought up to date it is tried again.
const AGAIN: TimeDelta = TimeDelta::seconds(122);
/// A config changed: the kubelet sees it at its next look at the pod, a minute later at most, and some more for its cache.
const DELAY: (i64, i64) = (5_000, 85_000);

type Bytes = BTreeMap<String, Vec<u8>>;

impl World {
    /// Writes all volumes; the first that cannot be written, and why.
    pub(super) fn mount_all(&mut self, uid: &str) -> Result<(), (String, String)> {
        let Some(run) = self.kubelet.pods.get(uid) else {
            return Ok(());
        };
        let volumes = object::list(&run.pod, "/spec/volumes").to_vec();
        let mut mounted = BTreeMap::new();
        for spec in &volumes {
            let name = object::text(spec, "/name").to_owned();
            let bytes = self.project(uid, spec).map_err(|why| (name.clone(), why))?;
            mounted.insert(name, self.volume(bytes));
        }
        if let Some(run) = self.kubelet.pods.get_mut(uid) {
            run.volumes = mounted;
        }
        Ok(())
    }

    fn volume(&mut self, bytes: Option<Bytes>) -> Volume {
        let now = self.now;
        let stamp = bytes.is_some().then(|| {
            let random = self.random.next() % 4_294_967_296;
            format!("..{}.{random}", now.format("%Y_%m_%d_%H_%M_%S"))
        });
        let file = |(path, bytes): (String, Vec<u8>)| {
            let bytes = Arc::from(bytes);
            let file = File {
                bytes,
                modified: now,
            };
            (path, file)
        };
        Volume {
            files: bytes.unwrap_or_default().into_iter().map(file).collect(),
            stamp,
            swapped: now,
        }
    }

    /// What a volume should hold; `None` for one that the kubelet does not write.
    fn project(&mut self, uid: &str, spec: &Value) -> Result<Option<Bytes>, String> {
        let mut bytes = Bytes::new();
        if let Some(map) = spec.get("configMap") {
            self.project_config(
                uid,
                "configmaps",
                map,
                object::text(map, "/name"),
                &mut bytes,
            )?;
        } else if let Some(secret) = spec.get("secret") {
            let name = object::text(secret, "/secretName");
            self.project_config(uid, "secrets", secret, name, &mut bytes)?;
        } else if let Some(fields) = spec.get("downwardAPI") {
            self.project_fields(uid, fields, &mut bytes);
        } else if let Some(projected) = spec.get("projected") {
            for source in object::list(projected, "/sources") {
                for (plural, kind) in [("configmaps", "configMap"), ("secrets", "secret")] {
                    if let Some(found) = source.get(kind) {
                        let name = object::text(found, "/name");
                        self.project_config(uid, plural, found, name, &mut bytes)?;
                    }
                }
                if let Some(fields) = source.get("downwardAPI") {
                    self.project_fields(uid, fields, &mut bytes);
                }
            }
        } else {
            return Ok(None);
        }
        Ok(Some(bytes))
    }

    fn project_config(
        &mut self,
        uid: &str,
        plural: &str,
        spec: &Value,
        name: &str,
        into: &mut Bytes,
    ) -> Result<(), String> {
        let Some(run) = self.kubelet.pods.get(uid) else {
            return Ok(());
        };
        let node = run.node.clone();
        let key = object::key(
            plural,
            run.key.namespace.as_deref().unwrap_or_default(),
            name,
        );
        let optional = object::flag(spec, "/optional");
        let singular = key.resource.singular;
        let Some(config) = self.referred(&node, &key, spec)? else {
            return Ok(());
        };
        let content = content(&config);
        if spec.get("items").is_none() {
            into.extend(content);
            return Ok(());
        }
        for item in object::list(spec, "/items") {
            let (key, path) = (object::text(item, "/key"), object::text(item, "/path"));
            match content.get(key) {
                Some(bytes) => {
                    into.insert(path.to_owned(), bytes.clone());
                }
                None if optional => {}
                None => {
                    return Err(format!(
                        "{singular} references non-existent config key: {key}"
                    ));
                }
            }
        }
        Ok(())
    }

    fn project_fields(&self, uid: &str, spec: &Value, into: &mut Bytes) {
        let Some(run) = self.kubelet.pods.get(uid) else {
            return;
        };
        for item in object::list(spec, "/items") {
            let field = object::text(item, "/fieldRef/fieldPath");
            let text = match field {
                "metadata.labels" | "metadata.annotations" => {
                    let pointer = format!("/{}", field.replace('.', "/"));
                    let lines = object::entries(&run.pod, &pointer);
                    let lines = lines.map(|(key, value)| format!("{key}={value}"));
                    lines.collect::<Vec<_>>().join("\n")
                }
                field => run.field(field),
            };
            into.insert(object::text(item, "/path").to_owned(), text.into_bytes());
        }
    }

    /// A config changed, appeared or went: pods that have it in a volume are looked at when their turn comes.
    pub(crate) fn noticed_config(&mut self, key: &Key) {
        let uses = |run: &&mut super::PodRun| {
            run.key.namespace == key.namespace
                && !run.stopping
                && !run.swapping
                && run.ip.is_some()
                && names(&run.pod, key)
        };
        let mut found = Vec::new();
        for run in self.kubelet.pods.values_mut().filter(uses) {
            run.swapping = true;
            found.push(run.uid.clone());
        }
        for uid in found {
            let delay = self.random.millis(DELAY.0, DELAY.1);
            self.later(delay, Step::Swap(uid));
        }
    }

    /// Puts new files in the place of the old ones, where they differ.
    pub(super) fn swap(&mut self, uid: &str) {
        let Some(run) = self.kubelet.pods.get_mut(uid) else {
            return;
        };
        run.swapping = false;
        if run.stopping {
            return;
        }
        let specs = object::list(&run.pod, "/spec/volumes").to_vec();
        for spec in &specs {
            let name = object::text(spec, "/name").to_owned();
            let bytes = match self.project(uid, spec) {
                Ok(Some(bytes)) => bytes,
                Ok(None) => continue,
                Err(why) => {
                    let message = format!("MountVolume.SetUp failed for volume \"{name}\" : {why}");
                    self.record_pod(uid, None, ("Warning", "FailedMount"), &message);
                    if let Some(run) = self.kubelet.pods.get_mut(uid).filter(|run| !run.swapping) {
                        run.swapping = true;
                        self.later(AGAIN, Step::Swap(uid.to_owned()));
                    }
                    continue;
                }
            };
            let run = self.kubelet.pods.get(uid);
            let known = run.and_then(|run| run.volumes.get(&name));
            let same = known.is_some_and(|volume| {
                let old = volume.files.iter().map(|(path, file)| (path, &*file.bytes));
                old.eq(bytes.iter().map(|(path, bytes)| (path, bytes.as_slice())))
            });
            if same {
                continue;
            }
            let volume = self.volume(Some(bytes));
            if let Some(run) = self.kubelet.pods.get_mut(uid) {
                run.volumes.insert(name, volume);
            }
        }
    }

    /// Forgets immutable configs that no pod of a node names any more.
    pub(super) fn forget_configs(&mut self, node: &str) {
        let pods = &self.kubelet.pods;
        self.kubelet.immutable.retain(|(of, key), _| {
            let named = |run: &super::PodRun| {
                run.node == node && run.key.namespace == key.namespace && names(&run.pod, key)
            };
            of != node || pods.values().any(named)
        });
    }

    /// What a container that starts now sees. What is mounted by a subPath stays as it is now.
    pub(super) fn mounts_of(
        &self,
        uid: &str,
        spec: &Value,
        env: &[(String, String)],
    ) -> Vec<Mounted> {
        let Some(run) = self.kubelet.pods.get(uid) else {
            return Vec::new();
        };
        let mount = |mount: &Value| {
            let name = object::text(mount, "/name");
            let expression = super::env::expand(object::text(mount, "/subPathExpr"), env);
            let sub = match object::text(mount, "/subPath") {
                "" => expression,
                sub => sub.to_owned(),
            };
            let written = run
                .volumes
                .get(name)
                .filter(|volume| volume.stamp.is_some());
            let what = match written {
                Some(volume) if !sub.is_empty() => What::Frozen(below(&volume.files, &sub)),
                _ => What::Volume(name.to_owned(), sub),
            };
            Mounted {
                path: object::text(mount, "/mountPath")
                    .trim_end_matches('/')
                    .to_owned(),
                what,
            }
        };
        object::list(spec, "/volumeMounts")
            .iter()
            .map(mount)
            .collect()
    }
}

/// The files below a path of a volume; the file at it has an empty name.
fn below(files: &Files, sub: &str) -> Files {
    let sub = sub.trim_matches('/');
    let inside = |path: &str| {
        let rest = path.strip_prefix(sub)?;
        match rest.strip_prefix('/') {
            Some(rest) => Some(rest.to_owned()),
            None => rest.is_empty().then(String::new),
        }
    };
    let found = files.iter();
    found
        .filter_map(|(path, file)| Some((inside(path)?, file.clone())))
        .collect()
}

fn decoded(value: &Value) -> Option<Vec<u8>> {
    STANDARD.decode(value.as_str()?).ok()
}

/// The `data` of a config, as bytes.
pub(super) fn data(config: &Value) -> impl Iterator<Item = (String, Vec<u8>)> {
    let secret = object::text(config, "/kind") == "Secret";
    let plain = |value: &Value| Some(value.as_str()?.as_bytes().to_vec());
    object::entries(config, "/data").filter_map(move |(key, value)| {
        let bytes = if secret { decoded(value) } else { plain(value) };
        Some((key.to_owned(), bytes?))
    })
}

/// All that a config holds, as bytes.
fn content(config: &Value) -> Bytes {
    let binary = object::entries(config, "/binaryData")
        .filter_map(|(key, value)| Some((key.to_owned(), decoded(value)?)));
    data(config).chain(binary).collect()
}

/// Whether a pod names a config anywhere.
fn names(pod: &Value, key: &Key) -> bool {
    let (map, secret) = match key.resource.plural {
        "secrets" => (None, Some(key.name.as_str())),
        _ => (Some(key.name.as_str()), None),
    };
    let is = |value: &Value, path: &str, wanted: Option<&str>| {
        wanted.is_some_and(|wanted| object::text(value, path) == wanted)
    };
    let in_volume = |volume: &Value| {
        is(volume, "/configMap/name", map)
            || is(volume, "/secret/secretName", secret)
            || object::list(volume, "/projected/sources")
                .iter()
                .any(|s| is(s, "/configMap/name", map) || is(s, "/secret/name", secret))
    };
    let in_container = |container: &Value| {
        let from = object::list(container, "/envFrom").iter();
        let keys = object::list(container, "/env").iter();
        from.into_iter()
            .any(|f| is(f, "/configMapRef/name", map) || is(f, "/secretRef/name", secret))
            || keys.into_iter().any(|e| {
                is(e, "/valueFrom/configMapKeyRef/name", map)
                    || is(e, "/valueFrom/secretKeyRef/name", secret)
            })
    };
    object::list(pod, "/spec/volumes").iter().any(in_volume)
        || object::list(pod, "/spec/initContainers")
            .iter()
            .any(in_container)
        || object::list(pod, "/spec/containers")
            .iter()
            .any(in_container)
}
