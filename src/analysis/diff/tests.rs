//! Changes as settings.

use super::{describe, value_changes};
use crate::analysis::content::Keys;
use crate::model::Content;

fn described(before: &str, after: &str) -> Vec<String> {
    let (a, b) = (
        Content::text([("key", before)]),
        Content::text([("key", after)]),
    );
    value_changes(&a, &b, &Keys::all())
        .iter()
        .map(describe)
        .collect()
}

#[test]
fn a_line_of_a_file_names_its_setting() {
    assert_eq!(
        described(
            "upstream api {\n  server api:8080;\n}\n",
            "upstream api {\n  server api:8000;\n}\n"
        ),
        ["server api:8080 → api:8000"]
    );
    assert_eq!(
        described(
            "mode: blue\nlimits:\n  rps: 100\n",
            "mode: green\nlimits:\n  rps: 100\n"
        ),
        ["mode blue → green"]
    );
    assert_eq!(described("a=1\nb=2\n", "a=1\nb=3\n"), ["b 2 → 3"]);
}

#[test]
fn a_whole_value_is_named_by_its_key() {
    assert_eq!(described("on", "off"), ["key on → off"]);
    assert_eq!(
        described("Z29vZA==", "ZXZpbA=="),
        ["key Z29vZA== → ZXZpbA=="]
    );
    let (a, b) = (Content::text([]), Content::text([("key", "x")]));
    let found = value_changes(&a, &b, &Keys::all());
    assert_eq!(
        found.iter().map(describe).collect::<Vec<_>>(),
        ["added key x"]
    );
}

#[test]
fn a_word_within_a_long_line_is_found() {
    assert_eq!(
        described(
            "server { listen 80; location / { return 200; } }\n",
            "server { listen 80; locatoin / { return 200; } }\n"
        ),
        ["key location → locatoin"]
    );
}

#[test]
fn added_and_removed_lines_are_told() {
    assert_eq!(described("a: 1\nb: 2\n", "a: 1\n"), ["removed b: 2"]);
    assert_eq!(described("a: 1\n", "a: 1\nb: 2\n"), ["added b: 2"]);
}
