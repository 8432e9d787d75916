//! What a user without many rights is told: the same cause, and the right that is missing instead of a "no" or a zero.

use confsplit::analysis::{self, Code, Diagnosis};
use confsplit::model::{ConfigKind, Scope, Target};
use confsplit::report::{self, Charset, Format};
use confsplit::runtime::collect::collect;
use confsplit::runtime::commands::Outcome;
use confsplit::source::Source;
use confsplit::source::live::namespace_name;
use serde_json::json;

use super::fake::{Answer, Fake, LISTS, list_path, scope};
use super::objects::pod;
use super::whole::shop;
use crate::build::NS;

/// The incident for a user who may list these alone, and read logs.
fn allowed(lists: &[&str]) -> Fake {
    let fake = shop();
    fake.answers(
        &format!("/api/v1/namespaces/{NS}"),
        Answer::failure(403, "no"),
    );
    for (_, resource) in LISTS.iter().filter(|(_, r)| !lists.contains(r)) {
        fake.answers(&list_path(resource), Answer::failure(403, "no"));
    }
    fake
}

async fn about(fake: &Fake, target: Option<Target>) -> Diagnosis {
    let scope = Scope { target, ..scope() };
    let snapshot = collect(&fake.live(), &scope, &|_| {}).await;
    analysis::diagnose(&snapshot.unwrap().0)
}

fn text(diagnosis: &Diagnosis) -> String {
    let mut out = Vec::new();
    report::write(Format::Text, Charset::Unicode, diagnosis, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn workload(kind: &str, name: &str) -> Target {
    Target::Workload {
        kind: kind.to_owned(),
        name: name.to_owned(),
    }
}

const FEW: [&str; 3] = ["pods", "configmaps", "events"];

#[tokio::test]
async fn the_cause_and_the_grades_need_pods_logs_and_configmaps_alone() {
    let full = about(&shop(), None).await;
    let few = about(&allowed(&FEW), None).await;
    let (full, few_incident) = (&full.incidents[0], &few.incidents[0]);
    assert_eq!(few_incident.findings[0].code, Code::SplitReplicas);
    assert_eq!(few_incident.findings[0].sentence, full.findings[0].sentence);
    assert_eq!(few_incident.workload.to_string(), "Deployment/frontend");
    let grades = |incident: &analysis::Incident| -> Vec<_> {
        let replicas = incident.replicas.iter();
        replicas
            .map(|r| (r.pod.name.clone(), r.loaded.clone(), r.live, r.grade))
            .collect()
    };
    assert_eq!(grades(few_incident), grades(full));
    let text = text(&few);
    for (_, resource) in LISTS.iter().filter(|(_, r)| !FEW.contains(r)) {
        let why = format!("no permission: list {resource} in shop");
        assert!(text.contains(&why), "{why}: {text}");
    }
    assert!(text.contains("which ports Services publish: no permission"));
    for wrong in ["There is no", "there is no", "0 of 0", "no Service"] {
        assert!(!text.contains(wrong), "{wrong}: {text}");
    }
}

#[tokio::test]
async fn without_events_the_report_says_that_it_is_incomplete() {
    let diagnosis = about(&allowed(&["pods", "configmaps"]), None).await;
    assert_eq!(diagnosis.incidents.len(), 1);
    let text = text(&diagnosis);
    let open = "Kills and restarts around the edit of ConfigMap/frontend-nginx: no permission: list events in shop";
    assert!(text.contains(open), "{text}");
    assert!(!text.contains("no events"), "{text}");
}

#[tokio::test]
async fn without_logs_the_rest_goes_on() {
    let fake = allowed(&FEW);
    for suffix in ["kt2jr", "g5zrg"] {
        let path = format!("{}/frontend-76d98597b9-{suffix}/log", list_path("pods"));
        fake.answers(&path, Answer::failure(403, "no"));
    }
    let diagnosis = about(&fake, None).await;
    let text = text(&diagnosis);
    assert_eq!(Outcome::of(&diagnosis), Outcome::Uncertain);
    let logs = "The logs of pods frontend-76d98597b9-g5zrg and frontend-76d98597b9-kt2jr in shop: no permission: get pods/log in shop";
    assert!(text.contains(logs), "{text}");
    let weakened = "is not known without its log (no permission: get pods/log in shop)";
    assert!(text.contains(weakened), "{text}");
    // The one that was created after the edit is known all the same.
    assert!(text.contains("1 ordered"), "{text}");
}

#[tokio::test]
async fn without_configmaps_or_pods_nothing_reads_as_none() {
    for (lists, verdict) in [
        (
            &["pods", "events"][..],
            "What 2 pods in namespace shop run of their ConfigMaps is not known: no permission: list configmaps in shop.",
        ),
        (
            &["configmaps"],
            "The replicas in namespace shop are not known: no permission: list pods in shop.",
        ),
    ] {
        let diagnosis = about(&allowed(lists), None).await;
        assert_eq!(diagnosis.verdict, verdict);
        assert_eq!(Outcome::of(&diagnosis), Outcome::Uncertain);
    }
}

#[tokio::test]
async fn a_target_that_may_not_be_listed_is_not_said_to_be_missing() {
    let few = allowed(&FEW);
    let service = Target::Service {
        name: "frontend".to_owned(),
    };
    let config = Target::Config {
        kind: ConfigKind::ConfigMap,
        name: "frontend-nginx".to_owned(),
    };
    let cases = [
        (
            &few,
            service.clone(),
            "Which pods svc/frontend in namespace shop selects is not known: no permission: list services in shop.",
        ),
        (
            &few,
            workload("Deployment", "other"),
            "No pod in namespace shop belongs to Deployment/other; whether it is there is not known: no permission: list deployments in shop.",
        ),
        (
            &few,
            workload("Pod", "other"),
            "There is no Pod/other in namespace shop.",
        ),
        (
            &allowed(&["pods"]),
            config,
            "Whether there is ConfigMap/frontend-nginx in namespace shop is not known: no permission: list configmaps in shop.",
        ),
        (
            &allowed(&["configmaps"]),
            workload("Deployment", "frontend"),
            "Whether there is Deployment/frontend in namespace shop is not known: no permission: list pods in shop; no permission: list deployments in shop.",
        ),
    ];
    for (fake, target, said) in cases {
        let diagnosis = about(fake, Some(target)).await;
        assert!(diagnosis.verdict.starts_with(said), "{}", diagnosis.verdict);
        assert_eq!(Outcome::of(&diagnosis), Outcome::Uncertain, "{said}");
    }
    let diagnosis = about(&shop(), Some(service)).await;
    assert_eq!(diagnosis.incidents.len(), 1, "{}", diagnosis.verdict);
}

#[tokio::test]
async fn the_workload_and_its_replicaset_are_found_by_their_pods() {
    let few = allowed(&FEW);
    for target in [
        workload("Deployment", "frontend"),
        workload("ReplicaSet", "frontend-76d98597b9"),
        workload("Pod", "frontend-76d98597b9-kt2jr"),
    ] {
        for fake in [&few, &shop()] {
            let diagnosis = about(fake, Some(target.clone())).await;
            assert_eq!(diagnosis.incidents.len(), 1, "{}", diagnosis.verdict);
        }
    }
}

#[tokio::test]
async fn secrets_that_no_pod_takes_hide_nothing() {
    let fake = Fake::default();
    fake.answers(&list_path("secrets"), Answer::failure(403, "no"));
    let mut bare = pod("kt2jr", 25);
    bare["spec"]["volumes"] = json!([]);
    bare["spec"]["containers"][0]["volumeMounts"] = json!([]);
    fake.holds("pods", &[bare.clone()]);
    let diagnosis = about(&fake, None).await;
    assert_eq!(
        Outcome::of(&diagnosis),
        Outcome::Clear,
        "{}",
        text(&diagnosis)
    );
    bare["spec"]["volumes"] =
        json!([{"name": "v", "secret": {"secretName": "key", "optional": true}}]);
    fake.holds("pods", &[bare]);
    let diagnosis = about(&fake, None).await;
    assert_eq!(Outcome::of(&diagnosis), Outcome::Uncertain);
    let verdict = "What 1 pod in namespace shop runs of its Secrets is not known: no permission: list secrets in shop.";
    assert_eq!(diagnosis.verdict, verdict);
}

#[tokio::test]
async fn all_namespaces_without_the_right_names_the_way_out() {
    let everywhere = Scope::default();
    let fake = Fake::default();
    fake.always(Answer::failure(403, "no"));
    let error = fake.live().lists(&everywhere, &|_| {}).await.unwrap_err();
    assert!(error.message.contains("any namespace"), "{error}");
    assert!(error.hint.unwrap().contains("-n"));
    // With the right to some of it.
    fake.as_before();
    fake.answers("/api/v1/configmaps", Answer::failure(403, "no"));
    fake.answers("/api/v1/pods", super::fake::list(7, &[pod("kt2jr", 25)]));
    let snapshot = collect(&fake.live(), &everywhere, &|_| {}).await;
    let diagnosis = analysis::diagnose(&snapshot.unwrap().0);
    let way =
        "no permission: list configmaps in all namespaces; name one that you may read with -n";
    assert!(diagnosis.verdict.contains(way), "{}", diagnosis.verdict);
}

#[tokio::test]
async fn another_namespace_is_read_by_its_name_alone() {
    let fake = allowed(&FEW);
    let live = fake.live();
    let namespace = namespace_name(" other ").unwrap();
    // It may be read, but neither it nor any may be listed.
    fake.answers("/api/v1/namespaces", Answer::failure(403, "no"));
    fake.answers("/api/v1/namespaces/other", Answer::failure(403, "no"));
    live.lists(&scope(), &|_| {}).await.unwrap();
    fake.forget();
    let there = Scope {
        namespace: Some(namespace),
        ..Scope::default()
    };
    let snapshot = live.lists(&there, &|_| {}).await.unwrap();
    assert_eq!(snapshot.scope, there);
    let urls = fake.urls();
    assert!(urls.contains(&"/api/v1/namespaces/other/configmaps".to_owned()));
    let listed = |url: &String| url == "/api/v1/namespaces" || url.contains("/shop");
    assert!(!urls.iter().any(listed), "{urls:?}");
    for bad in ["", "Shop", "a/b", "-a", "a.b", "../x", &"a".repeat(64)] {
        let error = namespace_name(bad).unwrap_err();
        assert!(error.message.contains("cannot be the name"), "{error}");
    }
}
