//! One kind, listed and then watched from there, for as long as somebody listens.

use std::future::pending;
use std::time::Duration;

use tokio::sync::mpsc::Sender;
use tokio::time::{Instant, sleep, sleep_until};

use super::line::{Event, Lines, Named, Status};
use super::same::Same;
use super::versions::Versions;
use crate::model::{Gap, GapReason, Kind, Object, Scope};
use crate::source::convert;
use crate::source::live::Live;
use crate::source::live::lists::{address, gap, list};
use crate::source::{Change, Link};

/// Waits between tries: the first, and the longest. Half of them is by chance, so that many clients do not come back at once.
const FIRST_WAIT: Duration = Duration::from_millis(400);
const LONGEST_WAIT: Duration = Duration::from_secs(15);
/// A watch that held so long has nothing to do with the failures before it.
const SOUND: Duration = Duration::from_secs(30);
/// A watch that ended sooner was no watch.
const SHORT: Duration = Duration::from_secs(1);
/// So many failures of a watch in a row, and it is listed in its place.
const FAILURES: u32 = 4;
/// Where watching is not allowed: how often it is listed again.
const POLL: Duration = Duration::from_secs(10);
/// What may not be read is tried again, since rights are given while somebody looks: the first wait, and the longest.
const REFUSED_WAIT: Duration = Duration::from_secs(30);
const LONGEST_REFUSED: Duration = Duration::from_secs(300);
/// The API server ends a watch after so long (kubectl and client-go ask for 5 to 10 minutes).
const WATCH_SECONDS: u64 = 290;
/// A watch that has not ended so long after that has died without a word.
const OVERDUE: Duration = Duration::from_secs(30);
/// The API server sends a bookmark every minute or so: a watch without any for so long is dead, whatever its connection says.
const QUIET: Duration = Duration::from_secs(150);
/// What was kept for a watch that was lost comes at once: after so long without any of it, all has come. It is not waited
/// for longer than this.
const CAUGHT_UP: Duration = Duration::from_millis(300);
const CATCHING_UP: Duration = Duration::from_secs(5);
/// From its cache: what is missing there yet, the watch brings.
const CACHED: &str = "?resourceVersion=0";
/// From its store. Its cache may be so old that it cannot be watched from there.
const STORED: &str = "";

/// How a watch ended.
enum End {
    /// Not even a bookmark came for so long that it can only be dead.
    Quiet,
    /// As the server ends each after some minutes.
    Orderly,
    /// Its version is too old: only a list tells what is there now.
    Expired,
    Failed(GapReason),
    /// Nobody listens any more.
    Unheard,
}

/// One kind, kept up.
pub(super) struct Keeping<'a> {
    same: &'a Same<'a>,
    live: &'a Live,
    kind: Kind,
    scope: &'a Scope,
    changes: Sender<Change>,
    wait: Duration,
    /// A link that was told already.
    told: Option<Link>,
    /// How it is listed next.
    query: &'static str,
    versions: Versions,
    /// When its watch was opened last.
    opened: Instant,
    /// How often its watch failed, one time after the other.
    failures: u32,
    /// The server sends bookmarks for this kind, so that a watch without any is dead.
    bookmarked: bool,
}

impl<'a> Keeping<'a> {
    pub(super) fn new(
        same: &'a Same<'a>,
        live: &'a Live,
        kind: Kind,
        scope: &'a Scope,
        changes: Sender<Change>,
    ) -> Self {
        Self {
            same,
            live,
            kind,
            scope,
            changes,
            wait: FIRST_WAIT,
            told: None,
            query: CACHED,
            versions: Versions::default(),
            opened: Instant::now(),
            failures: 0,
            bookmarked: false,
        }
    }

    pub(super) async fn run(mut self, patient: bool) {
        let mut refused = REFUSED_WAIT;
        while !self.changes.is_closed() {
            if self.versions.any() && !self.same.holds().await {
                return pending().await;
            }
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
            if self.failures >= FAILURES {
                self.tell(Link::Polled {
                    seconds: LONGEST_WAIT.as_secs(),
                })
                .await;
            }
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
                End::Orderly if self.opened.elapsed() < SHORT => {
                    self.failures += 1;
                    self.pause().await;
                    if self.failures >= FAILURES {
                        return true;
                    }
                }
                End::Orderly => (self.wait, self.failures) = (FIRST_WAIT, 0),
                End::Quiet => {
                    self.query = STORED;
                    self.tell(Link::Polled {
                        seconds: QUIET.as_secs(),
                    })
                    .await;
                    return true;
                }
                End::Expired => {
                    self.query = STORED;
                    // A version that was old at once would be listed and asked for again and again.
                    if began.elapsed() < SHORT {
                        self.failures += 1;
                        self.pause().await;
                    } else {
                        (self.wait, self.failures) = (FIRST_WAIT, 0);
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
                        (self.wait, self.failures) = (FIRST_WAIT, 0);
                    }
                    if self.failed(reason).await {
                        return true;
                    }
                }
            }
            if self.changes.is_closed() {
                return false;
            }
        }
    }

    /// Waits after a failure; whether another list is needed then, or of more use.
    async fn failed(&mut self, reason: GapReason) -> bool {
        // Where lists take its place, it is known what is there.
        if self.failures < FAILURES {
            self.tell(Link::Lost(reason)).await;
        }
        self.pause().await;
        // It may go on with another cluster, whose versions are numbers as well, or with an earlier state.
        if !self.same.holds().await {
            return pending().await;
        }
        let versions = &self.versions;
        match versions.ahead_of(self.live, self.kind, self.scope).await {
            Some(true) => {
                self.query = STORED;
                return true;
            }
            // What stands between may break watches and let lists pass.
            Some(false) => self.failures += 1,
            None => {}
        }
        self.failures >= FAILURES
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
        let listed = match listed {
            Ok(listed) => match self.out_of_order(&listed.resource_version) {
                Some(gap) => Err(gap),
                None => Ok(listed),
            },
            failed => failed,
        };
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

    /// A list that is older than what was seen comes from a cache that lags behind, which is asked no more; or from a server that was
    /// taken back.
    fn out_of_order(&mut self, version: &str) -> Option<Gap> {
        if !self.versions.goes_back(version) {
            return None;
        }
        if self.query == STORED {
            self.same
                .end("The API server was taken back to an earlier state");
        }
        self.query = STORED;
        let why = "it is older than what was read before".to_owned();
        Some(gap(self.kind, self.scope, None, GapReason::Unreadable(why)))
    }

    async fn watch(&mut self, version: &mut String) -> End {
        let (path, accept) = address(self.kind, self.scope);
        let url = format!(
            "{path}?watch=true&allowWatchBookmarks=true&timeoutSeconds={WATCH_SECONDS}&resourceVersion={version}"
        );
        let accept = accept.replace("PartialObjectMetadataList", "PartialObjectMetadata");
        let mut body = match self.live.api.open(&url, &accept).await {
            Ok(body) => body,
            Err(reason) => return ended(reason),
        };
        self.opened = Instant::now();
        let end = Instant::now() + Duration::from_secs(WATCH_SECONDS) + OVERDUE;
        // Live is who has caught up: until then it is not known what was missed.
        let latest = Instant::now() + CATCHING_UP;
        let mut behind = matches!(self.told, Some(Link::Lost(_)));
        // One that was dead before has to show that it is alive.
        let mut doubtful = self.is_doubtful();
        if !behind && !doubtful {
            self.tell(Link::Live).await;
        }
        let mut lines = Lines::default();
        let mut heard = Instant::now();
        loop {
            let caught_up = (Instant::now() + CAUGHT_UP).min(latest);
            let read = tokio::select! {
                read = lines.next(&mut body) => read,
                () = self.changes.closed() => return End::Unheard,
                () = sleep_until(caught_up), if behind => {
                    behind = false;
                    self.tell(Link::Live).await;
                    continue;
                }
                () = sleep_until(heard + QUIET), if self.bookmarked => return End::Quiet,
                () = sleep_until(end) => {
                    return End::Failed(GapReason::TimedOut { seconds: OVERDUE.as_secs() });
                }
            };
            let line = match read {
                Ok(Some(line)) => line,
                Ok(None) => return End::Orderly,
                Err(reason) => return End::Failed(reason),
            };
            heard = Instant::now();
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let read = self.read(&line, version);
            if doubtful && read.is_ok() {
                doubtful = false;
                self.tell(Link::Live).await;
            }
            match read {
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

    fn is_doubtful(&self) -> bool {
        let refused = Link::Polled {
            seconds: POLL.as_secs(),
        };
        matches!(&self.told, Some(told @ Link::Polled { .. }) if *told != refused)
    }

    /// What a line of a watch tells.
    fn read(&mut self, line: &[u8], version: &mut String) -> Result<Option<Change>, End> {
        let cut = |_| End::Failed(GapReason::Connection("the watch broke off".to_owned()));
        self.bookmarked |= line.starts_with(br#"{"type":"BOOKMARK""#);
        let event: Event<'_> = serde_json::from_slice(line).map_err(cut)?;
        if event.kind == "ERROR" {
            let status: Status = serde_json::from_str(event.object.get()).unwrap_or_default();
            return Err(match status.code {
                410 => End::Expired,
                code => ended(GapReason::Status {
                    code,
                    message: status.message,
                }),
            });
        }
        let named: Named = serde_json::from_str(event.object.get()).unwrap_or_default();
        if !convert::is_of(self.kind, named.kind.as_deref()) {
            let why = "what the watch tells is of another kind".to_owned();
            return Err(End::Failed(GapReason::Unreadable(why)));
        }
        // A watch tells what happens in its order: this one does not go on from where it was asked to.
        if self.versions.goes_back(&named.metadata.resource_version) {
            return Err(End::Expired);
        }
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

/// How a watch ended that was answered so. A server that was taken back has not come to the version that it is asked for.
fn ended(reason: GapReason) -> End {
    match reason {
        GapReason::Gone => End::Expired,
        GapReason::Status { message, .. } if message.contains("Too large resource version") => {
            End::Expired
        }
        reason => End::Failed(reason),
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
