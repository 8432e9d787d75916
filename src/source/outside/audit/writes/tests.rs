//! The bounds of what is kept of a log.

use super::{EACH, Writes};
use crate::model::{AuditedWrite, ConfigKind, ConfigRef};

fn write(name: &str, number: usize) -> AuditedWrite {
    AuditedWrite {
        config: ConfigRef::new(ConfigKind::ConfigMap, "shop", name),
        file: "audit.log".to_owned(),
        verb: "update".to_owned(),
        at: chrono::DateTime::from_timestamp(i64::try_from(number).expect("small"), 0),
        user: "a".to_owned(),
        impersonated: None,
        source_ips: Vec::new(),
        user_agent: None,
        field_manager: None,
        content: None,
        resource_version: Some(number.to_string()),
    }
}

#[test]
fn a_busy_config_pushes_out_no_other() {
    let mut writes = Writes::default();
    writes.take("quiet", vec![write("quiet", 0)]);
    let many = 5 * EACH + 7;
    for number in 1..=many {
        writes.take(&format!("busy-{number}"), vec![write("busy", number)]);
    }
    let (kept, dropped) = writes.into_sorted();
    assert_eq!(kept.len(), EACH + 1);
    assert_eq!(kept[0].config.name, "quiet");
    assert_eq!(kept[EACH].resource_version, Some(many.to_string()));
    let dropped = dropped.expect("it is said");
    assert!(
        dropped.starts_with(&format!("{} earlier writes were let go", many - EACH)),
        "{dropped}"
    );
}

#[test]
fn files_that_overlap_or_come_in_the_wrong_order_come_right() {
    let mut writes = Writes::default();
    for number in [3, 1, 3, 2] {
        writes.take(&number.to_string(), vec![write("a", number)]);
    }
    let (kept, dropped) = writes.into_sorted();
    let versions: Vec<_> = kept
        .iter()
        .filter_map(|w| w.resource_version.as_deref())
        .collect();
    assert_eq!((versions, dropped), (vec!["1", "2", "3"], None));
}
