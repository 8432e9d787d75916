//! Lists that are watched from there on, through everything that may happen to a watch. Time stands still but for waits.

use std::time::Duration;

use confsplit::model::{Gap, GapReason, Kind, Object};
use confsplit::source::{Change, Link, Source, SourceError};
use serde_json::{Value, json};
use tokio::sync::mpsc::{Receiver, channel};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use super::fake::scope;
use super::fake::status;
use super::streams::{Streams, list};
use crate::build::NS;

const MAPS: &str = "configmaps";

fn map(name: &str, version: u64) -> Value {
    json!({
        "metadata": {
            "name": name, "namespace": NS, "uid": format!("uid-{name}"),
            "resourceVersion": version.to_string(),
            "creationTimestamp": "2026-10-02T20:35:00Z"
        },
        "data": {"mode": version.to_string()}
    })
}

struct Watching {
    changes: Receiver<Change>,
    task: JoinHandle<Result<(), SourceError>>,
}

fn watch(server: &Streams) -> Watching {
    let (sender, changes) = channel(1024);
    let live = server.live();
    let task = tokio::spawn(async move { live.watch(&scope(), sender).await });
    Watching { changes, task }
}

impl Watching {
    /// What is told of the ConfigMaps next, in short.
    async fn next(&mut self) -> String {
        let waiting = async {
            loop {
                let change = self.changes.recv().await.expect("it ended");
                if let Some(told) = told(change) {
                    return told;
                }
            }
        };
        let told = timeout(Duration::from_secs(900), waiting).await;
        told.expect("nothing more comes")
    }

    async fn next_few(&mut self, count: usize) -> Vec<String> {
        let mut all = Vec::new();
        for _ in 0..count {
            all.push(self.next().await);
        }
        all
    }
}

fn named(object: &Object) -> Option<String> {
    match object {
        Object::Config(c) if c.reference.kind.resource() == MAPS => {
            Some(format!("{}@{}", c.reference.name, c.resource_version))
        }
        _ => None,
    }
}

fn told(change: Change) -> Option<String> {
    let maps = Kind::ConfigMaps;
    Some(match change {
        Change::More { kind, objects } if kind == maps => {
            let names: Vec<String> = objects.iter().filter_map(named).collect();
            format!("more {}", names.join(" "))
        }
        Change::Listed { kind, gaps } if kind == maps => format!("listed, {} bad", gaps.len()),
        Change::Failed { kind, gap } if kind == maps => format!("failed: {:?}", gap.reason),
        Change::Put(object) => format!("put {}", named(&object)?),
        Change::Gone { kind, name, .. } if kind == maps => format!("gone {name}"),
        Change::Bad(Gap {
            verb,
            name,
            reason: GapReason::Unreadable(_),
            ..
        }) => format!("bad {verb} {}", name?),
        Change::Link { kind, link } if kind == maps => match link {
            Link::Live => "live".to_owned(),
            Link::Lost(reason) => format!("lost: {reason:?}"),
            Link::Polled { seconds } => format!("polled {seconds}"),
            Link::Denied(reason) => format!("denied: {reason:?}"),
        },
        _ => return None,
    })
}

#[tokio::test(start_paused = true)]
async fn a_list_is_watched_from_its_version() {
    let server = Streams::new();
    server.list(MAPS, "500", &[map("a", 10)]);
    let feed = server.feed(MAPS, true);
    let mut watching = watch(&server);
    assert_eq!(
        watching.next_few(3).await,
        ["more a@10", "listed, 0 bad", "live"]
    );
    feed.event("ADDED", &map("b", 501));
    feed.event("MODIFIED", &map("a", 502));
    feed.event("DELETED", &map("a", 503));
    // What a newer server may say, an empty line, and how far it is.
    feed.event("SYNCED", &map("c", 504));
    feed.send("\n");
    let mark = json!({"kind": "ConfigMap", "metadata": {"resourceVersion": "600"}});
    feed.event("BOOKMARK", &mark);
    assert_eq!(
        watching.next_few(3).await,
        ["put b@501", "put a@502", "gone a"]
    );
    let again = server.feed(MAPS, true);
    drop(feed);
    let asked = server.until(MAPS, true, 2).await;
    assert_eq!(asked[0].get("resourceVersion"), Some("500"));
    assert_eq!(asked[0].get("allowWatchBookmarks"), Some("true"));
    assert_eq!(asked[1].get("resourceVersion"), Some("600"));
    again.event("ADDED", &map("d", 601));
    // It was not lost: nothing is told of an end in good order.
    assert_eq!(watching.next().await, "put d@601");
    let lists = server.asked(MAPS, false);
    assert_eq!(lists.len(), 1);
    assert_eq!(lists[0].get("resourceVersion"), Some("0"));
}

#[tokio::test(start_paused = true)]
async fn an_event_that_comes_in_pieces_is_one() {
    let server = Streams::new();
    let feed = server.feed(MAPS, true);
    let mut watching = watch(&server);
    watching.next_few(2).await;
    let event = json!({"type": "ADDED", "object": map("ä", 501)}).to_string();
    for byte in event.as_bytes() {
        feed.send([*byte]);
        sleep(Duration::from_millis(400)).await;
    }
    feed.send("\n");
    assert_eq!(watching.next().await, "put ä@501");
}

#[tokio::test(start_paused = true)]
async fn an_expired_version_is_listed_again() {
    for inside in [true, false] {
        let server = Streams::new();
        server.list(MAPS, "500", &[map("a", 10)]);
        if inside {
            let feed = server.feed(MAPS, true);
            feed.event("ERROR", &status(410, "too old resource version"));
        } else {
            server.answer(MAPS, true, 410, status(410, "too old").to_string());
        }
        server.list(MAPS, "700", &[map("a", 650)]);
        let mut watching = watch(&server);
        let asked = server.until(MAPS, true, 2).await;
        assert_eq!(asked[1].get("resourceVersion"), Some("700"));
        let lists = server.asked(MAPS, false);
        assert_eq!(lists.len(), 2);
        // The cache may be as old as the version that has expired.
        assert_eq!(lists[1].get("resourceVersion"), None);
        let mut all = watching.next_few(4).await;
        all.retain(|told| told != "live");
        assert_eq!(all[..3], ["more a@10", "listed, 0 bad", "more a@650"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_ends_every_watch_is_not_asked_without_a_pause() {
    for code in [200, 410, 500] {
        let server = Streams::new();
        for _ in 0..10_000 {
            server.answer(MAPS, true, code, "");
        }
        let watching = watch(&server);
        sleep(Duration::from_secs(60)).await;
        let count = server.asked(MAPS, true).len();
        assert!((4..=16).contains(&count), "{code}: {count} in a minute");
        drop(watching);
    }
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_breaks_off_goes_on_where_it_was() {
    for half in [true, false] {
        let server = Streams::new();
        server.list(MAPS, "500", &[]);
        let feed = server.feed(MAPS, true);
        let mut watching = watch(&server);
        assert_eq!(watching.next_few(2).await, ["listed, 0 bad", "live"]);
        feed.event("ADDED", &map("a", 501));
        assert_eq!(watching.next().await, "put a@501");
        let again = server.feed(MAPS, true);
        // What happened meanwhile is there at once.
        again.event("ADDED", &map("b", 502));
        again.event("ADDED", &map("c", 503));
        if half {
            feed.send(r#"{"type":"ADDED","object":{"metad"#);
            drop(feed);
        } else {
            feed.breaks();
        }
        assert!(watching.next().await.starts_with("lost: Connection"));
        // Live is who has caught up.
        let rest = watching.next_few(3).await;
        assert_eq!(rest, ["put b@502", "put c@503", "live"]);
        let asked = server.asked(MAPS, true);
        assert_eq!(asked[1].get("resourceVersion"), Some("501"));
        assert_eq!(server.asked(MAPS, false).len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_died_without_a_word_is_asked_for_again() {
    let server = Streams::new();
    let _feed = server.feed(MAPS, true);
    let mut watching = watch(&server);
    assert_eq!(watching.next_few(2).await, ["listed, 0 bad", "live"]);
    let began = Instant::now();
    assert!(watching.next().await.starts_with("lost: TimedOut"));
    assert!(began.elapsed() < Duration::from_secs(400));
    assert_eq!(watching.next().await, "live");
}

#[tokio::test(start_paused = true)]
async fn an_object_that_cannot_be_understood_stops_no_other() {
    let server = Streams::new();
    let feed = server.feed(MAPS, true);
    let mut watching = watch(&server);
    watching.next_few(2).await;
    let mut bad = map("broken", 501);
    bad["data"] = json!(5);
    feed.event("ADDED", &bad);
    feed.event("ADDED", &map("fine", 502));
    assert_eq!(watching.next().await, "bad watch broken");
    assert_eq!(watching.next().await, "put fine@502");
}

#[tokio::test(start_paused = true)]
async fn what_may_not_be_watched_is_listed_every_few_seconds() {
    let server = Streams::new();
    for _ in 0..100 {
        server.answer(MAPS, true, 403, status(403, "no").to_string());
    }
    let mut watching = watch(&server);
    assert_eq!(watching.next_few(2).await, ["listed, 0 bad", "polled 10"]);
    server.list(MAPS, "700", &[map("a", 650)]);
    server.list(MAPS, "701", &[]);
    let began = Instant::now();
    assert_eq!(
        watching.next_few(3).await,
        ["more a@650", "listed, 0 bad", "listed, 0 bad"]
    );
    let took = began.elapsed().as_secs();
    assert!((18..=22).contains(&took), "{took}");
}

#[tokio::test(start_paused = true)]
async fn a_login_that_is_not_accepted_is_told() {
    let server = Streams::new();
    server.answer(MAPS, true, 401, status(401, "no").to_string());
    let mut watching = watch(&server);
    assert_eq!(
        watching.next_few(3).await,
        ["listed, 0 bad", "lost: Unauthorized", "live"]
    );
    let server = Streams::new();
    server.answer(MAPS, false, 401, status(401, "no").to_string());
    let mut watching = watch(&server);
    assert_eq!(
        watching.next_few(2).await,
        ["failed: Unauthorized", "denied: Unauthorized"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_list_that_breaks_off_is_read_again() {
    let server = Streams::new();
    let feed = server.feed(MAPS, false);
    let whole = list("500", &[map("a", 10), map("b", 11)]);
    let cut = whole
        .find(r#","items""#)
        .map_or(whole.len() - 40, |_| whole.len() - 40);
    feed.send(&whole[..cut]);
    feed.breaks();
    server.list(MAPS, "510", &[map("a", 10), map("b", 11)]);
    let mut watching = watch(&server);
    let mut all = Vec::new();
    while all.last().is_none_or(|last| last != "live") {
        all.push(watching.next().await);
    }
    let failed = all.iter().position(|told| told.starts_with("failed: Conn"));
    let again: Vec<&String> = all[failed.unwrap()..]
        .iter()
        .filter(|told| told.starts_with("more") || told.starts_with("listed"))
        .collect();
    assert_eq!(again.last().unwrap(), &"listed, 0 bad");
    assert!(again[..again.len() - 1].iter().any(|t| t.contains("b@11")));
    assert_eq!(
        server.asked(MAPS, true)[0].get("resourceVersion"),
        Some("510")
    );
}

#[tokio::test(start_paused = true)]
async fn secrets_are_watched_without_their_values() {
    let server = Streams::new();
    let _watching = watch(&server);
    let asked = server.until("secrets", true, 1).await;
    assert_eq!(
        asked[0].accept,
        "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
    );
}

#[tokio::test(start_paused = true)]
async fn watching_ends_when_nobody_listens() {
    let server = Streams::new();
    let mut watching = watch(&server);
    watching.next_few(2).await;
    watching.changes.close();
    let began = Instant::now();
    let ended = timeout(Duration::from_secs(30), &mut watching.task).await;
    ended.expect("it goes on").unwrap().unwrap();
    assert!(began.elapsed() < Duration::from_secs(11));
}
