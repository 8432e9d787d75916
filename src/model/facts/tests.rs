//! Parts become one snapshot.

use chrono::{DateTime, TimeDelta};

use super::*;
use crate::model::{Cluster, Gap, GapReason};

fn part(namespace: &str, minutes: i64) -> Snapshot {
    let cluster = Cluster {
        context: None,
        flags: None,
        server: String::new(),
        version: None,
    };
    let scope = Scope {
        namespace: Some(namespace.into()),
        ..Scope::default()
    };
    let at = DateTime::UNIX_EPOCH + TimeDelta::minutes(minutes);
    let mut part = Snapshot::empty(cluster, scope, at);
    part.gaps.push(Gap {
        verb: "list".into(),
        resource: "nodes".into(),
        namespace: None,
        name: None,
        reason: GapReason::Bounded("too many".into()),
    });
    part
}

#[test]
fn the_whole_is_of_the_scope_and_of_the_latest_moment() {
    let facts = Facts {
        parts: vec![Arc::new(part("a", 2)), Arc::new(part("b", 1))],
        ..Facts::default()
    };
    let everything = Scope::default();
    let whole = facts.merged(&everything).expect("two parts");
    assert_eq!(whole.scope, everything);
    assert_eq!(whole.taken_at, DateTime::UNIX_EPOCH + TimeDelta::minutes(2));
    // What failed for the cluster failed in both, and is one gap.
    assert_eq!(whole.gaps.len(), 1);
    assert_eq!(Facts::default().merged(&everything), None);
}

#[test]
fn one_part_is_the_whole_as_it_is() {
    let one = part("a", 2);
    let scope = one.scope.clone();
    assert_eq!(Facts::of(one.clone()).merged(&scope), Some(one));
}
