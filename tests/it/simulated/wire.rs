//! What is between the program and the cluster: it can be cut, and remembers what was asked.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::Bytes;
use confsplit::sim::Sim;
use confsplit::sim::serve::Service;
use futures::{StreamExt, stream};
use http::{Request, Response};
use tokio::sync::watch;

#[derive(Clone)]
pub struct Wire {
    service: Service,
    cut: watch::Sender<bool>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Wire {
    pub fn to(sim: &Sim) -> Self {
        Self {
            service: sim.service(),
            cut: watch::Sender::new(false),
            asked: Arc::default(),
        }
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

fn broken() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionReset, "the wire was cut")
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
        let answering = self.service.call(request);
        Box::pin(async move {
            if *cut.borrow() {
                return Err(broken());
            }
            let answer = answering.await?;
            Ok(answer.map(|body| {
                let pieces = Body::new(body).into_data_stream();
                let pieces = pieces.map(|piece| piece.map_err(io::Error::other));
                // It ends by itself, or where it is cut.
                let whole = stream::unfold((pieces, false), move |(mut pieces, over)| {
                    let mut cut = cut.clone();
                    async move {
                        if over {
                            return None;
                        }
                        tokio::select! {
                            biased;
                            piece = pieces.next() => Some((piece?, (pieces, false))),
                            _ = cut.wait_for(|cut| *cut) => Some((Err(broken()), (pieces, true))),
                        }
                    }
                });
                Body::from_stream(whole)
            }))
        })
    }
}
