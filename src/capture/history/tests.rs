//! A history in a folder: kept, read, gone on with, bounded, and never mixed with another cluster's.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeDelta, Utc};

use super::{Book, Bounds, Cluster, Entry, exists, folder, read, segments};
use crate::model::{Config, ConfigKind, ConfigRef, Content, Kept};

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000 + seconds, 0).expect("a time")
}

fn cluster(uid: Option<&str>) -> Cluster {
    Cluster {
        server: "https://127.0.0.1:6443".to_owned(),
        uid: uid.map(str::to_owned),
    }
}

fn kept(name: &str, version: u64, value: &str, follows: Option<u64>) -> Kept {
    Kept {
        config: Config {
            reference: ConfigRef::new(ConfigKind::ConfigMap, "shop", name),
            uid: format!("uid-{name}"),
            resource_version: version.to_string(),
            created: Some(at(0)),
            content: Some(Content::Plain {
                data: [("key".to_owned(), value.to_owned())].into(),
                binary: [("b".to_owned(), vec![0, 159, 146])].into(),
            }),
            immutable: false,
            managed: Vec::new(),
            last_applied: None,
            owner_marks: BTreeMap::new(),
        },
        follows: follows.map(|v| v.to_string()),
        seen_at: at(i64::try_from(version).expect("small")),
        file: String::new(),
    }
}

fn entry(kept: Kept) -> Entry {
    Entry::Kept(Box::new(kept))
}

fn open(store: &Path, uid: Option<&str>) -> (Book, super::Newest) {
    Book::open(store, cluster(uid), Bounds::default(), at(0)).expect("a history")
}

fn versions(store: &Path, uid: Option<&str>) -> Vec<String> {
    let (kept, notes) = read(store, &cluster(uid), None);
    assert_eq!(notes, Vec::<String>::new());
    kept.into_iter()
        .map(|kept| kept.config.resource_version)
        .collect()
}

fn files(store: &Path) -> Vec<PathBuf> {
    segments(&folder(store, &cluster(None).server)).expect("a folder")
}

#[test]
fn what_was_written_is_read_as_it_was() {
    let store = tempfile::tempdir().expect("a folder");
    assert!(!exists(store.path(), &cluster(None).server));
    let (mut book, newest) = open(store.path(), Some("u"));
    assert!(newest.is_empty());
    let all = [
        kept("a", 1, "x", None),
        kept("a", 2, "y\u{1b}\n", Some(1)),
        kept("b", 3, "z", None),
    ];
    book.write(&all.clone().map(entry), at(1)).expect("written");
    assert!(exists(store.path(), &cluster(None).server));
    // Also while it is written.
    let (found, notes) = read(store.path(), &cluster(Some("u")), None);
    let file = files(store.path())[0].display().to_string();
    let expected = all.map(|kept| Kept {
        file: file.clone(),
        ..kept
    });
    assert_eq!((found, notes), (expected.to_vec(), Vec::new()));
    let (found, _) = read(store.path(), &cluster(Some("u")), Some("prod"));
    assert_eq!(found, []);
    drop(book);
    let (_, newest) = open(store.path(), Some("u"));
    let newest: Vec<_> = newest
        .values()
        .map(|kept| &*kept.config.resource_version)
        .collect();
    assert!(newest.len() == 2 && newest.contains(&"2") && newest.contains(&"3"));
    assert_eq!(
        files(store.path()).len(),
        1,
        "it goes on with the same segment"
    );
}

#[test]
fn a_kill_at_any_byte_costs_the_line_that_was_written_and_no_other() {
    let store = tempfile::tempdir().expect("a folder");
    let (mut book, _) = open(store.path(), Some("u"));
    book.write(&[entry(kept("a", 1, "x", None))], at(1))
        .expect("written");
    book.write(&[entry(kept("a", 2, "y", Some(1)))], at(2))
        .expect("written");
    drop(book);
    let path = files(store.path())[0].clone();
    let whole = fs::read(&path).expect("read");
    let ends: Vec<usize> = whole
        .iter()
        .enumerate()
        .filter(|(_, b)| **b == b'\n')
        .map(|(i, _)| i + 1)
        .collect();
    for cut in 0..whole.len() {
        fs::write(&path, &whole[..cut]).expect("cut");
        let lines = ends.iter().filter(|end| **end <= cut).count();
        let before: &[&str] = match lines {
            0 | 1 => &[],
            _ => &["1"],
        };
        assert_eq!(versions(store.path(), Some("u")), before, "cut at {cut}");
        // Each is read; going on after each takes a disk too long.
        if cut % 11 != 0 && ends.iter().all(|end| cut.abs_diff(*end) > 1) {
            continue;
        }
        let (mut book, _) = open(store.path(), Some("u"));
        book.write(&[entry(kept("a", 3, "z", None))], at(3))
            .expect("written");
        drop(book);
        let after: Vec<&str> = before.iter().copied().chain(["3"]).collect();
        assert_eq!(
            versions(store.path(), Some("u")),
            after,
            "cut at {cut}, then gone on with"
        );
        for other in files(store.path()) {
            fs::remove_file(other).expect("gone");
        }
    }
}

#[test]
fn several_write_at_once_and_each_version_is_read_once() {
    let store = tempfile::tempdir().expect("a folder");
    let (mut one, _) = open(store.path(), Some("u"));
    let (mut two, _) = open(store.path(), Some("u"));
    one.write(&[entry(kept("a", 1, "x", None))], at(1))
        .expect("written");
    two.write(
        &[
            entry(kept("a", 1, "x", None)),
            entry(kept("a", 2, "y", None)),
        ],
        at(2),
    )
    .expect("written");
    one.write(&[entry(kept("a", 2, "y", Some(1)))], at(2))
        .expect("written");
    assert_eq!(files(store.path()).len(), 2);
    let (found, _) = read(store.path(), &cluster(Some("u")), None);
    let told: Vec<_> = found
        .iter()
        .map(|k| (&*k.config.resource_version, k.follows.as_deref()))
        .collect();
    assert_eq!(told, [("1", None), ("2", Some("1"))]);
}

#[test]
fn two_clusters_of_one_address_are_never_mixed() {
    let store = tempfile::tempdir().expect("a folder");
    let (mut one, _) = open(store.path(), Some("u"));
    one.write(&[entry(kept("a", 1, "x", None))], at(1))
        .expect("written");
    drop(one);
    // Who may not tell takes what is of one cluster, and writes apart.
    assert_eq!(versions(store.path(), None), ["1"]);
    let (mut two, newest) = open(store.path(), Some("v"));
    assert!(newest.is_empty());
    two.write(&[entry(kept("a", 7, "y", None))], at(7))
        .expect("written");
    assert_eq!(versions(store.path(), Some("u")), ["1"]);
    assert_eq!(versions(store.path(), Some("v")), ["7"]);
    let (found, notes) = read(store.path(), &cluster(None), None);
    assert!(
        found.is_empty() && notes[0].contains("several clusters of this address"),
        "{notes:?}"
    );
    let other = Cluster {
        server: "https://other:6443".to_owned(),
        uid: Some("u".to_owned()),
    };
    assert!(!exists(store.path(), &other.server));
}

#[test]
fn no_secret_is_ever_written() {
    let store = tempfile::tempdir().expect("a folder");
    let (mut book, _) = open(store.path(), None);
    let mut secret = kept("db", 1, "hunter2", None);
    secret.config.reference.kind = ConfigKind::Secret;
    book.write(&[entry(secret)], at(1))
        .expect("nothing to write");
    let text = fs::read_to_string(&files(store.path())[0]).expect("read");
    assert!(
        !text.contains("hunter2") && text.lines().count() == 1,
        "{text}"
    );
}

#[test]
fn the_oldest_go_first_but_for_the_newest_of_each() {
    let store = tempfile::tempdir().expect("a folder");
    let bounds = Bounds {
        bytes: 64 << 10,
        ..Bounds::default()
    };
    let (mut book, _) = Book::open(store.path(), cluster(None), bounds, at(0)).expect("a history");
    book.write(
        &[
            entry(kept("quiet", 1, "kept", None)),
            entry(kept("gone", 2, "x", None)),
        ],
        at(2),
    )
    .expect("written");
    let gone = Entry::Gone {
        reference: ConfigRef::new(ConfigKind::ConfigMap, "shop", "gone"),
        at: at(3),
    };
    book.write(&[gone], at(3)).expect("written");
    for version in 10..400 {
        let value = "v".repeat(1000);
        book.write(
            &[entry(kept("busy", version, &value, Some(version - 1)))],
            at(version as i64),
        )
        .expect("written");
    }
    let total: u64 = files(store.path())
        .iter()
        .map(|f| fs::metadata(f).expect("there").len())
        .sum();
    assert!(total < (64 << 10) * 5 / 4, "{total}");
    let (found, notes) = read(store.path(), &cluster(None), None);
    assert_eq!(notes, Vec::<String>::new());
    let names: Vec<&str> = found.iter().map(|k| &*k.config.reference.name).collect();
    assert_eq!(names.iter().filter(|n| **n == "quiet").count(), 1);
    assert!(
        !names.contains(&"gone"),
        "what is gone is not kept for ever"
    );
    assert_eq!(
        found
            .iter()
            .filter(|k| k.config.resource_version == "399")
            .count(),
        1
    );
    assert!(found.iter().all(|k| k.config.resource_version != "10"));
}

#[test]
fn what_is_too_old_goes_too() {
    let store = tempfile::tempdir().expect("a folder");
    let bounds = Bounds {
        age: TimeDelta::days(8),
        ..Bounds::default()
    };
    let day = |n: i64| at(n * 86_400);
    let dated = |version: u64, n: i64| {
        let mut kept = kept("a", version, "x", None);
        kept.seen_at = day(n);
        entry(kept)
    };
    for (version, n) in [(1, 0), (2, 4), (3, 9), (4, 13)] {
        let (mut book, _) =
            Book::open(store.path(), cluster(None), bounds, day(n)).expect("a history");
        book.write(&[dated(version, n)], day(n)).expect("written");
    }
    assert_eq!(versions(store.path(), None), ["3", "4"]);
    // However old: it is still there.
    drop(Book::open(store.path(), cluster(None), bounds, day(100)).expect("a history"));
    assert_eq!(versions(store.path(), None), ["4"]);
}

#[test]
fn one_that_is_written_by_another_is_let_be() {
    let store = tempfile::tempdir().expect("a folder");
    let bounds = Bounds {
        age: TimeDelta::days(8),
        ..Bounds::default()
    };
    let late = at(86_400 * 100);
    let (mut one, _) = Book::open(store.path(), cluster(None), bounds, at(0)).expect("a history");
    one.write(
        &[
            entry(kept("a", 1, "x", None)),
            entry(kept("a", 2, "y", None)),
        ],
        at(2),
    )
    .expect("written");
    let (_two, _) = Book::open(store.path(), cluster(None), bounds, late).expect("a history");
    assert_eq!(versions(store.path(), None), ["1", "2"]);
}

#[test]
fn damage_is_said_and_the_rest_is_read() {
    let store = tempfile::tempdir().expect("a folder");
    let (mut book, _) = open(store.path(), None);
    for version in 1..4 {
        book.write(&[entry(kept("a", version, "x", None))], at(1))
            .expect("written");
    }
    drop(book);
    let path = files(store.path())[0].clone();
    let text = fs::read_to_string(&path).expect("read");
    fs::write(
        &path,
        text.replace("\"resource_version\":\"2\"", "\"resource_version\":2"),
    )
    .expect("written");
    // One of a later program, and one that was killed before its first line was whole.
    let place = path.parent().expect("a folder");
    fs::write(place.join("1-later.ndjson"), "{\"confsplit_history\":2}\n").expect("written");
    fs::write(place.join("2-unbegun.ndjson"), "{\"confs").expect("written");
    let (found, notes) = read(store.path(), &cluster(None), None);
    let versions: Vec<_> = found.iter().map(|k| &*k.config.resource_version).collect();
    assert_eq!(versions, ["1", "3"]);
    assert!(
        notes.len() == 1 && notes[0].ends_with("1 of its lines are damaged"),
        "{notes:?}"
    );
    drop(open(store.path(), None));
    assert!(place.join("1-later.ndjson").exists() && !place.join("2-unbegun.ndjson").exists());
}

#[cfg(unix)]
#[test]
fn a_place_where_nothing_may_be_written_is_an_error_with_a_hint() {
    let store = tempfile::tempdir().expect("a folder");
    let file = store.path().join("file");
    fs::write(&file, "").expect("written");
    let error = Book::open(&file, cluster(None), Bounds::default(), at(0)).expect_err("a file");
    assert!(
        error.to_string().contains("could not be begun") && error.hint().contains("--store DIR")
    );
}
