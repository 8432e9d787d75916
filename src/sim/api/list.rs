//! Lists: all of a resource at one version, whole or page by page.

use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use super::asked::Asked;
use super::form::{self, Form, Item};
use super::options::{At, ListOptions, too_large};
use super::select::Selector;
use super::{Answer, table};
use crate::sim::Sim;
use crate::sim::status::Failure;
use crate::sim::store::{Key, Store};

/// One page, or the whole.
#[derive(Debug)]
struct Page {
    version: u64,
    objects: Vec<Arc<Value>>,
    /// Where the next page begins.
    next: Option<String>,
    left: usize,
}

pub(super) fn answer(sim: &Sim, asked: &Asked) -> Answer {
    let form = form::accepted(asked)?;
    let options = ListOptions::of(&asked.query)?;
    let selector = selector(asked)?;
    let page = sim.with(|world| page(world.store(), asked, &options, &selector))?;
    let meta = meta(asked, &page, &selector);
    Ok(body(sim, asked, form, meta, &page.objects))
}

pub(super) fn selector(asked: &Asked) -> Result<Selector, Failure> {
    let query = &asked.query;
    let labels = query.get("labelSelector");
    let mut selector = Selector::of(asked.resource, labels, query.get("fieldSelector"))?;
    selector.only_name(&asked.name);
    Ok(selector)
}

fn page(
    store: &Store,
    asked: &Asked,
    options: &ListOptions,
    selector: &Selector,
) -> Result<Page, Failure> {
    let (version, start) = match &options.token {
        Some(token) => continued(asked, token, store.version())?,
        None => (wanted(options.at, store.version())?, None),
    };
    let gone = || match &options.token {
        Some(_) => expired_token(asked, start.as_ref()),
        None => Failure::expired("The resourceVersion for the provided list is too old."),
    };
    let all = store
        .list_at(asked.resource, asked.namespace.as_deref(), version)
        .ok_or_else(gone)?;
    let mut page = Page {
        version,
        objects: Vec::new(),
        next: None,
        left: 0,
    };
    for (key, object) in all {
        if start.as_ref().is_some_and(|start| key < *start) || !selector.matches(&object) {
            continue;
        }
        if options.limit == 0 || page.objects.len() < options.limit {
            page.objects.push(object);
            continue;
        }
        page.next.get_or_insert_with(|| path(&key));
        page.left += 1;
    }
    Ok(page)
}

/// The version that a list is read at.
fn wanted(at: At, current: u64) -> Result<u64, Failure> {
    match at {
        At::Now => Ok(current),
        At::NotOlder(version) if version > current => Err(too_large(version, current)),
        At::NotOlder(_) => Ok(current),
        At::Exactly(version) if version > current => Err(too_large(version, current)),
        At::Exactly(version) => Ok(version),
    }
}

/// Where an object is in the order of a list.
fn path(key: &Key) -> String {
    match &key.namespace {
        Some(namespace) => format!("/{namespace}/{}", key.name),
        None => format!("/{}", key.name),
    }
}

fn token(asked: &Asked, version: i64, next: &str) -> String {
    // Within a namespace the server leaves it out.
    let skip = asked.namespace.as_ref().map_or(0, |ns| ns.len() + 1);
    let start = next.get(skip..).unwrap_or_default();
    let token = json!({"v": "meta.k8s.io/v1", "rv": version, "start": start});
    STANDARD_NO_PAD.encode(token.to_string())
}

/// The version and the beginning that a token tells.
fn continued(asked: &Asked, token: &str, current: u64) -> Result<(u64, Option<Key>), Failure> {
    let bad = |why: String| {
        Failure::bad_request(format!(
            "invalid continue token: continue key is not valid: {why}"
        ))
    };
    let plain = token.trim_end_matches('=');
    let bytes = URL_SAFE_NO_PAD
        .decode(plain)
        .or_else(|_| STANDARD_NO_PAD.decode(plain))
        .map_err(|why| bad(why.to_string()))?;
    let json: Value = serde_json::from_slice(&bytes).map_err(|why| bad(why.to_string()))?;
    let start = json["start"].as_str().unwrap_or_default();
    let start = start.trim_end_matches('\0').trim_start_matches('/');
    let (namespace, name) = match &asked.namespace {
        Some(namespace) => (Some(namespace.clone()), start),
        None => match start.split_once('/') {
            Some((namespace, name)) => (Some(namespace.to_owned()), name),
            None => (None, start),
        },
    };
    let start = Key {
        resource: asked.resource,
        namespace,
        name: name.to_owned(),
    };

    let version = match json["rv"].as_i64() {
        Some(version) if version > 0 => version.unsigned_abs(),
        // Goes on with what is there now, after the state of the first page was lost.
        _ => current,
    };
    Ok((version, Some(start)))
}

fn expired_token(asked: &Asked, start: Option<&Key>) -> Failure {
    let start = start.map(path).unwrap_or_default();
    Failure::expired("The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.")
        .continuing(token(asked, -1, &start))
}

fn meta(asked: &Asked, page: &Page, selector: &Selector) -> Value {
    let mut meta = json!({"resourceVersion": page.version.to_string()});
    if let Some(next) = &page.next {
        let version = i64::try_from(page.version).unwrap_or(i64::MAX);
        meta["continue"] = json!(token(asked, version, next));
        if selector.is_all() {
            meta["remainingItemCount"] = json!(page.left);
        }
    }
    meta
}

fn body(sim: &Sim, asked: &Asked, form: Form, meta: Value, objects: &[Arc<Value>]) -> Response {
    let resource = asked.resource;
    match form {
        Form::Table(rows) => {
            let objects: Vec<&Value> = objects.iter().map(|object| &**object).collect();
            super::json(
                200,
                &table::table(resource, &objects, rows, meta, sim.clock().now()),
            )
        }
        Form::Metadata => {
            let items: Vec<Value> = objects
                .iter()
                .map(|object| form::metadata(object))
                .collect();
            super::json(
                200,
                &json!({
                    "kind": "PartialObjectMetadataList",
                    "apiVersion": "meta.k8s.io/v1",
                    "metadata": meta,
                    "items": items,
                }),
            )
        }
        Form::Whole => {
            let head = format!(
                "{{\"kind\":\"{}List\",\"apiVersion\":\"{}\",\"metadata\":{meta},\"items\":",
                resource.kind,
                resource.api_version()
            );
            // Written as they are: lists of thousands would be copied otherwise.
            let items: Vec<Item<'_>> = objects.iter().map(|object| Item(object)).collect();
            let items = serde_json::to_string(&items).unwrap_or_else(|_| "[]".to_owned());
            let body = format!("{head}{items}}}\n");
            super::typed(200, "application/json", Body::from(body))
        }
    }
}
