//! The state by itself: what messages do to it.

use chrono::{FixedOffset, Offset};

use super::keymap::Key;
use super::*;
use crate::model::{Cluster, Scope};

fn options() -> Options {
    Options {
        origin: Origin::Live,
        mode: Mode::ReadOnly,
        edits: false,
        cluster: Cluster {
            flags: None,
            context: Some("kind-a".into()),
            server: "https://127.0.0.1:6443".into(),
            version: None,
        },
        scope: Scope {
            namespace: Some("shop".into()),
            ..Scope::default()
        },
        ascii: false,
        no_color: false,
        preferences: Preferences::default(),
        local: |_| FixedOffset::east_opt(5 * 3600).unwrap_or(Utc.fix()),
    }
}

fn app() -> App {
    App::new(options(), DateTime::UNIX_EPOCH)
}

#[test]
fn reading_again_waits_for_the_reading_that_runs() {
    let mut app = app();
    assert_eq!(app.update(Msg::Key(Key::Char('R'))), vec![]);
    app.update(Msg::Failed(SourceError {
        message: "No route to host.".into(),
        hint: None,
    }));
    assert_eq!(app.update(Msg::Key(Key::Char('R'))), vec![Effect::Read]);
    assert!(matches!(app.reading, Reading::Running(_)));
}

#[test]
fn only_the_last_count_of_further_reads_stays() {
    let mut app = app();
    for done in 0..9 {
        app.update(Msg::Progress(Progress::Answered { done, of: 9 }));
    }
    let Reading::Running(lines) = &app.reading else {
        panic!("the reading ended by itself");
    };
    assert_eq!(lines, &[Progress::Answered { done: 8, of: 9 }]);
}

#[test]
fn escape_never_quits() {
    let mut app = app();
    assert_eq!(app.update(Msg::Key(Key::Esc)), vec![]);
    assert_eq!(app.update(Msg::Key(Key::Char('?'))), vec![]);
    assert!(app.overlay.is_some());
    assert_eq!(app.update(Msg::Key(Key::Esc)), vec![]);
    assert!(app.overlay.is_none());
    assert_eq!(app.update(Msg::Key(Key::Char('q'))), vec![Effect::Quit]);
}

#[test]
fn numbers_in_a_row_are_told_as_a_range() {
    assert_eq!(shown::numbers(&[1, 2, 3, 4, 7, 9, 10]), "[1–4][7][9][10]");
    assert_eq!(shown::numbers(&[2, 1]), "[2][1]");
    assert_eq!(shown::numbers(&[]), "");
}

#[test]
fn time_alone_has_it_drawn_only_where_seconds_are_counted() {
    let mut app = app();
    let at = |millis| DateTime::UNIX_EPOCH + TimeDelta::milliseconds(millis);
    app.update(Msg::Link(Link::Live {
        polled: Vec::new(),
        unread: Vec::new(),
    }));
    assert!(!app.is_due(at(1_000)));
    assert!(app.is_due(at(10_000)));
    app.update(Msg::Link(Link::Lost {
        since: at(0),
        why: "connection refused".into(),
    }));
    assert!(app.is_due(at(1_000)));
    app.update(Msg::Tick(at(1_000)));
    assert!(!app.is_due(at(1_100)));
}
