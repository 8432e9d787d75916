//! owner-will-undo: somebody else keeps the config, or restarts the workload by itself: who, how soon, and how that is suspended.
//!
//! Whether and how soon they act is set where they are, and mostly not read: what is said of it are their defaults, called so.

use std::collections::BTreeMap;

use super::Decision;
use super::words::asks_reloader;
use crate::analysis::case::Case;
use crate::analysis::evidence::{Book, show_config};
use crate::analysis::incident::{Code, Finding};
use crate::analysis::names::quote;
use crate::model::Labels;

type Marks = BTreeMap<String, String>;

/// Each of those who keep configs, by what they leave on the object.
const OWNERS: [fn(&Case<'_>, &Marks) -> Option<String>; 5] =
    [argo_cd, flux_kustomization, flux_helm, helm, operator];

pub(super) fn decide(case: &Case<'_>, book: &mut Book<'_>) -> Decision {
    let marks = &case.config.owner_marks;
    let mut parts: Vec<String> = OWNERS
        .iter()
        .filter_map(|owner| owner(case, marks))
        .collect();
    let mut evidence = Vec::new();
    if !parts.is_empty() {
        let shown: Vec<String> = marks
            .iter()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        evidence.push(book.add(
            format!("{}, who keeps it", case.config.reference),
            &show_config(&case.config.reference),
            case.snapshot.taken_at,
            shown.join("\n"),
        ));
    }
    let workload = case.index.workload(&case.workload);
    let reloader = workload.and_then(|workload| reloader(case, &workload.marks));
    parts.extend(reloader);
    if parts.is_empty() {
        return Decision::No;
    }
    if evidence.is_empty() {
        evidence.extend(case.history.evidence.first());
    }
    Decision::Yes(Finding {
        code: Code::OwnerWillUndo,
        sentence: format!("{}.", parts.join(". ")),
        evidence,
    })
}

/// A tracking annotation is `APP:GROUP/KIND:NAMESPACE/NAME`; the label is the application's name. Its controller looks at Git every
/// 3 minutes by default, and undoes a change of what is live within seconds where `selfHeal` is on (argo-cd.readthedocs.io, Automated
/// Sync Policy).
fn argo_cd(_: &Case<'_>, marks: &Marks) -> Option<String> {
    let tracking = marks.get("argocd.argoproj.io/tracking-id");
    let app = tracking
        .and_then(|id| id.split(':').next())
        .or_else(|| marks.get("argocd.argoproj.io/instance").map(String::as_str))?;
    // An application of another namespace than Argo CD's own is called NAMESPACE_NAME.
    let (namespace, app) = app.split_once('_').unwrap_or(("argocd", app));
    Some(format!(
        "Argo CD keeps it (Application {app}): with self-heal it undoes a change within seconds, with automated sync alone it puts back what Git says at the next commit, and looks at Git every 3 minutes by default; which is on, `kubectl get applications.argoproj.io {} -n {} -o jsonpath='{{.spec.syncPolicy}}'` says. Change it in Git, or suspend it first: `argocd app set {} --sync-policy none`",
        quote(app),
        quote(namespace),
        quote(app)
    ))
}

/// A Kustomization corrects what drifted at each interval (fluxcd.io, Kustomization, Drift correction).
fn flux_kustomization(_: &Case<'_>, marks: &Marks) -> Option<String> {
    let name = marks.get("kustomize.toolkit.fluxcd.io/name")?;
    let namespace = marks
        .get("kustomize.toolkit.fluxcd.io/namespace")
        .map_or("flux-system", String::as_str);
    Some(format!(
        "Flux keeps it (Kustomization {namespace}/{name}): it puts back what Git says at each interval, which `kubectl get kustomizations.kustomize.toolkit.fluxcd.io {} -n {} -o jsonpath='{{.spec.interval}}'` tells. Change it in Git, or suspend it first: `flux suspend kustomization {} -n {}`",
        quote(name),
        quote(namespace),
        quote(name),
        quote(namespace)
    ))
}

/// A HelmRelease corrects drift only where `driftDetection.mode` is `enabled`, which it is not by default (fluxcd.io, HelmRelease).
fn flux_helm(_: &Case<'_>, marks: &Marks) -> Option<String> {
    let name = marks.get("helm.toolkit.fluxcd.io/name")?;
    let namespace = marks
        .get("helm.toolkit.fluxcd.io/namespace")
        .map_or("flux-system", String::as_str);
    Some(format!(
        "Flux keeps it (HelmRelease {namespace}/{name}): with drift detection on (it is off by default) it puts back the chart's content at each interval, else at its next upgrade. Suspend it first: `flux suspend helmrelease {} -n {}`",
        quote(name),
        quote(namespace)
    ))
}

/// Helm 3 patches as kubectl's client-side apply does; Helm 4 applies on the server by default, and then whoever else owns a key is in
/// its way.
fn helm(case: &Case<'_>, marks: &Marks) -> Option<String> {
    let by_flux = marks.contains_key("helm.toolkit.fluxcd.io/name");
    let release = marks
        .get("meta.helm.sh/release-name")
        .filter(|_| !by_flux)?;
    let namespace = marks
        .get("meta.helm.sh/release-namespace")
        .map_or(case.workload.namespace.as_str(), String::as_str);
    let managed = || case.config.managed.iter().filter(|e| e.manager == "helm");
    let server_side = managed().any(|e| e.operation == "Apply");
    let others: Vec<&str> = case
        .config
        .managed
        .iter()
        .filter(|e| e.manager != "helm" && !e.data_keys.is_empty())
        .map(|e| e.manager.as_str())
        .collect();
    let by_hand = match others.as_slice() {
        [] => String::new(),
        some => format!(
            " Some of its keys were last written by {}, not by Helm.",
            some.join(", ")
        ),
    };
    let how = if server_side {
        "it is applied on the server, so the next upgrade fails with a conflict on the keys that somebody else wrote, or with --force-conflicts puts the chart's content back"
    } else {
        "it is patched by the client, so the next upgrade or rollback puts the chart's content back where the chart sets it"
    };
    Some(format!(
        "Helm keeps it (release {release}): nothing undoes a change by itself; {how}.{by_hand} Change it in the chart's values: `helm get values {} -n {}` shows those of now",
        quote(release),
        quote(namespace)
    ))
}

/// A controlling owner writes it again whenever it likes.
fn operator(_: &Case<'_>, marks: &Marks) -> Option<String> {
    let owner = marks.get("ownerReferences")?;
    Some(format!(
        "{owner} owns it, so its operator may write it again at any time; how soon, and how that is suspended, is the operator's to say. Change {owner} instead"
    ))
}

/// Stakater Reloader restarts a workload when a config changes that it is told of, or all that it takes.
fn reloader(case: &Case<'_>, marks: &Labels) -> Option<String> {
    let config = &case.config.reference;
    asks_reloader(marks.iter(), config).map(|_| {
        format!(
            "Reloader is asked to restart {} when {} changes: a revert restarts it by itself, so do not restart it twice. Pause it with the annotation reloader.stakater.com/auto: \"false\" on {}",
            case.workload.name, config.name, case.workload
        )
    })
}
