//! What becomes of an object that is deleted: it goes, or is marked until its kubelet, a finalizer or its content lets it go.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use super::managed::seconds;
use super::{Deletion, Key};
use crate::sim::status::Failure;

pub(super) enum Outcome {
    Gone,
    Marked(Value),
}

/// What a delete demands of the object that is there.
pub(super) fn preconditions(key: &Key, live: &Value, how: &Deletion) -> Result<(), Failure> {
    let meta = |name: &str| live["metadata"][name].as_str().unwrap_or_default();
    let failed = |what: &str, wanted: &str, live: &str| {
        let why = format!(
            "Precondition failed: {what} in precondition: {wanted}, {what} in object meta: {live}"
        );
        Err(Failure::conflict_because(key, &why))
    };
    if let Some(uid) = &how.uid
        && uid != meta("uid")
    {
        return failed("UID", uid, meta("uid"));
    }
    if let Some(version) = &how.resource_version
        && version != meta("resourceVersion")
    {
        return failed("ResourceVersion", version, meta("resourceVersion"));
    }
    Ok(())
}

pub(super) fn outcome(
    key: &Key,
    live: &Value,
    how: &Deletion,
    now: DateTime<Utc>,
) -> Result<Outcome, Failure> {
    if key.resource.kind == "Namespace" {
        return namespace(key, live, now);
    }
    let grace = if key.resource.kind == "Pod" {
        grace(live, how)
    } else {
        0
    };
    if grace == 0 && live["metadata"].get("finalizers").is_none() {
        return Ok(Outcome::Gone);
    }
    let marked_already = live["metadata"].get("deletionTimestamp").is_some();
    let before = live["metadata"]["deletionGracePeriodSeconds"].as_i64();
    // A second delete can only make it sooner.
    if marked_already && before.is_none_or(|before| before <= grace) {
        return Ok(Outcome::Marked(live.clone()));
    }
    Ok(Outcome::Marked(marked(live, grace, now)))
}

/// How long a pod gets to stop. One on no node, or that has ended, needs no time.
fn grace(pod: &Value, how: &Deletion) -> i64 {
    let on_node = pod["spec"]["nodeName"]
        .as_str()
        .is_some_and(|n| !n.is_empty());
    let ended = matches!(
        pod["status"]["phase"].as_str(),
        Some("Succeeded" | "Failed")
    );
    if !on_node || ended {
        return 0;
    }
    let own = || pod["spec"]["terminationGracePeriodSeconds"].as_i64();
    how.grace.or_else(own).unwrap_or(30).max(0)
}

fn marked(live: &Value, grace: i64, now: DateTime<Utc>) -> Value {
    let mut marked = live.clone();
    let meta = &mut marked["metadata"];
    meta["deletionTimestamp"] = json!(seconds(now + TimeDelta::seconds(grace)));
    meta["deletionGracePeriodSeconds"] = json!(grace);
    if let Some(generation) = meta["generation"].as_i64() {
        meta["generation"] = json!(generation + 1);
    }
    marked
}

fn namespace(key: &Key, live: &Value, now: DateTime<Utc>) -> Result<Outcome, Failure> {
    if live["metadata"].get("deletionTimestamp").is_some() {
        return Err(Failure::conflict_because(
            key,
            "The system is ensuring all content is removed from this namespace.  Upon completion, this namespace will automatically be purged by the system.",
        ));
    }
    let mut marked = live.clone();
    marked["metadata"]["deletionTimestamp"] = json!(seconds(now));
    marked["status"]["phase"] = json!("Terminating");
    Ok(Outcome::Marked(marked))
}

/// Whether an object that is marked has nothing left that holds it.
pub(super) fn is_over(key: &Key, object: &Value) -> bool {
    let meta = &object["metadata"];
    let held = |finalizers: &Value| finalizers.as_array().is_some_and(|f| !f.is_empty());
    meta.get("deletionTimestamp").is_some()
        && meta["deletionGracePeriodSeconds"].as_i64().unwrap_or(0) == 0
        && !held(&meta["finalizers"])
        && !(key.resource.kind == "Namespace" && held(&object["spec"]["finalizers"]))
}

/// Nothing new comes into a namespace that goes.
pub(super) fn terminating(key: &Key, namespace: &str) -> Failure {
    let message = format!(
        "{} \"{}\" is forbidden: unable to create new content in namespace {namespace} because it is being terminated",
        key.resource.qualified(),
        key.name
    );
    let mut details = json!({
        "name": key.name,
        "kind": key.resource.plural,
        "causes": [{
            "reason": "NamespaceTerminating",
            "message": format!("namespace {namespace} is being terminated"),
            "field": "metadata.namespace",
        }],
    });
    if !key.resource.group.is_empty() {
        details["group"] = json!(key.resource.group);
    }
    Failure::new(403, "Forbidden", message).with_details(details)
}
