//! Contents compared by the keys that reach a process.

use super::{Keys, Set, Unsure, differing, hash, same};
use crate::model::Content;

#[test]
fn only_keys_that_reach_the_process_count() {
    let a = Content::text([("used", "1"), ("unused", "1")]);
    let b = Content::text([("used", "1"), ("unused", "2"), ("more", "x")]);
    assert_eq!(same(&a, &b, &Keys::one("used")), Some(true));
    assert_eq!(same(&a, &b, &Keys::all()), Some(false));
    assert_eq!(differing(&a, &b, &Keys::all()), ["more", "unused"]);
    let others: std::collections::BTreeSet<String> =
        ["unused".to_owned(), "more".to_owned()].into();
    let overridden = Keys::from(Set::TextExcept(others.clone()));
    assert_eq!(same(&a, &b, &overridden), Some(true));
    // Whether the others override it is not known.
    let perhaps = Keys {
        set: Set::TextExcept([].into()),
        unsure: Unsure::These(others),
    };
    assert_eq!(same(&a, &b, &perhaps), None);
    let c = Content::text([("used", "2"), ("unused", "2")]);
    assert_eq!(same(&a, &c, &perhaps), Some(false));
}

#[test]
fn the_hash_keeps_keys_and_values_apart() {
    let one = Content::text([("ab", "c")]);
    let other = Content::text([("a", "bc")]);
    assert_ne!(hash(&one), hash(&other));
    assert_eq!(hash(&one), hash(&one.clone()));
    assert_eq!(hash(&one).len(), 12);
}
