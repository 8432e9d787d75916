//! The roles that a cluster has from the beginning, as far as they are about what is served here.

use serde_json::{Value, json};

use super::GROUP;
use crate::sim::object;
use crate::sim::store::Write;
use crate::sim::world::World;

/// What `cluster-admin` may do.
pub(super) fn everything() -> Vec<Value> {
    vec![
        json!({"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}),
        json!({"nonResourceURLs": ["*"], "verbs": ["*"]}),
    ]
}

fn paths(paths: &[&str]) -> Value {
    json!({"nonResourceURLs": paths, "verbs": ["get"]})
}

/// What `view` may read: no Secrets.
fn reading() -> Vec<Value> {
    let rule = |group: &str, resources: &[&str]| json!({"apiGroups": [group], "resources": resources, "verbs": ["get", "list", "watch"]});
    vec![
        rule(
            "",
            &[
                "configmaps",
                "events",
                "namespaces",
                "pods",
                "pods/log",
                "pods/status",
                "resourcequotas",
                "serviceaccounts",
                "services",
            ],
        ),
        rule(
            "apps",
            &[
                "controllerrevisions",
                "daemonsets",
                "deployments",
                "deployments/scale",
                "replicasets",
                "replicasets/scale",
                "statefulsets",
                "statefulsets/scale",
            ],
        ),
        rule("autoscaling", &["horizontalpodautoscalers"]),
        rule("discovery.k8s.io", &["endpointslices"]),
        rule("policy", &["poddisruptionbudgets"]),
    ]
}

/// What `edit` may do besides.
fn writing() -> Vec<Value> {
    let rule = |group: &str, resources: &[&str], verbs: &[&str]| json!({"apiGroups": [group], "resources": resources, "verbs": verbs});
    let write = ["create", "delete", "deletecollection", "patch", "update"];
    vec![
        rule(
            "",
            &["pods/exec", "pods/proxy", "secrets"],
            &["get", "list", "watch"],
        ),
        rule(
            "",
            &[
                "configmaps",
                "events",
                "pods",
                "pods/exec",
                "pods/proxy",
                "secrets",
                "serviceaccounts",
                "services",
            ],
            &write,
        ),
        rule("", &["pods/eviction"], &["create"]),
        rule(
            "apps",
            &[
                "daemonsets",
                "deployments",
                "deployments/scale",
                "replicasets",
                "replicasets/scale",
                "statefulsets",
                "statefulsets/scale",
            ],
            &write,
        ),
        rule("autoscaling", &["horizontalpodautoscalers"], &write),
        rule("policy", &["poddisruptionbudgets"], &write),
    ]
}

/// Each role with its rules, and the groups that it is bound to.
fn roles() -> Vec<(&'static str, Vec<Value>, &'static [&'static str])> {
    let reviews = ["selfsubjectaccessreviews", "selfsubjectrulesreviews"];
    let basic = vec![
        json!({"apiGroups": ["authorization.k8s.io"], "resources": reviews, "verbs": ["create"]}),
        json!({"apiGroups": ["authentication.k8s.io"], "resources": ["selfsubjectreviews"], "verbs": ["create"]}),
    ];
    let health = ["/healthz", "/livez", "/readyz", "/version", "/version/"];
    let mut documents = vec![
        "/api",
        "/api/*",
        "/apis",
        "/apis/*",
        "/openapi",
        "/openapi/*",
    ];
    documents.extend(health);
    documents.sort_unstable();
    let edit = || [reading(), writing()].concat();
    let own = json!({"apiGroups": [GROUP], "resources": ["rolebindings", "roles"], "verbs": ["*"]});
    vec![
        ("cluster-admin", everything(), &[super::MASTERS]),
        ("admin", [edit(), vec![own]].concat(), &[]),
        ("edit", edit(), &[]),
        ("view", reading(), &[]),
        ("system:basic-user", basic, &["system:authenticated"]),
        (
            "system:discovery",
            vec![paths(&documents)],
            &["system:authenticated"],
        ),
        (
            "system:public-info-viewer",
            vec![paths(&health)],
            &["system:authenticated", "system:unauthenticated"],
        ),
    ]
}

impl World {
    /// Makes the roles, and binds them.
    pub(crate) fn furnish_roles(&mut self) {
        let write = Write::by("kube-apiserver", self.now);
        let meta = |name: &str| {
            json!({
                "name": name,
                "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"},
                "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"},
            })
        };
        let version = format!("{GROUP}/v1");
        for (name, rules, groups) in roles() {
            let role = json!({
                "apiVersion": version, "kind": "ClusterRole", "metadata": meta(name), "rules": rules,
            });
            let key = object::key("clusterroles", "", name);
            let _ = self.store.create(&key, role, &write);
            if groups.is_empty() {
                continue;
            }
            let subject = |group: &&str| json!({"apiGroup": GROUP, "kind": "Group", "name": group});
            let binding = json!({
                "apiVersion": version,
                "kind": "ClusterRoleBinding",
                "metadata": meta(name),
                "roleRef": {"apiGroup": GROUP, "kind": "ClusterRole", "name": name},
                "subjects": groups.iter().map(subject).collect::<Vec<_>>(),
            });
            let key = object::key("clusterrolebindings", "", name);
            let _ = self.store.create(&key, binding, &write);
        }
    }
}
