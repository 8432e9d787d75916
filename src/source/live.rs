//! A live cluster, through kube's client. Every request passes the allow-list in `allow`: reads, and what was approved in `act`.

mod act;
mod allow;
mod answer;
mod clocks;
mod connect;
mod door;
mod earlier;
mod follow;
mod helm;
mod history;
mod kubeconfig;
mod lists;
mod login;
mod logs;
mod namesakes;
mod probe;
mod proxy;
mod request;
mod secrets;
mod told;
mod watch;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use chrono::{DateTime, Utc};
use kube::Client;
use kube::client::Body;
use tokio::sync::OnceCell;
use tokio::sync::mpsc::Sender;
use tower::Layer;

use self::clocks::LocalClock;
use self::door::Door;
use self::history::Outsiders;
use self::request::Api;
use self::secrets::Vault;
use super::outside::{About, Loaded};
use super::{Answers, Change, Clock, Probing, Progress, Source, SourceError};
use crate::capture::history::Bounds;
use crate::model::{Cluster, PodRef, Scope, Snapshot, Want};
use crate::remedy::{Approved, Prepared, Write, WriteError, Written};

pub use allow::{Consent, ReadOnly};
pub use connect::{ConnectOptions, namespace_name};
pub use history::Recording;
pub use logs::LogsCommand;
pub use probe::commands::in_words as probe_commands;

/// A connection to a cluster, for reading.
#[derive(Debug)]
pub struct Live {
    api: Api,
    cluster: Cluster,
    namespace: Option<String>,
    clock: Clock,
    vault: Vault,
    /// How many values of Secrets were known when everything was cleaned last.
    redacted: AtomicUsize,
    /// Whether ConfigMaps and pods get their resourceVersions from one counter: asked until there is an answer.
    counter: OnceCell<bool>,
    local_clock: LocalClock,
    consent: Consent,
    /// What is known from outside the API.
    outside: Outsiders,
    /// The command by which logs are read that the kubelet has not.
    kept: Option<logs::Kept>,
}

impl Live {
    /// Connects as kubectl would with these options. Nothing is sent yet, and nobody is logged in.
    pub fn connect(options: &ConnectOptions, clock: impl Into<Clock>) -> Result<Self, SourceError> {
        let clock = clock.into();
        let found = connect::connect(options, clock.clone())?;
        Ok(Self {
            api: Api::new(found.door, options.timeout()),
            cluster: found.cluster,
            namespace: found.namespace,
            clock,
            vault: Vault::new(),
            redacted: AtomicUsize::new(0),
            counter: OnceCell::new(),
            local_clock: found.clock,
            consent: found.consent,
            outside: Outsiders::default(),
            kept: None,
        })
    }

    /// Reads through an HTTP service that is there already, as a test has one. It is held to what the consent allows as well.
    pub fn over<S, B>(
        consent: Consent,
        service: S,
        cluster: Cluster,
        timeout: Duration,
        clock: impl Into<Clock>,
    ) -> Self
    where
        S: tower::Service<http::Request<Body>, Response = http::Response<B>> + Send + 'static,
        S::Future: Send + 'static,
        S::Error: Into<tower::BoxError>,
        B: http_body::Body<Data = bytes::Bytes> + Send + 'static,
        B::Error: Into<tower::BoxError>,
    {
        let clock = clock.into();
        let local_clock = LocalClock::new(clock.clone());
        let guarded = ReadOnly::under(consent.clone()).layer(service);
        let client = Client::new(local_clock.layer(guarded), "default");
        Self {
            api: Api::new(Door::given(client), timeout),
            namespace: None,
            cluster,
            clock,
            vault: Vault::new(),
            redacted: AtomicUsize::new(0),
            counter: OnceCell::new(),
            local_clock,
            consent,
            outside: Outsiders::default(),
            kept: None,
        }
    }

    /// Reads what the kubelet has not of a log by this command.
    #[must_use]
    pub fn with_logs_command(mut self, command: Option<LogsCommand>) -> Self {
        self.kept = command.map(logs::Kept::new);
        self
    }

    /// The namespace that the options and the context come to; `None` is all.
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// What old contents are read for.
    pub fn about(&self) -> About {
        About {
            namespace: self.namespace.clone(),
            server: self.cluster.server.clone(),
        }
    }

    /// Also knows what came from outside the API, and reads the program's own history where there is one.
    #[must_use]
    pub fn with_outside(mut self, given: Loaded, store: Option<PathBuf>) -> Self {
        self.outside.given = Arc::new(given);
        self.outside.store = store;
        self
    }

    /// Also keeps there what it sees of ConfigMaps while it is watched.
    #[must_use]
    pub fn keeping(mut self, bounds: Option<Bounds>) -> Self {
        self.outside.keep = bounds;
        self
    }
}

impl Source for Live {
    async fn lists(
        &self,
        scope: &Scope,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<Snapshot, SourceError> {
        self.api.ready().await?;
        let (snapshot, outside) =
            tokio::join!(lists::read(self, scope, progress), self.outside(scope));
        let mut snapshot = snapshot?;
        outside.into_snapshot(&mut snapshot);
        Ok(snapshot)
    }

    async fn answer(
        &self,
        snapshot: &Snapshot,
        wants: Vec<Want>,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Answers {
        answer::answer(self, snapshot, wants, progress).await
    }

    fn permit(&self, probing: Probing) {
        self.consent.set(probing);
    }

    fn permits(&self, want: &Want) -> bool {
        self.consent.get().permits(want)
    }

    async fn prepare(&self, meant: Vec<Write>) -> Result<Prepared, WriteError> {
        act::prepare(self, meant).await
    }

    async fn write(&self, approved: Approved) -> Result<Written, WriteError> {
        act::write(self, &approved).await
    }

    fn redact(&self, snapshot: &mut Snapshot) {
        answer::redact(self, snapshot);
    }

    async fn watch(&self, scope: &Scope, changes: Sender<Change>) -> Result<(), SourceError> {
        self.watch_and_keep(scope, changes).await
    }

    async fn follow(
        &self,
        pod: &PodRef,
        container: &str,
        after: Option<DateTime<Utc>>,
        changes: Sender<Change>,
    ) {
        follow::follow(self, pod, container, after, changes).await;
    }
}
