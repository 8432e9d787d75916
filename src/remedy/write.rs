//! Changes to a cluster as values: proposed by a plan, approved by what a person typed. Only approved ones can be sent.

use std::fmt;

use chrono::{DateTime, Utc};

use super::plan::patch::patch;
use crate::analysis::gap_reason;
use crate::model::{Config, ConfigRef, Content, Gap, PodRef, WorkloadRef};

/// The manager of every field that is written.
pub const MANAGER: &str = "confsplit";

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Write {
    /// Makes one content of another, in the object that was on screen and in no newer one.
    Content {
        config: ConfigRef,
        uid: String,
        resource_version: String,
        from: Content,
        to: Content,
    },
    /// Has a pod evicted, so that its controller makes another in its place.
    Evict { pod: PodRef },
    /// Gives a template kubectl's restart annotation.
    Restart {
        workload: WorkloadRef,
        uid: String,
        /// What the template was on screen.
        generation: Option<i64>,
        at: DateTime<Utc>,
    },
    /// Names another config in a template, wherever it names this one.
    Repoint {
        workload: WorkloadRef,
        uid: String,
        generation: Option<i64>,
        from: ConfigRef,
        to: ConfigRef,
        /// It is paused, and goes on by the same write.
        resume: bool,
    },
}

impl Write {
    /// The content of a config as it is now becomes another; `None` where it may not be written: a Secret, or one that is not there.
    pub fn content(config: &Config, to: &Content) -> Option<Self> {
        let from = config.content.clone()?;
        let plain = |content: &Content| matches!(content, Content::Plain { .. });
        if config.is_absent() || config.immutable || !plain(&from) || !plain(to) {
            return None;
        }
        Some(Self::Content {
            config: config.reference.clone(),
            uid: config.uid.clone(),
            resource_version: config.resource_version.clone(),
            from,
            to: to.clone(),
        })
    }

    /// The verb, the resource and the object of the right that it needs.
    pub fn right(&self) -> Right {
        let of =
            |verb: &'static str, group: &'static str, resource: &'static str, name: &str| Right {
                verb,
                group,
                resource,
                namespace: self.namespace().to_owned(),
                name: name.to_owned(),
            };
        match self {
            Self::Content { config, .. } => of("patch", "", "configmaps", &config.name),
            Self::Evict { pod } => of("create", "", "pods/eviction", &pod.name),
            Self::Restart { workload, .. } | Self::Repoint { workload, .. } => {
                of("patch", "apps", resource(&workload.kind), &workload.name)
            }
        }
    }

    pub fn namespace(&self) -> &str {
        match self {
            Self::Content { config, .. } => &config.namespace,
            Self::Evict { pod } => &pod.namespace,
            Self::Restart { workload, .. } | Self::Repoint { workload, .. } => &workload.namespace,
        }
    }
}

/// `patch configmaps/frontend-nginx`, as the audit log will say it.
impl fmt::Display for Write {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Content { config, .. } => write!(f, "write the content of {config}"),
            Self::Evict { pod } => write!(f, "evict pod {}", pod.name),
            Self::Restart { workload, .. } => write!(f, "restart {workload}"),
            Self::Repoint {
                workload,
                to,
                resume,
                ..
            } => {
                let resume = if *resume { ", and resume it" } else { "" };
                write!(f, "name {to} in the template of {workload}{resume}")
            }
        }
    }
}

/// The resource of a kind of workload that has a template. Of others nothing is written.
pub(crate) fn resource(kind: &str) -> &'static str {
    match kind {
        "StatefulSet" => "statefulsets",
        "DaemonSet" => "daemonsets",
        _ => "deployments",
    }
}

/// A right that a write needs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Right {
    pub verb: &'static str,
    pub group: &'static str,
    /// With its subresource: `pods/eviction`.
    pub resource: &'static str,
    pub namespace: String,
    pub name: String,
}

impl fmt::Display for Right {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb, self.resource)
    }
}

/// What a person typed to agree: the context and the namespace, as they were on screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirmation {
    place: String,
    /// Agrees that new pods load a content that the evidence says fails.
    to_what_fails: bool,
}

impl Confirmation {
    /// What has to be typed: `CONTEXT/NAMESPACE`, and that it fails where the evidence says so.
    pub fn wanted(context: &str, namespace: &str, fails: bool) -> String {
        let place = format!("{context}/{namespace}");
        if fails {
            format!("{place} fails")
        } else {
            place
        }
    }

    /// `None` where anything else was typed.
    pub fn typed(text: &str, context: &str, namespace: &str, fails: bool) -> Option<Self> {
        (text == Self::wanted(context, namespace, fails)).then(|| Self {
            place: format!("{context}/{namespace}"),
            to_what_fails: fails,
        })
    }
}

/// That a pod which starts now loads what is meant to run. Without it no pod is replaced.
#[derive(Debug, Clone, Copy)]
pub struct Safe(());

impl Safe {
    /// What is live was read just now, and is what is meant.
    pub fn since_live_is(target: &Content, live: &Config) -> Option<Self> {
        (live.content.as_ref() == Some(target)).then_some(Self(()))
    }

    /// Nothing says that what is live fails, or it was agreed to all the same.
    pub fn agreed(fails: bool, confirmation: &Confirmation) -> Option<Self> {
        (!fails || confirmation.to_what_fails).then_some(Self(()))
    }
}

/// A write that a person agreed to. Nothing else makes one, and nothing else is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approved {
    write: Write,
    place: String,
}

impl Approved {
    /// A content: the only write that may come first.
    pub fn content(write: Write, confirmation: &Confirmation) -> Option<Self> {
        matches!(write, Write::Content { .. }).then(|| Self::of(write, confirmation))
    }

    /// What has pods start: only once they would load what is meant.
    pub fn restarting(write: Write, _safe: Safe, confirmation: &Confirmation) -> Self {
        Self::of(write, confirmation)
    }

    /// A template that names what was there before: it needs no content to be written.
    pub fn repoint(write: Write, confirmation: &Confirmation) -> Option<Self> {
        matches!(write, Write::Repoint { .. }).then(|| Self::of(write, confirmation))
    }

    fn of(write: Write, confirmation: &Confirmation) -> Self {
        Self {
            write,
            place: confirmation.place.clone(),
        }
    }

    pub fn write(&self) -> &Write {
        &self.write
    }

    /// `CONTEXT/NAMESPACE` that was typed.
    pub fn place(&self) -> &str {
        &self.place
    }
}

/// The merge patch of a content, byte for byte.
pub fn content_patch(from: &Content, to: &Content) -> serde_json::Value {
    serde_json::from_str(&patch(from, to)).unwrap_or_default()
}

/// What became of a write, or of its rehearsal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The object's version afterwards; empty where it has none (an eviction).
    pub resource_version: String,
    /// Its content, where it is a config's.
    pub content: Option<Content>,
    /// Managers that lose fields by it.
    pub taken_from: Vec<String>,
}

/// Why a write did not happen, or may not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    #[error("somebody changed {0} meanwhile")]
    Changed(String),
    #[error("the right to {0} is missing")]
    Forbidden(Right),
    #[error("{0} is not there any more")]
    Gone(String),
    /// A PodDisruptionBudget, a quota, an admission webhook: what the server says.
    #[error("the API server refuses it: {0}")]
    Refused(String),
    /// What it is about could not be read before, and nothing was sent.
    #[error("nothing was sent, since it could not be read before: {}", gap_reason(.0))]
    Unread(Box<Gap>),
    /// No answer came: it may have happened all the same.
    #[error("no answer came ({0}), so it is not known whether it happened")]
    Unknown(String),
    #[error("this session is read-only ({0})")]
    ReadOnly(&'static str),
    #[error("the journal could not be written ({0}), and nothing is written without it")]
    Journal(String),
}

#[cfg(test)]
mod tests;
