//! The HTTP API of the cluster in memory, in the words of a Kubernetes API server.
//!
//! - `asked` reads what a request is about, `options` and `select` its parameters, `decode` and `protobuf` its body, `form` and `table`
//!   how it is answered.
//! - `list` and `watch` read, `write` writes (patches are in `super::patch`), `discovery` tells what there is.
//! - `pods` is what only pods have: `logs`, `exec`, `eviction` and the proxy. `access` knows who may, `reviews` tells one's own rights.

mod access;
mod asked;
mod decode;
mod discovery;
mod eviction;
mod exec;
mod form;
mod list;
mod logs;
mod options;
mod pods;
mod protobuf;
mod reviews;
mod scale;
mod select;
mod table;
mod watch;
mod write;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use bytes::Bytes;
use serde_json::Value;

use self::asked::{Asked, Place};
use super::Sim;
use super::status::Failure;

/// A body that is longer is refused, as etcd would refuse it.
const LONGEST: usize = 3 << 20;

/// The API of a cluster.
pub fn router(sim: Sim) -> Router {
    Router::new().fallback(serve).with_state(sim)
}

type Answer = Result<Response, Failure>;

async fn serve(State(sim): State<Sim>, request: Request) -> Response {
    let now = sim.clock().now();
    let mut response = match answer(&sim, request).await {
        Ok(response) => response,
        Err(failure) => refused(&failure),
    };
    // The server's clock, which confsplit compares with its own.
    let date = now.format("%a, %d %b %Y %H:%M:%S GMT").to_string();
    if let Ok(date) = date.parse() {
        response.headers_mut().insert(header::DATE, date);
    }
    response
}

async fn answer(sim: &Sim, mut request: Request) -> Answer {
    let upgrade = request
        .extensions_mut()
        .remove::<hyper::upgrade::OnUpgrade>();
    let (mut head, body) = request.into_parts();
    let path = head.uri.path().trim_end_matches('/').to_owned();
    let path = path.as_str();
    if let Some(answer) = discovery::document(path) {
        return Ok(json(200, &answer));
    }
    if path == "/readyz" || path == "/livez" || path == "/healthz" {
        return Ok(text(200, "ok"));
    }
    let who = access::Who::of(sim, &head.headers)?;
    let body = axum::body::to_bytes(body, LONGEST)
        .await
        .map_err(|_| Failure::new(413, "RequestEntityTooLarge", "the request is too large"))?;
    let body = from_protobuf(&mut head.headers, body);
    if path.starts_with("/apis/authorization.k8s.io/v1/") {
        return reviews::answer(sim, path, &head.method, &body, &who);
    }
    let asked = match asked::place(&head.method, &head.uri, &head.headers, body) {
        Place::Resource(asked) => *asked,
        Place::Unknown => return Err(unknown()),
        Place::Nowhere => return Ok(text(404, "404 page not found\n")),
    };
    access::allowed(sim, &asked, &who)?;
    options::manager(&asked.query, asked.verb)?;
    dispatch(sim, asked, &head.headers, upgrade).await
}

/// A body that typed clients send, as JSON where it can be.
fn from_protobuf(headers: &mut HeaderMap, body: Bytes) -> Bytes {
    let kind = headers.get(header::CONTENT_TYPE);
    if kind.is_none_or(|kind| kind.as_bytes() != protobuf::MEDIA.as_bytes()) {
        return body;
    }
    let Some(object) = protobuf::json(&body) else {
        return body;
    };
    let kind = header::HeaderValue::from_static("application/json");
    headers.insert(header::CONTENT_TYPE, kind);
    object.to_string().into()
}

async fn dispatch(
    sim: &Sim,
    asked: Asked,
    headers: &HeaderMap,
    upgrade: Option<hyper::upgrade::OnUpgrade>,
) -> Answer {
    match (asked.subresource.as_deref(), asked.verb) {
        (None, "get") => get(sim, &asked),
        (None, "list") => list::answer(sim, &asked),
        (None, "watch") => watch::answer(sim, &asked),
        (None, "create") if asked.name.is_empty() => write::create(sim, &asked),
        (None, "update") if !asked.name.is_empty() => write::update(sim, &asked, None),
        (None, "patch") if !asked.name.is_empty() => write::patch(sim, &asked, None),
        (None, "delete") => write::delete(sim, &asked),
        (None, "deletecollection") => write::delete_all(sim, &asked),
        (Some("status"), verb) if asked.resource.status => match verb {
            "get" => get(sim, &asked),
            "update" => write::update(sim, &asked, Some("status")),
            "patch" => write::patch(sim, &asked, Some("status")),
            _ => Err(not_allowed()),
        },
        (Some("scale"), verb) if discovery::scales(asked.resource) => {
            scale::answer(sim, &asked, verb)
        }
        (Some("finalize"), "update") if asked.resource.kind == "Namespace" => {
            write::update(sim, &asked, Some("finalize"))
        }
        (Some(_), _) if asked.resource.kind == "Pod" => {
            pods::answer(sim, asked, headers, upgrade).await
        }
        (Some(_), _) => Err(unknown()),
        (None, _) => Err(not_allowed()),
    }
}

fn get(sim: &Sim, asked: &Asked) -> Answer {
    let form = form::accepted(asked)?;
    let key = asked.key();
    let object = sim.with(|world| world.store().get(&key).cloned());
    let object = object.ok_or_else(|| Failure::not_found(&key))?;
    Ok(json(
        200,
        &form::one(form, asked.resource, &object, sim.clock().now()),
    ))
}

fn unknown() -> Failure {
    let message = "the server could not find the requested resource";
    Failure::new(404, "NotFound", message).with_details(serde_json::json!({}))
}

fn not_allowed() -> Failure {
    let message = "the server does not allow this method on the requested resource";
    Failure::new(405, "MethodNotAllowed", message).with_details(serde_json::json!({}))
}

fn refused(failure: &Failure) -> Response {
    json(failure.code, &failure.status())
}

fn json(code: u16, body: &Value) -> Response {
    typed(code, "application/json", Body::from(format!("{body}\n")))
}

fn text(code: u16, body: &str) -> Response {
    typed(
        code,
        "text/plain; charset=utf-8",
        Body::from(body.to_owned()),
    )
}

fn typed(code: u16, kind: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() =
        StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let kind = header::HeaderValue::from_static(kind);
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

#[cfg(test)]
mod tests;
