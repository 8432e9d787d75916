//! Where a cursor is led in a list that was narrowed.

use super::*;

fn rows(places: &[usize], of: usize) -> Rows {
    Rows {
        places: places.to_vec(),
        of,
    }
}

#[test]
fn a_cursor_stays_or_goes_to_the_next_row_on_screen() {
    let found = rows(&[2, 5, 9], 12);
    assert_eq!(found.settled(5), 5);
    assert_eq!(found.settled(3), 5);
    assert_eq!(found.settled(11), 9);
    assert_eq!(rows(&[], 12).settled(3), 3);
}

#[test]
fn a_move_goes_over_what_is_not_on_screen() {
    let found = rows(&[2, 5, 9], 12);
    assert_eq!(found.moved(2, Move::Down, 10), 5);
    assert_eq!(found.moved(9, Move::Down, 10), 9);
    assert_eq!(found.moved(9, Move::First, 10), 2);
    // In another order, too.
    assert_eq!(rows(&[9, 2], 12).moved(9, Move::Down, 10), 2);
    assert_eq!(rows(&[], 12).moved(4, Move::Down, 10), 4);
}

#[test]
fn the_orders_come_round() {
    let mut sort = Sort::default();
    for _ in 0..4 {
        sort = sort.next();
    }
    assert_eq!(sort, Sort::Worst);
}
