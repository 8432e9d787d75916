//! Tables, as kubectl asks for them: what it prints of each kind.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::form;
use crate::sim::resources::Resource;

type Cell = fn(&Value, &str) -> Value;

type Column = (&'static str, &'static str, Cell);

/// The columns between name and age.
fn columns(resource: &Resource) -> Vec<Column> {
    match resource.kind {
        "Deployment" | "StatefulSet" | "ReplicaSet" | "DaemonSet" | "PodDisruptionBudget" => {
            of_counts(resource.kind)
        }
        _ => of_states(resource.kind),
    }
}

/// How many there are, and how many there should be.
fn of_counts(kind: &str) -> Vec<Column> {
    let count = "integer";
    match kind {
        "Deployment" => vec![
            ("Ready", "string", |d, _| json!(ready_of(d))),
            ("Up-to-date", count, |d, _| {
                number(d, "/status/updatedReplicas")
            }),
            ("Available", count, |d, _| {
                number(d, "/status/availableReplicas")
            }),
        ],
        "StatefulSet" => vec![("Ready", "string", |s, _| json!(ready_of(s)))],
        "ReplicaSet" => vec![
            ("Desired", count, |r, _| number(r, "/spec/replicas")),
            ("Current", count, |r, _| number(r, "/status/replicas")),
            ("Ready", count, |r, _| number(r, "/status/readyReplicas")),
        ],
        "DaemonSet" => vec![
            ("Desired", count, |d, _| {
                number(d, "/status/desiredNumberScheduled")
            }),
            ("Current", count, |d, _| {
                number(d, "/status/currentNumberScheduled")
            }),
            ("Ready", count, |d, _| number(d, "/status/numberReady")),
            ("Up-to-date", count, |d, _| {
                number(d, "/status/updatedNumberScheduled")
            }),
            ("Available", count, |d, _| {
                number(d, "/status/numberAvailable")
            }),
        ],
        _ => vec![
            ("Min Available", "string", |p, _| {
                or_none(&p["spec"]["minAvailable"])
            }),
            ("Max Unavailable", "string", |p, _| {
                or_none(&p["spec"]["maxUnavailable"])
            }),
            ("Allowed Disruptions", count, |p, _| {
                number(p, "/status/disruptionsAllowed")
            }),
        ],
    }
}

fn of_states(kind: &str) -> Vec<Column> {
    match kind {
        "Pod" => vec![
            ("Ready", "string", |pod, _| json!(ready(pod))),
            ("Status", "string", |pod, _| json!(pod_status(pod))),
            ("Restarts", "string", |pod, now| json!(restarts(pod, now))),
        ],
        "ConfigMap" => vec![("Data", "string", |c, _| {
            json!(size_of(c, "data") + size_of(c, "binaryData"))
        })],
        "Secret" => vec![
            ("Type", "string", |s, _| s["type"].clone()),
            ("Data", "string", |s, _| json!(size_of(s, "data"))),
        ],
        "Service" => vec![
            ("Type", "string", |s, _| s["spec"]["type"].clone()),
            ("Cluster-IP", "string", |s, _| {
                s["spec"]["clusterIP"].clone()
            }),
            ("External-IP", "string", |_, _| json!("<none>")),
            ("Port(s)", "string", |s, _| json!(ports(s))),
        ],
        "Namespace" => vec![("Status", "string", |n, _| n["status"]["phase"].clone())],
        "Node" => vec![
            ("Status", "string", |n, _| json!(node_status(n))),
            ("Roles", "string", |_, _| json!("<none>")),
        ],
        _ => Vec::new(),
    }
}

fn size_of(object: &Value, field: &str) -> usize {
    object[field].as_object().map_or(0, serde_json::Map::len)
}

pub(super) fn table(resource: &Resource, objects: &[&Value], meta: Value, now: &str) -> Value {
    let column = |name: &str, kind: &str, format: &str| json!({"name": name, "type": kind, "format": format, "description": "", "priority": 0});
    let events = resource.kind == "Event";
    let columns = columns(resource);
    let mut heads = vec![column("Name", "string", "name")];
    heads.extend(columns.iter().map(|(name, kind, _)| column(name, kind, "")));
    heads.push(column("Age", "string", ""));
    if events {
        heads = ["Last Seen", "Type", "Reason", "Object", "Message"]
            .map(|name| column(name, "string", ""))
            .to_vec();
    }
    let rows = objects.iter().map(|object| {
        let cells = if events {
            event(object, now)
        } else {
            let mut cells = vec![object["metadata"]["name"].clone()];
            cells.extend(columns.iter().map(|(_, _, cell)| cell(object, now)));
            cells.push(json!(age(&object["metadata"]["creationTimestamp"], now)));
            cells
        };
        json!({"cells": cells, "object": form::metadata(object)})
    });
    json!({
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": meta,
        "columnDefinitions": heads,
        "rows": rows.collect::<Vec<_>>(),
    })
}

fn number(object: &Value, pointer: &str) -> Value {
    json!(object.pointer(pointer).and_then(Value::as_i64).unwrap_or(0))
}

fn or_none(value: &Value) -> Value {
    match value {
        Value::Null => json!("N/A"),
        Value::String(text) => json!(text),
        other => json!(other.to_string()),
    }
}

fn ready_of(object: &Value) -> String {
    let of = |pointer| number(object, pointer);
    format!("{}/{}", of("/status/readyReplicas"), of("/spec/replicas"))
}

fn statuses<'a>(pod: &'a Value, list: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    pod["status"][list].as_array().into_iter().flatten()
}

fn ready(pod: &Value) -> String {
    let all = pod["spec"]["containers"].as_array().map_or(0, Vec::len);
    let ready = statuses(pod, "containerStatuses").filter(|s| s["ready"] == true);
    format!("{}/{all}", ready.count())
}

/// What kubectl calls the state of a pod: the worst of its containers, or its phase.
fn pod_status(pod: &Value) -> String {
    let reason = |status: &Value| {
        let state = &status["state"];
        let waiting = state["waiting"]["reason"]
            .as_str()
            .filter(|r| !r.is_empty());
        let ended = state.get("terminated");
        let ended = ended.map(|t| match t["reason"].as_str() {
            Some(reason) if !reason.is_empty() => reason.to_owned(),
            _ => format!("ExitCode:{}", t["exitCode"].as_i64().unwrap_or(0)),
        });
        waiting.map(str::to_owned).or(ended)
    };
    if pod["metadata"].get("deletionTimestamp").is_some() {
        return "Terminating".to_owned();
    }
    let all = pod["spec"]["initContainers"].as_array().map_or(0, Vec::len);
    for (number, status) in statuses(pod, "initContainerStatuses").enumerate() {
        match (
            reason(status),
            status["state"]["terminated"]["exitCode"].as_i64(),
        ) {
            (_, Some(0)) => {}
            (Some(why), _) if why != "PodInitializing" => return format!("Init:{why}"),
            _ => return format!("Init:{number}/{all}"),
        }
    }
    let phase = pod["status"]["reason"]
        .as_str()
        .or(pod["status"]["phase"].as_str());
    let phase = phase.unwrap_or("Unknown").to_owned();
    let worst = statuses(pod, "containerStatuses").filter_map(reason).last();
    match worst.as_deref() {
        Some("Completed") if statuses(pod, "containerStatuses").any(|s| s["ready"] == true) => {
            phase
        }
        Some(worst) => worst.to_owned(),
        None => phase,
    }
}

fn restarts(pod: &Value, now: &str) -> String {
    let count: i64 = statuses(pod, "containerStatuses")
        .filter_map(|s| s["restartCount"].as_i64())
        .sum();
    let last = statuses(pod, "containerStatuses")
        .filter_map(|s| s["lastState"]["terminated"]["finishedAt"].as_str())
        .max();
    match last {
        Some(last) if count > 0 => format!("{count} ({} ago)", age(&json!(last), now)),
        _ => count.to_string(),
    }
}

fn ports(service: &Value) -> String {
    let all = service["spec"]["ports"].as_array().into_iter().flatten();
    let all = all.map(|port| {
        let protocol = port["protocol"].as_str().unwrap_or("TCP");
        match port["nodePort"].as_i64() {
            Some(node) => format!("{}:{node}/{protocol}", port["port"]),
            None => format!("{}/{protocol}", port["port"]),
        }
    });
    let text = all.collect::<Vec<_>>().join(",");
    if text.is_empty() {
        "<none>".to_owned()
    } else {
        text
    }
}

fn node_status(node: &Value) -> &'static str {
    let all = node["status"]["conditions"]
        .as_array()
        .into_iter()
        .flatten();
    let mut ready = all.filter(|c| c["type"] == "Ready");
    match ready.next().and_then(|c| c["status"].as_str()) {
        Some("True") => "Ready",
        Some(_) => "NotReady",
        None => "Unknown",
    }
}

fn event(event: &Value, now: &str) -> Vec<Value> {
    let mut times = ["lastTimestamp", "eventTime", "firstTimestamp"].iter();
    let last = times.find_map(|name| event[*name].as_str());
    let object = &event["involvedObject"];
    let kind = object["kind"].as_str().unwrap_or_default().to_lowercase();
    let name = object["name"].as_str().unwrap_or_default();
    vec![
        json!(age(&json!(last), now)),
        event["type"].clone(),
        event["reason"].clone(),
        json!(format!("{kind}/{name}")),
        event["message"].clone(),
    ]
}

/// How long ago, as kubectl rounds it.
fn age(then: &Value, now: &str) -> String {
    let parse = |text: &str| DateTime::parse_from_rfc3339(text).map(|at| at.with_timezone(&Utc));
    let (Some(Ok(then)), Ok(now)) = (then.as_str().map(parse), parse(now)) else {
        return "<unknown>".to_owned();
    };
    let seconds = (now - then).num_seconds().max(0);
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match () {
        () if seconds < 120 => format!("{seconds}s"),
        () if minutes < 10 && seconds % 60 != 0 => format!("{minutes}m{}s", seconds % 60),
        () if minutes < 180 => format!("{minutes}m"),
        () if hours < 8 && minutes % 60 != 0 => format!("{hours}h{}m", minutes % 60),
        () if hours < 48 => format!("{hours}h"),
        () if days < 8 && hours % 24 != 0 => format!("{days}d{}h", hours % 24),
        () => format!("{days}d"),
    }
}
