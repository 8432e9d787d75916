//! Contents compared: by hash, and by the keys that reach a process.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use crate::model::Content;

/// Which keys of a config reach a process by one use.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Keys {
    pub(crate) set: Set,
    /// Those among them of which it is not known whether they do.
    pub(crate) unsure: Unsure,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Set {
    /// Every key, text and binary, but these (files that another mount or source hides).
    AllExcept(BTreeSet<String>),
    /// Just these.
    Only(BTreeSet<String>),
    /// All text keys but these (variables that another source of the environment overrides).
    TextExcept(BTreeSet<String>),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Unsure {
    Nothing,
    These(BTreeSet<String>),
    /// What decides it is not known.
    Everything,
}

/// Whether a key reaches a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reaches {
    Yes,
    Maybe,
    No,
}

impl From<Set> for Keys {
    fn from(set: Set) -> Self {
        Self {
            set,
            unsure: Unsure::Nothing,
        }
    }
}

impl Keys {
    pub(crate) fn all() -> Self {
        Set::AllExcept(BTreeSet::new()).into()
    }

    pub(crate) fn one(key: &str) -> Self {
        Self::only([key.to_owned()])
    }

    pub(crate) fn only(keys: impl IntoIterator<Item = String>) -> Self {
        Set::Only(keys.into_iter().collect()).into()
    }

    /// No key at all.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(&self.set, Set::Only(keys) if keys.is_empty())
    }

    /// The one key, where it is one.
    pub(crate) fn single(&self) -> Option<&str> {
        match &self.set {
            Set::Only(keys) if keys.len() == 1 => keys.first().map(String::as_str),
            _ => None,
        }
    }

    /// The keys of a content that may reach the process.
    pub(crate) fn of(&self, content: &Content) -> Vec<String> {
        content
            .keys()
            .into_iter()
            .filter(|key| self.reaches(key, content) != Reaches::No)
            .map(str::to_owned)
            .collect()
    }

    /// Whether a key may reach the process, as far as can be said without the content that holds it.
    pub(crate) fn reaches_in(&self, key: &str, content: Option<&Content>) -> bool {
        content.is_none_or(|content| self.reaches(key, content) != Reaches::No)
    }

    pub(crate) fn reaches(&self, key: &str, content: &Content) -> Reaches {
        let within = match &self.set {
            Set::AllExcept(others) => !others.contains(key),
            Set::Only(keys) => keys.contains(key),
            Set::TextExcept(others) => {
                let text = match content {
                    Content::Plain { binary, .. } => !binary.contains_key(key),
                    Content::Hashed(_) => true,
                };
                text && !others.contains(key)
            }
        };
        match (&self.unsure, within) {
            (_, false) => Reaches::No,
            (Unsure::Everything, true) => Reaches::Maybe,
            (Unsure::These(keys), true) if keys.contains(key) => Reaches::Maybe,
            _ => Reaches::Yes,
        }
    }
}

/// Whether two contents are the same as far as these keys go; `None` where it depends on a key that may reach the process or not.
pub(crate) fn same(a: &Content, b: &Content, keys: &Keys) -> Option<bool> {
    let differ = differing(a, b, keys);
    if differ.is_empty() {
        return Some(true);
    }
    let certain = |key: &String| [a, b].iter().any(|c| keys.reaches(key, c) == Reaches::Yes);
    differ.iter().any(certain).then_some(false)
}

/// The keys that differ, among those that may reach the process.
pub(crate) fn differing(a: &Content, b: &Content, keys: &Keys) -> Vec<String> {
    let may = |key: &str| [a, b].iter().any(|c| keys.reaches(key, c) != Reaches::No);
    a.differing(b)
        .filter(|key| may(key))
        .map(str::to_owned)
        .collect()
}

/// The first 12 hex digits of the SHA-256 over keys and values, each with its length so that no two contents run together.
pub(crate) fn hash(content: &Content) -> String {
    let mut hasher = Sha256::new();
    let mut add = |tag: u8, key: &str, value: &[u8]| {
        hasher.update([tag]);
        hasher.update((key.len() as u64).to_be_bytes());
        hasher.update(key.as_bytes());
        hasher.update((value.len() as u64).to_be_bytes());
        hasher.update(value);
    };
    match content {
        Content::Plain { data, binary } => {
            data.iter().for_each(|(k, v)| add(0, k, v.as_bytes()));
            binary.iter().for_each(|(k, v)| add(1, k, v));
        }
        Content::Hashed(keys) => keys.iter().for_each(|(k, v)| add(2, k, v.0.as_bytes())),
    }
    short(&hasher.finalize())
}

/// The first 12 hex digits of the SHA-256 of bytes, as `sha256sum` tells them.
pub fn digest(bytes: &[u8]) -> String {
    short(&Sha256::digest(bytes))
}

fn short(hash: &[u8]) -> String {
    hash.iter()
        .take(6)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests;
