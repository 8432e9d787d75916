//! Secrets: hashed with a salt of the run, and taken out of every log. Their values never leave this file.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Mutex;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::model::{Content, Fingerprint};

/// Values at least so long are replaced wherever they stand; shorter ones (to [`SHORTEST`]) only as whole words.
const LONG: usize = 6;
/// Shorter values are not looked for: they would take every second word out of a log.
const SHORTEST: usize = 4;

/// The salt of the run, and the values to take out of logs, wiped when it is dropped.
pub(super) struct Vault {
    salt: [u8; 32],
    known: Mutex<BTreeMap<Zeroizing<String>, String>>,
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Vault")
    }
}

impl Vault {
    pub(super) fn new() -> Self {
        Self {
            salt: salt(),
            known: Mutex::new(BTreeMap::new()),
        }
    }

    /// Hashes a Secret's values and remembers them for [`Vault::redact`].
    pub(super) fn take(
        &self,
        name: &str,
        data: Option<&BTreeMap<String, Zeroizing<String>>>,
    ) -> Content {
        let hashes = data.into_iter().flatten().map(|(key, encoded)| {
            let value = Zeroizing::new(
                STANDARD
                    .decode(encoded.as_bytes())
                    .unwrap_or_else(|_| encoded.as_bytes().to_vec()),
            );
            self.remember(&value, encoded, &format!("[Secret {name}/{key}]"));
            (key.clone(), self.fingerprint(&value))
        });
        Content::Hashed(hashes.collect())
    }

    fn fingerprint(&self, value: &[u8]) -> Fingerprint {
        let mut hasher = Sha256::new();
        hasher.update(self.salt);
        hasher.update(value);
        let digest = hasher.finalize();
        Fingerprint(digest.iter().map(|b| format!("{b:02x}")).collect())
    }

    /// As it is, as base64, and as JSON writes it: so it can stand in a log.
    fn remember(&self, value: &[u8], encoded: &str, instead: &str) {
        let Ok(text) = std::str::from_utf8(value) else {
            return;
        };
        let mut forms = vec![
            Zeroizing::new(text.trim_end_matches(['\r', '\n']).to_owned()),
            Zeroizing::new(encoded.to_owned()),
        ];
        if let Ok(quoted) = serde_json::to_string(text) {
            let quoted = Zeroizing::new(quoted);
            forms.push(Zeroizing::new(quoted.trim_matches('"').to_owned()));
        }
        // A value of several lines stands in a log line by line.
        forms.extend(text.lines().map(|line| Zeroizing::new(line.trim().to_owned())));
        let mut known = self
            .known
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        for form in forms.into_iter().filter(|form| form.len() >= SHORTEST) {
            known.entry(form).or_insert_with(|| instead.to_owned());
        }
    }

    /// The text without any value that is known.
    pub(super) fn redact(&self, text: String) -> String {
        let known = self
            .known
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut by_length: Vec<(&str, &str)> = known
            .iter()
            .map(|(value, instead)| (value.as_str(), instead.as_str()))
            .collect();
        by_length.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        let mut text = text;
        for (value, instead) in by_length {
            if text.contains(value) {
                text = if value.len() >= LONG {
                    text.replace(value, instead)
                } else {
                    replace_words(&text, value, instead)
                };
            }
        }
        text
    }
}

fn replace_words(text: &str, value: &str, instead: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(value) {
        let (before, from) = rest.split_at(at);
        let after = from.get(value.len()..).unwrap_or_default();
        let bound = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        out.push_str(before);
        let last = before.chars().next_back().or_else(|| out.chars().next_back());
        let whole = bound(last) && bound(after.chars().next());
        out.push_str(if whole { instead } else { value });
        rest = after;
    }
    out.push_str(rest);
    out
}

/// 32 bytes that nobody can guess: the standard library's hasher keys come from the operating system, fresh for each thread's
/// first use and then counted on, which is enough to keep a hash from being looked up.
fn salt() -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in 0..8_u64 {
        hasher.update(RandomState::new().hash_one(part).to_be_bytes());
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests;
