//! Where a container shows what it took: the variables and files that hold a config's keys.

use std::collections::BTreeSet;

use super::ConfigUse;
use crate::analysis::content::Reaches;
use crate::analysis::incident::Use;
use crate::model::{Container, Content, Held, Mount, Pod, Probe, ProbedFile, SubPath};

/// Something in a container that holds the value of a key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// The variable's name, or the file's path.
    pub(crate) name: String,
    pub(crate) key: String,
}

/// What a probe read in a place.
pub(crate) struct Reading<'a> {
    pub(crate) place: Place,
    /// `None`: it is not there.
    pub(crate) held: Option<&'a Held>,
    /// Where it is a file and no variable.
    pub(crate) file: Option<&'a ProbedFile>,
}

/// What a probe read of a use, of the keys of all these contents that certainly reach the process.
pub(crate) fn readings<'a, 'c>(
    usage: &ConfigUse,
    (pod, container): (&Pod, &Container),
    contents: impl Iterator<Item = &'c Content>,
    probe: &'a Probe,
) -> Vec<Reading<'a>> {
    let keys = certain_keys(usage, contents);
    let mut found = Vec::new();
    for place in variables(usage, &keys) {
        if let Some(held) = probe.env.as_ref().and_then(|env| env.get(&place.name)) {
            found.push(Reading {
                place,
                held: held.as_ref(),
                file: None,
            });
        }
    }
    for place in files(usage, pod, container, &keys) {
        // One that is not there says nothing: a folder of a subPath is empty once its files were swapped away.
        if let Some(file) = probe.files.iter().find(|f| f.path == place.name) {
            found.push(Reading {
                place,
                held: Some(&file.held),
                file: Some(file),
            });
        }
    }
    found
}

/// The keys that certainly reach a process by a use, of all these contents.
pub(crate) fn certain_keys<'a>(
    usage: &ConfigUse,
    contents: impl Iterator<Item = &'a Content>,
) -> BTreeSet<String> {
    contents
        .flat_map(|content| {
            let keys = content.keys().into_iter();
            keys.filter(|key| usage.keys.reaches(key, content) == Reaches::Yes)
        })
        .map(str::to_owned)
        .collect()
}

/// The variables that hold these keys.
pub(crate) fn variables(usage: &ConfigUse, keys: &BTreeSet<String>) -> Vec<Place> {
    let keys = &(keys - &usage.indirect);
    match &usage.via {
        Use::Env { variable } => {
            let key = usage.keys.single().filter(|key| keys.contains(*key));
            let place = key.map(|key| Place {
                name: variable.clone(),
                key: key.to_owned(),
            });
            place.into_iter().collect()
        }
        Use::EnvFrom { prefix } => keys
            .iter()
            .map(|key| Place {
                name: format!("{prefix}{key}"),
                key: key.clone(),
            })
            // Older kubelets leave out names that begin with a digit.
            .filter(|place| !place.name.starts_with(|c: char| c.is_ascii_digit()))
            .collect(),
        _ => Vec::new(),
    }
}

/// The files that hold these keys, by their paths in the container.
pub(crate) fn files(
    usage: &ConfigUse,
    pod: &Pod,
    container: &Container,
    keys: &BTreeSet<String>,
) -> Vec<Place> {
    let (Use::Volume { path }
    | Use::Projected { path }
    | Use::SubPath { path }
    | Use::InitCopy { path, .. }) = &usage.via
    else {
        return Vec::new();
    };
    let copied = matches!(usage.via, Use::InitCopy { .. });
    let mount = container.mounts.iter().find(|m| m.path == *path);
    let Some(mount) = mount else {
        return Vec::new();
    };
    let place = |key: &String| {
        let file = if copied {
            Some(key.clone())
        } else {
            below_volume(usage, pod, mount, key)
        }?;
        Some(Place {
            name: in_mount(mount, &file, copied)?,
            key: key.clone(),
        })
    };
    keys.iter().filter_map(place).collect()
}

/// The path of a key's file in its volume.
fn below_volume(usage: &ConfigUse, pod: &Pod, mount: &Mount, key: &str) -> Option<String> {
    let volume = pod.volumes.iter().find(|v| v.name == mount.volume)?;
    let source = volume.sources.iter().find(|s| s.config == usage.config)?;
    match &source.items {
        None => Some(key.to_owned()),
        Some(items) => {
            let item = items.iter().find(|(k, _)| k == key)?;
            Some(item.1.clone())
        }
    }
}

/// Where a file of a volume is in the container.
fn in_mount(mount: &Mount, file: &str, copied: bool) -> Option<String> {
    let folder = mount.path.trim_end_matches('/');
    let sub = match &mount.sub_path {
        Some(SubPath::Path(sub)) if !copied => sub.trim_matches('/'),
        Some(SubPath::Expr(_)) if !copied => return None,
        _ => return Some(format!("{folder}/{file}")),
    };
    match file.strip_prefix(sub)? {
        "" => Some(folder.to_owned()),
        rest => rest
            .strip_prefix('/')
            .map(|rest| format!("{folder}/{rest}")),
    }
}

#[cfg(test)]
mod tests;
