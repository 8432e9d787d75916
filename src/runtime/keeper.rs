//! Keeps the facts up to date while the dashboard is open, and looks at them again after each change.
//!
//! One task owns the facts. Changes come from the source's watches and from logs that are followed; a look runs beside it on
//! a copy that shares everything. What a look wants is read, and its answers come back as further changes.

mod act;
mod apply;
mod consent;
mod follow;
mod forget;
mod history;
mod link;
mod retry;

use std::collections::HashMap;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet, spawn_blocking};
use tokio::time::{Instant, sleep_until};

use self::act::acts;
use self::apply::Lists;
use self::consent::consent;
use self::follow::{of_logs, to_follow, why_not};
use self::link::Links;
use self::retry::Retry;
use crate::analysis::{Analyst, Look};
use crate::app::{Act, Msg, News};
use crate::model::{
    ConfigRef, Facts, FollowState, Followed, Following, PodRef, Scope, Snapshot, Want, WorkloadRef,
};
use crate::runtime::journal::Journal;
use crate::source::{Answers, Change, Clock, Probing, Progress, Source, SourceError};

/// How far the source may be ahead.
const WAITING: usize = 1024;
/// A look waits so long for what comes together with the change that asked for it.
const TOGETHER: Duration = Duration::from_millis(10);
/// After a look that took so long, it pauses so many times as long: looking takes a fifth of one core at most.
const REST: u32 = 4;
/// Logs that are followed at once.
const STREAMS: usize = 50;

/// The pair that the user has open.
pub type Focus = Option<(ConfigRef, WorkloadRef)>;

/// What the keeper is about.
#[derive(Debug)]
pub struct Task {
    pub scope: Scope,
    pub snapshot: Snapshot,
    pub clock: Clock,
    pub news: Sender<Msg>,
    pub focus: Receiver<Focus>,
    /// What the user agrees to beyond observing, now and later.
    pub consent: watch::Receiver<Probing>,
    /// What the user approved.
    pub acts: Receiver<Act>,
    /// Where it is written down.
    pub journal: Journal,
}

/// Keeps a source's facts until nobody listens to the news.
pub async fn keep<S: Source + 'static>(source: Arc<S>, task: Task) {
    let (sender, changes) = mpsc::channel(WAITING);
    let mut consent = task.consent;
    source.permit(consent.borrow_and_update().clone());
    let watching = {
        let (source, scope, sender) = (source.clone(), task.scope.clone(), sender.clone());
        tokio::spawn(async move { source.watch(&scope, sender).await })
    };
    let keeper = Keeper {
        source,
        changes,
        sender,
        watching: Some(watching),
        snapshot: task.snapshot,
        clock: task.clock,
        news: task.news,
        focused: None,
        focus: Some(task.focus),
        consent: Some(consent),
        acts: Some(task.acts),
        journal: task.journal,
        held_back: Vec::new(),
        lists: Lists::default(),
        links: Links::default(),
        analyst: Some(Analyst::default()),
        looking: None,
        due: None,
        rested: Instant::now(),
        retry: Retry::new(),
        answering: JoinSet::new(),
        following: HashMap::new(),
        complete: false,
    };
    keeper.run().await;
}

struct Keeper<S> {
    source: Arc<S>,
    changes: Receiver<Change>,
    /// For those who follow logs.
    sender: Sender<Change>,
    watching: Option<JoinHandle<Result<(), SourceError>>>,
    snapshot: Snapshot,
    clock: Clock,
    news: Sender<Msg>,
    focused: Focus,
    focus: Option<Receiver<Focus>>,
    consent: Option<watch::Receiver<Probing>>,
    acts: Option<Receiver<Act>>,
    journal: Journal,
    /// What is wanted and nobody agreed to.
    held_back: Vec<Want>,
    lists: Lists,
    links: Links,
    /// Away while it looks.
    analyst: Option<Analyst>,
    looking: Option<JoinHandle<(Analyst, Look, Snapshot, Duration)>>,
    /// When to look next.
    due: Option<Instant>,
    /// No look begins before.
    rested: Instant,
    retry: Retry,
    answering: JoinSet<Answers>,
    following: HashMap<(PodRef, String), JoinHandle<()>>,
    /// Everything that was wanted at first has been read once.
    complete: bool,
}

impl<S> Drop for Keeper<S> {
    fn drop(&mut self) {
        self.watching.iter().for_each(JoinHandle::abort);
        self.following.values().for_each(JoinHandle::abort);
    }
}

impl<S: Source + 'static> Keeper<S> {
    async fn run(mut self) {
        while !self.news.is_closed() {
            tokio::select! {
                change = self.changes.recv() => {
                    if let Some(change) = change {
                        self.take(change).await;
                    }
                }
                ended = ended(&mut self.watching) => self.unwatched(ended).await,
                look = looked(&mut self.looking) => {
                    if let Some((analyst, look, seen, took)) = look {
                        self.looked(analyst, look, seen, took).await;
                    }
                }
                Some(answers) = self.answering.join_next(), if !self.answering.is_empty() => {
                    answers.into_iter().for_each(|answers| self.answered(answers));
                }
                focus = focus(&mut self.focus) => {
                    self.focused = focus;
                    self.look_soon();
                }
                probing = consent(&mut self.consent) => self.permit(probing).await,
                act = acts(&mut self.acts) => self.act(act),
                () = due(self.due), if self.looking.is_none() => self.look(),
                () = sleep_until(self.retry.at) => self.retry(),
                () = self.news.closed() => {}
            }
        }
    }

    async fn unwatched(&self, ended: Result<(), SourceError>) {
        if let Err(error) = ended {
            self.tell(Msg::Failed(error)).await;
        }
    }

    fn answered(&mut self, answers: Answers) {
        answers.into_snapshot(&mut self.snapshot);
        self.join_held();
        self.let_go_of_pods_then();
        self.source.redact(&mut self.snapshot);
        self.look_soon();
    }

    /// Takes in a change, and all that have come by now.
    async fn take(&mut self, first: Change) {
        let mut next = Some(first);
        let mut changed = false;
        while let Some(change) = next {
            changed |= self.apply(change).await;
            next = self.changes.try_recv().ok();
        }
        if changed {
            self.look_soon();
        }
    }

    async fn tell(&self, msg: Msg) {
        // The dashboard may have been quit meanwhile.
        let _ = self.news.send(msg).await;
    }

    fn look_soon(&mut self) {
        let soon = Instant::now() + TOGETHER;
        // Nobody waits for a rest while nothing is complete, nor for what an edit changed.
        let due = match self.complete && !std::mem::take(&mut self.lists.edited) {
            true => soon.max(self.rested),
            false => soon,
        };
        self.due = Some(self.due.map_or(due, |before| before.min(due)));
    }

    fn look(&mut self) {
        let Some(mut analyst) = self.analyst.take() else {
            return;
        };
        self.due = None;
        self.follow();
        // A capture stays of the moment when it was taken, and a lost connection of that when it was lost.
        if !self.lists.everything
            && let Some(at) = self.links.contact(self.clock.now())
        {
            self.snapshot.taken_at = at;
        }
        let snapshot = self.snapshot.clone();
        let focused = self.focused.clone();
        self.looking = Some(spawn_blocking(move || {
            let began = std::time::Instant::now();
            let look = analyst.look_at(&snapshot, focused.as_ref());
            (analyst, look, snapshot, began.elapsed())
        }));
    }

    async fn looked(&mut self, analyst: Analyst, look: Look, seen: Snapshot, took: Duration) {
        self.analyst = Some(analyst);
        self.rested = Instant::now() + took * REST;
        let (wanted, held_back): (Vec<Want>, Vec<Want>) = look
            .wanted
            .into_iter()
            .filter(|want| !self.snapshot.asked.contains(want))
            .partition(|want| self.source.permits(want));
        self.hold_back(held_back).await;
        self.complete |= wanted.is_empty() && self.answering.is_empty() && self.lists.complete();
        // A report on nothing would read as one on a quiet cluster; if it stays so, that is told as an error. And a capture
        // is there at once, or not yet.
        let early = !self.lists.any() || (self.lists.everything && !self.complete);
        if early {
            self.ask(wanted);
            return;
        }
        let mut facts = Facts::of(seen);
        facts.following = Arc::new(self.state_of_logs());
        self.tell(Msg::News(News {
            diagnosis: Arc::new(look.diagnosis),
            watched: look.watched.map(Arc::new),
            facts,
            complete: self.complete,
        }))
        .await;
        self.ask(wanted);
    }

    fn ask(&mut self, wants: Vec<Want>) {
        if wants.is_empty() {
            return;
        }
        let (source, snapshot, news) = (
            self.source.clone(),
            self.snapshot.clone(),
            self.news.clone(),
        );
        // What is being read is not asked for again.
        self.snapshot.asked.extend(wants.iter().cloned());
        self.answering.spawn(async move {
            let progress = |progress: Progress| {
                // It is only told while there is room; the answers come anyway.
                let _ = news.try_send(Msg::Progress(progress));
            };
            source.answer(&snapshot, wants, &progress).await
        });
    }

    /// How each log is followed, for those who read it.
    fn state_of_logs(&self) -> Following {
        let pods = of_logs(&self.snapshot);
        let current = self.snapshot.logs.iter().filter(|log| !log.previous);
        let logs = current.map(|log| {
            let key = (log.pod.clone(), log.container.clone());
            let ended = self.lists.ended.get(&key);
            let state = if let Some(why) = ended {
                why.as_ref().map_or(FollowState::Ended, |why| {
                    FollowState::Retrying(link::in_words(why))
                })
            } else if self.following.contains_key(&key) {
                FollowState::Open
            } else {
                let pod = pods.get(&log.pod).copied();
                FollowState::Not(why_not(&self.snapshot, pod, log, STREAMS))
            };
            Followed {
                state,
                dropped: self.lists.dropped.get(&key).copied().unwrap_or(0),
                pod: key.0,
                container: key.1,
            }
        });
        Following {
            logs: match self.lists.everything {
                true => Vec::new(),
                false => logs.collect(),
            },
        }
    }

    /// Follows the logs that matter most: those of the open incident, then the others that were read.
    fn follow(&mut self) {
        self.following.retain(|_, task| !task.is_finished());
        let wanted = to_follow(&self.snapshot, self.focused.as_ref(), STREAMS);
        self.following.retain(|key, task| {
            let keep = wanted
                .iter()
                .any(|(pod, container, _)| *pod == key.0 && *container == key.1);
            if !keep {
                task.abort();
            }
            keep
        });
        for (pod, container, after) in wanted {
            let key = (pod.clone(), container.clone());
            if self.following.contains_key(&key) || self.lists.ended.contains_key(&key) {
                continue;
            }
            let (source, sender) = (self.source.clone(), self.sender.clone());
            let task = tokio::spawn(async move {
                source.follow(&pod, &container, after, sender).await;
            });
            self.following.insert(key, task);
        }
    }
}

/// The end of the watches; never where they are over.
async fn ended(
    watching: &mut Option<JoinHandle<Result<(), SourceError>>>,
) -> Result<(), SourceError> {
    let Some(task) = watching else {
        return pending().await;
    };
    let outcome = task.await;
    *watching = None;
    outcome.unwrap_or(Ok(()))
}

async fn looked<T>(looking: &mut Option<JoinHandle<T>>) -> Option<T> {
    let Some(task) = looking else {
        return pending().await;
    };
    let outcome = task.await.ok();
    *looking = None;
    outcome
}

async fn focus(focus: &mut Option<Receiver<Focus>>) -> Focus {
    if let Some(receiver) = focus
        && let Some(focused) = receiver.recv().await
    {
        return focused;
    }
    *focus = None;
    pending().await
}

async fn due(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => pending().await,
    }
}
