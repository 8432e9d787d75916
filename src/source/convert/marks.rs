//! Labels and annotations by which others say that they keep an object or restart it by themselves, and by which a template
//! follows a content. All else stays unread: annotations hold whole manifests, and values of Secrets.

use std::collections::BTreeMap;

use crate::model::Labels;

/// Of whoever keeps an object: Argo CD, Flux, Helm.
const OWNERS: [&str; 4] = [
    "argocd.argoproj.io/",
    "kustomize.toolkit.fluxcd.io/",
    "helm.toolkit.fluxcd.io/",
    "meta.helm.sh/",
];
const OWNER_NAMES: [&str; 3] = [
    "app.kubernetes.io/managed-by",
    "app.kubernetes.io/instance",
    "helm.sh/chart",
];
/// Of whoever restarts a workload when a config changes: Stakater Reloader, and its kin.
const RELOADERS: [&str; 3] = [
    "reloader.stakater.com/",
    "configmap.reloader.stakater.com/",
    "secret.reloader.stakater.com/",
];
/// What a template holds for a restart: `kubectl rollout restart`, kube's own, and of sidecars that they were injected.
const TEMPLATE_NAMES: [&str; 4] = [
    "kubectl.kubernetes.io/restartedAt",
    "kube.kubernetes.io/restartedAt",
    "sidecar.istio.io/status",
    "linkerd.io/proxy-version",
];

pub(super) fn names_owner(name: &str) -> bool {
    OWNERS.iter().any(|prefix| name.starts_with(prefix)) || OWNER_NAMES.contains(&name)
}

fn names_reloader(name: &str) -> bool {
    RELOADERS.iter().any(|prefix| name.starts_with(prefix))
}

/// `checksum/config`, as Helm charts write the hash of a content into the template.
fn is_checksum(name: &str) -> bool {
    name.starts_with("checksum/") || name.starts_with("checksum-")
}

type Pairs = Option<BTreeMap<String, String>>;

/// Those of an object.
pub(super) fn of_object(labels: &Pairs, annotations: &Pairs) -> Labels {
    let all = labels.iter().chain(annotations).flatten();
    let telling = all.filter(|(name, _)| names_owner(name) || names_reloader(name));
    telling.map(short).collect()
}

/// Those of a template, and of the pods that are made of it.
pub(super) fn of_template(annotations: &Pairs) -> Labels {
    let all = annotations.iter().flatten();
    let telling = all.filter(|(name, _)| {
        is_checksum(name) || names_reloader(name) || TEMPLATE_NAMES.contains(&name.as_str())
    });
    telling.map(short).collect()
}

/// What an injector writes of itself may be long, and that it is there is what counts.
fn short((name, value): (&String, &String)) -> (String, String) {
    const LONGEST: usize = 200;
    (name.clone(), value.chars().take(LONGEST).collect())
}
