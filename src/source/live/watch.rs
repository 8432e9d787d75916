//! Lists each kind, then watches it from there: through lost connections, expired versions, missing rights, and another cluster
//! that answers in place of the one before.

mod keeping;
mod line;
mod same;
mod versions;

use std::time::Duration;

use tokio::sync::mpsc::Sender;
use tokio::time::sleep;

use self::keeping::Keeping;
use self::same::Same;
use super::Live;
use super::lists::page;
use crate::model::{GapReason, Kind, Object, Scope};
use crate::source::{Change, SourceError};

/// How often the server is asked whether it is there, and how long it has for its answer.
const BEAT: Duration = Duration::from_secs(5);
const BEAT_WITHIN: Duration = Duration::from_secs(4);
/// Each so many times it is also asked which cluster it is.
const IDENTITY: u32 = 12;
/// Objects of a long list that are asked for beforehand.
const PEEK: usize = 250;
/// How long the long lists wait for that.
const HEAD_START: Duration = Duration::from_millis(40);

/// Tells everything about a scope until nobody listens.
pub(super) async fn watch(
    live: &Live,
    scope: &Scope,
    changes: Sender<Change>,
) -> Result<(), SourceError> {
    live.api.ready().await?;
    there(live, scope).await?;
    loop {
        let same = Same::new(live);
        // Dropped where another cluster answers: nothing of the one before is told after that.
        let why = tokio::select! {
            () = all(live, scope, &same, &changes) => return Ok(()),
            why = same.ended() => why,
        };
        if changes.send(Change::Anew(why)).await.is_err() {
            return Ok(());
        }
    }
}

/// All that there is of one cluster.
async fn all(live: &Live, scope: &Scope, same: &Same<'_>, changes: &Sender<Change>) {
    let mut peek = Box::pin(peek(live, scope, changes));
    // A head start: once the server works on the long lists, everything else waits.
    let peeked = tokio::time::timeout(HEAD_START, &mut peek).await.is_ok();
    let rest = async {
        if !peeked {
            peek.await;
        }
    };
    tokio::join!(
        rest,
        kinds(same, live, scope, &Kind::ALL, changes, true),
        version(live, changes),
        live.tell_outside(scope, changes),
        beat(same, live, changes),
    );
}

/// Tells all of some kinds alone.
pub(super) async fn only(
    live: &Live,
    scope: &Scope,
    some: &[Kind],
    changes: Sender<Change>,
) -> Result<(), SourceError> {
    there(live, scope).await?;
    let same = Same::new(live);
    // Where none of them can be watched, nothing is waited for.
    tokio::select! {
        () = kinds(&same, live, scope, some, &changes, false) => Ok(()),
        () = beat(&same, live, &changes) => Ok(()),
        why = same.ended() => Err(SourceError {
            message: format!("{}: {why}.", live.cluster.server),
            hint: Some("Start anew: what is seen from now on is not of the same cluster, or not of the same state.".to_owned()),
        }),
    }
}

/// Keeps lists up, until each of them ends. With `patient`, what is refused is tried again.
async fn kinds(
    same: &Same<'_>,
    live: &Live,
    scope: &Scope,
    some: &[Kind],
    changes: &Sender<Change>,
    patient: bool,
) {
    let each = some.iter().map(|kind| {
        let (kind, changes) = (*kind, changes.clone());
        // On the heap: ten of them would not fit on a thread's stack.
        Box::pin(async move {
            let keeping = Keeping::new(same, live, kind, scope, changes);
            keeping.run(patient).await;
        })
    });
    futures::future::join_all(each).await;
}

async fn there(live: &Live, scope: &Scope) -> Result<(), SourceError> {
    // First of all: the lists of a namespace that is not there are empty, and can be watched for ever.
    if let Err(missing) = super::lists::exists(live, scope).await {
        // What answers 404 to everything is no API server, and tells nothing of namespaces.
        if !matches!(live.api.get("/version").await, Err(GapReason::NotFound)) {
            return Err(missing);
        }
    }
    Ok(())
}

/// A server makes the whole answer before it sends a list of ten thousand; some of it can be had at once.
async fn peek(live: &Live, scope: &Scope, changes: &Sender<Change>) {
    if scope.namespace.is_some() {
        return;
    }
    let query = format!("?limit={PEEK}");
    let some = [Kind::ConfigMaps, Kind::Pods].map(|kind| {
        let query = &query;
        async move {
            let mut objects = Vec::new();
            let each = &mut |more: Vec<Object>| objects.extend(more);
            // What cannot be read here is told by the list itself.
            if page(live, kind, scope, query, each).await.is_ok() {
                let _ = changes.send(Change::Peek { kind, objects }).await;
            }
        }
    });
    futures::future::join_all(some).await;
}

async fn version(live: &Live, changes: &Sender<Change>) {
    if let Some(version) = super::lists::version(live).await {
        // The dashboard may have been quit meanwhile, here as below.
        let _ = changes.send(Change::Version(version)).await;
    }
}

/// Asks now and then whether the server is there, and more seldom whether it is the same.
async fn beat(same: &Same<'_>, live: &Live, changes: &Sender<Change>) {
    for beat in 0_u32.. {
        if beat % IDENTITY == 0 {
            // Another one is told where that is waited for.
            same.holds().await;
        }
        if changes.is_closed() {
            return;
        }
        sleep(BEAT).await;
        let answer = tokio::time::timeout(BEAT_WITHIN, live.api.there()).await;
        let told = match answer {
            Ok(answer) => answer.map(|()| live.clock.now()),
            Err(_) => Err(GapReason::TimedOut {
                seconds: BEAT_WITHIN.as_secs(),
            }),
        };
        if let Some(ahead) = live.local_clock.ahead() {
            let _ = changes.send(Change::Clock(ahead)).await;
        }
        let _ = changes.send(Change::Beat(told)).await;
    }
}
