//! What a capture tells as an old source: of this cluster with its order, of another its contents alone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use super::read;
use crate::capture;
use crate::model::{
    ChainEnd, Cluster, Config, ConfigKind, ConfigRef, Content, EarlierConfig, Fingerprint, Origin,
    Scope, Snapshot, Want,
};
use crate::source::outside::{About, Loaded};

const SERVER: &str = "https://127.0.0.1:6443";

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000 + seconds, 0).expect("a time")
}

fn config(namespace: &str, version: u64, value: &str) -> Config {
    Config {
        reference: ConfigRef::new(ConfigKind::ConfigMap, namespace, "nginx"),
        uid: "u".to_owned(),
        resource_version: version.to_string(),
        created: Some(at(0)),
        content: Some(Content::text([("key", value)])),
        immutable: false,
        managed: Vec::new(),
        last_applied: None,
        owner_marks: BTreeMap::new(),
    }
}

/// Live at 9, with 3 and 5 before it.
fn snapshot() -> Snapshot {
    let cluster = Cluster {
        context: None,
        flags: None,
        server: SERVER.to_owned(),
        version: None,
    };
    let mut snapshot = Snapshot::empty(cluster, Scope::default(), at(600));
    let mut secret = config("shop", 7, "x");
    secret.reference = ConfigRef::new(ConfigKind::Secret, "shop", "db");
    secret.content = Some(Content::Hashed(
        [("pw".to_owned(), Fingerprint("ab".to_owned()))].into(),
    ));
    let live = config("shop", 9, "c");
    let asked = Want::Earlier {
        config: live.reference.clone(),
        resource_version: "9".to_owned(),
    };
    snapshot.earlier.push(EarlierConfig {
        reference: live.reference.clone(),
        versions: vec![config("shop", 3, "a"), config("shop", 5, "b")],
        end: ChainEnd::Compacted,
        read_at: at(590),
    });
    snapshot.configs = vec![live.into(), secret.into(), config("prod", 4, "p").into()];
    snapshot.asked.insert(asked);
    snapshot
}

fn saved(folder: &Path, snapshot: &Snapshot) -> PathBuf {
    let path = folder.join("x.capture");
    capture::save(snapshot, &path, true).expect("saved");
    path
}

fn loaded(path: &Path, namespace: Option<&str>, server: &str) -> Loaded {
    let about = About {
        namespace: namespace.map(str::to_owned),
        server: server.to_owned(),
    };
    read(path, &about).expect("a capture")
}

fn told(loaded: &Loaded) -> Vec<(&str, Option<&str>)> {
    let kept = loaded.outside.kept.iter();
    kept.map(|k| (&*k.config.resource_version, k.follows.as_deref()))
        .collect()
}

#[test]
fn of_this_cluster_each_version_and_what_it_is_known_to_follow() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = saved(folder.path(), &snapshot());
    let all = loaded(&path, None, SERVER);
    assert_eq!(
        told(&all),
        [("3", None), ("5", Some("3")), ("9", Some("5")), ("4", None)]
    );
    let seen: Vec<_> = all.outside.kept.iter().map(|kept| kept.seen_at).collect();
    assert_eq!(seen, [at(590), at(590), at(600), at(600)]);
    assert!(
        all.outside
            .kept
            .iter()
            .all(|kept| kept.file == path.display().to_string())
    );
    assert_eq!((all.outside.found, all.gaps), (Vec::new(), Vec::new()));
    assert_eq!(told(&loaded(&path, Some("prod"), SERVER)), [("4", None)]);
}

#[test]
fn where_the_steps_back_did_not_begin_at_the_live_one_it_follows_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut later = snapshot();
    later.asked.clear();
    let path = saved(folder.path(), &later);
    assert_eq!(
        told(&loaded(&path, Some("shop"), SERVER)),
        [("3", None), ("5", Some("3")), ("9", None)]
    );
}

#[test]
fn of_another_cluster_the_contents_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = saved(folder.path(), &snapshot());
    let other = loaded(&path, Some("shop"), "https://other:6443");
    assert_eq!(other.outside.kept, []);
    let contents: Vec<_> = other
        .outside
        .found
        .iter()
        .filter_map(|f| f.content.get_text("key"))
        .collect();
    assert_eq!(contents, ["a", "b", "c"]);
    let origin = Origin::File {
        path: path.display().to_string(),
    };
    assert!(
        other
            .outside
            .found
            .iter()
            .all(|f| f.origin == origin && f.at.is_none())
    );
}

#[test]
fn what_is_missing_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = saved(folder.path(), &snapshot());
    let none = loaded(&path, Some("stage"), SERVER);
    assert_eq!(none.gaps.len(), 1, "{none:?}");
    let bytes = std::fs::read(&path).expect("read");
    std::fs::write(&path, &bytes[..bytes.len() - 20]).expect("cut");
    let cut = loaded(&path, None, SERVER);
    assert!(
        format!("{:?}", cut.gaps).contains("it is cut"),
        "{:?}",
        cut.gaps
    );
}

#[test]
fn what_is_neither_manifest_nor_capture_is_an_error_with_a_hint() {
    let folder = tempfile::tempdir().expect("a folder");
    let about = About::default();
    let text = folder.path().join("nginx.conf");
    std::fs::write(&text, "server { listen 80; }\n").expect("written");
    let long = folder.path().join("long.yaml");
    std::fs::write(&long, vec![b'#'; (16 << 20) + 1]).expect("written");
    let packed = folder.path().join("x.gz");
    std::fs::write(&packed, [0x1f, 0x8b, 8, 0]).expect("written");
    for (path, said) in [
        (text, "nginx.conf cannot be used: it is no manifest"),
        (long, "it is larger than 16 MiB"),
        (packed, "x.gz: The capture ends before its first line"),
        (folder.path().join("gone"), "gone could not be read"),
        (folder.path().to_owned(), "could not be read"),
    ] {
        let error = read(&path, &about).expect_err(said);
        assert!(error.message.contains(said), "{}", error.message);
        assert!(error.hint.is_some());
    }
}
