//! What the environment says of the terminal: its characters and its background.

use super::{Theme, background, is_utf8};

#[test]
fn the_first_locale_variable_that_is_set_decides() {
    let with = |set: &'static [(&'static str, &'static str)]| {
        is_utf8(|name| {
            let found = set.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    };
    assert!(with(&[]));
    assert!(with(&[("LANG", "de_DE.UTF-8")]));
    assert!(with(&[("LANG", "C.utf8")]));
    assert!(!with(&[("LANG", "C")]));
    assert!(!with(&[("LC_ALL", "POSIX"), ("LANG", "de_DE.UTF-8")]));
    assert!(with(&[("LC_ALL", ""), ("LANG", "de_DE.UTF-8")]));
}

#[test]
fn the_background_is_taken_from_where_the_terminal_tells_it() {
    for (value, theme) in [
        (Some("15;0"), Theme::Dark),
        (Some("0;15"), Theme::Light),
        (Some("0;default;7"), Theme::Light),
        (Some("12;8"), Theme::Dark),
        (Some("default"), Theme::Auto),
        (None, Theme::Auto),
    ] {
        assert_eq!(background(value), theme, "{value:?}");
    }
}
