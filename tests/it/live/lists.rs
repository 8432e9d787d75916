//! The lists: what is asked, and what becomes of a list that fails.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use confsplit::model::{Gap, GapReason, Scope};
use confsplit::source::{Progress, Source};
use http::Method;
use serde_json::json;

use super::fake::{Answer, Fake, LISTS, SERVER, list_path, lists, scope};
use super::objects::{config_map, deployment, event, pod, service};
use crate::build::NS;

const METADATA_ALONE: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

/// A namespace with something in it.
fn shop() -> Fake {
    let fake = Fake::default();
    fake.holds("configmaps", &[config_map("a", 7, &[("K", "v")], 25, None)])
        .holds("pods", &[pod("kt2jr", 25), pod("g5zrg", 34)])
        .holds("deployments", &[deployment()])
        .holds("services", &[service("api", "10.96.10.144", 8080)])
        .holds("events", &[event("p", "Killing", "Stopping", 34)]);
    fake
}

#[tokio::test]
async fn one_namespace_is_twelve_reads() {
    let fake = shop();
    let snapshot = lists(&fake.live()).await.unwrap();
    let mut expected: BTreeSet<String> = LISTS.iter().map(|(_, list)| list_path(list)).collect();
    expected.insert("/version".to_owned());
    expected.insert(format!("/api/v1/namespaces/{NS}"));
    let urls = fake.urls();
    assert_eq!(urls.len(), 12, "each is read once");
    assert_eq!(urls.into_iter().collect::<BTreeSet<_>>(), expected);
    for asked in fake.asked() {
        assert_eq!(asked.method, Method::GET, "{}", asked.path);
        let accept = if asked.path.ends_with("/secrets") {
            METADATA_ALONE
        } else {
            "application/json"
        };
        assert_eq!(asked.accept, accept, "{}", asked.path);
    }
    assert_eq!(snapshot.gaps, []);
    assert_eq!(snapshot.cluster.version.as_deref(), Some("v1.37.0"));
    assert_eq!((snapshot.configs.len(), snapshot.pods.len()), (1, 2));
    assert_eq!((snapshot.workloads.len(), snapshot.events.len()), (1, 1));
    assert_eq!(snapshot.services.len(), 1);
}

#[tokio::test]
async fn all_namespaces_are_read_at_once() {
    let fake = Fake::default();
    let everywhere = Scope::default();
    let snapshot = fake.live().lists(&everywhere, &|_| {}).await.unwrap();
    let mut expected: BTreeSet<String> = LISTS
        .iter()
        .map(|(group, list)| format!("{group}/{list}"))
        .collect();
    expected.insert("/version".to_owned());
    assert_eq!(fake.urls().into_iter().collect::<BTreeSet<_>>(), expected);
    assert_eq!(snapshot.gaps, []);
}

#[tokio::test]
async fn a_list_that_may_not_be_read_is_a_gap_and_stops_no_other() {
    for (_, resource) in LISTS {
        let fake = shop();
        fake.answers(&list_path(resource), Answer::failure(403, "forbidden"));
        let snapshot = lists(&fake.live()).await.unwrap();
        let expected = Gap {
            verb: "list".to_owned(),
            resource: resource.to_owned(),
            namespace: Some(NS.to_owned()),
            name: None,
            reason: GapReason::Forbidden,
        };
        assert_eq!(snapshot.gaps, [expected]);
        let kept = [
            ("configmaps", snapshot.configs.len()),
            ("pods", snapshot.pods.len()),
            ("deployments", snapshot.workloads.len()),
            ("services", snapshot.services.len()),
            ("events", snapshot.events.len()),
        ];
        for (other, count) in kept {
            assert_eq!(count > 0, other != resource, "{other} without {resource}");
        }
    }
}

#[tokio::test]
async fn every_way_to_fail_has_its_reason() {
    let half = json!({"metadata": {}, "items": [pod("kt2jr", 25)]}).to_string();
    let half = &half[..half.len() / 2];
    let status = |code, message: &str| GapReason::Status {
        code,
        message: message.to_owned(),
    };
    let cases = [
        (
            Answer::failure(401, "Unauthorized"),
            GapReason::Unauthorized,
        ),
        (Answer::failure(403, "no"), GapReason::Forbidden),
        (Answer::failure(404, "no"), GapReason::NotFound),
        (Answer::failure(410, "too old"), GapReason::Gone),
        (Answer::failure(500, "etcd"), status(500, "etcd")),
        (Answer::failure(429, "later"), status(429, "later")),
        (
            Answer::Raw(502, b"<html>Bad Gateway</html>".to_vec()),
            status(502, "<html>Bad Gateway</html>"),
        ),
        (
            Answer::Raw(503, "é".repeat(10_000).into_bytes()),
            status(503, &("é".repeat(200) + "…")),
        ),
        (
            Answer::text("<html>Log in</html>"),
            GapReason::Unreadable("the answer is no list".to_owned()),
        ),
        (Answer::Silence, GapReason::TimedOut { seconds: 1 }),
    ];
    for (answer, reason) in cases {
        let fake = shop();
        fake.answers(&list_path("pods"), answer.clone());
        let snapshot = lists(&fake.live_within(Duration::from_millis(50)))
            .await
            .unwrap();
        let found: Vec<&GapReason> = snapshot.gaps.iter().map(|gap| &gap.reason).collect();
        assert_eq!(found, [&reason], "{answer:?}");
        assert_eq!(snapshot.configs.len(), 1, "{answer:?}");
    }
    let fake = shop();
    fake.answers(&list_path("pods"), Answer::text(half));
    let snapshot = lists(&fake.live()).await.unwrap();
    let GapReason::Unreadable(why) = &snapshot.gaps[0].reason else {
        panic!("{:?}", snapshot.gaps);
    };
    assert_eq!(why, "the answer breaks off before its end");
    let fake = shop();
    fake.answers(&list_path("pods"), Answer::Broken);
    let snapshot = lists(&fake.live()).await.unwrap();
    let GapReason::Connection(why) = &snapshot.gaps[0].reason else {
        panic!("{:?}", snapshot.gaps);
    };
    assert!(why.contains("connection refused"), "{why}");
}

#[tokio::test]
async fn a_bad_object_among_good_ones_is_named() {
    let fake = shop();
    let mut bad = pod("broken", 30);
    bad["spec"]["containers"] = json!("hunter2");
    fake.holds("pods", &[pod("kt2jr", 25), bad, pod("g5zrg", 34)]);
    let snapshot = lists(&fake.live()).await.unwrap();
    assert_eq!(snapshot.pods.len(), 2);
    assert_eq!(snapshot.gaps.len(), 1);
    let gap = &snapshot.gaps[0];
    assert_eq!(gap.name.as_deref(), Some("frontend-76d98597b9-broken"));
    assert_eq!((gap.verb.as_str(), gap.resource.as_str()), ("list", "pods"));
    assert!(matches!(gap.reason, GapReason::Unreadable(_)), "{gap:?}");
    assert!(!format!("{gap:?}").contains("hunter2"));
}

#[tokio::test]
async fn nothing_read_at_all_is_an_error_with_a_hint() {
    let cases = [
        (
            Answer::failure(401, "Unauthorized"),
            "does not accept the login",
            "log in",
        ),
        (
            Answer::failure(403, "no"),
            "Nothing may be listed in namespace shop",
            "-n",
        ),
        (
            Answer::Broken,
            "connection refused",
            "kubectl get namespaces",
        ),
        (
            Answer::Silence,
            "did not answer in 1 s",
            "--request-timeout",
        ),
        (
            Answer::failure(503, "starting"),
            "answered 503: starting",
            "kubectl get",
        ),
        (
            Answer::text("<html>"),
            "nothing that can be read",
            "address",
        ),
    ];
    for (answer, said, hint) in cases {
        let fake = Fake::default();
        fake.always(answer.clone());
        let error = lists(&fake.live_within(Duration::from_millis(50)))
            .await
            .unwrap_err();
        assert!(error.message.contains(said), "{answer:?}: {error}");
        assert!(error.message.contains(SERVER), "{answer:?}: {error}");
        assert!(error.message.ends_with('.'), "{answer:?}: {error}");
        let told = error.hint.unwrap();
        assert!(told.contains(hint), "{answer:?}: {told}");
    }
}

#[tokio::test]
async fn a_namespace_that_is_not_there_is_an_error() {
    let fake = Fake::default();
    let namespace = format!("/api/v1/namespaces/{NS}");
    fake.answers(&namespace, Answer::failure(404, "not found"));
    let error = lists(&fake.live()).await.unwrap_err();
    assert_eq!(error.message, format!("{SERVER} has no namespace shop."));
    assert!(error.hint.unwrap().contains("kubectl get namespaces"));
    // Who may not see namespaces may still read in one.
    let fake = shop();
    fake.answers(&namespace, Answer::failure(403, "no"));
    let snapshot = lists(&fake.live()).await.unwrap();
    assert_eq!((snapshot.pods.len(), snapshot.gaps.len()), (2, 0));
}

#[tokio::test]
async fn progress_tells_each_list() {
    let fake = shop();
    fake.answers(&list_path("events"), Answer::failure(403, "no"));
    let told = Mutex::new(Vec::new());
    let note = |progress| told.lock().unwrap().push(progress);
    fake.live().lists(&scope(), &note).await.unwrap();
    let told = told.into_inner().unwrap();
    assert_eq!(told.len(), LISTS.len());
    assert!(told.contains(&Progress::Failed { resource: "events" }));
    let pods = Progress::Listed {
        resource: "pods",
        count: 2,
    };
    assert!(told.contains(&pods), "{told:?}");
}
