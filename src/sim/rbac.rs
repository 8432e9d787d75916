//! Roles and their bindings: what an impersonated user may do, by which of them, and what a cluster has of them from the beginning.

mod given;

use serde_json::{Value, json};

use super::object;
use super::world::World;

pub(crate) const GROUP: &str = "rbac.authorization.k8s.io";
/// Those who may do everything.
const MASTERS: &str = "system:masters";

/// Somebody who asks in another's name.
#[derive(Debug, Clone)]
pub(crate) struct User {
    pub(crate) name: String,
    groups: Vec<String>,
}

/// What somebody wants to do.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deed<'a> {
    pub(crate) verb: &'a str,
    pub(crate) group: &'a str,
    /// With what is below it: `pods/log`.
    pub(crate) resource: &'a str,
    /// Empty for all.
    pub(crate) name: &'a str,
    pub(crate) namespace: Option<&'a str>,
}

/// A role that somebody has, or should have.
struct Held<'a> {
    rules: Option<&'a [Value]>,
    /// By which binding, for whom.
    why: String,
    /// `role.rbac.authorization.k8s.io "reader"`.
    role: String,
}

impl User {
    /// Somebody with the groups that were said, and those that go without saying.
    pub(crate) fn new(name: &str, mut groups: Vec<String>) -> Self {
        if let Some(account) = name.strip_prefix("system:serviceaccount:")
            && groups.is_empty()
        {
            let namespace = account.split(':').next().unwrap_or_default();
            groups.push("system:serviceaccounts".to_owned());
            groups.push(format!("system:serviceaccounts:{namespace}"));
        }
        let known = if name == "system:anonymous" {
            "system:unauthenticated"
        } else {
            "system:authenticated"
        };
        groups.push(known.to_owned());
        Self {
            name: name.to_owned(),
            groups,
        }
    }

    /// Whether a binding in this namespace means the user: as what.
    fn is_meant(&self, subject: &Value, namespace: &str) -> Option<String> {
        let name = object::text(subject, "/name");
        match object::text(subject, "/kind") {
            "User" if name == self.name => Some(format!("User {name:?}")),
            "Group" if self.groups.iter().any(|group| group == name) => {
                Some(format!("Group {name:?}"))
            }
            "ServiceAccount" => {
                let namespace = match object::text(subject, "/namespace") {
                    "" => namespace,
                    named => named,
                };
                let account = format!("system:serviceaccount:{namespace}:{name}");
                let told = format!("{name}/{namespace}");
                (account == self.name).then(|| format!("ServiceAccount {told:?}"))
            }
            _ => None,
        }
    }
}

impl World {
    /// By what a user may do something, in the server's words; or why not, where there is more to say than that.
    pub(crate) fn authorize(&self, user: &User, deed: Deed<'_>) -> Result<String, String> {
        if user.groups.iter().any(|group| group == MASTERS) {
            return Ok(String::new());
        }
        let mut missing = Vec::new();
        for held in self.held(user, deed.namespace) {
            match held.rules {
                Some(rules) if rules.iter().any(|rule| permits(rule, deed)) => {
                    return Ok(format!("RBAC: allowed by {}", held.why));
                }
                Some(_) => {}
                None => missing.push(format!("{} not found", held.role)),
            }
        }
        Err(match missing.as_slice() {
            [] => String::new(),
            [one] => format!("rbac: RBAC: {one}"),
            more => format!("rbac: RBAC: [{}]", more.join(", ")),
        })
    }

    /// By what a user may ask at a path that is no resource's.
    pub(crate) fn authorize_path(&self, user: &User, verb: &str, path: &str) -> Option<String> {
        if user.groups.iter().any(|group| group == MASTERS) {
            return Some(String::new());
        }
        let fits = |rule: &Value| {
            let urls = object::list(rule, "/nonResourceURLs").iter();
            names(rule, "/verbs", verb)
                && urls
                    .filter_map(Value::as_str)
                    .any(|url| match url.strip_suffix('*') {
                        Some(begin) => path.starts_with(begin),
                        None => path == url,
                    })
        };
        let all = self.held(user, None).into_iter();
        all.filter(|held| held.rules.is_some_and(|rules| rules.iter().any(fits)))
            .map(|held| format!("RBAC: allowed by {}", held.why))
            .next()
    }

    /// All rules that a user has in a namespace.
    pub(crate) fn rules_of(&self, user: &User, namespace: &str) -> Vec<Value> {
        if user.groups.iter().any(|group| group == MASTERS) {
            return given::everything();
        }
        let held = self.held(user, Some(namespace)).into_iter();
        let rules = held.filter_map(|held| held.rules);
        rules.flatten().cloned().collect()
    }

    /// The roles of a user, those of the whole cluster first.
    fn held(&self, user: &User, namespace: Option<&str>) -> Vec<Held<'_>> {
        let cluster = self
            .store
            .list(object::resource("clusterrolebindings"), None);
        let bindings = object::resource("rolebindings");
        let local = namespace.map(|namespace| self.store.list(bindings, Some(namespace)));
        let all = cluster.chain(local.into_iter().flatten());
        all.filter_map(|(key, binding)| {
            let namespace = key.namespace.as_deref().unwrap_or_default();
            let subjects = object::list(binding, "/subjects").iter();
            let meant = subjects
                .filter_map(|subject| user.is_meant(subject, namespace))
                .next()?;
            let (kind, name) = (
                object::text(binding, "/roleRef/kind"),
                object::text(binding, "/roleRef/name"),
            );
            let plural = match kind {
                "ClusterRole" => "clusterroles",
                _ => "roles",
            };
            let role = self.store.get(&object::key(plural, namespace, name));
            let told = match namespace {
                "" => key.name.clone(),
                namespace => format!("{}/{namespace}", key.name),
            };
            Some(Held {
                rules: role.map(|role| object::list(role, "/rules")),
                why: format!(
                    "{} {told:?} of {kind} {name:?} to {meant}",
                    key.resource.kind
                ),
                role: format!("{}.{GROUP} {name:?}", kind.to_lowercase()),
            })
        })
        .collect()
    }
}

/// Whether a list of a rule has a word, or a star.
fn names(rule: &Value, list: &str, word: &str) -> bool {
    let mut all = object::list(rule, list).iter().filter_map(Value::as_str);
    all.any(|one| one == "*" || one == word)
}

fn permits(rule: &Value, deed: Deed<'_>) -> bool {
    let below = deed.resource.split_once('/').map(|(_, below)| below);
    let resource = names(rule, "/resources", deed.resource)
        || below.is_some_and(|below| {
            let wanted = json!(format!("*/{below}"));
            object::list(rule, "/resources").contains(&wanted)
        });
    let only = object::list(rule, "/resourceNames");
    names(rule, "/verbs", deed.verb)
        && names(rule, "/apiGroups", deed.group)
        && resource
        && (only.is_empty() || only.contains(&json!(deed.name)))
}

#[cfg(test)]
mod tests;
