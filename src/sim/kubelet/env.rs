//! The environment of a container, resolved anew at each start, in the order in which the kubelet resolves it.

use std::sync::Arc;

use serde_json::Value;

use super::PodRun;
use super::volumes::data;
use crate::sim::images;
use crate::sim::nodes;
use crate::sim::object;
use crate::sim::store::Key;
use crate::sim::world::World;

const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Names and values; a name stands once.
type Env = Vec<(String, String)>;

fn put(env: &mut Env, name: &str, value: String) {
    match env.iter_mut().find(|(known, _)| known == name) {
        Some((_, old)) => *old = value,
        None => env.push((name.to_owned(), value)),
    }
}

/// Puts variables in the place of `$(NAME)`; `$$` is a dollar, an unknown one stays as it stands.
pub(super) fn expand(text: &str, env: &[(String, String)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, tail) = rest.split_at(at);
        out.push_str(before);
        if let Some(more) = tail.strip_prefix("$$") {
            out.push('$');
            rest = more;
            continue;
        }
        let named = tail.strip_prefix("$(").and_then(|t| t.split_once(')'));
        match named {
            Some((name, more)) => {
                match env.iter().find(|(known, _)| known == name) {
                    Some((_, value)) => out.push_str(value),
                    None => out.push_str(&format!("$({name})")),
                }
                rest = more;
            }
            None => {
                out.push('$');
                rest = &tail[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// The texts of a config, decoded; what is no text is left out.
fn texts(config: &Value) -> impl Iterator<Item = (String, String)> {
    data(config).filter_map(|(key, bytes)| Some((key, String::from_utf8(bytes).ok()?)))
}

impl World {
    /// A config as a node's kubelet has it: an immutable one that it read is not read again.
    pub(super) fn config(&mut self, node: &str, key: &Key) -> Option<Arc<Value>> {
        let cached = (node.to_owned(), key.clone());
        if let Some(known) = self.kubelet.immutable.get(&cached) {
            return Some(Arc::clone(known));
        }
        let live = self.store.get(key).cloned()?;
        if object::flag(&live, "/immutable") {
            self.kubelet.immutable.insert(cached, Arc::clone(&live));
        }
        Some(live)
    }

    /// A config that something of a pod names; `None` where it is optional, and not there.
    pub(super) fn referred(
        &mut self,
        node: &str,
        key: &Key,
        reference: &Value,
    ) -> Result<Option<Arc<Value>>, String> {
        let config = self.config(node, key);
        if config.is_none() && !object::flag(reference, "/optional") {
            return Err(format!(
                "{} \"{}\" not found",
                key.resource.singular, key.name
            ));
        }
        Ok(config)
    }

    /// The environment of a container, or why it cannot be made.
    pub(super) fn environment(&mut self, uid: &str, spec: &Value) -> Result<Env, String> {
        let Some(run) = self.kubelet.pods.get(uid) else {
            return Err("the pod is gone".to_owned());
        };
        let (node, namespace) = (
            run.node.clone(),
            run.key.namespace.clone().unwrap_or_default(),
        );
        let mut env: Env = Vec::new();
        for from in object::list(spec, "/envFrom") {
            self.env_from(from, &node, &namespace, &mut env)?;
        }
        let mut services = Vec::new();
        if let Some(run) = self.kubelet.pods.get(uid) {
            services = self.service_variables(run, &namespace);
        }
        for variable in object::list(spec, "/env") {
            let name = object::text(variable, "/name");
            let value = object::text(variable, "/value");
            let from = variable.get("valueFrom").filter(|_| value.is_empty());
            match from {
                Some(from) => {
                    if let Some(value) = self.value_from(uid, from, &node, &namespace)? {
                        put(&mut env, name, value);
                    }
                }
                None => {
                    let known: Env = env.iter().chain(&services).cloned().collect();
                    let value = expand(value, &known);
                    put(&mut env, name, value);
                }
            }
        }
        let image = object::text(spec, "/image");
        let mut all = vec![("PATH".to_owned(), PATH.to_owned())];
        if let Some(run) = self.kubelet.pods.get(uid) {
            put(&mut all, "HOSTNAME", run.key.name.clone());
        }
        for (name, value) in images::environment(image) {
            put(&mut all, name, (*value).to_owned());
        }
        for (name, value) in services.into_iter().chain(env) {
            put(&mut all, &name, value);
        }
        Ok(all)
    }

    fn env_from(
        &mut self,
        from: &Value,
        node: &str,
        namespace: &str,
        env: &mut Env,
    ) -> Result<(), String> {
        let prefix = object::text(from, "/prefix");
        for (plural, reference) in [("configmaps", "configMapRef"), ("secrets", "secretRef")] {
            let Some(reference) = from.get(reference) else {
                continue;
            };
            let config = object::key(plural, namespace, object::text(reference, "/name"));
            let config = self.referred(node, &config, reference)?;
            for (key, value) in config.iter().flat_map(|config| texts(config)) {
                put(env, &format!("{prefix}{key}"), value);
            }
        }
        Ok(())
    }

    /// `None`: it is optional, and not there.
    fn value_from(
        &mut self,
        uid: &str,
        from: &Value,
        node: &str,
        namespace: &str,
    ) -> Result<Option<String>, String> {
        for (plural, reference) in [
            ("configmaps", "configMapKeyRef"),
            ("secrets", "secretKeyRef"),
        ] {
            let Some(reference) = from.get(reference) else {
                continue;
            };
            let (name, key) = (
                object::text(reference, "/name"),
                object::text(reference, "/key"),
            );
            let place = object::key(plural, namespace, name);
            let Some(config) = self.referred(node, &place, reference)? else {
                return Ok(None);
            };
            let found = texts(&config).find(|(known, _)| known == key);
            return match found {
                Some((_, value)) => Ok(Some(value)),
                None if object::flag(reference, "/optional") => Ok(None),
                None => Err(format!(
                    "couldn't find key {key} in {} {namespace}/{name}",
                    place.resource.kind
                )),
            };
        }
        let path = object::text(from, "/fieldRef/fieldPath");
        let run = self.kubelet.pods.get(uid);
        Ok(run.filter(|_| !path.is_empty()).map(|run| run.field(path)))
    }

    /// What tells of the Services of the namespace, as it was done before there was DNS.
    fn service_variables(&self, run: &PodRun, namespace: &str) -> Env {
        let mut env = Vec::new();
        let links = run
            .pod
            .pointer("/spec/enableServiceLinks")
            .and_then(Value::as_bool);
        let resource = object::resource("services");
        let own = self.store.list(resource, Some(namespace));
        let master = self
            .store
            .get(&object::key("services", "default", "kubernetes"));
        let own = own
            .filter(|_| links != Some(false))
            .map(|(_, service)| service);
        for service in own.chain(master) {
            let ip = object::text(service, "/spec/clusterIP");
            let Some(port) = object::list(service, "/spec/ports").first() else {
                continue;
            };
            let port = object::number(port, "/port").unwrap_or(0);
            if ip.is_empty() || ip == "None" {
                continue;
            }
            let name = object::name(service).to_uppercase().replace('-', "_");
            put(&mut env, &format!("{name}_SERVICE_HOST"), ip.to_owned());
            put(&mut env, &format!("{name}_SERVICE_PORT"), port.to_string());
            put(
                &mut env,
                &format!("{name}_PORT"),
                format!("tcp://{ip}:{port}"),
            );
            let long = format!("{name}_PORT_{port}_TCP");
            put(&mut env, &long, format!("tcp://{ip}:{port}"));
            put(&mut env, &format!("{long}_PROTO"), "tcp".to_owned());
            put(&mut env, &format!("{long}_PORT"), port.to_string());
            put(&mut env, &format!("{long}_ADDR"), ip.to_owned());
        }
        env
    }
}

impl PodRun {
    /// A field of the pod, as `fieldRef` names it.
    pub(super) fn field(&self, path: &str) -> String {
        let of_map = |map: &str| {
            let key = path.split_once("['")?.1.strip_suffix("']")?;
            let map = self.pod.pointer(map)?;
            Some(map.get(key)?.as_str()?.to_owned())
        };
        match path {
            "metadata.name" => self.key.name.clone(),
            "metadata.namespace" => self.key.namespace.clone().unwrap_or_default(),
            "metadata.uid" => self.uid.clone(),
            "spec.nodeName" => self.node.clone(),
            "spec.serviceAccountName" => "default".to_owned(),
            "status.podIP" | "status.podIPs" => self.ip.clone().unwrap_or_default(),
            "status.hostIP" | "status.hostIPs" => nodes::address(&self.node),
            _ if path.starts_with("metadata.labels[") => {
                of_map("/metadata/labels").unwrap_or_default()
            }
            _ if path.starts_with("metadata.annotations[") => {
                of_map("/metadata/annotations").unwrap_or_default()
            }
            _ => String::new(),
        }
    }
}
