//! The lists of a scope, all at once: one that fails is a gap and stops no other.

use std::collections::BTreeSet;

use serde::de::DeserializeOwned;

use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, StatefulSet};
use k8s_openapi::api::core::v1::Service as ServiceObject;
use k8s_openapi::api::discovery::v1::EndpointSlice;

use super::Live;
use crate::model::{Gap, GapReason, Scope, Snapshot};
use crate::source::convert::{
    self, ConfigMapObject, EventObject, PartialSecret, PodObject, ReplicaSetObject, list,
};
use crate::source::{Progress, SourceError};

/// Metadata alone: the API server leaves `data` out, so no value of a Secret is sent.
const METADATA: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
const JSON: &str = "application/json";

/// The path of a namespaced resource, of one namespace or of all.
pub(super) fn path(group: &str, namespace: Option<&str>, resource: &str) -> String {
    match namespace {
        Some(namespace) => format!("{group}/namespaces/{namespace}/{resource}"),
        None => format!("{group}/{resource}"),
    }
}

struct Reader<'a> {
    live: &'a Live,
    namespace: Option<&'a str>,
    progress: &'a (dyn Fn(Progress) + Send + Sync),
}

impl Reader<'_> {
    fn gap(&self, resource: &str, name: Option<String>, reason: GapReason) -> Gap {
        Gap {
            verb: "list".to_owned(),
            resource: resource.to_owned(),
            namespace: self.namespace.map(str::to_owned),
            name,
            reason,
        }
    }

    /// Reads one list and turns its objects into facts.
    async fn list<T: DeserializeOwned, F>(
        &self,
        (group, resource): (&str, &'static str),
        accept: &str,
        convert: impl Fn(T) -> F,
    ) -> (Vec<F>, Vec<Gap>) {
        let path = path(group, self.namespace, resource);
        let body = match self.live.api.get_as(&path, accept).await {
            Ok(body) => body,
            Err(reason) => {
                (self.progress)(Progress::Failed { resource });
                return (Vec::new(), vec![self.gap(resource, None, reason)]);
            }
        };
        match list::<T>(&body) {
            Ok(found) => {
                (self.progress)(Progress::Listed {
                    resource,
                    count: found.items.len(),
                });
                let bad = found.bad.into_iter();
                let gaps = bad
                    .map(|(name, why)| self.gap(resource, name, GapReason::Unreadable(why)))
                    .collect();
                (found.items.into_iter().map(convert).collect(), gaps)
            }
            Err(why) => {
                (self.progress)(Progress::Failed { resource });
                (
                    Vec::new(),
                    vec![self.gap(resource, None, GapReason::Unreadable(why))],
                )
            }
        }
    }
}

const CORE: &str = "/api/v1";
const APPS: &str = "/apis/apps/v1";
const DISCOVERY: &str = "/apis/discovery.k8s.io/v1";
/// How many lists there are: when all of them fail, nothing was read.
const LISTS: usize = 10;

pub(super) async fn read(
    live: &Live,
    scope: &Scope,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Snapshot, SourceError> {
    let r = Reader {
        live,
        namespace: scope.namespace.as_deref(),
        progress,
    };
    let (
        there,
        version,
        maps,
        secrets,
        pods,
        sets,
        deployments,
        stateful,
        daemons,
        services,
        slices,
        events,
    ) = tokio::join!(
        exists(live, scope),
        live.api.get("/version"),
        r.list::<ConfigMapObject, _>((CORE, "configmaps"), JSON, convert::config_map),
        r.list::<PartialSecret, _>((CORE, "secrets"), METADATA, |s| convert::secret_metadata(
            &s
        )),
        r.list::<PodObject, _>((CORE, "pods"), JSON, convert::pod),
        r.list::<ReplicaSetObject, _>((APPS, "replicasets"), JSON, |s| convert::replica_set(&s)),
        r.list::<Deployment, _>((APPS, "deployments"), JSON, |d| convert::deployment(&d)),
        r.list::<StatefulSet, _>((APPS, "statefulsets"), JSON, |s| convert::stateful_set(&s)),
        r.list::<DaemonSet, _>((APPS, "daemonsets"), JSON, |d| convert::daemon_set(&d)),
        r.list::<ServiceObject, _>((CORE, "services"), JSON, |s| convert::service(&s)),
        r.list::<EndpointSlice, _>((DISCOVERY, "endpointslices"), JSON, |e| convert::endpoints(
            &e
        )),
        r.list::<EventObject, _>((CORE, "events"), JSON, convert::event),
    );
    there?;
    let mut snapshot = Snapshot::empty(live.cluster.clone(), scope.clone(), (live.clock)());
    snapshot.cluster.version = version.ok().and_then(|body| git_version(&body));
    let gaps = &mut snapshot.gaps;
    snapshot.configs = kept(maps, gaps);
    snapshot.configs.extend(kept(secrets, gaps));
    snapshot.pods = kept(pods, gaps);
    for found in [sets, deployments, stateful, daemons] {
        snapshot.workloads.extend(kept(found, gaps));
    }
    snapshot.services = kept(services, gaps);
    snapshot.endpoints = kept(slices, gaps).into_iter().flatten().collect();
    snapshot.events = kept(events, gaps);
    nothing_read(&snapshot).map_or(Ok(snapshot), Err)
}

/// The facts of a list; its gaps go where all gaps go.
fn kept<F>((facts, found): (Vec<F>, Vec<Gap>), gaps: &mut Vec<Gap>) -> Vec<F> {
    gaps.extend(found);
    facts
}

/// Lists in a namespace that is not there are empty, which would read as "nothing found". Without the right to see
/// namespaces nothing is said.
async fn exists(live: &Live, scope: &Scope) -> Result<(), SourceError> {
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

/// The error where no list at all was answered.
fn nothing_read(snapshot: &Snapshot) -> Option<SourceError> {
    let failed: BTreeSet<&str> = snapshot
        .gaps
        .iter()
        .map(|gap| gap.resource.as_str())
        .collect();
    let empty =
        snapshot.configs.is_empty() && snapshot.pods.is_empty() && snapshot.events.is_empty();
    if failed.len() < LISTS || !empty {
        return None;
    }
    let server = &snapshot.cluster.server;
    let place = snapshot.scope.namespace.as_ref().map_or_else(
        || "any namespace".to_owned(),
        |ns| format!("namespace {ns}"),
    );
    let (message, hint) = match &snapshot.gaps.first()?.reason {
        GapReason::Unauthorized => (
            format!("{server} does not accept the login."),
            "It is missing or has expired: log in, then try again.".to_owned(),
        ),
        GapReason::Forbidden => (
            format!("Nothing may be listed in {place} of {server}."),
            "Name a namespace that you may read with -n, or ask for the right to list pods and configmaps.".to_owned(),
        ),
        GapReason::TimedOut { seconds } => (
            format!("{server} did not answer in {seconds} s."),
            "See whether `kubectl get namespaces` answers, and raise --request-timeout if it is slow.".to_owned(),
        ),
        GapReason::Connection(why) => (
            format!("{server} cannot be read: {why}."),
            "See whether `kubectl get namespaces` answers.".to_owned(),
        ),
        GapReason::Status { code, message } => (
            format!("{server} answered {code}: {message}."),
            "See whether `kubectl get namespaces` answers.".to_owned(),
        ),
        _ => (
            format!("{server} answered nothing that can be read."),
            "See whether this is the address of a Kubernetes API server.".to_owned(),
        ),
    };
    Some(SourceError {
        message,
        hint: Some(hint),
    })
}
