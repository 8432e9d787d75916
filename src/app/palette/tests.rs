//! What fits what was typed, and what is a namespace.

use super::*;

#[test]
fn a_beginning_fits_better_than_a_word_and_that_better_than_letters() {
    assert_eq!(rank("copy what is selected", "cop"), Some(0));
    assert_eq!(rank("copy what is selected", "sel"), Some(1));
    assert_eq!(rank("copy what is selected", "elect"), Some(2));
    assert_eq!(rank("copy what is selected", "cws"), Some(3));
    assert_eq!(rank("copy what is selected", "zq"), None);
    assert_eq!(rank("anything", ""), Some(0));
}

#[test]
fn a_namespace_is_a_dns_label() {
    let longest = "a".repeat(63);
    for good in ["shop", "a", "0-0", longest.as_str()] {
        assert_eq!(namespace(good).as_deref(), Ok(good));
    }
    for bad in [
        "",
        "-a",
        "a-",
        "A",
        "a_b",
        "a.b",
        "ä",
        "a b",
        "a/b",
        &"a".repeat(64),
    ] {
        assert!(namespace(bad).is_err(), "{bad}");
    }
}

#[test]
fn other_spellings_lead_to_the_same_command() {
    for line in ["q", "quit", " q! "] {
        assert!(split(line).is_some_and(|(named, _)| named.act == Act::Quit));
    }
    assert!(split("namespace  shop ").is_some_and(|(_, argument)| argument == "shop"));
    assert!(split("nsshop").is_none());
}
