//! What the program says of each replica, against what the pods themselves say.
//!
//! A test makes an incident in a namespace of its own, asks every replica what it runs (its environment, a file that is never
//! swapped, an answer of its server, what it printed), and has the report judged by a table that is keyed by these answers.
//! Where what a replica runs cannot be known by what is read, the report must say so: `live` is null then, never a guess.

mod claim;
mod env;
mod files;
mod healthy;
mod judging;
mod lab;
mod overrides;
mod races;
mod servers;
mod truth;
mod ways;
mod writers;

use crate::place::Place;
use judging::judge;
use truth::Ask;

/// Each incident is judged with each of these further arguments.
const ARGUMENTS: &[&[&str]] = &[&[], &["--probe"]];

/// Grades that are right for a load.
type Grades = &'static [&'static str];

/// Fixed at the start, and ordered against the edit without clocks.
const ORDERED: Grades = &["ordered"];
/// By order where it can be, by times where it cannot.
const KNOWN: Grades = &["ordered", "shown", "inferred"];
/// By the log or by times: a container that was started again in its pod is in no list of pods at the edit, and what a program
/// read at its start needs the knowledge that it reads once.
const BY_TIMES: Grades = &["shown", "inferred"];
/// By the log alone.
const SHOWN: Grades = &["shown"];
/// Not known.
const UNKNOWN: Grades = &["unknown", "shown", "inferred", "ordered"];

/// What is true of a replica, and what of it can be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Live {
    /// It runs what is live, and the report must say so.
    Yes,
    /// It runs something else, and the report must say so.
    No,
    /// This is true, but neither times nor log carry it: without a probe the report must leave it open.
    Hidden(bool),
    /// This is true, and may be left open: edit and start were too close.
    Near(bool),
    /// It has not started, so it runs nothing.
    Nothing,
}

/// The replicas that say the same of themselves, and what the report must say of them.
#[derive(Debug, Clone)]
struct Row {
    /// What they say.
    truth: &'static str,
    /// How many they are; none where that is left to chance.
    count: Option<usize>,
    /// Names of the revision, of which one is given; none where it has no name.
    loaded: &'static [&'static str],
    live: Live,
    grades: Grades,
}

fn row(
    truth: &'static str,
    count: usize,
    loaded: &'static [&'static str],
    live: Live,
    grades: Grades,
) -> Row {
    Row {
        truth,
        count: Some(count),
        loaded,
        live,
        grades,
    }
}

/// The same for any number of replicas.
fn any(truth: &'static str, loaded: &'static [&'static str], live: Live, grades: Grades) -> Row {
    Row {
        count: None,
        ..row(truth, 0, loaded, live, grades)
    }
}

/// One config, one workload, one of its containers: what its replicas are expected to say, and what the report of them.
#[derive(Debug, Clone)]
struct Pair {
    config: &'static str,
    workload: &'static str,
    container: &'static str,
    ask: Ask,
    /// The codes of which one must be the cause; none where nothing may be found.
    causes: &'static [&'static str],
    /// A use that each replica in the report must have.
    via: Option<&'static str>,
    rows: Vec<Row>,
}

impl Pair {
    /// A pair with nothing to find.
    fn quiet(config: &'static str, workload: &'static str, ask: Ask, rows: &[Row]) -> Self {
        Self {
            config,
            workload,
            container: "app",
            ask,
            causes: &[],
            via: None,
            rows: rows.to_vec(),
        }
    }

    /// A pair with an incident of one of these causes.
    fn incident(
        config: &'static str,
        workload: &'static str,
        ask: Ask,
        causes: &'static [&'static str],
        rows: &[Row],
    ) -> Self {
        Self {
            causes,
            ..Self::quiet(config, workload, ask, rows)
        }
    }

    fn container(self, container: &'static str) -> Self {
        Self { container, ..self }
    }

    fn via(self, via: &'static str) -> Self {
        Self {
            via: Some(via),
            ..self
        }
    }

    /// The label `app` of its pods, which is the workload's name.
    fn app(&self) -> &'static str {
        self.workload.rsplit('/').next().unwrap_or(self.workload)
    }
}

/// Replicas run different revisions.
const SPLIT: &[&str] = &["split-replicas"];
/// No replica has loaded what is live.
const STALE: &[&str] = &["stale-everywhere"];

/// Among causes: nothing may be found as well.
const PERHAPS: &str = "nothing";

/// Judges everything that happened in a namespace, in every way in which the program can look. Gives the reports.
fn judged(place: &Place, expected: &[Pair]) -> Vec<serde_json::Value> {
    let judge = |arguments: &&[&str]| judge(place, arguments, expected);
    ARGUMENTS.iter().map(judge).collect()
}
