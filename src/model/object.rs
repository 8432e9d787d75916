//! The objects that a scope is made of, and how a snapshot takes one in or lets it go.

use super::{
    Config, ConfigKind, ConfigRef, Endpoint, Event, Pod, Service, Shared, Snapshot, Workload,
};

/// One list of the API, named as its resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    ConfigMaps,
    Secrets,
    Pods,
    ReplicaSets,
    Deployments,
    StatefulSets,
    DaemonSets,
    Services,
    EndpointSlices,
    Events,
}

impl Kind {
    pub const ALL: [Self; 10] = [
        Self::ConfigMaps,
        Self::Secrets,
        Self::Pods,
        Self::ReplicaSets,
        Self::Deployments,
        Self::StatefulSets,
        Self::DaemonSets,
        Self::Services,
        Self::EndpointSlices,
        Self::Events,
    ];

    /// As an object of it says itself.
    pub fn name(self) -> &'static str {
        match self {
            Self::ConfigMaps => "ConfigMap",
            Self::Secrets => "Secret",
            Self::Pods => "Pod",
            Self::ReplicaSets => "ReplicaSet",
            Self::Deployments => "Deployment",
            Self::StatefulSets => "StatefulSet",
            Self::DaemonSets => "DaemonSet",
            Self::Services => "Service",
            Self::EndpointSlices => "EndpointSlice",
            Self::Events => "Event",
        }
    }

    /// As RBAC spells it.
    pub fn resource(self) -> &'static str {
        match self {
            Self::ConfigMaps => "configmaps",
            Self::Secrets => "secrets",
            Self::Pods => "pods",
            Self::ReplicaSets => "replicasets",
            Self::Deployments => "deployments",
            Self::StatefulSets => "statefulsets",
            Self::DaemonSets => "daemonsets",
            Self::Services => "services",
            Self::EndpointSlices => "endpointslices",
            Self::Events => "events",
        }
    }

    /// The kind of its objects where they are workloads.
    fn workload(self) -> Option<&'static str> {
        match self {
            Self::ReplicaSets => Some("ReplicaSet"),
            Self::Deployments => Some("Deployment"),
            Self::StatefulSets => Some("StatefulSet"),
            Self::DaemonSets => Some("DaemonSet"),
            _ => None,
        }
    }
}

/// An object of one of the lists, as facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Object {
    Config(Config),
    Pod(Pod),
    Workload(Workload),
    Service(Service),
    /// An EndpointSlice, which is nothing but its endpoints.
    Slice {
        namespace: String,
        name: String,
        endpoints: Vec<Endpoint>,
    },
    Event(Event),
}

impl Snapshot {
    /// Adds an object that is not in it yet.
    pub fn add(&mut self, object: Object) {
        match object {
            Object::Config(x) => self.configs.push(x.into()),
            Object::Pod(x) => self.pods.push(x.into()),
            Object::Workload(x) => self.workloads.push(x.into()),
            Object::Service(x) => self.services.push(x.into()),
            Object::Slice { endpoints, .. } => {
                self.endpoints.extend(endpoints.into_iter().map(Into::into));
            }
            Object::Event(x) => self.events.push(x.into()),
        }
    }

    /// Puts an object in the place of the one with its name, or adds it.
    pub fn put(&mut self, object: Object) {
        match object {
            Object::Config(x) => put(&mut self.configs, x, |a, b| a.reference == b.reference),
            Object::Pod(x) => put(&mut self.pods, x, |a, b| {
                a.reference.name == b.reference.name
                    && a.reference.namespace == b.reference.namespace
            }),
            Object::Workload(x) => put(&mut self.workloads, x, |a, b| a.reference == b.reference),
            Object::Service(x) => put(&mut self.services, x, |a, b| {
                a.name == b.name && a.namespace == b.namespace
            }),
            Object::Event(x) => put(&mut self.events, x, |a, b| {
                a.object == b.object && a.namespace == b.namespace
            }),
            Object::Slice {
                ref namespace,
                ref name,
                ..
            } => {
                self.remove_slice(namespace, name);
                self.add(object);
            }
        }
    }

    /// Lets go of the object of this name.
    pub fn remove(&mut self, kind: Kind, namespace: &str, name: &str) {
        let config = |kind| ConfigRef::new(kind, namespace, name);
        match kind {
            Kind::ConfigMaps => {
                let gone = config(ConfigKind::ConfigMap);
                self.configs.retain(|c| c.reference != gone);
            }
            Kind::Secrets => {
                let gone = config(ConfigKind::Secret);
                self.configs.retain(|c| c.reference != gone);
            }
            Kind::Pods => self
                .pods
                .retain(|p| p.reference.name != name || p.reference.namespace != namespace),
            Kind::ReplicaSets | Kind::Deployments | Kind::StatefulSets | Kind::DaemonSets => {
                self.workloads.retain(|w| {
                    kind.workload() != Some(w.reference.kind.as_str())
                        || w.reference.name != name
                        || w.reference.namespace != namespace
                });
            }
            Kind::Services => self
                .services
                .retain(|s| s.name != name || s.namespace != namespace),
            Kind::EndpointSlices => self.remove_slice(namespace, name),
            Kind::Events => self
                .events
                .retain(|e| e.object.as_deref() != Some(name) || e.namespace != namespace),
        }
    }

    /// Lets go of every object of a list.
    pub fn clear(&mut self, kind: Kind) {
        match kind {
            Kind::ConfigMaps => self
                .configs
                .retain(|c| c.reference.kind != ConfigKind::ConfigMap),
            Kind::Secrets => self
                .configs
                .retain(|c| c.reference.kind != ConfigKind::Secret),
            Kind::Pods => self.pods.clear(),
            Kind::ReplicaSets | Kind::Deployments | Kind::StatefulSets | Kind::DaemonSets => self
                .workloads
                .retain(|w| kind.workload() != Some(w.reference.kind.as_str())),
            Kind::Services => self.services.clear(),
            Kind::EndpointSlices => self.endpoints.clear(),
            Kind::Events => self.events.clear(),
        }
    }

    fn remove_slice(&mut self, namespace: &str, name: &str) {
        self.endpoints
            .retain(|e| e.slice.as_deref() != Some(name) || e.namespace != namespace);
    }
}

fn put<T>(all: &mut Vec<Shared<T>>, fresh: T, same: impl Fn(&T, &T) -> bool) {
    match all.iter_mut().find(|known| same(known, &fresh)) {
        Some(known) => *known = fresh.into(),
        None => all.push(fresh.into()),
    }
}
