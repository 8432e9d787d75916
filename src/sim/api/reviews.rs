//! The rights of who asks: reviewed, and held to.

use axum::http::Method;
use serde_json::{Value, json};

use super::asked::Asked;
use super::{Answer, not_allowed, unknown};
use crate::sim::status::Failure;
use crate::sim::{Rights, Sim};

/// Who asks: there are no logins here.
const USER: &str = "sim";

/// Fails where a right is missing.
pub(super) fn allowed(sim: &Sim, asked: &Asked) -> Result<(), Failure> {
    let rights = sim.rights();
    let resource = match &asked.subresource {
        Some(sub) => format!("{}/{sub}", asked.resource.plural),
        None => asked.resource.plural.to_owned(),
    };
    let denied =
        |verb: &str| (!rights.allows(verb, &resource)).then(|| refusal(asked, verb, &resource));
    let mut found = denied(asked.verb);
    // A WebSocket begins with a GET, and is a create all the same.
    if found.is_none() && resource == "pods/exec" {
        found = denied("create");
    }
    found.map_or(Ok(()), Err)
}

fn refusal(asked: &Asked, verb: &str, resource: &str) -> Failure {
    let qualified = asked.resource.qualified();
    let what = match asked.name.as_str() {
        "" => qualified,
        name => format!("{qualified} {name:?}"),
    };
    let place = match &asked.namespace {
        Some(namespace) => format!("in the namespace {namespace:?}"),
        None => "at the cluster scope".to_owned(),
    };
    let group = asked.resource.group;
    let message = format!(
        "{what} is forbidden: User {USER:?} cannot {verb} resource {resource:?} in API group {group:?} {place}"
    );
    let mut details = json!({"kind": asked.resource.plural});
    if !asked.name.is_empty() {
        details["name"] = json!(asked.name);
    }
    if !group.is_empty() {
        details["group"] = json!(group);
    }
    Failure::new(403, "Forbidden", message).with_details(details)
}

pub(super) fn answer(sim: &Sim, path: &str, method: &Method, body: &[u8]) -> Answer {
    let review = path.rsplit('/').next().unwrap_or_default();
    if !matches!(
        review,
        "selfsubjectaccessreviews" | "selfsubjectrulesreviews"
    ) {
        return Err(unknown());
    }
    if method != Method::POST {
        return Err(not_allowed());
    }
    let mut object: Value =
        serde_json::from_slice(body).map_err(|why| Failure::bad_request(why.to_string()))?;
    object["apiVersion"] = json!("authorization.k8s.io/v1");
    if !object["metadata"].is_object() {
        object["metadata"] = json!({});
    }
    let rights = sim.rights();
    if review == "selfsubjectrulesreviews" {
        object["kind"] = json!("SelfSubjectRulesReview");
        object["spec"] = json!({});
        object["status"] = rules(&rights);
    } else {
        object["kind"] = json!("SelfSubjectAccessReview");
        object["status"] = access(&rights, &object["spec"])?;
    }
    Ok(super::json(201, &object))
}

fn access(rights: &Rights, spec: &Value) -> Result<Value, Failure> {
    let attributes = &spec["resourceAttributes"];
    if attributes.is_null() && spec["nonResourceAttributes"].is_null() {
        const WHY: &str = "Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified";
        let message = format!(
            "SelfSubjectAccessReview.authorization.k8s.io \"\" is invalid: spec.resourceAttributes: {WHY}"
        );
        let details = json!({
            "group": "authorization.k8s.io",
            "kind": "SelfSubjectAccessReview",
            "causes": [{
                "reason": "FieldValueInvalid",
                "message": WHY,
                "field": "spec.resourceAttributes",
            }],
        });
        return Err(Failure::new(422, "Invalid", message).with_details(details));
    }
    if attributes.is_null() {
        return Ok(json!({"allowed": true}));
    }
    let text = |name: &str| attributes[name].as_str().unwrap_or_default();
    let resource = match text("subresource") {
        "" => text("resource").to_owned(),
        sub => format!("{}/{sub}", text("resource")),
    };
    Ok(json!({"allowed": rights.allows(text("verb"), &resource)}))
}

fn rules(rights: &Rights) -> Value {
    const VERBS: [&str; 8] = [
        "create",
        "delete",
        "deletecollection",
        "get",
        "list",
        "patch",
        "update",
        "watch",
    ];
    const BELOW: [&str; 5] = [
        "pods/log",
        "pods/exec",
        "pods/eviction",
        "pods/proxy",
        "deployments/scale",
    ];
    let rule = |verbs: &[&str], group: &str, resource: &str| json!({"verbs": verbs, "apiGroups": [group], "resources": [resource]});
    let everything = json!([rule(&["*"], "*", "*")]);
    let some = || {
        let main = crate::sim::resources::RESOURCES.iter();
        let main = main.map(|r| (r.group, r.plural));
        let below = BELOW.iter().map(|name| {
            let group = if name.starts_with("pods") { "" } else { "apps" };
            (group, *name)
        });
        let all = main.chain(below).filter_map(|(group, resource)| {
            let verbs: Vec<&str> = VERBS
                .into_iter()
                .filter(|verb| rights.allows(verb, resource))
                .collect();
            (!verbs.is_empty()).then(|| rule(&verbs, group, resource))
        });
        Value::Array(all.collect())
    };
    json!({
        "resourceRules": if rights.is_everything() { everything } else { some() },
        "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
        "incomplete": false,
    })
}
