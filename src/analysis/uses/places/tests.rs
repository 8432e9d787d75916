//! Paths and variables in a container, by each way.

use super::in_mount;
use crate::model::{Mount, SubPath};

fn mount(path: &str, sub_path: Option<SubPath>) -> Mount {
    Mount {
        volume: "v".to_owned(),
        path: path.to_owned(),
        sub_path,
        read_only: false,
    }
}

#[test]
fn a_file_is_below_its_mount_or_the_mount_itself() {
    let whole = mount("/etc/app/", None);
    assert_eq!(
        in_mount(&whole, "a.yaml", false).as_deref(),
        Some("/etc/app/a.yaml")
    );
    let one = mount("/etc/app/a.yaml", Some(SubPath::Path("a.yaml".to_owned())));
    assert_eq!(
        in_mount(&one, "a.yaml", false).as_deref(),
        Some("/etc/app/a.yaml")
    );
    assert_eq!(in_mount(&one, "b.yaml", false), None);
    let folder = mount("/conf", Some(SubPath::Path("conf/".to_owned())));
    assert_eq!(
        in_mount(&folder, "conf/a.yaml", false).as_deref(),
        Some("/conf/a.yaml")
    );
    assert_eq!(in_mount(&folder, "confx", false), None);
    let open = mount("/conf", Some(SubPath::Expr("$(A)".to_owned())));
    assert_eq!(in_mount(&open, "a.yaml", false), None);
}
