//! `TYPE/NAME` as kubectl's users type it: short names, plurals, and the API group after a dot.

use crate::model::{ConfigKind, Target};

const ACCEPTED: &str = "expected TYPE/NAME, where TYPE is one of: configmap (cm), secret, deployment (deploy), \
                        statefulset (sts), daemonset (ds), replicaset (rs), pod (po), service (svc)";

/// Reads `deploy/frontend`, `configmaps/nginx`, `statefulsets.apps/db`, ...
pub(super) fn parse(text: &str) -> Result<Target, String> {
    let Some((kind, name)) = text.split_once('/') else {
        return Err(format!("it is neither a command nor TYPE/NAME; {ACCEPTED}"));
    };
    if !is_name(name) {
        return Err(format!("`{name}` is no name of an object; {ACCEPTED}"));
    }
    let name = name.to_owned();
    let workload = |kind: &str| Target::Workload {
        kind: kind.to_owned(),
        name: name.clone(),
    };
    let config = |kind| Target::Config {
        kind,
        name: name.clone(),
    };
    let lower = kind.to_ascii_lowercase();
    let (plain, in_apps) = without_group(&lower);
    let found = match plain {
        "deploy" | "deployment" | "deployments" => workload("Deployment"),
        "sts" | "statefulset" | "statefulsets" => workload("StatefulSet"),
        "ds" | "daemonset" | "daemonsets" => workload("DaemonSet"),
        "rs" | "replicaset" | "replicasets" => workload("ReplicaSet"),
        _ if in_apps => return Err(format!("there is no type `{kind}`; {ACCEPTED}")),
        "cm" | "configmap" | "configmaps" => config(ConfigKind::ConfigMap),
        "secret" | "secrets" => config(ConfigKind::Secret),
        "po" | "pod" | "pods" => workload("Pod"),
        "svc" | "service" | "services" => Target::Service { name },
        _ => return Err(format!("there is no type `{kind}`; {ACCEPTED}")),
    };
    Ok(found)
}

/// The same, of something that logs.
pub(super) fn client(text: &str) -> Result<Target, String> {
    match parse(text)? {
        Target::Config { .. } => {
            Err("a config logs nothing; name a workload, a pod or a Service".to_owned())
        }
        target => Ok(target),
    }
}

/// `deployments.apps` and `deployments.v1.apps` are `deployments` in the group apps.
fn without_group(kind: &str) -> (&str, bool) {
    let group = kind.strip_suffix(".v1.apps").or(kind.strip_suffix(".apps"));
    (group.unwrap_or(kind), group.is_some())
}

/// A DNS subdomain, which all of these are named by.
fn is_name(name: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = name.as_bytes();
    name.len() <= 253
        && bytes.first().copied().is_some_and(inner)
        && bytes.last().copied().is_some_and(inner)
        && bytes.iter().all(|&b| inner(b) || b == b'-' || b == b'.')
}
