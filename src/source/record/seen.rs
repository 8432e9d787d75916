//! What a change says of ConfigMaps, and of whose they are.

use std::collections::BTreeSet;

use super::Aim;
use crate::model::{Config, ConfigKind, ConfigRef, GapReason, Kind, Object};
use crate::source::{Change, Link};

/// What a change says of ConfigMaps.
#[derive(Debug)]
pub(in crate::source) enum Seen {
    /// Some of a list.
    Listing(Vec<Config>),
    /// The list is complete: what was not in it is gone.
    Listed,
    /// It broke off.
    Unlisted,
    Put(Box<Config>),
    Gone(ConfigRef),
    /// A version came that could not be understood, of this config or of some.
    Missed(Option<ConfigRef>),
    Link(Link),
    /// What tells of them cannot be read.
    Denied(Kind, GapReason),
    /// These are meant, too.
    Meant(BTreeSet<ConfigRef>),
    /// Nothing, but time goes by.
    Tick,
}

impl Seen {
    pub(in crate::source) fn of(change: &Change, aim: &mut Aim) -> Option<Self> {
        match change {
            Change::More {
                kind: Kind::ConfigMaps,
                objects,
            } => Some(Self::Listing(
                objects.iter().filter_map(config_map).collect(),
            )),
            Change::More { objects, .. } => {
                let meant = objects
                    .iter()
                    .flat_map(|object| aim.names(object))
                    .collect();
                Some(Self::Meant(meant))
            }
            Change::Listed {
                kind: Kind::ConfigMaps,
                ..
            } => Some(Self::Listed),
            Change::Failed {
                kind: Kind::ConfigMaps,
                ..
            } => Some(Self::Unlisted),
            Change::Put(object) => match config_map(object) {
                Some(config) => Some(Self::Put(Box::new(config))),
                None => Some(Self::Meant(aim.names(object))),
            },
            Change::Gone {
                kind: Kind::Pods,
                namespace,
                name,
            } => {
                aim.forget(namespace, name);
                None
            }
            Change::Gone {
                kind: Kind::ConfigMaps,
                namespace,
                name,
            } => Some(Self::Gone(reference(namespace, name))),
            Change::Bad(gap) if gap.resource == Kind::ConfigMaps.resource() => {
                let place = gap.namespace.as_ref().zip(gap.name.as_ref());
                Some(Self::Missed(
                    place.map(|(namespace, name)| reference(namespace, name)),
                ))
            }
            // What tells whose they are must be read as well.
            Change::Link {
                kind,
                link: Link::Denied(reason),
            } => Some(Self::Denied(*kind, reason.clone())),
            Change::Link {
                kind: Kind::ConfigMaps,
                link,
            } => Some(Self::Link(link.clone())),
            Change::Beat(_) => Some(Self::Tick),
            _ => None,
        }
    }
}

fn config_map(object: &Object) -> Option<Config> {
    match object {
        Object::Config(config) if config.reference.kind == ConfigKind::ConfigMap => {
            Some(config.clone())
        }
        _ => None,
    }
}

fn reference(namespace: &str, name: &str) -> ConfigRef {
    ConfigRef::new(ConfigKind::ConfigMap, namespace, name)
}
