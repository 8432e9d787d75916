//! What keeps an edit from reaching only some pods the next time, rendered for this workload and config.

use serde_json::json;

use crate::analysis::{Incident, Revision, kubectl, quote};
use crate::model::{Cluster, ConfigKind, Content};

/// Each a sentence, and the text that does it.
pub fn prevention(incident: &Incident, cluster: &Cluster) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let rolls = matches!(
        incident.workload.kind.as_str(),
        "Deployment" | "StatefulSet" | "DaemonSet"
    );
    // Of a Secret the hash is salted for this run.
    let plain = incident.config.kind == ConfigKind::ConfigMap;
    if rolls {
        all.extend(checksum(incident, cluster).filter(|_| plain));
        all.push(helm(incident));
    }
    all.extend(versioned(incident));
    all.push(alert(incident));
    all
}

/// The revision that is to stay: what would be put back, where what is live fails; and nothing where that is not known.
fn kept(incident: &Incident) -> Option<&Revision> {
    let put_back = incident.put_back.as_ref();
    let name = match incident.failing {
        Some(_) => &put_back?.revision,
        None => &incident.revisions.last()?.name,
    };
    incident.revisions.iter().find(|r| r.name == *name)
}

/// The template changes with the content, so that an edit rolls out.
fn checksum(incident: &Incident, cluster: &Cluster) -> Option<(String, String)> {
    let mark = kept(incident)?.hash.as_ref()?;
    let name = format!("checksum/{}", incident.config.name);
    let patch = json!({"spec": {"template": {"metadata": {"annotations": {name: mark}}}}});
    let workload = &incident.workload;
    Some((
        format!(
            "A checksum of {} in the template, changed with every edit by whoever edits: the edit then rolls out to every pod. Only after the remedy: this sets it once, for the content that is to stay, and rolls out",
            incident.config
        ),
        format!(
            "{} -n {} patch {}/{} --type merge -p {}",
            kubectl(cluster),
            quote(&workload.namespace),
            workload.kind.to_lowercase(),
            quote(&workload.name),
            quote(&patch.to_string())
        ),
    ))
}

fn helm(incident: &Incident) -> (String, String) {
    (
        "The same in a Helm chart's template, and in Kustomize by `configMapGenerator`, which names each content anew".to_owned(),
        format!(
            "annotations:\n  checksum/{}: {{{{ include (print $.Template.BasePath \"/{}.yaml\") . | sha256sum }}}}",
            incident.config.name, incident.config.name
        ),
    )
}

/// A config that never changes: another content is another name, and the template names it.
fn versioned(incident: &Incident) -> Option<(String, String)> {
    use base64::Engine;
    let kept = kept(incident)?;
    let (Some(Content::Plain { data, binary }), Some(hash)) = (&kept.content, &kept.hash) else {
        return None;
    };
    let short: String = hash.chars().take(8).collect();
    let mut object = json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": format!("{}-{short}", incident.config.name), "namespace": incident.config.namespace},
        "immutable": true,
        "data": data,
    });
    if !binary.is_empty() {
        let engine = base64::engine::general_purpose::STANDARD;
        let encoded = binary
            .iter()
            .map(|(key, bytes)| (key.clone(), json!(engine.encode(bytes))));
        object["binaryData"] = encoded.collect::<serde_json::Map<_, _>>().into();
    }
    Some((
        "After the remedy: a config that is never edited, each content under a name of its own, immutable, and named in the template (JSON is YAML)".to_owned(),
        format!("{object:#}"),
    ))
}

/// Pods that are older than the last write of the config that they take.
fn alert(incident: &Incident) -> (String, String) {
    let (config, workload) = (&incident.config, &incident.workload);
    let name = format!("{}-config-split", workload.name);
    let created = format!(
        "kube_pod_created{{namespace=\"{}\", pod=~\"{}-.*\"}}",
        config.namespace, workload.name
    );
    let kind = kind(incident);
    let rule = json!({
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": {"name": name, "namespace": config.namespace},
        "spec": {"groups": [{"name": name, "rules": [{
            "alert": "ConfigReachedOnlySomePods",
            "expr": format!("count(count_values(\"version\", {}) ) > 1", version(incident)),
            "for": "10m",
            "labels": {"severity": "warning"},
            "annotations": {
                "summary": format!("{workload} runs more than one version of {config}"),
                "description": format!("See `confsplit -n {} {}/{}`.", config.namespace, workload.kind.to_lowercase(), workload.name),
            },
        }, {
            "alert": "ConfigEditedAfterPodsStarted",
            "expr": format!(
                "max(changes(kube_{kind}_metadata_resource_version{{namespace=\"{}\", {kind}=\"{}\"}}[15m])) > 0 and on() (min({created}) < time() - 900)",
                config.namespace, config.name,
            ),
            "labels": {"severity": "warning"},
            "annotations": {"summary": format!("{config} was edited within 15 min, and pods of {workload} are older than that")},
        }]}]},
    });
    (
        "An alert (Prometheus Operator, with kube-state-metrics): the first rule needs that each process tells its configuration's version as a metric, the second does not".to_owned(),
        format!("{rule:#}"),
    )
}

fn kind(incident: &Incident) -> &'static str {
    match incident.config.kind {
        ConfigKind::ConfigMap => "configmap",
        ConfigKind::Secret => "secret",
    }
}

fn version(incident: &Incident) -> String {
    format!(
        "config_version{{namespace=\"{}\", pod=~\"{}-.*\"}}",
        incident.config.namespace, incident.workload.name
    )
}
