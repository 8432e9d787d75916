//! What a remedy is to come to: which content is to be live, who is to run it, and how the pods are replaced.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};

use super::PlanKind;
use super::write::Write;
use crate::analysis::{Code, ContentSource, Incident, Replica, Traffic};
use crate::model::{Config, ConfigKind, ConfigRef, Content, PodRef, Workload, WorkloadRef};

/// How pods come to load what is live.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Those alone that run something else, one after the other, by eviction.
    Replace,
    /// All of them, by `rollout restart`.
    Restart,
}

/// A content that could be put back.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// `revision A`.
    pub name: String,
    /// `API server's history`.
    pub source: String,
    pub content: Content,
    pub reconstructed: bool,
}

/// What is to be so in the end.
#[derive(Debug, Clone, PartialEq)]
pub struct Goal {
    pub kind: PlanKind,
    pub config: ConfigRef,
    pub workload: WorkloadRef,
    /// The config as it was on screen.
    pub seen: Config,
    /// What is to be live, and to run; `None` for another template.
    pub target: Option<Choice>,
    /// The config that the template is to name.
    pub repoint: Option<ConfigRef>,
    pub method: Method,
    /// The evidence says that what is live fails.
    pub live_fails: bool,
    /// What only those log that run what fails.
    pub bad: Vec<String>,
    /// The route on which they fail.
    pub route: Option<String>,
    /// Replicas that serve at the start: so many are to serve all the time.
    pub serving: usize,
    /// The replicas that fail, the first to be replaced.
    pub failing: Vec<PodRef>,
    /// Somebody keeps the config as it is elsewhere, and may undo this.
    pub owned: bool,
}

/// Contents that could be put back, the one that a plan proposes first.
pub fn choices(incident: &Incident) -> Vec<Choice> {
    let live = incident.revisions.last().and_then(|r| r.content.as_ref());
    let proposed = incident
        .put_back
        .as_ref()
        .map(|put_back| &put_back.revision);
    let fails = |name: &str| incident.failing.as_deref() == Some(name);
    let mut choices: Vec<(bool, Choice)> = Vec::new();
    for revision in incident.revisions.iter().rev() {
        let (Some(content), Some(source)) = (&revision.content, &revision.source) else {
            continue;
        };
        let content = whole(content, &revision.unknown_keys, live);
        let known = choices.iter().any(|(_, choice)| choice.content == content);
        if Some(&content) == live || known || fails(&revision.name) {
            continue;
        }
        let choice = Choice {
            name: format!("revision {}", revision.name),
            source: source.to_string(),
            content,
            reconstructed: matches!(source, ContentSource::Reconstruction { .. }),
        };
        choices.push((proposed == Some(&revision.name), choice));
    }
    choices.sort_by_key(|(proposed, _)| !proposed);
    choices.into_iter().map(|(_, choice)| choice).collect()
}

fn put<T: Clone>(into: &mut BTreeMap<String, T>, key: &str, value: Option<&T>) {
    match value {
        Some(value) => {
            into.insert(key.to_owned(), value.clone());
        }
        None => {
            into.remove(key);
        }
    }
}

/// A content with what is live under those keys of which nothing is known.
fn whole(content: &Content, unknown: &BTreeSet<String>, live: Option<&Content>) -> Content {
    let mut content = content.clone();
    if let (
        Content::Plain { data, binary },
        Some(Content::Plain {
            data: now,
            binary: now_binary,
        }),
    ) = (&mut content, live)
    {
        for key in unknown {
            data.extend(now.get(key).map(|text| (key.clone(), text.clone())));
            binary.extend(
                now_binary
                    .get(key)
                    .map(|bytes| (key.clone(), bytes.clone())),
            );
        }
    }
    content
}

impl Goal {
    /// One of which nothing is known but what it is about.
    pub(super) fn new(kind: PlanKind, seen: Config, workload: WorkloadRef) -> Self {
        Self {
            kind,
            config: seen.reference.clone(),
            workload,
            seen,
            target: None,
            repoint: None,
            method: Method::Replace,
            live_fails: false,
            bad: Vec::new(),
            route: None,
            serving: 0,
            failing: Vec::new(),
            owned: false,
        }
    }

    /// What a plan comes to, or why only its commands can be followed by hand.
    pub fn of(
        kind: PlanKind,
        incident: &Incident,
        config: Option<&Config>,
        choice: usize,
    ) -> Result<Self, String> {
        let workload = &incident.workload;
        match workload.kind.as_str() {
            "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet" => {}
            "Pod" => return Err("A bare pod is made again by nothing: it is never evicted.".into()),
            kind => return Err(format!("How a {kind} makes its pods again is not known.")),
        }
        if incident.config.kind == ConfigKind::Secret && kind == PlanKind::RevertThenRestart {
            return Err(
                "What a Secret held is not kept, so it cannot be put back from here.".into(),
            );
        }
        let seen = config.ok_or("The config could not be read.")?.clone();
        if seen.is_absent() {
            return Err(format!(
                "{} is not there: it is made again by the command.",
                incident.config
            ));
        }
        let serving = incident.replicas.iter().filter(|r| !fails(r));
        let mut findings = incident.findings.iter();
        let mut goal = Self {
            live_fails: incident.failing.is_some(),
            bad: bad(incident),
            route: incident.route.clone(),
            serving: serving.count(),
            failing: failing(incident),
            owned: findings.any(|finding| finding.code == Code::OwnerWillUndo),
            ..Self::new(kind, seen, workload.clone())
        };
        match kind {
            PlanKind::RevertThenRestart | PlanKind::MitigateFirst => {
                goal.put_back(incident, choice)?
            }
            PlanKind::RollForward => goal.deliver(incident)?,
            PlanKind::Repoint => goal.other_reference(incident)?,
            PlanKind::Undo => return Err("What is undone is in a journal.".into()),
        }
        Ok(goal)
    }

    fn put_back(&mut self, incident: &Incident, choice: usize) -> Result<(), String> {
        if self.seen.immutable {
            return Err(format!(
                "{} is immutable: put another one in its place and name that in the template.",
                self.config
            ));
        }
        let all = choices(incident);
        let chosen = all.get(choice).or(all.first());
        let chosen = chosen.ok_or("The earlier content was not recovered.")?;
        self.target = Some(chosen.clone());
        Ok(())
    }

    /// The edit was meant: what is live is what all are to run.
    fn deliver(&mut self, incident: &Incident) -> Result<(), String> {
        if incident.findings.first().map(|f| f.code) == Some(Code::SplitReference) {
            return Err("The rollout that is under way brings it.".into());
        }
        self.target = self.seen.content.clone().map(|content| Choice {
            name: "what is live".into(),
            source: "live".into(),
            content,
            reconstructed: false,
        });
        self.failing = Vec::new();
        Ok(())
    }

    /// The config that replicas name which the template names no more.
    fn other_reference(&mut self, incident: &Incident) -> Result<(), String> {
        if !matches!(self.workload.kind.as_str(), "Deployment") {
            return Err("Only the template of a Deployment is put back from here.".into());
        }
        let former = incident
            .revisions
            .iter()
            .rev()
            .find(|revision| revision.config != incident.config)
            .map(|revision| revision.config.clone());
        self.repoint = Some(former.ok_or("Which config the template named before is not known.")?);
        self.method = Method::Restart;
        Ok(())
    }

    /// Keys that the target changes.
    pub fn changed_keys(&self) -> Vec<String> {
        let (Some(now), Some(target)) = (&self.seen.content, &self.target) else {
            return Vec::new();
        };
        now.differing(&target.content).map(str::to_owned).collect()
    }

    /// Puts only one key back; the others stay as they are live.
    pub fn only(&mut self, key: &str) {
        let (Some(Content::Plain { data, binary }), Some(target)) =
            (&self.seen.content, &mut self.target)
        else {
            return;
        };
        let Content::Plain {
            data: to,
            binary: to_binary,
        } = &target.content
        else {
            return;
        };
        let (mut data, mut binary) = (data.clone(), binary.clone());
        put(&mut data, key, to.get(key));
        put(&mut binary, key, to_binary.get(key));
        target.content = Content::Plain { data, binary };
        target.name = format!("{key} of {}", target.name);
    }

    /// The text under a key as a person corrected it.
    pub fn correct(&mut self, key: &str, text: &str) {
        if let Some(target) = &mut self.target
            && let Content::Plain { data, .. } = &mut target.content
        {
            data.insert(key.to_owned(), text.to_owned());
            target.name = format!("{}, corrected by hand", target.name);
        }
    }

    /// The write of the content, where one is needed.
    pub fn content_write(&self) -> Option<Write> {
        let target = self.target.as_ref()?;
        match self.seen.content.as_ref() == Some(&target.content) {
            true => None,
            false => Write::content(&self.seen, &target.content),
        }
    }

    /// The writes that it is expected to come to, in order: what is shown, rehearsed and agreed to.
    pub fn writes(
        &self,
        incident: Option<&Incident>,
        workload: Option<&Workload>,
        now: DateTime<Utc>,
    ) -> Vec<Write> {
        let mut writes: Vec<Write> = self.content_write().into_iter().collect();
        if self.repoint.is_some() {
            writes.extend(workload.and_then(|workload| self.repointing(workload)));
            return writes;
        }
        if self.kind == PlanKind::Undo {
            return writes;
        }
        let stale = incident.map_or_else(Vec::new, |incident| self.stale(incident));
        if self.method == Method::Replace {
            let only = self.kind == PlanKind::MitigateFirst;
            let pods = stale
                .into_iter()
                .filter(|pod| !only || self.failing.contains(pod));
            writes.extend(pods.map(|pod| Write::Evict { pod }));
        }
        if (self.method == Method::Restart || self.kind == PlanKind::MitigateFirst)
            && let Some(workload) = workload
        {
            writes.push(self.restarting(workload, now));
        }
        writes
    }

    /// The write that names the other config in the template, where that is the way.
    pub(super) fn repointing(&self, workload: &Workload) -> Option<Write> {
        Some(Write::Repoint {
            workload: self.workload.clone(),
            uid: workload.uid.clone(),
            generation: workload.generation,
            from: self.config.clone(),
            to: self.repoint.clone()?,
            resume: workload.paused,
        })
    }

    pub(super) fn restarting(&self, workload: &Workload, at: DateTime<Utc>) -> Write {
        Write::Restart {
            workload: self.workload.clone(),
            uid: workload.uid.clone(),
            generation: workload.generation,
            at,
        }
    }

    /// Pods that do not run the target as far as is known, those that fail first.
    fn stale(&self, incident: &Incident) -> Vec<PodRef> {
        let target = self.target.as_ref().map(|target| &target.content);
        let runs = |replica: &Replica| {
            let name = replica.loaded.as_deref();
            let revision = incident
                .revisions
                .iter()
                .find(|r| Some(r.name.as_str()) == name);
            let same = revision.is_some_and(|r| r.content.as_ref() == target);
            // What reaches the process decides, where it is the live content that is meant.
            same || (replica.live == Some(true) && self.seen.content.as_ref() == target)
        };
        let mut pods: Vec<(bool, &Replica)> = incident
            .replicas
            .iter()
            .filter(|r| !runs(r))
            .map(|r| (!self.failing.contains(&r.pod), r))
            .collect();
        pods.sort_by_key(|(fine, r)| (*fine, r.started_at, r.pod.clone()));
        let mut pods: Vec<PodRef> = pods.into_iter().map(|(_, r)| r.pod.clone()).collect();
        pods.dedup();
        pods
    }

    /// What is to run, in words.
    pub fn meant(&self) -> String {
        match (&self.target, &self.repoint) {
            (Some(choice), _) => choice.name.clone(),
            (None, Some(config)) => config.to_string(),
            (None, None) => "what is meant".into(),
        }
    }

    /// Whether a pod that starts before anything is written would load what the evidence says fails, and is asked to.
    pub fn needs_override(&self) -> bool {
        self.kind == PlanKind::RollForward && self.live_fails
    }
}

/// Texts of signals that only what fails explains.
fn bad(incident: &Incident) -> Vec<String> {
    let Some(failing) = &incident.failing else {
        return Vec::new();
    };
    let signals = incident.replicas.iter().flat_map(|r| &r.signals);
    let mut texts: Vec<String> = signals
        .filter(|signal| signal.revision.as_ref() == Some(failing))
        .map(|signal| signal.text.clone())
        .collect();
    texts.sort();
    texts.dedup();
    texts
}

/// Whether most of what a replica answered lately were errors, or it does not run at all.
pub(super) fn fails(replica: &Replica) -> bool {
    !replica.ready || replica.traffic.iter().any(Traffic::fails)
}

fn failing(incident: &Incident) -> Vec<PodRef> {
    let mut pods: Vec<PodRef> = incident
        .replicas
        .iter()
        .filter(|r| fails(r))
        .map(|r| r.pod.clone())
        .collect();
    pods.dedup();
    pods
}
