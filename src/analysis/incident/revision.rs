//! A content of a config, where it was found, and who wrote it.

use std::collections::BTreeSet;
use std::fmt;

use crate::model::{ConfigRef, Content, Interval};

/// Where a revision's content was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContentSource {
    /// The object as it is now.
    Live,
    /// `resourceVersionMatch=Exact` at this resourceVersion.
    Exact { resource_version: String },
    /// The annotation `last-applied-configuration`.
    LastApplied,
    /// What the program itself kept while it recorded, or another capture holds.
    Kept { file: String },
    /// The audit log that the user named.
    Audit { file: String },
    /// What a Helm release applied.
    Helm { release: String, revision: u32 },
    /// A file that the user named; that its content was live is the user's word.
    File { path: String },
    /// A git revision that the user named; as for a file.
    Git {
        path: String,
        revision: String,
        commit: String,
    },
    /// What a replica that loaded it still holds.
    Replica { pod: String, container: String },
    /// The config that older replicas name, as it is now.
    Named { config: ConfigRef },
    /// Another version of it, by its name.
    Sibling { config: ConfigRef },
    /// Nobody has it: put together from the live one and from what works.
    Reconstruction { reasons: Vec<String> },
}

impl ContentSource {
    /// Whether a content of this source was live, and nothing can have been between it and the next one that is known.
    pub(crate) fn is_exact(&self) -> bool {
        matches!(self, Self::Live | Self::Exact { .. } | Self::Kept { .. })
    }
}

impl fmt::Display for ContentSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Live => f.write_str("live object"),
            Self::Exact { resource_version } => {
                write!(
                    f,
                    "API server's history, resourceVersion {resource_version}"
                )
            }
            Self::LastApplied => f.write_str("last-applied-configuration annotation"),
            Self::Kept { file } => write!(f, "versions kept in {file}"),
            Self::Audit { file } => write!(f, "audit log {file}"),
            Self::Helm { release, revision } => {
                write!(f, "Helm release {release}, revision {revision}")
            }
            Self::File { path } => write!(f, "file {path}, as you named it"),
            Self::Git {
                path,
                revision,
                commit,
            } => {
                let commit = commit.get(..12).unwrap_or(commit);
                write!(f, "git, {path} at {revision} ({commit}), as you named it")
            }
            Self::Replica { pod, container } => {
                write!(f, "pod {pod}, container {container}, which still holds it")
            }
            Self::Named { config } => write!(f, "{config} as it is now"),
            Self::Sibling { config } => write!(f, "{config}, another version by its name"),
            Self::Reconstruction { reasons } => {
                write!(f, "reconstruction, found nowhere: {}", reasons.join("; "))
            }
        }
    }
}

/// One content of a config.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// A, B, C in order of age; after Z comes AA.
    pub name: String,
    pub config: ConfigRef,
    /// `None` where it is known to have existed, but not what it held.
    pub content: Option<Content>,
    /// Keys of which it is not known what it held under them, or whether it had them: they are not in the content.
    pub unknown_keys: BTreeSet<String>,
    /// The first 12 hex digits of the content's SHA-256; of a Secret, salted for this run.
    pub hash: Option<String>,
    pub live: bool,
    /// When it began to be live, and ceased to (unknown for the live one).
    pub from: Interval,
    pub until: Interval,
    /// The field manager that wrote it; the API does not record the person.
    pub writer: Option<String>,
    /// Who wrote it, where the audit log tells.
    pub person: Option<String>,
    pub source: Option<ContentSource>,
    /// Where else it, or what is held to be it, was found.
    pub also: Vec<AlsoFound>,
    /// The resourceVersion of the write that began it, where it is known.
    pub resource_version: Option<String>,
    pub evidence: Vec<usize>,
}

/// Who wrote, as the audit log tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Person {
    /// As the API server knew the client.
    pub(crate) user: String,
    /// Whom it acted as.
    pub(crate) impersonated: Option<String>,
    pub(crate) source_ips: Vec<String>,
    /// What the client called itself: it may have written anything there.
    pub(crate) user_agent: Option<String>,
}

/// Another source of a revision's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlsoFound {
    pub source: ContentSource,
    /// It holds the same; else what it holds.
    pub same: bool,
    pub content: Content,
    pub hash: String,
}
