//! Reviews of one's own rights.

use axum::http::Method;
use serde_json::{Value, json};

use super::access::Who;
use super::{Answer, not_allowed, unknown};
use crate::sim::rbac::Deed;
use crate::sim::status::Failure;
use crate::sim::{Rights, Sim};

pub(super) fn answer(sim: &Sim, path: &str, method: &Method, body: &[u8], who: &Who) -> Answer {
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
    if review == "selfsubjectrulesreviews" {
        let namespace = object["spec"]["namespace"].as_str().unwrap_or_default();
        let status = match who {
            Who::Owner => rules(&sim.rights()),
            Who::Other(user) => sorted(sim.with(|world| world.rules_of(user, namespace))),
        };
        object["kind"] = json!("SelfSubjectRulesReview");
        object["spec"] = json!({});
        object["status"] = status;
    } else {
        object["kind"] = json!("SelfSubjectAccessReview");
        object["status"] = access(sim, who, &object["spec"])?;
    }
    Ok(super::json(201, &object))
}

/// Rules about resources, and about paths.
fn sorted(rules: Vec<Value>) -> Value {
    let of_path = |rule: &Value| rule.get("nonResourceURLs").is_some();
    let (paths, resources): (Vec<Value>, Vec<Value>) = rules.into_iter().partition(of_path);
    json!({"resourceRules": resources, "nonResourceRules": paths, "incomplete": false})
}

fn access(sim: &Sim, who: &Who, spec: &Value) -> Result<Value, Failure> {
    let attributes = &spec["resourceAttributes"];
    if attributes.is_null() && spec["nonResourceAttributes"].is_null() {
        const WHY: &str = "Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified";
        let message = format!(".authorization.k8s.io \"\" is invalid: spec: {WHY}");
        let details = json!({
            "group": "authorization.k8s.io",
                        "causes": [{
                "reason": "FieldValueInvalid",
                "message": WHY,
                "field": "spec",
            }],
        });
        return Err(Failure::new(422, "Invalid", message).with_details(details));
    }
    let told = |may: Result<String, String>| {
        let allowed = may.is_ok();
        let why = may.unwrap_or_else(|why| why);
        match why.as_str() {
            "" => json!({"allowed": allowed}),
            why => json!({"allowed": allowed, "reason": why}),
        }
    };
    let text = |of: &'static str, name: &str| spec[of][name].as_str().unwrap_or_default();
    if attributes.is_null() {
        let of = "nonResourceAttributes";
        let may = match who {
            Who::Owner => Some(String::new()),
            Who::Other(user) => {
                sim.with(|world| world.authorize_path(user, text(of, "verb"), text(of, "path")))
            }
        };
        return Ok(told(may.ok_or_else(String::new)));
    }
    let text = |name: &str| text("resourceAttributes", name);
    let resource = match text("subresource") {
        "" => text("resource").to_owned(),
        sub => format!("{}/{sub}", text("resource")),
    };
    let deed = Deed {
        verb: text("verb"),
        group: text("group"),
        resource: &resource,
        name: text("name"),
        namespace: Some(text("namespace")).filter(|namespace| !namespace.is_empty()),
    };
    Ok(told(who.may(sim, deed)))
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
        let reviews = json!({
            "verbs": ["create"],
            "apiGroups": ["authorization.k8s.io"],
            "resources": ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
        });
        Value::Array(all.chain([reviews]).collect())
    };
    json!({
        "resourceRules": if rights.is_everything() { everything } else { some() },
        "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
        "incomplete": false,
    })
}
