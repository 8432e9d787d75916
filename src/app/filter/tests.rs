//! What a filter lets through.

use super::Filter;

#[test]
fn case_does_not_count_and_an_expression_is_one() {
    assert!(Filter::new("FRONT").matches("ConfigMap/frontend-nginx"));
    assert!(Filter::new("^07:33:0[78]").matches("07:33:07 edited"));
    assert!(!Filter::new("^07:33:0[78]").matches("07:33:09 edited"));
    assert!(Filter::new("").matches("anything"));
}

#[test]
fn what_is_no_expression_is_text_and_says_why() {
    let filter = Filter::new("(503");
    assert!(filter.matches("answered (503)"));
    assert!(!filter.matches("answered 503"));
    let note = filter.note().expect("a note");
    assert_eq!(note, "as plain text: unclosed group");
    assert_eq!(Filter::new("503").note(), None);
}

#[test]
fn an_expression_made_to_be_large_is_text() {
    let filter = Filter::new("(a{1000}){1000}");
    assert!(filter.note().is_some_and(|note| note.contains("too large")));
    assert!(filter.matches("x (A{1000}){1000} x"));
}

#[test]
fn places_are_told_and_never_empty() {
    assert_eq!(Filter::new("a|b*").found("xaxbb"), [1..2, 3..5]);
}
