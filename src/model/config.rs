//! ConfigMaps and Secrets as they were read, live and earlier.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};

use super::{ConfigRef, Gap};

/// What a config holds. Values of Secrets never get here: only a salted hash of each does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// `data` and `binaryData` of a ConfigMap. `binary` values are bytes, decoded from base64.
    Plain {
        data: BTreeMap<String, String>,
        binary: BTreeMap<String, Vec<u8>>,
    },
    /// A Secret: key to salted SHA-256 in hex. The salt is of this run and is kept nowhere, so hashes of two runs never compare.
    Hashed(BTreeMap<String, Fingerprint>),
}

/// A value that may be compared but not seen.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub String);

impl Content {
    /// A ConfigMap's content from its text keys.
    pub fn text<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self::Plain {
            data: pairs
                .into_iter()
                .map(|(k, v)| (k.to_owned(), v.to_owned()))
                .collect(),
            binary: BTreeMap::new(),
        }
    }

    /// Every key, text and binary.
    pub fn keys(&self) -> BTreeSet<&str> {
        match self {
            Self::Plain { data, binary } => data
                .keys()
                .chain(binary.keys())
                .map(String::as_str)
                .collect(),
            Self::Hashed(keys) => keys.keys().map(String::as_str).collect(),
        }
    }

    /// The keys under which two contents differ, in their order.
    pub fn differing<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a str> {
        let mut keys = self.keys();
        keys.append(&mut other.keys());
        keys.into_iter().filter(|key| !self.same_at(other, key))
    }

    /// The text under a key, where there is text that may be shown.
    pub fn get_text(&self, key: &str) -> Option<&str> {
        match self {
            Self::Plain { data, .. } => data.get(key).map(String::as_str),
            Self::Hashed(_) => None,
        }
    }

    /// Whether both hold the same under this key (absent in both counts as the same).
    pub fn same_at(&self, other: &Self, key: &str) -> bool {
        match (self, other) {
            (
                Self::Plain { data, binary },
                Self::Plain {
                    data: other_data,
                    binary: other_binary,
                },
            ) => data.get(key) == other_data.get(key) && binary.get(key) == other_binary.get(key),
            (Self::Hashed(keys), Self::Hashed(other_keys)) => keys.get(key) == other_keys.get(key),
            _ => false,
        }
    }
}

/// One entry of `metadata.managedFields`: a manager and what it owns. There is one entry per manager, with its latest time only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManagedEntry {
    pub manager: String,
    /// `Apply` or `Update`.
    pub operation: String,
    pub time: Option<DateTime<Utc>>,
    /// Keys of `data` and `binaryData` that it owns.
    pub data_keys: BTreeSet<String>,
    /// Whether it owns anything beside keys of `data` and `binaryData` (labels, annotations, `immutable`): if so, its time may be of those.
    pub owns_other: bool,
}

/// What `kubectl apply` left in the annotation `kubectl.kubernetes.io/last-applied-configuration`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastApplied {
    pub content: Content,
    /// A resourceVersion inside it says that the object was fetched, changed and applied back.
    pub resource_version: Option<String>,
}

/// A ConfigMap or Secret as one read returned it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    pub reference: ConfigRef,
    pub uid: String,
    pub resource_version: String,
    pub created: Option<DateTime<Utc>>,
    /// `None` where it was not read (a Secret by metadata only).
    pub content: Option<Content>,
    pub immutable: bool,
    pub managed: Vec<ManagedEntry>,
    pub last_applied: Option<LastApplied>,
    /// Labels and annotations that name who keeps this object (Argo CD, Flux, Helm, ...), and as `ownerReferences` its controlling
    /// owner; no others are kept.
    pub owner_marks: BTreeMap<String, String>,
}

impl Config {
    /// What stands for a config that is not there.
    pub fn absent(reference: ConfigRef) -> Self {
        Self {
            reference,
            uid: String::new(),
            resource_version: String::new(),
            created: None,
            content: None,
            immutable: false,
            managed: Vec::new(),
            last_applied: None,
            owner_marks: BTreeMap::new(),
        }
    }

    /// Whether it stands for one that is not there: every object has a uid.
    pub fn is_absent(&self) -> bool {
        self.uid.is_empty() && self.resource_version.is_empty()
    }
}

/// Earlier versions of a config, found by reading at older resourceVersions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierConfig {
    pub reference: ConfigRef,
    /// Oldest first; each is the object as it was before the next one's write. The live object is not among them.
    pub versions: Vec<Config>,
    pub end: ChainEnd,
    pub read_at: DateTime<Utc>,
}

/// Why the steps back through a config's versions ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChainEnd {
    /// Before the oldest version the object did not exist: the history is whole.
    Created,
    /// The API server answered 410: older versions are compacted away.
    Compacted,
    /// The reader's own bound was reached.
    Bounded,
    /// It could not be read.
    Failed(Gap),
}

impl EarlierConfig {
    /// Takes in a later reading of the same history. What was known from before is kept where the two meet; where they do
    /// not, what lies between is not known, and the older ones would pass for neighbours of the newer.
    pub fn join(&mut self, later: Self) {
        let known = std::mem::replace(self, later);
        let number = |config: &Config| config.resource_version.parse::<u64>().ok();
        let Some(oldest) = self.versions.first() else {
            if self.end != ChainEnd::Created {
                self.versions = known.versions;
                // One that was only watched has now been read as far as can be.
                if known.end != ChainEnd::Bounded {
                    self.end = known.end;
                }
            }
            return;
        };
        let meets = known
            .versions
            .iter()
            .any(|version| version.resource_version == oldest.resource_version);
        if self.end == ChainEnd::Created || !meets {
            return;
        }
        let before = number(oldest);
        let older = known.versions.into_iter().filter(|v| number(v) < before);
        self.versions.splice(0..0, older);
        self.end = known.end;
    }
}
