//! The files of a container: what is mounted, and the little of the image that is looked at.

use std::collections::BTreeSet;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::disks::{File, What};
use super::{Container, PodRun};

/// What is at a path.
#[derive(Debug)]
pub(super) enum Node<'a> {
    File(&'a File),
    Folder(Folder<'a>),
}

/// A folder of a mount.
#[derive(Debug)]
pub(super) struct Folder<'a> {
    /// Names in it, and the files that they are; `None` for a folder.
    pub(super) entries: Vec<(String, Option<&'a File>)>,
    /// At the root of a volume that the kubelet writes: where `..data` leads.
    pub(super) stamp: Option<&'a str>,
    pub(super) modified: DateTime<Utc>,
}

impl PodRun {
    /// What a container has at a path, if it is of a mount.
    pub(super) fn at<'a>(&'a self, container: &'a Container, path: &str) -> Option<Node<'a>> {
        let path = path.trim_end_matches('/');
        let inside = |mount: &str| {
            let rest = path.strip_prefix(mount)?;
            (rest.is_empty() || rest.starts_with('/'))
                .then(|| rest.trim_start_matches('/').to_owned())
        };
        let mounts = container.mounts.iter();
        let fitting = mounts.filter_map(|mount| Some((mount, inside(&mount.path)?)));
        let (mount, rest) = fitting.max_by_key(|(mount, _)| mount.path.len())?;
        let (files, root, stamp, modified) = match &mount.what {
            What::Frozen(files) => (files, String::new(), None, self.since),
            What::Volume(name, root) => {
                let volume = self.volumes.get(name)?;
                let stamp = volume.stamp.as_deref();
                (&volume.files, root.clone(), stamp, volume.swapped)
            }
        };
        // `..data` and the folder that it leads to hold the same files.
        let data = rest
            .strip_prefix("..data")
            .or_else(|| rest.strip_prefix(stamp?));
        let shown = data.map_or(rest.as_str(), |rest| rest.trim_start_matches('/'));
        let full = [root.trim_matches('/'), shown]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("/");
        if let Some(file) = files.get(&full) {
            return Some(Node::File(file));
        }
        let prefix = if full.is_empty() {
            full
        } else {
            format!("{full}/")
        };
        let below = files
            .iter()
            .filter_map(|(path, file)| Some((path.strip_prefix(&prefix)?, file)));
        let mut seen = BTreeSet::new();
        let mut entries = Vec::new();
        for (rest, file) in below {
            let (name, deeper) = rest
                .split_once('/')
                .map_or((rest, false), |(name, _)| (name, true));
            if seen.insert(name.to_owned()) {
                entries.push((name.to_owned(), (!deeper).then_some(file)));
            }
        }
        let there = !entries.is_empty() || prefix.is_empty();
        there.then(|| {
            Node::Folder(Folder {
                entries,
                stamp: stamp.filter(|_| prefix.is_empty() && data.is_none()),
                modified,
            })
        })
    }

    /// The text of a file.
    pub(super) fn text(&self, container: &Container, path: &str) -> Option<String> {
        match self.at(container, path)? {
            Node::File(file) => Some(String::from_utf8_lossy(&file.bytes).into_owned()),
            Node::Folder(_) => None,
        }
    }

    /// The names of the files in a folder; `None` where nothing is mounted.
    pub(super) fn names(&self, container: &Container, folder: &str) -> Option<Vec<String>> {
        match self.at(container, folder)? {
            Node::Folder(folder) => {
                Some(folder.entries.into_iter().map(|(name, _)| name).collect())
            }
            Node::File(_) => None,
        }
    }

    /// Writes a file into a volume, as a program of an init container does.
    pub(super) fn write_file(
        &mut self,
        name: &str,
        path: &str,
        bytes: Vec<u8>,
        now: DateTime<Utc>,
    ) {
        let Some(container) = self.container(name) else {
            return;
        };
        let place = container.mounts.iter().find_map(|mount| {
            let rest = path.strip_prefix(&mount.path)?.strip_prefix('/')?;
            match &mount.what {
                What::Volume(volume, root) => {
                    let root = root.trim_matches('/');
                    let inside = if root.is_empty() {
                        rest.to_owned()
                    } else {
                        format!("{root}/{rest}")
                    };
                    Some((volume.clone(), inside))
                }
                What::Frozen(_) => None,
            }
        });
        let Some((volume, inside)) = place else {
            return;
        };
        let volume = self.volumes.entry(volume).or_default();
        // What the kubelet writes is mounted read-only.
        if volume.stamp.is_none() {
            let bytes = Arc::from(bytes);
            let file = File {
                bytes,
                modified: now,
            };
            volume.swapped = now;
            volume.files.insert(inside, file);
        }
    }
}
