//! A server that upgrades execs to WebSockets, over a connection inside this process, with containers that do as a test says.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use futures::SinkExt;
use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use kube::client::Body;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::Role;

use super::fake::Fake;

/// What a command does.
#[derive(Debug, Clone)]
pub enum Does {
    /// Prints, complains, and ends with a code.
    Ends(Vec<u8>, String, i32),
    /// Prints and goes on for ever.
    Hangs(Vec<u8>),
    /// Is not there.
    Absent,
    /// Prints, and the connection is cut.
    Breaks(Vec<u8>),
}

pub fn prints(text: &str) -> Does {
    Does::Ends(text.as_bytes().to_vec(), String::new(), 0)
}

type Container = Arc<dyn Fn(&[&str]) -> Does + Send + Sync>;

/// The server: what is no exec is the fake's.
#[derive(Clone)]
pub struct Server {
    pub fake: Fake,
    container: Container,
    ran: Arc<Mutex<Vec<Vec<String>>>>,
}

impl Server {
    pub fn new(container: impl Fn(&[&str]) -> Does + Send + Sync + 'static) -> Self {
        Self {
            fake: Fake::default(),
            container: Arc::new(container),
            ran: Arc::default(),
        }
    }

    /// Every command that was run, in the order of its words.
    pub fn ran(&self) -> Vec<String> {
        let ran = self.ran.lock().unwrap();
        let mut all: Vec<String> = ran.iter().map(|argv| argv.join(" ")).collect();
        all.sort();
        all
    }
}

impl tower::Service<Request<Body>> for Server {
    type Response = Response<Body>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let upgrades = request.headers().contains_key(http::header::UPGRADE);
        if !upgrades || self.fake.refuses(request.uri().path()) {
            return self.fake.call(request);
        }
        let server = self.clone();
        Box::pin(async move { server.upgraded(request).await })
    }
}

impl Server {
    async fn upgraded(self, request: Request<Body>) -> io::Result<Response<Body>> {
        let query = request.uri().query().unwrap_or_default().to_owned();
        let words = form_urlencoded::parse(query.as_bytes());
        let argv: Vec<String> = words
            .filter(|(name, _)| name == "command")
            .map(|(_, word)| word.into_owned())
            .collect();
        let does = {
            let words: Vec<&str> = argv.iter().map(String::as_str).collect();
            (self.container)(&words)
        };
        self.ran.lock().unwrap().push(argv);
        let (near, far) = tokio::io::duplex(1 << 16);
        let service = service_fn(move |request| answer(request, does.clone()));
        tokio::spawn(
            hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(far), service)
                .with_upgrades(),
        );
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(near))
            .await
            .map_err(io::Error::other)?;
        tokio::spawn(connection.with_upgrades());
        let answer = sender.send_request(request).await;
        answer
            .map(|answer| answer.map(|_| Body::empty()))
            .map_err(io::Error::other)
    }
}

async fn answer(request: Request<Incoming>, does: Does) -> io::Result<Response<String>> {
    let key = request.headers()["sec-websocket-key"].as_bytes();
    let answer = Response::builder()
        .status(StatusCode::SWITCHING_PROTOCOLS)
        .header("upgrade", "websocket")
        .header("connection", "Upgrade")
        .header("sec-websocket-accept", derive_accept_key(key))
        .header("sec-websocket-protocol", "v5.channel.k8s.io")
        .body(String::new());
    tokio::spawn(async move {
        let stream = TokioIo::new(hyper::upgrade::on(request).await.unwrap());
        let mut socket = WebSocketStream::from_raw_socket(stream, Role::Server, None).await;
        // Whoever asked may have had enough.
        drop(play(&mut socket, does).await);
    });
    answer.map_err(io::Error::other)
}

async fn play<S>(
    socket: &mut WebSocketStream<S>,
    does: Does,
) -> Result<(), tokio_tungstenite::tungstenite::Error>
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
{
    let on = |channel: u8, bytes: &[u8]| Message::binary([&[channel], bytes].concat());
    // Each channel is opened by an empty message.
    for channel in 0..4 {
        socket.send(on(channel, b"")).await?;
    }
    let (out, complaint, status) = match does {
        Does::Absent => (
            Vec::new(),
            String::new(),
            Some(r#"{"status":"Failure","message":"exec: \"cat\": executable file not found in $PATH","code":500}"#.to_owned()),
        ),
        Does::Ends(out, complaint, 0) => (out, complaint, Some(r#"{"metadata":{},"status":"Success"}"#.to_owned())),
        Does::Ends(out, complaint, code) => (
            out,
            complaint,
            Some(format!(
                r#"{{"status":"Failure","reason":"NonZeroExitCode","details":{{"causes":[{{"reason":"ExitCode","message":"{code}"}}]}}}}"#
            )),
        ),
        Does::Hangs(out) => {
            socket.send(on(1, &out)).await?;
            return std::future::pending().await;
        }
        Does::Breaks(out) => (out, String::new(), None),
    };
    for piece in out.chunks(1000) {
        socket.send(on(1, piece)).await?;
    }
    socket.send(on(2, complaint.as_bytes())).await?;
    if let Some(status) = status {
        socket.send(on(3, status.as_bytes())).await?;
    }
    socket.close(None).await
}
