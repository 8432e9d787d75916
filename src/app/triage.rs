//! The list of the first screen: the incidents, then the pairs of which it is not known (yet) whether they are any.

use chrono::{DateTime, Utc};

use super::{App, time};
use crate::analysis::{Incident, Suspect};
use crate::model::{ConfigRef, WorkloadRef};

/// One row of the list.
#[derive(Debug, Clone, Copy)]
pub enum Listed<'a> {
    Incident(&'a Incident),
    Suspect(&'a Suspect),
}

impl<'a> Listed<'a> {
    pub fn config(self) -> &'a ConfigRef {
        match self {
            Self::Incident(incident) => &incident.config,
            Self::Suspect(suspect) => &suspect.config,
        }
    }

    pub fn workload(self) -> &'a WorkloadRef {
        match self {
            Self::Incident(incident) => &incident.workload,
            Self::Suspect(suspect) => &suspect.workload,
        }
    }

    /// When the last write happened that is an edit, or may be one.
    pub fn edited(self) -> Option<DateTime<Utc>> {
        let at = match self {
            Self::Incident(incident) => incident.revisions.iter().find(|r| r.live)?.from,
            Self::Suspect(suspect) => suspect.edited,
        };
        at.latest.or(at.earliest)
    }

    pub(super) fn is(self, pair: &(ConfigRef, WorkloadRef)) -> bool {
        *self.config() == pair.0 && *self.workload() == pair.1
    }

    pub(super) fn pair(self) -> (ConfigRef, WorkloadRef) {
        (self.config().clone(), self.workload().clone())
    }
}

impl App {
    pub fn suspects(&self) -> &[Suspect] {
        self.diagnosis().map_or(&[], |d| &d.suspects)
    }

    /// Everything on the list, the incidents first.
    pub fn listed(&self) -> impl Iterator<Item = Listed<'_>> {
        let incidents = self.incidents().iter().map(Listed::Incident);
        incidents.chain(self.suspects().iter().map(Listed::Suspect))
    }

    /// What a row of the list is called.
    pub fn triage_noun(&self) -> &'static str {
        match self.suspects().is_empty() {
            true => "incident",
            false => "row",
        }
    }

    pub fn listed_count(&self) -> usize {
        self.incidents().len() + self.suspects().len()
    }

    /// What stands at a place of the list.
    pub fn listed_at(&self, place: usize) -> Option<Listed<'_>> {
        let suspect = || {
            let place = place.checked_sub(self.incidents().len())?;
            self.suspects().get(place).map(Listed::Suspect)
        };
        let incident = self.incidents().get(place).map(Listed::Incident);
        incident.or_else(suspect)
    }
}

/// What is known of a suspect, in a sentence.
pub fn sentence(app: &App, suspect: &Suspect) -> String {
    let by = suspect.writer.as_deref().unwrap_or("an unknown manager");
    let when = match suspect.edited.latest.or(suspect.edited.earliest) {
        Some(at) => format!("at the latest {}", time::moment(app, at)),
        None => "at an unknown time".to_owned(),
    };
    format!(
        "{} was written by {by}, {when}; of {} of the {} replicas of {} it is not known whether they run what is live: {}.",
        suspect.config, suspect.behind, suspect.replicas, suspect.workload, suspect.why
    )
}
