//! The lanes that are chosen when not all fit.

use super::*;

#[test]
fn the_config_and_the_selected_lane_are_always_there() {
    let mut lanes = vec![Lane::Config("web".into())];
    lanes.extend((0..40).map(|n| Lane::Pod(format!("web-{n}"))));
    for at in 0..lanes.len() {
        let entry = Entry {
            at: crate::model::Interval::UNKNOWN,
            lane: lanes[at].clone(),
            kind: crate::analysis::EntryKind::Event,
            what: String::new(),
            evidence: Vec::new(),
        };
        for room in 2..50 {
            let shown = window(&lanes, Some(&entry), room);
            assert!(shown.contains(&0), "{at} in {room}");
            assert!(shown.contains(&at), "{at} in {room}: {shown:?}");
            assert!(shown.len() <= room);
        }
    }
}
