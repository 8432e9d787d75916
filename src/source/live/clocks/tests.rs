//! Bounds of clocks, by what the API server writes.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Lease, between, narrowed, of_lease};
use crate::model::Ahead;

fn at(text: &str) -> DateTime<Utc> {
    text.parse().expect("a time")
}

#[test]
fn a_date_bounds_the_local_clock_by_the_round_trip_and_its_second() {
    let ahead = between(
        at("2026-11-30T12:00:10.200Z"),
        at("2026-11-30T12:00:10.300Z"),
        at("2026-11-30T12:00:05Z"),
    );
    assert_eq!(ahead.least, TimeDelta::milliseconds(4200));
    assert_eq!(ahead.most, TimeDelta::milliseconds(5300));
}

#[test]
fn answers_narrow_each_other_and_a_clock_that_was_set_begins_anew() {
    let of = |least, most| Ahead {
        least: TimeDelta::milliseconds(least),
        most: TimeDelta::milliseconds(most),
    };
    assert_eq!(narrowed(Some(of(-500, 600)), of(-100, 900)), of(-100, 600));
    assert_eq!(
        narrowed(Some(of(-500, 600)), of(60_000, 61_000)),
        of(60_000, 61_000)
    );
    assert_eq!(narrowed(None, of(1, 2)), of(1, 2));
}

#[test]
fn a_lease_tells_the_node_s_clock_against_the_api_server_s() {
    let lease: Lease = serde_json::from_value(serde_json::json!({
        "metadata": {"name": "lab-node", "managedFields": [
            {"manager": "kubelet", "operation": "Update", "time": "2026-11-30T12:25:55Z", "fieldsV1": {}}
        ]},
        "spec": {"holderIdentity": "lab-node", "renewTime": "2026-11-30T12:30:55.124766Z"}
    }))
    .expect("a lease");
    let ahead = of_lease(&lease).expect("bounds");
    assert_eq!(ahead.least, TimeDelta::microseconds(299_124_766));
    assert!(ahead.most >= TimeDelta::minutes(5) && ahead.most < TimeDelta::seconds(311));
}
