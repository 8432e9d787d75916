//! What is kept of what a watch tells, and which version is said to follow which.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io;

use chrono::{DateTime, Utc};

use super::{Aim, Recorder, Seen, Shelf, Told};
use crate::capture::history::{Entry, Newest};
use crate::model::{Config, ConfigKind, ConfigRef, Content, Kept, Target};

thread_local! {
    static NOW: Cell<i64> = const { Cell::new(0) };
}

fn clock() -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000 + NOW.get(), 0).expect("a time")
}

#[derive(Debug, Default)]
struct Paper {
    written: Vec<Entry>,
    full: bool,
}

impl Shelf for Paper {
    fn write(&mut self, entries: &[Entry], _: DateTime<Utc>) -> io::Result<()> {
        if self.full {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.written.extend_from_slice(entries);
        Ok(())
    }
}

fn named(name: &str) -> ConfigRef {
    ConfigRef::new(ConfigKind::ConfigMap, "shop", name)
}

fn config(name: &str, version: u64, value: &str) -> Config {
    Config {
        reference: named(name),
        uid: format!("uid-{name}"),
        resource_version: version.to_string(),
        created: None,
        content: Some(Content::text([("key", value)])),
        immutable: false,
        managed: Vec::new(),
        last_applied: None,
        owner_marks: BTreeMap::new(),
    }
}

fn recorder() -> Recorder<Paper> {
    NOW.set(0);
    Recorder::new(
        Paper::default(),
        Newest::new(),
        Some("shop"),
        &Aim::new(None),
        clock,
    )
}

/// Each line: the name, the version, and what it follows; `gone` for a deletion.
fn lines(recorder: &Recorder<Paper>) -> Vec<String> {
    let line = |entry: &Entry| match entry {
        Entry::Kept(kept) => {
            let follows = kept.follows.as_deref().unwrap_or("?");
            format!(
                "{} {} after {follows}",
                kept.config.reference.name, kept.config.resource_version
            )
        }
        Entry::Gone { reference, .. } => format!("{} gone", reference.name),
    };
    recorder.shelf.written.iter().map(line).collect()
}

fn list(recorder: &mut Recorder<Paper>, configs: &[Config]) {
    recorder.take(Seen::Listing(configs.to_vec()));
    recorder.take(Seen::Listed);
}

#[test]
fn a_watch_tells_what_follows_and_a_list_does_not() {
    let mut recorder = recorder();
    list(&mut recorder, &[config("a", 1, "x")]);
    recorder.take(Seen::Put(Box::new(config("a", 2, "y"))));
    recorder.take(Seen::Put(Box::new(config("a", 3, "z"))));
    // The watch expired: between 3 and 9 there may have been others.
    list(&mut recorder, &[config("a", 9, "w")]);
    recorder.take(Seen::Put(Box::new(config("a", 10, "v"))));
    // Expired again, and nothing was written meanwhile.
    list(&mut recorder, &[config("a", 10, "v")]);
    recorder.take(Seen::Put(Box::new(config("a", 11, "u"))));
    assert_eq!(
        lines(&recorder),
        [
            "a 1 after ?",
            "a 2 after 1",
            "a 3 after 2",
            "a 9 after ?",
            "a 10 after 9",
            "a 11 after 10"
        ]
    );
}

#[test]
fn writes_of_labels_alone_are_not_kept_and_break_no_chain() {
    let mut recorder = recorder();
    list(&mut recorder, &[config("a", 1, "x")]);
    for version in 2..100 {
        recorder.take(Seen::Put(Box::new(config("a", version, "x"))));
    }
    recorder.take(Seen::Put(Box::new(config("a", 100, "y"))));
    assert_eq!(lines(&recorder), ["a 1 after ?", "a 100 after 1"]);
}

#[test]
fn made_again_it_follows_nothing() {
    let mut recorder = recorder();
    list(&mut recorder, &[config("a", 1, "x"), config("b", 2, "x")]);
    recorder.take(Seen::Gone(named("a")));
    recorder.take(Seen::Gone(named("never-seen")));
    recorder.take(Seen::Put(Box::new(config("a", 5, "x"))));
    let mut again = config("b", 6, "y");
    again.uid = "another".to_owned();
    recorder.take(Seen::Put(Box::new(again)));
    list(&mut recorder, &[config("a", 5, "x")]);
    assert_eq!(
        lines(&recorder),
        [
            "a 1 after ?",
            "b 2 after ?",
            "a gone",
            "a 5 after ?",
            "b 6 after ?",
            "b gone"
        ]
    );
}

#[test]
fn a_list_that_broke_off_makes_nothing_gone() {
    let mut recorder = recorder();
    list(&mut recorder, &[config("a", 1, "x"), config("b", 2, "x")]);
    recorder.take(Seen::Listing(vec![config("a", 1, "x")]));
    recorder.take(Seen::Unlisted);
    list(&mut recorder, &[config("a", 1, "x"), config("b", 2, "x")]);
    assert_eq!(lines(&recorder), ["a 1 after ?", "b 2 after ?"]);
}

#[test]
fn after_a_version_that_could_not_be_read_nothing_follows() {
    let mut recorder = recorder();
    list(&mut recorder, &[config("a", 1, "x"), config("b", 2, "x")]);
    recorder.take(Seen::Missed(Some(named("a"))));
    // The same content again is no proof that there was no other.
    recorder.take(Seen::Put(Box::new(config("a", 5, "x"))));
    recorder.take(Seen::Put(Box::new(config("b", 6, "y"))));
    recorder.take(Seen::Missed(None));
    recorder.take(Seen::Put(Box::new(config("b", 7, "z"))));
    recorder.take(Seen::Put(Box::new(config("b", 8, "w"))));
    assert_eq!(
        lines(&recorder),
        [
            "a 1 after ?",
            "b 2 after ?",
            "a 5 after ?",
            "b 6 after 2",
            "b 7 after ?",
            "b 8 after 7"
        ]
    );
}

#[test]
fn what_is_kept_already_is_not_kept_again() {
    let kept = |name: &str, version| Kept {
        config: config(name, version, "x"),
        follows: None,
        seen_at: clock(),
        file: String::new(),
    };
    let newest: Newest = [
        (named("a"), kept("a", 3)),
        (named("b"), kept("b", 4)),
        (named("c"), kept("c", 5)),
    ]
    .into();
    let mut recorder = Recorder::new(
        Paper::default(),
        newest,
        Some("shop"),
        &Aim::new(None),
        clock,
    );
    list(&mut recorder, &[config("a", 3, "x"), config("b", 9, "x")]);
    recorder.take(Seen::Put(Box::new(config("a", 10, "y"))));
    assert_eq!(
        lines(&recorder),
        ["b 9 after ?", "c gone", "a 10 after 3"],
        "a has not been written since; b has, and what was between is not known"
    );
}

#[test]
fn what_lies_outside_the_scope_is_neither_kept_nor_gone() {
    let mut elsewhere = config("a", 3, "x");
    elsewhere.reference.namespace = "prod".to_owned();
    let kept = |config: Config| Kept {
        config,
        follows: None,
        seen_at: clock(),
        file: String::new(),
    };
    let newest: Newest = [
        (elsewhere.reference.clone(), kept(elsewhere)),
        (named("b"), kept(config("b", 4, "x"))),
    ]
    .into();
    let only = Aim::new(Some(Target::Config {
        kind: ConfigKind::ConfigMap,
        name: "a".to_owned(),
    }));
    let mut recorder = Recorder::new(Paper::default(), newest, Some("shop"), &only, clock);
    list(&mut recorder, &[config("a", 7, "x"), config("c", 8, "x")]);
    assert_eq!(lines(&recorder), ["a 7 after ?"]);
}

#[test]
fn on_a_full_disk_the_newest_of_each_waits_and_no_chain_is_made_up() {
    let mut recorder = recorder();
    list(&mut recorder, &[config("a", 1, "x"), config("b", 2, "x")]);
    recorder.shelf.full = true;
    let told = recorder.take(Seen::Put(Box::new(config("a", 3, "y"))));
    assert!(
        matches!(&told[..], [Told::Failing { waiting: 1, .. }]),
        "{told:?}"
    );
    // The same is not said over and over.
    assert_eq!(recorder.take(Seen::Put(Box::new(config("a", 4, "z")))), []);
    assert_eq!(recorder.take(Seen::Put(Box::new(config("b", 5, "y")))), []);
    NOW.set(11);
    assert_eq!(recorder.take(Seen::Tick), []);
    assert_eq!(lines(&recorder).len(), 2);
    recorder.shelf.full = false;
    NOW.set(15);
    assert_eq!(recorder.take(Seen::Tick), [], "it was tried a moment ago");
    NOW.set(22);
    let told = recorder.take(Seen::Tick);
    assert!(
        matches!(
            &told[..],
            [
                Told::Working { lost: 1 },
                Told::Kept { .. },
                Told::Kept { .. }
            ]
        ),
        "{told:?}"
    );
    recorder.take(Seen::Put(Box::new(config("a", 6, "w"))));
    assert_eq!(
        lines(&recorder),
        [
            "a 1 after ?",
            "b 2 after ?",
            "a 4 after ?",
            "b 5 after 2",
            "a 6 after 4"
        ],
        "3 was never kept, so nothing is said to follow it"
    );
}

#[test]
fn at_the_end_it_is_tried_once_more() {
    let mut recorder = recorder();
    recorder.shelf.full = true;
    list(&mut recorder, &[config("a", 1, "x")]);
    recorder.shelf.full = false;
    let told = recorder.finish();
    assert!(
        matches!(
            &told[..],
            [Told::Working { lost: 0 }, Told::Kept { known: false, .. }]
        ),
        "{told:?}"
    );
}
