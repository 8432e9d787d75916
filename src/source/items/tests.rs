//! However the bytes are cut, the items are the same.

use super::Items;

const LIST: &str = r#"{"kind":"PodList","metadata":{"resourceVersion":"42"},"items":[ {"a":{"b":"}{\"\\"}}, {"c":[{"d":1}]},{}]}"#;

fn cut(list: &str, step: usize) -> (Vec<String>, String, bool) {
    let mut items = Items::default();
    let mut found = Vec::new();
    for bytes in list.as_bytes().chunks(step) {
        items.feed(bytes, &mut |item| {
            found.push(String::from_utf8(item.to_vec()).expect("text"));
        });
    }
    let ended = items.ended();
    let rest = String::from_utf8(items.into_rest()).expect("text");
    (found, rest, ended)
}

#[test]
fn every_way_to_cut_the_bytes_gives_the_same_items() {
    for step in 1..=LIST.len() {
        let (found, rest, ended) = cut(LIST, step);
        assert_eq!(
            found,
            [r#"{"a":{"b":"}{\"\\"}}"#, r#"{"c":[{"d":1}]}"#, "{}"],
            "in steps of {step}"
        );
        assert_eq!(
            rest,
            r#"{"kind":"PodList","metadata":{"resourceVersion":"42"},"items":[]}"#
        );
        assert!(ended);
    }
}

#[test]
fn a_list_without_items_is_all_around() {
    for list in [
        r#"{"items":null,"metadata":{}}"#,
        r#"{"message":"no"}"#,
        "<html>",
    ] {
        let (found, rest, ended) = cut(list, 3);
        assert!(found.is_empty());
        assert_eq!(rest, list);
        assert!(!ended);
    }
}

#[test]
fn what_broke_off_has_no_end() {
    let (found, _, ended) = cut(&LIST[..LIST.len() - 4], 7);
    assert_eq!(found.len(), 2);
    assert!(!ended);
}
