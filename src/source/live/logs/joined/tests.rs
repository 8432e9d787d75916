//! Two logs of one run become one, in which nothing stands twice and nothing is given a time that it has not.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Span, join, timed};

fn at(seconds: i64) -> DateTime<Utc> {
    let base: DateTime<Utc> = "2026-10-02T20:35:00Z".parse().unwrap();
    base + TimeDelta::seconds(seconds)
}

fn kubelet(lines: &[(i64, &str)]) -> String {
    lines
        .iter()
        .map(|(s, text)| format!("2026-10-02T20:35:{s:02}.000000000Z {text}\n"))
        .collect()
}

fn run() -> Span {
    Span {
        from: Some(at(10)),
        until: None,
    }
}

#[test]
fn earlier_lines_come_in_front_and_the_same_ones_not_again() {
    let kept = kubelet(&[(30, "c"), (31, "d")]);
    let printed = "2026-10-02T20:35:11Z a\n2026-10-02T20:35:29.9Z b\n2026-10-02T20:35:30Z c\n2026-10-02T20:35:31Z d\n";
    let joined = join(&kept, None, printed, &run());
    assert_eq!(
        joined.text,
        format!("2026-10-02T20:35:11.000000000Z a\n2026-10-02T20:35:29.900000000Z b\n{kept}")
    );
    assert_eq!((joined.added, joined.timeless), (2, 0));
}

#[test]
fn lines_of_another_run_stay_out() {
    let printed = "2026-10-02T20:35:05Z the run before\n  at its stack\n2026-10-02T20:35:12Z ours\n  at our stack\n";
    let joined = join("", None, printed, &run());
    assert_eq!(
        joined.text,
        "2026-10-02T20:35:12.000000000Z ours\n  at our stack\n"
    );
    assert_eq!((joined.added, joined.timeless), (2, 1));
    let former = Span {
        from: Some(at(0)),
        until: Some(at(6)),
    };
    let joined = join("", None, printed, &former);
    assert!(
        joined
            .text
            .starts_with("2026-10-02T20:35:05.000000000Z the run before\n")
    );
    assert_eq!(joined.added, 2);
}

#[test]
fn a_hole_is_filled_where_it_is() {
    let kept = kubelet(&[(11, "a"), (12, "b"), (40, "y"), (41, "z")]);
    let hole = Span {
        from: Some(at(12)),
        until: Some(at(40)),
    };
    let printed = kubelet(&[(11, "a"), (12, "b"), (20, "m"), (30, "n"), (40, "y")]);
    let joined = join(&kept, Some(&hole), &printed, &run());
    let texts: Vec<&str> = joined.text.lines().map(|l| &l[31..]).collect();
    assert_eq!(texts, ["a", "b", "m", "n", "y", "z"]);
    assert_eq!(joined.added, 2);
}

#[test]
fn lines_without_times_stand_in_front_up_to_where_the_kubelet_has_them_too() {
    let kept = kubelet(&[(30, "c"), (31, "d"), (32, "e")]);
    let joined = join(&kept, None, "a\nb\nc\nd\ne\n", &run());
    assert_eq!(joined.text, format!("a\nb\n{kept}"));
    assert_eq!((joined.added, joined.timeless), (2, 2));
}

#[test]
fn times_are_read_in_the_forms_of_the_usual_clients() {
    let second = Some(at(26));
    let milli = Some(at(26) + TimeDelta::milliseconds(500));
    for (line, time, rest) in [
        ("2026-10-02T20:35:26Z GET /", second, "GET /"),
        ("2026-10-02T22:35:26+02:00\tGET /", second, "GET /"),
        ("2026-10-02T20:35:26+0000 GET /", second, "GET /"),
        ("2026-10-02 20:35:26Z GET /", second, "GET /"),
        (
            "2026-10-02T20:35:26.5Z {app=\"web\", pod=\"x\"} {\"a\":1}",
            milli,
            "{\"a\":1}",
        ),
        (
            "2026-10-02T20:35:26Z {\"msg\":\"its own\"} x",
            second,
            "{\"msg\":\"its own\"} x",
        ),
        (
            "[pod/web-1/nginx] 2026-10-02T20:35:26Z GET /",
            second,
            "GET /",
        ),
        ("1790973326 GET /", second, "GET /"),
        ("1790973326.5 GET /", milli, "GET /"),
        ("1790973326500 GET /", milli, "GET /"),
        ("1790973326500000 GET /", milli, "GET /"),
        ("1790973326500000000 GET /", milli, "GET /"),
        ("2026-10-02T20:35:26Z", second, ""),
    ] {
        assert_eq!(timed(line), (time, rest), "{line}");
    }
    for line in [
        "2026-10-02 20:35:26 no zone",
        "20:35:26 no date",
        "12345 a number",
        "",
        "\u{1b}[31mred",
        "héllo wörld",
    ] {
        assert_eq!(timed(line), (None, line));
    }
}
