//! What truly reached a process by one use, and what live would give the same use.

use std::collections::BTreeSet;

use confsplit::analysis::Use;
use confsplit::model::Container;

use crate::model::Data;
use crate::model::Millis;
use crate::model::env::{By, Read, referenced, variables};
use crate::model::pod::Run;
use crate::model::volume::{Projected, files, shows};
use crate::model::world::World;
use crate::play::Played;

/// One use of one config in one run of a container.
#[derive(Debug)]
pub struct Truth {
    /// What the config held when the process took it; of files, when it read them last. Nothing of a config that was missing.
    pub loaded: Data,
    /// The same, of its start.
    pub at_start: Data,
    pub live: Data,
    /// The keys that reach the process if the config holds them: beside what it took the other configs held.
    reached: BTreeSet<String>,
    /// The keys that would reach it now.
    reaching: BTreeSet<String>,
}

impl Truth {
    /// Whether the process has what live would give it.
    pub fn is_live(&self) -> bool {
        let keys = self.reached.union(&self.reaching);
        same(&self.loaded, &self.live, keys.map(String::as_str))
    }

    /// Whether a content is what the process took, as far as that reached it.
    pub fn is_loaded(&self, content: &Data, at_start: bool) -> bool {
        let loaded = if at_start {
            &self.at_start
        } else {
            &self.loaded
        };
        same(loaded, content, self.reached.iter().map(String::as_str))
    }
}

fn same<'a>(a: &Data, b: &Data, mut keys: impl Iterator<Item = &'a str>) -> bool {
    keys.all(|key| a.get(key) == b.get(key))
}

/// A use of a config in a run, at a moment. Live is what was listed as that.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    pub played: &'a Played,
    pub container: &'a Container,
    pub run: &'a Run,
    pub config: &'a str,
    pub at: Millis,
}

/// The truth of a use.
pub fn truth(asked: Asked<'_>, via: &Use) -> Truth {
    let Asked {
        container, config, ..
    } = asked;
    match via {
        Use::Env { variable } => {
            let at = container.env.iter().rposition(|v| v.name == *variable);
            of_environment(asked, By::Variable(at.unwrap()))
        }
        Use::EnvFrom { prefix } => {
            let mut sources = container.env_from.iter();
            let at = sources.position(|e| e.config.name == config && e.prefix == *prefix);
            of_environment(asked, By::From(at.unwrap()))
        }
        Use::Volume { path } | Use::SubPath { path } | Use::Projected { path } => {
            of_files(asked, path)
        }
        Use::InitCopy { init, .. } => of_copy(asked, init),
        Use::Api => unreachable!("no program of the model reads the API"),
    }
}

/// What the init container took by its one way.
fn of_copy(asked: Asked<'_>, init: &str) -> Truth {
    let world = &asked.played.world;
    let place = world.template.init().unwrap();
    let container = &world.template.containers[place];
    assert_eq!(container.name, init);
    let mut pods = world.pods.iter();
    let pod = pods.find(|pod| {
        pod.containers
            .iter()
            .any(|c| c.runs.iter().any(|r| r.id == asked.run.id))
    });
    let run = pod.unwrap().containers[place].runs.last().unwrap();
    let asked = Asked {
        container,
        run,
        at: run.started,
        ..asked
    };
    if !container.env.is_empty() {
        return of_environment(asked, By::Variable(0));
    }
    if !container.env_from.is_empty() {
        return of_environment(asked, By::From(0));
    }
    of_files(asked, &container.mounts[0].path)
}

impl Asked<'_> {
    fn live(&self, name: &str) -> Option<Data> {
        let (_, version) = self.played.listed;
        let found = self.played.world.api.at_version(name, version)?;
        Some(found.data.clone())
    }
}

fn of_environment(asked: Asked<'_>, by: By) -> Truth {
    let Asked {
        container,
        run,
        config,
        ..
    } = asked;
    let names = referenced(container).into_iter();
    let live: Read = names
        .map(|name| {
            let data = asked.live(&name);
            (name, data)
        })
        .collect();
    let held = |read: &Read| read[config].clone().unwrap_or_default();
    let keys = |read: &Read| {
        let reaches = |key: &&str| {
            let mut read = read.clone();
            let data = read.get_mut(config).unwrap().get_or_insert_default();
            data.insert(known_key(key), "");
            let (set, _) = variables(container, &read);
            set.values().any(|(from, of)| *from == by && of == key)
        };
        all_keys().filter(reaches).map(str::to_owned).collect()
    };
    let loaded = held(&run.environment);
    Truth {
        at_start: loaded.clone(),
        loaded,
        live: held(&live),
        reached: keys(&run.environment),
        reaching: keys(&live),
    }
}

fn of_files(asked: Asked<'_>, path: &str) -> Truth {
    let Asked {
        container,
        run,
        config,
        ..
    } = asked;
    let world: &World = &asked.played.world;
    let mount = container.mounts.iter().find(|m| m.path == path).unwrap();
    let place = world.template.volume(&mount.volume);
    let volume = &world.template.volumes[place];
    let mut sources = volume.sources.iter();
    let source = sources.position(|s| s.config.name == config).unwrap();
    let live: Projected = volume
        .sources
        .iter()
        .map(|s| asked.live(&s.config.name))
        .collect();
    let (start, now) = match mount.sub_path {
        Some(_) => (&run.bound[place], &run.bound[place]),
        None => (&run.views[0].1[place], &run.view(asked.at)[place]),
    };
    let held = |contents: &Projected| contents[source].clone().unwrap_or_default();
    let keys = |contents: &Projected| {
        let reaches = |key: &&str| {
            let mut contents = contents.clone();
            let data = contents[source].get_or_insert_default();
            data.insert(known_key(key), "");
            let (found, _) = files(volume, &contents);
            let mut found = found.iter();
            found.any(|(path, (from, of))| shows(mount, path) && *from == source && of == key)
        };
        all_keys().filter(reaches).map(str::to_owned).collect()
    };
    Truth {
        at_start: held(start),
        loaded: held(now),
        live: held(&live),
        reached: keys(now),
        reaching: keys(&live),
    }
}

fn all_keys() -> impl Iterator<Item = &'static str> {
    crate::play::KEYS.into_iter()
}

fn known_key(key: &str) -> &'static str {
    all_keys().find(|known| *known == key).unwrap()
}
