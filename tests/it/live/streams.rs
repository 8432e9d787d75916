//! An API server inside this process whose answers come piece by piece, as a test feeds them.

use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use confsplit::source::live::{Consent, Live};
use http::{Request, Response};
use http_body::Frame;
use kube::client::Body;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio::time::timeout;

use super::fake::{Asked, cluster, status};
use crate::build::t;

type Piece = io::Result<Frame<Bytes>>;

/// The open end of an answer's body: once it is dropped, the body is over.
#[derive(Debug)]
pub struct Feed(UnboundedSender<Piece>);

impl Feed {
    pub fn send(&self, text: impl AsRef<[u8]>) {
        let bytes = Bytes::copy_from_slice(text.as_ref());
        // The reader may be gone.
        let _ = self.0.send(Ok(Frame::data(bytes)));
    }

    pub fn event(&self, kind: &str, object: &Value) {
        self.send(format!("{}\n", json!({"type": kind, "object": object})));
    }

    pub fn breaks(self) {
        let broken = io::Error::new(io::ErrorKind::ConnectionReset, "connection reset");
        let _ = self.0.send(Err(broken));
    }
}

/// An answer's body: what is there at once, or what is fed.
#[derive(Debug)]
pub struct Fed(UnboundedReceiver<Piece>);

impl http_body::Body for Fed {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Piece>> {
        self.0.poll_recv(context)
    }
}

fn body() -> (Feed, Fed) {
    let (feed, fed) = unbounded_channel();
    (Feed(feed), Fed(fed))
}

struct State {
    /// What is asked next gets these, by the resource and whether it is watched.
    next: BTreeMap<(String, bool), VecDeque<(u16, Fed)>>,
    /// Bodies that nobody feeds, kept open.
    held: Vec<Feed>,
    asked: Vec<Asked>,
}

/// The server. Where nothing was said, lists are empty, watches stay open and all else is 404.
#[derive(Clone)]
pub struct Streams {
    state: Arc<Mutex<State>>,
    count: Arc<watch::Sender<usize>>,
}

impl Streams {
    pub fn new() -> Self {
        Self {
            state: Arc::new(Mutex::new(State {
                next: BTreeMap::new(),
                held: Vec::new(),
                asked: Vec::new(),
            })),
            count: Arc::new(watch::channel(0).0),
        }
    }

    /// The next answer to a list, a watch or a log (watched as it is followed), fed by the test.
    pub fn feed(&self, resource: &str, watched: bool) -> Feed {
        let (feed, fed) = body();
        self.queue(resource, watched, 200, fed);
        feed
    }

    /// The next answer, whole.
    pub fn answer(&self, resource: &str, watched: bool, code: u16, whole: impl AsRef<[u8]>) {
        let (feed, fed) = body();
        feed.send(whole);
        self.queue(resource, watched, code, fed);
    }

    pub fn list(&self, resource: &str, version: &str, items: &[Value]) {
        self.answer(resource, false, 200, list(version, items));
    }

    fn queue(&self, resource: &str, watched: bool, code: u16, fed: Fed) {
        let mut state = self.state.lock().unwrap();
        let key = (resource.to_owned(), watched);
        state.next.entry(key).or_default().push_back((code, fed));
    }

    /// The requests for a resource so far.
    pub fn asked(&self, resource: &str, watched: bool) -> Vec<Asked> {
        let state = self.state.lock().unwrap();
        let all = state.asked.iter();
        all.filter(|asked| key(asked) == (resource.to_owned(), watched))
            .cloned()
            .collect()
    }

    /// Waits until so many of these were asked; all of them.
    pub async fn until(&self, resource: &str, watched: bool, count: usize) -> Vec<Asked> {
        let mut counted = self.count.subscribe();
        let waiting = counted.wait_for(|_| self.asked(resource, watched).len() >= count);
        let outcome = timeout(Duration::from_secs(900), waiting).await;
        assert!(outcome.is_ok(), "{:#?}", self.asked(resource, watched));
        self.asked(resource, watched)
    }

    pub fn live(&self) -> Live {
        Live::over(
            Consent::default(),
            self.clone(),
            cluster(),
            Duration::from_secs(5),
            || t(150),
        )
    }
}

fn key(asked: &Asked) -> (String, bool) {
    let resource = asked.path.rsplit('/').next().unwrap_or_default();
    let watched = asked.get("watch").or(asked.get("follow")) == Some("true");
    (resource.to_owned(), watched)
}

pub fn list(version: &str, items: &[Value]) -> String {
    json!({
        "kind": "List", "apiVersion": "v1",
        "metadata": {"resourceVersion": version}, "items": items
    })
    .to_string()
}

impl tower::Service<Request<Body>> for Streams {
    type Response = Response<Fed>;
    type Error = Infallible;
    type Future = std::future::Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let asked = Asked::of(&request);
        let mut state = self.state.lock().unwrap();
        // Where the cluster is by now it does not tell.
        if asked.get("limit") == Some("1") {
            let (feed, fed) = body();
            feed.send(status(503, "not now").to_string());
            let response = Response::builder().status(503).body(fed).unwrap();
            return std::future::ready(Ok(response));
        }
        let key = key(&asked);
        let queued = state.next.get_mut(&key).and_then(VecDeque::pop_front);
        let (code, fed) = queued.unwrap_or_else(|| {
            let (feed, fed) = body();
            let code = match (key.0.as_str(), key.1) {
                ("log", _) => {
                    feed.send(status(404, "not found").to_string());
                    404
                }
                (_, true) => {
                    state.held.push(feed);
                    200
                }
                (_, false) => {
                    feed.send(list("100", &[]));
                    200
                }
            };
            (code, fed)
        });
        state.asked.push(asked);
        drop(state);
        self.count.send_modify(|count| *count += 1);
        std::future::ready(Ok(Response::builder().status(code).body(fed).unwrap()))
    }
}
