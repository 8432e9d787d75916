//! Whether a container started before or after an edit, and how that is known.

use chrono::{DateTime, TimeDelta, Utc};

use super::evidence::{Book, show_pods_at};
use super::incident::Grade;
use super::names::when;
use super::revisions::Edit;
use crate::model::{Container, ContainerKind, ContainerState, Pod, Snapshot};

/// Which side of an edit a container's start is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    After,
    /// Too close to tell, or the times are missing.
    Unclear,
}

/// A side with its grade and reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Relation {
    pub(crate) side: Side,
    pub(crate) grade: Grade,
    pub(crate) why: String,
    pub(crate) evidence: Vec<usize>,
    /// The pod itself is younger than the edit, so nothing in it can have seen what was before.
    pub(crate) new_pod: bool,
    /// The container started at least so long after the edit.
    pub(crate) after_by: Option<TimeDelta>,
}

/// Times are cut to whole seconds.
const SECOND: TimeDelta = TimeDelta::seconds(1);

/// Across two clocks, times closer than this say nothing.
const CLOCKS_APART: TimeDelta = TimeDelta::seconds(2);

/// Which side of `edit` the start of this container is on: by order where the pods at the edit are known, else by times.
pub(crate) fn relation(
    snapshot: &Snapshot,
    pod: &Pod,
    container: &Container,
    edit: &Edit,
    book: &mut Book<'_>,
) -> Relation {
    by_order(snapshot, pod, container, edit, book)
        .unwrap_or_else(|| by_times(snapshot, pod, container, edit))
}

fn by_order(
    snapshot: &Snapshot,
    pod: &Pod,
    container: &Container,
    edit: &Edit,
    book: &mut Book<'_>,
) -> Option<Relation> {
    let version = edit.resource_version.as_ref()?;
    let namespace = &pod.reference.namespace;
    let at = snapshot
        .pods_at
        .iter()
        .find(|p| p.namespace == *namespace && p.resource_version == *version)?;
    let then = at
        .pods
        .iter()
        .find(|p| p.reference.uid == pod.reference.uid);
    let (side, excerpt, why) = match then {
        None => (
            Side::After,
            format!(
                "pod {} is not among the {} pods",
                pod.reference.name,
                at.pods.len()
            ),
            "the pod did not exist when the edit was written",
        ),
        Some(then) => {
            let id = run_id(then.container(&container.name)?)?;
            if Some(id) != run_id(container) {
                return None;
            }
            let (did, why) = if container.kind == ContainerKind::Init {
                (
                    "had ended",
                    "this init container had ended already when the edit was written",
                )
            } else {
                (
                    "ran already",
                    "this very container ran already when the edit was written",
                )
            };
            let excerpt = format!("pod {}: container {id} {did}", pod.reference.name);
            (Side::Before, excerpt, why)
        }
    };
    let number = book.add(
        format!("Pods at resourceVersion {version}, that of the edit"),
        &show_pods_at(namespace, version),
        at.read_at,
        excerpt,
    );
    Some(Relation {
        side,
        grade: Grade::Ordered,
        why: why.to_owned(),
        evidence: vec![number],
        new_pod: side == Side::After,
        after_by: None,
    })
}

/// The run that took what it takes: the one that runs, or of an init container the one that ended.
fn run_id(container: &Container) -> Option<&str> {
    let status = container.status.as_ref()?;
    let over = match (&status.state, container.kind) {
        (ContainerState::Terminated(_), ContainerKind::Init) => true,
        (ContainerState::Running { .. }, ContainerKind::Init) => false,
        (state, _) => matches!(state, ContainerState::Running { .. }),
    };
    over.then_some(status.container_id.as_deref()).flatten()
}

/// When it had taken everything that it takes: at its start, or of an init container at its end.
pub(crate) fn taken_by(container: &Container) -> Option<DateTime<Utc>> {
    let status = container.status.as_ref()?;
    match (&status.state, container.kind) {
        (ContainerState::Terminated(end), ContainerKind::Init) => end.finished_at,
        (_, ContainerKind::Init) => None,
        _ => container.started_at(),
    }
}

/// By how much a node's clock may be ahead of the API server's, least and most. Where its Lease says that they agree, or nothing
/// is known, nought; else anything between nought and what the Lease says: it is not known since when.
fn ahead(snapshot: &Snapshot, pod: &Pod) -> (TimeDelta, TimeDelta) {
    let nodes = &snapshot.clocks.nodes;
    let known = pod.node.as_ref().and_then(|node| nodes.get(node));
    let (least, most) = known.map_or((TimeDelta::zero(), TimeDelta::zero()), |a| {
        (a.least, a.most)
    });
    // A Lease that was written late looks like a clock that is behind, and the other way round: only what cannot be more than whole
    // seconds and two clocks hide counts as agreeing.
    let behind = least + SECOND + CLOCKS_APART < TimeDelta::zero();
    if least <= TimeDelta::zero() && most >= TimeDelta::zero() && !behind {
        (TimeDelta::zero(), TimeDelta::zero())
    } else {
        (least.min(TimeDelta::zero()), most.max(TimeDelta::zero()))
    }
}

/// Whether a node's clock is known to agree with the API server's.
pub(crate) fn clock_known(snapshot: &Snapshot, pod: &Pod) -> bool {
    let node = pod.node.as_ref();
    let known = node.and_then(|node| snapshot.clocks.nodes.get(node));
    known.is_some() && ahead(snapshot, pod) == (TimeDelta::zero(), TimeDelta::zero())
}

/// A relation as the times tell it.
fn timed(side: Side, why: String, new_pod: bool, after_by: Option<TimeDelta>) -> Relation {
    Relation {
        side,
        grade: if side == Side::Unclear {
            Grade::Unknown
        } else {
            Grade::Inferred
        },
        why,
        evidence: Vec::new(),
        new_pod,
        after_by,
    }
}

fn by_times(snapshot: &Snapshot, pod: &Pod, container: &Container, edit: &Edit) -> Relation {
    by_server(snapshot, pod, container, edit)
        .unwrap_or_else(|| across_clocks(snapshot, pod, container, edit))
}

/// By times of the API server's clock alone, all in whole seconds: an edit's `latest` is the end of its second.
fn by_server(
    snapshot: &Snapshot,
    pod: &Pod,
    container: &Container,
    edit: &Edit,
) -> Option<Relation> {
    let now = snapshot.now();
    let edited = when(&edit.at, now);
    if let (Some(created), Some(latest)) = (pod.created, edit.at.latest)
        && created >= latest
    {
        let why = format!(
            "the pod was created {}, after the edit {edited}",
            at(created, now)
        );
        return Some(timed(Side::After, why, true, Some(created - latest)));
    }
    // The status that shows this run was written by then.
    if let (Some(reported), Some(earliest), Some(_)) =
        (pod.reported, edit.at.earliest, run_id(container))
        && reported + TimeDelta::seconds(1) <= earliest
    {
        let why = format!(
            "the pod's status, written {}, shows this run before the edit {edited}",
            at(reported, now)
        );
        return Some(timed(Side::Before, why, false, None));
    }
    None
}

fn across_clocks(snapshot: &Snapshot, pod: &Pod, container: &Container, edit: &Edit) -> Relation {
    let now = snapshot.now();
    let edited = when(&edit.at, now);
    let (Some(started), Some(taken)) = (container.started_at(), taken_by(container)) else {
        let why = "the container's start is not reported".to_owned();
        return timed(Side::Unclear, why, false, None);
    };
    let (least, most) = ahead(snapshot, pod);
    if let Some(earliest) = edit.at.earliest
        && taken - least + SECOND + CLOCKS_APART < earliest
    {
        let why = format!("it started {}, before the edit {edited}", at(started, now));
        return timed(Side::Before, why, false, None);
    }
    if let Some(latest) = edit.at.latest
        && started - most > latest + CLOCKS_APART
    {
        let why = format!("it started {}, after the edit {edited}", at(started, now));
        return timed(Side::After, why, false, Some(started - most - latest));
    }
    let apart = most - least;
    let clocks = if apart > CLOCKS_APART {
        format!("the two clocks differ by {} s", apart.num_seconds())
    } else {
        "the two clocks may differ".to_owned()
    };
    let why = format!(
        "ambiguous: it started {}, the edit was {edited}, and {clocks}",
        at(started, now)
    );
    timed(Side::Unclear, why, false, None)
}

fn at(moment: DateTime<Utc>, now: DateTime<Utc>) -> String {
    format!("at {}", super::names::clock_time(moment, now))
}
