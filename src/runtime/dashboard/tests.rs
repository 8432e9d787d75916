//! Which locales can show more than ASCII.

use super::is_utf8;

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
