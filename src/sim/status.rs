//! Failures as the API server answers them: a Status with code, reason and message.

use serde_json::{Value, json};

use super::store::Key;

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    pub code: u16,
    /// `NotFound`, `Conflict`; empty where the server gives none.
    pub reason: &'static str,
    pub message: String,
    /// The `details` of the Status.
    pub details: Option<Value>,
    /// The token by which a list whose state is lost goes on.
    pub token: Option<String>,
}

impl Failure {
    pub fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            reason,
            message: message.into(),
            details: None,
            token: None,
        }
    }

    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    /// With a token to go on by.
    #[must_use]
    pub fn continuing(mut self, token: String) -> Self {
        self.token = Some(token);
        self
    }

    pub fn not_found(key: &Key) -> Self {
        let message = format!("{} \"{}\" not found", key.resource.qualified(), key.name);
        Self::new(404, "NotFound", message).with_details(details(key))
    }

    pub fn already_exists(key: &Key) -> Self {
        let message = format!(
            "{} \"{}\" already exists",
            key.resource.qualified(),
            key.name
        );
        Self::new(409, "AlreadyExists", message).with_details(details(key))
    }

    /// The object was changed since the version that the write names.
    pub fn conflict(key: &Key) -> Self {
        Self::conflict_because(
            key,
            "the object has been modified; please apply your changes to the latest version and try again",
        )
    }

    pub fn conflict_because(key: &Key, why: &str) -> Self {
        let message = format!(
            "Operation cannot be fulfilled on {} \"{}\": {why}",
            key.resource.qualified(),
            key.name
        );
        Self::new(409, "Conflict", message).with_details(details(key))
    }

    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// What the server no longer has: an older state, a list's continuation, a watch's beginning.
    pub fn expired(message: impl Into<String>) -> Self {
        Self::new(410, "Expired", message)
    }

    /// The body of the answer.
    pub fn status(&self) -> Value {
        let mut status = json!({
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "code": self.code,
        });
        if !self.reason.is_empty() {
            status["reason"] = json!(self.reason);
        }
        if let Some(token) = &self.token {
            status["metadata"]["continue"] = json!(token);
        }
        if let Some(details) = &self.details {
            status["details"] = details.clone();
        }
        status
    }
}

fn details(key: &Key) -> Value {
    let mut details = json!({"name": key.name, "kind": key.resource.plural});
    if !key.resource.group.is_empty() {
        details["group"] = json!(key.resource.group);
    }
    details
}
