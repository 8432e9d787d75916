//! The body of a write as the API's types take it in: texts that must be texts, fields that are not known dropped, or refused where
//! the request is strict.

use base64::engine::general_purpose::STANDARD;
use base64::{DecodeError, Engine as _};
use serde_json::Value;

use super::asked::Asked;
use crate::sim::resources::Resource;
use crate::sim::status::Failure;

/// The fields of a kind, beside what all have.
fn fields(resource: &Resource) -> &'static [&'static str] {
    match resource.kind {
        "ConfigMap" => &["data", "binaryData", "immutable"],
        "Secret" => &["data", "stringData", "immutable", "type"],
        "Event" => &[
            "involvedObject",
            "reason",
            "message",
            "source",
            "firstTimestamp",
            "lastTimestamp",
            "count",
            "type",
            "eventTime",
            "series",
            "action",
            "related",
            "reportingComponent",
            "reportingInstance",
        ],
        "EndpointSlice" => &["addressType", "endpoints", "ports"],
        "ControllerRevision" => &["data", "revision"],
        "ServiceAccount" => &[
            "secrets",
            "imagePullSecrets",
            "automountServiceAccountToken",
        ],
        "Lease" => &["spec"],
        "Role" => &["rules"],
        "ClusterRole" => &["rules", "aggregationRule"],
        "RoleBinding" | "ClusterRoleBinding" => &["roleRef", "subjects"],
        _ => &["spec", "status"],
    }
}

/// Fails as the server's decoder does, and leaves out what it does not know.
pub(super) fn decode(asked: &Asked, object: &mut Value) -> Result<(), Failure> {
    let resource = asked.resource;
    let version = resource.api_version();
    let version = version.rsplit('/').next().unwrap_or_default();
    let refused = |why: &str| {
        Failure::bad_request(format!(
            "{} in version {version:?} cannot be handled as a {}: {why}",
            resource.kind, resource.kind
        ))
    };
    let texts: &[&str] = match resource.kind {
        "ConfigMap" => &["/data", "/binaryData"],
        "Secret" => &["/data", "/stringData"],
        _ => &[],
    };
    for at in ["/metadata/labels", "/metadata/annotations"]
        .iter()
        .chain(texts)
    {
        let map = object.pointer(at).and_then(Value::as_object);
        let wrong = map
            .into_iter()
            .flatten()
            .find_map(|(_, value)| no_text(value));
        if let Some(what) = wrong {
            let field = at.trim_start_matches('/').replace('/', ".");
            let owner = if field.starts_with("metadata") {
                "ObjectMeta"
            } else {
                resource.kind
            };
            return Err(refused(&format!(
                "json: cannot unmarshal {what} into Go struct field {owner}.{field} of type string"
            )));
        }
    }
    if let Some(at) = no_base64(resource, object) {
        return Err(refused(&format!("illegal base64 data at input byte {at}")));
    }
    let known = fields(resource);
    let Some(map) = object.as_object_mut() else {
        return Err(refused("json: cannot unmarshal a value that is no object"));
    };
    let is_known =
        |name: &str| ["apiVersion", "kind", "metadata"].contains(&name) || known.contains(&name);
    let unknown: Vec<String> = map
        .keys()
        .filter(|name| !is_known(name))
        .map(|name| format!("unknown field {name:?}"))
        .collect();
    if !unknown.is_empty() && asked.query.get("fieldValidation") == Some("Strict") {
        return Err(refused(&format!(
            "strict decoding error: {}",
            unknown.join(", ")
        )));
    }
    map.retain(|name, _| is_known(name));
    Ok(())
}

/// Where the first value that should be base64 is none.
fn no_base64(resource: &Resource, object: &Value) -> Option<usize> {
    let field = match resource.kind {
        "Secret" => "data",
        "ConfigMap" => "binaryData",
        _ => return None,
    };
    let values = object[field].as_object().into_iter().flatten();
    let texts = values.filter_map(|(_, value)| value.as_str());
    texts
        .into_iter()
        .find_map(|text| match STANDARD.decode(text) {
            Ok(_) => None,
            Err(
                DecodeError::InvalidByte(at, _) | DecodeError::InvalidLastSymbol { offset: at, .. },
            ) => Some(at),
            Err(_) => Some(text.len()),
        })
}

/// What a value is that should be a text.
fn no_text(value: &Value) -> Option<&'static str> {
    match value {
        Value::String(_) | Value::Null => None,
        Value::Number(_) => Some("number"),
        Value::Bool(_) => Some("bool"),
        Value::Array(_) => Some("array"),
        Value::Object(_) => Some("object"),
    }
}
