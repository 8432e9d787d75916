//! Columns stay columns, whatever the text.

use super::*;

#[test]
fn nothing_gets_wider_than_its_column() {
    let nasty = "日本語\u{301}e\u{301} \u{1b}[31mred\t\u{202e}abc👩‍👩‍👧 end";
    for columns in 0..40 {
        assert!(width(&cut(nasty, columns)) <= columns, "cut to {columns}");
        assert!(
            width(&cut_middle(nasty, columns)) <= columns,
            "middle {columns}"
        );
        assert_eq!(width(&pad(nasty, columns)), columns, "pad to {columns}");
        assert_eq!(width(&pad_left(nasty, columns)), columns);
    }
    for columns in 2..40 {
        assert!(
            wrap(nasty, columns)
                .iter()
                .all(|line| width(line) <= columns)
        );
    }
}

#[test]
fn wrapping_breaks_at_spaces() {
    assert_eq!(wrap("one two three", 7), ["one two", "three"]);
    assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
    assert_eq!(wrap("", 3), [""]);
    assert_eq!(wrap("日", 1), ["日"]);
}

#[test]
fn a_cut_text_says_so() {
    let lines = wrap_to("one two three four five six", 12, 1, "… more: Enter");
    assert_eq!(lines.len(), 1);
    let lines = wrap_to("one two three four five six seven", 20, 1, "… more: Enter");
    assert_eq!(lines, ["one tw … more: Enter"]);
}
