//! The lists of a scope, all at once: one that fails is a gap and stops no other.

use serde::Deserialize;

use super::Live;
use super::request::JSON;
use crate::model::{Gap, GapReason, Kind, Object, Scope, Snapshot};
use crate::source::convert;
use crate::source::items::Items;
use crate::source::{Progress, SourceError};

/// Metadata alone: the API server leaves `data` out, so no value of a Secret is sent.
const METADATA: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

/// The path of a namespaced resource, of one namespace or of all.
pub(super) fn path(group: &str, namespace: Option<&str>, resource: &str) -> String {
    match namespace {
        Some(namespace) => format!("{group}/namespaces/{namespace}/{resource}"),
        None => format!("{group}/{resource}"),
    }
}

/// How a list is asked for.
struct Form {
    group: &'static str,
    accept: &'static str,
}

fn form(kind: Kind) -> Form {
    let group = match kind {
        Kind::ReplicaSets | Kind::Deployments | Kind::StatefulSets | Kind::DaemonSets => {
            "/apis/apps/v1"
        }
        Kind::EndpointSlices => "/apis/discovery.k8s.io/v1",
        _ => "/api/v1",
    };
    let accept = if kind == Kind::Secrets {
        METADATA
    } else {
        JSON
    };
    Form { group, accept }
}

/// Where a list of a scope is, and in which form it is asked for.
pub(super) fn address(kind: Kind, scope: &Scope) -> (String, &'static str) {
    let Form { group, accept } = form(kind);
    let path = path(group, scope.namespace.as_deref(), kind.resource());
    (path, accept)
}

/// What a list came to.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) count: usize,
    /// Where a watch goes on: that of the first page, since what changed after it the watch tells again.
    pub(super) resource_version: String,
    /// Objects that could not be understood.
    pub(super) gaps: Vec<Gap>,
}

/// Objects of one list at the most: a server that gives without end is not read without end.
const MOST: usize = 2_000_000;

/// Reads one list and gives out its objects as they come, some at a time. Where the server gives it in pieces, all of them.
pub(super) async fn list(
    live: &Live,
    kind: Kind,
    scope: &Scope,
    query: &str,
    each: &mut (dyn FnMut(Vec<Object>) + Send),
) -> Result<Listed, Gap> {
    let (mut listed, mut more) = page(live, kind, scope, query, each).await?;
    let mut came = listed.count + listed.gaps.len();
    while let Some(token) = more {
        let failed = |why: &str| gap(kind, scope, None, GapReason::Unreadable(why.to_owned()));
        if came == 0 {
            return Err(failed("it says that there is more, and gives none of it"));
        }
        if listed.count > MOST {
            return Err(failed("it has no end"));
        }
        let token: String = form_urlencoded::byte_serialize(token.as_bytes()).collect();
        let (next, further) = page(live, kind, scope, &format!("?continue={token}"), each).await?;
        came = next.count + next.gaps.len();
        listed.count += next.count;
        listed.gaps.extend(next.gaps);
        more = further;
    }
    Ok(listed)
}

/// Reads one page of a list, and gives the token of the next one, if there is one.
pub(super) async fn page(
    live: &Live,
    kind: Kind,
    scope: &Scope,
    query: &str,
    each: &mut (dyn FnMut(Vec<Object>) + Send),
) -> Result<(Listed, Option<String>), Gap> {
    let failed = |reason| gap(kind, scope, None, reason);
    let unreadable = |why: String| failed(GapReason::Unreadable(why));
    let (path, accept) = address(kind, scope);
    let mut items = Items::default();
    let mut gaps = Vec::new();
    let mut count = 0;
    let mut take = |piece: &[u8]| {
        let mut objects = Vec::new();
        items.feed(piece, &mut |json| match convert::object(kind, json) {
            Ok(object) => objects.push(live.vault.clean(object)),
            Err((name, why)) => gaps.push(gap(kind, scope, name, GapReason::Unreadable(why))),
        });
        count += objects.len();
        if !objects.is_empty() {
            each(objects);
        }
        match items.is_too_long() {
            true => Err(GapReason::Unreadable("it has no end".to_owned())),
            false => Ok(()),
        }
    };
    let url = format!("{path}{query}");
    live.api
        .pieces(&url, accept, &mut take)
        .await
        .map_err(failed)?;
    let ended = items.ended();
    let around: RawList = serde_json::from_slice(&items.into_rest())
        .map_err(|error| unreadable(convert::no_list(&error)))?;
    if !convert::is_list_of(kind, around.kind.as_deref()) {
        let other = around.kind.unwrap_or_default();
        let other = crate::text::harmless(&other);
        let why = format!("the answer is of another kind: {other}");
        return Err(unreadable(why));
    }
    if !ended && around.items.is_some() {
        return Err(unreadable("the answer is no list".to_owned()));
    }
    let listed = Listed {
        count,
        resource_version: around.metadata.resource_version.unwrap_or_default(),
        gaps,
    };
    let more = around.metadata.more.filter(|token| !token.is_empty());
    Ok((listed, more))
}

/// The list without its items.
#[derive(Deserialize)]
struct RawList {
    kind: Option<String>,
    #[serde(default)]
    metadata: RawListMeta,
    items: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct RawListMeta {
    resource_version: Option<String>,
    #[serde(rename = "continue")]
    more: Option<String>,
}

pub(super) fn gap(kind: Kind, scope: &Scope, name: Option<String>, reason: GapReason) -> Gap {
    Gap {
        verb: "list".to_owned(),
        resource: kind.resource().to_owned(),
        namespace: scope.namespace.clone(),
        name,
        reason,
    }
}

pub(super) async fn read(
    live: &Live,
    scope: &Scope,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Snapshot, SourceError> {
    let lists = Kind::ALL.map(|kind| async move {
        let mut objects = Vec::new();
        let listed = list(live, kind, scope, "", &mut |more| objects.extend(more)).await;
        let resource = kind.resource();
        progress(match &listed {
            Ok(listed) => Progress::Listed {
                resource,
                count: listed.count,
            },
            Err(_) => Progress::Failed { resource },
        });
        // What came of a list that broke off would read as all that there is.
        listed.map(|listed| (objects, listed.gaps))
    });
    let (there, version, lists) = tokio::join!(
        exists(live, scope),
        version(live),
        // On the heap each: side by side they would take more of a thread's stack than it has.
        futures::future::join_all(lists.map(Box::pin)),
    );
    let mut snapshot = Snapshot::empty(live.cluster.clone(), scope.clone(), live.clock.now());
    snapshot.cluster.version = version;
    snapshot.clocks.local = live.local_clock.ahead();
    for list in lists {
        match list {
            Ok((objects, gaps)) => {
                objects.into_iter().for_each(|object| snapshot.add(object));
                snapshot.gaps.extend(gaps);
            }
            Err(gap) => snapshot.gaps.push(gap),
        }
    }
    let nothing = crate::source::nothing_read(&snapshot);
    // What answers 404 to everything is no API server, and tells nothing of namespaces.
    let is_api = |gap: &Gap| gap.reason != GapReason::NotFound;
    if nothing.is_none() || snapshot.gaps.iter().any(is_api) {
        there?;
    }
    nothing.map_or(Ok(snapshot), Err)
}

/// The server's version, where it tells.
pub(super) async fn version(live: &Live) -> Option<String> {
    git_version(&live.api.get("/version").await.ok()?)
}

/// Lists in a namespace that is not there are empty, which would read as "nothing found". Without the right to see
/// namespaces nothing is said.
pub(super) async fn exists(live: &Live, scope: &Scope) -> Result<(), SourceError> {
    let Some(namespace) = &scope.namespace else {
        return Ok(());
    };
    match live
        .api
        .get(&format!("/api/v1/namespaces/{namespace}"))
        .await
    {
        Err(GapReason::NotFound) => Err(SourceError {
            message: format!("{} has no namespace {namespace}.", live.cluster.server),
            hint: Some("See `kubectl get namespaces`; -A reads them all.".to_owned()),
        }),
        _ => Ok(()),
    }
}

fn git_version(body: &[u8]) -> Option<String> {
    let version: serde_json::Value = serde_json::from_slice(body).ok()?;
    Some(version.get("gitVersion")?.as_str()?.to_owned())
}
