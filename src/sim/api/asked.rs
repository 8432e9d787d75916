//! One request: which resource it is about, what it wants of it, and its parameters.

use axum::http::{HeaderMap, Method, Uri, header};
use bytes::Bytes;

use crate::sim::resources::{self, Resource};
use crate::sim::status::Failure;
use crate::sim::store::Key;

/// The parameters of a request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn of(uri: &Uri) -> Self {
        let text = uri.query().unwrap_or_default().as_bytes();
        Self(form_urlencoded::parse(text).into_owned().collect())
    }

    /// A parameter that is given, and is not empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let named = self
            .0
            .iter()
            .filter(|(n, value)| n == name && !value.is_empty());
        named.map(|(_, value)| value.as_str()).next()
    }

    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> + use<'a> {
        let named = self.0.iter().filter(move |(n, _)| n == name);
        named.map(|(_, value)| value.as_str())
    }

    /// As Go reads a switch in a query: there and not `false` or `0`.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        let mut all = self.all(name);
        all.next()
            .is_some_and(|value| !matches!(value, "false" | "0"))
    }

    /// The whole again, where there is any.
    pub(crate) fn joined(&self) -> Option<String> {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(&self.0);
        Some(query.finish()).filter(|query| !query.is_empty())
    }

    pub(crate) fn number(&self, name: &str) -> Result<Option<i64>, Failure> {
        self.get(name).map(parse_int).transpose()
    }
}

/// A number, or the complaint of Go's parser.
fn parse_int(text: &str) -> Result<i64, Failure> {
    text.parse().map_err(|_| {
        Failure::bad_request(format!(
            "strconv.ParseInt: parsing {text:?}: invalid syntax"
        ))
    })
}

/// A request as its path, method and headers tell it.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) verb: &'static str,
    pub(crate) resource: &'static Resource,
    pub(crate) namespace: Option<String>,
    /// Empty for a list, or a create.
    pub(crate) name: String,
    pub(crate) subresource: Option<String>,
    /// What follows the subresource: the path that is proxied.
    pub(crate) rest: String,
    pub(crate) query: Query,
    pub(crate) accept: String,
    pub(crate) content_type: String,
    /// The User-Agent up to its first slash.
    pub(crate) agent: String,
    pub(crate) body: Bytes,
}

/// Where a path leads.
pub(crate) enum Place {
    /// To a resource, and what is below it.
    Resource(Box<Asked>),
    /// To a group that is served, and nothing in it.
    Unknown,
    Nowhere,
}

pub(crate) fn place(method: &Method, uri: &Uri, headers: &HeaderMap, body: Bytes) -> Place {
    let decoded = percent_decoded(uri.path());
    let words: Vec<&str> = decoded.split('/').filter(|w| !w.is_empty()).collect();
    let (group, version, rest) = match words.as_slice() {
        ["api", version, rest @ ..] => ("", *version, rest),
        ["apis", group, version, rest @ ..] => (*group, *version, rest),
        _ => return Place::Nowhere,
    };
    if !super::discovery::serves(group, version) {
        return Place::Nowhere;
    }
    let (namespace, rest) = match rest {
        // A namespace itself, or a part of it.
        ["namespaces"] | ["namespaces", _] | ["namespaces", _, "status" | "finalize"] => {
            (None, rest)
        }
        ["namespaces", namespace, rest @ ..] => (Some((*namespace).to_owned()), rest),
        _ => (None, rest),
    };
    let [plural, rest @ ..] = rest else {
        return Place::Unknown;
    };
    let Some(resource) = resources::in_path(group, version, plural) else {
        return Place::Unknown;
    };
    if namespace.is_some() && !resource.namespaced {
        return Place::Unknown;
    }
    let query = Query::of(uri);
    let text = |name| {
        let value = headers.get(name).and_then(|v| v.to_str().ok());
        value.unwrap_or_default().to_owned()
    };
    let agent = text(header::USER_AGENT);
    let name = rest.first().copied().unwrap_or_default().to_owned();
    let verb = verb(method, name.is_empty(), &query);
    Place::Resource(Box::new(Asked {
        verb,
        resource,
        namespace,
        name,
        subresource: rest.get(1).map(|s| (*s).to_owned()),
        rest: rest.get(2..).unwrap_or_default().join("/"),
        query,
        accept: text(header::ACCEPT),
        content_type: text(header::CONTENT_TYPE),
        agent: agent.split('/').next().unwrap_or_default().to_owned(),
        body,
    }))
}

fn verb(method: &Method, all: bool, query: &Query) -> &'static str {
    match (method.as_str(), all) {
        ("GET" | "HEAD", true) if query.is_on("watch") => "watch",
        ("GET" | "HEAD", true) => "list",
        ("GET" | "HEAD", false) => "get",
        ("POST", _) => "create",
        ("PUT", _) => "update",
        ("PATCH", _) => "patch",
        ("DELETE", true) => "deletecollection",
        ("DELETE", false) => "delete",
        _ => "",
    }
}

fn percent_decoded(path: &str) -> String {
    // The decoder of forms, which takes a plus for a space; a path means the plus.
    let escaped = path
        .replace('+', "%2B")
        .replace('=', "%3D")
        .replace('&', "%26");
    let pair = form_urlencoded::parse(escaped.as_bytes()).next();
    pair.map_or_else(String::new, |(name, _)| name.into_owned())
}

impl Asked {
    pub(crate) fn key(&self) -> Key {
        Key {
            resource: self.resource,
            namespace: self.namespace.clone(),
            name: self.name.clone(),
        }
    }

    /// Who writes: the parameter, or the program that asks.
    pub(crate) fn manager(&self) -> &str {
        match self.query.get("fieldManager") {
            Some(manager) => manager,
            None if self.agent.is_empty() => "unknown",
            None => &self.agent,
        }
    }

    /// Whether all is to be done but the storing. The options' kind is named where that is said wrongly.
    pub(crate) fn dry_run(&self, options: &str) -> Result<bool, Failure> {
        let said: Vec<&str> = self.query.all("dryRun").filter(|v| !v.is_empty()).collect();
        super::options::dry_run(&said, options)
    }
}
