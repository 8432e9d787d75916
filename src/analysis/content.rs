//! Contents compared: by hash, and by the keys that reach a process.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use crate::model::Content;

/// Which keys of a config reach a process by one use.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Keys {
    /// Every key, text and binary.
    All,
    /// Just these.
    Only(BTreeSet<String>),
    /// All text keys but these (environment variables that another source overrides).
    TextExcept(BTreeSet<String>),
}

impl Keys {
    pub(crate) fn one(key: &str) -> Self {
        Self::Only(BTreeSet::from([key.to_owned()]))
    }

    /// The one key, where it is one.
    pub(crate) fn single(&self) -> Option<&str> {
        match self {
            Self::Only(keys) if keys.len() == 1 => keys.first().map(String::as_str),
            _ => None,
        }
    }

    /// The keys of a content that reach the process.
    pub(crate) fn of(&self, content: &Content) -> Vec<String> {
        content
            .keys()
            .into_iter()
            .filter(|key| self.reaches(key, content))
            .map(str::to_owned)
            .collect()
    }

    /// Whether a key reaches the process, as far as can be said without the content that holds it.
    pub(crate) fn reaches_in(&self, key: &str, content: Option<&Content>) -> bool {
        content.is_none_or(|content| self.reaches(key, content))
    }

    fn reaches(&self, key: &str, content: &Content) -> bool {
        match self {
            Self::All => true,
            Self::Only(keys) => keys.contains(key),
            Self::TextExcept(keys) => {
                let text = match content {
                    Content::Plain { binary, .. } => !binary.contains_key(key),
                    Content::Hashed(_) => true,
                };
                text && !keys.contains(key)
            }
        }
    }
}

/// Whether two contents are the same as far as these keys go.
pub(crate) fn same(a: &Content, b: &Content, keys: &Keys) -> bool {
    differing(a, b, keys).is_empty()
}

/// The keys that differ, among those that reach the process.
pub(crate) fn differing(a: &Content, b: &Content, keys: &Keys) -> Vec<String> {
    a.keys()
        .union(&b.keys())
        .filter(|key| keys.reaches(key, a) || keys.reaches(key, b))
        .filter(|key| !a.same_at(b, key))
        .map(|key| (*key).to_owned())
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
