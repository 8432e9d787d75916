//! The options of lists and writes, and how the server refuses those that it does not know.

use serde_json::json;

use super::asked::Query;
use crate::sim::status::Failure;

/// Which state of a list is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum At {
    /// The newest.
    Now,
    /// Any that is no older.
    NotOlder(u64),
    Exactly(u64),
}

/// What of a list is asked for.
#[derive(Debug, Clone)]
pub(crate) struct ListOptions {
    pub(crate) limit: usize,
    pub(crate) token: Option<String>,
    pub(crate) at: At,
}

/// The 422 for options.
fn invalid(kind: &str, field: &str, reason: &str, message: &str) -> Failure {
    let details = json!({
        "group": "meta.k8s.io",
        "kind": kind,
        "causes": [{"reason": reason, "message": message, "field": field}],
    });
    let message = format!("{kind}.meta.k8s.io \"\" is invalid: {field}: {message}");
    Failure::new(422, "Invalid", message).with_details(details)
}

fn forbidden(field: &str, why: &str) -> Failure {
    let message = format!("Forbidden: {why}");
    invalid("ListOptions", field, "FieldValueForbidden", &message)
}

impl ListOptions {
    pub(crate) fn of(query: &Query) -> Result<Self, Failure> {
        let limit = query.number("limit")?.unwrap_or(0);
        let token = query.get("continue").map(str::to_owned);
        matching(query, false)?;
        // Whatever is there already does, and that comes from a cache that knows no pages.
        let cached = query.get("resourceVersion") == Some("0");
        Ok(Self {
            limit: if cached {
                0
            } else {
                usize::try_from(limit).unwrap_or(0)
            },
            at: at(query, token.is_some())?,
            token,
        })
    }
}

/// Whether the match goes with what else is said.
pub(crate) fn matching(query: &Query, watch: bool) -> Result<(), Failure> {
    const FIELD: &str = "resourceVersionMatch";
    let how = query.get(FIELD);
    let version = query.get("resourceVersion");
    let initial = query.get("sendInitialEvents");
    if initial.is_some() && !watch {
        let why = "sendInitialEvents is forbidden for list";
        return Err(forbidden("sendInitialEvents", why));
    }
    if let Some(how) = how {
        if watch && initial.is_none() {
            return Err(forbidden(
                FIELD,
                "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
            ));
        }
        if !watch && version.is_none() {
            return Err(forbidden(
                FIELD,
                "resourceVersionMatch is forbidden unless resourceVersion is provided",
            ));
        }
        if !watch && query.get("continue").is_some() {
            return Err(forbidden(
                FIELD,
                "resourceVersionMatch is forbidden when continue is provided",
            ));
        }
        if how != "Exact" && how != "NotOlderThan" {
            let message = format!(
                "Unsupported value: {how:?}: supported values: \"Exact\", \"NotOlderThan\", \"\""
            );
            return Err(invalid(
                "ListOptions",
                FIELD,
                "FieldValueNotSupported",
                &message,
            ));
        }
        if how == "Exact" && version == Some("0") {
            return Err(forbidden(
                FIELD,
                "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
            ));
        }
    }
    if initial.is_some() && how != Some("NotOlderThan") {
        return Err(forbidden(
            FIELD,
            "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
        ));
    }
    Ok(())
}

fn at(query: &Query, continues: bool) -> Result<At, Failure> {
    let Some(text) = query.get("resourceVersion") else {
        return Ok(At::Now);
    };
    let version = version(text)
        .map_err(|why| Failure::bad_request(format!("invalid resource version: {why}")))?;
    if continues && version != 0 {
        return Err(Failure::bad_request(
            "specifying resource version is not allowed when using continue",
        ));
    }
    let limited = query.get("limit").is_some_and(|limit| limit != "0");
    Ok(match query.get("resourceVersionMatch") {
        Some("Exact") => At::Exactly(version),
        Some(_) => At::NotOlder(version),
        // As it was before there was a match: with a limit a version means exactly that one.
        None if limited && version != 0 => At::Exactly(version),
        None => At::NotOlder(version),
    })
}

/// A resourceVersion, or the complaint of the server's parser.
pub(crate) fn version(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        format!("resourceVersion: Invalid value: {text:?}: strconv.ParseUint: parsing {text:?}: invalid syntax")
    })
}

/// Whether all is to be done but the storing.
pub(crate) fn dry_run(said: &[&str], options: &str) -> Result<bool, Failure> {
    if said.iter().all(|value| *value == "All") {
        return Ok(!said.is_empty());
    }
    let message = format!(
        "Unsupported value: {}: supported values: \"All\"",
        json!(said)
    );
    Err(invalid(
        options,
        "dryRun",
        "FieldValueNotSupported",
        &message,
    ))
}

/// Fails where the manager's name is longer than names are.
pub(crate) fn manager(query: &Query, verb: &str) -> Result<(), Failure> {
    const LONGEST: usize = 128;
    if query
        .get("fieldManager")
        .is_none_or(|name| name.len() <= LONGEST)
    {
        return Ok(());
    }
    let kind = match verb {
        "create" => "CreateOptions",
        "patch" => "PatchOptions",
        _ => "UpdateOptions",
    };
    let message = format!("Too long: may not be more than {LONGEST} bytes");
    Err(invalid(kind, "fieldManager", "FieldValueTooLong", &message))
}

/// An apply must say whose it is.
pub(crate) fn no_manager() -> Failure {
    let message = "Required value: is required for apply patch";
    invalid(
        "PatchOptions",
        "fieldManager",
        "FieldValueRequired",
        message,
    )
}

/// A version that the server has not reached.
pub(crate) fn too_large(wanted: u64, current: u64) -> Failure {
    let message = format!("Timeout: Too large resource version: {wanted}, current: {current}");
    let details = json!({
        "causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}],
        "retryAfterSeconds": 1,
    });
    Failure::new(504, "Timeout", message).with_details(details)
}
