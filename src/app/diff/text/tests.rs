//! Diffs of texts: words marked, line ends kept apart, and no text that makes them slow.

use super::*;

fn show(text: &Text) -> String {
    let mut out = String::new();
    for row in &text.rows {
        match row.kind {
            Kind::Context => out.push(' '),
            Kind::Removed => out.push('-'),
            Kind::Added => out.push('+'),
            Kind::Skipped(n) => {
                out.push_str(&format!("~{n}\n"));
                continue;
            }
        }
        let (line, unterminated) = text.line(row);
        let mut at = 0;
        for mark in &row.marks {
            out.push_str(&line[at..mark.start]);
            out.push_str(&format!("[{}]", &line[mark.clone()]));
            at = mark.end;
        }
        out.push_str(&line[at..]);
        out.push_str(if unterminated { "$\n" } else { "\n" });
    }
    out
}

fn compared(old: &str, new: &str) -> String {
    show(&Text::compare(old, new, false))
}

#[test]
fn the_changed_word_is_marked() {
    let shown = compared(
        "upstream api {\n  server api:8080;\n}\n",
        "upstream api {\n  server api:8000;\n}\n",
    );
    assert_eq!(
        shown,
        " upstream api {\n-  server api:[8080];\n+  server api:[8000];\n }\n"
    );
}

#[test]
fn a_line_end_that_alone_changed_is_seen() {
    assert_eq!(compared("on\n", "on"), "-on\n+on$\n");
    let shown = compared("on\r\n", "on\n");
    assert!(shown.contains("-on[\r]"), "{shown:?}");
    // A carriage return within a line ends no line.
    assert_eq!(compared("a\rb\n", "a\rb\n"), " a\rb\n");
}

#[test]
fn long_unchanged_stretches_are_left_out_or_kept_on_demand() {
    let old: String = (0..100).map(|n| format!("line {n}\n")).collect();
    let new = old.replace("line 50\n", "line fifty\n");
    let shown = compared(&old, &new);
    assert!(shown.starts_with("~47\n line 47\n"), "{shown}");
    assert!(shown.ends_with(" line 53\n~46\n"), "{shown}");
    let all = Text::compare(&old, &new, true);
    assert_eq!(all.rows.len(), 101);
    assert_eq!(
        all.stops,
        [Stop {
            row: 50,
            across: None
        }]
    );
}

#[test]
fn one_line_alone_is_not_left_out() {
    let old: String = (0..9).map(|n| format!("{n}\n")).collect();
    let new = old.replace("0\n", "x\n").replace("8\n", "y\n");
    assert!(!compared(&old, &new).contains('~'));
    let ten = old.replace("4\n", "4\n4\n");
    let new = ten.replace("0\n", "x\n").replace("8\n", "y\n");
    assert!(compared(&ten, &new).contains("\n~2\n"));
}

#[test]
fn line_numbers_are_those_of_each_side() {
    let text = Text::compare("a\nb\nc\n", "new\na\nb\nd\n", false);
    let rows: Vec<_> = text.rows.iter().map(|row| (row.old, row.new)).collect();
    let expected = [
        (None, Some(0)),
        (Some(0), Some(1)),
        (Some(1), Some(2)),
        (Some(2), None),
        (None, Some(3)),
    ];
    assert_eq!(rows, expected);
}

#[test]
fn a_mebibyte_in_one_line_marks_what_changed() {
    let old = "x".repeat(1 << 20);
    let mut new = old.clone();
    new.replace_range(500_000..500_001, "y");
    let text = Text::compare(&old, &new, false);
    assert_eq!(text.rows.len(), 2);
    assert_eq!(text.rows[1].marks.first(), Some(&(500_000..500_001)));
    assert_eq!(text.rows[1].marks.len(), 1);
}

#[test]
fn places_far_apart_in_one_line_are_gone_to_one_by_one() {
    let old = format!("a=1 {} b=1 {} c=1", "same ".repeat(50), "same ".repeat(50));
    let new = old.replace("=1", "=2");
    let text = Text::compare(&old, &new, false);
    assert_eq!(text.stops.len(), 3, "{:?}", text.stops);
    assert_eq!(
        text.stops[0],
        Stop {
            row: 0,
            across: None
        }
    );
    assert!(
        text.stops[1]
            .across
            .is_some_and(|at| old[at..].starts_with('1'))
    );
}

#[test]
fn no_mark_parts_a_character_from_what_stands_upon_it() {
    let text = Text::compare("xxxxxxxxe\u{301}", "xxxxxxxxe\u{300}", false);
    assert_eq!(show(&text).matches("[e").count(), 2, "{}", show(&text));
    let text = Text::compare("ä-日本", "ö-日本", false);
    assert!(show(&text).contains("[ä]-日本"), "{}", show(&text));
}

#[test]
fn texts_without_anything_in_common_end_in_time_and_say_so() {
    let old: String = (0..40_000).map(|n| format!("{}\n", n * 7)).collect();
    let new: String = (0..40_000).map(|n| format!("{}\n", n * 11)).collect();
    let before = std::time::Instant::now();
    let text = Text::compare(&old, &new, false);
    assert!(!text.rows.is_empty());
    // Far above the deadline, far below a frozen screen.
    assert!(before.elapsed() < Duration::from_secs(5));
    assert!(text.coarse);
    let many = |line: &str| line.repeat(MAX_COMPARED);
    assert!(Text::compare(&many("a\n"), &many("b\n"), false).coarse);
    assert!(!Text::compare("a\n", "b\n", false).coarse);
}
