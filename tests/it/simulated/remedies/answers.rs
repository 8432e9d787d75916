//! Writes that are answered wrongly, or not at all: what is said is true, nothing is written twice, and it can be gone on with.

use super::{WORDS, agree, content, desk, is_content, is_eviction, look, say, written};
use crate::simulated::desk::Desk;
use crate::simulated::wire::{Asked, Fault};

/// Answers after which nothing has happened, and those after which it may have.
const REFUSED: [Fault; 8] = [
    Fault::Status(403),
    Fault::Status(404),
    Fault::Status(409),
    Fault::Status(422),
    Fault::Busy(7),
    Fault::Status(500),
    Fault::Status(503),
    Fault::BadGateway,
];
const UNKNOWN: [Fault; 7] = [
    Fault::Status(504),
    Fault::Html,
    Fault::Garbage,
    Fault::Breaks,
    Fault::Reset,
    Fault::Hangs,
    Fault::OtherKind,
];

/// Looks at the remedy, and agrees to it where the write is answered so.
async fn with(asked: Asked, fault: Fault) -> Desk {
    let mut desk = desk("partial-restart").await;
    look(&mut desk).await;
    desk.played.wire.fail(asked, fault);
    say(&mut desk, WORDS);
    for _ in 0..60 {
        desk.pass(1).await;
        let words = desk.words();
        if words.contains("Paused.") || words.contains("Stopped.") {
            break;
        }
    }
    desk
}

/// Goes on where it paused, or begins anew where it stopped, and comes to the end.
async fn goes_on(desk: &mut Desk, what: &str) {
    desk.played.wire.make_good();
    let words = desk.words();
    let paused = words.contains("Paused.");
    assert!(
        paused
            || words.contains("Stopped.")
            || words.contains("Replacing")
            || words.contains("Every replica"),
        "{what}\n{}",
        desk.screen()
    );
    if paused {
        desk.press("\n");
    } else if words.contains("Stopped.") {
        desk.press("\u{1b}");
        agree(desk).await;
    }
    for _ in 0..120 {
        desk.pass(1).await;
        if desk.words().contains("Every replica runs it") {
            return;
        }
    }
    panic!("{what}: it does not come to its end\n{}", desk.screen());
}

#[tokio::test(start_paused = true)]
async fn a_content_that_is_refused_is_not_said_to_be_written() {
    for fault in REFUSED {
        let what = format!("{fault:?}");
        let mut desk = with(Asked::new("patch", "configmaps"), fault).await;
        assert!(
            content(&desk).await.contains("api:8000"),
            "{what}: nothing was written"
        );
        assert!(
            !desk.words().contains("ConfigMap/frontend-nginx: done"),
            "{what}\n{}",
            desk.screen()
        );
        assert!(
            !written(&desk).iter().any(|line| is_eviction(line)),
            "{what}: no pod before the content"
        );
        assert_eq!(written(&desk).len(), 1, "{what}: sent once");
        goes_on(&mut desk, &what).await;
        assert!(content(&desk).await.contains("api:8080"), "{what}");
    }
}

/// Whether it was written the facts tell.
#[tokio::test(start_paused = true)]
async fn a_content_of_which_nobody_knows_is_looked_for() {
    for fault in UNKNOWN {
        let what = format!("{fault:?}");
        let mut desk = with(Asked::new("patch", "configmaps"), fault).await;
        let happened = content(&desk).await.contains("api:8080");
        assert_eq!(happened, fault == Fault::Breaks, "{what}");
        assert!(
            !desk.words().contains("ConfigMap/frontend-nginx: done"),
            "{what}\n{}",
            desk.screen()
        );
        let sent = written(&desk);
        assert_eq!(
            sent.iter().filter(|line| is_content(line)).count(),
            1,
            "{what}: sent once"
        );
        goes_on(&mut desk, &what).await;
        assert!(content(&desk).await.contains("api:8080"), "{what}");
        let contents = written(&desk)
            .iter()
            .filter(|line| is_content(line))
            .count();
        assert_eq!(
            contents,
            if happened { 1 } else { 2 },
            "{what}: not written twice"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn an_eviction_that_is_refused_is_paused_at_with_the_content_back() {
    for fault in REFUSED {
        let what = format!("{fault:?}");
        let mut desk = with(Asked::new("create", "pods/eviction"), fault).await;
        assert!(
            content(&desk).await.contains("api:8080"),
            "{what}: the content is back"
        );
        assert!(
            !desk.words().contains("Every replica runs it"),
            "{what}\n{}",
            desk.screen()
        );
        assert_eq!(written(&desk).len(), 2, "{what}: each sent once");
        goes_on(&mut desk, &what).await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_eviction_of_which_nobody_knows_is_looked_for() {
    for fault in UNKNOWN {
        let what = format!("{fault:?}");
        let mut desk = with(Asked::new("create", "pods/eviction"), fault).await;
        goes_on(&mut desk, &what).await;
        let evicted = written(&desk)
            .iter()
            .filter(|line| is_eviction(line))
            .count();
        assert_eq!(
            evicted,
            if fault == Fault::Breaks { 1 } else { 2 },
            "{what}\n{}",
            desk.screen()
        );
    }
}

/// Without the reviews it is not known whether it may be done: that is said before.
#[tokio::test(start_paused = true)]
async fn reviews_that_are_not_answered_are_said_before_anything_is_written() {
    for fault in [
        Fault::Status(403),
        Fault::Status(500),
        Fault::Html,
        Fault::Reset,
        Fault::Hangs,
    ] {
        let what = format!("{fault:?}");
        let mut desk = desk("partial-restart").await;
        desk.played
            .wire
            .fail(Asked::new("create", "selfsubjectaccessreviews"), fault);
        desk.press("r");
        desk.pass(30).await;
        assert!(
            !desk.words().contains("✓ rights"),
            "{what}\n{}",
            desk.screen()
        );
        assert_eq!(written(&desk), Vec::<String>::new(), "{what}");
    }
}
