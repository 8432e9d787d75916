//! The nodes and namespaces of a new cluster, as kind makes them, and the Leases by which nodes tell that they live.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use super::object::{self, micros, seconds};
use super::store::Write;
use super::world::World;

/// Nodes that run pods.
pub(crate) const WORKERS: [&str; 2] = ["kind-worker", "kind-worker2"];
const ALL: [&str; 3] = ["kind-control-plane", WORKERS[0], WORKERS[1]];
const NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];
/// A Lease is renewed so often.
const RENEWAL: TimeDelta = TimeDelta::seconds(10);
/// A node was booted so long before the cluster began.
const UPTIME: TimeDelta = TimeDelta::hours(31);

/// The number of a node in the addresses of its pods: `10.244.N.x`.
pub(crate) fn number(node: &str) -> usize {
    ALL.iter().position(|name| *name == node).unwrap_or(9)
}

/// The address of a node.
pub(crate) fn address(node: &str) -> String {
    format!("172.18.0.{}", number(node) + 2)
}

/// The address by which a node's kubelet reaches its pods.
pub(crate) fn gateway(node: &str) -> String {
    format!("10.244.{}.1", number(node))
}

impl World {
    /// When a node was booted.
    pub(crate) fn booted(&self) -> DateTime<Utc> {
        self.began - UPTIME
    }

    /// What a cluster has before anyone uses it.
    pub(crate) fn furnish(&mut self) {
        let now = self.now;
        let write = Write::by("kube-apiserver", now);
        for name in NAMESPACES {
            let namespace = json!({
                "apiVersion": "v1",
                "kind": "Namespace",
                "metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}},
                "spec": {"finalizers": ["kubernetes"]},
                "status": {"phase": "Active"},
            });
            let key = object::key("namespaces", "", name);
            let _ = self.store.create(&key, namespace, &write);
        }
        let service = json!({
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "kubernetes", "namespace": "default", "labels": {"component": "apiserver", "provider": "kubernetes"}},
            "spec": {
                "clusterIP": "10.96.0.1", "clusterIPs": ["10.96.0.1"], "type": "ClusterIP",
                "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}],
            },
            "status": {"loadBalancer": {}},
        });
        let key = object::key("services", "default", "kubernetes");
        let _ = self.store.create(&key, service, &write);
        for name in ALL {
            let kubelet = Write::by("kubelet", now);
            let key = object::key("nodes", "", name);
            let _ = self.store.create(&key, node(name, now), &kubelet);
            let lease = json!({
                "apiVersion": "coordination.k8s.io/v1",
                "kind": "Lease",
                "metadata": {"name": name, "namespace": "kube-node-lease"},
                "spec": {"holderIdentity": name, "leaseDurationSeconds": 40, "renewTime": micros(now)},
            });
            let key = object::key("leases", "kube-node-lease", name);
            let _ = self.store.create(&key, lease, &kubelet);
        }
        self.renewed = now;
        self.furnish_roles();
    }

    /// Renews the Leases once for however long it was not done, so that an hour costs no more than a second.
    pub(crate) fn renew_leases(&mut self) {
        let rounds = (self.now - self.renewed).num_seconds() / RENEWAL.num_seconds();
        if rounds <= 0 {
            return;
        }
        self.renewed += TimeDelta::seconds(rounds * RENEWAL.num_seconds());
        let write = Write::by("kubelet", self.now);
        for name in ALL {
            let key = object::key("leases", "kube-node-lease", name);
            if let Some(lease) = self.store.get(&key) {
                let mut lease = Value::clone(lease);
                lease["spec"]["renewTime"] = json!(micros(self.renewed));
                let _ = self.store.update(&key, lease, &write);
            }
        }
    }
}

fn node(name: &str, now: DateTime<Utc>) -> Value {
    let control = number(name) == 0;
    let mut labels = json!({
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
    });
    let mut spec = json!({
        "podCIDR": format!("10.244.{}.0/24", number(name)),
        "podCIDRs": [format!("10.244.{}.0/24", number(name))],
    });
    if control {
        labels["node-role.kubernetes.io/control-plane"] = json!("");
        spec["taints"] =
            json!([{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}]);
    }
    let size =
        json!({"cpu": "4", "memory": "16384256Ki", "pods": "110", "ephemeral-storage": "256Gi"});
    let condition = |kind: &str, status: &str, reason: &str, message: &str| {
        json!({
            "type": kind, "status": status, "reason": reason, "message": message,
            "lastHeartbeatTime": seconds(now), "lastTransitionTime": seconds(now),
        })
    };
    json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels, "annotations": {
            "node.alpha.kubernetes.io/ttl": "0",
            "volumes.kubernetes.io/controller-managed-attach-detach": "true",
        }},
        "spec": spec,
        "status": {
            "addresses": [
                {"type": "InternalIP", "address": address(name)},
                {"type": "Hostname", "address": name},
            ],
            "capacity": size,
            "allocatable": size,
            "conditions": [
                condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
                condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
                condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
                condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
            ],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            "nodeInfo": {
                "architecture": "amd64", "operatingSystem": "linux", "osImage": "Debian GNU/Linux 12 (bookworm)",
                "kernelVersion": "6.8.0-45-generic", "containerRuntimeVersion": "containerd://2.1.4",
                "kubeletVersion": "v1.37.0", "kubeProxyVersion": "", "machineID": "", "systemUUID": "", "bootID": "",
            },
        },
    })
}
