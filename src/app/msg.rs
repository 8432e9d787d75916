//! Everything that can happen to the dashboard, and everything that it can ask to be done.

use std::sync::Arc;

use chrono::{DateTime, FixedOffset, Utc};

use super::keymap::Key;
use crate::analysis::Diagnosis;
use crate::model::{Cluster, ConfigRef, Facts, Scope, WorkloadRef};
use crate::source::{Progress, SourceError};

/// What happened. The state changes through these alone.
#[derive(Debug, Clone)]
pub enum Msg {
    Key(Key),
    Resize {
        width: u16,
        height: u16,
    },
    /// The time, for the ages on screen.
    Tick(DateTime<Utc>),
    Progress(Progress),
    /// What is known now.
    News(News),
    Failed(SourceError),
    /// How the facts keep up with the cluster from now on.
    Link(Link),
    /// Something to be read once.
    Notice(String),
    /// The clipboard's escape sequence was sent, or why it was not.
    Copied(Result<(), String>),
}

/// What is known at a moment.
#[derive(Debug, Clone)]
pub struct News {
    pub diagnosis: Arc<Diagnosis>,
    /// What it rests on.
    pub facts: Facts,
    /// Everything that was wanted has been read, or is a gap.
    pub complete: bool,
}

impl News {
    /// The end of a reading of which only the diagnosis counts.
    pub fn of(diagnosis: Diagnosis) -> Self {
        Self {
            diagnosis: Arc::new(diagnosis),
            facts: Facts::default(),
            complete: true,
        }
    }
}

/// How the facts on screen keep up with the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Link {
    /// Every list that may be read is watched; those named are listed again every few seconds, since they may not be watched.
    Live { polled: Vec<&'static str> },
    /// The connection is lost; it is taken up again by itself as soon as that succeeds.
    Lost { since: DateTime<Utc>, why: String },
}

/// What the event loop is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Read everything again.
    Read,
    /// Read deep and follow the logs of this pair; of none in particular.
    Focus(Option<(ConfigRef, WorkloadRef)>),
    /// Put this into the terminal's clipboard.
    Copy(String),
    /// Stop as Ctrl-Z stops a program, and draw afresh afterwards.
    Suspend,
    Quit,
}

/// Where the facts come from, as the header says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Live,
    /// A capture by its file's name. Ages are then of when it was taken.
    Capture {
        file: String,
    },
}

/// What the dashboard is started with.
#[derive(Debug, Clone)]
pub struct Options {
    pub origin: Origin,
    pub cluster: Cluster,
    pub scope: Scope,
    /// Only ASCII on the screen.
    pub ascii: bool,
    /// No colours, only attributes.
    pub no_color: bool,
    /// The local zone's offset at a moment; given from outside so that the state knows no environment.
    pub local: fn(DateTime<Utc>) -> FixedOffset,
}
