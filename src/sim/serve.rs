//! How the API is reached: by a client of this process over a connection in memory, or over loopback. Both ends speak HTTP.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::Router;
use bytes::Bytes;
use http::{Request, Response};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;

use super::Sim;
use super::api;

/// So much of an answer is under way in a connection within this process.
const BUFFER: usize = 1 << 16;

impl Sim {
    /// A service for the clients of this process. Each request has a connection of its own, so that one that is given up breaks
    /// off as it would on a wire.
    pub fn service(&self) -> Service {
        Service {
            router: api::router(self.clone()),
        }
    }
}

/// The API within this process.
#[derive(Debug, Clone)]
pub struct Service {
    router: Router,
}

impl<B> tower::Service<Request<B>> for Service
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Response = Response<Incoming>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let router = self.router.clone();
        let request = request.map(|body| Box::pin(body) as Pin<Box<B>>);
        Box::pin(async move {
            let (near, far) = tokio::io::duplex(BUFFER);
            tokio::spawn(connection(router, far));
            let handshake = hyper::client::conn::http1::handshake(TokioIo::new(near));
            let (mut sender, connection) = handshake.await.map_err(io::Error::other)?;
            tokio::spawn(connection.with_upgrades());
            sender.send_request(request).await.map_err(io::Error::other)
        })
    }
}

/// Serves one connection to its end.
async fn connection<S>(router: Router, stream: S)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = TowerToHyperService::new(router);
    let served = hyper::server::conn::http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades()
        .await;
    // A client that goes away is no failure of the server.
    drop(served);
}

/// Serves the API to this machine, for as long as it is polled. Fails where others could reach it.
pub async fn serve_loopback(sim: Sim, listener: TcpListener) -> io::Result<()> {
    let address = listener.local_addr()?;
    if !address.ip().is_loopback() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{address} is no loopback address, and the cluster asks nobody who they are"),
        ));
    }
    let router = api::router(sim);
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(connection(router.clone(), stream));
    }
}

#[cfg(test)]
mod tests;
