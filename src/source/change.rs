//! What a source tells while it is watched, and what becomes of further reads.

mod probes;

use chrono::{DateTime, Utc};

use super::outside::Loaded;
use crate::model::{
    Ahead, Config, EarlierConfig, Found, Gap, GapReason, Kind, Log, Namesake, Object, Outside,
    PodRef, PodsAt, Probe, Snapshot, ToldVersion, Want,
};

/// One thing that a watched source tells. Lists come first, object by object; what the watches see follows.
#[derive(Debug)]
pub enum Change {
    /// Everything at once: a capture.
    Whole(Box<Snapshot>),
    /// The server's version.
    Version(String),
    /// What is known from outside the API.
    Outside(Box<Loaded>),
    /// What was known is of another cluster, or of a state that the API server was taken back from; why that is so. What follows is
    /// told from the beginning.
    Anew(String),
    /// The beginning of a long list, to show something until the list itself comes.
    Peek { kind: Kind, objects: Vec<Object> },
    /// Some more of a list that is being read.
    More { kind: Kind, objects: Vec<Object> },
    /// A list is complete: what else was known of this kind is gone. The gaps are objects that could not be understood.
    Listed { kind: Kind, gaps: Vec<Gap> },
    /// A list could not be read to its end; what came of it does not count.
    Failed { kind: Kind, gap: Gap },
    /// An object was made or changed.
    Put(Box<Object>),
    Gone {
        kind: Kind,
        namespace: String,
        name: String,
    },
    /// An object came that could not be understood.
    Bad(Gap),
    /// How a list keeps up now.
    Link { kind: Kind, link: Link },
    /// How far this machine's clock is from the server's, as far as that is known by now.
    Clock(Ahead),
    /// The server answered, or did not: asked every few seconds, so that silence is not taken for quiet.
    Beat(Result<DateTime<Utc>, GapReason>),
    /// More of a log that is followed: whole lines with the kubelet's timestamps, without any value of a Secret.
    Lines {
        pod: PodRef,
        container: String,
        lines: String,
    },
    /// A log that was followed ended, as far as this source can tell for good.
    LogEnded {
        pod: PodRef,
        container: String,
        /// Why it is given up for now, where the run may go on.
        why: Option<GapReason>,
    },
}

/// How a list keeps up with the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Link {
    /// It is watched.
    Live,
    /// The watch is lost, and taken up again as soon as it can be.
    Lost(GapReason),
    /// It may be listed but not watched: it is listed again every so many seconds.
    Polled { seconds: u64 },
    /// It may not be read; the dashboard tries again now and then, but for a login that has expired.
    Denied(GapReason),
}

/// What further reads came to, each with what was asked.
#[derive(Debug, Default, Clone)]
pub struct Answers(pub Vec<(Want, Answer)>);

/// What one further read came to.
#[derive(Debug, Clone)]
pub enum Answer {
    Log(Log),
    Earlier(EarlierConfig),
    /// Versions of the object that bore the name before; none where it was not found.
    Former(EarlierConfig),
    PodsAt(PodsAt),
    /// A Secret with its values hashed.
    Secret(Config),
    /// What a Helm release applied.
    Found(Vec<Found>),
    Namesakes(Vec<Namesake>),
    OneCounter(bool),
    NodeClock {
        node: String,
        ahead: Ahead,
    },
    Probe(Probe),
    ToldVersion(ToldVersion),
    Gap(Gap),
    /// It is in the snapshot already.
    Known,
}

impl Answers {
    /// Takes the answers into a snapshot, in an order that does not depend on who was faster.
    pub fn into_snapshot(self, snapshot: &mut Snapshot) {
        // What failed before has another outcome now. One gap may be of several reads, which are asked again together.
        let read = self.0.iter().map(|(want, _)| want);
        for want in read.filter(|want| !want.is_probing()) {
            snapshot.gaps.retain(|gap| !want.is_refused_by(gap));
        }
        for (want, answer) in self.0 {
            probes::forget_older(&want, snapshot);
            snapshot.asked.insert(want);
            answer.keep(snapshot);
        }
        sort(snapshot);
    }
}

impl Answer {
    fn keep(self, snapshot: &mut Snapshot) {
        match self {
            Self::Log(log) => {
                let same = |l: &Log| {
                    l.pod == log.pod && l.container == log.container && l.previous == log.previous
                };
                snapshot.logs.retain(|l| !same(l));
                snapshot.logs.push(log);
            }
            Self::Earlier(earlier) => {
                match snapshot
                    .earlier
                    .iter_mut()
                    .find(|e| e.reference == earlier.reference)
                {
                    Some(known) => known.join(earlier),
                    None => snapshot.earlier.push(earlier),
                }
            }
            Self::Former(former) => {
                let mut all = snapshot.earlier.iter_mut();
                match all.find(|e| e.reference == former.reference) {
                    _ if former.versions.is_empty() => {}
                    Some(known) => {
                        known.end = former.end;
                        known.versions.splice(0..0, former.versions);
                    }
                    // Of a config that is not there any more nothing else is known.
                    None => snapshot.earlier.push(former),
                }
            }
            Self::PodsAt(at) => snapshot.pods_at.push(at),
            Self::Found(found) => snapshot.outside.add(Outside {
                found,
                ..Outside::default()
            }),
            Self::Namesakes(found) => {
                for namesake in found {
                    let same = |n: &Namesake| n.config.reference == namesake.config.reference;
                    snapshot.namesakes.retain(|n| !same(n));
                    snapshot.namesakes.push(namesake);
                }
            }
            Self::OneCounter(one) => snapshot.one_counter = Some(one),
            Self::NodeClock { node, ahead } => {
                snapshot.clocks.nodes.insert(node, ahead);
            }
            Self::Probe(probe) => probes::keep(snapshot, probe),
            Self::ToldVersion(told) => {
                let same = |t: &ToldVersion| t.pod == told.pod && t.asked == told.asked;
                snapshot.told.retain(|t| !same(t));
                snapshot.told.push(told);
            }
            Self::Gap(gap) => snapshot.gaps.push(gap),
            Self::Secret(secret) => take_content(snapshot, secret),
            Self::Known => {}
        }
    }
}

/// The content belongs to the version that was listed; one that was written since is another.
fn take_content(snapshot: &mut Snapshot, secret: Config) {
    let known = snapshot
        .configs
        .iter_mut()
        .find(|c| c.reference == secret.reference);
    let Some(known) = known else { return };
    if known.resource_version == secret.resource_version {
        known.content = secret.content;
    } else {
        snapshot.gaps.push(Gap {
            verb: "get".to_owned(),
            resource: "secrets".to_owned(),
            namespace: Some(secret.reference.namespace),
            name: Some(secret.reference.name),
            reason: GapReason::Unordered("it was written again while it was read".to_owned()),
        });
    }
}

fn sort(snapshot: &mut Snapshot) {
    let found = |found: &Found| (found.config.clone(), found.origin.clone());
    snapshot.outside.found.sort_by_cached_key(found);
    snapshot.logs.sort_by(|a, b| {
        (&a.pod, &a.container, a.previous).cmp(&(&b.pod, &b.container, b.previous))
    });
    snapshot
        .earlier
        .sort_by(|a, b| a.reference.cmp(&b.reference));
    snapshot.pods_at.sort_by(|a, b| {
        (&a.namespace, &a.resource_version).cmp(&(&b.namespace, &b.resource_version))
    });
    let probe = |p: &Probe| (p.pod.clone(), p.container.clone(), p.read_at);
    snapshot.probes.sort_by_cached_key(probe);
    snapshot
        .told
        .sort_by(|a, b| (&a.pod, &a.asked).cmp(&(&b.pod, &b.asked)));
    snapshot
        .namesakes
        .sort_by(|a, b| a.config.reference.cmp(&b.config.reference));
    snapshot.gaps.sort();
    snapshot.gaps.dedup();
}
