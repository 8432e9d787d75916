//! EndpointSlices: the addresses of the pods that a Service selects, and which of them serve.

use serde_json::{Value, json};

use super::MANAGER;
use crate::sim::object::{self, seconds};
use crate::sim::store::{Deletion, Key, Write};
use crate::sim::world::World;

const SERVICE: &str = "kubernetes.io/service-name";

impl World {
    pub(crate) fn sync_endpoints(&mut self, key: &Key) {
        let namespace = key.namespace.clone().unwrap_or_default();
        let slice = self.slice_of(&namespace, &key.name);
        let service = self.store.get(key).cloned();
        let selected = service.filter(|service| {
            let selector = &service["spec"]["selector"];
            selector.as_object().is_some_and(|map| !map.is_empty())
        });
        let Some(service) = selected else {
            if let Some(slice) = slice.filter(|_| self.store.get(key).is_none()) {
                let write = Write::by(MANAGER, self.now);
                let _ = self.store.delete(&slice, &Deletion::default(), &write);
            }
            return;
        };
        let endpoints = self.endpoints_of(&service, &namespace);
        let ports = self.ports_of(&service, &namespace);
        let trigger = seconds(self.now);
        if let Some(slice) = slice {
            self.change(&slice, |slice| {
                if slice["endpoints"] == endpoints && slice["ports"] == ports {
                    return;
                }
                slice["endpoints"] = endpoints;
                slice["ports"] = ports;
                slice["metadata"]["annotations"]["endpoints.kubernetes.io/last-change-trigger-time"] =
                    json!(trigger);
            });
            return;
        }
        let prefix = format!("{}-", key.name);
        let name = format!("{prefix}{}", self.random.suffix());
        let object = json!({
            "apiVersion": "discovery.k8s.io/v1",
            "kind": "EndpointSlice",
            "metadata": {
                "name": name,
                "generateName": prefix,
                "namespace": namespace,
                "annotations": {"endpoints.kubernetes.io/last-change-trigger-time": trigger},
                "labels": {
                    "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
                    SERVICE: key.name,
                },
                "ownerReferences": [object::owner_reference(&service)],
            },
            "addressType": "IPv4",
            "endpoints": endpoints,
            "ports": ports,
        });
        let _ = self.make(&object::key("endpointslices", &namespace, &name), object);
    }

    /// The slice of a Service.
    pub(crate) fn slice_of(&self, namespace: &str, service: &str) -> Option<Key> {
        let slices = object::resource("endpointslices");
        let mut slices = self.store.list(slices, Some(namespace));
        let found = slices.find(|(_, slice)| object::labels(slice)[SERVICE] == service);
        found.map(|(key, _)| key.clone())
    }

    fn endpoints_of(&self, service: &Value, namespace: &str) -> Value {
        let always = object::flag(service, "/spec/publishNotReadyAddresses");
        let pods = self.store.list(object::resource("pods"), Some(namespace));
        let selected = pods.filter(|(_, pod)| {
            object::is_selected(&service["spec"]["selector"], object::labels(pod))
                && !object::text(pod, "/status/podIP").is_empty()
                && !matches!(object::text(pod, "/status/phase"), "Succeeded" | "Failed")
        });
        let endpoint = |pod: &Value| {
            let terminating = object::is_deleting(pod);
            let serving = object::is_ready(pod);
            json!({
                "addresses": [pod["status"]["podIP"]],
                "conditions": {
                    "ready": always || serving && !terminating,
                    "serving": serving,
                    "terminating": terminating,
                },
                "nodeName": pod["spec"]["nodeName"],
                "targetRef": {
                    "kind": "Pod",
                    "name": object::name(pod),
                    "namespace": namespace,
                    "uid": object::uid(pod),
                },
            })
        };
        selected.map(|(_, pod)| endpoint(pod)).collect()
    }

    fn ports_of(&self, service: &Value, namespace: &str) -> Value {
        let port = |port: &Value| {
            json!({
                "name": object::text(port, "/name"),
                "port": self.target_port(service, namespace, port),
                "protocol": port.get("protocol").cloned().unwrap_or(json!("TCP")),
            })
        };
        object::list(service, "/spec/ports")
            .iter()
            .map(port)
            .collect()
    }

    /// The number of a port in the pods; they may give it a name.
    fn target_port(&self, service: &Value, namespace: &str, port: &Value) -> i64 {
        let published = object::number(port, "/port").unwrap_or(0);
        let named = object::text(port, "/targetPort");
        if named.is_empty() {
            return object::number(port, "/targetPort")
                .filter(|n| *n > 0)
                .unwrap_or(published);
        }
        let pods = self.store.list(object::resource("pods"), Some(namespace));
        let selector = &service["spec"]["selector"];
        let found = pods
            .filter(|(_, pod)| object::is_selected(selector, object::labels(pod)))
            .flat_map(|(_, pod)| object::list(pod, "/spec/containers"))
            .flat_map(|container| object::list(container, "/ports"))
            .find(|port| object::text(port, "/name") == named);
        found
            .and_then(|port| object::number(port, "/containerPort"))
            .unwrap_or(published)
    }
}
