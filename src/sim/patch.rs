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
        let unreadable =
            |why: serde_json::Error| Failure::bad_request(format!("error decoding patch: {why}"));
        let value = || serde_json::from_slice::<Value>(body).map_err(unreadable);
        match media {
            "application/json-patch+json" => serde_json::from_slice(body)
                .map(Self::Json)
                .map_err(unreadable),
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
                json_patch::patch(&mut object, patch).map_err(|why| {
                    Failure::new(
                        422,
                        "Invalid",
                        format!(
                            "the server rejected our request due to an error in our request: {why}"
                        ),
                    )
                    .with_details(serde_json::json!({}))
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

#[cfg(test)]
mod tests;
