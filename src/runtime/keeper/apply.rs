//! What each change makes of the facts.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::Keeper;
use super::follow::started;
use super::link::Turn;
use crate::app::Msg;
use crate::model::{
    Config, ConfigKind, ConfigRef, EarlierConfig, Gap, GapReason, Kind, Object, Pod, PodRef, Want,
};
use crate::source::{Change, Progress, Source, nothing_read};

/// A log that is followed is kept so long; of a longer one the oldest lines are let go in steps.
const LONGEST: usize = 12 << 20;
const KEPT: usize = 8 << 20;

/// How far the lists have come.
#[derive(Debug, Default)]
pub(super) struct Lists {
    /// What came of a list that is read again, until it is complete.
    again: BTreeMap<Kind, Vec<Object>>,
    /// Lists of which only the beginning was seen.
    peeked: BTreeSet<Kind>,
    /// A config was written since the last look.
    pub(super) edited: bool,
    /// Lists that were complete once.
    whole: BTreeSet<Kind>,
    /// Lists that had an outcome, of whatever kind.
    tried: BTreeSet<Kind>,
    count: BTreeMap<Kind, usize>,
    pub(super) everything: bool,
    /// Logs that were followed to their end, or were given up for a reason.
    pub(super) ended: HashMap<(PodRef, String), Option<GapReason>>,
    /// Lines that were let go.
    pub(super) dropped: HashMap<(PodRef, String), usize>,
    /// Histories from before a list was read again: kept until it shows whether they meet the newer ones.
    pub(super) held: Vec<EarlierConfig>,
}

impl Lists {
    /// Whether anything has been read.
    pub(super) fn any(&self) -> bool {
        self.everything
            || !self.whole.is_empty()
            || !self.count.is_empty()
            || !self.peeked.is_empty()
    }

    /// Whether each list had its first outcome.
    pub(super) fn complete(&self) -> bool {
        self.everything || self.tried.len() == Kind::ALL.len()
    }
}

impl<S: Source + 'static> Keeper<S> {
    /// Takes in one change; whether the facts are others now.
    pub(super) async fn apply(&mut self, change: Change) -> bool {
        match change {
            Change::Whole(snapshot) => {
                self.snapshot = *snapshot;
                self.lists.everything = true;
            }
            Change::Anew(why) => {
                self.begin_anew(why).await;
                return false;
            }
            Change::Version(version) => self.snapshot.cluster.version = Some(version),
            Change::Outside(loaded) => loaded.into_snapshot(&mut self.snapshot),
            Change::Peek { kind, objects } => self.peek(kind, objects),
            Change::More { kind, objects } => self.more(kind, objects),
            Change::Listed { kind, gaps } => self.listed(kind, gaps).await,
            Change::Failed { kind, gap } => self.failed(kind, gap).await,
            Change::Put(object) => self.put(*object),
            Change::Gone {
                kind,
                namespace,
                name,
            } => self.gone(kind, &namespace, &name),
            Change::Bad(gap) => {
                if !self.snapshot.gaps.contains(&gap) {
                    self.snapshot.gaps.push(gap);
                }
            }
            Change::Link { kind, link } => {
                self.links.set(kind, link);
                return self.turned().await;
            }
            Change::Clock(ahead) => {
                self.snapshot.clocks.local = Some(ahead);
                return false;
            }
            Change::Beat(told) => {
                self.links.beat(told);
                return self.turned().await;
            }
            Change::Lines {
                pod,
                container,
                lines,
            } => self.lines(&pod, &container, &lines),
            Change::LogEnded {
                pod,
                container,
                why,
            } => {
                // That of a former run may have been told before its stream was given up.
                let key = (pod, container);
                if self.following.contains_key(&key) {
                    self.lists.ended.insert(key, why);
                }
                return false;
            }
        }
        true
    }

    fn gone(&mut self, kind: Kind, namespace: &str, name: &str) {
        match kind {
            Kind::Pods => self.forget_pod(namespace, name),
            Kind::ConfigMaps => {
                self.forget_history(&ConfigRef::new(ConfigKind::ConfigMap, namespace, name));
            }
            _ => {}
        }
        self.snapshot.remove(kind, namespace, name);
    }

    fn peek(&mut self, kind: Kind, objects: Vec<Object>) {
        let begun = self.lists.count.contains_key(&kind) || self.lists.tried.contains(&kind);
        if !begun && self.lists.peeked.insert(kind) {
            objects
                .into_iter()
                .for_each(|object| self.snapshot.add(object));
        }
    }

    /// The list itself takes the place of what was seen of it beforehand.
    fn forget_peek(&mut self, kind: Kind) {
        if self.lists.peeked.remove(&kind) {
            self.snapshot.clear(kind);
        }
    }

    fn more(&mut self, kind: Kind, objects: Vec<Object>) {
        self.forget_peek(kind);
        *self.lists.count.entry(kind).or_default() += objects.len();
        // Of a list that broke off before, half of it might stand there for long.
        if self.lists.tried.contains(&kind) {
            self.lists.again.entry(kind).or_default().extend(objects);
        } else {
            objects
                .into_iter()
                .for_each(|object| self.snapshot.add(object));
        }
    }

    async fn listed(&mut self, kind: Kind, gaps: Vec<Gap>) {
        self.forget_peek(kind);
        let count = self.lists.count.remove(&kind).unwrap_or(0);
        self.drop_gaps(kind);
        self.snapshot.gaps.extend(gaps);
        if !self.lists.tried.insert(kind) {
            let objects = self.lists.again.remove(&kind).unwrap_or_default();
            self.replace(kind, objects);
        }
        if self.lists.whole.insert(kind) {
            self.tell(Msg::Progress(Progress::Listed {
                resource: kind.resource(),
                count,
            }))
            .await;
        }
    }

    /// A list that was read again replaces what was known. What changed in between without being seen is no history.
    fn replace(&mut self, kind: Kind, objects: Vec<Object>) {
        let before = self.snapshot.clone();
        // Thousands are compared with thousands.
        let mut pods: HashMap<_, _> = before.pods.iter().map(|p| (&p.reference, p)).collect();
        let configs: HashMap<_, _> = before.configs.iter().map(|c| (&c.reference, c)).collect();
        self.snapshot.clear(kind);
        for object in objects {
            if let Object::Pod(pod) = &object
                && let Some(known) = pods.remove(&pod.reference)
            {
                self.note_restart(known, pod);
            }
            if let Object::Config(config) = &object
                && let Some(known) = configs.get(&config.reference)
                && known.resource_version != config.resource_version
            {
                // Versions that go back are no history: the state that they were of is gone.
                let number = |config: &Config| config.resource_version.parse::<u64>().ok();
                if known.uid == config.uid && number(known) <= number(config) {
                    self.hold_history(known);
                } else {
                    self.forget_history(&config.reference);
                }
                self.snapshot.asked.remove(&Want::SecretContent {
                    config: config.reference.clone(),
                });
            }
            self.snapshot.add(object);
        }
        if kind == Kind::Pods {
            for gone in pods.into_keys() {
                self.forget_pod(&gone.namespace, &gone.name);
            }
        }
    }

    async fn failed(&mut self, kind: Kind, gap: Gap) {
        self.lists.count.remove(&kind);
        self.lists.again.remove(&kind);
        self.lists.peeked.remove(&kind);
        self.lists.tried.insert(kind);
        // What is known stays while it is tried again. Where that is of no use, it would pass for what is there now.
        let may_come_back = !matches!(gap.reason, GapReason::Forbidden | GapReason::NotFound);
        if self.lists.whole.contains(&kind) && may_come_back {
            return;
        }
        self.lists.whole.remove(&kind);
        // What came of a list that broke off would read as all that there is.
        self.snapshot.clear(kind);
        self.drop_gaps(kind);
        self.snapshot.gaps.push(gap);
        self.tell(Msg::Progress(Progress::Failed {
            resource: kind.resource(),
        }))
        .await;
        if self.lists.complete()
            && let Some(error) = nothing_read(&self.snapshot)
        {
            self.tell(Msg::Failed(error)).await;
        }
    }

    fn drop_gaps(&mut self, kind: Kind) {
        self.snapshot.gaps.retain(|gap| {
            gap.verb != "list" || gap.resource != kind.resource() || gap.name.is_some()
        });
    }

    fn put(&mut self, object: Object) {
        match &object {
            Object::Config(config) => {
                // Some are written every other second, by leaders that renew their claim, and say the same.
                let known = self.snapshot.configs.iter();
                let known = known.filter(|c| c.reference == config.reference);
                self.lists.edited |= known.clone().all(|c| c.content != config.content);
                self.note_version(config);
            }
            Object::Pod(pod) => {
                let known = self
                    .snapshot
                    .pods
                    .iter()
                    .find(|p| p.reference == pod.reference);
                if let Some(known) = known.cloned() {
                    self.note_restart(&known, pod);
                }
            }
            _ => {}
        }
        self.snapshot.put(object);
    }

    /// A container that was started again logs anew: what was read is its previous run's.
    fn note_restart(&mut self, known: &Pod, fresh: &Pod) {
        let run = |pod: &Pod, name: &str| {
            let container = pod.container(name)?;
            container.status.as_ref()?.container_id.clone()
        };
        for container in &fresh.containers {
            let before = run(known, &container.name);
            let now = run(fresh, &container.name);
            if now.is_some() && before != now {
                self.ask_again(&fresh.reference, &container.name);
            }
        }
    }

    fn lines(&mut self, pod: &PodRef, container: &str, lines: &str) {
        let read_at = self.clock.now();
        let listed = self.snapshot.pods.iter().find(|p| p.reference == *pod);
        let started = listed.and_then(|listed| started(listed, container));
        let log = self
            .snapshot
            .logs
            .iter_mut()
            .find(|log| log.pod == *pod && log.container == container && !log.previous);
        let Some(log) = log else { return };
        let first = log.text.is_empty();
        log.text.push(lines);
        log.read_at = read_at;
        if first {
            log.missing = log.text.missing_before(started);
            log.complete = log.missing.is_none();
        }
        if log.text.len() > LONGEST {
            let dropped = self
                .lists
                .dropped
                .entry((pod.clone(), container.to_owned()))
                .or_default();
            *dropped += log.text.keep_last(KEPT);
            log.complete = false;
            log.missing = Some(format!("{dropped} earlier lines were let go"));
        }
    }

    /// Tells how well the facts keep up; whether there is a new gap among them.
    async fn turned(&mut self) -> bool {
        let now = self.clock.now();
        match self.links.turn(now, &self.snapshot) {
            Turn::Same => false,
            Turn::Told(link) => {
                self.tell(Msg::Link(link)).await;
                false
            }
            Turn::Back { link, from, missed } => {
                self.snapshot.gaps.push(Gap {
                    verb: "watch".to_owned(),
                    resource: "everything".to_owned(),
                    namespace: self.snapshot.scope.namespace.clone(),
                    name: None,
                    reason: GapReason::Unwatched { from, until: now },
                });
                self.try_again();
                self.tell(Msg::Link(link)).await;
                self.tell(Msg::Notice(missed)).await;
                true
            }
        }
    }
}
