//! What stands on either side of a diff: the live content, a revision by its name, or whatever a replica loaded.

use crate::analysis::{Incident, Replica, Revision};
use crate::app::shown;
use crate::model::{ConfigKind, PodRef};

/// A choice, kept by name so that it means the same after another reading.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Side {
    /// What is live, whatever that is by now.
    #[default]
    Live,
    Revision(String),
    /// What this container of this pod loaded.
    Replica {
        pod: PodRef,
        container: String,
    },
}

impl Side {
    pub(super) fn of_revision(revision: &Revision) -> Self {
        match revision.live {
            true => Self::Live,
            false => Self::Revision(revision.name.clone()),
        }
    }

    pub(super) fn of_replica(replica: &Replica) -> Self {
        Self::Replica {
            pod: replica.pod.clone(),
            container: replica.container.clone(),
        }
    }

    /// The replica that this side is about.
    pub fn replica<'a>(&self, incident: &'a Incident) -> Option<&'a Replica> {
        let Self::Replica { pod, container } = self else {
            return None;
        };
        incident
            .replicas
            .iter()
            .find(|replica| replica.pod == *pod && replica.container == *container)
    }

    /// The place of its revision, or a sentence that says why there is none.
    pub(super) fn place(&self, incident: &Incident) -> Result<usize, String> {
        let by_name = |name: &str| {
            let place = incident.revisions.iter().position(|r| r.name == name);
            place.ok_or_else(|| format!("Revision {name} is not known any more."))
        };
        match (self, self.replica(incident)) {
            (Self::Live, _) => {
                let place = incident.revisions.iter().position(|r| r.live);
                place.ok_or_else(|| "No live revision is known.".to_owned())
            }
            (Self::Revision(name), _) => by_name(name),
            (Self::Replica { pod, .. }, None) => Err(format!(
                "{} is not among the workload's replicas any more.",
                pod.name
            )),
            (Self::Replica { pod, .. }, Some(replica)) => match &replica.loaded {
                Some(name) => by_name(name),
                None => Err(format!(
                    "Which revision {} loaded is not known: {}",
                    pod.name, replica.why
                )),
            },
        }
    }

    /// An older or newer revision instead; a sentence where there is none.
    pub(super) fn step(&mut self, incident: &Incident, newer: bool) -> Option<String> {
        let live = incident.revisions.iter().position(|r| r.live);
        // From a replica whose revision is not known the way begins at what is live.
        let from = self.place(incident).ok().or(live)?;
        let to = if newer {
            Some(from + 1)
        } else {
            from.checked_sub(1)
        };
        match to.and_then(|to| incident.revisions.get(to)) {
            Some(revision) => {
                *self = Self::of_revision(revision);
                None
            }
            None => {
                let name = &incident.revisions.get(from)?.name;
                let end = if newer { "newest" } else { "oldest" };
                Some(format!("{name} is the {end} revision that is known."))
            }
        }
    }

    /// The next replica in the order of the list of replicas, the first after the last.
    pub(super) fn next_replica(&mut self, incident: &Incident) -> Option<String> {
        let order = shown::replicas(incident);
        let current = self.replica(incident);
        let place = order
            .iter()
            .position(|replica| current.is_some_and(|c| std::ptr::eq(c, *replica)));
        let next = place.map_or(0, |place| (place + 1) % order.len().max(1));
        match order.get(next) {
            Some(replica) => {
                *self = Self::of_replica(replica);
                None
            }
            None => Some("No replica is known.".into()),
        }
    }
}

/// What to open with on the left: what the selected replica loaded, else what the oldest stale one did, else the
/// revision before the live one.
pub fn first_left(incident: &Incident, selected: Option<&Replica>) -> Side {
    let is_earlier = |replica: &&Replica| {
        let loaded = replica.loaded.as_deref();
        let revision = incident
            .revisions
            .iter()
            .find(|r| Some(r.name.as_str()) == loaded);
        revision.is_some_and(|revision| !revision.live)
    };
    let stale = incident
        .replicas
        .iter()
        .filter(|replica| replica.live == Some(false))
        .filter(is_earlier)
        .min_by_key(|replica| replica.started_at);
    if let Some(replica) = selected.filter(is_earlier).or(stale) {
        return Side::of_replica(replica);
    }
    let live = incident.revisions.iter().position(|r| r.live).unwrap_or(0);
    let before = incident.revisions.get(live.saturating_sub(1));
    before.map_or(Side::Live, Side::of_revision)
}

/// Why the content of a revision cannot be compared.
pub(super) fn unknown(revision: &Revision) -> String {
    let name = &revision.name;
    match revision.config.kind {
        ConfigKind::ConfigMap => format!(
            "Revision {name} is known to have existed, but what it held is in no place that was read: neither in the \
             API server's history, which reaches some minutes back, nor in last-applied-configuration. \
             w: what was not checked."
        ),
        ConfigKind::Secret => format!(
            "Of revision {name} of this Secret no value is known to compare by: a Secret's values are hashed only if \
             it was written after a replica's start, and earlier ones only where the API server still has them. \
             w: what was not checked."
        ),
    }
}
