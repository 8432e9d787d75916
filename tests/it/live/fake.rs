//! A Kubernetes API of canned answers inside this process, behind kube's real client. It keeps what it was asked.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use confsplit::model::{Cluster, Scope, Snapshot, Want};
use confsplit::source::live::{Consent, Live};
use confsplit::source::{Source, SourceError};
use http::header::ACCEPT;
use http::{Method, Request, Response};
use kube::client::Body;
use serde_json::{Value, json};

use crate::build::{NS, t};

pub const SERVER: &str = "https://127.0.0.1:6443";

/// One request as it came.
#[derive(Debug, Clone)]
pub struct Asked {
    pub method: Method,
    pub path: String,
    pub query: String,
    pub accept: String,
}

impl Asked {
    pub fn of(request: &Request<Body>) -> Self {
        let accept = request.headers().get(ACCEPT).map(|v| v.to_str().unwrap());
        Self {
            method: request.method().clone(),
            path: request.uri().path().to_owned(),
            query: request.uri().query().unwrap_or_default().to_owned(),
            accept: accept.unwrap_or_default().to_owned(),
        }
    }

    pub fn url(&self) -> String {
        if self.query.is_empty() {
            self.path.clone()
        } else {
            format!("{}?{}", self.path, self.query)
        }
    }

    /// A parameter of the query.
    pub fn get(&self, name: &str) -> Option<&str> {
        let pairs = self.query.split('&').filter_map(|p| p.split_once('='));
        pairs.into_iter().find(|(n, _)| *n == name).map(|(_, v)| v)
    }
}

/// What the server does with a request.
#[derive(Debug, Clone)]
pub enum Answer {
    Json(Value),
    Raw(u16, Vec<u8>),
    /// Nothing ever comes.
    Silence,
    /// The connection breaks.
    Broken,
}

impl Answer {
    /// A failure as the API server words it.
    pub fn failure(code: u16, message: &str) -> Self {
        Self::Raw(code, status(code, message).to_string().into_bytes())
    }

    pub fn text(text: &str) -> Self {
        Self::Raw(200, text.as_bytes().to_vec())
    }
}

type Handler = Arc<dyn Fn(&Asked) -> Answer + Send + Sync>;

/// The server. What nothing was said about: lists are empty, the namespace and the version exist, the nodes' clocks
/// agree with its own, all else is 404.
#[derive(Clone, Default)]
pub struct Fake(Arc<Inner>);

#[derive(Default)]
struct Inner {
    handlers: Mutex<BTreeMap<String, Handler>>,
    all: Mutex<Option<Answer>>,
    asked: Mutex<Vec<Asked>>,
}

pub const LISTS: [(&str, &str); 10] = [
    ("/api/v1", "configmaps"),
    ("/api/v1", "secrets"),
    ("/api/v1", "pods"),
    ("/apis/apps/v1", "replicasets"),
    ("/apis/apps/v1", "deployments"),
    ("/apis/apps/v1", "statefulsets"),
    ("/apis/apps/v1", "daemonsets"),
    ("/api/v1", "services"),
    ("/apis/discovery.k8s.io/v1", "endpointslices"),
    ("/api/v1", "events"),
];

/// The path of a list in the namespace of these tests.
pub fn list_path(resource: &str) -> String {
    let (group, _) = LISTS.iter().find(|(_, r)| *r == resource).unwrap();
    format!("{group}/namespaces/{NS}/{resource}")
}

impl Fake {
    /// Answers every request for a path, whatever its query.
    pub fn on(
        &self,
        path: &str,
        answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static,
    ) -> &Self {
        let mut handlers = self.0.handlers.lock().unwrap();
        handlers.insert(path.to_owned(), Arc::new(answer));
        self
    }

    pub fn answers(&self, path: &str, answer: Answer) -> &Self {
        self.on(path, move |_| answer.clone())
    }

    /// The objects of a list in the namespace; the list is at version 20000.
    pub fn holds(&self, resource: &str, items: &[Value]) -> &Self {
        self.answers(&list_path(resource), list(20_000, items))
    }

    /// Answers everything alike.
    pub fn always(&self, answer: Answer) -> &Self {
        *self.0.all.lock().unwrap() = Some(answer);
        self
    }

    /// Undoes [`Fake::always`].
    pub fn as_before(&self) {
        *self.0.all.lock().unwrap() = None;
    }

    /// Whether something was said about a path: an exec is then answered here, and refused.
    pub fn refuses(&self, path: &str) -> bool {
        self.0.handlers.lock().unwrap().contains_key(path)
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.0.asked.lock().unwrap().clone()
    }

    pub fn urls(&self) -> Vec<String> {
        self.asked().iter().map(Asked::url).collect()
    }

    /// What is asked from here on is kept alone.
    pub fn forget(&self) {
        self.0.asked.lock().unwrap().clear();
    }

    pub fn live(&self) -> Live {
        self.live_within(Duration::from_secs(5))
    }

    /// A connection whose every request may take so long.
    pub fn live_within(&self, timeout: Duration) -> Live {
        Live::over(Consent::default(), self.clone(), cluster(), timeout, || {
            t(150)
        })
    }

    fn answer(&self, asked: &Asked) -> Answer {
        if let Some(answer) = self.0.all.lock().unwrap().clone() {
            return answer;
        }
        let handler = self.0.handlers.lock().unwrap().get(&asked.path).cloned();
        if let Some(handler) = handler {
            return handler(asked);
        }
        let resource = asked.path.rsplit('/').next().unwrap_or_default();
        if LISTS.iter().any(|(_, list)| *list == resource) {
            list(20_000, &[])
        } else if asked.path == format!("/api/v1/namespaces/{NS}") {
            Answer::Json(json!({"kind": "Namespace", "metadata": {"name": NS}}))
        } else if asked.path.contains("/leases/") {
            let time = t(590).format("%Y-%m-%dT%H:%M:%S");
            Answer::Json(json!({
                "metadata": {"managedFields": [{"manager": "kubelet", "time": format!("{time}Z")}]},
                "spec": {"renewTime": format!("{time}.200000Z")}
            }))
        } else if asked.path == "/version" {
            Answer::Json(json!({"major": "1", "minor": "37", "gitVersion": "v1.37.0"}))
        } else {
            Answer::failure(404, "the server could not find the requested resource")
        }
    }
}

impl tower::Service<Request<Body>> for Fake {
    type Response = Response<Body>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let asked = Asked::of(&request);
        let answer = self.answer(&asked);
        self.0.asked.lock().unwrap().push(asked);
        Box::pin(async move {
            let (code, body) = match answer {
                Answer::Json(value) => (200, value.to_string().into_bytes()),
                Answer::Raw(code, body) => (code, body),
                Answer::Silence => match std::future::pending::<Infallible>().await {},
                Answer::Broken => {
                    return Err(io::Error::new(
                        io::ErrorKind::ConnectionRefused,
                        "connection refused",
                    ));
                }
            };
            Ok(Response::builder().status(code).body(body.into()).unwrap())
        })
    }
}

/// The object that a failure is told with.
pub fn status(code: u16, message: &str) -> Value {
    json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": message, "code": code
    })
}

pub fn list(version: u64, items: &[Value]) -> Answer {
    Answer::Json(json!({
        "kind": "List", "apiVersion": "v1",
        "metadata": {"resourceVersion": version.to_string()}, "items": items
    }))
}

pub fn cluster() -> Cluster {
    Cluster {
        flags: None,
        context: Some("kind-a".to_owned()),
        server: SERVER.to_owned(),
        version: None,
    }
}

pub fn scope() -> Scope {
    Scope {
        namespace: Some(NS.to_owned()),
        ..Scope::default()
    }
}

/// The lists of the namespace.
pub async fn lists(live: &Live) -> Result<Snapshot, SourceError> {
    live.lists(&scope(), &|_| {}).await
}

/// The lists of the namespace, which answer, and then these further reads.
pub async fn read(live: &Live, wants: Vec<Want>) -> Snapshot {
    let mut snapshot = lists(live).await.unwrap();
    answer(live, &mut snapshot, wants).await;
    snapshot
}

pub async fn answer(live: &Live, snapshot: &mut Snapshot, wants: Vec<Want>) {
    let answers = live.answer(snapshot, wants, &|_| {}).await;
    answers.into_snapshot(snapshot);
    live.redact(snapshot);
}
