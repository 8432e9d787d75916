//! Which keys of which source end in an environment.

use chrono::{DateTime, TimeDelta, Utc};

use super::uses;
use crate::analysis::content::{Reaches, Set, Unsure};
use crate::analysis::incident::Use;
use crate::analysis::index::Index;
use crate::analysis::uses::ConfigUse;
use crate::model::{
    Cluster, Config, ConfigKind, ConfigRef, Container, ContainerKind, ContainerState,
    ContainerStatus, Content, EnvFrom, EnvSource, EnvVar, Pod, PodRef, Scope, Snapshot,
};

fn t(seconds: i64) -> DateTime<Utc> {
    DateTime::<Utc>::UNIX_EPOCH + TimeDelta::seconds(seconds)
}

fn reference(name: &str) -> ConfigRef {
    ConfigRef::new(ConfigKind::ConfigMap, "shop", name)
}

/// A config that was made at 0 and not written to since.
fn config(name: &str, keys: &[&str]) -> Config {
    Config {
        reference: reference(name),
        uid: name.to_owned(),
        resource_version: "1".to_owned(),
        created: Some(t(0)),
        content: Some(Content::text(keys.iter().map(|key| (*key, "value")))),
        immutable: false,
        managed: Vec::new(),
        last_applied: None,
        owner_marks: Default::default(),
    }
}

fn from(name: &str, prefix: &str) -> EnvFrom {
    EnvFrom {
        config: reference(name),
        prefix: prefix.to_owned(),
        optional: false,
    }
}

fn literal(name: &str, expands: &[&str]) -> EnvVar {
    EnvVar {
        name: name.to_owned(),
        source: EnvSource::Literal {
            expands: expands.iter().map(|v| (*v).to_owned()).collect(),
        },
    }
}

fn key(name: &str, of: &str, key: &str, optional: bool) -> EnvVar {
    EnvVar {
        name: name.to_owned(),
        source: EnvSource::Key {
            config: reference(of),
            key: key.to_owned(),
            optional,
        },
    }
}

/// A pod that was created at 90.
fn pod() -> Pod {
    Pod {
        reference: PodRef {
            namespace: "shop".to_owned(),
            name: "app".to_owned(),
            uid: "1".to_owned(),
        },
        resource_version: "2".to_owned(),
        created: Some(t(90)),
        reported: None,
        terminating: false,
        owner: None,
        marks: crate::model::Labels::default(),
        labels: Default::default(),
        node: None,
        os: None,
        phase: "Running".to_owned(),
        ip: None,
        ready: true,
        containers: Vec::new(),
        volumes: Vec::new(),
    }
}

/// The uses of a container that started at 100.
fn of(configs: &[Config], env_from: Vec<EnvFrom>, env: Vec<EnvVar>) -> Vec<ConfigUse> {
    let mut snapshot = Snapshot::empty(
        Cluster {
            context: None,
            flags: None,
            server: String::new(),
            version: None,
        },
        Scope::default(),
        t(1000),
    );
    snapshot.configs = configs.iter().cloned().map(Into::into).collect();
    let container = Container {
        name: "app".to_owned(),
        kind: ContainerKind::Main,
        image: String::new(),
        env,
        env_from,
        mounts: Vec::new(),
        expands: Vec::new(),
        names: Vec::new(),
        status: Some(ContainerStatus {
            container_id: None,
            image_id: None,
            ready: true,
            restarts: 0,
            state: ContainerState::Running {
                started_at: Some(t(100)),
            },
            last: None,
        }),
    };
    uses(&pod(), &container, &Index::of(&snapshot))
}

/// Whether a key of a config reaches the process by `envFrom`.
fn reaches(found: &[ConfigUse], configs: &[Config], name: &str, key: &str) -> Reaches {
    let usage = found
        .iter()
        .find(|u| u.config == reference(name) && matches!(u.via, Use::EnvFrom { .. }))
        .expect("the use");
    let config = configs.iter().find(|c| c.reference == usage.config);
    let content = config.and_then(|c| c.content.as_ref()).expect("a content");
    usage.keys.reaches(key, content)
}

#[test]
fn a_later_source_and_env_override() {
    let configs = [config("a", &["X", "Y", "Z"]), config("b", &["Y"])];
    let found = of(
        &configs,
        vec![from("a", ""), from("b", "")],
        vec![literal("Z", &[])],
    );
    let reaches = |key| reaches(&found, &configs, "a", key);
    assert_eq!(reaches("X"), Reaches::Yes);
    assert_eq!(reaches("Y"), Reaches::No);
    assert_eq!(reaches("Z"), Reaches::No);
}

#[test]
fn prefixes_decide_which_names_meet() {
    let configs = [config("a", &["X"]), config("b", &["X", "P_X"])];
    let apart = of(&configs, vec![from("a", "P_"), from("b", "Q_")], Vec::new());
    assert_eq!(reaches(&apart, &configs, "a", "X"), Reaches::Yes);
    let met = of(&configs, vec![from("a", "P_"), from("b", "")], Vec::new());
    assert_eq!(reaches(&met, &configs, "a", "X"), Reaches::No);
}

#[test]
fn a_value_that_names_a_variable_brings_it_in() {
    let configs = [config("a", &["HOST", "PORT"])];
    let env = vec![literal("HOST", &["HOST"]), literal("PORT", &[])];
    let found = of(&configs, vec![from("a", "")], env);
    // "https://$(HOST)" holds what the source gave; the other's is gone.
    assert_eq!(reaches(&found, &configs, "a", "HOST"), Reaches::Yes);
    assert_eq!(reaches(&found, &configs, "a", "PORT"), Reaches::No);
}

#[test]
fn of_a_name_that_stands_twice_the_last_counts_unless_the_first_was_taken_up() {
    let gone = of(
        &[],
        Vec::new(),
        vec![key("A", "a", "k", false), literal("A", &[])],
    );
    assert!(gone.is_empty());
    let env = vec![
        key("A", "a", "k", false),
        literal("URL", &["A"]),
        literal("A", &[]),
    ];
    let kept = of(&[], Vec::new(), env);
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0].keys.single(), Some("k"));
}

#[test]
fn an_optional_key_that_may_be_missing_leaves_the_earlier_value_in_doubt() {
    let configs = [config("a", &["X"]), config("b", &["k"]), config("c", &[])];
    let with = |of_config, name| {
        let env = vec![key("X", of_config, name, true)];
        let found = of(&configs, vec![from("a", "")], env);
        reaches(&found, &configs, "a", "X")
    };
    assert_eq!(with("b", "k"), Reaches::No);
    assert_eq!(with("c", "k"), Reaches::Yes);
    // One that is not there at all may have been.
    assert_eq!(with("gone", "k"), Reaches::Maybe);
}

#[test]
fn a_source_that_was_written_since_the_start_leaves_everything_before_it_in_doubt() {
    let mut written = config("b", &["Y"]);
    written.created = Some(t(200));
    let configs = [config("a", &["X"]), written];
    let found = of(&configs, vec![from("a", ""), from("b", "")], Vec::new());
    assert_eq!(found[0].keys.unsure, Unsure::Everything);
    assert_eq!(found[1].keys.unsure, Unsure::Nothing);
    assert!(matches!(&found[0].keys.set, Set::TextExcept(_)));
}
