//! What may be sent to a cluster: reads, and nothing else. It stands in the HTTP client, so that it holds whatever asks.

use std::task::{Context, Poll};

use futures::future::{Either, Ready, ready};
use http::{Method, Request};
use tower::{BoxError, Layer, Service};

/// A layer of the HTTP client that lets reads pass and refuses the rest before it leaves.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadOnly;

/// A request that was refused here.
#[derive(Debug, thiserror::Error)]
#[error("refused before it was sent: {method} {path} is not among the reads that are allowed")]
struct Refused {
    method: Method,
    path: String,
}

/// Subresources of pods, services and nodes that act although the method is GET.
const ACTING: [&str; 4] = ["exec", "attach", "portforward", "proxy"];
/// Reviews of the asker's own rights: a POST that stores nothing.
const REVIEWS: [&str; 2] = ["selfsubjectaccessreviews", "selfsubjectrulesreviews"];

/// Whether a request only reads. A path with an escaped character or a dot segment is none of ours: what it comes to is
/// decided only behind us.
fn allowed(method: &Method, path: &str) -> bool {
    if path.contains('%') || path.split('/').any(|s| s == "." || s == "..") {
        return false;
    }
    if *method == Method::GET {
        return !acts(path);
    }
    *method == Method::POST
        && path.starts_with("/apis/authorization.k8s.io/")
        && path
            .rsplit('/')
            .next()
            .is_some_and(|last| REVIEWS.contains(&last))
}

/// `…/{pods|services|nodes}/NAME/{exec|…}`: an object may be called "proxy", its subresource may not.
fn acts(path: &str) -> bool {
    let segments: Vec<&str> = path.split('/').filter(|s| !s.is_empty()).collect();
    segments.windows(3).any(|w| {
        matches!(w, [kind, _, sub] if matches!(*kind, "pods" | "services" | "nodes") && ACTING.contains(sub))
    })
}

impl<S> Layer<S> for ReadOnly {
    type Service = Guarded<S>;

    fn layer(&self, inner: S) -> Guarded<S> {
        Guarded { inner }
    }
}

/// A service behind the allow-list.
#[derive(Debug, Clone)]
pub struct Guarded<S> {
    inner: S,
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
        let path = request.uri().path();
        if allowed(request.method(), path) {
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
