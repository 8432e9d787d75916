//! A client's log from the API server to the report, and the same again from its capture; one that may hold a Secret is left alone.

use confsplit::analysis::diagnose;
use confsplit::capture;
use confsplit::model::{Scope, Snapshot, Target};
use confsplit::runtime::collect::collect;
use confsplit::source::replay::Replay;
use serde_json::{Value, json};

use super::fake::{Answer, Fake, list, list_path, scope};
use super::objects::{at, line, pod};
use super::whole::shop;

/// A Deployment's pod that asks the others.
fn loadgen() -> Value {
    let mut found = pod("9vwtl", 20);
    let meta = &mut found["metadata"];
    meta["name"] = json!("loadgen-7c6676864-9vwtl");
    meta["uid"] = json!("uid-loadgen");
    meta["labels"] = json!({"app": "loadgen", "pod-template-hash": "7c6676864"});
    meta["ownerReferences"][0]["name"] = json!("loadgen-7c6676864");
    found["spec"]["volumes"] = json!([]);
    found["spec"]["containers"][0]["volumeMounts"] = json!([]);
    found
}

fn serving(client: Value) -> Fake {
    let fake = shop();
    let text: String = (0..75)
        .map(|i| {
            line(
                36 + i,
                &format!("GET /api/items -> {}", if i < 40 { 200 } else { 504 }),
            )
        })
        .collect();
    let text = line(22, "GET /api/items -> timeout") + &text;
    let path = format!("{}/loadgen-7c6676864-9vwtl/log", list_path("pods"));
    fake.answers(&path, Answer::text(&text));
    fake.on(&list_path("pods"), move |asked| {
        match asked.get("resourceVersion") {
            Some(at) => list(at.parse().unwrap(), &[pod("kt2jr", 25), pod("2vqr4", 25)]),
            None => list(
                20_000,
                &[pod("kt2jr", 25), pod("g5zrg", 34), client.clone()],
            ),
        }
    });
    fake
}

async fn read(fake: &Fake) -> Snapshot {
    let scope = Scope {
        client: Some(Target::Workload {
            kind: "Deployment".to_owned(),
            name: "loadgen".to_owned(),
        }),
        ..scope()
    };
    collect(&fake.live(), &scope, &|_| {}).await.unwrap().0
}

#[tokio::test]
async fn it_is_read_counted_and_captured() {
    let snapshot = read(&serving(loadgen())).await;
    let report = diagnose(&snapshot);
    let sentence = &report.incidents[0].impact.as_ref().unwrap().sentence;
    assert!(
        sentence.contains("By the log of Deployment/loadgen since the edit at 20:35:33 UTC: GET /api/items 35 of 75 FAIL (35 × 504)."),
        "{sentence}"
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.capture");
    capture::save(&snapshot, &path, false).unwrap();
    let replay = Replay::open(&path).unwrap();
    let (again, _) = collect(&replay, replay.scope(), &|_| {}).await.unwrap();
    assert!(again == snapshot, "the facts differ");
    // Without the flag the capture still says whose log it is about.
    let plain = Scope {
        namespace: replay.scope().namespace.clone(),
        ..Scope::default()
    };
    let (again, _) = collect(&replay, &plain, &|_| {}).await.unwrap();
    assert_eq!(diagnose(&again), report);
}

#[tokio::test]
async fn a_log_in_which_an_unknown_value_of_a_secret_may_stand_is_not_read() {
    let mut client = loadgen();
    client["spec"]["containers"][0]["envFrom"] = json!([{"secretRef": {"name": "db"}}]);
    let fake = serving(client);
    let secret = json!({
        "metadata": {"name": "db", "namespace": "shop", "uid": "uid-db", "resourceVersion": "900", "creationTimestamp": at(0),
            "managedFields": [{"manager": "kubectl-patch", "operation": "Update", "time": at(60)}]},
    });
    fake.on(&list_path("secrets"), move |asked| {
        match asked.get("resourceVersion") {
            None => list(900, std::slice::from_ref(&secret)),
            Some(_) => Answer::failure(410, "too old"),
        }
    });
    fake.answers(
        "/api/v1/namespaces/shop/secrets/db",
        Answer::failure(403, "no"),
    );
    let report = diagnose(&read(&fake).await);
    let why: Vec<&str> = report
        .not_checked
        .iter()
        .map(|item| item.why.as_str())
        .collect();
    assert!(
        why.iter()
            .any(|why| why.starts_with("withheld: db was written")),
        "{why:?}"
    );
    assert!(
        fake.asked()
            .iter()
            .all(|asked| !asked.path.contains("loadgen"))
    );
    let sentence = &report.incidents[0].impact.as_ref().unwrap().sentence;
    assert!(!sentence.contains("loadgen"), "{sentence}");
}
