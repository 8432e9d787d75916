//! As much of OpenAPI as kubectl asks for before it writes: that the server validates fields, and rehearses. There are no schemas.

use serde_json::{Map, Value, json};

use crate::sim::resources::RESOURCES;

/// Where the documents of the groups are.
pub(super) fn all(groups: &[(&'static str, &'static str)]) -> Value {
    let core = [("", "v1")];
    let paths = core.iter().chain(groups).map(|(group, version)| {
        let path = match *group {
            "" => format!("api/{version}"),
            group => format!("apis/{group}/{version}"),
        };
        let url = json!({"serverRelativeURL": format!("/openapi/v3/{path}")});
        (path, url)
    });
    json!({"paths": Value::Object(paths.collect::<Map<_, _>>())})
}

/// The document of a group: its patches, and what they may say in the query.
pub(super) fn of(group: &str, version: &str) -> Option<Value> {
    if !super::serves(group, version) {
        return None;
    }
    let parameter = |name: &str| json!({"name": name, "in": "query", "schema": {"type": "string"}});
    let parameters = ["dryRun", "fieldManager", "fieldValidation"].map(parameter);
    let here = RESOURCES
        .iter()
        .filter(|r| r.group == group && r.version == version);
    let paths = here.map(|resource| {
        let base = match group {
            "" => format!("/api/{version}"),
            group => format!("/apis/{group}/{version}"),
        };
        let place = if resource.namespaced {
            "/namespaces/{namespace}"
        } else {
            ""
        };
        let kind = json!({"group": group, "version": version, "kind": resource.kind});
        let patch = json!({
            "parameters": parameters,
            "responses": {"200": {"description": "OK"}},
            "x-kubernetes-action": "patch",
            "x-kubernetes-group-version-kind": kind,
        });
        (
            format!("{base}{place}/{}/{{name}}", resource.plural),
            json!({"patch": patch}),
        )
    });
    Some(json!({
        "openapi": "3.0.0",
        "info": {"title": "confsplit", "version": super::VERSION},
        "paths": Value::Object(paths.collect::<Map<_, _>>()),
        "components": {"schemas": {}},
    }))
}
