//! What a journal keeps of a remedy: enough to go on with it, or to undo it, after the program is gone.

use chrono::{DateTime, Utc};

use super::PlanKind;
use super::goal::{Choice, Goal};
use crate::model::{Cluster, Config, ConfigRef, Content, WorkloadRef};

/// What stands at the top of a journal.
#[derive(Debug, Clone, PartialEq)]
pub struct Heading {
    pub context: String,
    pub server: String,
    pub kind: PlanKind,
    pub config: ConfigRef,
    pub workload: WorkloadRef,
    /// What is to run, in words: `revision A`.
    pub meant: String,
    /// The content that is to be live, and the one that was.
    pub target: Content,
    pub before: Content,
    /// The whole object as it was, in JSON; `null` where no content is written.
    pub saved: String,
}

impl Heading {
    /// `None` where it is not about a content.
    pub fn of(goal: &Goal, cluster: &Cluster, saved: Option<&str>) -> Option<Self> {
        Some(Self {
            context: cluster.context_name().to_owned(),
            server: cluster.server.clone(),
            kind: goal.kind,
            config: goal.config.clone(),
            workload: goal.workload.clone(),
            meant: goal.meant(),
            target: goal.target.as_ref()?.content.clone(),
            before: goal.seen.content.clone()?,
            saved: saved.unwrap_or("null").to_owned(),
        })
    }
}

/// A remedy that an earlier run of the program left open.
#[derive(Debug, Clone, PartialEq)]
pub struct Left {
    /// The journal, as its file is called.
    pub journal: String,
    pub at: DateTime<Utc>,
    pub heading: Heading,
    /// What was written last, and what became of it.
    pub last: String,
}

impl Left {
    /// To go on: what was to be live is what all are to run.
    pub fn go_on(&self, config: &Config) -> Goal {
        self.goal(
            self.heading.kind,
            config,
            &self.heading.meant,
            &self.heading.target,
        )
    }

    /// To undo: what was live before comes back.
    pub fn undo(&self, config: &Config) -> Goal {
        self.goal(
            PlanKind::Undo,
            config,
            "what was there before",
            &self.heading.before,
        )
    }

    fn goal(&self, kind: PlanKind, config: &Config, name: &str, content: &Content) -> Goal {
        Goal {
            target: Some(Choice {
                name: name.to_owned(),
                source: "the journal".to_owned(),
                content: content.clone(),
                reconstructed: false,
            }),
            ..Goal::new(kind, config.clone(), self.heading.workload.clone())
        }
    }
}
