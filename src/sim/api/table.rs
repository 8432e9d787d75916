//! Tables, as kubectl asks for them: what it prints of each kind.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::form::{self, Rows};
use super::pods::names;
use super::select::written;
use crate::sim::object::{self, is_deleting, list, text, time};
use crate::sim::resources::Resource;

type Cell = fn(&Value, DateTime<Utc>) -> Value;

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
            ("External-IP", "string", |_, _| or_nothing("")),
            ("Port(s)", "string", |s, _| or_nothing(&ports(s))),
        ],
        "Namespace" => vec![("Status", "string", |n, _| n["status"]["phase"].clone())],
        "Node" => vec![
            ("Status", "string", |n, _| json!(node_status(n))),
            ("Roles", "string", |_, _| or_nothing("")),
        ],
        _ => Vec::new(),
    }
}

fn size_of(object: &Value, field: &str) -> usize {
    object[field].as_object().map_or(0, serde_json::Map::len)
}

/// The columns after the age, which are for `-o wide`.
fn wide(resource: &Resource) -> Vec<Column> {
    const CONTAINERS: Column = ("Containers", "string", |w, _| {
        json!(names(&w["spec"]["template"], "containers").join(","))
    });
    const IMAGES: Column = ("Images", "string", |w, _| json!(images(w)));
    const SELECTOR: Column = ("Selector", "string", |w, _| {
        or_nothing(&written(&w["spec"]["selector"]["matchLabels"]))
    });
    match resource.kind {
        "Pod" => vec![
            ("IP", "string", |p, _| or_nothing(text(p, "/status/podIP"))),
            ("Node", "string", |p, _| {
                or_nothing(text(p, "/spec/nodeName"))
            }),
            ("Nominated Node", "string", |p, _| {
                or_nothing(text(p, "/status/nominatedNodeName"))
            }),
            ("Readiness Gates", "string", |_, _| or_nothing("")),
        ],
        "Deployment" | "ReplicaSet" | "DaemonSet" => vec![CONTAINERS, IMAGES, SELECTOR],
        "StatefulSet" => vec![CONTAINERS, IMAGES],
        "Service" => vec![("Selector", "string", |s, _| {
            or_nothing(&written(&s["spec"]["selector"]))
        })],
        _ => Vec::new(),
    }
}

pub(super) fn table(
    resource: &Resource,
    objects: &[&Value],
    rows: Rows,
    meta: Value,
    now: DateTime<Utc>,
) -> Value {
    let column = |name: &str, kind: &str, format: &str, priority: u8| json!({"name": name, "type": kind, "format": format, "description": "", "priority": priority});
    let events = resource.kind == "Event";
    let (columns, wide) = (columns(resource), wide(resource));
    let every = |columns: &[Column], priority: u8| {
        let each = columns.iter();
        each.map(|(name, kind, _)| column(name, kind, "", priority))
            .collect::<Vec<_>>()
    };
    let mut heads = vec![column("Name", "string", "name", 0)];
    heads.extend(every(&columns, 0));
    heads.push(column("Age", "string", "", 0));
    heads.extend(every(&wide, 1));
    if events {
        heads = ["Last Seen", "Type", "Reason", "Object", "Message"]
            .map(|name| column(name, "string", "", 0))
            .to_vec();
    }
    let each = objects.iter().map(|object| {
        let cells = if events {
            event(object, now)
        } else {
            let mut cells = vec![object["metadata"]["name"].clone()];
            cells.extend(columns.iter().map(|(_, _, cell)| cell(object, now)));
            let created = time(object, "/metadata/creationTimestamp");
            cells.push(json!(age(created, now)));
            cells.extend(wide.iter().map(|(_, _, cell)| cell(object, now)));
            cells
        };
        match rows {
            Rows::Nothing => json!({"cells": cells, "object": null}),
            Rows::Metadata => json!({"cells": cells, "object": form::metadata(object)}),
            Rows::Objects => json!({"cells": cells, "object": object}),
        }
    });
    json!({
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": meta,
        "columnDefinitions": heads,
        "rows": each.collect::<Vec<_>>(),
    })
}

fn number(object: &Value, pointer: &str) -> Value {
    json!(object::number(object, pointer).unwrap_or(0))
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

fn or_nothing(text: &str) -> Value {
    json!(if text.is_empty() { "<none>" } else { text })
}

fn images(workload: &Value) -> String {
    let all = list(workload, "/spec/template/spec/containers").iter();
    let all: Vec<&str> = all.map(|container| text(container, "/image")).collect();
    all.join(",")
}

fn statuses(pod: &Value) -> &[Value] {
    list(pod, "/status/containerStatuses")
}

fn ready(pod: &Value) -> String {
    let all = list(pod, "/spec/containers").len();
    let ready = statuses(pod).iter().filter(|s| s["ready"] == true);
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
    if is_deleting(pod) {
        return "Terminating".to_owned();
    }
    let all = list(pod, "/spec/initContainers").len();
    for (number, status) in list(pod, "/status/initContainerStatuses")
        .iter()
        .enumerate()
    {
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
    let worst = statuses(pod).iter().rev().find_map(reason);
    match worst.as_deref() {
        Some("Completed") if statuses(pod).iter().any(|s| s["ready"] == true) => phase,
        Some(worst) => worst.to_owned(),
        None => phase,
    }
}

fn restarts(pod: &Value, now: DateTime<Utc>) -> String {
    let statuses = statuses(pod).iter();
    let counts = statuses
        .clone()
        .filter_map(|s| object::number(s, "/restartCount"));
    let count: i64 = counts.sum();
    let last = statuses
        .filter_map(|s| time(s, "/lastState/terminated/finishedAt"))
        .max();
    match last {
        Some(_) if count > 0 => format!("{count} ({} ago)", age(last, now)),
        _ => count.to_string(),
    }
}

fn ports(service: &Value) -> String {
    let all = list(service, "/spec/ports").iter().map(|port| {
        let protocol = port["protocol"].as_str().unwrap_or("TCP");
        match port["nodePort"].as_i64() {
            Some(node) => format!("{}:{node}/{protocol}", port["port"]),
            None => format!("{}/{protocol}", port["port"]),
        }
    });
    all.collect::<Vec<_>>().join(",")
}

fn node_status(node: &Value) -> &'static str {
    match object::condition(node, "Ready").and_then(|c| c["status"].as_str()) {
        Some("True") => "Ready",
        Some(_) => "NotReady",
        None => "Unknown",
    }
}

fn event(event: &Value, now: DateTime<Utc>) -> Vec<Value> {
    let mut times = ["/lastTimestamp", "/eventTime", "/firstTimestamp"].iter();
    let last = times.find_map(|at| time(event, at));
    let kind = text(event, "/involvedObject/kind").to_lowercase();
    let name = text(event, "/involvedObject/name");
    vec![
        json!(age(last, now)),
        event["type"].clone(),
        event["reason"].clone(),
        json!(format!("{kind}/{name}")),
        event["message"].clone(),
    ]
}

/// How long ago, as kubectl rounds it.
fn age(then: Option<DateTime<Utc>>, now: DateTime<Utc>) -> String {
    let Some(then) = then else {
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
