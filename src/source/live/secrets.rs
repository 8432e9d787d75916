//! Secrets: hashed with a salt of the run, and taken out of every log. Their values never leave this file.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{LazyLock, Mutex, MutexGuard};

use aho_corasick::{AhoCorasick, Input, MatchKind};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use regex::{Captures, Regex};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::model::{ContainerState, Content, Fingerprint, Object};

/// Values at least so long are replaced wherever they stand; shorter ones (to [`SHORTEST`]) only as whole words.
const LONG: usize = 6;
/// Shorter values are not looked for: they would take every second word out of a log.
const SHORTEST: usize = 4;
/// Lines of a longer value are looked for from this length on.
const LINE: usize = 16;

/// The salt of the run, and the values to take out of logs, wiped when it is dropped.
pub(super) struct Vault {
    salt: [u8; 32],
    known: Mutex<Values>,
}

/// The values, and what finds them all in one pass: made when it is needed and there are new ones.
#[derive(Default)]
struct Values {
    all: Vec<Known>,
    finder: Option<AhoCorasick>,
}

/// One form of one value, and what stands in its place.
struct Known {
    value: Zeroizing<String>,
    instead: String,
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
            known: Mutex::default(),
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

    /// Hashes a value that was read in a container, and remembers it in the same way.
    pub(super) fn hold(&self, value: &[u8], read_from: &str) -> Fingerprint {
        let encoded = Zeroizing::new(STANDARD.encode(value));
        self.remember(value, &encoded, &format!("[Secret in {read_from}]"));
        self.fingerprint(value)
    }

    fn fingerprint(&self, value: &[u8]) -> Fingerprint {
        let mut hasher = Sha256::new();
        hasher.update(self.salt);
        hasher.update(value);
        let digest = hasher.finalize();
        Fingerprint(digest.iter().map(|b| format!("{b:02x}")).collect())
    }

    /// As it is, as base64 with and without padding, and as JSON writes it: so it can stand in a log.
    fn remember(&self, value: &[u8], encoded: &str, instead: &str) {
        let mut forms = vec![
            Zeroizing::new(encoded.to_owned()),
            Zeroizing::new(encoded.trim_end_matches('=').to_owned()),
        ];
        if let Ok(text) = std::str::from_utf8(value) {
            forms.push(Zeroizing::new(
                text.trim_end_matches(['\r', '\n']).to_owned(),
            ));
            if let Ok(quoted) = serde_json::to_string(text) {
                let quoted = Zeroizing::new(quoted);
                let inner = quoted.strip_prefix('"').and_then(|q| q.strip_suffix('"'));
                forms.extend(inner.map(|inner| Zeroizing::new(inner.to_owned())));
            }
            // A value of several lines stands in a log line by line; short lines of it are too common to be told apart.
            let lines = text
                .lines()
                .map(str::trim)
                .filter(|line| line.len() >= LINE);
            forms.extend(lines.map(|line| Zeroizing::new(line.to_owned())));
        }
        let mut known = self.lock();
        for value in forms.into_iter().filter(|form| form.len() >= SHORTEST) {
            if !known.all.iter().any(|k| k.value == value) {
                known.finder = None;
                known.all.push(Known {
                    value,
                    instead: instead.to_owned(),
                });
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Values> {
        self.known
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// How many values are known: what was cleaned when there were fewer has to be cleaned again.
    pub(super) fn len(&self) -> usize {
        self.lock().all.len()
    }

    /// An object without any value that is known in its messages.
    pub(super) fn clean(&self, mut object: Object) -> Object {
        match &mut object {
            Object::Event(event) => event.message = self.redact(std::mem::take(&mut event.message)),
            Object::Pod(pod) => {
                for status in pod.containers.iter_mut().filter_map(|c| c.status.as_mut()) {
                    if let ContainerState::Waiting { message, .. } = &mut status.state {
                        *message = self.redact(std::mem::take(message));
                    }
                }
            }
            _ => {}
        }
        object
    }

    /// The text without any value that is known. One pass, the longest value first: nothing is looked for in a replacement.
    pub(super) fn redact(&self, text: String) -> String {
        let text = mask_credentials(text);
        let mut values = self.lock();
        if values.all.is_empty() {
            return text;
        }
        if values.finder.is_none() {
            let bytes = values.all.iter().map(|k| k.value.as_bytes());
            values.finder = AhoCorasick::builder()
                .match_kind(MatchKind::LeftmostLongest)
                .build(bytes)
                .ok();
        }
        let Some(finder) = &values.finder else {
            // Too many values to search for: better no text than one with a value in it.
            return String::new();
        };
        let mut out = String::with_capacity(text.len());
        let (mut copied, mut from) = (0, 0);
        while let Some(found) = finder.find(Input::new(&text).range(from..)) {
            if found.len() < LONG && !is_word(&text, found.start(), found.end()) {
                // A longer value may begin within it.
                from = found.start() + 1;
                continue;
            }
            out.push_str(text.get(copied..found.start()).unwrap_or_default());
            if let Some(known) = values.all.get(found.pattern().as_usize()) {
                out.push_str(&known.instead);
            }
            (copied, from) = (found.end(), found.end());
        }
        out.push_str(text.get(copied..).unwrap_or_default());
        out
    }
}

/// What is written like a credential, of whatever Secret: `password=…`, `"token": "…"`, `user:…@host` in a URL. Most Secrets are
/// never read, so their values are not known; this takes out those that a program names as such.
/// What is quoted ends with its quote, whatever it holds; what is not, at a blank or a separator, and not at a quote that letters
/// follow: those are characters of a value.
static CREDENTIAL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    const KEY: &str = r"\b[a-z0-9_.-]*(?:passw(?:or)?d|passphrase|pwd|\bpw|secret|token|api[_-]?key|private[_-]?key|credential)s?";
    const LOGIN: &str = r#"\bauthorization\\?["']?\s*[=:]\s*\\?["']?(?:basic|bearer)\s+"#;
    let forms = [
        format!(r#"({KEY}\\?["']?\s*[=:]\s*\\")((?:\\\\\\"|\\[^"\n]|[^"\\\n])+)"#),
        format!(r#"({KEY}["']?\s*[=:]\s*")((?:\\[^\n]|[^"\\\n])+)"#),
        format!(r#"({KEY}["']?\s*[=:]\s*')((?:\\[^\n]|[^'\\\n])+)"#),
        format!(r#"({KEY}\\?["']?\s*[=:]\s*|{LOGIN})((?:[^\s"',;&\\]|["'\\]+[a-z0-9])+)"#),
        r#"(://[^\s/:@]+:)([^\s"',;&@\\]+)"#.to_owned(),
    ];
    Regex::new(&format!("(?i){}", forms.join("|"))).ok()
});

const MASKED: &str = "[credential]";

fn mask_credentials(text: String) -> String {
    let Some(credential) = CREDENTIAL.as_ref() else {
        return text;
    };
    match credential.replace_all(&text, |found: &Captures<'_>| {
        // One of the forms, what stands before it and the value.
        let mut parts = found.iter().skip(1).flatten().map(|part| part.as_str());
        let (before, value) = (parts.next().unwrap_or(""), parts.next().unwrap_or(""));
        // A URL's second part is a credential only where an `@` follows it, else it is a port and a path.
        let in_url = before.starts_with("://");
        let at_sign = text
            .get(found.get(0).map_or(0, |m| m.end())..)
            .is_some_and(|rest| rest.starts_with('@'));
        if (in_url && !at_sign) || value.starts_with("[Secret") {
            found[0].to_owned()
        } else {
            format!("{before}{MASKED}")
        }
    }) {
        std::borrow::Cow::Borrowed(_) => text,
        std::borrow::Cow::Owned(masked) => masked,
    }
}

/// Whether no letter or digit touches this part of a text.
fn is_word(text: &str, start: usize, end: usize) -> bool {
    let before = text.get(..start).and_then(|t| t.chars().next_back());
    let after = text.get(end..).and_then(|t| t.chars().next());
    let bound = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    bound(before) && bound(after)
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
