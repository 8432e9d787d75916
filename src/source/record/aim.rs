//! Whose ConfigMaps are recorded: all of a scope, one by its name, or those that a workload or a Service's pods name.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::model::{ConfigKind, ConfigRef, Kind, Object, Pod, Service, Target, WorkloadRef};

/// What is asked for, and what is known of it.
#[derive(Debug)]
pub(in crate::source) struct Aim {
    target: Option<Target>,
    /// Pods by namespace and name, where a Service may select them.
    pods: HashMap<(String, String), Pod>,
    /// The selectors of the Service, by namespace.
    selectors: BTreeMap<String, BTreeMap<String, String>>,
}

impl Aim {
    pub(in crate::source) fn new(target: Option<Target>) -> Self {
        Self {
            target,
            pods: HashMap::new(),
            selectors: BTreeMap::new(),
        }
    }

    /// What has to be watched to know.
    pub(in crate::source) fn kinds(&self) -> Vec<Kind> {
        let others: &[Kind] = match &self.target {
            None | Some(Target::Config { .. }) => &[],
            Some(Target::Workload { kind, .. }) => match kind.as_str() {
                "Deployment" | "ReplicaSet" => &[Kind::ReplicaSets],
                _ => &[Kind::Pods],
            },
            Some(Target::Service { .. }) => &[Kind::Services, Kind::Pods],
        };
        [&[Kind::ConfigMaps], others].concat()
    }

    /// Where it is known from the start which ConfigMaps are meant: one name, or all.
    pub(super) fn fixed(&self) -> Option<Option<String>> {
        match &self.target {
            None => Some(None),
            Some(Target::Config { name, .. }) => Some(Some(name.clone())),
            Some(_) => None,
        }
    }

    /// The ConfigMaps that an object shows to be meant.
    pub(super) fn names(&mut self, object: &Object) -> BTreeSet<ConfigRef> {
        let Some(target) = &self.target else {
            return BTreeSet::new();
        };
        match (target, object) {
            (Target::Workload { kind, name }, Object::Workload(workload)) => {
                let is = |known: &WorkloadRef| known.kind == *kind && known.name == *name;
                let meant = is(&workload.reference) || workload.owner.as_ref().is_some_and(is);
                config_maps(workload.configs.iter().filter(|_| meant))
            }
            (Target::Workload { kind, name }, Object::Pod(pod)) => {
                let own = kind == "Pod" && pod.reference.name == *name;
                let owner = pod.owner.as_ref();
                let meant = own || owner.is_some_and(|o| o.kind == *kind && o.name == *name);
                config_maps(pod.configs().filter(|_| meant))
            }
            (Target::Service { name }, Object::Service(service)) if service.name == *name => {
                self.selected_by(service)
            }
            (Target::Service { .. }, Object::Pod(pod)) => {
                let found = self.of_selected(pod);
                let key = (pod.reference.namespace.clone(), pod.reference.name.clone());
                self.pods.insert(key, pod.clone());
                found
            }
            _ => BTreeSet::new(),
        }
    }

    /// A pod is not there any more.
    pub(super) fn forget(&mut self, namespace: &str, name: &str) {
        self.pods.remove(&(namespace.to_owned(), name.to_owned()));
    }

    fn selected_by(&mut self, service: &Service) -> BTreeSet<ConfigRef> {
        let selector = service.selector.clone();
        self.selectors.insert(service.namespace.clone(), selector);
        self.pods
            .values()
            .flat_map(|pod| self.of_selected(pod))
            .collect()
    }

    fn of_selected(&self, pod: &Pod) -> BTreeSet<ConfigRef> {
        let selector = self.selectors.get(&pod.reference.namespace);
        // One without a selector selects nothing.
        let selects = selector.is_some_and(|selector| {
            let mut pairs = selector.iter();
            !selector.is_empty() && pairs.all(|(name, value)| pod.labels.get(name) == Some(value))
        });
        config_maps(pod.configs().filter(|_| selects))
    }
}

fn config_maps<'a>(configs: impl Iterator<Item = &'a ConfigRef>) -> BTreeSet<ConfigRef> {
    let config_maps = configs.filter(|config| config.kind == ConfigKind::ConfigMap);
    config_maps.cloned().collect()
}
