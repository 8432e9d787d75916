//! `env` and `envFrom`, as the kubelet makes an environment of them (`makeEnvironmentVariables` in
//! pkg/kubelet/kubelet_pods.go): the sources of `envFrom` in their order, a later one over an earlier; then `env` in its order
//! over all of them, where a name that stands twice counts as it stands last, an optional key that is missing leaves what was
//! there, and `$(VARIABLE)` takes what that variable holds at this place.

use std::collections::{BTreeMap, BTreeSet};

use super::ConfigUse;
use super::presence::{Held, Presence};
use crate::analysis::content::{Keys, Set, Unsure};
use crate::analysis::incident::Use;
use crate::analysis::index::Index;
use crate::model::{Container, EnvSource, EnvVar, Pod};

/// Where a part of a variable's value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    /// An entry of `env`, by its place.
    Key(usize),
    /// A source of `envFrom`, by its place; its key is the variable's name without the prefix.
    From(usize),
}

/// Each origin of a value with the variable under which it came, and whether that is certain.
type Value<'a> = BTreeMap<(Origin, &'a str), bool>;

/// A container's environment in the making.
struct Making<'a> {
    container: &'a Container,
    held: Vec<Held<'a>>,
    optional: BTreeMap<usize, Held<'a>>,
    /// The variables that `env` and the command name: of the others only the order of the sources decides.
    named: BTreeMap<&'a str, Value<'a>>,
}

pub(super) fn uses(pod: &Pod, container: &Container, index: &Index<'_>) -> Vec<ConfigUse> {
    if container.env.is_empty() && container.env_from.is_empty() {
        return Vec::new();
    }
    let mut making = Making::new(pod, container, index);
    for (place, variable) in container.env.iter().enumerate() {
        making.set(place, variable);
    }
    let reached = making.reached();
    let mut found = making.of_env(&reached);
    found.extend(making.of_env_from(&reached));
    found
}

impl<'a> Making<'a> {
    fn new(pod: &Pod, container: &'a Container, index: &Index<'a>) -> Self {
        let since = container.started_at();
        let sources = container.env_from.iter();
        let held = sources.map(|source| Held::of(index, &source.config, pod, since));
        let optional = container
            .env
            .iter()
            .enumerate()
            .filter_map(|(place, v)| match &v.source {
                EnvSource::Key {
                    config,
                    optional: true,
                    ..
                } => Some((place, Held::of(index, config, pod, since))),
                _ => None,
            });
        let mut making = Self {
            optional: optional.collect(),
            container,
            held: held.collect(),
            named: BTreeMap::new(),
        };
        for variable in &container.env {
            making.begin(&variable.name);
            if let EnvSource::Literal { expands } = &variable.source {
                expands.iter().for_each(|name| making.begin(name));
            }
        }
        making
    }

    /// What `envFrom` alone gives a variable.
    fn begin(&mut self, name: &'a str) {
        if self.named.contains_key(name) {
            return;
        }
        let mut value = Value::new();
        let mut certain = true;
        for (place, held) in self.held.iter().enumerate().rev() {
            let Some(key) = self.key(place, name) else {
                continue;
            };
            match held.holds(key) {
                Presence::No => {}
                Presence::Maybe => {
                    value.insert((Origin::From(place), name), false);
                    certain = false;
                }
                Presence::Yes => {
                    value.insert((Origin::From(place), name), certain);
                    break;
                }
            }
        }
        self.named.insert(name, value);
    }

    /// The key that gives a variable in a source of `envFrom`.
    fn key(&self, place: usize, name: &'a str) -> Option<&'a str> {
        let source = self.container.env_from.get(place)?;
        name.strip_prefix(source.prefix.as_str())
    }

    /// An entry of `env`.
    fn set(&mut self, place: usize, variable: &'a EnvVar) {
        let name = variable.name.as_str();
        let value = match &variable.source {
            EnvSource::Literal { expands } => {
                let parts = expands.iter().filter_map(|v| self.named.get(v.as_str()));
                let mut whole = Value::new();
                for (origin, certain) in parts.flatten() {
                    *whole.entry(*origin).or_default() |= certain;
                }
                whole
            }
            EnvSource::Key { key, .. } => {
                let mut value = Value::from([((Origin::Key(place), name), true)]);
                let there = self.optional.get(&place).map(|held| held.holds(key));
                // Where the key may be missing, what was there before may be still.
                if let Some(Presence::Maybe | Presence::No) = there {
                    let before = self.named.get(name).into_iter().flatten();
                    let certainly = there == Some(Presence::No);
                    value.extend(before.map(|(origin, sure)| (*origin, *sure && certainly)));
                }
                value
            }
            EnvSource::File { optional: true, .. } => {
                let before = self.named.get(name).into_iter().flatten();
                before.map(|(origin, _)| (*origin, false)).collect()
            }
            EnvSource::File { .. } | EnvSource::Other => Value::new(),
        };
        self.named.insert(name, value);
    }

    /// The origins that are in any variable at the end.
    fn reached(&self) -> Value<'a> {
        let mut all = Value::new();
        for (origin, certain) in self.named.values().flatten() {
            *all.entry(*origin).or_default() |= certain;
        }
        all
    }

    fn of_env(&self, reached: &Value<'_>) -> Vec<ConfigUse> {
        let mut found = Vec::new();
        for (place, variable) in self.container.env.iter().enumerate() {
            let EnvSource::Key {
                config,
                key,
                optional,
            } = &variable.source
            else {
                continue;
            };
            let Some(certain) = reached.get(&(Origin::Key(place), variable.name.as_str())) else {
                continue;
            };
            let mut keys = Keys::one(key);
            if !certain {
                keys.unsure = Unsure::Everything;
            }
            let via = Use::Env {
                variable: variable.name.clone(),
            };
            found.push(ConfigUse {
                indirect: self.indirect_at(place),
                ..ConfigUse::plain(config, via, keys, *optional)
            });
        }
        found
    }

    fn of_env_from(&self, reached: &Value<'_>) -> Vec<ConfigUse> {
        let sources = self.container.env_from.iter().enumerate();
        sources
            .map(|(place, source)| {
                let via = Use::EnvFrom {
                    prefix: source.prefix.clone(),
                };
                let keys = self.keys_from(place, reached);
                ConfigUse {
                    indirect: self.indirect_from(place),
                    ..ConfigUse::plain(&source.config, via, keys, source.optional)
                }
            })
            .collect()
    }

    /// The key of an entry whose name a later one takes.
    fn indirect_at(&self, place: usize) -> BTreeSet<String> {
        let Some(EnvVar {
            name,
            source: EnvSource::Key { key, .. },
        }) = self.container.env.get(place)
        else {
            return BTreeSet::new();
        };
        let mut later = self.container.env.iter().skip(place + 1);
        let taken = later.any(|variable| variable.name == *name);
        taken.then(|| key.clone()).into_iter().collect()
    }

    /// The keys of a source whose names an entry of `env` takes.
    fn indirect_from(&self, place: usize) -> BTreeSet<String> {
        let names = self.container.env.iter().map(|v| v.name.as_str());
        let keys = names.filter_map(|name| self.key(place, name));
        keys.map(str::to_owned).collect()
    }

    /// Which keys of a source of `envFrom` reach the process.
    fn keys_from(&self, place: usize, reached: &Value<'_>) -> Keys {
        let mut overridden = BTreeSet::new();
        let mut unsure = BTreeSet::new();
        for name in self.named.keys() {
            let Some(key) = self.key(place, name) else {
                continue;
            };
            match reached.get(&(Origin::From(place), *name)) {
                Some(true) => {}
                Some(false) => {
                    unsure.insert(key.to_owned());
                }
                // Not there in any version that is known, so it is not overridden either.
                None if self.held[place].holds(key) == Presence::No => {}
                None => {
                    overridden.insert(key.to_owned());
                }
            }
        }
        let mut open = false;
        for (later, held) in self.held.iter().enumerate().skip(place + 1) {
            open |= held.is_open();
            let prefix = self.container.env_from[later].prefix.as_str();
            for other in held.all() {
                let name = format!("{prefix}{other}");
                let Some(key) = name.strip_prefix(self.container.env_from[place].prefix.as_str())
                else {
                    continue;
                };
                if self.named.contains_key(name.as_str()) {
                    continue;
                }
                if held.holds(other) == Presence::Yes {
                    overridden.insert(key.to_owned());
                } else {
                    unsure.insert(key.to_owned());
                }
            }
        }
        Keys {
            set: Set::TextExcept(overridden),
            unsure: match (open, unsure.is_empty()) {
                (true, _) => Unsure::Everything,
                (false, true) => Unsure::Nothing,
                (false, false) => Unsure::These(unsure),
            },
        }
    }
}

#[cfg(test)]
mod tests;
