//! What is missing from a log is said.

use chrono::{DateTime, Utc};

use super::{append, in_words, utf8};
use crate::model::LogText;

fn at(text: &str) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(text)
        .ok()
        .map(|t| t.with_timezone(&Utc))
}

#[test]
fn a_log_is_complete_only_if_it_begins_with_its_container() {
    let text = "2026-11-30T06:15:14.100827946Z started\n";
    assert_eq!(
        LogText::from(text.to_owned()).missing_before(at("2026-11-30T06:15:14Z")),
        None
    );
    assert!(
        LogText::from(text.to_owned())
            .missing_before(at("2026-11-30T06:10:00Z"))
            .is_some()
    );
    assert!(
        LogText::from(text.to_owned())
            .missing_before(None)
            .is_some()
    );
    assert!(
        LogText::from("no time here\n".to_owned())
            .missing_before(at("2026-11-30T06:15:14Z"))
            .is_some()
    );
    assert!(
        LogText::from("".to_owned())
            .missing_before(at("2026-11-30T06:15:14Z"))
            .is_some()
    );
}

#[test]
fn bad_bytes_are_replaced_and_a_cut_line_is_dropped() {
    assert_eq!(
        utf8(b"a \xff\xfe b\nhalf".to_vec(), true),
        "a \u{fffd}\u{fffd} b\n"
    );
    assert_eq!(utf8(b"whole".to_vec(), false), "whole");
}

#[test]
fn head_and_tail_join_without_repeats_and_name_the_hole() {
    let head = "2026-11-30T06:00:00Z a\n2026-11-30T06:00:01Z b\n";
    let mut text = head.to_owned();
    let overlapping = "2026-11-30T06:00:01Z b\n2026-11-30T07:00:00Z y\n";
    assert_eq!(append(&mut text, overlapping), None);
    assert!(text.ends_with("b\n2026-11-30T07:00:00Z y\n"));
    let mut text = head.to_owned();
    let hole = append(&mut text, "2026-11-30T07:00:00Z y\n");
    assert_eq!(
        hole.as_ref().map(in_words).as_deref(),
        Some("more than 8 MiB: lines between 06:00:01 and 07:00:00 were not read")
    );
}
