//! The causes beside a plain split: what is missing, named otherwise, edited back, made again, edited elsewhere, or of another source.

use chrono::TimeDelta;
use confsplit::analysis::{Code, Diagnosis, diagnose, wanted};
use confsplit::model::{
    ChainEnd, Condition, Config, ContainerState, EarlierConfig, Gap, GapReason, Namesake, Pod,
    Snapshot, Want, Workload, WorkloadRef,
};
use confsplit::remedy::{PlanKind, plans};

use super::{codes, features, loads, only};
use crate::build::*;

fn cannot_tell(report: &Diagnosis, code: Code) -> Option<String> {
    let rule = format!("Rule {code} ");
    let told = report.not_checked.iter();
    let told = told
        .filter(|n| n.what.starts_with(&rule))
        .map(|n| n.why.clone());
    let of_incidents = report.incidents.iter().flat_map(|i| &i.cannot_tell);
    let of_incidents = of_incidents
        .filter(|(c, _)| *c == code)
        .map(|(_, why)| why.clone());
    told.chain(of_incidents).next()
}

fn sentence(report: &Diagnosis, code: Code) -> String {
    let all = report.incidents.iter().flat_map(|i| &i.findings);
    let found: Vec<&str> = all
        .filter(|f| f.code == code)
        .map(|f| f.sentence.as_str())
        .collect();
    assert_eq!(found.len(), 1, "{code}: {:?}", report.incidents);
    found[0].to_owned()
}

/// The pod while its container waits for something that is not there.
fn waiting(mut pod: Pod, message: &str) -> Pod {
    pod.ready = false;
    pod.phase = "Pending".to_owned();
    let status = pod.containers[0].status.as_mut().unwrap();
    status.ready = false;
    status.container_id = None;
    status.state = ContainerState::Waiting {
        reason: "CreateContainerConfigError".to_owned(),
        message: message.to_owned(),
    };
    pod
}

#[test]
fn a_key_that_an_edit_took_away_is_named_with_the_edit() {
    use confsplit::model::{EnvSource, EnvVar};
    let before = config(
        "features",
        0,
        400,
        &[("FEATURE_RECS", "on"), ("TIMEOUT_MS", "800")],
    );
    let mut live = patched(&before, 60, 500, "FEATURE_RECS", "off");
    if let Some(confsplit::model::Content::Plain { data, .. }) = &mut live.content {
        data.remove("TIMEOUT_MS");
    }
    let mut s = features(&[("a", 1), ("b", 100)]);
    s.configs = shared(vec![live]);
    s.earlier = vec![earlier(&[&before], ChainEnd::Created)];
    for pod in &mut s.pods {
        pod.containers[0].env_from.clear();
        pod.containers[0].env = vec![EnvVar {
            name: "TIMEOUT_MS".to_owned(),
            source: EnvSource::Key {
                config: config_ref("features"),
                key: "TIMEOUT_MS".to_owned(),
                optional: false,
            },
        }];
    }
    let young = waiting(
        (*s.pods[1]).clone(),
        "couldn't find key TIMEOUT_MS in ConfigMap shop/features",
    );
    s.pods[1] = young.into();
    let report = diagnose(&s);
    let said = sentence(&report, Code::MissingReference);
    assert_eq!(codes(&report)[0], Code::MissingReference);
    for part in [
        "1 pod of catalog cannot start",
        "does not hold key TIMEOUT_MS, which app needs",
        "by kubectl-patch (person not recorded) took it away",
        "revision A still held it",
        "The kubelet says: couldn't find key TIMEOUT_MS in ConfigMap shop/features",
        "1 replica still runs, and its next start fails as well: do not restart it",
    ] {
        assert!(said.contains(part), "{part:?} is not in {said:?}");
    }
    let plans = plans(only(&report), &report.cluster);
    assert!(plans[0].recommended);
    let commands: Vec<&str> = plans[0].steps.iter().map(|s| s.command.as_str()).collect();
    assert!(
        commands.iter().any(|c| c.contains("TIMEOUT_MS")),
        "{commands:?}"
    );
    assert!(
        !commands.iter().any(|c| c.contains("rollout restart")),
        "{commands:?}"
    );

    // With the key there nothing is missing, whatever the kubelet said last.
    s.configs = shared(vec![patched(&before, 60, 500, "FEATURE_RECS", "off")]);
    assert!(!codes(&diagnose(&s)).contains(&Code::MissingReference));
}

#[test]
fn a_config_that_is_gone_is_named_and_looked_for_in_the_past() {
    let mut s = features(&[("a", 1), ("b", 100)]);
    let before = config("features", 0, 400, &[("FEATURE_RECS", "on")]);
    s.configs.clear();
    s.earlier.clear();
    s.pods[1] = waiting((*s.pods[1]).clone(), "configmap \"features\" not found").into();
    s.pods[1].resource_version = "900".to_owned();
    let former = Want::Former {
        config: config_ref("features"),
        resource_version: "900".to_owned(),
    };
    assert!(wanted(&s).contains(&former), "{:?}", wanted(&s));
    s.asked.insert(former);
    let report = diagnose(&s);
    let said = sentence(&report, Code::MissingReference);
    assert!(
        said.contains(
            "ConfigMap features, which app needs, is not there. Whether it ever was, is not known."
        ),
        "{said}"
    );
    assert!(
        plans(only(&report), &report.cluster)[0].steps[0]
            .what
            .contains("was not recovered")
    );

    s.earlier = vec![EarlierConfig {
        reference: config_ref("features"),
        versions: vec![before],
        end: ChainEnd::Compacted,
        read_at: t(600),
    }];
    let report = diagnose(&s);
    let incident = only(&report);
    let said = sentence(&report, Code::MissingReference);
    assert!(
        said.contains("its last content is recovered from the API server's history"),
        "{said}"
    );
    assert_eq!(incident.revisions.len(), 1);
    assert!(!incident.revisions[0].live);
    let step = &plans(incident, &report.cluster)[0].steps[0];
    assert!(
        step.command.contains("\"FEATURE_RECS\":\"on\""),
        "{}",
        step.command
    );
    assert!(step.command.contains("create -f -"), "{}", step.command);
}

#[test]
fn without_the_right_to_list_only_what_the_kubelet_says_counts() {
    let mut s = features(&[("a", 1), ("b", 100)]);
    s.configs.clear();
    s.earlier.clear();
    s.gaps = vec![Gap {
        verb: "list".to_owned(),
        resource: "configmaps".to_owned(),
        namespace: Some(NS.to_owned()),
        name: None,
        reason: GapReason::Forbidden,
    }];
    s.pods[1] = waiting((*s.pods[1]).clone(), "").into();
    assert!(diagnose(&s).incidents.is_empty());
    s.pods[1] = waiting((*s.pods[1]).clone(), "configmap \"features\" not found").into();
    assert_eq!(codes(&diagnose(&s))[0], Code::MissingReference);
}

/// Three pods: two name settings-v1, the young one settings-v2.
fn repointed() -> Snapshot {
    let mut s = snapshot();
    let settings = |name: &str, version, mode| {
        let mut config = config(name, 0, version, &[("mode", mode)]);
        config.immutable = true;
        config
    };
    s.configs = shared(vec![
        settings("settings-v1", 400, "blue"),
        settings("settings-v2", 401, "green"),
    ]);
    let young = {
        let mut pod = pod("web", "new1", 100, &Take::EnvFrom("settings-v2"));
        pod.owner = Some(WorkloadRef::new("ReplicaSet", NS, "web-5c5b4d5b4d"));
        pod
    };
    s.pods = shared(vec![
        pod("web", "old1", 2, &Take::EnvFrom("settings-v1")),
        pod("web", "old2", 2, &Take::EnvFrom("settings-v1")),
        young,
    ]);
    let set = |name: &str, revision: &str, config: &str, created| Workload {
        reference: WorkloadRef::new("ReplicaSet", NS, name),
        owner: Some(WorkloadRef::new("Deployment", NS, "web")),
        revision: Some(revision.to_owned()),
        configs: vec![config_ref(config)],
        created: Some(t(created)),
        ..deployment("web", 3)
    };
    let mut web = deployment("web", 3);
    web.configs = vec![config_ref("settings-v2")];
    s.workloads = shared(vec![
        web,
        set("web-76d98597b9", "1", "settings-v1", 1),
        set("web-5c5b4d5b4d", "2", "settings-v2", 99),
    ]);
    s
}

#[test]
fn replicas_that_name_different_configs_are_split_by_reference() {
    let mut s = repointed();
    s.workloads[0].paused = true;
    let report = diagnose(&s);
    let incident = only(&report);
    assert_eq!(codes(&report)[0], Code::SplitReference);
    let said = sentence(&report, Code::SplitReference);
    assert!(
        said.contains("1 of 3 web pods names ConfigMap/settings-v2, as the template does now; 2 still name ConfigMap/settings-v1"),
        "{said}"
    );
    assert!(said.contains("Deployment/web is paused"), "{said}");
    assert_eq!(incident.config.name, "settings-v2");
    let names: Vec<_> = incident
        .revisions
        .iter()
        .map(|r| (r.name.as_str(), r.config.name.as_str(), r.live))
        .collect();
    assert_eq!(
        names,
        [("A", "settings-v1", false), ("B", "settings-v2", true)]
    );
    let live: Vec<_> = loads(incident)
        .into_iter()
        .map(|(pod, loaded, live, _)| (pod, loaded.unwrap(), live))
        .collect();
    assert_eq!(
        live,
        [
            ("old1".to_owned(), "A".to_owned(), Some(false)),
            ("old2".to_owned(), "A".to_owned(), Some(false)),
            ("new1".to_owned(), "B".to_owned(), Some(true))
        ]
    );
    let plans = plans(incident, &report.cluster);
    assert_eq!(plans[0].kind, PlanKind::Repoint);
    assert!(plans[0].recommended);
}

#[test]
fn why_the_rollout_stopped_is_told_and_one_under_way_is_no_finding() {
    let mut s = repointed();
    let report = diagnose(&s);
    assert!(report.incidents.is_empty(), "{:?}", codes(&report));
    let open = cannot_tell(&report, Code::SplitReference).unwrap();
    assert!(open.contains("the rollout may be under way"), "{open}");

    let condition = |kind: &str, holds, message: &str| Condition {
        kind: kind.to_owned(),
        holds,
        reason: "FailedCreate".to_owned(),
        message: message.to_owned(),
        since: Some(t(101)),
    };
    s.workloads[0].conditions = vec![condition(
        "ReplicaFailure",
        true,
        "pods \"web-x\" is forbidden: exceeded quota: small, requested: pods=1",
    )];
    let said = sentence(&diagnose(&s), Code::SplitReference);
    assert!(
        said.contains("a quota holds it up (pods \"web-x\" is forbidden: exceeded quota"),
        "{said}"
    );

    s.workloads[0].conditions = vec![condition(
        "Progressing",
        false,
        "ReplicaSet \"web-5c5b4d5b4d\" has timed out progressing.",
    )];
    let said = sentence(&diagnose(&s), Code::SplitReference);
    assert!(said.contains("past its deadline"), "{said}");

    s.workloads[0].conditions.clear();
    s.pods[2].containers[0].status.as_mut().unwrap().ready = false;
    let said = sentence(&diagnose(&s), Code::SplitReference);
    assert!(said.contains("not ready"), "{said}");

    // Nothing says why, and it is long past any deadline.
    s.pods[2].containers[0].status.as_mut().unwrap().ready = true;
    s.taken_at = t(4000);
    let said = sentence(&diagnose(&s), Code::SplitReference);
    assert!(said.contains("why it stopped is not known"), "{said}");
}

#[test]
fn a_canary_of_a_rollout_is_not_called_a_split() {
    let mut s = repointed();
    for workload in &mut s.workloads {
        if workload.reference.kind == "Deployment" {
            workload.reference.kind = "Rollout".to_owned();
        }
        if let Some(owner) = &mut workload.owner {
            owner.kind = "Rollout".to_owned();
        }
    }
    s.taken_at = t(4000);
    let report = diagnose(&s);
    assert!(report.incidents.is_empty(), "{:?}", codes(&report));
    let open = cannot_tell(&report, Code::SplitReference).unwrap();
    assert!(open.contains("canary of Rollout web is meant"), "{open}");
}

/// Edited at 60 and back at 120; `a` started before, `b` between, `c` after.
fn edited_back() -> Snapshot {
    let first = config("features", 0, 400, &[("FEATURE_RECS", "on")]);
    let second = patched(&first, 60, 500, "FEATURE_RECS", "off");
    let live = patched(&second, 120, 600, "FEATURE_RECS", "on");
    let mut s = features(&[("a", 1), ("b", 90), ("c", 150)]);
    s.configs = shared(vec![live]);
    s.earlier = vec![earlier(&[&first, &second], ChainEnd::Created)];
    s
}

#[test]
fn edited_and_edited_back_only_those_between_need_a_restart() {
    let report = diagnose(&edited_back());
    assert_eq!(codes(&report), [Code::EditedBack, Code::InPlaceEdit]);
    let said = sentence(&report, Code::EditedBack);
    for part in [
        "what is live is again what revision A held",
        "1 of 3 catalog replicas, 76d98597b9-b, started between and still runs revision B",
        "Only 76d98597b9-b needs a restart",
    ] {
        assert!(said.contains(part), "{part:?} is not in {said:?}");
    }
    let kinds: Vec<_> = plans(only(&report), &report.cluster)
        .iter()
        .map(|p| p.kind)
        .collect();
    assert_eq!(
        kinds,
        [PlanKind::RollForward],
        "there is nothing to put back"
    );

    let mut s = edited_back();
    s.pods.remove(1);
    assert!(
        diagnose(&s).incidents.is_empty(),
        "none loaded what was between"
    );

    // Too close to either edit to tell.
    let mut s = edited_back();
    let status = s.pods[1].containers[0].status.as_mut().unwrap();
    status.state = ContainerState::Running {
        started_at: Some(t(61)),
    };
    s.pods[1].created = Some(t(1));
    let report = diagnose(&s);
    assert!(report.incidents.is_empty());
    assert!(
        report
            .not_checked
            .iter()
            .any(|n| n.why.contains("ambiguous")),
        "{:?}",
        report.not_checked
    );
}

/// Deleted and made again at 60 with other content; its pods are older.
fn recreated() -> Snapshot {
    let mut s = features(&[("a", 1), ("b", 2)]);
    let former = config("features", 0, 400, &[("FEATURE_RECS", "on")]);
    let mut live = config("features", 60, 500, &[("FEATURE_RECS", "off")]);
    live.uid = "uid-2".to_owned();
    s.configs = shared(vec![live]);
    s.earlier = vec![earlier(&[&former], ChainEnd::Created)];
    s
}

#[test]
fn made_again_with_other_content_the_older_pods_hold_the_former_objects() {
    let report = diagnose(&recreated());
    assert_eq!(codes(&report)[0], Code::Recreated);
    let said = sentence(&report, Code::Recreated);
    for part in [
        "ConfigMap features was deleted and made again 20:36:00–20:36:01 UTC by kubectl-client-side-apply",
        "FEATURE_RECS on → off",
        "No replica of catalog has it: 76d98597b9-a and 76d98597b9-b still run what the former object held, revision A",
        "Its creationTimestamp is newer than they are",
    ] {
        assert!(said.contains(part), "{part:?} is not in {said:?}");
    }

    // One that started since has it: a split like any other.
    let mut s = recreated();
    s.pods
        .push(pod("catalog", "c", 100, &Take::EnvFrom("features")).into());
    assert_eq!(codes(&diagnose(&s))[0], Code::SplitReplicas);

    // What the former object held is forgotten.
    let mut s = recreated();
    s.earlier.clear();
    let report = diagnose(&s);
    assert!(report.incidents.is_empty());
    assert!(
        report
            .not_checked
            .iter()
            .any(|n| n.why.contains("hold a former one of its name")),
        "{:?}",
        report.not_checked
    );
}

/// Nothing was edited here; the namesake in `default` was made at 500.
fn elsewhere(takers: Option<u32>, value: &str) -> Snapshot {
    let mut s = features(&[("a", 1), ("b", 2)]);
    s.configs = shared(vec![config("features", 0, 400, &[("FEATURE_RECS", "on")])]);
    s.earlier.clear();
    let mut other: Config = config("features", 500, 700, &[("FEATURE_RECS", value)]);
    other.reference.namespace = "default".to_owned();
    s.namesakes = vec![Namesake {
        config: other,
        takers,
    }];
    s
}

#[test]
fn an_edit_that_went_to_another_namespace_is_found_there() {
    let report = diagnose(&elsewhere(Some(0), "off"));
    assert_eq!(codes(&report), [Code::EditedElsewhere]);
    let said = sentence(&report, Code::EditedElsewhere);
    for part in [
        "ConfigMap features in namespace default was written at 20:43:20",
        "no pod there takes it",
        "the one in namespace shop, which catalog takes, was written last at 20:35:00",
        "FEATURE_RECS on → off",
    ] {
        assert!(said.contains(part), "{part:?} is not in {said:?}");
    }
    assert!(plans(only(&report), &report.cluster).is_empty());

    assert!(
        diagnose(&elsewhere(Some(2), "off")).incidents.is_empty(),
        "it is somebody else's"
    );
    assert!(
        diagnose(&elsewhere(Some(0), "on")).incidents.is_empty(),
        "it is the same"
    );
    let report = diagnose(&elsewhere(None, "off"));
    assert!(report.incidents.is_empty());
    let open = cannot_tell(&report, Code::EditedElsewhere).unwrap();
    assert!(open.contains("its pods were not read"), "{open}");
}

#[test]
fn with_all_namespaces_read_the_pods_of_one_just_made_may_be_still_to_come() {
    let made = |ago: i64| {
        let mut s = elsewhere(None, "off");
        s.scope.namespace = None;
        let mut other = s.namesakes.remove(0).config;
        other.created = Some(s.taken_at - TimeDelta::seconds(ago));
        s.configs.push(other.into());
        diagnose(&s)
    };
    assert_eq!(codes(&made(60)), [Code::EditedElsewhere]);
    let report = made(59);
    assert!(report.incidents.is_empty());
    let open = cannot_tell(&report, Code::EditedElsewhere).unwrap();
    assert!(open.contains("it had only just been made"), "{open}");
}

#[test]
fn a_value_that_no_revision_ever_held_comes_from_elsewhere() {
    let mut s = features(&[("a", 100), ("b", 101)]);
    let pod = (*s.pods[0]).clone();
    s.probes = vec![environment(&pod, "FEATURE_RECS", "beta")];
    let report = diagnose(&s);
    let said = sentence(&report, Code::OtherSource);
    assert!(
        said.contains("holds FEATURE_RECS=beta, which is in no revision of ConfigMap features since it was created"),
        "{said}"
    );
    assert!(said.contains("look at a literal in the template"), "{said}");

    // A value of a revision is none.
    s.probes = vec![environment(&pod, "FEATURE_RECS", "off")];
    assert!(!codes(&diagnose(&s)).contains(&Code::OtherSource));

    // Where the history does not go back to the beginning, an earlier revision may have held it.
    s.probes = vec![environment(&pod, "FEATURE_RECS", "beta")];
    s.earlier[0].end = ChainEnd::Compacted;
    let report = diagnose(&s);
    assert!(!codes(&report).contains(&Code::OtherSource));
    assert!(
        cannot_tell(&report, Code::OtherSource)
            .unwrap()
            .contains("of an earlier revision that is not known"),
    );
}

#[test]
fn a_rollout_that_is_bringing_the_edit_is_no_finding() {
    let mut s = features(&[("a", 1), ("b", 2), ("c", 70)]);
    let new = WorkloadRef::new("ReplicaSet", NS, "catalog-5c5b4d5b4d");
    s.pods[2].owner = Some(new.clone());
    let set = |reference: WorkloadRef, revision: &str, created| Workload {
        reference,
        owner: Some(WorkloadRef::new("Deployment", NS, "catalog")),
        revision: Some(revision.to_owned()),
        created: Some(t(created)),
        ..deployment("catalog", 3)
    };
    let old = WorkloadRef::new("ReplicaSet", NS, "catalog-76d98597b9");
    s.workloads = shared(vec![
        deployment("catalog", 3),
        set(old, "1", 0),
        set(new, "2", 69),
    ]);
    s.taken_at = t(80);
    let report = diagnose(&s);
    assert!(report.incidents.is_empty(), "{:?}", codes(&report));
    let open = cannot_tell(&report, Code::SplitReplicas).unwrap();
    assert!(
        open.contains(
            "a rollout is under way that brings it (2 of 3 pods are still of the template before)"
        ),
        "{open}"
    );
    // One that stopped, or that has not ended long after, is none under way.
    s.taken_at = t(2000);
    assert_eq!(codes(&diagnose(&s))[0], Code::SplitReplicas);
    s.taken_at = t(80);
    s.workloads[0].paused = true;
    assert_eq!(codes(&diagnose(&s))[0], Code::SplitReplicas);
}

#[test]
fn a_finding_that_nobody_expected_is_cited_all_the_same() {
    let mut s = elsewhere(Some(0), "off");
    s.scope.namespace = None;
    let report = diagnose(&s);
    assert_eq!(codes(&report), [Code::EditedElsewhere]);
    let numbers = report.incidents[0].findings[0].evidence.iter();
    assert!(
        numbers.clone().all(|n| *n > 0),
        "{:?}",
        report.incidents[0].findings
    );
    assert!(!report.evidence.is_empty());
}
