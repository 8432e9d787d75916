//! Evictions: a delete that PodDisruptionBudgets have a say in.

use serde_json::{Value, json};

use super::Answer;
use super::asked::Asked;
use crate::sim::resources;
use crate::sim::status::Failure;
use crate::sim::store::{Deletion, Key, Store, Write};
use crate::sim::{Sim, World};

pub(super) fn answer(sim: &Sim, asked: &Asked) -> Answer {
    let body: Value =
        serde_json::from_slice(&asked.body).map_err(|why| Failure::bad_request(why.to_string()))?;
    let options = &body["deleteOptions"];
    let said = options["dryRun"].as_array().into_iter().flatten();
    let said: Vec<&str> = said.filter_map(Value::as_str).collect();
    let dry_run =
        super::options::dry_run(&said, "DeleteOptions")? || asked.dry_run("CreateOptions")?;
    let demand = |name: &str| {
        let text = options["preconditions"][name].as_str();
        text.map(str::to_owned)
    };
    let how = Deletion {
        grace: options["gracePeriodSeconds"].as_i64(),
        uid: demand("uid"),
        resource_version: demand("resourceVersion"),
    };
    sim.with(|world| evict(world, asked, &how, dry_run))?;
    Ok(super::json(
        201,
        &json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}),
    ))
}

fn evict(world: &mut World, asked: &Asked, how: &Deletion, dry_run: bool) -> Result<(), Failure> {
    let key = asked.key();
    let mut write = Write::by(asked.manager(), world.now());
    write.dry_run = dry_run;
    let store = world.store_mut();
    let pod = store.get(&key).cloned();
    let pod = pod.ok_or_else(|| Failure::not_found(&key))?;
    let phase = pod["status"]["phase"].as_str().unwrap_or_default();
    let counts = !matches!(phase, "Succeeded" | "Failed" | "Pending")
        && pod["metadata"].get("deletionTimestamp").is_none();
    if counts {
        let budgets = budgets(store, &pod, asked.namespace.as_deref());
        match budgets.as_slice() {
            [] => {}
            [(budget, object)] => spend(store, budget, object, &pod, &write)?,
            _ => {
                let message = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
                return Err(Failure::new(500, "InternalError", message));
            }
        }
    }
    store.delete(&key, how, &write)?;
    Ok(())
}

/// The budgets that a pod counts to.
fn budgets(store: &Store, pod: &Value, namespace: Option<&str>) -> Vec<(Key, Value)> {
    let Some(resource) = resources::named("poddisruptionbudgets") else {
        return Vec::new();
    };
    let labels = &pod["metadata"]["labels"];
    let all = store.list(resource, namespace);
    let those = all.filter(|(_, budget)| selects(&budget["spec"]["selector"], labels));
    those
        .map(|(key, budget)| (key.clone(), Value::clone(budget)))
        .collect()
}

/// Whether a label selector of an object chooses these labels.
fn selects(selector: &Value, labels: &Value) -> bool {
    if !selector.is_object() {
        return false;
    }
    let equal = selector["matchLabels"].as_object().into_iter().flatten();
    let mut equal = equal.map(|(name, value)| labels.get(name) == Some(value));
    let expressions = selector["matchExpressions"]
        .as_array()
        .into_iter()
        .flatten();
    let mut expressions = expressions.map(|one| {
        let value = one["key"].as_str().and_then(|key| labels.get(key));
        let among =
            value.is_some_and(|v| one["values"].as_array().is_some_and(|all| all.contains(v)));
        match one["operator"].as_str() {
            Some("In") => among,
            Some("NotIn") => !among,
            Some("Exists") => value.is_some(),
            _ => value.is_none(),
        }
    });
    equal.all(|fits| fits) && expressions.all(|fits| fits)
}

/// Takes one disruption from a budget, or says why there is none.
fn spend(
    store: &mut Store,
    key: &Key,
    budget: &Value,
    pod: &Value,
    write: &Write<'_>,
) -> Result<(), Failure> {
    let status = &budget["status"];
    let number = |name: &str| status[name].as_i64().unwrap_or(0);
    let ready = pod["status"]["conditions"].as_array().into_iter().flatten();
    let ready = ready
        .into_iter()
        .any(|condition| condition["type"] == "Ready" && condition["status"] == "True");
    let allowed = number("disruptionsAllowed");
    if !ready
        && number("currentHealthy") >= number("desiredHealthy")
        && number("desiredHealthy") > 0
    {
        return Ok(());
    }
    let observed =
        number("observedGeneration") >= budget["metadata"]["generation"].as_i64().unwrap_or(0);
    let why = format!("The disruption budget {} ", key.name);
    if !observed {
        return Err(refused(
            &format!("{why}is still being processed by the server."),
            10,
        ));
    }
    if allowed <= 0 {
        let needs = format!(
            "{why}needs {} healthy pods and has {} currently",
            number("desiredHealthy"),
            number("currentHealthy")
        );
        return Err(refused(&needs, 0));
    }
    let mut object = budget.clone();
    object["status"]["disruptionsAllowed"] = json!(allowed - 1);
    let name = pod["metadata"]["name"].as_str().unwrap_or_default();
    object["status"]["disruptedPods"][name] =
        json!(super::super::store::managed::seconds(write.now));
    store.update(key, object, &write.clone().status())?;
    Ok(())
}

fn refused(cause: &str, retry: u32) -> Failure {
    let mut details = json!({"causes": [{"reason": "DisruptionBudget", "message": cause}]});
    if retry > 0 {
        details["retryAfterSeconds"] = json!(retry);
    }
    let message = "Cannot evict pod as it would violate the pod's disruption budget.";
    Failure::new(429, "TooManyRequests", message).with_details(details)
}
