//! The config of the same name elsewhere: who takes it is not said of one that had only just been made, and one of a namespace that
//! is being deleted is none.

use confsplit::model::{ConfigKind, ConfigRef, Namesake, Want};
use serde_json::{Value, json};

use super::fake::{Answer, Fake, list, read};
use super::objects::{at, config_map, pod};
use crate::build::NS;

/// `ConfigMap/frontend-nginx` of another namespace, made at a time; "now" is 150.
fn elsewhere(created: i64) -> Fake {
    let mut other = config_map("frontend-nginx", 900, &[("default.conf", "x")], 140, None);
    other["metadata"]["namespace"] = json!("other");
    other["metadata"]["creationTimestamp"] = json!(at(created));
    let fake = Fake::default();
    fake.answers("/api/v1/configmaps", list(20_000, &[other]));
    fake
}

async fn namesakes(fake: &Fake) -> Vec<Namesake> {
    let config = ConfigRef {
        kind: ConfigKind::ConfigMap,
        namespace: NS.to_owned(),
        name: "frontend-nginx".to_owned(),
    };
    let snapshot = read(&fake.live(), vec![Want::Namesakes { config }]).await;
    snapshot.namesakes
}

fn takers(found: &[Namesake]) -> Vec<Option<u32>> {
    found.iter().map(|namesake| namesake.takers).collect()
}

fn namespace(deleted: Option<&str>) -> Answer {
    let mut found: Value = json!({"kind": "Namespace", "metadata": {"name": "other"}});
    if let Some(at) = deleted {
        found["metadata"]["deletionTimestamp"] = json!(at);
    }
    Answer::Json(found)
}

#[tokio::test]
async fn its_takers_are_counted() {
    let fake = elsewhere(25);
    fake.answers("/api/v1/namespaces/other", namespace(None));
    assert_eq!(takers(&namesakes(&fake).await), [Some(0)]);
    let mut taker = pod("kt2jr", 25);
    taker["metadata"]["namespace"] = json!("other");
    fake.answers("/api/v1/namespaces/other/pods", list(20_000, &[taker]));
    assert_eq!(takers(&namesakes(&fake).await), [Some(1)]);
}

#[tokio::test]
async fn without_the_right_to_read_the_namespace_it_counts() {
    let fake = elsewhere(25);
    let refused = Answer::failure(403, "namespaces is forbidden");
    fake.answers("/api/v1/namespaces/other", refused);
    assert_eq!(takers(&namesakes(&fake).await), [Some(0)]);
}

#[tokio::test]
async fn of_one_that_was_just_made_it_is_not_known_who_takes_it() {
    let fake = elsewhere(91);
    assert_eq!(takers(&namesakes(&fake).await), [None]);
    let fake = elsewhere(90);
    assert_eq!(takers(&namesakes(&fake).await), [Some(0)]);
}

#[tokio::test]
async fn one_of_a_namespace_that_is_being_deleted_is_none() {
    let fake = elsewhere(25);
    fake.answers("/api/v1/namespaces/other", namespace(Some(&at(140))));
    assert_eq!(takers(&namesakes(&fake).await), []);
}
