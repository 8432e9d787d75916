//! Keys that reach a process by each way.

use super::{Keys, sub_path_keys};
use crate::model::{ConfigKind, ConfigRef, VolumeSource};

fn source(items: Option<Vec<(&str, &str)>>) -> VolumeSource {
    VolumeSource {
        config: ConfigRef::new(ConfigKind::ConfigMap, "shop", "c"),
        items: items.map(|items| {
            items
                .into_iter()
                .map(|(k, p)| (k.to_owned(), p.to_owned()))
                .collect()
        }),
        optional: false,
    }
}

#[test]
fn a_sub_path_is_a_file_or_all_below_a_folder() {
    assert_eq!(
        sub_path_keys(&source(None), "settings.yaml"),
        Keys::one("settings.yaml")
    );
    let items = source(Some(vec![
        ("a", "conf/a.yaml"),
        ("b", "conf/b.yaml"),
        ("c", "confx"),
    ]));
    assert_eq!(
        sub_path_keys(&items, "conf/"),
        Keys::only(["a".to_owned(), "b".to_owned()])
    );
    assert_eq!(sub_path_keys(&items, "confx"), Keys::one("c"));
}
