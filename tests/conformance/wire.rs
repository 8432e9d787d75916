//! Requests as they go out, and answers as they come: whole, line by line, or over a WebSocket.

use std::pin::Pin;
use std::time::Duration;

use futures::StreamExt;
use http::{HeaderMap, Method, Request, StatusCode};
use http_body::Body as _;
use kube::Client;
use kube::client::Body;
use serde_json::Value;
use tokio::time::Instant;

use super::format::Step;

/// An answer that has begun.
pub(crate) struct Begun {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    body: Body,
    /// What has come of a line that has not ended.
    rest: Vec<u8>,
}

/// What can be said of a request that has no answer.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

/// The path with its parameters.
pub(crate) fn address(step: &Step) -> String {
    let path = step.request.split_once(' ').map_or("", |(_, path)| path);
    let mut query = form_urlencoded::Serializer::new(String::new());
    let plain = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    for (name, value) in &step.query {
        match value {
            Value::Array(values) => {
                query.extend_pairs(values.iter().map(|value| (name, plain(value))));
            }
            value => {
                query.append_pair(name, &plain(value));
            }
        }
    }
    let query = query.finish();
    if query.is_empty() {
        path.to_owned()
    } else {
        format!("{path}?{query}")
    }
}

fn request(step: &Step) -> Result<Request<Vec<u8>>, String> {
    let method = step.request.split(' ').next().unwrap_or_default();
    let method = Method::from_bytes(method.as_bytes()).map_err(|e| e.to_string())?;
    let mut request = Request::builder().method(method).uri(address(step));
    for (name, value) in &step.headers {
        request = request.header(name, value);
    }
    let body = match &step.body {
        Some(Value::String(text)) => text.clone().into_bytes(),
        Some(value) => value.to_string().into_bytes(),
        None => Vec::new(),
    };
    let named = step.headers.keys().any(|name| name == "content-type");
    if step.body.is_some() && !named {
        request = request.header("content-type", "application/json");
    }
    request.body(body).map_err(|e| e.to_string())
}

/// Sends it, and waits for the beginning of its answer.
pub(crate) async fn send(client: &Client, step: &Step) -> Result<Begun, String> {
    let request = request(step)?.map(Body::from);
    let (parts, body) = client
        .send(request)
        .await
        .map_err(|e| chain(&e))?
        .into_parts();
    Ok(Begun {
        status: parts.status,
        headers: parts.headers,
        body,
        rest: Vec::new(),
    })
}

impl Begun {
    /// More of the body; nothing at its end.
    async fn piece(&mut self) -> Result<Option<bytes::Bytes>, String> {
        loop {
            let body = &mut self.body;
            let frame = std::future::poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await;
            match frame {
                None => return Ok(None),
                Some(Err(error)) => return Err(chain(&error)),
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        return Ok(Some(data));
                    }
                }
            }
        }
    }

    /// All of the body.
    pub(crate) async fn whole(mut self) -> Result<String, String> {
        let mut all = std::mem::take(&mut self.rest);
        while let Some(piece) = self.piece().await? {
            all.extend_from_slice(&piece);
        }
        String::from_utf8(all).map_err(|e| e.to_string())
    }

    /// The next line, without its end; nothing at the end of the body.
    pub(crate) async fn line(&mut self, until: Instant) -> Result<Option<String>, String> {
        loop {
            if let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
                let mut line: Vec<u8> = self.rest.drain(..=end).collect();
                line.pop();
                return String::from_utf8(line).map(Some).map_err(|e| e.to_string());
            }
            let piece = tokio::time::timeout_at(until, self.piece());
            match piece
                .await
                .map_err(|_| "nothing more came in time".to_owned())??
            {
                Some(piece) => self.rest.extend_from_slice(&piece),
                None if self.rest.is_empty() => return Ok(None),
                None => {
                    let rest = std::mem::take(&mut self.rest);
                    return String::from_utf8(rest).map(Some).map_err(|e| e.to_string());
                }
            }
        }
    }
}

/// What a command over a WebSocket gave.
#[derive(Debug, Default)]
pub(crate) struct Ran {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// The protocol's last message, a Status.
    pub(crate) end: Value,
}

/// Runs a command and reads what comes of it, as the exec protocol has it: the first byte of a message is its channel.
pub(crate) async fn run(client: &Client, step: &Step, within: Duration) -> Result<Ran, String> {
    let all = async {
        let connection = client
            .connect(request(step)?)
            .await
            .map_err(|e| chain(&e))?;
        let mut messages = connection.into_stream();
        let mut ran = Ran::default();
        while let Some(message) = messages.next().await {
            let data = message.map_err(|e| e.to_string())?.into_data();
            let Some((channel, piece)) = data.split_first() else {
                continue;
            };
            let text = String::from_utf8_lossy(piece);
            match channel {
                1 => ran.stdout.push_str(&text),
                2 => ran.stderr.push_str(&text),
                3 if !piece.is_empty() => {
                    ran.end = serde_json::from_slice(piece).map_err(|e| e.to_string())?;
                    return Ok(ran);
                }
                _ => {}
            }
        }
        Err(format!("it was closed before it ended: {ran:?}"))
    };
    let limit = tokio::time::timeout(within, all).await;
    limit.map_err(|_| "the command did not end in time".to_owned())?
}
