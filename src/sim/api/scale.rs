//! The scale of a workload: its replicas, and nothing else of it.

use serde_json::{Value, json};

use super::asked::Asked;
use super::select::written;
use super::{Answer, not_allowed};
use crate::sim::Sim;
use crate::sim::patch::Patch;
use crate::sim::status::Failure;
use crate::sim::store::Write;

pub(super) fn answer(sim: &Sim, asked: &Asked, verb: &str) -> Answer {
    let key = asked.key();
    let options = if verb == "patch" {
        "PatchOptions"
    } else {
        "UpdateOptions"
    };
    let dry_run = asked.dry_run(options)?;
    let body = match verb {
        "get" => None,
        "update" => Some(Patch::Replace(
            serde_json::from_slice(&asked.body)
                .map_err(|why| Failure::bad_request(why.to_string()))?,
        )),
        "patch" => Some(Patch::parse(&asked.content_type, &asked.body)?),
        _ => return Err(not_allowed()),
    };
    let made = sim.with(|world| {
        let live = world.store().get(&key).cloned();
        let live = live.ok_or_else(|| Failure::not_found(&key))?;
        let Some(patch) = body else {
            return Ok(scale(&live));
        };
        let wanted = patch.applied(&key, &scale(&live))?;
        let mut object = Value::clone(&live);
        object["spec"]["replicas"] = wanted["spec"].get("replicas").cloned().unwrap_or(json!(0));
        object["metadata"]["resourceVersion"] = wanted["metadata"]["resourceVersion"].clone();
        let mut write = Write::by(asked.manager(), world.now());
        write.subresource = Some("scale");
        write.dry_run = dry_run;
        let made = world.store_mut().update(&key, object, &write)?;
        Ok::<_, Failure>(scale(&made))
    })?;
    Ok(super::json(200, &made))
}

fn scale(object: &Value) -> Value {
    let meta = &object["metadata"];
    // None are left out, as Go leaves out a zero.
    let spec = match object["spec"]["replicas"].as_i64() {
        Some(0) | None => json!({}),
        Some(replicas) => json!({"replicas": replicas}),
    };
    json!({
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {
            "name": meta["name"],
            "namespace": meta["namespace"],
            "uid": meta["uid"],
            "resourceVersion": meta["resourceVersion"],
            "creationTimestamp": meta["creationTimestamp"],
        },
        "spec": spec,
        "status": {
            "replicas": object["status"]["replicas"].as_i64().unwrap_or(0),
            "selector": written(&object["spec"]["selector"]["matchLabels"]),
        },
    })
}
