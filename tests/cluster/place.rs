//! A namespace of a test's own, and what is made, done and waited for in it.

use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::program::{kubeconfig, kubectl};

/// Containers take their time on a busy machine.
const PATIENCE: Duration = Duration::from_secs(90);

/// The API server compacts its history every five minutes, and keeps the five before.
const FORGOTTEN: Duration = Duration::from_secs(720);

/// Starts and edits are counted in whole seconds, by two clocks: so far apart, their times tell which was first.
const TELLING: Duration = Duration::from_secs(4);

/// A namespace.
pub(crate) struct Place {
    name: String,
    /// It goes with the test.
    own: bool,
}

impl Place {
    /// A new namespace, which goes with the test; one that an earlier run left goes first.
    pub(crate) fn new(name: &str) -> Self {
        let admin = kubeconfig();
        let gone = ["delete", "namespace", name, "--ignore-not-found", "--wait"];
        kubectl(&admin, &gone);
        kubectl(&admin, &["create", "namespace", name]);
        let place = Self {
            name: name.to_owned(),
            own: true,
        };
        // A pod that comes before its namespace's account is refused.
        place.wait_until("the namespace has its account", || {
            place.tried(&["get", "serviceaccount", "default"]).is_ok()
        });
        place
    }

    /// A namespace that is there already, and stays.
    pub(crate) fn there(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            own: false,
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// What kubectl prints.
    pub(crate) fn kubectl(&self, arguments: &[&str]) -> String {
        kubectl(&kubeconfig(), &[&["-n", &self.name], arguments].concat())
    }

    /// What kubectl prints, or what it says of a failure.
    pub(crate) fn tried(&self, arguments: &[&str]) -> Result<String, String> {
        let output = Command::new("kubectl")
            .args(["-n", &self.name])
            .args(arguments)
            .env("KUBECONFIG", kubeconfig())
            .output()
            .expect("kubectl is in PATH");
        told(&output)
    }

    /// Runs a program in a container.
    pub(crate) fn exec(
        &self,
        pod: &str,
        container: &str,
        command: &[&str],
    ) -> Result<String, String> {
        self.tried(&[&["exec", pod, "-c", container, "--"], command].concat())
    }

    /// Applies objects, all at once.
    pub(crate) fn apply(&self, objects: &[Value]) {
        let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
        self.send(&["apply", "-f", "-"], &list);
    }

    /// Gives an object to a command of kubectl.
    pub(crate) fn send(&self, arguments: &[&str], object: &Value) {
        let mut child = Command::new("kubectl")
            .args(["-n", &self.name])
            .args(arguments)
            .env("KUBECONFIG", kubeconfig())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("kubectl is in PATH");
        let mut input = child.stdin.take().expect("its input");
        input
            .write_all(object.to_string().as_bytes())
            .expect("kubectl reads");
        drop(input);
        let output = child.wait_with_output().expect("kubectl ends");
        if let Err(said) = told(&output) {
            panic!("kubectl {arguments:?}: {said}");
        }
    }

    /// Edits keys of a ConfigMap, by a patch.
    pub(crate) fn patch(&self, name: &str, data: &Value) {
        self.patch_object(name, &json!({"data": data}));
    }

    pub(crate) fn patch_object(&self, name: &str, patch: &Value) {
        let text = patch.to_string();
        self.kubectl(&["patch", "configmap", name, "--type=merge", "-p", &text]);
    }

    /// The pods of an app that are neither ending nor over.
    pub(crate) fn pods(&self, app: &str) -> Vec<Value> {
        let label = format!("app={app}");
        let text = self.kubectl(&["get", "pods", "-l", &label, "-o", "json"]);
        let list: Value = serde_json::from_str(&text).expect("JSON");
        let pods = list["items"].as_array().cloned().unwrap_or_default();
        pods.into_iter()
            .filter(|pod| {
                let over = matches!(
                    pod["status"]["phase"].as_str(),
                    Some("Succeeded" | "Failed")
                );
                pod["metadata"]["deletionTimestamp"].is_null() && !over
            })
            .collect()
    }

    /// The name of the oldest pod of an app.
    pub(crate) fn oldest(&self, app: &str) -> String {
        let pods = self.pods(app);
        let name = |pod: &Value| pod["metadata"]["name"].as_str().map(str::to_owned);
        let first = pods.iter().min_by_key(|pod| {
            let created = pod["metadata"]["creationTimestamp"].as_str();
            (created.map(str::to_owned), name(pod))
        });
        first.and_then(name).expect("a pod")
    }

    /// Waits until each app has so many pods, all of them ready.
    pub(crate) fn ready(&self, apps: &[(&str, usize)]) {
        for (app, number) in apps {
            self.wait_until(&format!("{number} of {app} are ready"), || {
                let pods = self.pods(app);
                pods.len() == *number && pods.iter().all(is_ready)
            });
        }
    }

    /// Deletes the oldest pod of an app and waits for the one that comes instead.
    pub(crate) fn replace_one(&self, app: &str, number: usize) {
        self.delete_one(app);
        self.ready(&[(app, number)]);
    }

    pub(crate) fn delete_one(&self, app: &str) {
        self.kubectl(&["delete", "pod", &self.oldest(app), "--wait"]);
    }

    /// Ends the first process of a container in the oldest pod of an app, and waits until the container runs again.
    pub(crate) fn kill_in_oldest(&self, app: &str, container: &str) {
        let pod = self.oldest(app);
        // The connection may be gone before the answer.
        drop(self.exec(&pod, container, &["kill", "1"]));
        self.wait_until(&format!("{container} of {pod} runs again"), || {
            let pods = self.pods(app);
            pods.iter()
                .filter(|p| p["metadata"]["name"] == pod.as_str())
                .flat_map(statuses)
                .any(|s| s["name"] == container && s["restartCount"] != 0 && is_running(s))
        });
    }

    /// Has the kubelet look at the pods of an app now, and swap the files of their volumes.
    pub(crate) fn nudge(&self, app: &str) {
        let label = format!("app={app}");
        self.kubectl(&[
            "annotate",
            "pods",
            "-l",
            &label,
            "--overwrite",
            "nudged=yes",
        ]);
    }

    /// Waits until the API server no longer has what a ConfigMap held before its last write: some ten minutes at most.
    pub(crate) fn wait_until_forgotten(&self, config: &str) {
        let version = "jsonpath={.metadata.resourceVersion}";
        let live = self.kubectl(&["get", "configmap", config, "-o", version]);
        let before = live.parse::<u64>().expect("a number") - 1;
        let path = format!(
            "/api/v1/namespaces/{}/configmaps?resourceVersion={before}&resourceVersionMatch=Exact",
            self.name
        );
        let begun = Instant::now();
        let forgotten = |said: String| said.contains("too old");
        while !self.tried(&["get", "--raw", &path]).is_err_and(forgotten) {
            let waited = begun.elapsed();
            assert!(waited < FORGOTTEN, "it is still there after {waited:?}");
            std::thread::sleep(Duration::from_secs(5));
        }
    }

    pub(crate) fn wait_until(&self, what: &str, holds: impl Fn() -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !holds() {
            assert!(
                Instant::now() < deadline,
                "in {}, it never came to this: {what}; {}",
                self.name,
                self.tried(&["get", "pods"]).unwrap_or_else(|said| said)
            );
            std::thread::sleep(Duration::from_millis(300));
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.own {
            // The next run removes what is left where this fails.
            let removed = Command::new("kubectl")
                .args(["delete", "namespace", &self.name, "--wait=false"])
                .env("KUBECONFIG", kubeconfig())
                .output();
            drop(removed);
        }
    }
}

/// Lets so much time pass that edits and starts on both sides of it are told apart by their times alone.
pub(crate) fn some_seconds_pass() {
    std::thread::sleep(TELLING);
}

/// The status of every container of a pod, sidecars and what ran before them too.
pub(crate) fn statuses(pod: &Value) -> impl Iterator<Item = &Value> {
    ["containerStatuses", "initContainerStatuses"]
        .into_iter()
        .flat_map(|field| pod["status"][field].as_array())
        .flatten()
}

pub(crate) fn is_running(status: &Value) -> bool {
    !status["state"]["running"].is_null()
}

fn is_ready(pod: &Value) -> bool {
    let conditions = pod["status"]["conditions"].as_array();
    conditions
        .into_iter()
        .flatten()
        .any(|c| c["type"] == "Ready" && c["status"] == "True")
}

fn told(output: &Output) -> Result<String, String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() {
        Ok(text(&output.stdout))
    } else {
        Err(text(&output.stderr))
    }
}
