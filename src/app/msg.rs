//! Everything that can happen to the dashboard, and everything that it can ask to be done.

use std::sync::Arc;

use chrono::{DateTime, FixedOffset, Utc};

use super::keymap::{Export, Key};
use super::screen::Tab;
use crate::analysis::{Diagnosis, Incident};
use crate::model::{Cluster, ConfigRef, Facts, PodRef, Scope, WorkloadRef};
use crate::remedy::{Approved, Closing, Heading, Left, Prepared, Write, WriteError, Written};
use crate::source::{Probing, Progress, SourceError};

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
    /// What was known is of another cluster, or of a state that is no more; everything is read again.
    Anew(String),
    /// The containers that would be probed, if the user agreed to it.
    Probeable(Vec<(PodRef, String)>),
    /// The clipboard's escape sequence was sent, or why it was not.
    Copied(Result<(), String>),
    /// Text that came in one piece: never commands.
    Paste(String),
    /// A click on something that can be selected.
    Click(Hit),
    Wheel {
        down: bool,
    },
    /// What became of an export, or why nothing did.
    Exported(Result<Exported, String>),
    /// What was looked at before a remedy.
    Prepared(Result<Box<Prepared>, WriteError>),
    /// What became of a write.
    Wrote(Result<Written, WriteError>),
    /// Back from the editor: the key and its text, or nothing where it was left as it was.
    Edited(Result<Option<(String, String)>, String>),
    /// Remedies that an earlier run left open.
    Left(Vec<Left>),
    /// Back from the shell or the login command.
    LoggedIn(Result<(), String>),
}

/// What a click meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hit {
    /// A row of the list on screen, by its place in the whole list.
    Row(usize),
    Tab(Tab),
}

/// What an export gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exported {
    /// Text to be copied and shown.
    Summary(String),
    /// A file, by its path as it can be told.
    File(String),
}

/// What is known at a moment.
#[derive(Debug, Clone)]
pub struct News {
    pub diagnosis: Arc<Diagnosis>,
    /// The pair that is open, judged though it is no incident.
    pub watched: Option<Arc<Incident>>,
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
            watched: None,
            facts: Facts::default(),
            complete: true,
        }
    }
}

/// How the facts on screen keep up with the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Link {
    /// Every list that may be read is watched; those of `polled` are listed again so many seconds after another at the most, since
    /// they cannot be watched, and those of `unread` cannot be read at all.
    Live {
        polled: Vec<(&'static str, u64)>,
        unread: Vec<&'static str>,
    },
    /// The connection is lost; it is taken up again by itself as soon as that succeeds.
    Lost { since: DateTime<Utc>, why: String },
}

/// What the event loop is to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Read everything again.
    Read,
    /// Read deep and follow the logs of this pair; of none in particular.
    Focus(Option<(ConfigRef, WorkloadRef)>),
    /// Read what the user agreed to from now on, and nothing else of that kind.
    Permit(Probing),
    /// Put this into the terminal's clipboard.
    Copy(String),
    /// Stop as Ctrl-Z stops a program, and draw afresh afterwards.
    Suspend,
    /// Read this namespace from now on; `None` is all.
    Namespace(Option<String>),
    /// Take the mouse, or leave it to the terminal.
    Mouse(bool),
    Export(Export),
    Act(Act),
    /// Have a person correct a text in their editor.
    Edit {
        key: String,
        text: String,
    },
    /// Write the closing report of the remedy.
    ExportRemedy(Box<Closing>),
    /// Lend the terminal to the login command or a shell.
    LogIn,
    Quit,
}

/// What is done in the cluster, or looked at for it.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// Look at what is meant, without writing.
    Prepare(Vec<Write>),
    /// Write this. The first of a remedy begins a journal.
    Write {
        approved: Box<Approved>,
        heading: Option<Box<Heading>>,
    },
    /// Go on in the journal of an earlier run.
    GoOn(String),
    /// The remedy came to an end: the journal's last line.
    End { state: &'static str, why: String },
}

/// Whether anything can be written in this session. Nothing makes it another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// `--read-only`, the settings, or a capture.
    #[default]
    ReadOnly,
    /// What is agreed to, word by word.
    Act,
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
    pub mode: Mode,
    /// Whether a content may be corrected before it is written.
    pub edits: bool,
    pub cluster: Cluster,
    pub scope: Scope,
    /// Only ASCII on the screen.
    pub ascii: bool,
    /// No colours, only attributes.
    pub no_color: bool,
    pub preferences: Preferences,
    /// The local zone's offset at a moment; given from outside so that the state knows no environment.
    pub local: fn(DateTime<Utc>) -> FixedOffset,
}

/// What the user prefers, from the settings and the flags.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preferences {
    pub theme: Theme,
    pub mouse: bool,
    pub local_time: bool,
    /// What `!` runs; without it a shell.
    pub login: Option<String>,
    /// Whether containers are probed.
    pub probe: Probe,
}

/// Whether commands may be run in containers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Probe {
    /// Once the user was asked.
    #[default]
    Ask,
    Always,
    Never,
}

/// The colours, for the background that the terminal has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Theme {
    /// Colours that read on both.
    #[default]
    Auto,
    Dark,
    Light,
    /// None at all.
    Mono,
}

impl Theme {
    pub const ALL: [Self; 4] = [Self::Auto, Self::Dark, Self::Light, Self::Mono];

    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Dark => "dark",
            Self::Light => "light",
            Self::Mono => "mono",
        }
    }
}
