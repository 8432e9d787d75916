//! Diffs: words marked, line ends kept apart, and no text that makes them slow.

use super::*;

fn show(lines: &[Line]) -> String {
    let mut out = String::new();
    for line in lines {
        match line.kind {
            LineKind::Context => out.push(' '),
            LineKind::Removed => out.push('-'),
            LineKind::Added => out.push('+'),
            LineKind::Skipped(n) => out.push_str(&format!("~{n}")),
        }
        for (marked, text) in &line.parts {
            if *marked {
                out.push_str(&format!("[{text}]"));
            } else {
                out.push_str(text);
            }
        }
        out.push_str(if line.unterminated { "$\n" } else { "\n" });
    }
    out
}

#[test]
fn the_changed_word_is_marked() {
    let shown = show(&lines(
        "upstream api {\n  server api:8080;\n}\n",
        "upstream api {\n  server api:8000;\n}\n",
    ));
    assert_eq!(
        shown,
        " upstream api {\n-  server api:[8080];\n+  server api:[8000];\n }\n"
    );
}

#[test]
fn a_line_end_that_alone_changed_is_seen() {
    assert_eq!(show(&lines("on\n", "on")), "-on\n+on$\n");
    let shown = show(&lines("on\r\n", "on\n"));
    assert!(shown.contains("-on[\r]"), "{shown:?}");
}

#[test]
fn long_unchanged_stretches_are_left_out() {
    let old: String = (0..100).map(|n| format!("line {n}\n")).collect();
    let new = old.replace("line 50\n", "line fifty\n");
    let shown = show(&lines(&old, &new));
    assert!(shown.starts_with("~47\n line 47\n"), "{shown}");
    assert!(shown.ends_with(" line 53\n~46\n"), "{shown}");
}

#[test]
fn a_mebibyte_in_one_line_marks_what_changed() {
    let old = "x".repeat(1 << 20);
    let mut new = old.clone();
    new.replace_range(500_000..500_001, "y");
    let all = lines(&old, &new);
    assert_eq!(all.len(), 2);
    assert!(all[1].parts.contains(&(true, "y".to_owned())));
}

#[test]
fn texts_without_anything_in_common_end_in_time() {
    let old: String = (0..40_000).map(|n| format!("{}\n", n * 7)).collect();
    let new: String = (0..40_000).map(|n| format!("{}\n", n * 11)).collect();
    let before = std::time::Instant::now();
    assert!(!lines(&old, &new).is_empty());
    // Far above the deadline, far below a frozen screen.
    assert!(before.elapsed() < Duration::from_secs(5));
}
