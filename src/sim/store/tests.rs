//! Right answers as a 1.37 API server gave them.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use super::*;
use crate::sim::resources;

fn start() -> DateTime<Utc> {
    "2026-11-30T12:00:00Z".parse().unwrap()
}

fn later(seconds: i64) -> DateTime<Utc> {
    start() + TimeDelta::seconds(seconds)
}

fn key(plural: &str, name: &str) -> Key {
    Key {
        resource: resources::named(plural).unwrap(),
        namespace: (plural != "namespaces").then(|| "shop".to_owned()),
        name: name.to_owned(),
    }
}

/// A store with the namespace `shop`.
fn store() -> Store {
    let mut store = Store::new(TimeDelta::minutes(5));
    let write = Write::by("tests", start());
    store
        .create(&key("namespaces", "shop"), json!({}), &write)
        .unwrap();
    store
}

fn create(store: &mut Store, plural: &str, object: Value, manager: &str) -> Arc<Value> {
    let name = object["metadata"]["name"].as_str().unwrap().to_owned();
    store
        .create(&key(plural, &name), object, &Write::by(manager, start()))
        .unwrap()
}

/// Changes an object as a get and a put would.
fn edit(
    store: &mut Store,
    key: &Key,
    write: &Write<'_>,
    change: impl FnOnce(&mut Value),
) -> Result<Arc<Value>, Failure> {
    let mut object = Value::clone(store.get(key).unwrap());
    change(&mut object);
    store.update(key, object, write)
}

fn owners(object: &Value) -> Vec<(String, String, Value)> {
    let entries = object["metadata"]["managedFields"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    entries
        .iter()
        .map(|e| (text(&e["manager"]), text(&e["time"]), e["fieldsV1"].clone()))
        .collect()
}

fn template() -> Value {
    json!({
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{
            "name": "app",
            "image": "nginx:1.27",
            "env": [{"name": "A", "value": "1"}],
            "readinessProbe": {"httpGet": {"port": 80}},
        }]},
    })
}

fn deployment() -> Value {
    json!({
        "metadata": {"name": "web", "labels": {"app": "web"}},
        "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template()},
    })
}

#[test]
fn the_last_editor_owns_what_it_changed_and_nobody_elses_time_moves() {
    let mut store = store();
    let map = json!({"metadata": {"name": "web"}, "data": {"mode": "blue", "size": "1"}});
    create(&mut store, "configmaps", map, "first");
    let key = key("configmaps", "web");
    let made = edit(&mut store, &key, &Write::by("second", later(10)), |o| {
        o["data"]["mode"] = json!("green");
    });
    let expected = [
        (
            "first".to_owned(),
            "2026-11-30T12:00:00Z".to_owned(),
            json!({"f:data": {".": {}, "f:size": {}}}),
        ),
        (
            "second".to_owned(),
            "2026-11-30T12:00:10Z".to_owned(),
            json!({"f:data": {"f:mode": {}}}),
        ),
    ];
    assert_eq!(owners(&made.unwrap()), expected);
    // A key that is taken away is nobody's, and moves no time.
    let made = edit(&mut store, &key, &Write::by("first", later(20)), |o| {
        o["data"].as_object_mut().unwrap().remove("mode");
    });
    assert_eq!(owners(&made.unwrap()), expected[..1]);
}

#[test]
fn a_workloads_fields_are_owned_one_by_one_with_the_defaults() {
    let mut store = store();
    let made = create(&mut store, "deployments", deployment(), "kubectl-create");
    let expected = json!({
        "f:metadata": {"f:labels": {".": {}, "f:app": {}}},
        "f:spec": {
            "f:progressDeadlineSeconds": {},
            "f:replicas": {},
            "f:revisionHistoryLimit": {},
            "f:selector": {},
            "f:strategy": {
                "f:rollingUpdate": {".": {}, "f:maxSurge": {}, "f:maxUnavailable": {}},
                "f:type": {},
            },
            "f:template": {
                "f:metadata": {"f:labels": {".": {}, "f:app": {}}},
                "f:spec": {
                    "f:containers": {"k:{\"name\":\"app\"}": {
                        ".": {},
                        "f:env": {".": {}, "k:{\"name\":\"A\"}": {".": {}, "f:name": {}, "f:value": {}}},
                        "f:image": {},
                        "f:imagePullPolicy": {},
                        "f:name": {},
                        "f:readinessProbe": {
                            ".": {},
                            "f:failureThreshold": {},
                            "f:httpGet": {".": {}, "f:path": {}, "f:port": {}, "f:scheme": {}},
                            "f:periodSeconds": {},
                            "f:successThreshold": {},
                            "f:timeoutSeconds": {},
                        },
                        "f:resources": {},
                        "f:terminationMessagePath": {},
                        "f:terminationMessagePolicy": {},
                    }},
                    "f:dnsPolicy": {},
                    "f:restartPolicy": {},
                    "f:schedulerName": {},
                    "f:securityContext": {},
                    "f:terminationGracePeriodSeconds": {},
                },
            },
        },
    });
    assert_eq!(owners(&made)[0].2, expected);
    assert_eq!(made["metadata"]["generation"], 1);
    assert_eq!(made["spec"]["strategy"]["rollingUpdate"]["maxSurge"], "25%");
}

#[test]
fn spec_and_status_are_written_apart() {
    let mut store = store();
    create(&mut store, "deployments", deployment(), "tests");
    let key = key("deployments", "web");
    let made = edit(
        &mut store,
        &key,
        &Write::by("controller", start()).status(),
        |o| {
            o["spec"]["replicas"] = json!(9);
            o["status"]["replicas"] = json!(2);
            o["metadata"]["annotations"] = json!({"deployment.kubernetes.io/revision": "1"});
        },
    );
    let made = made.unwrap();
    assert_eq!(made["spec"]["replicas"], 2);
    assert_eq!(made["status"]["replicas"], 2);
    assert_eq!(made["metadata"]["generation"], 1);
    assert_eq!(
        made["metadata"]["managedFields"][0]["subresource"],
        "status"
    );
    let made = edit(&mut store, &key, &Write::by("tests", start()), |o| {
        o["spec"]["replicas"] = json!(3);
        o["status"]["replicas"] = json!(7);
    });
    let made = made.unwrap();
    assert_eq!(made["status"]["replicas"], 2);
    assert_eq!(made["metadata"]["generation"], 2);
}

#[test]
fn what_changes_nothing_is_no_write() {
    let mut store = store();
    let made = create(&mut store, "deployments", deployment(), "tests");
    let before = store.version();
    let same = store.update(
        &key("deployments", "web"),
        deployment(),
        &Write::by("b", later(9)),
    );
    assert_eq!(same.unwrap(), made);
    assert_eq!(store.version(), before);
}

#[test]
fn a_rehearsal_stores_nothing() {
    let mut store = store();
    let mut write = Write::by("tests", start());
    write.dry_run = true;
    let object = json!({"data": {"mode": "blue"}});
    let made = store
        .create(&key("configmaps", "web"), object, &write)
        .unwrap();
    assert!(made["metadata"]["uid"].is_string());
    assert!(made["metadata"].get("resourceVersion").is_none());
    assert!(store.get(&key("configmaps", "web")).is_none());
}

#[test]
fn a_former_version_and_another_uid_are_conflicts() {
    let mut store = store();
    create(
        &mut store,
        "configmaps",
        json!({"metadata": {"name": "web"}}),
        "tests",
    );
    let key = key("configmaps", "web");
    let write = Write::by("tests", start());
    let old = json!({"metadata": {"resourceVersion": "1"}, "data": {"a": "b"}});
    assert_eq!(
        store.update(&key, old, &write).unwrap_err(),
        Failure::conflict(&key)
    );
    let how = Deletion {
        uid: Some("other".to_owned()),
        ..Deletion::default()
    };
    let failure = store.delete(&key, &how, &write).unwrap_err();
    assert!(failure.message.starts_with("Operation cannot be fulfilled on ConfigMap \"web\": the UID in the precondition (other) does not match the UID in record ("));
}

#[test]
fn a_pod_on_a_node_is_marked_and_goes_when_its_kubelet_says_so() {
    let mut store = store();
    let pod = json!({"metadata": {"name": "a"}, "spec": template()["spec"]});
    create(&mut store, "pods", pod, "tests");
    let key = key("pods", "a");
    let mut bind = Write::by("kube-scheduler", start());
    bind.subresource = Some("binding");
    let bound = edit(&mut store, &key, &bind, |o| {
        o["spec"]["nodeName"] = json!("n")
    })
    .unwrap();
    assert_eq!(bound["metadata"]["generation"], 1);
    assert_eq!(owners(&bound).len(), 1);
    let write = Write::by("tests", start());
    let marked = store.delete(&key, &Deletion::default(), &write).unwrap();
    assert_eq!(
        marked["metadata"]["deletionTimestamp"],
        "2026-11-30T12:00:30Z"
    );
    assert_eq!(marked["metadata"]["deletionGracePeriodSeconds"], 30);
    let now = Deletion {
        grace: Some(0),
        ..Deletion::default()
    };
    store.delete(&key, &now, &write).unwrap();
    assert!(store.get(&key).is_none());
}

#[test]
fn a_namespace_goes_when_nothing_holds_it() {
    let mut store = store();
    let shop = key("namespaces", "shop");
    let write = Write::by("tests", start());
    let marked = store.delete(&shop, &Deletion::default(), &write).unwrap();
    assert_eq!(marked["status"]["phase"], "Terminating");
    let refused = store
        .create(&key("configmaps", "new"), json!({}), &write)
        .unwrap_err();
    assert_eq!(
        refused.message,
        "configmaps \"new\" is forbidden: unable to create new content in namespace shop because it is being terminated"
    );
    let mut finalize = write.clone();
    finalize.subresource = Some("finalize");
    edit(&mut store, &shop, &finalize, |o| {
        o["spec"].as_object_mut().unwrap().remove("finalizers");
    })
    .unwrap();
    assert!(store.get(&shop).is_none());
    let gone = store
        .create(&key("configmaps", "new"), json!({}), &write)
        .unwrap_err();
    assert_eq!(gone.message, "namespaces \"shop\" not found");
}

#[test]
fn an_earlier_state_is_read_until_it_is_forgotten() {
    let mut store = store();
    create(
        &mut store,
        "configmaps",
        json!({"metadata": {"name": "a"}, "data": {"k": "1"}}),
        "t",
    );
    let first = store.version();
    let a = key("configmaps", "a");
    edit(&mut store, &a, &Write::by("t", later(1)), |o| {
        o["data"]["k"] = json!("2")
    })
    .unwrap();
    store
        .delete(&a, &Deletion::default(), &Write::by("t", later(2)))
        .unwrap();
    let then = store.list_at(a.resource, Some("shop"), first).unwrap();
    assert_eq!(then[&a]["data"]["k"], "1");
    assert!(
        store
            .list_at(a.resource, Some("shop"), store.version())
            .unwrap()
            .is_empty()
    );
    store.compact(later(600));
    assert!(store.list_at(a.resource, Some("shop"), first).is_none());
}

#[test]
fn names_keys_and_what_is_immutable_are_refused_in_the_servers_words() {
    let mut store = store();
    let write = Write::by("tests", start());
    let wrong = json!({"data": {"a b": "value"}});
    let failure = store
        .create(&key("configmaps", "Not_A_Name"), wrong, &write)
        .unwrap_err();
    assert!(failure.message.starts_with("ConfigMap \"Not_A_Name\" is invalid: [metadata.name: Invalid value: \"Not_A_Name\": a lowercase RFC 1123 subdomain must consist of"));
    assert_eq!(failure.details.unwrap()["causes"][1]["field"], "data[a b]");
    let fixed = json!({"metadata": {"name": "fixed"}, "data": {"a": "1"}, "immutable": true});
    create(&mut store, "configmaps", fixed, "tests");
    let failure = edit(&mut store, &key("configmaps", "fixed"), &write, |o| {
        o["data"]["a"] = json!("2");
    });
    assert_eq!(
        failure.unwrap_err().message,
        "ConfigMap \"fixed\" is invalid: data: Forbidden: field is immutable when `immutable` is set"
    );
    let mut other = deployment();
    other["spec"]["template"]["metadata"]["labels"] = json!({"app": "other"});
    let failure = store
        .create(&key("deployments", "web"), other, &write)
        .unwrap_err();
    assert_eq!(
        failure.message,
        "Deployment.apps \"web\" is invalid: spec.template.metadata.labels: Invalid value: {\"app\":\"other\"}: `selector` does not match template `labels`"
    );
}

#[test]
fn names_are_completed_and_services_get_addresses() {
    let mut store = store();
    let write = Write::by("tests", start());
    let object = json!({"metadata": {"generateName": "part-"}});
    let names: Vec<String> = (0..50)
        .map(|_| {
            let made = store
                .create(&key("configmaps", ""), object.clone(), &write)
                .unwrap();
            made["metadata"]["name"].as_str().unwrap().to_owned()
        })
        .collect();
    assert!(
        names
            .iter()
            .all(|name| name.len() == 10 && name.starts_with("part-"))
    );
    let service = json!({"metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}]}});
    let made = create(&mut store, "services", service, "tests");
    assert!(
        made["spec"]["clusterIP"]
            .as_str()
            .unwrap()
            .starts_with("10.96.")
    );
    assert_eq!(
        made["spec"]["ports"][0],
        json!({"port": 80, "protocol": "TCP", "targetPort": 80})
    );
}
