//! Manifests, in YAML or JSON: the ConfigMaps in them, with what each would hold.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::About;
use crate::model::{ConfigKind, ConfigRef, Content};

/// A manifest is no larger: a ConfigMap has a megabyte at most.
pub(super) const LARGEST: u64 = 16 << 20;

/// A ConfigMap of a manifest.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// Where it says so; else it goes where it is applied.
    pub(crate) namespace: Option<String>,
    pub(crate) name: String,
    pub(crate) content: Content,
}

/// Why it gives nothing: what is wrong, and what to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub(crate) what: String,
    pub(crate) hint: String,
}

fn wrong<T>(what: impl Into<String>, hint: &str) -> Result<T, Wrong> {
    Err(Wrong {
        what: what.into(),
        hint: hint.to_owned(),
    })
}

const EXPECTED: &str =
    "Give a manifest as `kubectl get configmap NAME -o yaml` prints it, or a capture.";
const RENDER: &str = "Render it first: `helm template …` or `kubectl kustomize DIR`, into a file.";

/// The ConfigMaps of a manifest that are in scope.
pub(super) fn in_scope(bytes: &[u8], about: &About) -> Result<Vec<(ConfigRef, Content)>, Wrong> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return wrong("it is no text in UTF-8, so no manifest", EXPECTED);
    };
    let named = config_maps(text)?;
    let mut found: Vec<(ConfigRef, Content)> = Vec::new();
    let mut elsewhere = BTreeSet::new();
    for Named {
        namespace,
        name,
        content,
    } in named
    {
        let Some(place) = namespace.clone().or_else(|| about.namespace.clone()) else {
            return wrong(
                format!("ConfigMap {name} names no namespace, and neither does -A"),
                "Give -n NAMESPACE, or write metadata.namespace into the manifest.",
            );
        };
        let config = ConfigRef::new(ConfigKind::ConfigMap, &place, &name);
        if about
            .namespace
            .as_ref()
            .is_some_and(|asked| *asked != place)
        {
            elsewhere.insert(place);
        } else if found
            .iter()
            .any(|(known, other)| *known == config && *other != content)
        {
            return wrong(
                format!("it holds ConfigMap {name} twice, with different contents"),
                "Give each content in a file of its own.",
            );
        } else {
            found.push((config, content));
        }
    }
    if found.is_empty() {
        let places: Vec<String> = elsewhere.into_iter().collect();
        return wrong(
            format!(
                "its ConfigMaps are of namespace {}, and this reads {}",
                places.join(", "),
                about.namespace.as_deref().unwrap_or_default()
            ),
            "Give the namespace with -n, or -A for all.",
        );
    }
    Ok(found)
}

/// The ConfigMaps of a manifest; there is one at least, and none is a template.
fn config_maps(text: &str) -> Result<Vec<Named>, Wrong> {
    let found = rendered(text)?;
    let braces = |named: &&Named| match &named.content {
        Content::Plain { data, .. } => data.values().any(|text| is_template(text)),
        Content::Hashed(_) => false,
    };
    if let Some(named) = found.iter().find(braces) {
        let name = &named.name;
        return wrong(
            format!("ConfigMap {name} holds braces that Helm would fill in: it is a template"),
            RENDER,
        );
    }
    Ok(found)
}

/// The ConfigMaps of a manifest that nothing needs to fill in any more.
pub(crate) fn rendered(text: &str) -> Result<Vec<Named>, Wrong> {
    let mut objects = Vec::new();
    for document in documents(text)? {
        unfold(document, &mut objects);
    }
    let mut found = Vec::new();
    let mut kinds = BTreeSet::new();
    for object in &objects {
        let Some(kind) = object.get("kind").and_then(Value::as_str) else {
            return wrong("it is no manifest: an object in it has no kind", EXPECTED);
        };
        match (kind, object.get("apiVersion").and_then(Value::as_str)) {
            ("ConfigMap", Some("v1")) => found.push(config_map(object)?),
            ("ConfigMap", version) => {
                let version = version.unwrap_or("none");
                let what = format!("its ConfigMap has the apiVersion {version}, not v1");
                return wrong(what, EXPECTED);
            }
            _ => {
                kinds.insert(kind.to_owned());
            }
        }
    }
    if !found.is_empty() {
        return Ok(found);
    }
    if kinds.contains("Kustomization") {
        return wrong("it is a Kustomization, which is no manifest yet", RENDER);
    }
    let kinds: Vec<String> = kinds.into_iter().take(5).collect();
    if kinds.is_empty() {
        return wrong("there is no object in it", EXPECTED);
    }
    // Of Secrets nothing is taken, whoever names them.
    wrong(
        format!("there is no ConfigMap in it, but {}", kinds.join(", ")),
        EXPECTED,
    )
}

/// Each document of a stream.
fn documents(text: &str) -> Result<Vec<Value>, Wrong> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with('{') {
        let stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
        if let Ok(objects) = stream.collect() {
            return Ok(objects);
        }
    }
    // To kubectl `n` is a text; only `true` and `false` are none.
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_multiple_with_options(text, options).or_else(|error| {
        if text.contains("{{") {
            return wrong("it is a template, not a manifest", RENDER);
        }
        let said = error.without_snippet().to_string();
        let said: String = said
            .lines()
            .next()
            .unwrap_or_default()
            .chars()
            .take(200)
            .collect();
        wrong(
            format!(
                "it is neither YAML nor JSON ({})",
                said.trim_end_matches('.')
            ),
            EXPECTED,
        )
    })
}

/// A list's objects in its place.
fn unfold(object: Value, all: &mut Vec<Value>) {
    let is_list = object.get("kind").and_then(Value::as_str);
    let is_list = is_list.is_some_and(|kind| kind.ends_with("List"));
    match object {
        Value::Object(mut fields) if is_list => {
            if let Some(Value::Array(items)) = fields.remove("items") {
                all.extend(items);
            }
        }
        other => all.push(other),
    }
}

fn config_map(object: &Value) -> Result<Named, Wrong> {
    let metadata = object.get("metadata");
    let field = |name: &str| metadata?.get(name)?.as_str();
    let Some(name) = field("name").filter(|name| !name.is_empty()) else {
        return wrong("a ConfigMap in it has no metadata.name", EXPECTED);
    };
    if name.contains("{{") {
        return wrong("it is a template, not a manifest", RENDER);
    }
    let data = texts(object, "data", name)?;
    let mut binary = BTreeMap::new();
    for (key, text) in texts(object, "binaryData", name)? {
        let compact: String = text.split_ascii_whitespace().collect();
        let Ok(bytes) = STANDARD.decode(compact) else {
            return wrong(
                format!("binaryData.{key} of ConfigMap {name} is no base64"),
                EXPECTED,
            );
        };
        binary.insert(key, bytes);
    }
    Ok(Named {
        namespace: field("namespace")
            .filter(|n| !n.is_empty())
            .map(str::to_owned),
        name: name.to_owned(),
        content: Content::Plain { data, binary },
    })
}

/// The values of a map, which the API server takes as text only.
fn texts(object: &Value, map: &str, name: &str) -> Result<BTreeMap<String, String>, Wrong> {
    let fields = match object.get(map) {
        None | Some(Value::Null) => return Ok(BTreeMap::new()),
        Some(Value::Object(fields)) => fields,
        Some(_) => {
            let what = format!("{map} of ConfigMap {name} is no map of keys and values");
            return wrong(what, EXPECTED);
        }
    };
    let each = fields.iter().map(|(key, value)| match value {
        Value::String(text) => Ok((key.clone(), text.clone())),
        Value::Null => Ok((key.clone(), String::new())),
        _ => wrong(
            format!("{map}.{key} of ConfigMap {name} is no text, so it was never live so"),
            "Quote the value: the API server takes text only.",
        ),
    });
    each.collect()
}

/// What only Helm fills in. Braces alone say nothing: alert rules and many other configs hold them.
fn is_template(text: &str) -> bool {
    const FILLED_IN: [&str; 5] = [".Values.", ".Release.", ".Chart.", "include \"", "tpl "];
    let braces = text.split("{{").skip(1);
    braces
        .filter_map(|rest| rest.split_once("}}"))
        .any(|(inside, _)| FILLED_IN.iter().any(|word| inside.contains(word)))
}

#[cfg(test)]
mod tests;
