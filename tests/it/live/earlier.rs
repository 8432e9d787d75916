//! Earlier versions of a config, and the pods at an edit.

use std::sync::Mutex;

use confsplit::model::{
    ChainEnd, ConfigKind, ConfigRef, EarlierConfig, GapReason, PodsAt, Snapshot, Want,
};

use super::fake::{Answer, Fake, answer, list, list_path, lists, read};
use super::objects::{config_map, pod};
use crate::build::NS;

const LIVE: u64 = 14_598;

fn reference() -> ConfigRef {
    ConfigRef::new(ConfigKind::ConfigMap, NS, "a")
}

fn version(version: u64) -> serde_json::Value {
    config_map("a", version, &[("K", &format!("v{version}"))], 25, None)
}

/// A server that holds the ConfigMap live, and answers reads at an older version as `then` says.
fn server(then: impl Fn(u64) -> Answer + Send + Sync + 'static) -> Fake {
    let fake = Fake::default();
    fake.on(&list_path("configmaps"), move |asked| {
        match asked.get("resourceVersion") {
            Some(at) => then(at.parse().unwrap()),
            None => list(20_000, &[version(LIVE)]),
        }
    });
    fake
}

fn steps(fake: &Fake) -> Vec<String> {
    let asked = fake.asked();
    let exact = asked.iter().filter(|a| a.get("resourceVersion").is_some());
    exact
        .map(|a| a.get("resourceVersion").unwrap().to_owned())
        .collect()
}

async fn earlier(fake: &Fake) -> EarlierConfig {
    let mut snapshot = read(&fake.live(), vec![wanted(&LIVE.to_string())]).await;
    assert_eq!(snapshot.earlier.len(), 1);
    assert!(snapshot.asked.contains(&wanted(&LIVE.to_string())));
    snapshot.earlier.remove(0)
}

fn wanted(resource_version: &str) -> Want {
    Want::Earlier {
        config: reference(),
        resource_version: resource_version.to_owned(),
    }
}

fn versions(earlier: &EarlierConfig) -> Vec<&str> {
    let all = earlier.versions.iter();
    all.map(|v| v.resource_version.as_str()).collect()
}

fn failed(end: &ChainEnd) -> &GapReason {
    let ChainEnd::Failed(gap) = end else {
        panic!("{end:?}");
    };
    assert_eq!(
        (
            gap.verb.as_str(),
            gap.resource.as_str(),
            gap.name.as_deref()
        ),
        ("list", "configmaps", Some("a"))
    );
    &gap.reason
}

/// The version that was live at a time, of a few.
fn history(at: u64) -> Answer {
    match at {
        14_500.. => list(at, &[version(14_500)]),
        14_417.. => list(at, &[version(14_417)]),
        _ => list(at, &[]),
    }
}

#[tokio::test]
async fn it_steps_back_to_the_creation_oldest_first() {
    let fake = server(history);
    let found = earlier(&fake).await;
    assert_eq!(versions(&found), ["14417", "14500"]);
    assert_eq!(found.end, ChainEnd::Created);
    assert_eq!(found.reference, reference());
    assert_eq!(steps(&fake), ["14597", "14499", "14416"]);
    let content = found.versions[0].content.as_ref().unwrap();
    assert_eq!(content.get_text("K"), Some("v14417"));
    let urls = fake.urls();
    let first = urls.iter().find(|url| url.contains("Exact")).unwrap();
    assert_eq!(
        first,
        "/api/v1/namespaces/shop/configmaps?fieldSelector=metadata.name%3Da&resourceVersion=14597&resourceVersionMatch=Exact&limit=1"
    );
}

#[tokio::test]
async fn it_ends_where_the_server_keeps_no_more() {
    let gone = [
        Answer::failure(410, "too old resource version"),
        // So an etcd that compacted between two reads is passed on.
        Answer::failure(
            500,
            "etcdserver: mvcc: required revision has been compacted",
        ),
    ];
    for gone in gone {
        let found = earlier(&server(move |at| match at {
            14_500.. => history(at),
            _ => gone.clone(),
        }))
        .await;
        assert_eq!(versions(&found), ["14500"]);
        assert_eq!(found.end, ChainEnd::Compacted);
    }
}

#[tokio::test]
async fn another_object_of_the_same_name_is_not_its_past() {
    let found = earlier(&server(|at| match at {
        14_500.. => history(at),
        _ => {
            let mut other = version(14_417);
            other["metadata"]["uid"] = "uid-of-another".into();
            list(at, &[other])
        }
    }))
    .await;
    assert_eq!(versions(&found), ["14500"]);
    assert_eq!(found.end, ChainEnd::Created);
}

#[tokio::test]
async fn a_server_that_does_not_look_back_is_asked_once() {
    for answered in [LIVE, LIVE + 1] {
        let fake = server(move |at| list(at, &[version(answered)]));
        let found = earlier(&fake).await;
        assert_eq!(versions(&found), Vec::<&str>::new());
        let said = format!("asked for resourceVersion 14597, it answered {answered}");
        assert_eq!(failed(&found.end), &GapReason::Unreadable(said));
        assert_eq!(steps(&fake), ["14597"]);
    }
}

#[tokio::test]
async fn it_takes_twenty_steps_at_the_most() {
    let fake = server(|at| list(at, &[version(at)]));
    let found = earlier(&fake).await;
    assert_eq!(found.versions.len(), 20);
    assert_eq!(found.end, ChainEnd::Bounded);
    assert_eq!(steps(&fake).len(), 20);
    assert_eq!(found.versions[0].resource_version, "14578");
}

#[tokio::test]
async fn what_fails_on_the_way_is_said_and_the_rest_kept() {
    let found = earlier(&server(|at| match at {
        14_500.. => history(at),
        _ => Answer::failure(403, "no"),
    }))
    .await;
    assert_eq!(versions(&found), ["14500"]);
    assert_eq!(failed(&found.end), &GapReason::Forbidden);
    let found = earlier(&server(|at| {
        let mut bad = version(14_417);
        bad["data"] = "text".into();
        list(at, &[bad])
    }))
    .await;
    assert!(matches!(failed(&found.end), GapReason::Unreadable(_)));
}

#[tokio::test]
async fn nothing_is_asked_without_an_object_or_a_number() {
    let fake = server(history);
    let live = fake.live();
    let mut snapshot = lists(&live).await.unwrap();
    answer(&live, &mut snapshot, vec![wanted("opaque")]).await;
    assert!(matches!(
        failed(&snapshot.earlier[0].end),
        GapReason::Unordered(_)
    ));
    snapshot.earlier.clear();
    snapshot.configs.clear();
    answer(&live, &mut snapshot, vec![wanted("14598")]).await;
    assert_eq!(failed(&snapshot.earlier[0].end), &GapReason::NotFound);
    assert_eq!(steps(&fake), Vec::<String>::new());
}

fn pods_wanted(version: u64) -> Want {
    Want::PodsAt {
        namespace: NS.to_owned(),
        resource_version: version.to_string(),
    }
}

/// A server whose lists of one item have these versions in turn, and which answers pods at an edit so.
fn counting(order: [u64; 3], pods_then: Answer) -> Fake {
    let fake = Fake::default();
    let turns = std::sync::Arc::new(Mutex::new(order.to_vec()));
    for resource in ["configmaps", "pods"] {
        let (turns, pods_then) = (turns.clone(), pods_then.clone());
        fake.on(&list_path(resource), move |asked| {
            if asked.get("resourceVersionMatch") == Some("Exact") {
                pods_then.clone()
            } else if asked.get("limit") == Some("1") {
                list(turns.lock().unwrap().remove(0), &[])
            } else {
                list(20_000, &[])
            }
        });
    }
    fake
}

/// What is asked beyond the lists, in this order.
async fn pods_at(fake: &Fake, wants: Vec<Want>) -> Snapshot {
    let live = fake.live();
    let mut snapshot = lists(&live).await.unwrap();
    fake.forget();
    answer(&live, &mut snapshot, wants).await;
    snapshot
}

/// The one gap of a read of pods.
fn gap(snapshot: &Snapshot) -> &GapReason {
    assert_eq!(snapshot.pods_at, []);
    assert_eq!(snapshot.gaps.len(), 1, "{:?}", snapshot.gaps);
    let gap = &snapshot.gaps[0];
    assert_eq!((gap.verb.as_str(), gap.resource.as_str()), ("list", "pods"));
    assert_eq!(gap.namespace.as_deref(), Some(NS));
    &gap.reason
}

const COUNTER: [&str; 3] = [
    "/api/v1/namespaces/shop/configmaps?limit=1",
    "/api/v1/namespaces/shop/pods?limit=1",
    "/api/v1/namespaces/shop/configmaps?limit=1",
];

#[tokio::test]
async fn the_pods_at_an_edit_are_read_where_one_counter_serves_both() {
    let fake = counting([30, 30, 31], list(LIVE, &[pod("kt2jr", 25)]));
    let snapshot = pods_at(&fake, vec![pods_wanted(LIVE), pods_wanted(LIVE - 9)]).await;
    let found: Vec<(&str, usize)> = snapshot
        .pods_at
        .iter()
        .map(|at: &PodsAt| (at.resource_version.as_str(), at.pods.len()))
        .collect();
    assert_eq!(found, [("14589", 1), ("14598", 1)]);
    assert_eq!(snapshot.gaps, []);
    let urls = fake.urls();
    assert_eq!(urls[..3], COUNTER, "asked once for both");
    let mut exact = urls[3..].to_vec();
    exact.sort();
    let url = |v: u64| {
        format!("/api/v1/namespaces/shop/pods?resourceVersion={v}&resourceVersionMatch=Exact")
    };
    assert_eq!(exact, [url(14_589), url(14_598)]);
}

#[tokio::test]
async fn two_counters_give_no_order() {
    for order in [[30, 7, 31], [30, 30, 29]] {
        let fake = counting(order, list(LIVE, &[pod("kt2jr", 25)]));
        let snapshot = pods_at(&fake, vec![pods_wanted(LIVE)]).await;
        assert!(matches!(gap(&snapshot), GapReason::Unordered(_)));
        assert!(!fake.urls().iter().any(|url| url.contains("Exact")));
    }
}

#[tokio::test]
async fn an_order_that_could_not_be_asked_is_asked_again() {
    let fake = counting([30, 30, 31], list(LIVE, &[pod("kt2jr", 25)]));
    let live = fake.live();
    let mut snapshot = lists(&live).await.unwrap();
    let lost = fake.clone();
    lost.always(Answer::failure(500, "leader changed"));
    answer(&live, &mut snapshot, vec![pods_wanted(LIVE)]).await;
    assert!(matches!(
        gap(&snapshot),
        GapReason::Status { code: 500, .. }
    ));
    fake.as_before();
    answer(&live, &mut snapshot, vec![pods_wanted(LIVE - 9)]).await;
    assert_eq!(snapshot.pods_at.len(), 1, "{:?}", snapshot.gaps);
}

#[tokio::test]
async fn pods_of_a_forgotten_time_are_a_gap() {
    let fake = counting([30, 30, 31], Answer::failure(410, "expired"));
    let snapshot = pods_at(&fake, vec![pods_wanted(LIVE)]).await;
    assert_eq!(gap(&snapshot), &GapReason::Gone);
}

#[tokio::test]
async fn a_bad_pod_makes_the_whole_list_worthless() {
    let mut bad = pod("broken", 30);
    bad["spec"]["containers"] = "none".into();
    let fake = counting([30, 30, 31], list(LIVE, &[pod("kt2jr", 25), bad]));
    let snapshot = pods_at(&fake, vec![pods_wanted(LIVE)]).await;
    assert!(matches!(gap(&snapshot), GapReason::Unreadable(_)));
}
