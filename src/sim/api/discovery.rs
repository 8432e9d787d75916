//! What the API tells of itself: its version, its groups, its resources.

use serde_json::{Value, json};

use crate::sim::resources::{RESOURCES, Resource};

/// The Kubernetes whose API this is; the rest of the version says that it is none.
const VERSION: &str = "v1.37.0+confsplit-sim";

const AUTHORIZATION: &str = "authorization.k8s.io";

const ALL_VERBS: [&str; 8] = [
    "create",
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "update",
    "watch",
];

/// What `kubectl get all` lists.
const LISTED: [&str; 7] = [
    "pods",
    "services",
    "daemonsets",
    "deployments",
    "replicasets",
    "statefulsets",
    "horizontalpodautoscalers",
];

/// The document at a path, where it is one of these.
pub(super) fn document(path: &str) -> Option<Value> {
    let words: Vec<&str> = path.split('/').skip(1).collect();
    match words.as_slice() {
        ["version"] => Some(version()),
        ["api"] => Some(json!({
            "kind": "APIVersions",
            "versions": ["v1"],
            "serverAddressByClientCIDRs": [],
        })),
        ["apis"] => Some(json!({
            "kind": "APIGroupList",
            "apiVersion": "v1",
            "groups": groups().into_iter().map(|(g, v)| group(g, v)).collect::<Vec<_>>(),
        })),
        ["apis", name] => {
            let (name, version) = groups().into_iter().find(|(g, _)| g == name)?;
            let mut one = group(name, version);
            one["kind"] = json!("APIGroup");
            one["apiVersion"] = json!("v1");
            Some(one)
        }
        ["api", version] => resources("", version),
        ["apis", group, version] => resources(group, version),
        _ => None,
    }
}

fn version() -> Value {
    json!({
        "major": "1",
        "minor": "37",
        "gitVersion": VERSION,
        "gitCommit": "",
        "gitTreeState": "",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "",
        "compiler": "rustc",
        "platform": "",
    })
}

/// Each group with its version, but the core.
fn groups() -> Vec<(&'static str, &'static str)> {
    let mut all: Vec<(&str, &str)> = RESOURCES
        .iter()
        .filter(|r| !r.group.is_empty())
        .map(|r| (r.group, r.version))
        .collect();
    all.push((AUTHORIZATION, "v1"));
    all.sort_unstable();
    all.dedup();
    all
}

pub(super) fn serves(group: &str, version: &str) -> bool {
    (group, version) == ("", "v1") || groups().contains(&(group, version))
}

fn group(name: &str, version: &str) -> Value {
    let one = json!({"groupVersion": format!("{name}/{version}"), "version": version});
    json!({"name": name, "versions": [one], "preferredVersion": one})
}

/// Whether a resource has a scale.
pub(super) fn scales(resource: &Resource) -> bool {
    matches!(
        resource.plural,
        "deployments" | "replicasets" | "statefulsets"
    )
}

fn resources(group: &str, version: &str) -> Option<Value> {
    if !serves(group, version) {
        return None;
    }
    let mut list = Vec::new();
    let here = |r: &&Resource| r.group == group && r.version == version;
    for resource in RESOURCES.iter().filter(here) {
        list.push(main(resource));
        list.extend(below(resource));
    }
    if group == AUTHORIZATION {
        let review = |plural: &str, kind: &str, namespaced: bool| {
            json!({
                "name": plural,
                "singularName": kind.to_lowercase(),
                "namespaced": namespaced,
                "kind": kind,
                "verbs": ["create"],
            })
        };
        list.push(review(
            "selfsubjectaccessreviews",
            "SelfSubjectAccessReview",
            false,
        ));
        list.push(review(
            "selfsubjectrulesreviews",
            "SelfSubjectRulesReview",
            false,
        ));
    }
    list.sort_by(|a, b| a["name"].as_str().cmp(&b["name"].as_str()));
    let name = match group {
        "" => version.to_owned(),
        group => format!("{group}/{version}"),
    };
    let mut document = json!({
        "kind": "APIResourceList",
        "groupVersion": name,
        "resources": list,
    });
    if !group.is_empty() {
        document["apiVersion"] = json!("v1");
    }
    Some(document)
}

fn main(resource: &Resource) -> Value {
    let mut one = json!({
        "name": resource.plural,
        "singularName": resource.singular,
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": ALL_VERBS,
    });
    if !resource.short.is_empty() {
        one["shortNames"] = json!(resource.short);
    }
    if LISTED.contains(&resource.plural) {
        one["categories"] = json!(["all"]);
    }
    one
}

fn below(resource: &Resource) -> Vec<Value> {
    let sub = |name: &str, kind: &str, verbs: &[&str]| {
        json!({
            "name": format!("{}/{name}", resource.plural),
            "singularName": "",
            "namespaced": resource.namespaced,
            "kind": kind,
            "verbs": verbs,
        })
    };
    let of = |mut one: Value, group: &str| {
        one["group"] = json!(group);
        one["version"] = json!("v1");
        one
    };
    let write = ["get", "patch", "update"];
    let mut list = Vec::new();
    if resource.status {
        list.push(sub("status", resource.kind, &write));
    }
    if scales(resource) {
        list.push(of(sub("scale", "Scale", &write), "autoscaling"));
    }
    if resource.kind == "Namespace" {
        list.push(sub("finalize", "Namespace", &["update"]));
    }
    if resource.kind == "Pod" {
        list.push(of(sub("eviction", "Eviction", &["create"]), "policy"));
        list.push(sub("exec", "PodExecOptions", &["create", "get"]));
        list.push(sub("log", "Pod", &["get"]));
        list.push(sub(
            "proxy",
            "PodProxyOptions",
            &["create", "delete", "get", "patch", "update"],
        ));
    }
    list
}
