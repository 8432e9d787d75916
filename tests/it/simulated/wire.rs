//! What is between the program and the cluster: it can be cut, answers what a test has it answer, leads to another cluster, and
//! remembers what was asked.

mod fault;

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::Bytes;
use confsplit::sim::Sim;
use confsplit::sim::serve::Service;
use futures::{StreamExt, stream};
use http::{Request, Response};
use tokio::sync::watch;

use self::fault::broken;
pub use self::fault::{Asked, Fault};

#[derive(Clone)]
pub struct Wire {
    service: Arc<Mutex<Service>>,
    cut: watch::Sender<bool>,
    asked: Arc<Mutex<Vec<String>>>,
    faults: Arc<Mutex<Vec<(Asked, Fault)>>>,
    /// It leads to another cluster than at first.
    astray: Arc<AtomicBool>,
}

/// The namespace by which clusters are told apart: simulated ones all have the same.
const FIRST_NAMESPACE: &str = "/api/v1/namespaces/kube-system";

impl Wire {
    pub fn to(sim: &Sim) -> Self {
        Self {
            service: Arc::new(Mutex::new(sim.service())),
            cut: watch::Sender::new(false),
            asked: Arc::default(),
            faults: Arc::default(),
            astray: Arc::default(),
        }
    }

    /// From now on this state of the cluster answers. What is under way goes on with the one before.
    pub fn lead_to(&self, sim: &Sim) {
        *self.service.lock().unwrap() = sim.service();
    }

    /// From now on another cluster answers.
    pub fn lead_astray_to(&self, sim: &Sim) {
        self.lead_to(sim);
        self.astray.store(true, Ordering::SeqCst);
    }

    /// Has what is asked so answered wrongly, until it is made good again.
    pub fn fail(&self, asked: Asked, fault: Fault) {
        self.faults.lock().unwrap().push((asked, fault));
    }

    pub fn make_good(&self) {
        self.faults.lock().unwrap().clear();
    }

    fn fault(&self, asked: &Asked) -> Option<Fault> {
        let faults = self.faults.lock().unwrap();
        let found = faults.iter().find(|(known, _)| known == asked);
        found.map(|(_, fault)| *fault)
    }

    /// Breaks off every answer that is under way, and lets no further request through.
    pub fn cut(&self) {
        self.cut.send_replace(true);
    }

    pub fn mend(&self) {
        self.cut.send_replace(false);
    }

    /// All requests until now, by method and path.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn cut_off() -> io::Error {
    broken("the wire was cut")
}

impl<B> tower::Service<Request<B>> for Wire
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Response = Response<Body>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let line = format!("{} {}", request.method(), request.uri());
        self.asked.lock().unwrap().push(line);
        let cut = self.cut.subscribe();
        let fault = self.fault(&Asked::of(request.method(), request.uri()));
        if self.astray.load(Ordering::SeqCst) && request.uri().path() == FIRST_NAMESPACE {
            let other = r#"{"kind":"Namespace","metadata":{"name":"kube-system","uid":"other"}}"#;
            return Box::pin(std::future::ready(Ok(Response::new(Body::from(other)))));
        }
        let answering = self.service.lock().unwrap().call(request);
        Box::pin(async move {
            if *cut.borrow() {
                return Err(cut_off());
            }
            match fault {
                None => Ok(until_cut(answering.await?.map(Body::new), cut)),
                Some(Fault::Reset) => Err(broken("the connection was reset")),
                Some(Fault::Hangs) => std::future::pending().await,
                Some(fault) => match fault.instead() {
                    Some(instead) => Ok(until_cut(instead, cut)),
                    None => Ok(until_cut(
                        fault.of(answering.await?.map(Body::new)).await,
                        cut,
                    )),
                },
            }
        })
    }
}

/// Ends by itself, or where the wire is cut.
fn until_cut(answer: Response<Body>, cut: watch::Receiver<bool>) -> Response<Body> {
    answer.map(|body| {
        let pieces = body.into_data_stream();
        let pieces = pieces.map(|piece| piece.map_err(io::Error::other));
        let whole = stream::unfold((pieces, false), move |(mut pieces, over)| {
            let mut cut = cut.clone();
            async move {
                if over {
                    return None;
                }
                tokio::select! {
                    biased;
                    piece = pieces.next() => Some((piece?, (pieces, false))),
                    _ = cut.wait_for(|cut| *cut) => Some((Err(cut_off()), (pieces, true))),
                }
            }
        });
        Body::from_stream(whole)
    })
}
