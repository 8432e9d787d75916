//! Contents compared by the keys that reach a process.

use super::{Keys, differing, hash, same};
use crate::model::Content;

#[test]
fn only_keys_that_reach_the_process_count() {
    let a = Content::text([("used", "1"), ("unused", "1")]);
    let b = Content::text([("used", "1"), ("unused", "2"), ("more", "x")]);
    assert!(same(&a, &b, &Keys::one("used")));
    assert!(!same(&a, &b, &Keys::All));
    assert_eq!(differing(&a, &b, &Keys::All), ["more", "unused"]);
    let overridden = Keys::TextExcept(["unused".to_owned(), "more".to_owned()].into());
    assert!(same(&a, &b, &overridden));
}

#[test]
fn the_hash_keeps_keys_and_values_apart() {
    let one = Content::text([("ab", "c")]);
    let other = Content::text([("a", "bc")]);
    assert_ne!(hash(&one), hash(&other));
    assert_eq!(hash(&one), hash(&one.clone()));
    assert_eq!(hash(&one).len(), 12);
}
