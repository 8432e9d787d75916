//! Lists each kind, then watches it from there: through lost connections, expired versions and missing rights.

mod line;

use std::time::Duration;

use futures::io::AsyncBufReadExt;
use tokio::sync::mpsc::Sender;
use tokio::time::{Instant, sleep, sleep_until};

use self::line::{Event, Named, Status};
use super::Live;
use super::lists::{address, gap, list};
use crate::model::{Gap, GapReason, Kind, Object, Scope};
use crate::source::convert;
use crate::source::{Change, Link, SourceError};

/// Waits between tries: the first, and the longest. Half of them is by chance, so that many clients do not come back at once.
const FIRST_WAIT: Duration = Duration::from_millis(400);
const LONGEST_WAIT: Duration = Duration::from_secs(15);
/// A watch that held so long has nothing to do with the failures before it.
const SOUND: Duration = Duration::from_secs(30);
/// A watch that ended sooner was no watch.
const SHORT: Duration = Duration::from_secs(1);
/// Where watching is not allowed: how often it is listed again.
const POLL: Duration = Duration::from_secs(10);
/// What may not be read is tried again, since rights are given while somebody looks: the first wait, and the longest.
const REFUSED_WAIT: Duration = Duration::from_secs(30);
const LONGEST_REFUSED: Duration = Duration::from_secs(300);
/// How often the server is asked whether it is there, and how long it has for its answer.
const BEAT: Duration = Duration::from_secs(5);
const BEAT_WITHIN: Duration = Duration::from_secs(4);
/// The API server ends a watch after so long (kubectl and client-go ask for 5 to 10 minutes).
const WATCH_SECONDS: u64 = 290;
/// A watch that has not ended so long after that has died without a word.
const OVERDUE: Duration = Duration::from_secs(30);
/// What was kept for a watch that was lost comes at once: after so long without any of it, all has come. It is not waited
/// for longer than this.
const CAUGHT_UP: Duration = Duration::from_millis(300);
const CATCHING_UP: Duration = Duration::from_secs(5);
/// Objects of a long list that are asked for beforehand.
const PEEK: usize = 250;
/// How long the long lists wait for that.
const HEAD_START: Duration = Duration::from_millis(40);
/// From its cache: what is missing there yet, the watch brings.
const CACHED: &str = "?resourceVersion=0";
/// From its store. Its cache may be so old that it cannot be watched from there.
const STORED: &str = "";

/// Tells everything about a scope until nobody listens.
pub(super) async fn watch(
    live: &Live,
    scope: &Scope,
    changes: Sender<Change>,
) -> Result<(), SourceError> {
    live.api.ready().await?;
    there(live, scope).await?;
    let mut peek = Box::pin(peek(live, scope, &changes));
    // A head start: once the server works on the long lists, everything else waits.
    let peeked = tokio::time::timeout(HEAD_START, &mut peek).await.is_ok();
    let rest = async {
        if !peeked {
            peek.await;
        }
    };
    tokio::join!(
        rest,
        kinds(live, scope, &Kind::ALL, &changes, true),
        version(live, &changes),
        live.tell_outside(scope, &changes),
        beat(live, &changes),
    );
    Ok(())
}

/// Tells all of some kinds alone.
pub(super) async fn only(
    live: &Live,
    scope: &Scope,
    some: &[Kind],
    changes: Sender<Change>,
) -> Result<(), SourceError> {
    there(live, scope).await?;
    let ended = async {
        kinds(live, scope, some, &changes, false).await;
        Ok(())
    };
    // Where none of them can be watched, nothing is waited for.
    tokio::select! {
        ended = ended => ended,
        () = beat(live, &changes) => Ok(()),
    }
}

/// Keeps lists up, until each of them ends. With `patient`, what is refused is tried again.
async fn kinds(live: &Live, scope: &Scope, some: &[Kind], changes: &Sender<Change>, patient: bool) {
    let each = some.iter().map(|kind| {
        let (kind, changes) = (*kind, changes.clone());
        // On the heap: ten of them would not fit on a thread's stack.
        Box::pin(async move { Keeping::new(live, kind, scope, changes).run(patient).await })
    });
    futures::future::join_all(each).await;
}

async fn there(live: &Live, scope: &Scope) -> Result<(), SourceError> {
    // First of all: the lists of a namespace that is not there are empty, and can be watched for ever.
    if let Err(missing) = super::lists::exists(live, scope).await {
        // What answers 404 to everything is no API server, and tells nothing of namespaces.
        if !matches!(live.api.get("/version").await, Err(GapReason::NotFound)) {
            return Err(missing);
        }
    }
    Ok(())
}

/// A server makes the whole answer before it sends a list of ten thousand; some of it can be had at once.
async fn peek(live: &Live, scope: &Scope, changes: &Sender<Change>) {
    if scope.namespace.is_some() {
        return;
    }
    let query = format!("?limit={PEEK}");
    let some = [Kind::ConfigMaps, Kind::Pods].map(|kind| {
        let query = &query;
        async move {
            let mut objects = Vec::new();
            let each = &mut |more: Vec<Object>| objects.extend(more);
            // What cannot be read here is told by the list itself.
            if list(live, kind, scope, query, each).await.is_ok() {
                let _ = changes.send(Change::Peek { kind, objects }).await;
            }
        }
    });
    futures::future::join_all(some).await;
}

async fn version(live: &Live, changes: &Sender<Change>) {
    if let Some(version) = super::lists::version(live).await {
        // The dashboard may have been quit meanwhile, here as below.
        let _ = changes.send(Change::Version(version)).await;
    }
}

async fn beat(live: &Live, changes: &Sender<Change>) {
    while !changes.is_closed() {
        sleep(BEAT).await;
        let answer = tokio::time::timeout(BEAT_WITHIN, live.api.get("/version")).await;
        let told = match answer {
            Ok(Err(reason @ (GapReason::Connection(_) | GapReason::TimedOut { .. }))) => {
                Err(reason)
            }
            // Whatever else it says, it is there.
            Ok(_) => Ok(live.clock.now()),
            Err(_) => Err(GapReason::TimedOut {
                seconds: BEAT_WITHIN.as_secs(),
            }),
        };
        if let Some(ahead) = live.local_clock.ahead() {
            let _ = changes.send(Change::Clock(ahead)).await;
        }
        let _ = changes.send(Change::Beat(told)).await;
    }
}

/// How a watch ended.
enum End {
    /// As the server ends each after some minutes.
    Orderly,
    /// Its version is too old: only a list tells what is there now.
    Expired,
    Failed(GapReason),
    /// Nobody listens any more.
    Unheard,
}

/// One kind, kept up.
struct Keeping<'a> {
    live: &'a Live,
    kind: Kind,
    scope: &'a Scope,
    changes: Sender<Change>,
    wait: Duration,
    /// A link that was told already.
    told: Option<Link>,
    /// How it is listed next.
    query: &'static str,
}

impl<'a> Keeping<'a> {
    fn new(live: &'a Live, kind: Kind, scope: &'a Scope, changes: Sender<Change>) -> Self {
        Self {
            live,
            kind,
            scope,
            changes,
            wait: FIRST_WAIT,
            told: None,
            query: CACHED,
        }
    }

    async fn run(mut self, patient: bool) {
        let mut refused = REFUSED_WAIT;
        while !self.changes.is_closed() {
            let version = match self.list().await {
                Ok(version) => version,
                Err(reason) if is_final(&reason) => {
                    // A login that has expired is the user's to renew: a plugin would open a browser each time.
                    let ends = !patient || reason == GapReason::Unauthorized;
                    self.tell(Link::Denied(reason)).await;
                    if ends {
                        return;
                    }
                    tokio::select! {
                        () = sleep(refused) => {}
                        () = self.changes.closed() => return,
                    }
                    refused = (refused * 2).min(LONGEST_REFUSED);
                    continue;
                }
                Err(reason) => {
                    self.tell(Link::Lost(reason)).await;
                    self.pause().await;
                    continue;
                }
            };
            refused = REFUSED_WAIT;
            self.query = CACHED;
            if !self.watch_on(version).await {
                return;
            }
        }
    }

    /// Watches from one version to the next, until only another list helps; false where nobody listens.
    async fn watch_on(&mut self, mut version: String) -> bool {
        loop {
            let began = Instant::now();
            match self.watch(&mut version).await {
                End::Unheard => return false,
                // A server that ends each watch at once is not to be asked without a pause.
                End::Orderly if began.elapsed() < SHORT => self.pause().await,
                End::Orderly => self.wait = FIRST_WAIT,
                End::Expired => {
                    self.query = STORED;
                    // A version that was old at once would be listed and asked for again and again.
                    if began.elapsed() < SHORT {
                        self.pause().await;
                    } else {
                        self.wait = FIRST_WAIT;
                    }
                    return true;
                }
                End::Failed(GapReason::Forbidden) => {
                    self.tell(Link::Polled {
                        seconds: POLL.as_secs(),
                    })
                    .await;
                    sleep(POLL).await;
                    return true;
                }
                End::Failed(reason) => {
                    if began.elapsed() > SOUND {
                        self.wait = FIRST_WAIT;
                    }
                    self.tell(Link::Lost(reason)).await;
                    self.pause().await;
                }
            }
            if self.changes.is_closed() {
                return false;
            }
        }
    }

    async fn pause(&mut self) {
        let half = self.wait / 2;
        sleep(half + half.mul_f64(chance())).await;
        self.wait = (self.wait * 2).min(LONGEST_WAIT);
    }

    async fn tell(&mut self, link: Link) {
        if self.told.as_ref() != Some(&link) {
            self.told = Some(link.clone());
            let kind = self.kind;
            let _ = self.changes.send(Change::Link { kind, link }).await;
        }
    }

    /// Lists it; the version from which to watch.
    async fn list(&mut self) -> Result<String, GapReason> {
        let kind = self.kind;
        // What came is passed on while more is read: the channel takes what it can, the rest waits here.
        let (pieces, mut objects) = tokio::sync::mpsc::unbounded_channel();
        let (live, scope, query) = (self.live, self.scope, self.query);
        let reading = async move {
            let mut each = move |more: Vec<Object>| {
                let _ = pieces.send(more);
            };
            list(live, kind, scope, query, &mut each).await
        };
        let passing = async {
            while let Some(objects) = objects.recv().await {
                let _ = self.changes.send(Change::More { kind, objects }).await;
            }
        };
        let (listed, ()) = tokio::join!(reading, passing);
        let (change, outcome) = match listed {
            Ok(listed) => (
                Change::Listed {
                    kind,
                    gaps: listed.gaps,
                },
                Ok(listed.resource_version),
            ),
            Err(gap) => {
                let reason = gap.reason.clone();
                (Change::Failed { kind, gap }, Err(reason))
            }
        };
        let _ = self.changes.send(change).await;
        outcome
    }

    async fn watch(&mut self, version: &mut String) -> End {
        let (path, accept) = address(self.kind, self.scope);
        let url = format!(
            "{path}?watch=true&allowWatchBookmarks=true&timeoutSeconds={WATCH_SECONDS}&resourceVersion={version}"
        );
        let accept = accept.replace("PartialObjectMetadataList", "PartialObjectMetadata");
        let mut body = match self.live.api.open(&url, &accept).await {
            Ok(body) => body,
            Err(GapReason::Gone) => return End::Expired,
            Err(reason) => return End::Failed(reason),
        };
        let end = Instant::now() + Duration::from_secs(WATCH_SECONDS) + OVERDUE;
        // Live is who has caught up: until then it is not known what was missed.
        let latest = Instant::now() + CATCHING_UP;
        let mut behind = matches!(self.told, Some(Link::Lost(_)));
        if !behind {
            self.tell(Link::Live).await;
        }
        let mut line = Vec::new();
        loop {
            let caught_up = (Instant::now() + CAUGHT_UP).min(latest);
            let read = tokio::select! {
                read = body.read_until(b'\n', &mut line) => read,
                () = self.changes.closed() => return End::Unheard,
                () = sleep_until(caught_up), if behind => {
                    behind = false;
                    self.tell(Link::Live).await;
                    continue;
                }
                () = sleep_until(end) => {
                    return End::Failed(GapReason::TimedOut { seconds: OVERDUE.as_secs() });
                }
            };
            match read {
                Ok(0) => return End::Orderly,
                Ok(_) => {}
                Err(error) => {
                    return End::Failed(GapReason::Connection(super::connect::chain(&error)));
                }
            }
            let line = std::mem::take(&mut line);
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match self.read(&line, version) {
                Ok(Some(change)) => {
                    if self.changes.send(change).await.is_err() {
                        return End::Unheard;
                    }
                }
                Ok(None) => {}
                Err(end) => return end,
            }
        }
    }

    /// What a line of a watch tells.
    fn read(&self, line: &[u8], version: &mut String) -> Result<Option<Change>, End> {
        let cut = |_| End::Failed(GapReason::Connection("the watch broke off".to_owned()));
        let event: Event<'_> = serde_json::from_slice(line).map_err(cut)?;
        if event.kind == "ERROR" {
            let status: Status = serde_json::from_str(event.object.get()).unwrap_or_default();
            return Err(match status.code {
                410 => End::Expired,
                code => End::Failed(GapReason::Status {
                    code,
                    message: status.message,
                }),
            });
        }
        let named: Named = serde_json::from_str(event.object.get()).unwrap_or_default();
        if !named.metadata.resource_version.is_empty() {
            *version = named.metadata.resource_version;
        }
        Ok(match event.kind {
            "ADDED" | "MODIFIED" => Some(
                match convert::object(self.kind, event.object.get().as_bytes()) {
                    Ok(object) => Change::Put(Box::new(self.live.vault.clean(object))),
                    Err((name, why)) => Change::Bad(Gap {
                        verb: "watch".to_owned(),
                        ..gap(self.kind, self.scope, name, GapReason::Unreadable(why))
                    }),
                },
            ),
            "DELETED" => Some(Change::Gone {
                kind: self.kind,
                namespace: named.metadata.namespace,
                name: named.metadata.name,
            }),
            // Bookmarks, and what a newer server may add.
            _ => None,
        })
    }
}

/// Whether trying again is of no use until somebody does something about it.
fn is_final(reason: &GapReason) -> bool {
    matches!(
        reason,
        GapReason::Forbidden | GapReason::NotFound | GapReason::Unauthorized
    )
}

/// A number below 1 that nobody needs to predict.
fn chance() -> f64 {
    use std::hash::{BuildHasher, RandomState};
    let bits = u32::try_from(RandomState::new().hash_one(0_u8) >> 32).unwrap_or(0);
    f64::from(bits) / (f64::from(u32::MAX) + 1.0)
}
