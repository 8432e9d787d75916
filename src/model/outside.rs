//! What is known of configs from outside the API: an audit log, a Helm release, a file or git revision that the user names, and
//! the program's own history.

use chrono::{DateTime, Utc};

use super::{Config, ConfigRef, Content};

/// Everything of that kind. It is given by the user's flags or was asked for; an empty one is the rule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outside {
    pub found: Vec<Found>,
    pub audited: Vec<AuditedWrite>,
    pub kept: Vec<Kept>,
}

impl Outside {
    pub fn is_empty(&self) -> bool {
        self.found.is_empty() && self.audited.is_empty() && self.kept.is_empty()
    }

    /// Takes in what is not known yet: each part of a scope holds what the user gave for all of it.
    pub fn add(&mut self, other: Self) {
        extend(&mut self.found, other.found);
        extend(&mut self.audited, other.audited);
        extend(&mut self.kept, other.kept);
    }
}

fn extend<T: PartialEq>(known: &mut Vec<T>, fresh: Vec<T>) {
    // The rule, and an audit log may hold thousands.
    if known.is_empty() {
        *known = fresh;
        return;
    }
    for one in fresh {
        if !known.contains(&one) {
            known.push(one);
        }
    }
}

/// A content of a ConfigMap that somebody holds to have been live once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub config: ConfigRef,
    pub content: Content,
    pub origin: Origin,
    /// When it was written or applied, as the source says; a commit's time says nothing of that.
    pub at: Option<DateTime<Utc>>,
}

/// Where a content was found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// What a Helm release applied, from the Secret or ConfigMap in which Helm keeps it.
    Helm { release: String, revision: u32 },
    /// A file that the user named: a manifest, or another capture.
    File { path: String },
    /// A revision of a git repository that the user named; `commit` is what the revision stands for.
    Git {
        repository: String,
        path: String,
        revision: String,
        commit: String,
    },
}

/// A write to a config as the API server's audit log tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditedWrite {
    pub config: ConfigRef,
    /// The file that it stands in.
    pub file: String,
    /// `create`, `update`, `patch` or `delete`.
    pub verb: String,
    /// `requestReceivedTimestamp`, in microseconds on the API server's clock.
    pub at: Option<DateTime<Utc>>,
    /// `user.username`, and whom it acted as.
    pub user: String,
    pub impersonated: Option<String>,
    pub source_ips: Vec<String>,
    /// What the client calls itself: a client may write anything there.
    pub user_agent: Option<String>,
    pub field_manager: Option<String>,
    /// What the object held after the write, where the log's level is RequestResponse (or the request was the whole object).
    pub content: Option<Content>,
    /// Of the object after the write, where the log holds it.
    pub resource_version: Option<String>,
}

/// A version of a config that the program itself kept while it recorded, or that another capture holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    pub config: Config,
    /// The resourceVersion of the kept version whose content this one replaced, where the watch saw both and nothing between was
    /// lost. Writes that left the content as it was lie between without being kept.
    pub follows: Option<String>,
    /// When it was seen, on this machine's clock.
    pub seen_at: DateTime<Utc>,
    /// The file that keeps it.
    pub file: String,
}
