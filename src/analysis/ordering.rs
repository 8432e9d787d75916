//! Whether a container started before or after an edit, and how that is known.

use chrono::{DateTime, TimeDelta, Utc};

use super::evidence::{Book, show_pods_at};
use super::incident::Grade;
use super::names::when;
use super::revisions::Edit;
use crate::model::{Container, ContainerState, Pod, Snapshot};

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

/// Across two clocks, times closer than this say nothing.
const CLOCKS_APART: TimeDelta = TimeDelta::seconds(2);

/// When the container that runs now, or tried last, was started.
pub(crate) fn started_at(container: &Container) -> Option<DateTime<Utc>> {
    let status = container.status.as_ref()?;
    match &status.state {
        ContainerState::Running { started_at } => *started_at,
        ContainerState::Terminated(end) => end.started_at,
        ContainerState::Waiting { .. } | ContainerState::Unknown => {
            status.last.as_ref().and_then(|end| end.started_at)
        }
    }
}

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
            let id = running_id(then.containers.iter().find(|c| c.name == container.name)?)?;
            if Some(id) != running_id(container) {
                return None;
            }
            (
                Side::Before,
                format!("pod {} ran container {id} already", pod.reference.name),
                "this very container ran already when the edit was written",
            )
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

fn running_id(container: &Container) -> Option<&str> {
    let status = container.status.as_ref()?;
    matches!(status.state, ContainerState::Running { .. })
        .then_some(status.container_id.as_deref())
        .flatten()
}

fn by_times(snapshot: &Snapshot, pod: &Pod, container: &Container, edit: &Edit) -> Relation {
    let now = snapshot.now();
    let result = |side, why: String, new_pod, after_by| Relation {
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
    };
    let edited = when(&edit.at, now);
    // Both on the API server's clock, in whole seconds: `latest` is the end of the edit's second.
    if let (Some(created), Some(latest)) = (pod.created, edit.at.latest)
        && created >= latest
    {
        let why = format!(
            "the pod was created {}, after the edit {edited}",
            at(created, now)
        );
        return result(Side::After, why, true, Some(created - latest));
    }
    let Some(started) = started_at(container) else {
        return result(
            Side::Unclear,
            "the container's start is not reported".to_owned(),
            false,
            None,
        );
    };
    if let Some(earliest) = edit.at.earliest
        && started + TimeDelta::seconds(1) + CLOCKS_APART < earliest
    {
        let why = format!("it started {}, before the edit {edited}", at(started, now));
        return result(Side::Before, why, false, None);
    }
    if let Some(latest) = edit.at.latest
        && started > latest + CLOCKS_APART
    {
        let why = format!("it started {}, after the edit {edited}", at(started, now));
        return result(Side::After, why, false, Some(started - latest));
    }
    let why = format!(
        "ambiguous: it started {}, the edit was {edited}, and the two clocks may differ",
        at(started, now)
    );
    result(Side::Unclear, why, false, None)
}

fn at(moment: DateTime<Utc>, now: DateTime<Utc>) -> String {
    format!("at {}", super::names::clock_time(moment, now))
}
