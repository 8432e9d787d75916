//! What is held back, told, and read once somebody agreed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::watch;
use tokio::task::{JoinSet, spawn};
use tokio::time::Instant;

use crate::analysis::Analyst;
use crate::app::Msg;
use crate::model::{
    Cluster, ConfigKind, ConfigRef, Gap, GapReason, PodRef, Probe, ProbeReads, Scope, Snapshot,
    Want,
};
use crate::runtime::keeper::{Keeper, Retry};
use crate::source::{Answer, Answers, Change, Clock, Probing, Progress, Source, SourceError};

/// It answers everything, and keeps what it was asked and told.
#[derive(Default)]
struct Stub {
    asked: Mutex<Vec<Want>>,
    probing: Mutex<Probing>,
}

impl Source for Stub {
    async fn lists(
        &self,
        scope: &Scope,
        _: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Snapshot, SourceError> {
        Ok(snapshot(scope.clone()))
    }

    async fn answer(
        &self,
        _: &Snapshot,
        wants: Vec<Want>,
        _: &(dyn Fn(Progress) + Send + Sync),
    ) -> Answers {
        self.asked.lock().expect("no panic").extend(wants.clone());
        Answers(
            wants
                .into_iter()
                .map(|want| (want, Answer::Known))
                .collect(),
        )
    }

    fn permit(&self, probing: Probing) {
        *self.probing.lock().expect("no panic") = probing;
    }

    fn permits(&self, want: &Want) -> bool {
        self.probing.lock().expect("no panic").permits(want)
    }

    fn redact(&self, _: &mut Snapshot) {}

    async fn watch(&self, _: &Scope, _: Sender<Change>) -> Result<(), SourceError> {
        Ok(())
    }

    async fn follow(&self, _: &PodRef, _: &str, _: Option<DateTime<Utc>>, _: Sender<Change>) {}
}

fn scope() -> Scope {
    Scope {
        namespace: Some("shop".to_owned()),
        ..Scope::default()
    }
}

fn snapshot(scope: Scope) -> Snapshot {
    let cluster = Cluster {
        context: None,
        flags: None,
        server: String::new(),
        version: None,
    };
    Snapshot::empty(cluster, scope, DateTime::UNIX_EPOCH)
}

fn pod(name: &str) -> PodRef {
    PodRef {
        namespace: "shop".to_owned(),
        name: name.to_owned(),
        uid: format!("uid-{name}"),
    }
}

fn probe(name: &str, container: &str) -> Want {
    Want::Probe {
        pod: pod(name),
        container: container.to_owned(),
        run: "run".to_owned(),
        config: ConfigRef::new(ConfigKind::ConfigMap, "shop", "app"),
        resource_version: "7".to_owned(),
        reads: Box::new(ProbeReads::default()),
    }
}

fn log(name: &str) -> Want {
    Want::Log {
        pod: pod(name),
        container: "web".to_owned(),
        previous: false,
    }
}

fn keeper() -> (Keeper<Stub>, Receiver<Msg>, watch::Sender<Probing>) {
    let (sender, changes) = channel(8);
    let (news, told) = channel(64);
    let (say, agreed) = watch::channel(Probing::default());
    let (_, focus) = channel(1);
    let keeper = Keeper {
        source: Arc::new(Stub::default()),
        changes,
        sender,
        watching: None,
        snapshot: snapshot(scope()),
        clock: Clock::from(|| DateTime::UNIX_EPOCH),
        news,
        focused: None,
        focus: Some(focus),
        acts: None,
        journal: crate::runtime::journal::Journal::at(None),
        consent: Some(agreed),
        held_back: Vec::new(),
        lists: super::super::Lists::default(),
        links: super::super::Links::default(),
        analyst: None,
        looking: None,
        due: None,
        rested: Instant::now(),
        retry: Retry::new(),
        answering: JoinSet::new(),
        following: std::collections::HashMap::new(),
        complete: false,
    };
    (keeper, told, say)
}

/// A look that wants these.
async fn looks(keeper: &mut Keeper<Stub>, wanted: Vec<Want>) {
    keeper.lists.everything = true;
    let mut analyst = Analyst::default();
    let mut look = analyst.look(&keeper.snapshot);
    look.wanted = wanted;
    let seen = keeper.snapshot.clone();
    keeper.looked(analyst, look, seen, Duration::ZERO).await;
}

/// What was told of containers since.
fn probeable(told: &mut Receiver<Msg>) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    while let Ok(msg) = told.try_recv() {
        if let Msg::Probeable(containers) = msg {
            let names = containers
                .into_iter()
                .map(|(pod, c)| format!("{}/{c}", pod.name));
            all.push(names.collect());
        }
    }
    all
}

async fn asked(keeper: &mut Keeper<Stub>) -> Vec<Want> {
    while keeper.answering.join_next().await.is_some() {}
    std::mem::take(&mut *keeper.source.asked.lock().expect("no panic"))
}

#[tokio::test]
async fn without_consent_it_is_held_back_and_told_once() {
    let (mut keeper, mut told, _say) = keeper();
    let wants = vec![
        probe("b", "web"),
        log("a"),
        probe("a", "web"),
        probe("a", "web"),
    ];
    looks(&mut keeper, wants.clone()).await;
    assert_eq!(asked(&mut keeper).await, [log("a")]);
    assert_eq!(probeable(&mut told), [["a/web", "b/web"]]);
    assert!(!keeper.snapshot.asked.iter().any(Want::probes));
    looks(&mut keeper, wants).await;
    assert_eq!(asked(&mut keeper).await, []);
    assert_eq!(probeable(&mut told), [[""; 0]; 0]);
    // All else has been read, so what is held back keeps nothing waiting, and no look begins by itself.
    assert!(keeper.complete);
    assert_eq!(keeper.due, None);
}

fn read(name: &str, container: &str) -> Probe {
    Probe {
        pod: pod(name),
        container: container.to_owned(),
        config: ConfigRef::new(ConfigKind::ConfigMap, "shop", "app"),
        run: "run".to_owned(),
        read_at: DateTime::UNIX_EPOCH,
        env: None,
        files: Vec::new(),
        missing: Vec::new(),
        swapped: BTreeMap::new(),
        processes: None,
        sockets: None,
        gaps: vec![refused(name, container)],
    }
}

fn refused(name: &str, why: &str) -> Gap {
    Gap {
        verb: "create".to_owned(),
        resource: "pods/exec".to_owned(),
        namespace: Some("shop".to_owned()),
        name: Some(name.to_owned()),
        reason: GapReason::Bounded(why.to_owned()),
    }
}

#[tokio::test]
async fn what_was_read_goes_with_the_run_and_with_the_pod() {
    let (mut keeper, _told, _say) = keeper();
    for (name, container) in [("a", "web"), ("a", "side"), ("b", "web")] {
        keeper.snapshot.probes.push(read(name, container));
        keeper.snapshot.asked.insert(probe(name, container));
        keeper.snapshot.gaps.push(refused(name, container));
    }
    let told = Want::ToldVersion {
        pod: pod("a"),
        asked: ":80/".to_owned(),
        resource_version: "7".to_owned(),
    };
    keeper.snapshot.asked.insert(told);
    keeper.ask_again(&pod("a"), "web");
    let left = |keeper: &Keeper<Stub>| -> Vec<String> {
        let probes = keeper.snapshot.probes.iter();
        let probes = probes.map(|p| format!("{}/{}", p.pod.name, p.container));
        probes.collect()
    };
    assert_eq!(left(&keeper), ["a/side", "b/web"]);
    let asked: Vec<&Want> = keeper.snapshot.asked.iter().collect();
    assert_eq!(asked, [&probe("a", "side"), &probe("b", "web")]);
    keeper.snapshot.gaps.sort();
    assert_eq!(
        keeper.snapshot.gaps,
        [refused("a", "side"), refused("b", "web")]
    );
    keeper.forget_pod("shop", "a");
    assert_eq!(left(&keeper), ["b/web"]);
    assert_eq!(keeper.snapshot.gaps, [refused("b", "web")]);
    keeper.forget_pod("other", "b");
    assert_eq!(left(&keeper), ["b/web"]);
}

#[tokio::test]
async fn what_was_held_back_is_read_at_once_and_never_twice() {
    let (mut keeper, mut told, say) = keeper();
    looks(&mut keeper, vec![probe("a", "web")]).await;
    say.send(Probing {
        exec: true,
        version_at: None,
    })
    .expect("somebody listens");
    let probing = super::consent(&mut keeper.consent).await;
    assert_eq!(probeable(&mut told), [["a/web"]]);
    keeper.permit(probing).await;
    assert_eq!(asked(&mut keeper).await, [probe("a", "web")]);
    assert_eq!(probeable(&mut told), [[""; 0]]);
    assert!(keeper.snapshot.asked.contains(&probe("a", "web")));
    looks(&mut keeper, vec![probe("a", "web"), probe("b", "web")]).await;
    assert_eq!(asked(&mut keeper).await, [probe("b", "web")]);
    keeper.permit(Probing::default()).await;
    looks(&mut keeper, vec![probe("c", "web")]).await;
    assert_eq!(asked(&mut keeper).await, []);
    assert_eq!(probeable(&mut told).last().map(Vec::len), Some(1));
    // Whoever could agree is gone: it waits without end, and does not spin.
    drop(say);
    let waiting = spawn(async move { super::consent(&mut keeper.consent).await });
    let waited = tokio::time::timeout(Duration::from_millis(20), waiting).await;
    assert!(waited.is_err());
}
