//! Order, late lines, dropped pieces, logs that are read anew, and the bound.

use super::*;

fn piece(lines: &[(u32, &str)]) -> Arc<str> {
    let text: String = lines
        .iter()
        .map(|(second, text)| match second {
            0 => format!("{text}\n"),
            second => format!("2026-10-02T20:35:{second:02}.5Z {text}\n"),
        })
        .collect();
    Arc::from(text)
}

fn merged(streams: usize) -> Merged {
    Merged {
        streams: (0..streams).map(|_| Stream::new(false)).collect(),
        ..Merged::default()
    }
}

fn texts(merged: &Merged) -> Vec<&str> {
    merged.lines.iter().map(|line| merged.text(line)).collect()
}

#[test]
fn lines_are_in_order_of_time_whatever_came_first() {
    let (a, b) = (
        piece(&[(1, "a1"), (3, "a3"), (3, "a3'")]),
        piece(&[(2, "b2"), (3, "b3")]),
    );
    let order = ["a1", "b2", "a3", "a3'", "b3"];
    for together in [true, false] {
        let mut merged = merged(2);
        merged.take(1, std::slice::from_ref(&b));
        if !together {
            merged.settle();
        }
        merged.take(0, std::slice::from_ref(&a));
        merged.settle();
        assert_eq!(texts(&merged), order);
    }
}

#[test]
fn a_late_line_goes_to_its_place_and_only_the_rest_has_changed() {
    let mut merged = merged(2);
    let a = vec![piece(&[(1, "1"), (2, "2"), (5, "5")])];
    merged.take(0, &a);
    assert_eq!(merged.settle(), Changed::From(0));
    merged.take(0, &a);
    assert_eq!(merged.settle(), Changed::Nothing);
    merged.take(1, &[piece(&[(4, "4")])]);
    assert_eq!(merged.settle(), Changed::From(2));
    assert_eq!(texts(&merged), ["1", "2", "4", "5"]);
}

#[test]
fn lines_without_a_time_stay_behind_the_line_before_them() {
    let mut merged = merged(2);
    merged.take(0, &[piece(&[(2, "trace"), (0, "  at x"), (0, "  at y")])]);
    merged.take(1, &[piece(&[(2, "other"), (3, "later")])]);
    merged.settle();
    assert_eq!(
        texts(&merged),
        ["trace", "  at x", "  at y", "other", "later"]
    );
    // Across pieces too.
    let mut again = self::merged(1);
    let first = piece(&[(2, "trace")]);
    again.take(0, std::slice::from_ref(&first));
    again.take(0, &[first, piece(&[(0, "  at x")])]);
    again.settle();
    assert_eq!(texts(&again), ["trace", "  at x"]);
}

#[test]
fn pieces_that_were_dropped_go_and_are_counted() {
    let mut merged = merged(1);
    let mut pieces: Vec<Arc<str>> = (1..5).map(|n| piece(&[(n, "x"), (n, "y")])).collect();
    merged.take(0, &pieces);
    merged.settle();
    pieces.drain(..2);
    pieces.push(piece(&[(9, "new")]));
    merged.take(0, &pieces);
    assert_eq!(merged.settle(), Changed::All);
    assert_eq!(texts(&merged), ["x", "y", "x", "y", "new"]);
    assert_eq!((merged.streams[0].dropped, merged.streams[0].lines), (4, 5));
}

#[test]
fn a_log_that_was_read_anew_is_there_once_and_nothing_is_called_lost() {
    let mut merged = merged(1);
    merged.take(0, &[piece(&[(1, "1")]), piece(&[(2, "2")])]);
    merged.settle();
    merged.take(0, &[piece(&[(1, "1"), (2, "2"), (3, "3")])]);
    merged.settle();
    assert_eq!(texts(&merged), ["1", "2", "3"]);
    assert_eq!((merged.streams[0].dropped, merged.streams[0].lines), (0, 3));
}

#[test]
fn ends_of_lines_are_not_text() {
    let mut merged = merged(1);
    merged.take(
        0,
        &[Arc::from(
            "2026-10-02T20:35:01Z a\r\n2026-10-02T20:35:02Z \r\n2026-10-02T20:35:03Z 1%\r2%\nend",
        )],
    );
    merged.settle();
    assert_eq!(texts(&merged), ["a", "", "1%\r2%", "end"]);
}

#[test]
fn the_oldest_lines_go_when_there_are_too_many() {
    let mut merged = merged(2);
    let many = |text: &str, lines: usize| -> Arc<str> { Arc::from(text.repeat(lines)) };
    merged.take(0, &[many("2026-10-02T20:35:01Z old\n", SLACK * 2)]);
    merged.take(1, &[many("2026-10-02T20:35:02Z new\n", MOST)]);
    assert_eq!(merged.settle(), Changed::All);
    assert_eq!(merged.lines.len(), MOST);
    assert_eq!(
        (merged.streams[0].dropped, merged.streams[1].dropped),
        (SLACK * 2, 0)
    );
}
