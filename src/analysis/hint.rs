//! What only some replicas log: a hint beside an incident's findings, in words.

use chrono::{DateTime, Utc};

use super::names::clock_time;
use crate::text::grouped;

/// Replicas whose logs are compared with those of the others.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Those that loaded this revision.
    Revision(String),
    /// Where loads do not part them: those whose answers fail, and those whose answers do not.
    Failing,
    Serving,
}

/// What the replicas of one group log and no other does. It may come of their traffic or age as well: it is no evidence of a load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Separating {
    /// Short, untrusted text; what varies in it is a star.
    pub text: String,
    pub group: Group,
    /// Lines of the group that hold it.
    pub lines: usize,
    /// Of the group's replicas, those that log it.
    pub replicas_with: usize,
    pub replicas_of: usize,
    /// Replicas of other groups, and the lines that they logged meanwhile: none holds it.
    pub others: usize,
    pub other_lines: usize,
    /// From when to when lines were compared: all of these replicas ran then, and their starts were over.
    pub window: (DateTime<Utc>, DateTime<Utc>),
    pub evidence: Vec<usize>,
}

impl Group {
    /// What its replicas have in common, behind "the one replica that" or "all 2 replicas that".
    fn in_words(&self, one: bool) -> String {
        const BY: &str = "by their answers, not by what they loaded";
        match (self, one) {
            (Self::Revision(name), _) => format!("loaded {name}"),
            (Self::Failing, true) => format!("fails ({BY})"),
            (Self::Failing, false) => format!("fail ({BY})"),
            (Self::Serving, true) => format!("does not fail ({BY})"),
            (Self::Serving, false) => format!("do not fail ({BY})"),
        }
    }
}

impl Separating {
    /// `“upstream timed out”: logged by all 2 replicas that loaded B, in 35 lines, and not by the other, in 80 lines; …`
    pub fn sentence(&self, report: DateTime<Utc>) -> String {
        let who = match (self.replicas_with, self.replicas_of) {
            (1, 1) => "the one replica".to_owned(),
            (with, of) if with == of => format!("all {of} replicas"),
            (with, of) => format!("{with} of the {of} replicas"),
        };
        let others = match self.others {
            1 => "not by the other".to_owned(),
            many => format!("by none of the {many} others"),
        };
        format!(
            "“{}”: logged by {who} that {}, in {}, and {others}, in {}; all between {} and {} UTC",
            self.text,
            self.group.in_words(self.replicas_of == 1),
            lines(self.lines),
            lines(self.other_lines),
            clock_time(self.window.0, report),
            clock_time(self.window.1, report),
        )
    }
}

fn lines(number: usize) -> String {
    match number {
        1 => "1 line".to_owned(),
        many => format!("{} lines", grouped(many)),
    }
}
