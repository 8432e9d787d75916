//! Who may do what by which roles.

use super::*;
use crate::sim::store::Write;

fn world() -> World {
    let mut world = World::new("2026-11-30T10:00:00Z".parse().unwrap());
    let rules = json!([
        {"apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["one"], "verbs": ["get"]},
        {"apiGroups": [""], "resources": ["*/log"], "verbs": ["get"]},
    ]);
    put(&mut world, "roles", "own", json!({"rules": rules}));
    for (name, kind, role, subject) in [
        (
            "by-name",
            "Role",
            "own",
            json!({"kind": "User", "name": "ann"}),
        ),
        (
            "by-group",
            "ClusterRole",
            "view",
            json!({"kind": "Group", "name": "team"}),
        ),
        (
            "by-account",
            "ClusterRole",
            "edit",
            json!({"kind": "ServiceAccount", "name": "robot"}),
        ),
        (
            "to-nothing",
            "Role",
            "gone",
            json!({"kind": "User", "name": "bob"}),
        ),
    ] {
        let binding = json!({"roleRef": {"kind": kind, "name": role}, "subjects": [subject]});
        put(&mut world, "rolebindings", name, binding);
    }
    world
}

fn put(world: &mut World, plural: &str, name: &str, mut object: Value) {
    object["metadata"] = json!({"name": name, "namespace": "default"});
    let write = Write::by("test", world.now());
    let key = object::key(plural, "default", name);
    world.store_mut().create(&key, object, &write).unwrap();
}

fn user(name: &str, groups: &[&str]) -> User {
    User::new(
        name,
        groups.iter().map(|group| (*group).to_owned()).collect(),
    )
}

fn asked<'a>(verb: &'a str, resource: &'a str, name: &'a str, namespace: &'a str) -> Deed<'a> {
    Deed {
        verb,
        group: "",
        resource,
        name,
        namespace: (!namespace.is_empty()).then_some(namespace),
    }
}

#[test]
fn a_role_holds_in_its_namespace_for_what_it_names() {
    let (world, ann) = (world(), user("ann", &[]));
    let may = |deed| world.authorize(&ann, deed).is_ok();
    assert!(may(asked("get", "configmaps", "one", "default")));
    assert!(!may(asked("get", "configmaps", "two", "default")));
    assert!(!may(asked("list", "configmaps", "", "default")));
    assert!(!may(asked("get", "configmaps", "one", "kube-system")));
    assert!(!may(asked("get", "configmaps", "one", "")));
    assert!(may(asked("get", "pods/log", "any", "default")));
    assert!(!may(asked("get", "pods", "any", "default")));
}

#[test]
fn groups_and_accounts_are_meant_too() {
    let world = world();
    let secrets = asked("get", "secrets", "any", "default");
    let pods = asked("list", "pods", "", "default");
    let robot = user("system:serviceaccount:default:robot", &[]);
    assert_eq!(
        world.authorize(&robot, secrets).unwrap(),
        "RBAC: allowed by RoleBinding \"by-account/default\" of ClusterRole \"edit\" to ServiceAccount \"robot/default\""
    );
    assert!(world.authorize(&user("ann", &["team"]), pods).is_ok());
    assert!(world.authorize(&user("ann", &["team"]), secrets).is_err());
    assert!(
        world
            .authorize(&user("eve", &["system:masters"]), secrets)
            .is_ok()
    );
    let other = user("system:serviceaccount:shop:robot", &[]);
    assert_eq!(world.authorize(&other, secrets), Err(String::new()));
}

#[test]
fn a_role_that_is_not_there_is_named() {
    let pods = asked("list", "pods", "", "default");
    assert_eq!(
        world().authorize(&user("bob", &[]), pods).unwrap_err(),
        "rbac: RBAC: role.rbac.authorization.k8s.io \"gone\" not found"
    );
}

#[test]
fn everybody_may_read_the_documents() {
    let world = world();
    let path = |user: &User, path: &str| world.authorize_path(user, "get", path).is_some();
    assert!(path(&user("ann", &[]), "/openapi/v3"));
    assert!(path(&user("system:anonymous", &[]), "/version"));
    assert!(!path(&user("system:anonymous", &[]), "/apis"));
    assert!(!path(&user("ann", &[]), "/metrics"));
}
