//! What only pods have: their logs, commands in them, evictions, and requests to their ports.

use axum::body::Body;
use axum::http::HeaderMap;
use hyper::upgrade::OnUpgrade;
use serde_json::Value;

use super::asked::Asked;
use super::{Answer, eviction, exec, logs, not_allowed, unknown, write};
use crate::sim::Sim;
use crate::sim::status::Failure;

pub(super) async fn answer(
    sim: &Sim,
    asked: Asked,
    headers: &HeaderMap,
    upgrade: Option<OnUpgrade>,
) -> Answer {
    match (asked.subresource.as_deref(), asked.verb) {
        (Some("log"), "get") => logs::answer(sim, &asked),
        (Some("exec"), "get" | "create") => exec::answer(sim, &asked, headers, upgrade),
        (Some("eviction"), "create") => eviction::answer(sim, &asked),
        (Some("binding" | "ephemeralcontainers" | "resize"), "update") => {
            write::update(sim, &asked, Some("binding"))
        }
        (Some("proxy"), _) => proxy(sim, &asked),
        (Some("log" | "exec" | "eviction"), _) => Err(not_allowed()),
        _ => Err(unknown()),
    }
}

/// The pod that a request is about.
pub(super) fn live(sim: &Sim, asked: &Asked) -> Result<std::sync::Arc<Value>, Failure> {
    let key = asked.key();
    let pod = sim.with(|world| world.store().get(&key).cloned());
    pod.ok_or_else(|| Failure::not_found(&key))
}

/// Names of a pod's containers of one sort.
pub(super) fn names<'a>(pod: &'a Value, list: &str) -> Vec<&'a str> {
    let all = pod["spec"][list].as_array().into_iter().flatten();
    all.filter_map(|container| container["name"].as_str())
        .collect()
}

/// The container that is meant: the one that is named, or the only one.
pub(super) fn container<'a>(pod: &'a Value, named: Option<&'a str>) -> Result<&'a str, Failure> {
    let main = names(pod, "containers");
    let init = names(pod, "initContainers");
    let name = pod["metadata"]["name"].as_str().unwrap_or_default();
    match named {
        Some(one) if main.contains(&one) || init.contains(&one) => Ok(one),
        Some(one) => Err(Failure::bad_request(format!(
            "container {one} is not valid for pod {name}"
        ))),
        None => match main.as_slice() {
            [one] => Ok(one),
            _ => {
                let mut message = format!(
                    "a container name must be specified for pod {name}, choose one of: [{}]",
                    main.join(" ")
                );
                if !init.is_empty() {
                    message += &format!(" or one of the init containers: [{}]", init.join(" "));
                }
                Err(Failure::bad_request(message))
            }
        },
    }
}

/// Passes a request on to a port of a pod: `NAME:PORT`, or `http:NAME:PORT`.
fn proxy(sim: &Sim, asked: &Asked) -> Answer {
    let words: Vec<&str> = asked.name.split(':').collect();
    let (pod, port) = match words.as_slice() {
        [pod] | ["", pod, ""] => (*pod, ""),
        [pod, port] | ["http" | "https" | "", pod, port] => (*pod, *port),
        _ => {
            return Err(Failure::bad_request(format!(
                "invalid pod request {:?}",
                asked.name
            )));
        }
    };
    let namespace = asked.namespace.as_deref().unwrap_or_default();
    let named = Asked {
        name: pod.to_owned(),
        ..asked.clone()
    };
    let object = live(sim, &named)?;
    let port = match port.parse() {
        Ok(port) => port,
        Err(_) => first_port(&object, port),
    };
    let mut path = format!("/{}", asked.rest);
    if let Some(query) = asked.query.joined() {
        path = format!("{path}?{query}");
    }
    let (code, body) = sim.with(|world| world.proxy(namespace, pod, port, &path))?;
    let kind = match serde_json::from_str::<serde::de::IgnoredAny>(&body) {
        Ok(_) => "application/json",
        Err(_) => "text/plain; charset=utf-8",
    };
    Ok(super::typed(code, kind, Body::from(body)))
}

/// A port by its name, or the first that a container names.
fn first_port(pod: &Value, name: &str) -> u16 {
    let containers = pod["spec"]["containers"].as_array().into_iter().flatten();
    let mut ports = containers.flat_map(|c| c["ports"].as_array().into_iter().flatten());
    let port = ports.find(|port| name.is_empty() || port["name"] == name);
    let number = port.and_then(|port| port["containerPort"].as_u64());
    number.and_then(|n| u16::try_from(n).ok()).unwrap_or(80)
}
