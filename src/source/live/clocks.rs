//! How far clocks are apart: this machine's from the API server's by the `Date` of its answers, and a node's by its Lease.

use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use chrono::{DateTime, TimeDelta, Utc};
use futures::TryFutureExt;
use futures::future::BoxFuture;
use http::{Request, Response, header::DATE};
use serde::Deserialize;
use tower::{Layer, Service};

use super::Live;
use crate::model::{Ahead, GapReason};
use crate::source::Clock;
use crate::source::convert::time;

/// A kubelet gives up on writing its Lease after so long (`nodeLeaseUpdateTimeout` comes to ten seconds): the API server's
/// time is later than the node's by no more than that. Its retries take a new time.
const LEASE_WRITE: TimeDelta = TimeDelta::seconds(10);

/// This machine's clock, as the answers so far tell it.
#[derive(Debug, Clone)]
pub(super) struct LocalClock {
    ahead: Arc<Mutex<Option<Ahead>>>,
    clock: Clock,
}

impl LocalClock {
    pub(super) fn new(clock: Clock) -> Self {
        Self {
            ahead: Arc::default(),
            clock,
        }
    }

    pub(super) fn ahead(&self) -> Option<Ahead> {
        self.ahead.lock().ok().and_then(|ahead| *ahead)
    }

    /// Takes in an answer that was made between two moments of this machine's clock.
    fn note(&self, sent: DateTime<Utc>, date: &str) {
        let Ok(date) = DateTime::parse_from_rfc2822(date) else {
            return;
        };
        let seen = between(sent, self.clock.now(), date.with_timezone(&Utc));
        if let Ok(mut ahead) = self.ahead.lock() {
            *ahead = Some(narrowed(*ahead, seen));
        }
    }
}

/// How much the local clock is ahead, where an answer with this `Date` (in whole seconds, cut) was made between two local times.
fn between(sent: DateTime<Utc>, got: DateTime<Utc>, date: DateTime<Utc>) -> Ahead {
    Ahead {
        least: sent - (date + TimeDelta::seconds(1)),
        most: got - date,
    }
}

/// What both say; where they contradict each other the clock was set meanwhile, and the later one counts.
fn narrowed(known: Option<Ahead>, seen: Ahead) -> Ahead {
    let Some(known) = known else { return seen };
    let both = Ahead {
        least: known.least.max(seen.least),
        most: known.most.min(seen.most),
    };
    if both.least <= both.most { both } else { seen }
}

impl<S> Layer<S> for LocalClock {
    type Service = Timed<S>;

    fn layer(&self, inner: S) -> Timed<S> {
        Timed {
            inner,
            clock: self.clone(),
        }
    }
}

/// A service whose answers' dates are noted.
#[derive(Debug, Clone)]
pub(super) struct Timed<S> {
    inner: S,
    clock: LocalClock,
}

impl<S, Q, A> Service<Request<Q>> for Timed<S>
where
    S: Service<Request<Q>, Response = Response<A>>,
    S::Future: Send + 'static,
    S::Error: 'static,
    A: 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<S::Response, S::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Q>) -> Self::Future {
        let clock = self.clock.clone();
        let sent = clock.clock.now();
        Box::pin(self.inner.call(request).map_ok(move |answer| {
            let date = answer.headers().get(DATE).and_then(|d| d.to_str().ok());
            date.into_iter().for_each(|date| clock.note(sent, date));
            answer
        }))
    }
}

#[derive(Deserialize)]
struct Lease {
    metadata: LeaseMeta,
    spec: LeaseSpec,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LeaseMeta {
    #[serde(default)]
    managed_fields: Vec<LeaseWrite>,
}

#[derive(Deserialize)]
struct LeaseWrite {
    time: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LeaseSpec {
    renew_time: Option<String>,
}

/// How far a node's clock is ahead: its Lease holds the node's time at the renewal, in microseconds, and in its managed fields
/// the API server's at the write.
pub(super) async fn node(live: &Live, node: &str) -> Result<Ahead, GapReason> {
    let path = format!("/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/{node}");
    let body = live.api.get(&path).await?;
    let lease: Lease =
        serde_json::from_slice(&body).map_err(|error| GapReason::Unreadable(error.to_string()))?;
    of_lease(&lease)
        .ok_or_else(|| GapReason::Unreadable("it tells no time of its write".to_owned()))
}

fn of_lease(lease: &Lease) -> Option<Ahead> {
    let renewed = time(lease.spec.renew_time.as_deref())?;
    let writes = lease.metadata.managed_fields.iter();
    let written = writes.filter_map(|w| time(w.time.as_deref())).max()?;
    Some(Ahead {
        // It was renewed before it was written, within the second that began at that time.
        least: renewed - (written + TimeDelta::seconds(1)),
        most: renewed - written + LEASE_WRITE,
    })
}

#[cfg(test)]
mod tests;
