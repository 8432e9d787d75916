//! Where nothing is wrong as far as is known: whether the config of the same name in another namespace was edited instead.

use std::collections::BTreeSet;

use crate::model::{ConfigKind, ConfigRef, Snapshot, Want};

/// Configs of which that is asked: each is a list over all namespaces.
const ASKED: usize = 20;

/// Those that something writes into every namespace.
const EVERYWHERE: [&str; 4] = [
    "kube-root-ca.crt",
    "openshift-service-ca.crt",
    "istio-ca-root-cert",
    "linkerd-identity-trust-roots",
];

/// With all namespaces read there is nothing to ask. The first one tells whether the right is there; without it nothing more is
/// asked.
pub(crate) fn namesakes(snapshot: &Snapshot, taken: &BTreeSet<ConfigRef>) -> Vec<Want> {
    if snapshot.scope.namespace.is_none() {
        return Vec::new();
    }
    let asked = |want: &Want| matches!(want, Want::Namesakes { .. });
    let first = !snapshot.asked.iter().any(asked);
    let refused = snapshot
        .gaps
        .iter()
        .any(|gap| gap.resource == "configmaps" && gap.namespace.is_none() && gap.name.is_some());
    if refused {
        return Vec::new();
    }
    let plain = taken.iter().filter(|config| {
        config.kind == ConfigKind::ConfigMap && !EVERYWHERE.contains(&config.name.as_str())
    });
    let wants = plain.take(ASKED).map(|config| Want::Namesakes {
        config: config.clone(),
    });
    wants
        .filter(|want| !snapshot.asked.contains(want))
        .take(if first { 1 } else { ASKED })
        .collect()
}
