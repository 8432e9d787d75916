//! The environment of a container (kubernetes pkg/kubelet/kubelet_pods.go `makeEnvironmentVariables`).

use std::collections::BTreeMap;

use confsplit::model::{Container, EnvSource};

use super::Data;

/// The configs that a container's environment is made from: each is read once for one start. `None` is one that is not there.
pub type Read = BTreeMap<String, Option<Data>>;

/// Which entry of the container's spec a variable comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    Literal,
    /// The place in `env`.
    Variable(usize),
    /// The place in `envFrom`.
    From(usize),
}

impl By {
    /// The config that it takes from.
    pub fn config(self, container: &Container) -> Option<&str> {
        match self {
            Self::Literal => None,
            Self::From(at) => Some(&container.env_from[at].config.name),
            Self::Variable(at) => match &container.env[at].source {
                EnvSource::Key { config, .. } => Some(&config.name),
                EnvSource::Literal { .. } | EnvSource::File { .. } | EnvSource::Other => None,
            },
        }
    }
}

/// A variable of the process: where it comes from, and the config's key.
pub type Variables = BTreeMap<String, (By, String)>;

/// The names of the configs that `env` and `envFrom` refer to.
pub fn referenced(container: &Container) -> Vec<String> {
    let keys = container.env.iter().filter_map(|v| match &v.source {
        EnvSource::Key { config, .. } => Some(config.name.clone()),
        EnvSource::Literal { .. } | EnvSource::File { .. } | EnvSource::Other => None,
    });
    let mut names: Vec<String> = keys
        .chain(container.env_from.iter().map(|e| e.config.name.clone()))
        .collect();
    names.sort();
    names.dedup();
    names
}

/// `envFrom` in order, a later source over an earlier one; then `env` in order over both. A key or config that is missing and
/// optional sets nothing, so that what was set before stays; one that is not optional holds the container back.
pub fn variables(container: &Container, read: &Read) -> (Variables, bool) {
    let data = |name: &str| read.get(name).and_then(Option::as_ref);
    let mut set = Variables::new();
    let mut complete = true;
    for (at, source) in container.env_from.iter().enumerate() {
        match data(&source.config.name) {
            Some(data) => {
                for key in data.keys() {
                    let name = format!("{}{key}", source.prefix);
                    set.insert(name, (By::From(at), (*key).to_owned()));
                }
            }
            None => complete &= source.optional,
        }
    }
    for (at, variable) in container.env.iter().enumerate() {
        let by = match &variable.source {
            EnvSource::Literal { .. } | EnvSource::File { .. } | EnvSource::Other => {
                (By::Literal, String::new())
            }
            EnvSource::Key {
                config,
                key,
                optional,
            } => {
                if !data(&config.name).is_some_and(|d| d.contains_key(key.as_str())) {
                    complete &= *optional;
                    continue;
                }
                (By::Variable(at), key.clone())
            }
        };
        set.insert(variable.name.clone(), by);
    }
    (set, complete)
}
