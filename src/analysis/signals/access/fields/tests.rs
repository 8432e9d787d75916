//! Fields of structured lines.

use super::told;

fn texts(line: &str) -> Option<Vec<String>> {
    Some(
        told(line.as_bytes())?
            .texts
            .into_iter()
            .map(|text| text.into_owned())
            .collect(),
    )
}

#[test]
fn texts_are_those_of_the_program() {
    assert_eq!(
        texts(
            r#"{"msg":"a","path":"b","err":{"message":"c \"d\"","code":5},"headers":{"msg":"e"},"body":{"error":"f"}}"#
        ),
        Some(vec!["a".to_owned(), "c \"d\"".to_owned()])
    );
    assert_eq!(
        texts(r#"level=error msg="a b=c" err="d \"e\"" path="/x err=f""#),
        Some(vec!["a b=c".to_owned(), "d \"e\"".to_owned()])
    );
}

#[test]
fn a_quoted_text_is_no_field_whatever_names_it() {
    assert_eq!(
        texts(r#"level=error ua[0]="a b=c err=d \" err=e" err=f"#),
        Some(vec!["f".to_owned()])
    );
}

#[test]
fn broken_lines_are_no_objects() {
    for line in [
        r#"{"msg":"a"#,
        r#"{"msg":"a"} {"#,
        "{",
        "[1]",
        "a=b",
        "",
        "\u{feff}{}",
    ] {
        assert!(told(line.as_bytes()).is_none(), "{line}");
    }
    assert!(told(b"{\"msg\":\"\xff\"}").is_none());
    // Deeper than any log: it ends, and does not overflow.
    let deep = format!("{}{}", "{\"http\":".repeat(100_000), "}".repeat(100_000));
    assert!(told(deep.as_bytes()).is_none());
}
