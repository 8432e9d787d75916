//! The model keeps the facts that it was made from.

use confsplit::model::{
    ChainEnd, ConfigKind, ConfigRef, Container, ContainerKind, EnvFrom, EnvSource, EnvVar,
};

use super::api::{Api, Object};
use super::env::{By, Read, variables};
use super::kubelet::Node;
use super::{Data, NS};

const CREATED: i64 = 10_000;

fn api() -> Api {
    let mut api = Api::default();
    let data = Data::from([("MODE", "red"), ("COLOR", "blue")]);
    api.create(Object::new("features", data), "kubectl-create", CREATED);
    api
}

/// Manager, time in seconds after 20:35, keys, and whether it owns more.
fn entries(api: &Api) -> Vec<(String, i64, Vec<String>, bool)> {
    let managed = api.live("features").unwrap().read().managed;
    managed
        .into_iter()
        .map(|e| {
            let seconds = (e.time.unwrap() - super::moment(0)).num_seconds();
            (
                e.manager,
                seconds,
                e.data_keys.into_iter().collect(),
                e.owns_other,
            )
        })
        .collect()
}

fn entry(manager: &str, at: i64, keys: &[&str], more: bool) -> (String, i64, Vec<String>, bool) {
    let keys = keys.iter().map(|key| (*key).to_owned()).collect();
    (manager.to_owned(), at, keys, more)
}

#[test]
fn a_key_moves_to_its_last_writer_and_the_former_keeps_its_time() {
    let mut api = api();
    api.update("features", "kubectl-patch", 20_900, |o| {
        o.data.insert("MODE", "green");
    });
    assert_eq!(
        entries(&api),
        [
            entry("kubectl-create", 9, &["COLOR"], false),
            entry("kubectl-patch", 20, &["MODE"], false)
        ]
    );
}

#[test]
fn a_write_that_only_removes_leaves_no_entry_and_no_time() {
    let mut api = api();
    api.update("features", "kubectl-patch", 20_000, |o| {
        o.data.remove("MODE");
    });
    assert_eq!(
        entries(&api),
        [entry("kubectl-create", 9, &["COLOR"], false)]
    );
    assert_eq!(api.counter, 2);
}

#[test]
fn a_write_that_changes_nothing_is_none() {
    let mut api = api();
    api.update("features", "kubectl-patch", 20_000, |o| {
        o.data.insert("MODE", "red");
    });
    assert_eq!(api.counter, 1);
}

#[test]
fn a_server_side_apply_owns_what_it_applied_beside_the_others() {
    let mut api = api();
    api.apply(
        "features",
        "argocd-controller",
        20_500,
        &Data::from([("MODE", "red")]),
    );
    assert_eq!(
        entries(&api),
        [
            entry("kubectl-create", 9, &["COLOR", "MODE"], false),
            entry("argocd-controller", 20, &["MODE"], false)
        ]
    );
    api.apply(
        "features",
        "argocd-controller",
        30_500,
        &Data::from([("MODE", "black")]),
    );
    assert_eq!(
        entries(&api),
        [
            entry("kubectl-create", 9, &["COLOR"], false),
            entry("argocd-controller", 30, &["MODE"], false)
        ]
    );
}

#[test]
fn history_ends_where_the_object_was_made_or_where_it_is_compacted() {
    let mut api = api();
    api.delete("features", 15_000);
    let data = Data::from([("MODE", "blue")]);
    api.create(Object::new("features", data), "kubectl-create", 16_000);
    api.update("features", "kubectl-patch", 20_000, |o| {
        o.data.insert("MODE", "green");
    });
    let live = api.live("features").unwrap();
    let whole = api.earlier(live, 0, 30_000);
    assert_eq!((whole.versions.len(), whole.end), (1, ChainEnd::Created));
    let cut = api.earlier(live, 4, 30_000);
    assert_eq!((cut.versions.len(), cut.end), (0, ChainEnd::Compacted));
}

#[test]
fn an_immutable_config_is_not_read_again_while_a_pod_refers_to_it() {
    let mut api = Api::default();
    let mut first = Object::new("features", Data::from([("MODE", "red")]));
    first.immutable = true;
    api.create(first, "kubectl-create", CREATED);
    assert!(!api.update("features", "kubectl-patch", 11_000, |o| {
        o.data.insert("MODE", "green");
    }));
    let mut node = Node::new(0, 0);
    let red = Some(Data::from([("MODE", "red")]));
    assert_eq!(node.read(&api, "features", 12_000), red);
    api.delete("features", 13_000);
    let second = Object::new("features", Data::from([("MODE", "blue")]));
    api.create(second, "kubectl-create", 14_000);
    assert_eq!(node.read(&api, "features", 99_000), red);
    node.forget();
    assert_ne!(node.read(&api, "features", 99_000), red);
}

#[test]
fn env_is_set_over_env_from_and_a_later_source_over_an_earlier_one() {
    let config = |name| ConfigRef::new(ConfigKind::ConfigMap, NS, name);
    let from = |name| EnvFrom {
        config: config(name),
        prefix: String::new(),
        optional: false,
    };
    let mut container = Container {
        name: "app".to_owned(),
        kind: ContainerKind::Main,
        image: String::new(),
        env: vec![EnvVar {
            name: "SIZE".to_owned(),
            source: EnvSource::Key {
                config: config("overrides"),
                key: "COLOR".to_owned(),
                optional: true,
            },
        }],
        env_from: vec![from("features"), from("overrides")],
        mounts: Vec::new(),
        expands: Vec::new(),
        names: Vec::new(),
        status: None,
    };
    let features = Data::from([("MODE", "red"), ("SIZE", "red")]);
    let mut read = Read::from([
        ("features".to_owned(), Some(features)),
        ("overrides".to_owned(), Some(Data::from([("MODE", "blue")]))),
    ]);
    let (set, complete) = variables(&container, &read);
    assert!(complete);
    assert_eq!(set["MODE"], (By::From(1), "MODE".to_owned()));
    // The optional key is missing, so that the value of envFrom stays.
    assert_eq!(set["SIZE"], (By::From(0), "SIZE".to_owned()));
    read.insert("overrides".to_owned(), None);
    assert!(!variables(&container, &read).1);
    container.env_from[1].optional = true;
    assert!(variables(&container, &read).1);
}
