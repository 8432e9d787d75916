//! What may be approved, and by which words.

use super::*;
use crate::model::ConfigKind;

fn config(content: Option<Content>) -> Config {
    Config {
        uid: "u".into(),
        resource_version: "7".into(),
        content,
        ..Config::absent(ConfigRef::new(ConfigKind::ConfigMap, "shop", "nginx"))
    }
}

#[test]
fn only_the_very_words_confirm() {
    for (typed, fails, agreed) in [
        ("lab/shop", false, true),
        ("lab/shop ", false, false),
        ("", false, false),
        ("y", false, false),
        ("lab/other", false, false),
        ("lab/shop", true, false),
        ("lab/shop fails", true, true),
        ("lab/shop fails", false, false),
    ] {
        let said = Confirmation::typed(typed, "lab", "shop", fails);
        assert_eq!(said.is_some(), agreed, "{typed:?}, {fails}");
    }
}

#[test]
fn a_content_is_written_only_where_it_is_known_whole() {
    let text = Content::text([("k", "v")]);
    let hashed = Content::Hashed([].into());
    assert!(Write::content(&config(Some(text.clone())), &text).is_some());
    assert!(Write::content(&config(Some(hashed.clone())), &text).is_none());
    assert!(Write::content(&config(Some(text.clone())), &hashed).is_none());
    assert!(Write::content(&config(None), &text).is_none());
    let immutable = Config {
        immutable: true,
        ..config(Some(text.clone()))
    };
    assert!(Write::content(&immutable, &text).is_none());
}

#[test]
fn pods_start_only_onto_what_is_meant_or_by_another_word() {
    let (good, bad) = (
        Content::text([("k", "good")]),
        Content::text([("k", "bad")]),
    );
    assert!(Safe::since_live_is(&good, &config(Some(good.clone()))).is_some());
    assert!(Safe::since_live_is(&good, &config(Some(bad))).is_none());
    assert!(Safe::since_live_is(&good, &config(None)).is_none());
    let plain = Confirmation::typed("lab/shop", "lab", "shop", false).expect("the words");
    let override_ = Confirmation::typed("lab/shop fails", "lab", "shop", true).expect("the words");
    assert!(Safe::agreed(true, &plain).is_none());
    assert!(Safe::agreed(true, &override_).is_some());
    assert!(Safe::agreed(false, &plain).is_some());
}
