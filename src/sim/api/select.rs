//! Label selectors and field selectors.

use serde_json::Value;

use crate::sim::object;
use crate::sim::resources::Resource;
use crate::sim::status::Failure;

/// Which objects are asked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Selector {
    labels: Vec<Requirement>,
    fields: Vec<(String, bool, String)>,
}

#[derive(Debug, Clone)]
struct Requirement {
    label: String,
    how: How,
    values: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    In,
    NotIn,
    There,
    NotThere,
}

impl Selector {
    pub(crate) fn of(
        resource: &Resource,
        labels: Option<&str>,
        fields: Option<&str>,
    ) -> Result<Self, Failure> {
        Ok(Self {
            labels: parse_labels(labels.unwrap_or_default()).map_err(Failure::bad_request)?,
            fields: parse_fields(resource, fields.unwrap_or_default())?,
        })
    }

    /// Of one object alone, where the path names it: a watch of it.
    pub(crate) fn only_name(&mut self, name: &str) {
        if !name.is_empty() {
            self.fields
                .push(("metadata.name".to_owned(), true, name.to_owned()));
        }
    }

    pub(crate) fn is_all(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    pub(crate) fn matches(&self, object: &Value) -> bool {
        let labels = &object["metadata"]["labels"];
        self.labels.iter().all(|r| r.matches(labels))
            && self
                .fields
                .iter()
                .all(|(path, equal, wanted)| (field(object, path) == *wanted) == *equal)
    }
}

impl Requirement {
    fn matches(&self, labels: &Value) -> bool {
        let value = labels.get(&self.label).and_then(Value::as_str);
        let among = value.is_some_and(|value| self.values.iter().any(|v| v == value));
        match self.how {
            How::In => among,
            How::NotIn => !among,
            How::There => value.is_some(),
            How::NotThere => value.is_none(),
        }
    }
}

/// A field as selectors see it: what is not set is empty, a switch is `true` or `false`.
fn field(object: &Value, path: &str) -> String {
    let found = path.split('.').try_fold(object, |at, name| at.get(name));
    match found {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None if path == "spec.unschedulable" => "false".to_owned(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

/// Labels that are selected by, as a parameter has them.
pub(super) fn written(labels: &Value) -> String {
    let labels = object::entries(labels, "");
    let labels =
        labels.map(|(name, value)| format!("{name}={}", value.as_str().unwrap_or_default()));
    labels.collect::<Vec<_>>().join(",")
}

/// The commas that part requirements, not those within parentheses.
fn split(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let parts = text.split(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.map(str::trim).filter(|p| !p.is_empty()).collect()
}

fn parse_labels(text: &str) -> Result<Vec<Requirement>, String> {
    split(text).into_iter().map(requirement).collect()
}

fn requirement(text: &str) -> Result<Requirement, String> {
    let is = |label: &str, how, values: Vec<String>| {
        Ok(Requirement {
            label: label.trim().to_owned(),
            how,
            values,
        })
    };
    if let Some(label) = text.strip_prefix('!') {
        return is(label, How::NotThere, Vec::new());
    }
    if let Some((label, value)) = text.split_once("!=") {
        return is(label, How::NotIn, vec![value.trim().to_owned()]);
    }
    if let Some((label, value)) = text.split_once('=') {
        let value = value.strip_prefix('=').unwrap_or(value);
        return is(label, How::In, vec![value.trim().to_owned()]);
    }
    let words: Vec<&str> = text.splitn(2, char::is_whitespace).collect();
    let [label, rest] = words.as_slice() else {
        return is(text, How::There, Vec::new());
    };
    let rest = rest.trim();
    let (how, list) = match rest.strip_prefix("notin") {
        Some(list) => (How::NotIn, list),
        None => match rest.strip_prefix("in") {
            Some(list) => (How::In, list),
            None => {
                return Err(format!(
                    "unable to parse requirement: found '{rest}', expected: in, notin, =, ==, !=, gt, lt"
                ));
            }
        },
    };
    let list = list.trim();
    let Some(list) = list.strip_prefix('(').and_then(|l| l.strip_suffix(')')) else {
        return Err(format!(
            "unable to parse requirement: found '{list}' expected: '('"
        ));
    };
    let values = list.split(',').map(|v| v.trim().to_owned()).collect();
    is(label, how, values)
}

/// What can be selected by, beside name and namespace.
fn known(resource: &Resource) -> &'static [&'static str] {
    match resource.kind {
        "Pod" => &[
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "spec.hostNetwork",
            "status.phase",
            "status.podIP",
            "status.nominatedNodeName",
        ],
        "Event" => &[
            "involvedObject.kind",
            "involvedObject.namespace",
            "involvedObject.name",
            "involvedObject.uid",
            "involvedObject.apiVersion",
            "involvedObject.resourceVersion",
            "involvedObject.fieldPath",
            "reason",
            "reportingComponent",
            "source",
            "type",
        ],
        "Secret" => &["type"],
        "Node" => &["spec.unschedulable"],
        "Namespace" => &["status.phase"],
        "ReplicaSet" => &["status.replicas"],
        "Service" => &["spec.clusterIP", "spec.type"],
        _ => &[],
    }
}

fn parse_fields(resource: &Resource, text: &str) -> Result<Vec<(String, bool, String)>, Failure> {
    let parts = text.split(',').filter(|part| !part.is_empty());
    let parsed = parts.map(|part| {
        let (path, equal, value) = if let Some((path, value)) = part.split_once("!=") {
            (path, false, value)
        } else if let Some((path, value)) = part.split_once('=') {
            (path, true, value.strip_prefix('=').unwrap_or(value))
        } else {
            return Err(Failure::bad_request(format!(
                "invalid selector: '{text}'; can't understand '{part}'"
            )));
        };
        let own = known(resource);
        let meta = ["metadata.name", "metadata.namespace"].contains(&path);
        if meta || own.contains(&path) {
            return Ok((path.to_owned(), equal, value.to_owned()));
        }
        Err(Failure::bad_request(if own.is_empty() {
            format!("{path:?} is not a known field selector: only \"metadata.name\", \"metadata.namespace\"")
        } else {
            format!("field label not supported: {path}")
        }))
    });
    parsed.collect()
}
