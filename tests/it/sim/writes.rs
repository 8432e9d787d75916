//! Writes: what is refused, and what is only rehearsed.

use confsplit::sim::Rights;
use http::Request;
use serde_json::{Value, json};

use super::{CONFIGS, Lab, PODS, failure};

#[tokio::test]
async fn a_patch_for_a_former_version_is_a_conflict() {
    let lab = Lab::new().await;
    let made = lab.config("settings", "blue").await;
    let at = &made["metadata"]["resourceVersion"];
    let path = format!("{CONFIGS}/settings");
    let patch = |mode: &str| json!({"metadata": {"resourceVersion": at}, "data": {"mode": mode}});
    lab.patch(&path, "merge-patch", &patch("green"))
        .await
        .unwrap();
    let refused = lab.patch(&path, "merge-patch", &patch("red")).await;
    assert_eq!(
        failure(refused.unwrap_err()),
        (409, "Operation cannot be fulfilled on configmaps \"settings\": the object has been modified; please apply your changes to the latest version and try again".to_owned())
    );
}

#[tokio::test]
async fn a_rehearsal_changes_nothing() {
    let lab = Lab::new().await;
    let made = lab.config("settings", "blue").await;
    let path = format!("{CONFIGS}/settings?dryRun=All&fieldManager=confsplit");
    let patch = json!({"data": {"mode": "green"}});
    let would = lab
        .patch(&path, "strategic-merge-patch", &patch)
        .await
        .unwrap();
    assert_eq!(would["data"]["mode"], "green");
    // Of the same second, in the order of their names.
    let owner = &would["metadata"]["managedFields"][0];
    assert_eq!(owner["manager"], "confsplit");
    let is = lab.get(&format!("{CONFIGS}/settings")).await.unwrap();
    assert_eq!(is, made);
}

#[tokio::test]
async fn an_eviction_asks_the_budget() {
    let lab = Lab::new().await;
    let pods = lab.printers().await;
    let budget = json!({
        "metadata": {"name": "all"},
        "spec": {"maxUnavailable": 0, "selector": {"matchLabels": {"app": "web"}}},
    });
    let budgets = "/apis/policy/v1/namespaces/shop/poddisruptionbudgets";
    lab.post(budgets, &budget).await.unwrap();
    lab.pass(2);
    let path = format!("{PODS}/{}/eviction", pods[0]);
    let eviction = json!({
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": pods[0], "namespace": "shop"},
    });
    let refused = lab.post(&path, &eviction).await.unwrap_err();
    let kube::Error::Api(status) = refused else {
        panic!("no answer of the server: {refused}");
    };
    assert_eq!(status.code, 429);
    let cause = &status.details.unwrap().causes[0];
    assert_eq!(cause.reason, "DisruptionBudget");
    assert_eq!(
        cause.message,
        "The disruption budget all needs 2 healthy pods and has 2 currently"
    );
    let request = Request::delete(format!("{budgets}/all"))
        .body(Vec::new())
        .unwrap();
    let _: Value = lab.client.request(request).await.unwrap();
    let done = lab.post(&path, &eviction).await.unwrap();
    assert_eq!(done["status"], "Success");
    let pod = lab.get(&format!("{PODS}/{}", pods[0])).await.unwrap();
    assert!(pod["metadata"]["deletionTimestamp"].is_string());
}

#[tokio::test]
async fn what_may_not_be_done_is_refused_and_reviewed_alike() {
    let lab = Lab::new().await;
    lab.sim
        .set_rights(Rights::default().without("list", "configmaps"));
    let refused = failure(lab.get(CONFIGS).await.unwrap_err());
    assert_eq!(
        refused,
        (403, "configmaps is forbidden: User \"sim\" cannot list resource \"configmaps\" in API group \"\" in the namespace \"shop\"".to_owned())
    );
    let review = |verb: &str| json!({"spec": {"resourceAttributes": {"namespace": "shop", "verb": verb, "resource": "configmaps"}}});
    let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let said = lab.post(path, &review("list")).await.unwrap();
    assert_eq!(said["status"], json!({"allowed": false}));
    let said = lab.post(path, &review("get")).await.unwrap();
    assert_eq!(said["status"], json!({"allowed": true}));
}
