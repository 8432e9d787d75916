//! Hostile text and what becomes of it.

use super::harmless;

#[test]
fn plain_text_is_not_copied() {
    assert!(matches!(
        harmless("server api:8080; ünï 日本"),
        std::borrow::Cow::Borrowed(_)
    ));
}

#[test]
fn escapes_and_direction_marks_become_visible() {
    assert_eq!(
        harmless("\u{1b}[31mred\u{1b}]0;x\u{7}"),
        "^[[31mred^[]0;x^G"
    );
    assert_eq!(harmless("a\tb\r\nc"), "a    b^M\\nc");
    assert_eq!(
        harmless("\u{202e}gpj\u{9b}2J\u{7f}"),
        "<U+202E>gpj<U+009B>2J^?"
    );
}
