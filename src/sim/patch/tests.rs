//! Patches on a pod's lists, as the API server merges them.

use serde_json::{Value, json};

use super::*;
use crate::sim::resources;

fn key() -> Key {
    Key {
        resource: resources::named("deployments").unwrap(),
        namespace: Some("shop".to_owned()),
        name: "web".to_owned(),
    }
}

fn live() -> Value {
    json!({"spec": {"template": {"spec": {
        "containers": [
            {"name": "app", "image": "a:1", "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}], "args": ["x", "y"]},
            {"name": "side", "image": "s:1"},
        ],
        "volumes": [{"name": "conf", "configMap": {"name": "old", "defaultMode": 420}}],
        "tolerations": [{"key": "a"}],
    }}}})
}

fn patched(spec: Value) -> Value {
    let patch = json!({"spec": {"template": {"spec": spec}}});
    let patch = Patch::parse(
        "application/strategic-merge-patch+json",
        patch.to_string().as_bytes(),
    );
    let object = patch.unwrap().applied(&key(), &live()).unwrap();
    object["spec"]["template"]["spec"].clone()
}

#[test]
fn items_are_merged_by_their_keys() {
    let spec = patched(json!({"containers": [
        {"name": "app", "image": "a:2", "env": [{"name": "B", "$patch": "delete"}, {"name": "C", "value": "3"}], "args": ["z"]},
    ]}));
    assert_eq!(
        spec["containers"],
        json!([
            {"name": "app", "image": "a:2", "env": [{"name": "C", "value": "3"}, {"name": "A", "value": "1"}], "args": ["z"]},
            {"name": "side", "image": "s:1"},
        ])
    );
}

#[test]
fn items_are_put_in_order_and_plain_lists_replaced() {
    let spec = patched(json!({
        "$setElementOrder/containers": [{"name": "side"}, {"name": "app"}],
        "containers": [{"name": "side", "image": "s:2"}],
        "tolerations": [{"key": "b"}],
    }));
    assert_eq!(spec["containers"][0]["image"], "s:2");
    assert_eq!(spec["containers"][1]["name"], "app");
    assert_eq!(spec["tolerations"], json!([{"key": "b"}]));
}

#[test]
fn new_items_come_before_those_that_a_patch_does_not_name() {
    let spec = patched(json!({"containers": [{"name": "app"}, {"name": "third", "image": "t:1"}]}));
    let names = spec["containers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| &c["name"]);
    assert_eq!(names.collect::<Vec<_>>(), ["app", "third", "side"]);
}

#[test]
fn a_source_takes_the_place_of_another() {
    let spec = patched(json!({"volumes": [
        {"name": "conf", "$retainKeys": ["name", "secret"], "secret": {"secretName": "s"}},
    ]}));
    assert_eq!(
        spec["volumes"],
        json!([{"name": "conf", "secret": {"secretName": "s"}}])
    );
}

#[test]
fn directives_replace_and_remove() {
    let spec = patched(json!({
        "containers": [{"$patch": "replace"}, {"name": "only", "image": "o:1"}],
        "volumes": null,
    }));
    assert_eq!(
        spec["containers"],
        json!([{"name": "only", "image": "o:1"}])
    );
    assert!(spec.get("volumes").is_none());
}

#[test]
fn bodies_that_are_no_patches_are_refused_in_the_servers_words() {
    let refused = |media, body: &str| Patch::parse(media, body.as_bytes()).unwrap_err();
    let failure = refused("application/json", "{}");
    assert_eq!(
        (failure.code, failure.message.as_str()),
        (415, "415: Unsupported Media Type")
    );
    let failure = refused("application/merge-patch+json", "{x");
    assert_eq!(
        (failure.code, failure.message.as_str()),
        (400, "invalid JSON patch")
    );
    let patch = br#"[{"op": "test", "path": "/spec", "value": 1}]"#;
    let patch = Patch::parse("application/json-patch+json", patch).unwrap();
    let failure = patch.applied(&key(), &live()).unwrap_err();
    assert_eq!(failure.code, 422);
}
