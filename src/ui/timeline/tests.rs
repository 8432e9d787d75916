//! The lanes that are chosen when not all fit.

use super::*;

#[test]
fn the_config_and_the_selected_lane_are_always_there() {
    let lanes = 41;
    for at in 0..lanes {
        for room in 2..50 {
            let shown = window(lanes, Some(at), room);
            assert!(shown.contains(&0), "{at} in {room}");
            assert!(shown.contains(&at), "{at} in {room}: {shown:?}");
            assert!(shown.len() <= room);
        }
    }
}
