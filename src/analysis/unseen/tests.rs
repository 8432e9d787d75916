//! What nobody sees, in words.

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
    assert_eq!(
        said("a\r\n", "a"),
        "Differs only in line ends: CRLF on 1 of 1 lines in A, on 0 of 1 in B."
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
