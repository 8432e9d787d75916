//! Lists, their pages and their past, and watches.

use futures::{AsyncBufReadExt, StreamExt, TryStreamExt};
use http::Request;
use serde_json::{Value, json};

use super::{CONFIGS, Lab, failure, names};

#[tokio::test]
async fn all_pages_of_a_list_are_of_one_version() {
    let lab = Lab::new().await;
    for name in ["a", "b", "c"] {
        lab.config(name, "blue").await;
    }
    let first = lab.get(&format!("{CONFIGS}?limit=2")).await.unwrap();
    assert_eq!(names(&first), ["a", "b"]);
    lab.config("bb", "green").await;
    let token = first["metadata"]["continue"].as_str().unwrap();
    let next = format!("{CONFIGS}?limit=9&continue={token}");
    let next = lab.get(&next).await.unwrap();
    assert_eq!(names(&next)[0], "c");
    assert!(!names(&next).contains(&"bb".to_owned()));
    assert_eq!(
        next["metadata"]["resourceVersion"],
        first["metadata"]["resourceVersion"]
    );
}

#[tokio::test]
async fn the_state_before_an_edit_is_there_for_five_minutes() {
    let lab = Lab::new().await;
    let made = lab.config("settings", "blue").await;
    let at = made["metadata"]["resourceVersion"]
        .as_str()
        .unwrap()
        .to_owned();
    let path = format!("{CONFIGS}/settings");
    let patch = json!({"data": {"mode": "green"}});
    lab.patch(&path, "merge-patch", &patch).await.unwrap();
    let exact = format!(
        "{CONFIGS}?fieldSelector=metadata.name%3Dsettings&resourceVersion={at}&resourceVersionMatch=Exact&limit=1"
    );
    let before = lab.get(&exact).await.unwrap();
    assert_eq!(before["items"][0]["data"]["mode"], "blue");
    assert_eq!(before["metadata"]["resourceVersion"], at);
    lab.pass(400);
    let gone = failure(lab.get(&exact).await.unwrap_err());
    let message = "The resourceVersion for the provided list is too old.".to_owned();
    assert_eq!(gone, (410, message));
    let ahead = format!("{CONFIGS}?resourceVersion=999999&resourceVersionMatch=Exact");
    let ahead = failure(lab.get(&ahead).await.unwrap_err());
    assert_eq!(ahead.0, 504);
    assert!(
        ahead
            .1
            .starts_with("Timeout: Too large resource version: 999999, current: ")
    );
}

#[tokio::test]
async fn a_watch_tells_what_happens_as_it_happens() {
    let lab = Lab::new().await;
    let made = lab.config("settings", "blue").await;
    let at = made["metadata"]["resourceVersion"].as_str().unwrap();
    let path =
        format!("{CONFIGS}?watch=true&resourceVersion={at}&fieldSelector=metadata.name%3Dsettings");
    let request = Request::get(&path).body(Vec::new()).unwrap();
    let body = lab.client.request_stream(request).await.unwrap();
    let mut lines = body.lines();
    let patch = json!({"data": {"mode": "green"}});
    let one = format!("{CONFIGS}/settings");
    lab.patch(&one, "merge-patch", &patch).await.unwrap();
    let event: Value = serde_json::from_str(&lines.next().await.unwrap().unwrap()).unwrap();
    assert_eq!(event["type"], "MODIFIED");
    assert_eq!(event["object"]["data"]["mode"], "green");
    let request = Request::delete(&one).body(Vec::new()).unwrap();
    let _: Value = lab.client.request(request).await.unwrap();
    let event: Value = serde_json::from_str(&lines.next().await.unwrap().unwrap()).unwrap();
    assert_eq!(event["type"], "DELETED");
    assert_eq!(event["object"]["data"]["mode"], "green");
}

#[tokio::test]
async fn the_real_watcher_gets_a_list_and_follows_it() {
    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::api::{Api, WatchEvent, WatchParams};
    let lab = Lab::new().await;
    lab.config("settings", "blue").await;
    let api: Api<ConfigMap> = Api::default_namespaced(lab.client.clone());
    let list = api.list(&kube::api::ListParams::default()).await.unwrap();
    let version = list.metadata.resource_version.unwrap();
    let params = WatchParams::default().timeout(20);
    let mut events = Box::pin(api.watch(&params, &version).await.unwrap());
    lab.config("more", "green").await;
    let event = events.try_next().await.unwrap();
    assert!(
        matches!(event, Some(WatchEvent::Added(map)) if map.metadata.name.as_deref() == Some("more"))
    );
}
