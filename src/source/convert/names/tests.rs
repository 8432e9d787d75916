//! Arguments and variables as real programs have them, and some that only look like it.

use super::{of_arguments, of_variable};

#[test]
fn options_that_name_a_config_map_are_found() {
    let found = |arguments: &[&str]| of_arguments(arguments.iter().copied(), "shop");
    assert_eq!(
        found(&[
            "/nginx-ingress-controller",
            "--configmap=$(POD_NAMESPACE)/ingress-nginx-controller"
        ]),
        ["ingress-nginx-controller"]
    );
    assert_eq!(
        found(&["app", "--config-map", "settings", "--port", "8080"]),
        ["settings"]
    );
    assert_eq!(
        found(&["app", "--configmap-name=shop/settings"]),
        ["settings"]
    );
    assert!(found(&["app", "--configmap=other/settings", "--configmap=/etc/app"]).is_empty());
    assert!(found(&["app", "--watch-configmap=true", "--config", "map"]).is_empty());
    assert!(found(&["app", "--configmap", "--port", "settings"]).is_empty());
}

#[test]
fn variables_that_name_a_config_map_are_found() {
    assert_eq!(
        of_variable("CONFIG_MAP_NAME", "settings", "shop").as_deref(),
        Some("settings")
    );
    assert_eq!(
        of_variable("APP_CONFIGMAP", "shop/settings", "shop").as_deref(),
        Some("settings")
    );
    assert_eq!(of_variable("CONFIG_MAP_NAME", "Not A Name", "shop"), None);
    assert_eq!(of_variable("SETTINGS", "settings", "shop"), None);
}
