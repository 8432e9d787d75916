//! Names of revisions; the histories themselves are tested through the report (`tests/it/rules.rs`).

use super::{letters, predecessor};

#[test]
fn names_go_on_after_z() {
    assert_eq!(letters(0), "A");
    assert_eq!(letters(25), "Z");
    assert_eq!(letters(26), "AA");
    assert_eq!(letters(27), "AB");
    assert_eq!(letters(702), "AAA");
}

#[test]
fn the_state_before_a_write_is_one_less() {
    assert_eq!(predecessor("464"), "463");
    assert_eq!(predecessor("opaque"), "opaque");
}
