//! Logs that are followed: each line once, in order, whatever happens to the stream.

use std::time::Duration;

use confsplit::model::PodRef;
use confsplit::source::{Change, Source};
use tokio::sync::mpsc::{Receiver, channel};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use super::fake::status;
use super::streams::Streams;
use crate::build::NS;

struct Follower {
    changes: Receiver<Change>,
    task: JoinHandle<()>,
    server: Streams,
}

fn follow(server: Streams, after: Option<&str>) -> Follower {
    let (sender, changes) = channel(1024);
    let live = server.live();
    let after = after.map(|at| stamp(at).parse().unwrap());
    let pod = PodRef {
        namespace: NS.to_owned(),
        name: "frontend-0".to_owned(),
        uid: "uid".to_owned(),
    };
    let task = tokio::spawn(async move { live.follow(&pod, "app", after, sender).await });
    Follower {
        changes,
        task,
        server,
    }
}

/// A kubelet's timestamp, of seconds and parts of them.
fn stamp(seconds: &str) -> String {
    format!("2026-10-02T20:35:{seconds}Z")
}

fn line(seconds: &str, text: &str) -> String {
    format!("{} {text}\n", stamp(seconds))
}

impl Follower {
    /// All lines to the end, without their times.
    async fn all(&mut self) -> Vec<String> {
        let mut text = String::new();
        let waiting = async {
            loop {
                match self.changes.recv().await {
                    Some(Change::Lines { lines, .. }) => text.push_str(&lines),
                    Some(Change::LogEnded { container, .. }) => {
                        assert_eq!(container, "app");
                        break;
                    }
                    other => panic!("{other:?}"),
                }
            }
        };
        timeout(Duration::from_secs(3600), waiting).await.unwrap();
        assert!(text.is_empty() || text.ends_with('\n'));
        let lines = text.lines().map(|line| line.split_once(' ').unwrap().1);
        lines.map(str::to_owned).collect()
    }

    fn since(&self) -> Vec<Option<String>> {
        let asked = self.server.asked("log", true);
        asked
            .iter()
            .map(|asked| asked.get("sinceTime").map(str::to_owned))
            .collect()
    }
}

#[tokio::test(start_paused = true)]
async fn no_line_is_lost_or_repeated_where_a_stream_is_taken_up_again() {
    let server = Streams::new();
    let feed = server.feed("log", true);
    for (at, text) in [
        ("01.1", "one"),
        ("02.25", "two"),
        ("02.25", "three"),
        ("02.25", "three"),
    ] {
        feed.send(line(at, text));
    }
    feed.breaks();
    let feed = server.feed("log", true);
    for (at, text) in [
        ("02.25", "two"),
        ("02.25", "three"),
        ("02.25", "three"),
        ("02.25", "three"),
        ("02.25", "four"),
        ("03", "five"),
    ] {
        feed.send(line(at, text));
    }
    drop(feed);
    let mut follower = follow(server, None);
    let all = follower.all().await;
    assert_eq!(
        all,
        ["one", "two", "three", "three", "three", "four", "five"]
    );
    let since = follower.since();
    assert_eq!(since[..3], [None, Some(stamp("02")), Some(stamp("03"))]);
}

#[tokio::test(start_paused = true)]
async fn it_goes_on_after_what_was_read_before() {
    let server = Streams::new();
    let feed = server.feed("log", true);
    for (at, text) in [
        ("05.1", "a"),
        ("05.5", "b"),
        ("05.500000001", "c"),
        ("06", "d"),
    ] {
        feed.send(line(at, text));
    }
    drop(feed);
    let mut follower = follow(server, Some("05.5"));
    assert_eq!(follower.all().await, ["c", "d"]);
    assert_eq!(follower.since()[0], Some(stamp("05")));
}

#[tokio::test(start_paused = true)]
async fn lines_of_two_outputs_need_not_be_in_order() {
    let server = Streams::new();
    let feed = server.feed("log", true);
    feed.send(line("05.000002", "out"));
    feed.send(line("05.000001", "err"));
    feed.send(line("04.999999", "before"));
    feed.send(line("05.000003", "out again"));
    drop(feed);
    let feed = server.feed("log", true);
    feed.send(line("05.000002", "out"));
    feed.send(line("05.000001", "err"));
    feed.send(line("05.000003", "out again"));
    drop(feed);
    let mut follower = follow(server, None);
    assert_eq!(follower.all().await, ["out", "err", "before", "out again"]);
}

#[tokio::test(start_paused = true)]
async fn half_a_line_is_not_taken_for_a_whole_one() {
    let server = Streams::new();
    let feed = server.feed("log", true);
    feed.send(line("01", "one"));
    feed.send(stamp("02") + " tw");
    drop(feed);
    let feed = server.feed("log", true);
    feed.send(line("01", "one"));
    feed.send(line("02", "two"));
    // The last words of a run that had no time for the end of its line.
    feed.send(stamp("03") + " pan");
    drop(feed);
    for _ in 0..3 {
        let feed = server.feed("log", true);
        feed.send(line("02", "two"));
        feed.send(stamp("03") + " pan");
    }
    let mut follower = follow(server, None);
    assert_eq!(follower.all().await, ["one", "two", "pan"]);
}

#[tokio::test(start_paused = true)]
async fn ends_of_lines_and_bad_bytes() {
    let server = Streams::new();
    let feed = server.feed("log", true);
    feed.send(stamp("01") + " windows\r\n");
    feed.send([stamp("02").as_bytes(), b" caf\xc3\xa9 \xff!\n"].concat());
    // A character that comes in two pieces.
    feed.send([stamp("03").as_bytes(), b" caf\xc3"].concat());
    feed.send(b"\xa9\n");
    drop(feed);
    let mut follower = follow(server, None);
    assert_eq!(follower.all().await, ["windows", "café \u{fffd}!", "café"]);
}

#[tokio::test(start_paused = true)]
async fn a_line_of_more_than_a_mebibyte_is_cut_and_the_next_is_whole() {
    let server = Streams::new();
    let feed = server.feed("log", true);
    feed.send(stamp("01") + " ");
    for _ in 0..40 {
        feed.send("ä".repeat(64 << 10));
    }
    feed.send("\n");
    feed.send(line("02", "next"));
    drop(feed);
    let mut follower = follow(server, None);
    let all = follower.all().await;
    assert_eq!(all.len(), 2);
    let length = all[0].len();
    assert!((1_000_000..=(1 << 20)).contains(&length), "{length}");
    assert_eq!(all[1], "next");
}

#[tokio::test(start_paused = true)]
async fn a_quiet_log_that_somebody_cuts_off_is_not_over() {
    let server = Streams::new();
    let feeds: Vec<_> = (0..6).map(|_| server.feed("log", true)).collect();
    let last = server.feed("log", true);
    last.send(line("50", "still here"));
    drop(last);
    let mut follower = follow(server.clone(), None);
    let cutting = async {
        for (number, feed) in feeds.into_iter().enumerate() {
            server.until("log", true, number + 1).await;
            // As a load balancer does after a minute without a byte.
            sleep(Duration::from_secs(60)).await;
            drop(feed);
        }
    };
    let (all, ()) = tokio::join!(follower.all(), cutting);
    assert_eq!(all, ["still here"]);
}

#[tokio::test(start_paused = true)]
async fn streams_that_end_at_once_are_the_end() {
    let server = Streams::new();
    for _ in 0..100 {
        server.answer("log", true, 200, "");
    }
    let began = Instant::now();
    let mut follower = follow(server, None);
    assert_eq!(follower.all().await, [""; 0]);
    assert_eq!(follower.since().len(), 3);
    assert!(began.elapsed() < Duration::from_secs(10));
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_is_gone_is_the_end_and_a_busy_server_is_not() {
    let server = Streams::new();
    for code in [500, 503] {
        let failed = status(code, "etcd leader changed").to_string();
        server.answer("log", true, code, failed);
    }
    let feed = server.feed("log", true);
    feed.send(line("01", "one"));
    drop(feed);
    let mut follower = follow(server, None);
    assert_eq!(follower.all().await, ["one"]);
    assert_eq!(follower.since().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn following_ends_when_nobody_listens() {
    let server = Streams::new();
    let feed = server.feed("log", true);
    feed.send(line("01", "one"));
    let mut follower = follow(server, None);
    assert!(matches!(
        follower.changes.recv().await,
        Some(Change::Lines { .. })
    ));
    follower.changes.close();
    let ended = timeout(Duration::from_secs(5), follower.task).await;
    ended.expect("it goes on").unwrap();
}
