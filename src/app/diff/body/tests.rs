//! In which way two texts differ, in words.

use super::*;

fn said(old: &str, new: &str) -> String {
    unseen(old, new, ("A", "B")).unwrap_or_default()
}

#[test]
fn what_nobody_sees_is_told() {
    assert_eq!(
        said("on\n", "on"),
        "Differs only in the newline at the end, which B lacks."
    );
    assert_eq!(
        said("a\r\nb\r\n", "a\nb\n"),
        "Differs only in line ends: CRLF on 2 of 2 lines in A, on 0 of 2 in B."
    );
    assert_eq!(said("a: 1 \n", "a: 1\n"), "Differs only in white space.");
    assert_eq!(said("a\u{a0}b", "a b"), "Differs only in white space.");
    assert_eq!(
        said("a b", "a\nb"),
        "Differs only in white space and line breaks."
    );
    assert!(said("api", "a\u{200b}pi").contains("not seen"));
}

#[test]
fn what_is_seen_needs_no_words() {
    assert_eq!(unseen("a: 1", "a: 2", ("A", "B")), None);
    assert_eq!(unseen("", "a", ("A", "B")), None);
    // A combining mark is seen.
    assert_eq!(unseen("e", "e\u{301}", ("A", "B")), None);
}

#[test]
fn bytes_are_told_by_size_and_hash() {
    let bytes = vec![7; 1024];
    let said = binary(Value::Binary(&bytes), Value::Binary(b"\x00"));
    assert_eq!(
        said,
        "Binary differs: 1,024 bytes, sha256 HASH… ↔ 1 byte, sha256 6e340b9cffb3…"
            .replace("HASH", &digest(&bytes))
    );
    assert!(binary(Value::Text("a"), Value::Binary(b"a")).starts_with("The same bytes"));
    assert!(binary(Value::Absent, Value::Binary(b"a")).contains("absent ↔ 1 byte"));
}
