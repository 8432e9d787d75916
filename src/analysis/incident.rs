//! What the analysis concludes: incidents with findings, loads, impact and timeline, each tied to numbered evidence.

mod code;
mod revision;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

pub use self::code::{Code, Grade};
pub(crate) use self::revision::Person;
pub use self::revision::{AlsoFound, ContentSource, Revision};
use super::hint::Separating;
use crate::model::{Cluster, ConfigRef, Interval, PodRef, Scope, Workload, WorkloadRef};

/// A whole report, before it is written in any form.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnosis {
    pub cluster: Cluster,
    pub scope: Scope,
    pub taken_at: DateTime<Utc>,
    /// One sentence about everything in scope.
    pub verdict: String,
    /// Worst first.
    pub incidents: Vec<Incident>,
    /// Pairs that have no incident as far as is known, but a write that some replica may not have seen; newest write first.
    pub suspects: Vec<Suspect>,
    /// In order of their numbers, from 1.
    pub evidence: Vec<Evidence>,
    pub not_checked: Vec<NotChecked>,
    /// How many replicas that use a config have their load known at each grade.
    pub counts: BTreeMap<Grade, usize>,
    /// A gap covers a config that a pod in scope uses: "nothing found" is then not "nothing wrong".
    pub weakened: bool,
}

/// A config and a workload of which it is not known whether the one's last write reached the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suspect {
    pub config: ConfigRef,
    pub workload: WorkloadRef,
    /// When the write happened that may be an edit.
    pub edited: Interval,
    pub writer: Option<String>,
    /// Replicas that are not known to run what is live, and all of them.
    pub behind: usize,
    pub replicas: usize,
    pub why: String,
}

/// Something that anyone can see for themselves, by the command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// From 1; `[n]` in sentences.
    pub number: usize,
    /// What was read, in words: "ConfigMap/frontend-nginx, live".
    pub source: String,
    /// A kubectl command line that shows the same.
    pub command: String,
    pub taken_at: DateTime<Utc>,
    /// The part that matters, untrusted text from the cluster.
    pub excerpt: String,
}

/// What was not read or could not be told, and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NotChecked {
    pub what: String,
    pub why: String,
}

/// One rule's result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub code: Code,
    /// With this case's names and numbers.
    pub sentence: String,
    /// Numbers of evidence.
    pub evidence: Vec<usize>,
}

/// Findings about one config and one workload.
#[derive(Debug, Clone, PartialEq)]
pub struct Incident {
    pub config: ConfigRef,
    pub workload: WorkloadRef,
    /// The workload as it was listed: whether it is paused, and how it replaces pods. `None` where it could not be.
    pub controller: Option<Workload>,
    /// Other workloads that take the same config: what is done to it concerns them too.
    pub shared_with: Vec<WorkloadRef>,
    /// The first is the cause; never empty.
    pub findings: Vec<Finding>,
    /// Rules that lacked data, and which.
    pub cannot_tell: Vec<(Code, String)>,
    /// Oldest first; the last is live.
    pub revisions: Vec<Revision>,
    /// What the last edit changed, short: `server api:8080;` became `server api:8000;`.
    pub changes: Vec<ValueChange>,
    pub replicas: Vec<Replica>,
    /// In order of time.
    pub timeline: Vec<Entry>,
    pub impact: Option<Impact>,
    /// Name of the revision that evidence says fails.
    pub failing: Option<String>,
    /// The route on which its replicas fail most, whether it was asked for or not.
    pub route: Option<String>,
    /// What would be put back, where an earlier content is known.
    pub put_back: Option<PutBack>,
    /// What the data invites to conclude wrongly, each a sentence.
    pub misleading: Vec<String>,
    /// The config is not there any more.
    pub absent: bool,
    /// Replicas, by pod and container, that may hold the only copy of an earlier content.
    pub only_copy: Vec<(PodRef, String)>,
    /// What one group of replicas logs and no other does: hints.
    pub separating: Vec<Separating>,
}

impl Incident {
    /// Where an impact is not told since it is of another route than the one that was asked for.
    pub fn unasked(&self) -> Option<String> {
        let route = self.route.as_ref().filter(|_| self.impact.is_none())?;
        Some(format!(
            "no log that was read counts enough failures of the route that was asked for; {route} is what fails."
        ))
    }

    /// How well the cause is known: the weakest grade among the loads that are known, and how many are not.
    pub fn certainty(&self) -> String {
        let known = self.replicas.iter().filter(|r| r.loaded.is_some());
        let weakest = known.map(|replica| replica.grade).max();
        let unknown = self
            .replicas
            .iter()
            .filter(|r| r.loaded.is_none() || r.grade == Grade::Unknown)
            .count();
        match (weakest, unknown) {
            (Some(grade), 0) => grade.to_string(),
            (Some(grade), unknown) => format!("{grade}, {unknown} unknown"),
            (None, _) => Grade::Unknown.to_string(),
        }
    }
}

/// The earlier content that a revert is about: the newest that is another than the live one and that no evidence says fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PutBack {
    /// The revision's name.
    pub revision: String,
    /// What differs from it to what is live.
    pub changes: Vec<ValueChange>,
}

/// A value that an edit changed: a key's whole short value, or one setting in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueChange {
    /// The config's key.
    pub key: String,
    /// The name of the setting: the key itself, or the word before the value in a line of a file.
    pub setting: String,
    /// `None` where it was added or removed.
    pub before: Option<String>,
    pub after: Option<String>,
}

/// How a container takes a config.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Use {
    Env {
        variable: String,
    },
    EnvFrom {
        prefix: String,
    },
    Volume {
        path: String,
    },
    SubPath {
        path: String,
    },
    Projected {
        path: String,
    },
    /// A file that an init container made of it, in a folder that the container sees at `path`.
    InitCopy {
        path: String,
        init: String,
    },
    /// The program reads the object itself: guessed.
    Api,
}

impl Use {
    /// The word of the report: env, envFrom, volume, subPath, projected, initCopy, api.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Env { .. } => "env",
            Self::EnvFrom { .. } => "envFrom",
            Self::Volume { .. } => "volume",
            Self::SubPath { .. } => "subPath",
            Self::Projected { .. } => "projected",
            Self::InitCopy { .. } => "initCopy",
            Self::Api => "api",
        }
    }
}

/// What one replica runs, by one use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UseLoad {
    pub via: Use,
    /// The one key that it takes; `None` is several or all.
    pub key: Option<String>,
    /// The revision's name.
    pub loaded: Option<String>,
    /// Whether what it runs equals what is live, as far as it reaches the process.
    pub live: Option<bool>,
    pub grade: Grade,
    pub why: String,
    pub evidence: Vec<usize>,
    /// What it holds that is in no revision that is known, by name and value; values of Secrets are never among them.
    pub strays: Vec<(String, String)>,
}

/// One container of one pod, and what it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replica {
    pub pod: PodRef,
    pub container: String,
    pub node: Option<String>,
    /// The container's start (node's clock), not the pod's.
    pub started_at: Option<DateTime<Utc>>,
    pub ready: bool,
    /// `Running`, `CrashLoopBackOff`, ...
    pub state: String,
    pub restarts: u32,
    /// The revision's name.
    pub loaded: Option<String>,
    pub live: Option<bool>,
    pub grade: Grade,
    /// A sentence.
    pub why: String,
    pub evidence: Vec<usize>,
    pub signals: Vec<Signal>,
    pub uses: Vec<UseLoad>,
    pub traffic: Vec<Traffic>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SignalKind {
    /// An upstream's address in a proxy's error log.
    Upstream,
    /// The value of a setting that the edit changed.
    Value,
    /// The program said that it read its configuration again.
    Reload,
    /// A start-up or parse error.
    StartError,
    /// A connection in the socket table of its network.
    Socket,
    /// What it tells of its configuration's version.
    Version,
    /// Words that only its group logs: a hint.
    Word,
}

/// Something in a replica's log that tells revisions apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signal {
    pub kind: SignalKind,
    /// Short, untrusted text: `10.96.10.144:8000`, `feature_recs=off`.
    pub text: String,
    pub count: usize,
    pub first: Option<DateTime<Utc>>,
    pub last: Option<DateTime<Utc>>,
    /// The name of the one revision that explains it, where just one does.
    pub revision: Option<String>,
    pub evidence: Vec<usize>,
}

/// Answers of one replica for one route within the impact's window, from its access log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traffic {
    /// `GET /api/items`.
    pub route: String,
    pub total: usize,
    /// Answers of 500 and above.
    pub failed: usize,
    pub statuses: BTreeMap<u16, usize>,
    /// Time and whether it failed, oldest first; at most the last 1,000.
    pub samples: Vec<(DateTime<Utc>, bool)>,
}

impl Traffic {
    /// Fewer failures than this may be chance.
    pub const ENOUGH: usize = 3;

    /// Whether most of its answers were errors, and enough of them.
    pub fn fails(&self) -> bool {
        self.failed >= Self::ENOUGH && self.failed * 2 >= self.total
    }
}

/// What it costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Impact {
    /// One or two sentences.
    pub sentence: String,
    /// What the counts are about: from, to.
    pub window: (DateTime<Utc>, DateTime<Utc>),
    pub first_failure: Option<DateTime<Utc>>,
    /// Any new pod would load the failing revision.
    pub spreads: bool,
    /// Ready endpoints on the failing revision, all ready endpoints, and the Service.
    pub ready_share: Option<(usize, usize, String)>,
    pub evidence: Vec<usize>,
}

/// Which lane of the timeline.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lane {
    Config(String),
    /// A pod by name, gone ones too.
    Pod(String),
    Workload(String),
    /// What could be seen at all.
    Coverage,
}

impl Lane {
    pub fn name(&self) -> &str {
        match self {
            Self::Config(name) | Self::Pod(name) | Self::Workload(name) => name,
            Self::Coverage => "coverage",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    Created,
    Edited,
    Started,
    Restarted,
    Killed,
    Crashed,
    Reloaded,
    /// The first line of a signal.
    Signal,
    FirstFailure,
    Event,
    /// From one moment to another nothing could be seen.
    Unwatched,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub at: Interval,
    pub lane: Lane,
    pub kind: EntryKind,
    pub what: String,
    pub evidence: Vec<usize>,
}
