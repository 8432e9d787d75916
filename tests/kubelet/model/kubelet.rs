//! A node's kubelet: what it reads of the API server, and when.

use std::collections::BTreeMap;

use super::api::Api;
use super::env::{Read, referenced};
use super::volume::Projected;
use super::{Data, Millis};
use confsplit::model::{Container, Volume};

#[derive(Debug)]
pub struct Node {
    /// Its clock before the API server's, in milliseconds.
    pub offset: Millis,
    /// How far its watches are behind.
    pub lag: Millis,
    /// Immutable configs as they were read first: their watch was stopped, and they are not read again while any pod on the node
    /// refers to them, deleted and made anew or not (pkg/kubelet/util/manager/watch_based_manager.go `Get`,
    /// kubernetes/website#42359).
    frozen: BTreeMap<String, Data>,
}

impl Node {
    pub fn new(offset: Millis, lag: Millis) -> Self {
        Self {
            offset,
            lag,
            frozen: BTreeMap::new(),
        }
    }

    /// `GetConfigMap` of the kubelet's manager.
    pub fn read(&mut self, api: &Api, name: &str, at: Millis) -> Option<Data> {
        if let Some(known) = self.frozen.get(name) {
            return Some(known.clone());
        }
        let found = api.at_time(name, at - self.lag)?;
        if found.immutable {
            self.frozen.insert(name.to_owned(), found.data.clone());
        }
        Some(found.data.clone())
    }

    /// The last pod that refers to its configs is gone.
    pub fn forget(&mut self) {
        self.frozen.clear();
    }

    /// What the environment of a container is made from.
    pub fn environment(&mut self, api: &Api, container: &Container, at: Millis) -> Read {
        let names = referenced(container).into_iter();
        names
            .map(|name| {
                let data = self.read(api, &name, at);
                (name, data)
            })
            .collect()
    }

    /// What a volume would be written from.
    pub fn volume(&mut self, api: &Api, volume: &Volume, at: Millis) -> Projected {
        let sources = volume.sources.iter();
        sources
            .map(|source| self.read(api, &source.config.name, at))
            .collect()
    }
}
