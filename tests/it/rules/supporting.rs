//! The rules that only support a cause.

use confsplit::analysis::{Code, Diagnosis, diagnose};
use confsplit::model::{Gap, GapReason, Labels, Need, Snapshot, Workload, WorkloadRef};

use super::{codes, features};
use crate::build::*;

fn sentence(report: &Diagnosis, code: Code) -> Option<String> {
    let all = report.incidents.iter().flat_map(|i| &i.findings);
    all.filter(|f| f.code == code)
        .map(|f| f.sentence.clone())
        .next()
}

fn marks(pairs: &[(&str, &str)]) -> Labels {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    pairs.iter().map(owned).collect()
}

/// A stale workload with its Deployment and the ReplicaSet of its template, which was made at 0.
fn stale() -> Snapshot {
    let mut s = features(&[("a", 1), ("b", 2)]);
    let set = Workload {
        reference: WorkloadRef::new("ReplicaSet", NS, "catalog-76d98597b9"),
        owner: Some(WorkloadRef::new("Deployment", NS, "catalog")),
        revision: Some("2".to_owned()),
        created: Some(t(0)),
        ..deployment("catalog", 2)
    };
    s.workloads = shared(vec![deployment("catalog", 2), set]);
    s
}

#[test]
fn a_checksum_that_did_not_move_is_told() {
    let mut s = stale();
    assert_eq!(sentence(&diagnose(&s), Code::ChecksumStale), None);
    s.workloads[0].template_marks = marks(&[("checksum/config", "ab12")]);
    let said = sentence(&diagnose(&s), Code::ChecksumStale).unwrap();
    assert!(
        said.contains("holds checksum/config: ab12, and was made at 20:35:00 UTC, before the edit"),
        "{said}"
    );
    // A template that came after the edit moved with it.
    s.workloads[1].created = Some(t(90));
    assert_eq!(sentence(&diagnose(&s), Code::ChecksumStale), None);
    // Without ReplicaSets it is not known when the template was made.
    s.workloads.remove(1);
    let report = diagnose(&s);
    assert_eq!(sentence(&report, Code::ChecksumStale), None);
    let open = &report.incidents[0].cannot_tell;
    assert!(
        open.iter().any(|(code, _)| *code == Code::ChecksumStale),
        "{open:?}"
    );
}

#[test]
fn a_reloader_that_did_not_act_is_told() {
    let mut s = stale();
    s.workloads[0].marks = marks(&[("configmap.reloader.stakater.com/reload", "other, features")]);
    let report = diagnose(&s);
    let said = sentence(&report, Code::ChecksumStale).unwrap();
    assert!(said.contains("Reloader did not act"), "{said}");
    let said = sentence(&report, Code::OwnerWillUndo).unwrap();
    assert!(said.contains("a revert restarts it by itself"), "{said}");
    // It is asked for another config.
    s.workloads[0].marks = marks(&[("configmap.reloader.stakater.com/reload", "other")]);
    assert_eq!(sentence(&diagnose(&s), Code::ChecksumStale), None);
    // It is given its time.
    s.workloads[0].marks = marks(&[("reloader.stakater.com/auto", "true")]);
    s.taken_at = t(80);
    assert_eq!(sentence(&diagnose(&s), Code::ChecksumStale), None);
}

#[test]
fn an_undo_that_would_not_start_is_told() {
    let mut s = stale();
    let mut older = (*s.workloads[1]).clone();
    older.reference.name = "catalog-5c5b4d5b4d".to_owned();
    older.revision = Some("1".to_owned());
    older.desired = Some(0);
    older.needs = vec![Need {
        config: config_ref("features-old"),
        key: None,
    }];
    s.workloads.push(older.into());
    let said = sentence(&diagnose(&s), Code::RollbackBroken).unwrap();
    assert!(
        said.contains("revision 1 of catalog (catalog-5c5b4d5b4d) names ConfigMap/features-old, which is not there any more"),
        "{said}"
    );
    s.workloads[2].needs = vec![Need {
        config: config_ref("features"),
        key: Some("GONE".to_owned()),
    }];
    let said = sentence(&diagnose(&s), Code::RollbackBroken).unwrap();
    assert!(
        said.contains("names key GONE of ConfigMap/features"),
        "{said}"
    );
    s.workloads[2].needs[0].key = Some("FEATURE_RECS".to_owned());
    assert_eq!(sentence(&diagnose(&s), Code::RollbackBroken), None);
    s.gaps = vec![Gap {
        verb: "list".to_owned(),
        resource: "replicasets".to_owned(),
        namespace: Some(NS.to_owned()),
        name: None,
        reason: GapReason::Forbidden,
    }];
    let open = &diagnose(&s).incidents[0].cannot_tell;
    assert!(
        open.iter().any(|(code, _)| *code == Code::RollbackBroken),
        "{open:?}"
    );
}

/// The stale workload, whose config bears these marks.
fn owned(pairs: &[(&str, &str)]) -> Option<String> {
    let mut s = stale();
    s.configs[0].owner_marks = pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    sentence(&diagnose(&s), Code::OwnerWillUndo)
}

#[test]
fn whoever_keeps_the_config_is_named_with_how_soon_and_how_to_suspend_it() {
    assert_eq!(owned(&[]), None);
    // Other tools write this label, too.
    assert_eq!(owned(&[("app.kubernetes.io/instance", "shop")]), None);
    let argo = owned(&[(
        "argocd.argoproj.io/tracking-id",
        "shop:/ConfigMap:shop/features",
    )])
    .unwrap();
    for part in [
        "Argo CD keeps it (Application shop)",
        "every 3 minutes by default",
        "argocd app set shop --sync-policy none",
    ] {
        assert!(argo.contains(part), "{part:?} is not in {argo:?}");
    }
    let flux = owned(&[
        ("kustomize.toolkit.fluxcd.io/name", "apps"),
        ("kustomize.toolkit.fluxcd.io/namespace", "flux-system"),
    ])
    .unwrap();
    assert!(
        flux.contains("flux suspend kustomization apps -n flux-system"),
        "{flux}"
    );
    let release = owned(&[
        ("helm.toolkit.fluxcd.io/name", "shop"),
        ("meta.helm.sh/release-name", "shop"),
    ])
    .unwrap();
    assert!(
        release.contains("flux suspend helmrelease shop"),
        "{release}"
    );
    assert!(!release.contains("helm get values"), "{release}");
    let operator = owned(&[("ownerReferences", "Kafka/events")]).unwrap();
    assert!(operator.contains("Kafka/events owns it"), "{operator}");
}

#[test]
fn helm_undoes_nothing_by_itself_and_how_it_applies_matters() {
    let marks = [("meta.helm.sh/release-name", "shop")];
    let client = owned(&marks).unwrap();
    assert!(client.contains("patched by the client"), "{client}");
    assert!(
        client.contains("nothing undoes a change by itself"),
        "{client}"
    );
    let mut s = stale();
    s.configs[0].owner_marks = [("meta.helm.sh/release-name".to_owned(), "shop".to_owned())].into();
    s.configs[0].managed[0].manager = "helm".to_owned();
    s.configs[0].managed[0].operation = "Apply".to_owned();
    let server = sentence(&diagnose(&s), Code::OwnerWillUndo).unwrap();
    assert!(server.contains("fails with a conflict"), "{server}");
    assert!(
        server.contains("last written by kubectl-patch, not by Helm"),
        "{server}"
    );
}

#[test]
fn while_files_are_being_swapped_it_says_for_how_long_to_wait() {
    let before = config("app-settings", 0, 400, &[("settings.yaml", "mode: blue\n")]);
    let live = patched(&before, 60, 500, "settings.yaml", "mode: green\n");
    let mut s = snapshot();
    let volume = Take::Volume("app-settings", "/etc/app");
    let env = Take::EnvFrom("app-settings");
    s.pods = shared(vec![
        pod("worker", "files", 1, &volume),
        pod("worker", "env-1", 1, &env),
        pod("worker", "env-2", 70, &env),
    ]);
    s.configs = shared(vec![live]);
    s.earlier = vec![earlier(&[&before], confsplit::model::ChainEnd::Created)];
    s.taken_at = t(90);
    let said = sentence(&diagnose(&s), Code::Syncing).unwrap();
    assert!(said.contains("written 29 s ago: wait 91 s"), "{said}");
    s.taken_at = t(300);
    assert_eq!(sentence(&diagnose(&s), Code::Syncing), None);
}

#[test]
fn pods_of_one_template_with_other_containers_were_injected_into() {
    let mut s = features(&[("a", 1), ("b", 100)]);
    assert_eq!(sentence(&diagnose(&s), Code::SplitInjected), None);
    let mut proxy = s.pods[1].containers[0].clone();
    proxy.name = "istio-proxy".to_owned();
    proxy.image = "istio/proxyv2:1.28".to_owned();
    proxy.env_from.clear();
    s.pods[1].containers.push(proxy);
    let report = diagnose(&s);
    let said = sentence(&report, Code::SplitInjected).unwrap();
    assert!(
        said.contains("istio-proxy (istio/proxyv2:1.28) is in 76d98597b9-b only"),
        "{said}"
    );
    assert_eq!(codes(&report)[0], Code::SplitReplicas);
    // Of another template it is no surprise.
    s.pods[1].owner = Some(WorkloadRef::new("ReplicaSet", NS, "catalog-5c5b4d5b4d"));
    assert_eq!(sentence(&diagnose(&s), Code::SplitInjected), None);
}
