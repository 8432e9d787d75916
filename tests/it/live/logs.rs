//! Logs: how they are asked for, and what is known to be missing.

use std::sync::Arc;

use confsplit::model::{GapReason, Log, PodRef, Snapshot, Want};

use super::fake::{Answer, Fake, read};
use super::objects::{line, pod};
use crate::build::NS;

const POD: &str = "frontend-76d98597b9-kt2jr";
const PATH: &str = "/api/v1/namespaces/shop/pods/frontend-76d98597b9-kt2jr/log";

fn wanted(previous: bool) -> Want {
    Want::Log {
        pod: PodRef {
            namespace: NS.to_owned(),
            name: POD.to_owned(),
            uid: format!("uid-{POD}"),
        },
        container: "nginx".to_owned(),
        previous,
    }
}

/// A pod whose container started at second 26, and its log.
fn server(answer: Answer) -> Fake {
    let fake = Fake::default();
    let mut restarted = pod("kt2jr", 25);
    restarted["status"]["containerStatuses"][0]["lastState"] = serde_json::json!({
        "terminated": {"exitCode": 1, "reason": "Error", "startedAt": "2026-10-02T20:20:00Z",
            "finishedAt": "2026-10-02T20:35:24Z"}
    });
    fake.holds("pods", &[restarted]).answers(PATH, answer);
    fake
}

fn only(snapshot: &Snapshot) -> &Log {
    assert_eq!(snapshot.gaps, []);
    assert_eq!(snapshot.logs.len(), 1);
    &snapshot.logs[0]
}

#[tokio::test]
async fn a_log_that_begins_with_its_container_is_complete() {
    let text = line(26, "nginx/1.27.5") + &line(60, "later");
    let fake = server(Answer::text(&text));
    let snapshot = read(&fake.live(), vec![wanted(false)]).await;
    let log = only(&snapshot);
    assert_eq!(log.text.to_string(), text);
    assert_eq!((log.complete, log.missing.as_deref()), (true, None));
    assert_eq!((log.container.as_str(), log.previous), ("nginx", false));
    let last = fake.urls().pop().unwrap();
    assert_eq!(
        last,
        format!("{PATH}?container=nginx&timestamps=true&previous=false&limitBytes=8388608")
    );
}

#[tokio::test]
async fn a_log_that_begins_later_says_so() {
    let fake = server(Answer::text(&line(90, "after a rotation")));
    let snapshot = read(&fake.live(), vec![wanted(false)]).await;
    let log = only(&snapshot);
    assert!(!log.complete);
    let missing = log.missing.as_deref().unwrap();
    assert!(
        missing.starts_with("no lines before 2026-10-02 20:36:30"),
        "{missing}"
    );
    let fake = server(Answer::text(""));
    let snapshot = read(&fake.live(), vec![wanted(false)]).await;
    assert!(
        !only(&snapshot).complete,
        "nothing may have been rotated away"
    );
}

#[tokio::test]
async fn the_run_before_has_its_own_log_and_start() {
    let fake = server(Answer::text(&line(26, "that is much later than its start")));
    let snapshot = read(&fake.live(), vec![wanted(true)]).await;
    let log = only(&snapshot);
    assert!(log.previous && !log.complete);
    assert!(fake.urls().pop().unwrap().contains("&previous=true&"));
}

#[tokio::test]
async fn bytes_that_are_no_text_are_replaced() {
    let mut bytes = line(26, "start").into_bytes();
    bytes.extend(b"2026-10-02T20:35:27Z \xff\xfe\x1b[2J end\n");
    let fake = server(Answer::Raw(200, bytes));
    let snapshot = read(&fake.live(), vec![wanted(false)]).await;
    let log = only(&snapshot);
    let last = log.lines().next_back().unwrap();
    assert_eq!(last.text, "\u{fffd}\u{fffd}\u{1b}[2J end");
    assert!(log.complete);
}

#[tokio::test]
async fn a_log_that_is_not_there_is_a_gap() {
    let cases = [
        (Answer::failure(404, "pods not found"), GapReason::NotFound),
        (Answer::failure(403, "no"), GapReason::Forbidden),
        (
            Answer::failure(400, "previous terminated container not found"),
            GapReason::Status {
                code: 400,
                message: "previous terminated container not found".to_owned(),
            },
        ),
    ];
    for (answer, reason) in cases {
        let snapshot = read(&server(answer).live(), vec![wanted(false)]).await;
        assert_eq!(snapshot.logs, []);
        assert_eq!(snapshot.gaps.len(), 1);
        let gap = &snapshot.gaps[0];
        assert_eq!(
            (gap.verb.as_str(), gap.resource.as_str()),
            ("get", "pods/log")
        );
        assert_eq!(gap.name.as_deref(), Some(POD));
        assert_eq!(gap.reason, reason);
        assert!(
            snapshot.asked.contains(&wanted(false)),
            "it is not asked again"
        );
    }
}

#[tokio::test]
async fn of_a_long_log_the_head_and_the_end_are_read_and_the_hole_is_named() {
    const HEAD: usize = 8 << 20;
    let filler = "x".repeat(1 << 10);
    let mut head = line(26, "start");
    while head.len() < HEAD {
        head += &line(30, &filler);
    }
    head.truncate(HEAD);
    let head = Arc::new(head);
    let fake = server(Answer::text(""));
    fake.on(PATH, move |asked| match asked.get("tailLines") {
        Some(_) => Answer::text(&(line(500, "newer") + &line(501, "newest"))),
        None => Answer::text(&head),
    });
    let snapshot = read(&fake.live(), vec![wanted(false)]).await;
    let log = only(&snapshot);
    let newest = log.lines().next_back().unwrap();
    assert_eq!(newest.text, "newest");
    assert!(!log.complete);
    assert_eq!(
        log.missing.as_deref(),
        Some("more than 8 MiB: lines between 20:35:30 and 20:43:20 were not read")
    );
    let asked = fake.asked().pop().unwrap();
    let lines: usize = asked.get("tailLines").unwrap().parse().unwrap();
    // About 4 MiB of lines that are a little longer than 1 KiB.
    assert!((3_800..4_100).contains(&lines), "{lines}");
    assert_eq!(asked.get("limitBytes"), None, "that would cut the newest");
}
