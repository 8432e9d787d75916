//! Creates, updates, patches and deletes.

use std::sync::Arc;

use axum::response::Response;
use serde_json::{Value, json};

use super::asked::Asked;
use super::decode::decode;
use super::{Answer, form, options};
use crate::sim::patch::{self, Patch};
use crate::sim::status::Failure;
use crate::sim::store::validate::another_uid;
use crate::sim::store::{Deletion, Key, Write};
use crate::sim::{Sim, World};

/// The body of a create or an update, of the kind that the path says.
fn object(asked: &Asked) -> Result<Value, Failure> {
    let media = asked
        .content_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim();
    let mut object: Value = match media {
        "" | "application/json" => serde_json::from_slice(&asked.body).map_err(|why| {
            let text = String::from_utf8_lossy(&asked.body);
            Failure::bad_request(format!(
                "the object provided is unrecognized (must be of type {}): couldn't get version/kind; json parse error: {why} ({text})",
                asked.resource.kind
            ))
        })?,
        "application/yaml" => serde_saphyr::from_slice(&asked.body)
            .map_err(|why| Failure::bad_request(why.to_string()))?,
        _ => return Err(unsupported("the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf")),
    };
    belongs(asked, &object)?;
    decode(asked, &mut object)?;
    Ok(object)
}

pub(super) fn unsupported(message: &str) -> Failure {
    Failure::new(415, "UnsupportedMediaType", message)
}

/// Whether a body is about what the path says.
fn belongs(asked: &Asked, object: &Value) -> Result<(), Failure> {
    let resource = asked.resource;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (version, kind) = (text(&object["apiVersion"]), text(&object["kind"]));
    let expected = resource.api_version();
    if !version.is_empty() && version != expected {
        return Err(Failure::bad_request(format!(
            "the API version in the data ({version}) does not match the expected API version ({expected})"
        )));
    }
    if !kind.is_empty() && kind != resource.kind {
        let group = match resource.group {
            "" => String::new(),
            group => format!("{group}/"),
        };
        return Err(Failure::bad_request(format!(
            "{kind} in version {:?} cannot be handled as a {}: converting (…) to ({group}{}): unknown conversion",
            resource.version, resource.kind, resource.kind
        )));
    }
    let name = text(&object["metadata"]["name"]);
    if !asked.name.is_empty() && !name.is_empty() && name != asked.name {
        return Err(Failure::bad_request(format!(
            "the name of the object ({name}) does not match the name on the URL ({})",
            asked.name
        )));
    }
    let namespace = text(&object["metadata"]["namespace"]);
    if let Some(expected) = &asked.namespace
        && !namespace.is_empty()
        && namespace != *expected
    {
        return Err(Failure::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    Ok(())
}

fn answered(sim: &Sim, asked: &Asked, code: u16, object: &Value) -> Result<Response, Failure> {
    let form = form::accepted(asked)?;
    let body = form::one(form, asked.resource, object, sim.clock().now());
    Ok(super::json(code, &body))
}

pub(super) fn create(sim: &Sim, asked: &Asked) -> Answer {
    let dry_run = asked.dry_run("CreateOptions")?;
    let object = object(asked)?;
    if asked.resource.namespaced && asked.namespace.is_none() {
        return Err(super::not_allowed());
    }
    let key = Key {
        name: object["metadata"]["name"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
        ..asked.key()
    };
    if object["metadata"]["resourceVersion"]
        .as_str()
        .is_some_and(|v| !v.is_empty())
    {
        let message = "resourceVersion should not be set on objects to be created";
        return Err(Failure::new(500, "", message));
    }
    let made = sim.with(|world| {
        let mut write = Write::by(asked.manager(), world.now());
        write.dry_run = dry_run;
        world.store_mut().create(&key, object, &write)
    })?;
    answered(sim, asked, 201, &made)
}

pub(super) fn update(sim: &Sim, asked: &Asked, subresource: Option<&'static str>) -> Answer {
    let dry_run = asked.dry_run("UpdateOptions")?;
    let object = object(asked)?;
    let made = sim.with(|world| {
        let mut write = Write::by(asked.manager(), world.now());
        write.dry_run = dry_run;
        write.subresource = subresource;
        world.store_mut().update(&asked.key(), object, &write)
    })?;
    answered(sim, asked, 200, &made)
}

pub(super) fn patch(sim: &Sim, asked: &Asked, subresource: Option<&'static str>) -> Answer {
    let dry_run = asked.dry_run("PatchOptions")?;
    let patch = Patch::parse(&asked.content_type, &asked.body)?;
    let force = asked.query.is_on("force");
    let apply = matches!(patch, Patch::Apply(_));
    if apply && asked.query.get("fieldManager").is_none() {
        return Err(options::no_manager());
    }
    let (code, made) = sim.with(|world| {
        let mut write = Write::by(asked.manager(), world.now());
        write.dry_run = dry_run;
        write.subresource = subresource;
        patched(world, asked, &patch, &write, force)
    })?;
    answered(sim, asked, code, &made)
}

fn patched(
    world: &mut World,
    asked: &Asked,
    patch: &Patch,
    write: &Write<'_>,
    force: bool,
) -> Result<(u16, Arc<Value>), Failure> {
    let key = asked.key();
    if let Patch::Apply(config) = patch {
        belongs(asked, config)?;
        return patch::apply::apply(world.store_mut(), &key, config, write, force);
    }
    let live = world.store().get(&key).cloned();
    let live = live.ok_or_else(|| Failure::not_found(&key))?;
    let mut object = patch.applied(&key, &live)?;
    decode(asked, &mut object)?;
    belongs(asked, &object)?;
    let (was, is) = (&live["metadata"]["uid"], &object["metadata"]["uid"]);
    let current = object["metadata"]["resourceVersion"] == live["metadata"]["resourceVersion"];
    if current && !is.is_null() && was != is {
        return Err(another_uid(&key, is));
    }
    let made = world.store_mut().update(&key, object, write)?;
    Ok((200, made))
}

/// What a delete says in its body and its query.
struct Wanted {
    how: Deletion,
    dry_run: bool,
}

fn wanted(asked: &Asked) -> Result<Wanted, Failure> {
    let options: Value = if asked.body.is_empty() {
        json!({})
    } else {
        serde_json::from_slice(&asked.body).map_err(|why| Failure::bad_request(why.to_string()))?
    };
    let said = options["dryRun"].as_array().into_iter().flatten();
    let said: Vec<&str> = said.filter_map(Value::as_str).collect();
    let dry_run = options::dry_run(&said, "DeleteOptions")? || asked.dry_run("DeleteOptions")?;
    let given = options["gracePeriodSeconds"].as_i64();
    let grace = match given {
        Some(grace) => Some(grace),
        None => asked.query.number("gracePeriodSeconds")?,
    };
    let demand = |name: &str| {
        let text = options["preconditions"][name].as_str();
        text.map(str::to_owned)
    };
    Ok(Wanted {
        how: Deletion {
            grace,
            uid: demand("uid"),
            resource_version: demand("resourceVersion"),
        },
        dry_run,
    })
}

/// Kinds of which a delete answers with the object, and not with a Status.
const RETURNED: [&str; 5] = [
    "Pod",
    "Service",
    "Namespace",
    "ServiceAccount",
    "ResourceQuota",
];

pub(super) fn delete(sim: &Sim, asked: &Asked) -> Answer {
    let Wanted { how, dry_run } = wanted(asked)?;
    let key = asked.key();
    let (last, there) = sim.with(|world| {
        let mut write = Write::by(asked.manager(), world.now());
        write.dry_run = dry_run;
        let last = world.store_mut().delete(&key, &how, &write)?;
        Ok::<_, Failure>((last, world.store().get(&key).is_some()))
    })?;
    let marked = there && last["metadata"].get("deletionTimestamp").is_some();
    if marked || RETURNED.contains(&key.resource.kind) {
        return answered(sim, asked, 200, &last);
    }
    let mut details = json!({
        "name": key.name,
        "kind": key.resource.plural,
        "uid": last["metadata"]["uid"],
    });
    if !key.resource.group.is_empty() {
        details["group"] = json!(key.resource.group);
    }
    Ok(super::json(
        200,
        &json!({
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Success",
            "details": details,
        }),
    ))
}

/// All that a selector finds.
pub(super) fn delete_all(sim: &Sim, asked: &Asked) -> Answer {
    let Wanted { how, dry_run } = wanted(asked)?;
    let selector = super::list::selector(asked)?;
    let gone = sim.with(|world| {
        let mut write = Write::by(asked.manager(), world.now());
        write.dry_run = dry_run;
        let all = world
            .store()
            .list(asked.resource, asked.namespace.as_deref());
        let chosen = all.filter(|(_, object)| selector.matches(object));
        let keys: Vec<Key> = chosen.map(|(key, _)| key.clone()).collect();
        let store = world.store_mut();
        let gone = keys
            .iter()
            .filter_map(|key| store.delete(key, &how, &write).ok());
        gone.collect::<Vec<_>>()
    });
    let items: Vec<&Value> = gone.iter().map(|object| &**object).collect();
    Ok(super::json(
        200,
        &json!({
            "kind": format!("{}List", asked.resource.kind),
            "apiVersion": asked.resource.api_version(),
            "metadata": {},
            "items": items,
        }),
    ))
}
