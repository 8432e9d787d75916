//! Mounted files: whole volumes, single files by subPath, and which of them something else hides.

use std::collections::BTreeSet;

use super::ConfigUse;
use super::presence::{Held, Presence};
use crate::analysis::content::{Keys, Set, Unsure};
use crate::analysis::incident::Use;
use crate::analysis::index::Index;
use crate::model::{Container, Mount, Pod, SubPath, Volume, VolumeSource};

pub(super) fn uses(pod: &Pod, container: &Container, index: &Index<'_>) -> Vec<ConfigUse> {
    let mut found = Vec::new();
    for mount in &container.mounts {
        let Some(volume) = pod.volumes.iter().find(|v| v.name == mount.volume) else {
            continue;
        };
        let path = mount.path.clone();
        for (place, source) in volume.sources.iter().enumerate() {
            let via = match &mount.sub_path {
                Some(_) => Use::SubPath { path: path.clone() },
                None if volume.projected => Use::Projected { path: path.clone() },
                None => Use::Volume { path: path.clone() },
            };
            let mut keys = keys(source, mount);
            if let (Set::AllExcept(hidden) | Set::TextExcept(hidden), None) =
                (&mut keys.set, &mount.sub_path)
            {
                hidden.extend(below(container, mount));
            }
            overlay(&mut keys, pod, volume, place, index);
            if !keys.is_empty() {
                let usage = ConfigUse::plain(&source.config, via, keys, source.optional);
                found.push(usage);
            }
        }
    }
    found
}

fn keys(source: &VolumeSource, mount: &Mount) -> Keys {
    match &mount.sub_path {
        Some(SubPath::Path(sub)) => sub_path_keys(source, sub),
        // Which file it is, the environment decides.
        Some(SubPath::Expr(_)) => Keys {
            unsure: Unsure::Everything,
            ..all_keys(source)
        },
        None => all_keys(source),
    }
}

fn all_keys(source: &VolumeSource) -> Keys {
    match &source.items {
        Some(items) => Keys::only(items.iter().map(|(key, _)| key.clone())),
        None => Keys::all(),
    }
}

/// The keys under a subPath: the file itself, or every file below it where it is a folder made by `items`.
fn sub_path_keys(source: &VolumeSource, sub: &str) -> Keys {
    let sub = sub.trim_matches('/');
    let below = |path: &str| {
        path == sub
            || path
                .strip_prefix(sub)
                .is_some_and(|rest| rest.starts_with('/'))
    };
    match &source.items {
        Some(items) => Keys::only(
            items
                .iter()
                .filter(|(_, path)| below(path))
                .map(|(key, _)| key.clone()),
        ),
        None => Keys::one(sub),
    }
}

/// Files of a mount over which the container mounts something else.
fn below(container: &Container, mount: &Mount) -> BTreeSet<String> {
    let folder = mount.path.trim_end_matches('/');
    let others = container.mounts.iter().filter(|other| *other != mount);
    others
        .filter_map(|other| other.path.strip_prefix(folder)?.strip_prefix('/'))
        .map(|file| file.trim_end_matches('/').to_owned())
        .filter(|file| !file.is_empty() && !file.contains('/'))
        .collect()
}

/// In a projected volume a later source's file takes the place of an earlier one's of the same path
/// (`collectData` in pkg/volume/projected/projected.go).
fn overlay(keys: &mut Keys, pod: &Pod, volume: &Volume, place: usize, index: &Index<'_>) {
    let Some((source, later)) = volume.sources.get(place..).and_then(<[_]>::split_first) else {
        return;
    };
    let mut unsure = BTreeSet::new();
    for other in later {
        let held = Held::of(index, &other.config, pod, pod.created);
        let paths: Vec<(&str, Presence)> = match &other.items {
            Some(items) => items
                .iter()
                .map(|(key, path)| (path.as_str(), held.holds(key)))
                .collect(),
            None => held.all().map(|key| (key, held.holds(key))).collect(),
        };
        if other.items.is_none() && held.is_open() {
            keys.unsure = Unsure::Everything;
        }
        for (path, there) in paths {
            let key = match &source.items {
                Some(items) => items
                    .iter()
                    .find(|(_, p)| p == path)
                    .map(|(key, _)| key.as_str()),
                None => Some(path),
            };
            match (key, there) {
                (Some(key), Presence::Yes) => hide(keys, key),
                (Some(key), Presence::Maybe) => {
                    unsure.insert(key.to_owned());
                }
                _ => {}
            }
        }
    }
    if !unsure.is_empty() && keys.unsure == Unsure::Nothing {
        keys.unsure = Unsure::These(unsure);
    }
}

fn hide(keys: &mut Keys, key: &str) {
    match &mut keys.set {
        Set::Only(all) => {
            all.remove(key);
        }
        Set::AllExcept(others) | Set::TextExcept(others) => {
            others.insert(key.to_owned());
        }
    }
}

#[cfg(test)]
mod tests;
