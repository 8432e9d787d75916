//! Patches in the four forms that the API server takes.

pub(crate) mod apply;
mod strategic;

use serde_json::Value;

use super::status::Failure;
use super::store::Key;

/// What a patch says.
#[derive(Debug, Clone)]
pub(crate) enum Patch {
    /// Operations (RFC 6902).
    Json(json_patch::Patch),
    /// What to set, and null for what to remove (RFC 7386).
    Merge(Value),
    /// The same, with lists merged by what tells their items apart.
    Strategic(Value),
    /// All that a manager wants to be so.
    Apply(Value),
    /// The whole.
    Replace(Value),
}

impl Patch {
    pub(crate) fn parse(media: &str, body: &[u8]) -> Result<Self, Failure> {
        let media = media.split(';').next().unwrap_or_default().trim();
        let value = || {
            serde_json::from_slice::<Value>(body)
                .map_err(|_| Failure::bad_request("invalid JSON patch"))
        };
        match media {
            "application/json-patch+json" => operations(body).map(Self::Json),
            "application/merge-patch+json" => value().map(Self::Merge),
            "application/strategic-merge-patch+json" => value().map(Self::Strategic),
            "application/apply-patch+yaml" | "application/apply-patch+json" => {
                serde_saphyr::from_slice(body)
                    .map(Self::Apply)
                    .map_err(|why| Failure::bad_request(format!("error decoding YAML: {why}")))
            }
            _ => {
                let failure =
                    Failure::new(415, "UnsupportedMediaType", "415: Unsupported Media Type");
                Err(failure.with_details(serde_json::json!({})))
            }
        }
    }

    /// What an object becomes by it.
    pub(crate) fn applied(&self, key: &Key, live: &Value) -> Result<Value, Failure> {
        let mut object = live.clone();
        match self {
            Self::Json(patch) => {
                json_patch::patch(&mut object, patch).map_err(|_| {
                    let message = "the server rejected our request due to an error in our request";
                    Failure::new(422, "Invalid", message).with_details(serde_json::json!({}))
                })?;
            }
            Self::Merge(patch) => json_patch::merge(&mut object, patch),
            Self::Strategic(patch) => strategic::merge(key.resource, &mut object, patch)?,
            Self::Apply(config) | Self::Replace(config) => object = config.clone(),
        }
        if object.is_object() {
            Ok(object)
        } else {
            Err(Failure::bad_request(
                "cannot unmarshal a patched object that is no object",
            ))
        }
    }
}

/// The operations of a JSON patch, or what the server says of a body that holds none.
fn operations(body: &[u8]) -> Result<json_patch::Patch, Failure> {
    let parsed = serde_json::from_slice(body);
    parsed.map_err(|why| {
        let is_object = serde_json::from_slice::<Value>(body).is_ok_and(|v| v.is_object());
        let why = if is_object {
            "json: cannot unmarshal object into Go value of type jsonpatch.Patch".to_owned()
        } else {
            why.to_string()
        };
        Failure::bad_request(format!("error decoding patch: {why}"))
    })
}

#[cfg(test)]
mod tests;
