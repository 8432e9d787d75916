//! Marks are found in the lines that the analysis counts, and in no others.

use super::*;

const REFUSED: &str = r#"2026/10/02 20:35:48 [error] 29#29: *8 upstream timed out (110: Operation timed out) while connecting to upstream, client: 10.244.1.43, server: , request: "GET /api/items HTTP/1.1", upstream: "http://10.96.10.144:8000/items", host: "frontend""#;
const FAILED: &str = r#"10.244.1.43 - - [02/Oct/2026:20:36:00 +0000] "GET /api/items HTTP/1.1" 504 167 "-" "Wget" "-""#;

fn marks(list: &[(MarkKind, &str)]) -> Marks {
    let marks: Vec<Mark> = list
        .iter()
        .map(|(kind, text)| Mark {
            kind: *kind,
            text: (*text).to_owned(),
            fails: false,
        })
        .collect();
    let settings = settings(&marks);
    let hint = hint(&marks, &settings);
    Marks {
        words: words_of(&marks),
        marks,
        settings,
        hint,
    }
}

fn all() -> Marks {
    marks(&[
        (MarkKind::Signal(SignalKind::Upstream), "10.96.10.144:8000"),
        (MarkKind::Signal(SignalKind::Value), "feature_recs=off"),
        (
            MarkKind::Signal(SignalKind::Reload),
            "configuration read again",
        ),
        (MarkKind::Signal(SignalKind::StartError), "start error"),
        (MarkKind::Failure, "GET /api/items"),
    ])
}

#[test]
fn each_kind_is_found_in_its_line() {
    let marks = all();
    for (line, place) in [
        (REFUSED, Some(0)),
        (r#"{"msg":"up","feature-recs":"off"}"#, Some(1)),
        ("started feature_recs=off", Some(1)),
        (
            "2026/10/02 [notice] 1#1: signal 1 (SIGHUP) received from 7, reconfiguring",
            Some(2),
        ),
        (
            "2026/10/02 [emerg] 1#1: unknown directive \"servr\"",
            Some(3),
        ),
        (FAILED, Some(4)),
        ("started feature_recs=on", None),
        (&FAILED.replace("504", "200"), None),
        (&FAILED.replace("/api/items", "/other"), None),
        // What a client sends is no sign of the server's configuration.
        (
            &FAILED
                .replace("504", "200")
                .replace("Wget", "10.96.10.144:8000"),
            None,
        ),
        (&REFUSED.replace(":8000/", ":8080/"), None),
    ] {
        assert_eq!(marks.of_line(line), place, "{line}");
    }
}

#[test]
fn no_line_is_found_that_the_hints_pass_over() {
    let marks = all();
    for line in [REFUSED, FAILED, "started feature_recs=off", "x [emerg] y"] {
        let text = format!("nothing here\n{line}\nnor here\n");
        let hints: Vec<usize> = marks.hints(&text).collect();
        assert!(
            hints.iter().any(|at| (13..13 + line.len()).contains(at)),
            "{line}: {hints:?}"
        );
        assert_eq!(marks.hints("nothing here\nnor here\n").count(), 0);
    }
}

#[test]
fn the_words_are_those_that_tell() {
    let words = |line: &str| -> Vec<String> {
        all()
            .words(line)
            .into_iter()
            .map(|r| line[r].to_owned())
            .collect()
    };
    assert_eq!(words(REFUSED), ["10.96.10.144:8000"]);
    assert_eq!(words(FAILED), ["504"]);
    assert_eq!(words("a feature_recs=off, b"), ["feature_recs=off"]);
}
