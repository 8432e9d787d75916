//! What goes wrong between the program and the cluster: which requests are met, and what they are answered instead.

use std::io;
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures::{StreamExt, stream};
use http::{Response, StatusCode, header};
use serde_json::{Value, json};

/// What a request asks for, as rights name it: `list configmaps`, `watch pods`, `get pods/log`, `follow pods/log`, `get version`;
/// and `exact configmaps` for the state at an earlier version.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Asked {
    pub verb: &'static str,
    pub resource: String,
}

impl Asked {
    pub fn new(verb: &'static str, resource: &str) -> Self {
        Self {
            verb,
            resource: resource.to_owned(),
        }
    }

    pub fn of(method: &http::Method, uri: &http::Uri) -> Self {
        let parts: Vec<&str> = uri.path().split('/').skip(1).collect();
        let parts = match parts[..] {
            ["api", _, ref rest @ ..] | ["apis", _, _, ref rest @ ..] => rest,
            ref rest => rest,
        };
        let parts = match parts {
            ["namespaces", _, rest @ ..] if !rest.is_empty() => rest,
            rest => rest,
        };
        let (resource, named) = match parts {
            [resource] => ((*resource).to_owned(), false),
            [resource, _] => ((*resource).to_owned(), true),
            [resource, _, sub, ..] => (format!("{resource}/{sub}"), true),
            [] => (uri.path().to_owned(), true),
        };
        let query = uri.query().unwrap_or_default();
        let verb = match method.as_str() {
            "GET" if query.contains("watch=true") => "watch",
            "GET" if query.contains("resourceVersionMatch=Exact") => "exact",
            "GET" if query.contains("follow=true") => "follow",
            "GET" if named || resource == "version" => "get",
            "GET" => "list",
            "POST" => "create",
            "PATCH" => "patch",
            "PUT" => "update",
            _ => "delete",
        };
        Self { verb, resource }
    }
}

/// What is answered instead of the truth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    /// As the API server refuses: a Status.
    Status(u16),
    /// Too much to do, with the seconds to wait.
    Busy(u16),
    /// 200, and a page of a login.
    Html,
    /// As a proxy before the server fails: a page, and no Status.
    BadGateway,
    /// 200, and bytes that are nothing.
    Garbage,
    /// 200, and garbage that never ends.
    Flood,
    /// The first half of the truth, ended in order.
    Half,
    /// The first half of the truth, and then nothing, for ever.
    Stops,
    /// The first half of the truth, and then the connection breaks.
    Breaks,
    /// No answer: the connection breaks.
    Reset,
    /// No answer, for ever.
    Hangs,
    /// 200, and an object or a list of another kind.
    OtherKind,
    /// 200, and an empty list that always says that there is more.
    Endless,
    /// A stream that ends at once, each time.
    Empty,
    /// The truth, each line twice.
    Repeats,
    /// The truth, and after each line the first one again.
    GoesBack,
    /// The truth without its first line.
    Skips,
    /// The stream is opened, and nothing ever comes.
    Silent,
    /// What comes within a second, with bytes changed, left out and doubled by this seed.
    Damaged(u64),
}

/// A number that follows from the one before.
fn next(seed: &mut u64) -> usize {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*seed >> 33).unwrap()
}

/// A few bytes are others, or gone, or twice there. What is long gets more of them.
fn damage(bytes: &mut Vec<u8>, mut seed: u64) {
    const ODD: &[u8] = b"\0\x1b\xff{}[]\",:0-9\\\n";
    for _ in 0..1 + bytes.len() / 4096 {
        if bytes.is_empty() {
            return;
        }
        let at = next(&mut seed) % bytes.len();
        match next(&mut seed) % 5 {
            0 => bytes[at] = ODD[next(&mut seed) % ODD.len()],
            1 => drop(bytes.drain(at..(at + next(&mut seed) % 64).min(bytes.len()))),
            2 => {
                let end = (at + next(&mut seed) % 64).min(bytes.len());
                let twice = bytes[at..end].to_vec();
                bytes.splice(at..at, twice);
            }
            3 => bytes[at] ^= 1 << (next(&mut seed) % 8),
            _ => {
                // A digit more, as of a number that is too long.
                bytes.insert(at, b'9');
            }
        }
    }
}

fn nothing() -> stream::Pending<io::Result<Bytes>> {
    stream::pending()
}

pub fn broken(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionReset, why.to_owned())
}

fn made(code: u16, form: &str, body: impl Into<Body>) -> Response<Body> {
    let mut response = Response::new(body.into());
    *response.status_mut() = StatusCode::from_u16(code).unwrap();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, form.parse().unwrap());
    response
}

fn status(code: u16, details: &Value) -> String {
    let reason = match code {
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "NotFound",
        409 => "Conflict",
        410 => "Expired",
        422 => "Invalid",
        429 => "TooManyRequests",
        500 => "InternalError",
        503 => "ServiceUnavailable",
        _ => "Timeout",
    };
    json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": code,
        "reason": reason, "message": format!("it was made to answer {code}"), "details": details,
    })
    .to_string()
}

const PAGE: &str =
    "<!DOCTYPE html><html><head><title>Sign in</title></head><body>Sign in</body></html>";

impl Fault {
    /// The answer where the truth is not asked for.
    pub fn instead(self) -> Option<Response<Body>> {
        Some(match self {
            Self::Status(code) => made(code, "application/json", status(code, &json!({}))),
            Self::Busy(seconds) => {
                let details = json!({"retryAfterSeconds": seconds});
                let mut response = made(429, "application/json", status(429, &details));
                let seconds = seconds.to_string().parse().unwrap();
                response.headers_mut().insert(header::RETRY_AFTER, seconds);
                response
            }
            Self::Html => made(200, "text/html", PAGE),
            Self::BadGateway => made(502, "text/html", PAGE.replace("Sign in", "502 Bad Gateway")),
            Self::Garbage => made(
                200,
                "application/json",
                &b"\x00\xff\x1b[31m{\"items\":[\x00"[..],
            ),
            Self::Flood => {
                let piece = Bytes::from(vec![b'{'; 64 << 10]);
                let pieces = stream::repeat_with(move || Ok::<_, io::Error>(piece.clone()));
                made(200, "application/json", Body::from_stream(pieces))
            }
            Self::OtherKind => {
                let other = json!({
                    "kind": "NodeMetricsList", "apiVersion": "metrics.k8s.io/v1beta1",
                    "metadata": {"resourceVersion": "7"},
                    "items": [{"metadata": {"name": "node-1"}, "usage": {"cpu": "1"}}],
                });
                made(200, "application/json", other.to_string())
            }
            Self::Endless => {
                let empty = json!({
                    "kind": "List", "apiVersion": "v1",
                    "metadata": {"resourceVersion": "7", "continue": "always"}, "items": [],
                });
                made(200, "application/json", empty.to_string())
            }
            Self::Empty => made(200, "application/json", ""),
            Self::Silent => made(200, "application/json", Body::from_stream(nothing())),
            _ => return None,
        })
    }

    /// The truth, told so.
    pub async fn of(self, truth: Response<Body>) -> Response<Body> {
        match self {
            Self::Repeats | Self::GoesBack | Self::Skips => self.lines(truth),
            _ => self.cut(truth).await,
        }
    }

    /// The lines of a stream, each as it comes.
    fn lines(self, truth: Response<Body>) -> Response<Body> {
        truth.map(|body| {
            let mut first = None::<String>;
            let mut rest = String::new();
            let lines = body.into_data_stream().map(move |piece| {
                rest.push_str(std::str::from_utf8(&piece.map_err(io::Error::other)?).unwrap());
                let mut told = String::new();
                while let Some(end) = rest.find('\n') {
                    let line: String = rest.drain(..=end).collect();
                    match (self, &first) {
                        (Self::Repeats, _) => told.extend([&*line, &*line]),
                        (Self::GoesBack, Some(first)) => told.extend([&*line, &**first]),
                        (Self::Skips, None) => {}
                        _ => told.push_str(&line),
                    }
                    first.get_or_insert(line);
                }
                Ok::<_, io::Error>(told)
            });
            Body::from_stream(lines)
        })
    }

    /// How much of the truth is told, and what becomes of the rest. A stream that goes on is told for a second.
    async fn cut(self, truth: Response<Body>) -> Response<Body> {
        let (head, body) = truth.into_parts();
        let mut pieces = body.into_data_stream();
        let mut told = Vec::new();
        let told_for = async {
            while let Some(Ok(piece)) = pieces.next().await {
                told.extend_from_slice(&piece);
            }
        };
        drop(tokio::time::timeout(Duration::from_secs(1), told_for).await);
        match self {
            Self::Damaged(seed) => damage(&mut told, seed),
            _ => told.truncate(told.len() / 2),
        }
        let first = stream::once(async move { Ok(Bytes::from(told)) });
        let body = match self {
            Self::Stops => Body::from_stream(first.chain(stream::pending())),
            Self::Breaks => {
                let breaks = stream::once(async { Err(broken("it broke off")) });
                Body::from_stream(first.chain(breaks))
            }
            _ => Body::from_stream(first),
        };
        let mut response = Response::from_parts(head, body);
        response.headers_mut().remove(header::CONTENT_LENGTH);
        response
    }
}
