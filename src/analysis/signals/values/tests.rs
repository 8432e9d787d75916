//! Values of changed settings in the lines of programs.

use super::{Setting, pattern};

fn setting(name: &str, values: &[&str]) -> Setting {
    let values: Vec<(usize, String)> = values
        .iter()
        .enumerate()
        .map(|(i, v)| (i, (*v).to_owned()))
        .collect();
    Setting {
        keys: Default::default(),
        name: name.to_owned(),
        pattern: pattern(name, &values).expect("a pattern"),
        values,
    }
}

#[test]
fn programs_log_settings_in_many_forms() {
    let recs = setting("FEATURE_RECS", &["on", "off"]);
    for line in [
        "2026-11-30T06:15:47Z level=info msg=recs feature_recs=off",
        r#"{"msg":"start","featureRecs":"x","feature.recs": "off"}"#,
        "FEATURE-RECS: off",
    ] {
        assert_eq!(recs.value_in(line).as_deref(), Some("off"), "{line}");
    }
    let mode = setting("mode", &["blue", "green"]);
    assert_eq!(mode.value_in("mode=mode: blue").as_deref(), Some("blue"));
    assert_eq!(mode.revisions_with("green"), [1]);
}

#[test]
fn other_words_and_longer_values_are_not_taken() {
    let recs = setting("FEATURE_RECS", &["on", "off"]);
    assert_eq!(recs.value_in("feature_recs=offline"), None);
    assert_eq!(recs.value_in("xfeature_recs=off"), None);
    assert_eq!(recs.value_in("off"), None);
}

#[test]
fn what_a_client_wrote_is_no_evidence() {
    let recs = setting("FEATURE_RECS", &["on", "off"]);
    assert_eq!(recs.value_in("path=/items?feature_recs=off"), None);
    assert_eq!(recs.value_in("GET /items?x=1&feature_recs=off 200"), None);
    assert_eq!(
        recs.value_in(
            r#"[error] x, client: 1.1.1.1, request: "GET /; feature_recs=off HTTP/1.1", host: "x""#
        ),
        None
    );
}

#[test]
fn a_line_that_shows_two_values_tells_of_neither() {
    let mode = setting("MODE", &["green", "blue"]);
    assert_eq!(
        mode.value_in("switching from mode=green to mode=blue; previous mode=green"),
        None
    );
    assert_eq!(
        mode.value_in("mode=blue mode=blue").as_deref(),
        Some("blue")
    );
}
