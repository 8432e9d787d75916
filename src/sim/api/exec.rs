//! Commands in containers, over a WebSocket (`v4.channel.k8s.io`, `v5.channel.k8s.io`): each message begins with its channel.

use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use futures::SinkExt;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role};
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};

use super::Answer;
use super::asked::Asked;
use super::pods::{container, live};
use crate::sim::Sim;
use crate::sim::status::Failure;
use crate::sim::world::Output;

const STDOUT: u8 = 1;
const STDERR: u8 = 2;
const STATUS: u8 = 3;
/// Of what a command prints, so much is one message.
const PIECE: usize = 32 << 10;
const PROTOCOLS: [&str; 2] = ["v5.channel.k8s.io", "v4.channel.k8s.io"];

pub(super) fn answer(
    sim: &Sim,
    asked: &Asked,
    headers: &HeaderMap,
    upgrade: Option<OnUpgrade>,
) -> Answer {
    let argv: Vec<String> = asked.query.all("command").map(str::to_owned).collect();
    let pod = live(sim, asked)?;
    let name = container(&pod, asked.query.get("container"))?;
    if argv.is_empty() {
        return Err(Failure::bad_request("you must specify at least 1 command"));
    }
    let text = |name| {
        headers
            .get(name)
            .and_then(|v| v.to_str().ok())
            .unwrap_or_default()
    };
    let key = text(header::SEC_WEBSOCKET_KEY);
    let (Some(upgrade), false) = (upgrade, key.is_empty()) else {
        return Err(Failure::bad_request("Upgrade request required"));
    };
    let offered = text(header::SEC_WEBSOCKET_PROTOCOL);
    let mut spoken = PROTOCOLS.into_iter();
    let protocol = spoken.find(|one| offered.split(',').any(|other| other.trim() == *one));
    let Some(protocol) = protocol else {
        return Err(Failure::bad_request(format!(
            "unable to upgrade: none of the protocols {offered:?} is spoken here"
        )));
    };
    let namespace = asked.namespace.as_deref().unwrap_or_default();
    let ran = sim.with(|world| world.exec(namespace, &asked.name, Some(name), &argv));
    // What fails in the container is told through the socket, what fails before it is not.
    let ran = match ran {
        Err(failure) if failure.code < 500 || failure.message.starts_with("unable to upgrade") => {
            return Err(failure);
        }
        ran => ran,
    };
    let switching = Response::builder()
        .status(StatusCode::SWITCHING_PROTOCOLS)
        .header(header::UPGRADE, "websocket")
        .header(header::CONNECTION, "Upgrade")
        .header(
            header::SEC_WEBSOCKET_ACCEPT,
            derive_accept_key(key.as_bytes()),
        )
        .header(header::SEC_WEBSOCKET_PROTOCOL, protocol)
        .body(Body::empty())
        .map_err(|why| Failure::new(500, "InternalError", why.to_string()))?;
    let streams = Streams {
        stdout: asked.query.is_on("stdout"),
        stderr: asked.query.is_on("stderr"),
    };
    tokio::spawn(async move {
        if let Ok(stream) = upgrade.await {
            let stream = TokioIo::new(stream);
            let mut socket = WebSocketStream::from_raw_socket(stream, Role::Server, None).await;
            // Whoever asked may have had enough.
            drop(play(&mut socket, ran, &streams).await);
        }
    });
    Ok(switching)
}

/// Which of them were asked for.
pub(super) struct Streams {
    pub(super) stdout: bool,
    pub(super) stderr: bool,
}

pub(super) async fn play<S>(
    socket: &mut WebSocketStream<S>,
    ran: Result<Output, Failure>,
    streams: &Streams,
) -> Result<(), Error>
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
{
    let on = |channel: u8, bytes: &[u8]| Message::binary([&[channel], bytes].concat());
    // Each channel is opened by an empty message.
    for channel in [STDOUT, STDERR, STATUS] {
        socket.send(on(channel, b"")).await?;
    }
    let status = match ran {
        Ok(output) => {
            let both = [
                (STDOUT, &output.stdout, streams.stdout),
                (STDERR, &output.stderr, streams.stderr),
            ];
            for (channel, bytes, wanted) in both {
                for piece in bytes.chunks(PIECE).filter(|_| wanted) {
                    socket.send(on(channel, piece)).await?;
                }
            }
            ended(output.code)
        }
        Err(failure) => failed(&failure),
    };
    socket
        .send(on(STATUS, status.to_string().as_bytes()))
        .await?;
    // kubectl takes a close that gives no reason for a failure.
    let close = CloseFrame {
        code: CloseCode::Normal,
        reason: Utf8Bytes::default(),
    };
    socket.close(Some(close)).await
}

fn ended(code: i32) -> Value {
    if code == 0 {
        return json!({"metadata": {}, "status": "Success"});
    }
    json!({
        "metadata": {},
        "status": "Failure",
        "message": format!("command terminated with non-zero exit code: exit status {code}"),
        "reason": "NonZeroExitCode",
        "details": {"causes": [{"reason": "ExitCode", "message": code.to_string()}]},
    })
}

/// What could not be run, as a container runtime says it.
fn failed(failure: &Failure) -> Value {
    json!({
        "metadata": {},
        "status": "Failure",
        "message": failure.message,
        "reason": "InternalError",
        "details": {"causes": [{"message": failure.message}]},
        "code": 500,
    })
}
