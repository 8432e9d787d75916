//! Holds a report against what the pods say.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::claim::{Claim, by_silence, codes, in_incident, incident, name, names_live};
use super::truth::{Truth, ask};
use super::{Live, PERHAPS, Pair, Row};
use crate::place::Place;
use crate::program::{Run, run};

/// From the start of the program to its end.
const IN_TIME: Duration = Duration::from_secs(1);

const TRIES: Duration = Duration::from_secs(30);

/// One run at a time, so that each is timed alone.
static TIMED: Mutex<()> = Mutex::new(());

/// Has the program look at a namespace with these further arguments, and holds what it says against what the pods say.
///
/// A pod may load something between the question and the report: where the report is wrong and the pods say something else
/// than before, all is asked again.
pub(super) fn judge(place: &Place, arguments: &[&str], expected: &[Pair]) -> Value {
    loop {
        let truths = ask_all(place, expected);
        let report = Reported::read(place, arguments);
        let faults = report.faults(expected, &truths);
        if faults.is_empty() {
            return report.report;
        }
        if ask_all(place, expected) == truths {
            panic!(
                "in {} with {arguments:?}:\n- {}\n{}",
                place.name(),
                faults.join("\n- "),
                report.excerpt()
            );
        }
    }
}

fn ask_all(place: &Place, expected: &[Pair]) -> Vec<Vec<Truth>> {
    let ask = |pair: &Pair| ask(place, pair.app(), pair.container, pair.ask);
    expected.iter().map(ask).collect()
}

/// A run of the program.
struct Reported {
    code: Option<i32>,
    report: Value,
    took: Duration,
    probed: bool,
}

impl Reported {
    /// The first run that is quick enough. Pods of other tests start on the same machine meanwhile, so it is given some tries; a
    /// program that is slow by itself fails them all.
    fn read(place: &Place, arguments: &[&str]) -> Self {
        let until = Instant::now() + TRIES;
        loop {
            let read = Self::once(place, arguments);
            // A probe takes as long as the containers take to answer.
            if read.took < IN_TIME || read.probed || Instant::now() > until {
                return read;
            }
            std::thread::sleep(Duration::from_secs(1));
        }
    }

    fn once(place: &Place, arguments: &[&str]) -> Self {
        let own = ["-n", place.name(), "diagnose", "-o", "json"];
        let all = [&own[..], arguments].concat();
        let alone = TIMED.lock().unwrap_or_else(PoisonError::into_inner);
        let start = Instant::now();
        let Run {
            code,
            stdout,
            stderr,
        } = run(&all);
        let took = start.elapsed();
        drop(alone);
        Self {
            code,
            report: serde_json::from_str(&stdout)
                .unwrap_or_else(|wrong| panic!("{wrong}: {stdout}{stderr}")),
            took,
            probed: arguments.contains(&"--probe"),
        }
    }

    /// Everything that is wrong with it.
    fn faults(&self, expected: &[Pair], truths: &[Vec<Truth>]) -> Vec<String> {
        let mut faults = self.of_the_whole(expected);
        let mut open = false;
        for (pair, truths) in expected.iter().zip(truths) {
            faults.extend(of_the_table(pair, truths));
            faults.extend(self.of_the_cause(pair));
            for truth in truths {
                let Some(row) = pair.rows.iter().find(|row| row.truth == truth.says) else {
                    continue;
                };
                let claim = self.claim(pair, &truth.pod);
                open |= claim.as_ref().is_some_and(|c| c.live.is_none());
                faults.extend(self.of_a_replica(pair, row, truth, claim.as_ref()));
            }
        }
        let found = self.report["incidents"]
            .as_array()
            .is_some_and(|incidents| !incidents.is_empty());
        let code = if found { 1 } else { 2 * i32::from(open) };
        if self.code != Some(code) {
            faults.push(format!("it ended with {:?}, not with {code}", self.code));
        }
        faults
    }

    fn of_the_whole(&self, expected: &[Pair]) -> Vec<String> {
        let text = include_str!("../../../assets/report.schema.json");
        let schema: Value = serde_json::from_str(text).expect("the schema");
        let validator = jsonschema::validator_for(&schema).expect("a valid schema");
        let wrong = validator.iter_errors(&self.report);
        let mut faults: Vec<String> = wrong.map(|e| format!("not by the schema: {e}")).collect();
        if self.took >= IN_TIME && !self.probed {
            faults.push(format!("it took {:?}", self.took));
        }
        for found in self.report["incidents"].as_array().into_iter().flatten() {
            let (config, workload) = (name(&found["config"]), name(&found["workload"]));
            let known = |pair: &Pair| pair.config == config && pair.workload == workload;
            if !expected.iter().any(known) {
                faults.push(format!("an incident of {config} in {workload}"));
            }
        }
        faults
    }

    fn of_the_cause(&self, pair: &Pair) -> Option<String> {
        let found = incident(&self.report, pair.config, pair.workload);
        let codes = found.map(codes).unwrap_or_default();
        let right = match codes.first() {
            Some(cause) => pair.causes.contains(cause),
            None => pair.causes.is_empty() || pair.causes.contains(&PERHAPS),
        };
        (!right).then(|| {
            format!(
                "of {} in {} it finds {codes:?}, not {:?}",
                pair.config, pair.workload, pair.causes
            )
        })
    }

    fn claim(&self, pair: &Pair, pod: &str) -> Option<Claim> {
        match incident(&self.report, pair.config, pair.workload) {
            Some(found) => in_incident(found, pod, pair.container),
            None => Some(by_silence(&self.report, pair.config, pair.workload, pod)),
        }
    }

    fn of_a_replica(
        &self,
        pair: &Pair,
        row: &Row,
        truth: &Truth,
        claim: Option<&Claim>,
    ) -> Option<String> {
        let Some(claim) = claim else {
            return (row.live != Live::Nothing)
                .then(|| format!("{} ({:?}) is no replica in it", truth.pod, truth.says));
        };
        let found = incident(&self.report, pair.config, pair.workload);
        let wrong = [
            found
                .is_some_and(|found| started_after_its_revision(found, claim))
                .then_some("the edit's time"),
            (!self.live_is_right(row, claim)).then_some("live"),
            (!self.grade_is_right(row, claim)).then_some("grade"),
            (!loaded_is_right(row, claim, found)).then_some("loaded"),
            (!via_is_right(pair, claim)).then_some("uses"),
        ];
        let wrong: Vec<&str> = wrong.into_iter().flatten().collect();
        (!wrong.is_empty()).then(|| {
            format!(
                "{} of {} in {}, {} says {:?}: {} wrong\n  right: loaded {:?}, live {:?}, {:?}, {:?}\n  claim: {claim:?}",
                truth.pod,
                pair.config,
                pair.workload,
                pair.container,
                truth.says,
                wrong.join(", "),
                row.loaded,
                row.live,
                row.grades,
                pair.via,
            )
        })
    }

    fn live_is_right(&self, row: &Row, claim: &Claim) -> bool {
        match row.live {
            Live::Yes => claim.live == Some(true),
            Live::No => claim.live == Some(false),
            Live::Hidden(truth) if self.probed => claim.live.is_none_or(|live| live == truth),
            Live::Near(truth) => claim.live.is_none_or(|live| live == truth),
            Live::Hidden(_) | Live::Nothing => claim.live.is_none(),
        }
    }

    fn grade_is_right(&self, row: &Row, claim: &Claim) -> bool {
        let Some(grade) = claim.grade.as_deref() else {
            return true;
        };
        row.grades.contains(&grade)
            || (self.probed && grade == "proved")
            || (claim.live.is_none() && grade == "unknown")
    }

    /// The report, cut to what was judged.
    fn excerpt(&self) -> String {
        let mut incidents = self.report["incidents"].clone();
        for found in incidents.as_array_mut().into_iter().flatten() {
            for field in ["timeline", "plans"] {
                found[field] = Value::Null;
            }
        }
        let verdict = &self.report["verdict"];
        let open = &self.report["not_checked"];
        format!("{verdict:#}\nnot checked: {open:#}\nincidents: {incidents:#}")
    }
}

/// Whether the pods say what the test meant them to say.
fn of_the_table(pair: &Pair, truths: &[Truth]) -> Vec<String> {
    let mut says: BTreeMap<&str, usize> = BTreeMap::new();
    for truth in truths {
        *says.entry(&truth.says).or_default() += 1;
    }
    let in_table = |says: &str| pair.rows.iter().any(|row| row.truth == says);
    let number = |row: &Row| says.get(row.truth).copied().unwrap_or(0);
    let right = says.keys().all(|says| in_table(says))
        && (pair.rows.iter()).all(|row| row.count.is_none_or(|count| number(row) == count));
    if right {
        return Vec::new();
    }
    let meant: Vec<_> = pair.rows.iter().map(|r| (r.truth, r.count)).collect();
    vec![format!(
        "THE INCIDENT IS ANOTHER: the replicas of {} say {says:?} by {:?}, not {meant:?}",
        pair.workload, pair.ask
    )]
}

fn loaded_is_right(row: &Row, claim: &Claim, incident: Option<&Value>) -> bool {
    let (Some(loaded), Some(incident)) = (claim.loaded.as_deref(), incident) else {
        // Where there is no incident no revision has a name, and what is not known has none.
        return incident.is_none() || row.loaded.is_empty() || claim.live.is_none();
    };
    let consistent = claim
        .live
        .is_none_or(|live| live == names_live(incident, loaded));
    let named = row.loaded.is_empty() || row.loaded.contains(&loaded);
    consistent && named && row.live != Live::Nothing
}

/// Whether it is said to run a revision that ended before it started; edits and starts are counted in whole seconds.
fn started_after_its_revision(incident: &Value, claim: &Claim) -> bool {
    let (Some(loaded), Some(false)) = (&claim.loaded, claim.live) else {
        return false;
    };
    // A copy is as old as the init container that made it, and what was read in a container needs no times.
    let proved = claim.grade.as_deref() == Some("proved");
    if proved || claim.uses.iter().any(|usage| usage == "initCopy") {
        return false;
    }
    let revisions = incident["revisions"].as_array();
    let named = revisions
        .into_iter()
        .flatten()
        .find(|revision| revision["name"] == loaded.as_str());
    let until = named.and_then(|revision| revision["until"]["latest"].as_str());
    // Texts of one form in UTC are in the order of their times.
    matches!((until, &claim.started), (Some(until), Some(started)) if until < started.as_str())
}

fn via_is_right(pair: &Pair, claim: &Claim) -> bool {
    // By silence nothing is said of it.
    claim.grade.is_none()
        || pair
            .via
            .is_none_or(|via| claim.uses.iter().any(|u| u == via))
}
