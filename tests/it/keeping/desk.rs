//! A source that tells what a test says, and the keeper that listens to it.

use std::cell::Cell;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use confsplit::app::{Msg, News};
use confsplit::model::{
    ChainEnd, ConfigRef, EarlierConfig, Gap, GapReason, Kind, Object, PodRef, Scope, Snapshot,
    Want, WorkloadRef,
};
use confsplit::runtime::journal::Journal;
use confsplit::runtime::keeper::{Focus, Task, keep};
use confsplit::source::{
    Answer, Answers, Change, Clock, Link, Probing, Progress, Source, SourceError, unknown_secret,
};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::build::{NS, snapshot, t};

/// What a test waits for comes in this time, or never.
const DEADLINE: Duration = Duration::from_secs(5);

thread_local! {
    /// The clock of the test on this thread: its runtime has no other.
    static NOW: Cell<i64> = const { Cell::new(600) };
}

pub fn set_clock(seconds: i64) {
    NOW.set(seconds);
}

fn clock() -> DateTime<Utc> {
    t(NOW.get())
}

type Reply = Box<dyn Fn(&Snapshot, &Want) -> Answer + Send + Sync>;

/// One log that is followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stream {
    pub pod: PodRef,
    pub container: String,
    pub after: Option<DateTime<Utc>>,
}

#[derive(Default)]
struct Seen {
    begun: Vec<Stream>,
    open: Vec<Stream>,
    asked: Vec<Want>,
}

struct Scripted {
    feed: Mutex<Option<Receiver<Change>>>,
    reply: Reply,
    seen: Arc<Mutex<Seen>>,
}

/// Takes a stream off the open ones, also where its task is aborted.
struct Closing(Arc<Mutex<Seen>>, Stream);

impl Drop for Closing {
    fn drop(&mut self) {
        let mut seen = self.0.lock().unwrap();
        let place = seen.open.iter().position(|stream| *stream == self.1);
        seen.open.remove(place.unwrap());
    }
}

impl Source for Scripted {
    async fn lists(
        &self,
        _: &Scope,
        _: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Snapshot, SourceError> {
        unreachable!("the keeper watches")
    }

    async fn answer(
        &self,
        snapshot: &Snapshot,
        wants: Vec<Want>,
        _: &(dyn Fn(Progress) + Send + Sync),
    ) -> Answers {
        self.seen.lock().unwrap().asked.extend(wants.clone());
        let answer = |want: Want| {
            // As the live source does.
            let withheld = match &want {
                Want::Log { pod, .. } => {
                    let listed = snapshot.pods.iter().find(|p| p.reference == *pod);
                    let why = listed.and_then(|listed| unknown_secret(snapshot, listed));
                    why.map(|why| Answer::Gap(want.gap(why)))
                }
                _ => None,
            };
            let answer = withheld.unwrap_or_else(|| (self.reply)(snapshot, &want));
            (want, answer)
        };
        Answers(wants.into_iter().map(answer).collect())
    }

    fn redact(&self, snapshot: &mut Snapshot) {
        for log in &mut snapshot.logs {
            let clean = log.text.to_string().replace("hunter22", "[Secret]");
            log.text = clean.into();
        }
    }

    async fn watch(&self, _: &Scope, changes: Sender<Change>) -> Result<(), SourceError> {
        let mut feed = self.feed.lock().unwrap().take().unwrap();
        loop {
            tokio::select! {
                Some(change) = feed.recv() => changes.send(change).await.unwrap_or_default(),
                () = changes.closed() => return Ok(()),
            }
        }
    }

    async fn follow(
        &self,
        pod: &PodRef,
        container: &str,
        after: Option<DateTime<Utc>>,
        changes: Sender<Change>,
    ) {
        let stream = Stream {
            pod: pod.clone(),
            container: container.to_owned(),
            after,
        };
        {
            let mut seen = self.seen.lock().unwrap();
            seen.begun.push(stream.clone());
            seen.open.push(stream.clone());
        }
        let _closing = Closing(self.seen.clone(), stream);
        changes.closed().await;
    }
}

/// The keeper at work.
pub struct Desk {
    feed: Sender<Change>,
    pub news: Receiver<Msg>,
    focus: Sender<Focus>,
    /// Dropping it would say that nobody agrees to anything any more.
    _consent: watch::Sender<Probing>,
    pub task: JoinHandle<()>,
    seen: Arc<Mutex<Seen>>,
}

impl Desk {
    /// Further reads get these answers.
    pub fn new(reply: impl Fn(&Snapshot, &Want) -> Answer + Send + Sync + 'static) -> Self {
        let (feed, changes) = channel(64);
        let (news_sender, news) = channel(1024);
        let (focus, focused) = channel(8);
        let (consent, agreed) = watch::channel(Probing::default());
        let seen = Arc::new(Mutex::new(Seen::default()));
        let source = Scripted {
            feed: Mutex::new(Some(changes)),
            reply: Box::new(reply),
            seen: seen.clone(),
        };
        let empty = snapshot();
        let task = Task {
            scope: empty.scope.clone(),
            snapshot: Snapshot::empty(empty.cluster.clone(), empty.scope, clock()),
            clock: Clock::from(clock),
            news: news_sender,
            focus: focused,
            consent: agreed,
            acts: tokio::sync::mpsc::channel(1).1,
            journal: Journal::at(None),
        };
        Self {
            feed,
            news,
            focus,
            _consent: consent,
            task: tokio::spawn(keep(Arc::new(source), task)),
            seen,
        }
    }

    pub async fn tell(&self, change: Change) {
        self.feed.send(change).await.unwrap();
    }

    pub async fn put(&self, object: Object) {
        self.tell(Change::Put(Box::new(object))).await;
    }

    pub async fn link(&self, kind: Kind, link: Link) {
        self.tell(Change::Link { kind, link }).await;
    }

    pub async fn focus(&self, config: &ConfigRef, workload: &WorkloadRef) {
        let pair = (config.clone(), workload.clone());
        self.focus.send(Some(pair)).await.unwrap();
    }

    /// One whole list.
    pub async fn list(&self, kind: Kind, objects: Vec<Object>) {
        self.tell(Change::More { kind, objects }).await;
        self.listed(kind).await;
    }

    pub async fn listed(&self, kind: Kind) {
        let gaps = Vec::new();
        self.tell(Change::Listed { kind, gaps }).await;
    }

    pub async fn fail(&self, kind: Kind, reason: GapReason) {
        let gap = gap("list", kind.resource(), reason);
        self.tell(Change::Failed { kind, gap }).await;
    }

    /// Every list of a snapshot, and that all are watched.
    pub async fn lists(&self, snapshot: &Snapshot) {
        for kind in Kind::ALL {
            self.list(kind, objects(snapshot, kind)).await;
            self.link(kind, Link::Live).await;
        }
    }

    /// The first message from here on that something can be made of.
    pub async fn next<T>(&mut self, what: &str, mut found: impl FnMut(Msg) -> Option<T>) -> T {
        let waiting = async {
            loop {
                let msg = self.news.recv().await.expect("the keeper ended");
                if let Some(found) = found(msg) {
                    return found;
                }
            }
        };
        let outcome = timeout(DEADLINE, waiting).await;
        outcome.unwrap_or_else(|_| panic!("it never came: {what}"))
    }

    /// The next news of which this is true.
    pub async fn news(&mut self, what: &str, holds: impl Fn(&News) -> bool) -> News {
        self.next(what, |msg| match msg {
            Msg::News(news) => holds(&news).then_some(news),
            _ => None,
        })
        .await
    }

    /// The next news when everything was read that is wanted.
    pub async fn settled(&mut self) -> News {
        self.news("the end of the first reading", |news| news.complete)
            .await
    }

    pub fn open(&self) -> Vec<Stream> {
        self.seen.lock().unwrap().open.clone()
    }

    /// All logs that were ever followed, in order.
    pub fn begun(&self) -> Vec<Stream> {
        self.seen.lock().unwrap().begun.clone()
    }

    pub fn asked(&self) -> Vec<Want> {
        self.seen.lock().unwrap().asked.clone()
    }

    /// Waits until the streams are so.
    pub async fn streams(&self, what: &str, holds: impl Fn(&[Stream]) -> bool) {
        let waiting = async {
            while !holds(&self.open()) {
                tokio::task::yield_now().await;
            }
        };
        let outcome = timeout(DEADLINE, waiting).await;
        outcome.unwrap_or_else(|_| panic!("{what}: {:#?}", self.open()));
    }
}

pub fn gap(verb: &str, resource: &str, reason: GapReason) -> Gap {
    Gap {
        verb: verb.to_owned(),
        resource: resource.to_owned(),
        namespace: Some(NS.to_owned()),
        name: None,
        reason,
    }
}

/// What of a snapshot is in a list. Only Deployments among the workloads, and no endpoints.
fn objects(snapshot: &Snapshot, kind: Kind) -> Vec<Object> {
    let configs = snapshot.configs.iter().map(|c| (**c).clone());
    let of_kind = configs.filter(|c| c.reference.kind.resource() == kind.resource());
    match kind {
        Kind::ConfigMaps | Kind::Secrets => of_kind.map(Object::Config).collect(),
        Kind::Pods => pods(snapshot),
        Kind::Deployments => {
            let all = snapshot.workloads.iter().map(|w| (**w).clone());
            all.map(Object::Workload).collect()
        }
        Kind::Services => {
            let all = snapshot.services.iter().map(|s| (**s).clone());
            all.map(Object::Service).collect()
        }
        Kind::Events => {
            let all = snapshot.events.iter().map(|e| (**e).clone());
            all.map(Object::Event).collect()
        }
        _ => Vec::new(),
    }
}

pub fn pods(snapshot: &Snapshot) -> Vec<Object> {
    let all = snapshot.pods.iter().map(|p| (**p).clone());
    all.map(Object::Pod).collect()
}

/// Answers with what a snapshot holds; what it does not hold has been forgotten by the server.
pub fn from(known: Snapshot) -> impl Fn(&Snapshot, &Want) -> Answer + Send + Sync + 'static {
    move |_, want| match want {
        Want::Log {
            pod,
            container,
            previous,
        } => {
            let same = known.logs.iter().find(|log| {
                log.pod == *pod && log.container == *container && log.previous == *previous
            });
            let mut not_there = gap("get", "pods/log", GapReason::NotFound);
            not_there.name = Some(pod.name.clone());
            same.map_or(Answer::Gap(not_there), |log| Answer::Log(log.clone()))
        }
        Want::Earlier { config, .. } => {
            let history = known.earlier.iter().find(|e| e.reference == *config);
            Answer::Earlier(history.cloned().unwrap_or_else(|| forgotten(config)))
        }
        Want::PodsAt {
            resource_version, ..
        } => {
            let mut at = known.pods_at.iter();
            let at = at.find(|at| at.resource_version == *resource_version);
            let gone = gap("list", "pods", GapReason::Gone);
            at.map_or(Answer::Gap(gone), |at| Answer::PodsAt(at.clone()))
        }
        Want::Former { config, .. } => Answer::Former(forgotten(config)),
        Want::OneCounter { .. } => Answer::OneCounter(true),
        Want::NodeClock { .. } => Answer::Gap(gap("get", "leases", GapReason::Forbidden)),
        Want::Probe { .. } | Want::ToldVersion { .. } => {
            panic!("nobody agreed to probing")
        }
        Want::Namesakes { .. } => Answer::Namesakes(Vec::new()),
        Want::SecretContent { .. } | Want::HelmRelease { .. } => {
            Answer::Gap(gap("get", "secrets", GapReason::Forbidden))
        }
    }
}

/// A history of which the server has nothing left.
pub fn forgotten(config: &ConfigRef) -> EarlierConfig {
    EarlierConfig {
        reference: config.clone(),
        versions: Vec::new(),
        end: ChainEnd::Compacted,
        read_at: clock(),
    }
}
