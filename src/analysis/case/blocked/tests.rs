//! What the kubelet says counts for what it names.

use super::*;
use crate::model::{ConfigKind, ContainerStatus};

fn waiting(message: &str) -> Container {
    Container {
        name: "web".to_owned(),
        kind: ContainerKind::Main,
        image: String::new(),
        env: Vec::new(),
        env_from: Vec::new(),
        mounts: Vec::new(),
        expands: Vec::new(),
        names: Vec::new(),
        status: Some(ContainerStatus {
            container_id: None,
            image_id: None,
            ready: false,
            restarts: 0,
            state: ContainerState::Waiting {
                reason: "CreateContainerConfigError".to_owned(),
                message: message.to_owned(),
            },
            last: None,
        }),
    }
}

#[test]
fn the_kubelets_word_counts_where_it_names_kind_and_name() {
    let config = |kind, name| ConfigRef::new(kind, "shop", name);
    let container = waiting("couldn't find key url in Secret shop/db");
    assert!(names(&container, &config(ConfigKind::Secret, "db")));
    assert!(!names(&container, &config(ConfigKind::ConfigMap, "db")));
    assert!(!names(&container, &config(ConfigKind::Secret, "cache")));
    let container = waiting("configmap \"web-conf\" not found");
    assert!(names(
        &container,
        &config(ConfigKind::ConfigMap, "web-conf")
    ));
}
