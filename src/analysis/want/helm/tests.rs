//! The releases of a config's own release, newest first, and of no other.

use std::collections::BTreeMap;

use chrono::DateTime;

use super::{releases, revision};
use crate::model::{Cluster, Config, ConfigKind, ConfigRef, Content, Scope, Snapshot, Want};

fn config(kind: ConfigKind, namespace: &str, name: &str) -> Config {
    Config {
        reference: ConfigRef::new(kind, namespace, name),
        uid: String::new(),
        resource_version: "1".to_owned(),
        created: None,
        content: Some(Content::text([])),
        immutable: false,
        managed: Vec::new(),
        last_applied: None,
        owner_marks: BTreeMap::new(),
    }
}

fn of_helm(release: &str, namespace: Option<&str>) -> Config {
    let mut config = config(ConfigKind::ConfigMap, "shop", "nginx");
    let mut mark = |name: &str, value: &str| {
        config.owner_marks.insert(name.to_owned(), value.to_owned());
    };
    mark("meta.helm.sh/release-name", release);
    if let Some(namespace) = namespace {
        mark("meta.helm.sh/release-namespace", namespace);
    }
    config
}

fn holding(held: &[(ConfigKind, &str, &str)]) -> Snapshot {
    let cluster = Cluster {
        context: None,
        flags: None,
        server: String::new(),
        version: None,
    };
    let mut snapshot = Snapshot::empty(cluster, Scope::default(), DateTime::UNIX_EPOCH);
    let held = held
        .iter()
        .map(|(kind, namespace, name)| config(*kind, namespace, name).into());
    snapshot.configs.extend(held);
    snapshot
}

fn names(wants: &[Want]) -> Vec<(ConfigKind, &str)> {
    let holder = |want: &Want| match want {
        Want::HelmRelease { holder, config } if config.name == "nginx" => {
            Some((holder.kind, holder.name.clone()))
        }
        _ => None,
    };
    let names: Vec<_> = wants
        .iter()
        .map(|want| holder(want).expect("a release"))
        .collect();
    names
        .into_iter()
        .map(|(kind, name)| (kind, &*name.leak()))
        .collect()
}

#[test]
fn the_newest_three_by_number_whoever_keeps_them() {
    use ConfigKind::{ConfigMap, Secret};
    let snapshot = holding(&[
        (Secret, "shop", "sh.helm.release.v1.web.v9"),
        (Secret, "shop", "sh.helm.release.v1.web.v10"),
        (ConfigMap, "shop", "sh.helm.release.v1.web.v8"),
        (Secret, "shop", "sh.helm.release.v1.web.v7"),
        // Another release, another namespace, and no release at all.
        (Secret, "shop", "sh.helm.release.v1.web.v2.v11"),
        (Secret, "prod", "sh.helm.release.v1.web.v12"),
        (Secret, "shop", "web.v13"),
    ]);
    let wants = releases(&snapshot, &of_helm("web", None));
    assert_eq!(
        names(&wants),
        [
            (Secret, "sh.helm.release.v1.web.v10"),
            (Secret, "sh.helm.release.v1.web.v9"),
            (ConfigMap, "sh.helm.release.v1.web.v8"),
        ]
    );
    let elsewhere = releases(&snapshot, &of_helm("web", Some("prod")));
    assert_eq!(names(&elsewhere), [(Secret, "sh.helm.release.v1.web.v12")]);
}

#[test]
fn without_the_mark_or_for_a_secret_nothing_is_asked() {
    let snapshot = holding(&[(ConfigKind::Secret, "shop", "sh.helm.release.v1.web.v1")]);
    let plain = config(ConfigKind::ConfigMap, "shop", "nginx");
    assert!(releases(&snapshot, &plain).is_empty());
    let mut secret = of_helm("web", None);
    secret.reference.kind = ConfigKind::Secret;
    assert!(releases(&snapshot, &secret).is_empty());
}

#[test]
fn a_release_may_be_named_like_a_revision() {
    assert_eq!(
        revision("sh.helm.release.v1.web.v2.v11", "web.v2"),
        Some(11)
    );
    assert_eq!(revision("sh.helm.release.v1.web.v2.v11", "web"), None);
    assert_eq!(revision("sh.helm.release.v1.web.vx", "web"), None);
}
