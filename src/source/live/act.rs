//! Writes: each is sent once, with the version that was on screen, and only after it was approved.

mod objects;
mod prepare;
mod reading;

use http::{Method, Request};
use kube::Error;
use serde_json::{Value, json};

use self::objects::{changed_managers, with_last_applied};
pub(super) use self::prepare::prepare;
use self::reading::one;
use super::Live;
use super::allow::Pass;
use super::connect::chain;
use super::request::brief;
use crate::model::PodRef;
use crate::remedy::{Approved, MANAGER, Write, WriteError, Written, content_patch, stamp};
use crate::source::convert::{ConfigMapObject, config_map};

const MERGE: &str = "application/merge-patch+json";
const JSON_PATCH: &str = "application/json-patch+json";
const JSON: &str = "application/json";
/// How often a template is read again whose status alone was written meanwhile.
const TRIES: usize = 4;

/// Whether it is done, or only looked at by the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Run {
    Dry,
    Real,
}

pub(super) async fn write(live: &Live, approved: &Approved) -> Result<Written, WriteError> {
    run(live, approved.write(), Run::Real).await
}

async fn run(live: &Live, write: &Write, run: Run) -> Result<Written, WriteError> {
    if !live.consent.acts() {
        return Err(WriteError::ReadOnly("--read-only, or the settings"));
    }
    match write {
        Write::Content { .. } => content(live, write, run).await,
        Write::Evict { pod } => evict(live, write, pod, run).await,
        Write::Restart { at, .. } => {
            let patch = |version: &str, _: &Value| {
                let annotations = json!({"kubectl.kubernetes.io/restartedAt": stamp(*at)});
                json!({
                    "metadata": {"resourceVersion": version},
                    "spec": {"template": {"metadata": {"annotations": annotations}}},
                })
            };
            template(live, write, (MERGE, &patch), run).await
        }
        Write::Repoint {
            from, to, resume, ..
        } => {
            let patch = |version: &str, object: &Value| {
                objects::repoint(object, version, (&from.name, &to.name), *resume)
            };
            template(live, write, (JSON_PATCH, &patch), run).await
        }
    }
}

async fn evict(live: &Live, write: &Write, pod: &PodRef, run: Run) -> Result<Written, WriteError> {
    let body = json!({
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": {"name": pod.name, "namespace": pod.namespace},
        "deleteOptions": {"preconditions": {"uid": pod.uid}},
    });
    let path = format!(
        "/api/v1/namespaces/{}/pods/{}/eviction",
        pod.namespace, pod.name
    );
    send(live, write, (Method::POST, &path, JSON), &body, run).await?;
    Ok(Written {
        resource_version: String::new(),
        content: None,
        taken_from: Vec::new(),
    })
}

async fn content(live: &Live, write: &Write, run: Run) -> Result<Written, WriteError> {
    let Write::Content {
        config,
        uid,
        resource_version: version,
        from,
        to,
    } = write
    else {
        return Err(WriteError::Refused(format!("{write} writes no content")));
    };
    let path = format!("/api/v1/namespaces/{}/configmaps", config.namespace);
    let object = one(live, &path, &config.name, write).await?;
    let is = |field: &str, wanted: &str| object["metadata"][field].as_str() == Some(wanted);
    if !is("uid", uid) || !is("resourceVersion", version) {
        return Err(WriteError::Changed(config.to_string()));
    }
    let mut patch = content_patch(from, to);
    patch["metadata"]["resourceVersion"] = json!(version);
    with_last_applied(&object, to, &mut patch);
    let path = format!("{path}/{}", config.name);
    let answer = send(live, write, (Method::PATCH, &path, MERGE), &patch, run).await?;
    let taken_from = changed_managers(&object, &answer);
    let written: ConfigMapObject =
        serde_json::from_value(answer).map_err(|error| WriteError::Unknown(error.to_string()))?;
    let written = config_map(written);
    Ok(Written {
        resource_version: written.resource_version,
        taken_from,
        content: written.content,
    })
}

/// Makes a patch of an object's version and of the object.
type Patch<'a> = &'a (dyn Fn(&str, &Value) -> Value + Sync);

/// A controller writes the status of a workload all the time: what counts is that its template is the one that was on screen.
async fn template(
    live: &Live,
    write: &Write,
    (kind, patch): (&str, Patch<'_>),
    run: Run,
) -> Result<Written, WriteError> {
    let (Write::Restart {
        workload,
        uid,
        generation,
        ..
    }
    | Write::Repoint {
        workload,
        uid,
        generation,
        ..
    }) = write
    else {
        return Err(WriteError::Refused(format!("{write} writes no template")));
    };
    let right = write.right();
    let path = format!(
        "/apis/apps/v1/namespaces/{}/{}",
        workload.namespace, right.resource
    );
    let mut tries = 1;
    loop {
        let object = one(live, &path, &workload.name, write).await?;
        let same = object["metadata"]["uid"].as_str() == Some(uid.as_str())
            && generation
                .is_none_or(|seen| object["metadata"]["generation"].as_i64() == Some(seen));
        if !same {
            return Err(WriteError::Changed(workload.to_string()));
        }
        let body = patch(&text(&object, "resourceVersion"), &object);
        let path = format!("{path}/{}", workload.name);
        match send(live, write, (Method::PATCH, &path, kind), &body, run).await {
            Err(WriteError::Changed(_)) if tries < TRIES => tries += 1,
            answer => {
                let answer = answer?;
                return Ok(Written {
                    resource_version: text(&answer, "resourceVersion"),
                    content: None,
                    taken_from: changed_managers(&object, &answer),
                });
            }
        }
    }
}

fn text(object: &Value, field: &str) -> String {
    object["metadata"][field]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

async fn send(
    live: &Live,
    write: &Write,
    (method, path, kind): (Method, &str, &str),
    body: &Value,
    run: Run,
) -> Result<Value, WriteError> {
    let dry = if run == Run::Dry { "&dryRun=All" } else { "" };
    let path = format!("{path}?fieldManager={MANAGER}{dry}");
    let pass = Pass {
        method: method.clone(),
        path: path.clone(),
    };
    let _passing = live
        .consent
        .let_pass(pass)
        .ok_or(WriteError::ReadOnly("--read-only, or the settings"))?;
    let request = Request::builder()
        .method(method)
        .uri(&path)
        .header(http::header::CONTENT_TYPE, kind)
        .header(http::header::ACCEPT, JSON)
        .body(body.to_string().into_bytes())
        .map_err(|error| WriteError::Refused(error.to_string()))?;
    let answer = live.api.once(request).await;
    let bytes = answer.map_err(|error| named(error, write))?;
    let answer: Value =
        serde_json::from_slice(&bytes).map_err(|error| WriteError::Unknown(error.to_string()))?;
    // What stands before the server may say 200 to anything.
    match is_answer(write, &answer) {
        true => Ok(answer),
        false => Err(WriteError::Unknown(
            "the answer is of another kind".to_owned(),
        )),
    }
}

/// Whether it is what the API server answers to such a write: the object, or for an eviction that it succeeded.
fn is_answer(write: &Write, answer: &Value) -> bool {
    let kind = answer["kind"].as_str().unwrap_or_default();
    match write {
        Write::Content { config, .. } => kind == config.kind.as_str(),
        Write::Evict { .. } => kind == "Status" && answer["status"] == "Success",
        Write::Restart { workload, .. } | Write::Repoint { workload, .. } => kind == workload.kind,
    }
}

/// What an error means for a write: only what the server says was refused did not happen.
fn named(error: Error, write: &Write) -> WriteError {
    let object = match write {
        Write::Content { config, .. } => config.to_string(),
        Write::Evict { pod } => format!("pod {}", pod.name),
        Write::Restart { workload, .. } | Write::Repoint { workload, .. } => workload.to_string(),
    };
    match error {
        Error::Api(status) => match status.code {
            409 => WriteError::Changed(object),
            404 => WriteError::Gone(object),
            403 if status.message.contains("User ") => WriteError::Forbidden(write.right()),
            500 | 502..=504 => WriteError::Unknown(brief(&status.message)),
            _ => WriteError::Refused(brief(&status.message)),
        },
        Error::Service(cause) => WriteError::Unknown(chain(&*cause)),
        other => WriteError::Unknown(chain(&other)),
    }
}
