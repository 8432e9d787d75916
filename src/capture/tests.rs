//! The bounds of a capture, which are too large to reach from outside.

use super::read::{Line, Lines};
use super::stored::Stored;

#[test]
fn times_keep_their_nanoseconds() {
    for text in [
        "2026-10-02T20:35:26Z",
        "2026-10-02T20:35:26.5Z",
        "2026-10-02T20:35:26.123456789Z",
    ] {
        let moment = chrono::DateTime::parse_from_rfc3339(text)
            .unwrap()
            .with_timezone(&chrono::Utc);
        let json = serde_json::to_string(&moment.store()).unwrap();
        let back: chrono::DateTime<chrono::Utc> =
            Stored::load(serde_json::from_str(&json).unwrap());
        assert_eq!(back, moment, "{json}");
    }
}

/// Reads to the end, or to what stops it.
fn lines(input: &str, max_line: u64, max_total: u64) -> (Vec<String>, &'static str) {
    let mut lines = Lines::new(input.as_bytes(), max_line, max_total);
    let mut whole = Vec::new();
    loop {
        let stopped = match lines.next_line() {
            Line::Whole => {
                whole.push(String::from_utf8_lossy(&lines.buffer).into_owned());
                continue;
            }
            Line::Partial => "partial",
            Line::End => "end",
            Line::TooLong => "too long",
            Line::TooMuch => "too much",
            Line::Failed(_) => "failed",
        };
        return (whole, stopped);
    }
}

#[test]
fn lines_and_the_whole_are_bounded() {
    let of = |input, max_line, max_total| {
        let (whole, stopped) = lines(input, max_line, max_total);
        (whole.len(), stopped)
    };
    assert_eq!(of("ab\ncd\n", 10, 100), (2, "end"));
    assert_eq!(of("ab\ncd", 10, 100), (1, "partial"));
    assert_eq!(of("ab\nabcdefgh\n", 3, 100), (1, "too long"));
    assert_eq!(of("ab\n", 3, 100), (1, "end"));
    assert_eq!(of("ab\ncd\nef\n", 10, 5), (1, "too much"));
}
