//! What the analysis claims of loads, compared with the truth.

use confsplit::analysis::{Grade, Judged, Replica, Use, UseLoad, diagnose, judged};
use confsplit::model::{Container, Content, Pod as Listed};

use crate::model::pod::Run;
use crate::model::program::Program;
use crate::model::world::World;
use crate::model::{Data, Millis};
use crate::play::{KEYS, Played, VALUES};
use crate::truth::{Asked, truth};

/// A claim that is not true.
#[derive(Debug, Clone)]
pub struct Falsehood {
    pub grade: Grade,
    pub via: &'static str,
    pub claim: String,
    pub why: String,
    pub truth: String,
}

impl Falsehood {
    /// What it has in common with others of its kind: all but names, values, times and numbers.
    pub fn kind(&self) -> String {
        let claim = self.claim.split(", ").last().unwrap_or_default();
        let reasons = self.why.split("; ").map(|reason| {
            let words = reason.split(' ').map(|word| {
                let is_value = word.contains('=') || word.contains(|c: char| c.is_ascii_digit());
                if is_value { "_" } else { word }
            });
            words.collect::<Vec<_>>().join(" ")
        });
        let mut reasons: Vec<String> = reasons.collect();
        reasons.dedup();
        format!(
            "{} {}, {claim}: {}",
            self.via,
            self.grade,
            reasons.join("; ")
        )
    }
}

/// How many claims were made, and which of them are false.
#[derive(Debug, Default)]
pub struct Measured {
    pub claims: [usize; 4],
    pub unknown: usize,
    /// Claims by times where the clocks differ: nothing is promised of them.
    pub unjudged: usize,
    pub falsehoods: Vec<Falsehood>,
}

/// Compares every load of every pair with the truth.
pub fn measure(played: &Played) -> Measured {
    let mut measured = Measured::default();
    for pair in judged(&played.snapshot) {
        compare_pair(played, &pair, &mut measured);
    }
    measured
}

/// Whether a report holds the same loads of its incidents.
pub fn is_reported(played: &Played) -> bool {
    let pairs = judged(&played.snapshot);
    let known = |replica: &Replica| {
        let uses: Vec<_> = replica
            .uses
            .iter()
            .map(|u| (&u.loaded, u.live, u.grade))
            .collect();
        format!(
            "{:?}",
            (
                &replica.pod,
                &replica.container,
                replica.live,
                replica.grade,
                uses
            )
        )
    };
    diagnose(&played.snapshot).incidents.iter().all(|incident| {
        let same = |p: &&Judged| p.config == incident.config && p.workload == incident.workload;
        let pair = pairs.iter().find(same).unwrap();
        let reported = incident.replicas.iter().map(known);
        reported.eq(pair.replicas.iter().map(known))
    })
}

/// Compares the loads of one pair.
pub fn compare_pair(played: &Played, pair: &Judged, measured: &mut Measured) {
    for replica in &pair.replicas {
        let mut pods = played.snapshot.pods.iter();
        let pod = pods.find(|p| p.reference == replica.pod).unwrap();
        let place = pod
            .containers
            .iter()
            .position(|c| c.name == replica.container);
        let place = place.unwrap();
        let seen = Seen {
            played,
            pair,
            container: &pod.containers[place],
            program: played.world.template.programs[place],
            runs: runs(&played.world, pod, place),
        };
        for load in &replica.uses {
            seen.compare(load, measured);
        }
        seen.compare_replica(replica, measured);
    }
}

/// The runs that a claim may be about: the one that is listed, and the newest, which a status that is written late may lack.
fn runs<'a>(world: &'a World, pod: &Listed, place: usize) -> Vec<&'a Run> {
    let of = world
        .pods
        .iter()
        .find(|p| p.uid == pod.reference.uid)
        .unwrap();
    let runs = &of.containers[place].runs;
    let status = pod.containers[place].status.as_ref();
    let id = status.and_then(|status| status.container_id.as_ref());
    let listed = runs.iter().find(|run| Some(&run.id) == id);
    let newest = runs.last().filter(|run| Some(&run.id) != id);
    listed.into_iter().chain(newest).collect()
}

/// A replica, and what there is to judge the claims about it by.
struct Seen<'a> {
    played: &'a Played,
    pair: &'a Judged,
    container: &'a Container,
    program: Program,
    runs: Vec<&'a Run>,
}

impl Seen<'_> {
    fn compare(&self, load: &UseLoad, measured: &mut Measured) {
        let says_nothing = load.live.is_none() && load.loaded.is_none();
        if load.grade == Grade::Unknown || says_nothing {
            measured.unknown += 1;
            return;
        }
        measured.claims[load.grade as usize] += 1;
        if !self.is_promised(load) {
            measured.unjudged += 1;
            return;
        }
        let moments = [self.played.listed.0, self.played.world.now];
        let found: Vec<Option<String>> = self
            .runs
            .iter()
            .flat_map(|run| moments.map(|at| self.wrong(load, run, at)))
            .collect();
        if let Some(Some(truth)) = found.first()
            && found.iter().all(Option::is_some)
        {
            measured.falsehoods.push(Falsehood {
                grade: load.grade,
                via: load.via.as_str(),
                claim: self.claim(load),
                why: load.why.clone(),
                truth: truth.clone(),
            });
        }
    }

    /// What the times say is promised only where the clocks agree, and of files only where the program keeps what it read.
    fn is_promised(&self, load: &UseLoad) -> bool {
        let swaps = matches!(load.via, Use::Volume { .. } | Use::Projected { .. });
        load.grade < Grade::Inferred
            || (self.played.synchronous && !(swaps && self.program.watches()))
    }

    fn claim(&self, load: &UseLoad) -> String {
        format!(
            "{} of {} by {:?}: loaded {}, live {:?}",
            self.container.name,
            self.pair.config,
            load.via,
            load.loaded.as_deref().unwrap_or("-"),
            load.live
        )
    }

    /// What is true of a run instead of what is claimed.
    fn wrong(&self, load: &UseLoad, run: &Run, at: Millis) -> Option<String> {
        let asked = Asked {
            played: self.played,
            container: self.container,
            run,
            config: &self.pair.config.name,
            at,
        };
        let truth = truth(asked, &load.via);
        let is_live = truth.is_live();
        let named = load.loaded.as_ref().and_then(|name| {
            let mut revisions = self.pair.revisions.iter();
            revisions.find(|r| r.name == *name)?.content.as_ref()
        });
        // Of a program of which it is not known whether it read again only the start is claimed.
        let at_start = load.live.is_none();
        let misnamed = named
            .map(data)
            .is_some_and(|d| !truth.is_loaded(&d, at_start));
        let wrong = load.live.is_some_and(|live| live != is_live) || misnamed;
        wrong.then(|| {
            format!(
                "run {}: {}{truth:?}",
                run.id,
                if misnamed {
                    format!("not what {named:?} gives, ")
                } else {
                    String::new()
                },
            )
        })
    }

    /// The replica says in one word what its uses say.
    fn compare_replica(&self, replica: &Replica, measured: &mut Measured) {
        let lives: Vec<Option<bool>> = replica.uses.iter().map(|u| u.live).collect();
        let sound = match replica.live {
            Some(true) => lives.iter().all(|live| *live == Some(true)),
            Some(false) => lives.contains(&Some(false)),
            None => true,
        };
        if !sound {
            measured.falsehoods.push(Falsehood {
                grade: replica.grade,
                via: "replica",
                claim: format!("live {:?}", replica.live),
                why: replica.why.clone(),
                truth: format!("its uses say {lives:?}"),
            });
        }
    }
}

/// The model's content of a revision's.
fn data(content: &Content) -> Data {
    let known = |key: &str| KEYS.into_iter().find(|k| *k == key).unwrap();
    let value = |value: &str| VALUES.into_iter().find(|v| *v == value).unwrap();
    let pairs = content.keys().into_iter();
    pairs
        .map(|key| (known(key), value(content.get_text(key).unwrap())))
        .collect()
}

#[cfg(test)]
mod tests;
