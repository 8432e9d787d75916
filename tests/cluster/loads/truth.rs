//! What the pods themselves say.

use serde_json::Value;

use crate::place::{Place, is_running, statuses};

/// How a container is asked what it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ask {
    /// A variable of its environment; nothing where it is not set.
    Env(&'static str),
    /// A file that is never swapped.
    File(&'static str),
    /// What its server answers at this path, or the code where that is an error.
    Page(&'static str),
    /// The last line that it printed.
    Printed,
}

/// One container and its own word.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Truth {
    pub(super) pod: String,
    pub(super) says: String,
}

/// What every replica of an app says of itself.
pub(super) fn ask(place: &Place, app: &str, container: &str, how: Ask) -> Vec<Truth> {
    let pods = place.pods(app);
    let mut truths: Vec<Truth> = pods
        .iter()
        .map(|pod| {
            let name = pod["metadata"]["name"].as_str().expect("a name");
            let status = statuses(pod).find(|s| s["name"] == container);
            Truth {
                pod: name.to_owned(),
                says: match status {
                    Some(status) => says(place, name, container, how, status),
                    None => "no status".to_owned(),
                },
            }
        })
        .collect();
    truths.sort();
    truths
}

fn says(place: &Place, pod: &str, container: &str, how: Ask, status: &Value) -> String {
    let crashed = status["ready"] == false && !status["lastState"]["terminated"].is_null();
    if crashed {
        return "crashes".to_owned();
    }
    if !is_running(status) {
        let reason = status["state"]["waiting"]["reason"].as_str();
        return reason.unwrap_or("not running").to_owned();
    }
    let exec = |command: &[&str]| place.exec(pod, container, command);
    match how {
        Ask::Env(name) => exec(&["env"]).map_or_else(|said| said, |all| variable(&all, name)),
        Ask::File(path) => exec(&["cat", path]).unwrap_or_else(|said| said),
        Ask::Page(path) => {
            let address = format!("http://127.0.0.1{path}");
            exec(&["wget", "-q", "-O", "-", &address]).unwrap_or_else(|said| answer_code(&said))
        }
        Ask::Printed => place.kubectl(&["logs", pod, "-c", container, "--tail=1"]),
    }
}

/// What `env` prints of a variable.
fn variable(all: &str, name: &str) -> String {
    let value = |line: &str| {
        let (known, value) = line.split_once('=')?;
        (known == name).then(|| value.to_owned())
    };
    all.lines().find_map(value).unwrap_or_default()
}

/// `504` of `wget: server returned error: HTTP/1.1 504 Gateway Time-out`.
fn answer_code(said: &str) -> String {
    let code = said
        .split_once("HTTP/1.1 ")
        .and_then(|(_, rest)| rest.split_whitespace().next());
    code.unwrap_or(said).to_owned()
}
