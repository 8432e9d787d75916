//! Who asks, and whether the one may: whoever is impersonated by roles, anybody else but for what a test takes away.

use axum::http::HeaderMap;
use serde_json::json;

use super::asked::Asked;
use crate::sim::Sim;
use crate::sim::rbac::{Deed, User};
use crate::sim::status::Failure;

/// Who asks: there are no logins here.
const USER: &str = "sim";

#[derive(Debug, Clone)]
pub(super) enum Who {
    /// The one who plays with the cluster.
    Owner,
    /// Somebody in whose name is asked.
    Other(User),
}

impl Who {
    /// Fails where nobody may be impersonated.
    pub(super) fn of(sim: &Sim, headers: &HeaderMap) -> Result<Self, Failure> {
        let text = |value: &axum::http::HeaderValue| value.to_str().ok().map(str::to_owned);
        let Some(name) = headers.get("impersonate-user").and_then(text) else {
            return Ok(Self::Owner);
        };
        if !sim.rights().allows("impersonate", "users") {
            let message = format!(
                "users {name:?} is forbidden: User {USER:?} cannot impersonate resource \"users\" in API group \"\" at the cluster scope"
            );
            let details = json!({"name": name, "kind": "users"});
            return Err(Failure::new(403, "Forbidden", message).with_details(details));
        }
        let groups = headers.get_all("impersonate-group").iter();
        let groups = groups.filter_map(text).collect();
        Ok(Self::Other(User::new(&name, groups)))
    }

    fn name(&self) -> &str {
        match self {
            Self::Owner => USER,
            Self::Other(user) => &user.name,
        }
    }

    /// By what it may be done; or why not, where there is more to say.
    pub(super) fn may(&self, sim: &Sim, deed: Deed<'_>) -> Result<String, String> {
        match self {
            Self::Owner if sim.rights().allows(deed.verb, deed.resource) => Ok(String::new()),
            Self::Owner => Err(String::new()),
            Self::Other(user) => sim.with(|world| world.authorize(user, deed)),
        }
    }
}

/// Fails where a right is missing.
pub(super) fn allowed(sim: &Sim, asked: &Asked, who: &Who) -> Result<(), Failure> {
    let resource = match &asked.subresource {
        Some(sub) => format!("{}/{sub}", asked.resource.plural),
        None => asked.resource.plural.to_owned(),
    };
    let check = |verb: &'static str| {
        let deed = Deed {
            verb,
            group: asked.resource.group,
            resource: &resource,
            name: &asked.name,
            namespace: place(asked),
        };
        who.may(sim, deed)
            .map_err(|why| refusal(asked, deed, who.name(), &why))
    };
    check(asked.verb)?;
    // A WebSocket begins with a GET, and is a create all the same.
    if resource == "pods/exec" {
        check("create")?;
    }
    Ok(())
}

/// The namespace of a request; a namespace is in itself.
fn place(asked: &Asked) -> Option<&str> {
    let itself = (asked.resource.kind == "Namespace").then_some(asked.name.as_str());
    let itself = itself.filter(|name| !name.is_empty());
    asked.namespace.as_deref().or(itself)
}

fn refusal(asked: &Asked, deed: Deed<'_>, user: &str, why: &str) -> Failure {
    let qualified = asked.resource.qualified();
    let what = match asked.name.as_str() {
        "" => qualified,
        name => format!("{qualified} {name:?}"),
    };
    let place = match deed.namespace {
        Some(namespace) => format!("in the namespace {namespace:?}"),
        None => "at the cluster scope".to_owned(),
    };
    let (verb, resource, group) = (deed.verb, deed.resource, deed.group);
    let mut message = format!(
        "{what} is forbidden: User {user:?} cannot {verb} resource {resource:?} in API group {group:?} {place}"
    );
    if !why.is_empty() {
        message += &format!(": {why}");
    }
    let mut details = json!({"kind": asked.resource.plural});
    if !asked.name.is_empty() {
        details["name"] = json!(asked.name);
    }
    if !group.is_empty() {
        details["group"] = json!(group);
    }
    Failure::new(403, "Forbidden", message).with_details(details)
}
