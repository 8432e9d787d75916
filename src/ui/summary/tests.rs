//! Rows are shared so that no label is ever crowded out.

use super::*;

fn part(label: &'static str, words: usize, least: usize) -> Part {
    Part {
        label,
        style: theme::plain(),
        text: "word ".repeat(words),
        least,
    }
}

#[test]
fn what_supports_gets_only_what_the_others_leave() {
    let parts = [
        part("CAUSE", 30, 4),
        part("ALSO", 60, 1),
        part("IMPACT", 10, 2),
        part("NEXT", 40, 2),
    ];
    // Ten words a line: 3, 6, 1 and 4 lines are wanted.
    assert_eq!(share(&parts, 50, 11), [3, 1, 1, 4]);
    assert_eq!(share(&parts, 50, 15), [3, 3, 1, 4]);
    assert_eq!(share(&parts, 50, 9), [3, 1, 1, 4]);
    assert_eq!(share(&parts, 50, 40), [3, 6, 1, 4]);
}

#[test]
fn every_part_keeps_a_row_when_all_are_too_long() {
    let parts = [
        part("CAUSE", 900, 4),
        part("ALSO", 900, 1),
        part("IMPACT", 900, 2),
        part("NEXT", 900, 2),
    ];
    let rows = share(&parts, 50, 11);
    assert!(rows.iter().sum::<usize>() <= 11, "{rows:?}");
    assert!(rows.iter().all(|rows| *rows >= 1), "{rows:?}");
}
