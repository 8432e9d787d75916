//! One request: sent, bounded in time, and its failure given a name.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};
use http::Request;
use http::header::ACCEPT;
use kube::client::Connection;
use kube::core::Status;
use kube::{Client, Error};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

use super::connect::chain;
use super::door::Door;
use crate::model::GapReason;
use crate::source::SourceError;

/// Requests under way at once, at first.
const AT_ONCE: usize = 16;
/// How often a request is sent again that the server had no room for.
const TRIES: usize = 3;

/// An answer that is read as a whole is no longer than this: a log of 8 MiB, or the pods of a large namespace.
const LONGEST: usize = 256 << 20;

/// An answer's body as it comes.
pub(super) type Body = Pin<Box<dyn AsyncBufRead + Send>>;

/// The client with what every request has in common.
#[derive(Clone)]
pub(super) struct Api {
    door: Arc<Door>,
    timeout: Duration,
    room: Arc<Semaphore>,
}

impl std::fmt::Debug for Api {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Api")
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

pub(super) const JSON: &str = "application/json";

impl Api {
    pub(super) fn new(door: Door, timeout: Duration) -> Self {
        Self {
            door: Arc::new(door),
            timeout,
            room: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }

    /// Before a reading: fails where there is no login to read with.
    pub(super) async fn ready(&self) -> Result<(), SourceError> {
        self.door.ready().await
    }

    /// The body of an answer to a GET.
    pub(super) async fn get(&self, path: &str) -> Result<Vec<u8>, GapReason> {
        self.get_as(path, JSON).await
    }

    /// The same, asking for a form of it.
    pub(super) async fn get_as(&self, path: &str, accept: &str) -> Result<Vec<u8>, GapReason> {
        self.at_most(path, accept, LONGEST, self.timeout).await
    }

    /// Fails where the server is not there. Whatever it answers, it is.
    pub(super) async fn there(&self) -> Result<(), GapReason> {
        let once = |client: Client| async move { send(&client, "/version", JSON).await };
        let asked = async {
            match self.with_login(once).await {
                Ok(body) => {
                    let read = body.take(1 << 16).read_to_end(&mut Vec::new()).await;
                    read.map(drop).map_err(broken)
                }
                Err(Error::Api(_)) => Ok(()),
                Err(error) => Err(reason(error)),
            }
        };
        self.in_time(asked).await?
    }

    /// The same piece by piece, asking for a form of the answer. The time-out is for each piece: a long list may take its
    /// time as long as it comes.
    pub(super) async fn pieces(
        &self,
        path: &str,
        accept: &str,
        each: &mut (dyn FnMut(&[u8]) -> Result<(), GapReason> + Send),
    ) -> Result<(), GapReason> {
        let (mut body, _room) = self.in_time(self.patiently(path, accept)).await??;
        loop {
            let piece = self.in_time(body.fill_buf()).await?.map_err(broken)?;
            if piece.is_empty() {
                return Ok(());
            }
            each(piece)?;
            let len = piece.len();
            body.consume_unpin(len);
        }
    }

    /// An answer that goes on for as long as it likes: a watch, or a log that is followed.
    pub(super) async fn open(&self, path: &str, accept: &str) -> Result<Body, GapReason> {
        let (body, _) = self.in_time(self.patiently(path, accept)).await??;
        Ok(body)
    }

    /// A body of so many bytes at most; `Err` of a longer one, too.
    pub(super) async fn get_at_most(
        &self,
        path: &str,
        most: usize,
        within: Duration,
    ) -> Result<Vec<u8>, GapReason> {
        self.at_most(path, "*/*", most, self.within(within)).await
    }

    async fn at_most(
        &self,
        path: &str,
        accept: &str,
        most: usize,
        limit: Duration,
    ) -> Result<Vec<u8>, GapReason> {
        let whole = async {
            let (body, _room) = self.patiently(path, accept).await?;
            let mut bytes = Vec::new();
            let mut some = body.take(most as u64 + 1);
            some.read_to_end(&mut bytes).await.map_err(broken)?;
            Ok(bytes)
        };
        let bytes: Vec<u8> = tokio::time::timeout(limit, whole)
            .await
            .map_err(|_| timed_out(limit))??;
        if bytes.len() > most {
            let why = format!("the answer is longer than {most} bytes");
            return Err(GapReason::Bounded(why));
        }
        Ok(bytes)
    }

    /// Sends something once: neither again with another login nor after a refusal, since it may have been done. Gives the answer's
    /// status and body.
    pub(super) async fn once(&self, request: Request<Vec<u8>>) -> Result<Vec<u8>, Error> {
        let (client, _) = match self.door.client().await {
            Ok(found) => found,
            Err(_) => return Err(unauthorized()),
        };
        let whole = async {
            let mut body = Box::pin(client.request_stream(request).await?);
            let mut bytes = Vec::new();
            let read = body.read_to_end(&mut bytes).await;
            read.map_err(|error| Error::Service(Box::new(error)))?;
            Ok(bytes)
        };
        let late = || Error::Service(format!("no answer in {} s", self.timeout.as_secs()).into());
        tokio::time::timeout(self.timeout, whole)
            .await
            .unwrap_or_else(|_| Err(late()))
    }

    /// A WebSocket. How long it may take is for those who ask to say.
    pub(super) async fn socket(
        &self,
        path: &str,
    ) -> Result<(Connection, Option<SemaphorePermit<'_>>), GapReason> {
        let permit = self.room.acquire().await.ok();
        let connect = |client: Client| async move {
            let request = Request::get(path)
                .body(Vec::new())
                .map_err(Error::HttpError)?;
            client.connect(request).await
        };
        let connection = self.with_login(connect).await.map_err(reason)?;
        Ok((connection, permit))
    }

    /// This time, or less where every request has less.
    pub(super) fn within(&self, limit: Duration) -> Duration {
        limit.min(self.timeout)
    }

    async fn in_time<T>(&self, answer: impl Future<Output = T>) -> Result<T, GapReason> {
        tokio::time::timeout(self.timeout, answer)
            .await
            .map_err(|_| timed_out(self.timeout))
    }

    /// Sends it again where the server says that it has too much to do, after as long as it says, and asks less at once from then on.
    async fn patiently(
        &self,
        path: &str,
        accept: &str,
    ) -> Result<(Body, Option<SemaphorePermit<'_>>), GapReason> {
        let end = Instant::now() + self.timeout;
        let mut tries = 1;
        loop {
            let permit = self.room.acquire().await.ok();
            let once = |client: Client| async move { send(&client, path, accept).await };
            match self.with_login(once).await {
                Err(Error::Api(status)) if status.code == 429 && tries < TRIES => {
                    let half = self.room.available_permits() / 2;
                    self.room.forget_permits(half);
                    drop(permit);
                    let said = status.details.as_ref().map_or(0, |d| d.retry_after_seconds);
                    let wait = Duration::from_secs(u64::from(said.max(1)));
                    if Instant::now() + wait >= end {
                        return Err(reason(Error::Api(status)));
                    }
                    tokio::time::sleep(wait).await;
                    tries += 1;
                }
                answer => return answer.map(|body| (body, permit)).map_err(reason),
            }
        }
    }

    /// Sends it, and once more with a new login where the first is not accepted.
    async fn with_login<T, F>(&self, send: impl Fn(Client) -> F) -> Result<T, Error>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let (client, number) = match self.door.client().await {
            Ok(found) => found,
            // It was there, and could not be renewed: as good as refused.
            Err(_) => return Err(unauthorized()),
        };
        match send(client).await {
            Err(Error::Api(status)) if status.code == 401 => {
                match self.door.instead_of(number).await {
                    Some(client) => send(client).await,
                    None => Err(Error::Api(status)),
                }
            }
            answer => answer,
        }
    }
}

/// As a server says that it does not accept a login.
fn unauthorized() -> Error {
    let status = Status::failure("", "Unauthorized").with_code(401);
    Error::Api(status.boxed())
}

async fn send(client: &Client, path: &str, accept: &str) -> Result<Body, Error> {
    let request = Request::get(path)
        .header(ACCEPT, accept)
        .body(Vec::new())
        .map_err(Error::HttpError)?;
    Ok(Box::pin(client.request_stream(request).await?))
}

pub(super) fn timed_out(limit: Duration) -> GapReason {
    GapReason::TimedOut {
        seconds: limit.as_secs().max(1),
    }
}

/// A body that broke off.
fn broken(error: std::io::Error) -> GapReason {
    GapReason::Connection(chain(&error))
}

/// A proxy before the server may answer with a page of its own, of any length: its beginning tells enough.
pub(super) fn brief(message: &str) -> String {
    const LONGEST: usize = 200;
    let message = message.trim().trim_end_matches('.');
    match message.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", message.get(..end).unwrap_or_default()),
        None => message.to_owned(),
    }
}

/// Without the name of the layer that it came through.
fn plainly(what: &str) -> String {
    const LAYERS: [&str; 2] = ["client error (Connect): ", "client error (SendRequest): "];
    LAYERS
        .iter()
        .fold(what, |what, layer| what.strip_prefix(layer).unwrap_or(what))
        .to_owned()
}

/// What an error of the client is called.
fn reason(error: Error) -> GapReason {
    match error {
        Error::Api(status) => match status.code {
            401 => GapReason::Unauthorized,
            403 => GapReason::Forbidden,
            404 => GapReason::NotFound,
            410 => GapReason::Gone,
            // "resourceVersion … too old" comes as 410 or, from an etcd that compacted meanwhile, as 500 with this message.
            _ if status
                .message
                .contains("required revision has been compacted") =>
            {
                GapReason::Gone
            }
            code => GapReason::Status {
                code,
                message: brief(&status.message),
            },
        },
        Error::Service(cause) => GapReason::Connection(plainly(&chain(&*cause))),
        other => GapReason::Connection(chain(&other)),
    }
}
