//! Times as logs write them.

use super::{Form, Moment, Stamp, kubelet, rfc3339};
use crate::model::LogLine;

fn read(form: &mut Option<Form>, line: &str) -> Option<Moment> {
    let stamp = Form::read(form, line.as_bytes())?;
    Stamp::new(line.as_bytes().get(stamp)?)?.moment()
}

fn moment(line: &str) -> Option<(String, bool)> {
    let moment = read(&mut None, line)?;
    Some((
        moment.at.format("%Y-%m-%dT%H:%M:%S%.f").to_string(),
        moment.zoned,
    ))
}

#[test]
fn the_kubelets_time_is_split_off_as_the_model_does() {
    for line in [
        "2026-11-30T02:49:22.123456789Z text",
        "2026-11-30T02:49:22Z text and more",
        "2026-11-30T02:49:22.1+02:00 text",
        "2026-11-30T02:49:22.123456789Z ",
        "2026-11-30T02:49:22 no zone",
        "2026-11-30 02:49:22 text",
        "plain text",
        "",
    ] {
        let model = LogLine::parse(line);
        let split = kubelet(line.as_bytes());
        assert_eq!(
            split.map(|(_, text)| text),
            model.at.map(|_| model.text.as_bytes()),
            "{line}"
        );
        assert_eq!(
            split.and_then(|(stamp, _)| rfc3339(stamp)),
            model.at,
            "{line}"
        );
    }
}

#[test]
fn times_of_programs() {
    let at = |time: &str, zoned| Some((time.to_owned(), zoned));
    for (line, expected) in [
        (
            r#"10.244.0.9 - - [30/Nov/2026:02:49:22 +0100] "GET / HTTP/1.1" 200 1"#,
            at("2026-11-30T01:49:22", true),
        ),
        (
            "10.244.0.9:1 [30/Nov/2026:02:49:32.246] fe web/s2",
            at("2026-11-30T02:49:32", false),
        ),
        (
            "2026/11/30 02:49:22 [error] 7#7: x",
            at("2026-11-30T02:49:22", false),
        ),
        (
            "2026-11-30 02:49:22,123 ERROR x",
            at("2026-11-30T02:49:22.123", false),
        ),
        (
            "2026-11-30 02:49:22.123 UTC [1] LOG:  x",
            at("2026-11-30T02:49:22.123", true),
        ),
        (
            "[2026-11-30T02:49:22.123Z] \"GET /",
            at("2026-11-30T02:49:22.123", true),
        ),
        (
            "time=\"2026-11-30T02:49:22Z\" level=info",
            at("2026-11-30T02:49:22", true),
        ),
        (
            "time=2026-11-30T02:49:22.5+01:00 level=INFO",
            at("2026-11-30T01:49:22.500", true),
        ),
        (
            r#"{"level":"info","ts":1764470962.123,"msg":"x"}"#,
            at("2025-11-30T02:49:22", true),
        ),
        (
            r#"{"level":30,"time":1764470962123,"msg":"x"}"#,
            at("2025-11-30T02:49:22.123", true),
        ),
        (
            r#"{"@timestamp":"2026-11-30T02:49:22.1Z","msg":"x"}"#,
            at("2026-11-30T02:49:22.100", true),
        ),
    ] {
        assert_eq!(moment(line), expected, "{line}");
    }
}

#[test]
fn what_has_no_year_or_is_no_time_is_none() {
    for line in [
        "E1130 02:49:22.123456       1 main.go:12] x",
        "Nov 30 02:49:22 host haproxy[1]: x",
        "2026-13-45 99:99:99 x",
        "02:49:22 x",
        "",
        "10.0.0.1:80 1764470962",
    ] {
        assert_eq!(moment(line), None, "{line}");
    }
}

#[test]
fn the_form_of_the_last_line_is_taken_only_where_it_fits() {
    let mut form = None;
    for (line, expected) in [
        (
            r#"{"ts":"2026-11-30T02:49:22Z","msg":"x"}"#,
            Some("2026-11-30 02:49:22"),
        ),
        (
            r#"{"ts":"2026-11-30T02:50:23Z","msg":"y"}"#,
            Some("2026-11-30 02:50:23"),
        ),
        (
            r#"{"ts":"2026-11-30T02:50:24.5Z","msg":"y"}"#,
            Some("2026-11-30 02:50:24.500"),
        ),
        (r#"{"mg":"2026-11-30T02:50:24.5Z","msg":"y"}"#, None),
        ("short", None),
        ("2026/11/30 02:49:22 [error] x", Some("2026-11-30 02:49:22")),
    ] {
        let moment = read(&mut form, line);
        assert_eq!(
            moment.map(|m| m.at.to_string()).as_deref(),
            expected,
            "{line}"
        );
    }
}
