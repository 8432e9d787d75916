//! Reads around a write: with the right to list, which the program has anyway.

use serde_json::Value;

use super::Live;
use crate::model::{Gap, GapReason};
use crate::remedy::{Write, WriteError};

/// One object as it is now, by its name.
pub(super) async fn one(
    live: &Live,
    path: &str,
    name: &str,
    write: &Write,
) -> Result<Value, WriteError> {
    let path = format!("{path}?fieldSelector=metadata.name%3D{name}");
    let body = live
        .api
        .get(&path)
        .await
        .map_err(|reason| unread(reason, write))?;
    let mut list: Value =
        serde_json::from_slice(&body).map_err(|error| WriteError::Refused(error.to_string()))?;
    match list["items"].as_array_mut().and_then(Vec::pop) {
        Some(object) => Ok(object),
        None => Err(WriteError::Gone(name.to_owned())),
    }
}

/// Nothing was sent that writes: what could not be read before is no doubt about what happened.
fn unread(reason: GapReason, write: &Write) -> WriteError {
    let right = write.right();
    WriteError::Unread(Box::new(Gap {
        verb: "list".to_owned(),
        resource: right.resource.to_owned(),
        namespace: Some(right.namespace),
        name: Some(right.name),
        reason,
    }))
}

/// The items of a list; `None` where it could not be read.
pub(super) async fn all(live: &Live, path: &str) -> Option<Vec<Value>> {
    let body = live.api.get(path).await.ok()?;
    let mut list: Value = serde_json::from_slice(&body).ok()?;
    match list["items"].take() {
        Value::Array(items) => Some(items),
        _ => None,
    }
}
