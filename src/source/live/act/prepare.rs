//! What is looked at before anything is written: rights by review, each write as a dry run, and what may be in the way.

use std::collections::BTreeSet;

use futures::future::join_all;
use http::Request;
use serde_json::{Value, json};

use super::reading::{all, one};
use super::{JSON, Live, Run, run};
use crate::remedy::{Budget, Prepared, Quota, Rehearsal, Right, Write, WriteError};

pub(in crate::source::live) async fn prepare(
    live: &Live,
    meant: Vec<Write>,
) -> Result<Prepared, WriteError> {
    if !live.consent.acts() {
        return Err(WriteError::ReadOnly("--read-only, or the settings"));
    }
    let rights: BTreeSet<Right> = meant.iter().map(Write::right).collect();
    let asked = rights.into_iter().map(|right| async move {
        let has = review(live, &right).await;
        (right, has)
    });
    let rehearse = meant.iter().map(|write| async move {
        Rehearsal {
            outcome: run(live, write, Run::Dry).await,
            write: write.clone(),
        }
    });
    let namespace = meant.first().map_or("", Write::namespace);
    let (rights, rehearsals, saved, budgets, quotas, scalers) = futures::join!(
        join_all(asked),
        join_all(rehearse),
        saved(live, &meant),
        budgets(live, namespace),
        quotas(live, namespace),
        scalers(live, namespace, &meant),
    );
    Ok(Prepared {
        rights,
        saved,
        rehearsals,
        budgets,
        quotas,
        scalers,
    })
}

/// Whether the user has a right, by a review of their own.
async fn review(live: &Live, right: &Right) -> Option<bool> {
    let (resource, subresource) = match right.resource.split_once('/') {
        Some((resource, sub)) => (resource, sub),
        None => (right.resource, ""),
    };
    let body = json!({
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": {
            "verb": right.verb, "group": right.group, "resource": resource, "subresource": subresource,
            "namespace": right.namespace, "name": right.name,
        }},
    });
    let request = Request::post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews")
        .header(http::header::CONTENT_TYPE, JSON)
        .header(http::header::ACCEPT, JSON)
        .body(body.to_string().into_bytes())
        .ok()?;
    let bytes = live.api.once(request).await.ok()?;
    let answer: Value = serde_json::from_slice(&bytes).ok()?;
    answer["status"]["allowed"].as_bool()
}

/// The object whose content is to be written, whole.
async fn saved(live: &Live, meant: &[Write]) -> Option<String> {
    let (config, write) = meant.iter().find_map(|write| match write {
        Write::Content { config, .. } => Some((config, write)),
        _ => None,
    })?;
    let path = format!("/api/v1/namespaces/{}/configmaps", config.namespace);
    let mut object = one(live, &path, &config.name, write).await.ok()?;
    // Those of a list say neither.
    object["apiVersion"] = json!("v1");
    object["kind"] = json!("ConfigMap");
    Some(object.to_string())
}

async fn budgets(live: &Live, namespace: &str) -> Option<Vec<Budget>> {
    let path = format!("/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets");
    let items = all(live, &path).await?;
    let budget = |item: &Value| Budget {
        name: item["metadata"]["name"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
        labels: item["spec"]["selector"]["matchLabels"]
            .as_object()
            .into_iter()
            .flatten()
            .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
            .collect(),
        allowed: item["status"]["disruptionsAllowed"].as_i64().unwrap_or(0),
    };
    Some(items.iter().map(budget).collect())
}

/// Those that leave no room for one more pod.
async fn quotas(live: &Live, namespace: &str) -> Option<Vec<Quota>> {
    let path = format!("/api/v1/namespaces/{namespace}/resourcequotas");
    let items = all(live, &path).await?;
    let quota = |item: &Value| {
        let hard = item["status"]["hard"].as_object()?;
        let used = &item["status"]["used"];
        let full = hard.iter().filter_map(|(what, most)| {
            let used = used[what].as_str()?;
            (Some(used) == most.as_str()).then(|| format!("{what} {used} of {used}"))
        });
        let full: Vec<String> = full.collect();
        let name = item["metadata"]["name"].as_str()?.to_owned();
        (!full.is_empty()).then_some(Quota { name, full })
    };
    Some(items.iter().filter_map(quota).collect())
}

async fn scalers(live: &Live, namespace: &str, meant: &[Write]) -> Option<Vec<String>> {
    let workload = meant.iter().find_map(|write| match write {
        Write::Restart { workload, .. } | Write::Repoint { workload, .. } => Some(workload),
        _ => None,
    })?;
    let path = format!("/apis/autoscaling/v2/namespaces/{namespace}/horizontalpodautoscalers");
    let items = all(live, &path).await?;
    let names = items.iter().filter(|item| {
        let of = &item["spec"]["scaleTargetRef"];
        of["kind"].as_str() == Some(&workload.kind) && of["name"].as_str() == Some(&workload.name)
    });
    Some(
        names
            .filter_map(|item| item["metadata"]["name"].as_str())
            .map(str::to_owned)
            .collect(),
    )
}
