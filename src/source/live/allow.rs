//! What may be sent to a cluster: reads, and each write that was approved, once. It stands in the HTTP client, so that it holds
//! whatever asks.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::task::{Context, Poll};

use futures::future::{Either, Ready, ready};
use http::{Method, Request};
use tower::{BoxError, Layer, Service};

use super::probe::commands;
use crate::source::{Probing, VersionAt};

/// A layer of the HTTP client that lets reads pass and refuses the rest before it leaves.
#[derive(Debug, Clone, Default)]
pub struct ReadOnly {
    consent: Consent,
}

impl ReadOnly {
    /// Also lets pass what the user agrees to, from then on.
    pub fn under(consent: Consent) -> Self {
        Self { consent }
    }
}

/// What the user agreed to, shared by all that send. At first nothing, and read-only for as long as it is there.
#[derive(Debug, Clone, Default)]
pub struct Consent(Arc<Agreed>);

#[derive(Debug, Default)]
struct Agreed {
    probing: RwLock<Probing>,
    /// Writes that may be sent, each once. `None` is read-only, and nothing makes it another.
    passes: Option<Mutex<Vec<Pass>>>,
}

/// A request that may be sent once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pass {
    pub(super) method: Method,
    /// With its query.
    pub(super) path: String,
}

impl Consent {
    /// One under which what is approved can be written, or nothing.
    pub fn new(acts: bool) -> Self {
        Self(Arc::new(Agreed {
            passes: acts.then(Mutex::default),
            ..Agreed::default()
        }))
    }

    pub fn set(&self, probing: Probing) {
        *self
            .0
            .probing
            .write()
            .unwrap_or_else(PoisonError::into_inner) = probing;
    }

    pub(super) fn get(&self) -> Probing {
        let probing = self.0.probing.read();
        probing.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn passes(&self) -> Option<MutexGuard<'_, Vec<Pass>>> {
        let passes = self.0.passes.as_ref()?;
        Some(passes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn acts(&self) -> bool {
        self.0.passes.is_some()
    }

    /// Lets a request pass once, as long as what is given back is kept. `None` where the session is read-only.
    pub(super) fn let_pass(&self, pass: Pass) -> Option<Passing> {
        self.passes()?.push(pass.clone());
        Some(Passing {
            consent: self.clone(),
            pass,
        })
    }

    /// Whether a request may pass; it may not a second time.
    fn takes(&self, method: &Method, path: &str) -> bool {
        let Some(mut passes) = self.passes() else {
            return false;
        };
        let at = passes
            .iter()
            .position(|pass| pass.method == *method && pass.path == path);
        at.map(|at| passes.swap_remove(at)).is_some()
    }
}

/// A pass that was given; dropped, it holds no longer.
#[derive(Debug)]
pub(super) struct Passing {
    consent: Consent,
    pass: Pass,
}

impl Drop for Passing {
    fn drop(&mut self) {
        self.consent.takes(&self.pass.method, &self.pass.path);
    }
}

/// A request that was refused here.
#[derive(Debug, thiserror::Error)]
#[error(
    "refused before it was sent: {method} {path} is neither a read that is allowed nor a write that was approved"
)]
struct Refused {
    method: Method,
    path: String,
}

/// Subresources of pods, services and nodes that act although the method is GET.
const ACTING: [&str; 4] = ["exec", "attach", "portforward", "proxy"];
/// Reviews of the asker's own rights: a POST that stores nothing.
const REVIEWS: [&str; 2] = ["selfsubjectaccessreviews", "selfsubjectrulesreviews"];

/// Whether a request only reads, in the way that the user agreed to. A path with an escaped character or a dot segment is
/// none of ours: what it comes to is decided only behind us.
fn allowed(method: &Method, path: &str, query: Option<&str>, agreed: &Probing) -> bool {
    if !is_sound(path) {
        return false;
    }
    if *method == Method::GET {
        return !acts(path) || probes(path, query, agreed);
    }
    *method == Method::POST
        && path.starts_with("/apis/authorization.k8s.io/")
        && path
            .rsplit('/')
            .next()
            .is_some_and(|last| REVIEWS.contains(&last))
}

fn is_sound(path: &str) -> bool {
    !path.contains('%') && !path.split('/').any(|s| s == "." || s == "..")
}

/// `…/{pods|services|nodes}/NAME/{exec|…}`: an object may be called "proxy", its subresource may not.
fn acts(path: &str) -> bool {
    let segments: Vec<&str> = path.split('/').filter(|s| !s.is_empty()).collect();
    segments.windows(3).any(|w| {
        matches!(w, [kind, _, sub] if matches!(*kind, "pods" | "services" | "nodes") && ACTING.contains(sub))
    })
}

/// Whether it is a probe that the user agreed to: a command of the fixed list, or exactly the request of `--version-at`.
fn probes(path: &str, query: Option<&str>, agreed: &Probing) -> bool {
    let segments: Vec<&str> = path.splitn(8, '/').collect();
    let &["", "api", "v1", "namespaces", namespace, "pods", pod, what] = segments.as_slice() else {
        return false;
    };
    if !is_name(namespace) {
        return false;
    }
    match (what, &agreed.version_at) {
        ("exec", _) => agreed.exec && is_name(pod) && runs_listed(query.unwrap_or_default()),
        (proxy, Some(at)) => query.is_none() && is_version(pod, proxy, at),
        _ => false,
    }
}

/// `NAME:PORT` and `proxy/PATH`.
fn is_version(pod: &str, proxy: &str, at: &VersionAt) -> bool {
    let asked = pod.split_once(':');
    asked.is_some_and(|(name, port)| is_name(name) && port == at.port.to_string())
        && proxy.strip_prefix("proxy") == Some(at.path.as_str())
}

/// A command of the fixed list in one container, its output read, and nothing attached that could be written to.
fn runs_listed(query: &str) -> bool {
    let mut argv = Vec::new();
    let mut containers = 0;
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        match (&*name, &*value) {
            ("command", word) => argv.push(word.to_owned()),
            ("container", container) if is_name(container) => containers += 1,
            ("stdout" | "stderr", "true") => {}
            _ => return false,
        }
    }
    containers == 1 && commands::is_listed(&argv)
}

/// A name as objects have it: small letters, digits, dashes and dots.
fn is_name(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'.';
    !text.is_empty() && text.bytes().all(plain)
}

impl<S> Layer<S> for ReadOnly {
    type Service = Guarded<S>;

    fn layer(&self, inner: S) -> Guarded<S> {
        Guarded {
            inner,
            consent: self.consent.clone(),
        }
    }
}

/// A service behind the allow-list.
#[derive(Debug, Clone)]
pub struct Guarded<S> {
    inner: S,
    consent: Consent,
}

impl<S, B> Service<Request<B>> for Guarded<S>
where
    S: Service<Request<B>>,
    S::Error: Into<BoxError>,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = Either<
        futures::future::MapErr<S::Future, fn(S::Error) -> BoxError>,
        Ready<Result<S::Response, BoxError>>,
    >;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        use futures::TryFutureExt;
        let (path, query) = (request.uri().path(), request.uri().query());
        let method = request.method();
        let passes = || {
            let whole = request.uri().path_and_query();
            whole.is_some_and(|whole| is_sound(path) && self.consent.takes(method, whole.as_str()))
        };
        if allowed(method, path, query, &self.consent.get()) || passes() {
            let into: fn(S::Error) -> BoxError = Into::into;
            Either::Left(self.inner.call(request).map_err(into))
        } else {
            let refused = Refused {
                method: request.method().clone(),
                path: path.to_owned(),
            };
            Either::Right(ready(Err(refused.into())))
        }
    }
}

#[cfg(test)]
mod tests;
