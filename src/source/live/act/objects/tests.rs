//! What is written into an object beside the content, and where a template names a config.

use super::*;

#[test]
fn what_kubectl_applied_is_told_the_new_content_and_nothing_else_of_it_changes() {
    let applied = r#"{"apiVersion":"v1","data":{"a":"bad","gone":"x"},"kind":"ConfigMap","metadata":{"annotations":{},"name":"c"}}"#;
    let object = json!({"metadata": {"annotations": {LAST_APPLIED: applied}}});
    let mut patch = json!({"data": {"a": "good"}});
    with_last_applied(
        &object,
        &Content::text([("a", "good"), ("new", "y")]),
        &mut patch,
    );
    let told = patch["metadata"]["annotations"][LAST_APPLIED]
        .as_str()
        .expect("a text");
    assert!(told.ends_with('\n'));
    let told: Value = serde_json::from_str(told).expect("JSON");
    assert_eq!(told["data"], json!({"a": "good", "new": "y"}));
    assert_eq!(told["metadata"], json!({"annotations": {}, "name": "c"}));
    let mut untouched = json!({"data": {}});
    with_last_applied(&json!({"metadata": {}}), &Content::text([]), &mut untouched);
    assert_eq!(untouched, json!({"data": {}}));
}

#[test]
fn every_place_where_a_template_names_a_config_is_found_and_no_other() {
    let object = json!({"spec": {"template": {"spec": {
        "volumes": [
            {"configMap": {"name": "web-v2"}},
            {"secret": {"secretName": "web-v2"}},
            {"projected": {"sources": [{"configMap": {"name": "web-v2"}}, {"configMap": {"name": "other"}}]}},
        ],
        "containers": [{
            "name": "web-v2",
            "env": [{"valueFrom": {"configMapKeyRef": {"name": "web-v2", "key": "k"}}}],
            "envFrom": [{"configMapRef": {"name": "web-v2"}}, {"secretRef": {"name": "web-v2"}}],
        }],
    }}}});
    let patch = repoint(&object, "7", ("web-v2", "web-v1"), false);
    let paths: Vec<&str> = patch
        .as_array()
        .expect("a list")
        .iter()
        .map(|op| op["path"].as_str().expect("a path"))
        .collect();
    assert_eq!(
        paths,
        [
            "/metadata/resourceVersion",
            "/spec/template/spec/containers/0/env/0/valueFrom/configMapKeyRef/name",
            "/spec/template/spec/containers/0/envFrom/0/configMapRef/name",
            "/spec/template/spec/volumes/0/configMap/name",
            "/spec/template/spec/volumes/2/projected/sources/0/configMap/name",
        ]
    );
}

#[test]
fn a_manager_that_loses_a_key_is_named() {
    let of = |manager: &str, keys: Value| json!({"manager": manager, "fieldsV1": {"f:data": keys}});
    let object = |entries: Vec<Value>| json!({"metadata": {"managedFields": entries}});
    let before = object(vec![
        of("kubectl", json!({".": {}, "f:a": {}, "f:b": {}})),
        of("helm", json!({"f:c": {}})),
    ]);
    let after = object(vec![
        of("kubectl", json!({"f:b": {}})),
        of("helm", json!({"f:c": {}})),
        of("confsplit", json!({"f:a": {}})),
    ]);
    assert_eq!(changed_managers(&before, &after), ["kubectl"]);
    assert!(changed_managers(&before, &before).is_empty());
}
