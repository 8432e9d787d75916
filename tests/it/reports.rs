//! Reports: read as a person would, validated against the schema, and fed with hostile text.

pub(crate) mod fixture;

use confsplit::analysis::{Diagnosis, Revision};
use confsplit::model::{ConfigKind, Content, Fingerprint};
use confsplit::report::{Charset, Format, summary, write};
use serde_json::Value;

fn page(format: Format, charset: Charset, diagnosis: &Diagnosis) -> String {
    let mut out = Vec::new();
    write(format, charset, diagnosis, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn text(diagnosis: &Diagnosis) -> String {
    page(Format::Text, Charset::Unicode, diagnosis)
}

fn markdown(diagnosis: &Diagnosis) -> String {
    page(Format::Markdown, Charset::Unicode, diagnosis)
}

fn json(diagnosis: &Diagnosis) -> Value {
    serde_json::from_str(&page(Format::Json, Charset::Unicode, diagnosis)).unwrap()
}

fn revision_of(diagnosis: &mut Diagnosis, at: usize) -> &mut Revision {
    &mut diagnosis.incidents[0].revisions[at]
}

#[test]
fn text_of_the_partial_restart() {
    insta::assert_snapshot!(text(&fixture::partial_restart()));
}

#[test]
fn text_of_nothing_wrong() {
    insta::assert_snapshot!(text(&fixture::nothing_wrong()));
}

#[test]
fn markdown_of_the_partial_restart() {
    insta::assert_snapshot!(markdown(&fixture::partial_restart()));
}

#[test]
fn json_of_the_partial_restart() {
    insta::assert_snapshot!(page(
        Format::Json,
        Charset::Unicode,
        &fixture::partial_restart()
    ));
}

#[test]
fn hostile_text_in_text_and_markdown() {
    insta::assert_snapshot!("hostile_text", text(&fixture::hostile()));
    insta::assert_snapshot!("hostile_markdown", markdown(&fixture::hostile()));
}

#[test]
fn every_report_keeps_to_the_schema() {
    let schema: Value =
        serde_json::from_str(include_str!("../../assets/report.schema.json")).unwrap();
    jsonschema::meta::validate(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for diagnosis in [
        fixture::nothing_wrong(),
        fixture::partial_restart(),
        fixture::hostile(),
    ] {
        let report = json(&diagnosis);
        let errors: Vec<String> = validator
            .iter_errors(&report)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
    let mut more = json(&fixture::partial_restart());
    more["incidents"][0]["surprise"] = Value::Bool(true);
    assert!(!validator.is_valid(&more), "an unknown field must not pass");
}

#[test]
fn nothing_hostile_reaches_any_report() {
    let hostile = fixture::hostile();
    for format in [Format::Text, Format::Json, Format::Markdown] {
        let page = page(format, Charset::Unicode, &hostile);
        let bad: Vec<char> = page
            .chars()
            .filter(|c| (c.is_control() && *c != '\n') || matches!(c, '\u{202a}'..='\u{202e}'))
            .collect();
        assert!(bad.is_empty(), "{format:?}: {bad:?}");
    }
    // `jq -r` prints the strings as they are.
    let mut strings = Vec::new();
    collect_strings(&json(&hostile), &mut strings);
    let bad: Vec<&String> = strings
        .iter()
        .filter(|text| text.chars().any(|c| c.is_control() && c != '\n'))
        .collect();
    assert!(strings.len() > 50 && bad.is_empty(), "{bad:?}");
}

fn collect_strings(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect_strings(item, into)),
        Value::Object(fields) => fields.iter().for_each(|(name, item)| {
            into.push(name.clone());
            collect_strings(item, into);
        }),
        _ => {}
    }
}

#[test]
fn text_is_at_most_100_columns_but_for_what_is_copied() {
    for diagnosis in [fixture::partial_restart(), fixture::hostile()] {
        let mut copied = false;
        for line in text(&diagnosis).lines() {
            // A command goes on in lines that are indented below it.
            copied = line.starts_with("      $ ") || (copied && line.starts_with("        "));
            assert!(copied || line.chars().count() <= 100, "{line}");
        }
    }
}

#[test]
fn ascii_is_ascii() {
    for format in [Format::Text, Format::Markdown] {
        let page = page(format, Charset::Ascii, &fixture::partial_restart());
        assert!(page.is_ascii(), "{page}");
        assert!(page.contains("api:8080 -> api:8000"), "{page}");
    }
}

#[test]
fn a_secret_tells_which_key_differs_and_nothing_more() {
    let mut diagnosis = fixture::partial_restart();
    for (at, print) in [(0, "aaaa1111"), (1, "bbbb2222")] {
        let revision = revision_of(&mut diagnosis, at);
        revision.config.kind = ConfigKind::Secret;
        let hash = Fingerprint(print.to_owned());
        revision.content = Some(Content::Hashed([("password".to_owned(), hash)].into()));
    }
    for page in [text(&diagnosis), markdown(&diagnosis)] {
        assert!(
            page.contains("password: the value differs (not shown)"),
            "{page}"
        );
        assert!(
            !page.contains("aaaa1111") && !page.contains("bbbb2222"),
            "{page}"
        );
    }
}

#[test]
fn a_change_that_nobody_sees_is_told_in_words() {
    let mut diagnosis = fixture::partial_restart();
    for (at, conf) in [(0, "a: 1\r\n"), (1, "a: 1\n")] {
        revision_of(&mut diagnosis, at).content = Some(Content::text([("app.conf", conf)]));
    }
    for page in [text(&diagnosis), markdown(&diagnosis)] {
        let told = "Differs only in line ends: CRLF on 1 of 1 lines in A, on 0 of 1 in B.";
        assert!(page.contains(told), "{page}");
    }
}

#[test]
fn binary_values_are_told_by_size_and_hash() {
    let mut diagnosis = fixture::partial_restart();
    for (at, bytes) in [(0, vec![0, 1]), (1, vec![0, 1, 2])] {
        revision_of(&mut diagnosis, at).content = Some(Content::Plain {
            data: [].into(),
            binary: [("logo".to_owned(), bytes)].into(),
        });
    }
    let page = text(&diagnosis);
    assert!(
        page.contains("logo: binary, 2 bytes sha256:b413f47d13ee → 3 bytes sha256:ae4b3280e56e"),
        "{page}"
    );
}

#[test]
fn an_unknown_content_is_said_to_be_unknown() {
    let mut diagnosis = fixture::partial_restart();
    revision_of(&mut diagnosis, 0).content = None;
    assert!(text(&diagnosis).contains("The content of revision A is not known"));
}

#[test]
fn long_values_are_cut_with_their_rest_counted() {
    let mut diagnosis = fixture::partial_restart();
    let lines = "x\n".repeat(5_000);
    let wide = "w".repeat(1 << 20);
    revision_of(&mut diagnosis, 0).content = Some(Content::text([("a", ""), ("b", "")]));
    let new = Content::text([("a", wide.as_str()), ("b", lines.as_str())]);
    revision_of(&mut diagnosis, 1).content = Some(new);
    let page = text(&diagnosis);
    assert!(page.contains("more characters)"), "no cut line");
    assert!(page.contains("more lines"), "no cut block");
    assert!(page.len() < 50_000, "{} bytes", page.len());
}

#[test]
fn a_file_too_long_to_compare_is_counted() {
    let mut diagnosis = fixture::partial_restart();
    let old: String = (0..15_000).map(|n| format!("a{n}\n")).collect();
    let new: String = (0..15_000).map(|n| format!("b{n}\n")).collect();
    revision_of(&mut diagnosis, 0).content = Some(Content::text([("k", old.as_str())]));
    revision_of(&mut diagnosis, 1).content = Some(Content::text([("k", new.as_str())]));
    assert!(text(&diagnosis).contains("15000 lines became 15000: too many to compare here"));
}

#[test]
fn with_the_failing_content_live_nothing_may_be_restarted() {
    let warning = "Do not restart or delete anything before the content is right";
    let mut diagnosis = fixture::partial_restart();
    assert!(markdown(&diagnosis).contains(warning));
    diagnosis.incidents[0].failing = None;
    assert!(!markdown(&diagnosis).contains(warning));
}

#[test]
fn the_summary_is_five_lines() {
    let diagnosis = fixture::partial_restart();
    let text = summary(&diagnosis, diagnosis.incidents.first());
    assert_eq!(text.lines().count(), 5, "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn hostile_text_adds_no_line_to_the_summary() {
    let mut diagnosis = fixture::partial_restart();
    let nasty = "a\nb\u{1b}[31m\u{202e}c".repeat(1000);
    let incident = &mut diagnosis.incidents[0];
    incident.findings[0].sentence.clone_from(&nasty);
    incident.workload.name.clone_from(&nasty);
    incident.config.name.clone_from(&nasty);
    for replica in &mut incident.replicas {
        replica.pod.name.push_str(&nasty);
    }
    let text = summary(&diagnosis, diagnosis.incidents.first());
    assert_eq!(text.lines().count(), 5, "{text}");
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));
    assert!(text.len() < 5000);
}

#[test]
fn of_many_replicas_the_summary_counts_who_runs_what() {
    let mut diagnosis = fixture::partial_restart();
    let incident = &mut diagnosis.incidents[0];
    let one = incident.replicas[0].clone();
    for number in 0..7 {
        let mut more = one.clone();
        more.pod.name = format!("frontend-{number}");
        incident.replicas.push(more);
    }
    let text = summary(&diagnosis, diagnosis.incidents.first());
    assert!(text.contains("9 replicas: 8 run revision"), "{text}");
    let nothing = fixture::nothing_wrong();
    let text = summary(&nothing, None);
    assert!(text.contains(&nothing.verdict), "{text}");
}
