//! Incidents to play: a file says which objects there are, and what happens when.

mod kubectl;
mod script;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::clock::Clock;
use super::names::Setup;
use super::shared::Sim;
use super::world::World;

pub use script::Script;

/// The incidents that come with the program, by name.
static ALL: &[(&str, &str)] = &[
    (
        "partial-restart",
        include_str!("../../assets/scenarios/partial-restart.yaml"),
    ),
    (
        "env-frozen",
        include_str!("../../assets/scenarios/env-frozen.yaml"),
    ),
    (
        "subpath-frozen",
        include_str!("../../assets/scenarios/subpath-frozen.yaml"),
    ),
    (
        "immutable-split",
        include_str!("../../assets/scenarios/immutable-split.yaml"),
    ),
    (
        "crash-new",
        include_str!("../../assets/scenarios/crash-new.yaml"),
    ),
    (
        "secret-frozen",
        include_str!("../../assets/scenarios/secret-frozen.yaml"),
    ),
    (
        "healthy",
        include_str!("../../assets/scenarios/healthy.yaml"),
    ),
    (
        "argo-cd",
        include_str!("../../assets/scenarios/argo-cd.yaml"),
    ),
    (
        "half-year",
        include_str!("../../assets/scenarios/half-year.yaml"),
    ),
];

/// The one that is played where none is named.
pub const FIRST: &str = "partial-restart";

/// An incident, as its file tells it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What happened, in a line.
    pub title: String,
    /// The namespace that it happens in.
    pub namespace: String,
    /// How long after its beginning somebody looks at it first.
    #[serde(deserialize_with = "span")]
    pub looked_at: TimeDelta,
    /// Chance, and the names that pods get.
    #[serde(default)]
    pub cluster: Setup,
    pub happens: Vec<Step>,
}

/// Something that somebody does at a time.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// How long after the beginning.
    #[serde(deserialize_with = "span")]
    pub at: TimeDelta,
    /// And again and again, so long after each other.
    #[serde(default, deserialize_with = "some_span")]
    pub every: Option<TimeDelta>,
    /// The field manager; unset is kubectl's for that deed.
    pub by: Option<String>,
    #[serde(rename = "do")]
    pub deed: Deed,
}

/// What somebody does.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deed {
    /// `kubectl apply`, with the annotation that it leaves.
    Apply(Vec<Value>),
    /// `kubectl create`, or another client that writes whole objects.
    Create(Vec<Value>),
    /// `kubectl get | sed | kubectl apply`: the annotation holds the resourceVersion of what was got.
    Sed {
        object: String,
        from: String,
        to: String,
    },
    /// `kubectl patch --type merge`, or `kubectl edit` by its name as manager.
    Patch { object: String, with: Value },
    /// `kubectl rollout restart`.
    Restart(String),
    /// `kubectl delete`.
    Delete(String),
    /// `kubectl delete pod` of one of those with a label.
    DeletePod(Pick),
    /// The container of one of those pods ends, and is started again in its place.
    KillContainer(Pick),
}

/// One of the pods with this label `app`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pick {
    pub app: String,
    pub which: Which,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Which {
    Oldest,
    Youngest,
}

/// A scenario that cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    #[error("there is no scenario {name:?}; there are {}", names().collect::<Vec<_>>().join(", "))]
    Unknown { name: String },
    #[error("{0}")]
    Unreadable(String),
    #[error("at {at}: {what}")]
    Failed { at: DateTime<Utc>, what: String },
}

/// The names of those that come with the program.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|(name, _)| *name)
}

impl Scenario {
    /// One that comes with the program.
    pub fn named(name: &str) -> Result<Self, ScenarioError> {
        let found = ALL.iter().find(|(own, _)| *own == name);
        let (_, text) = found.ok_or_else(|| ScenarioError::Unknown {
            name: name.to_owned(),
        })?;
        Self::read(text)
    }

    /// From the text of its file.
    pub fn read(text: &str) -> Result<Self, ScenarioError> {
        serde_saphyr::from_str(text).map_err(|error| ScenarioError::Unreadable(error.to_string()))
    }

    /// Plays it until it is looked at, which is when the clock says now.
    pub fn play(self, clock: Clock) -> Result<Sim, ScenarioError> {
        let looked_at = clock.now();
        let begins = looked_at - self.looked_at;
        let mut world = World::set_up(begins, self.cluster);
        let mut script = Script::new(begins, self.namespace, self.happens);
        script.play(&mut world, looked_at)?;
        Ok(Sim::playing(world, script, clock))
    }
}

/// `90s`, `3m 20s`, `180d`.
fn span<'de, D: Deserializer<'de>>(from: D) -> Result<TimeDelta, D::Error> {
    let text = String::deserialize(from)?;
    let span = humantime::parse_duration(&text).map_err(serde::de::Error::custom)?;
    TimeDelta::from_std(span).map_err(serde::de::Error::custom)
}

fn some_span<'de, D: Deserializer<'de>>(from: D) -> Result<Option<TimeDelta>, D::Error> {
    span(from).map(Some)
}

#[cfg(test)]
mod tests;
