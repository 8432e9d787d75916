//! A scenario that is played, and what somebody does to it meanwhile, with kubectl or as the printed commands say.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use confsplit::analysis::{Diagnosis, Incident};
use confsplit::app::Mode;
use confsplit::model::{Cluster, Scope, Snapshot};
use confsplit::runtime::collect::collect;
use confsplit::sim::scenario::Scenario;
use confsplit::sim::{Clock, Sim};
use confsplit::source::live::{Consent, Live};
use confsplit::source::{self, Probing, Source};
use http::{Method, Request};
use kube::Client;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use super::wire::Wire;

/// For one answer.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A scenario from the moment on when somebody looks at it.
pub struct Played {
    pub sim: Sim,
    pub namespace: String,
    /// Between the program and the cluster.
    pub wire: Wire,
    client: Client,
    /// How far this side's clock is ahead of the cluster's.
    ahead: TimeDelta,
    running: JoinHandle<()>,
}

impl Drop for Played {
    fn drop(&mut self) {
        self.running.abort();
    }
}

impl Played {
    pub fn named(name: &str) -> Self {
        Self::of(Scenario::named(name).unwrap())
    }

    pub fn of(scenario: Scenario) -> Self {
        Self::looked_at(scenario, "2026-11-30T10:00:00Z")
    }

    /// The same at another time, by the cluster's clock.
    pub fn looked_at(scenario: Scenario, looked_at: &str) -> Self {
        let looked_at: DateTime<Utc> = looked_at.parse().unwrap();
        let started = Instant::now();
        let passed = move || TimeDelta::from_std(started.elapsed()).unwrap_or_default();
        let namespace = scenario.namespace.clone();
        let sim = scenario
            .play(Clock::told(move || looked_at + passed()))
            .unwrap();
        let running = tokio::spawn({
            let sim = sim.clone();
            async move { sim.run().await }
        });
        Self {
            wire: Wire::to(&sim),
            client: Client::new(sim.service(), namespace.as_str()),
            sim,
            namespace,
            ahead: TimeDelta::zero(),
            running,
        }
    }

    /// This side's clock.
    pub fn clock(&self) -> source::Clock {
        let (clock, ahead) = (self.sim.clock().clone(), self.ahead);
        source::Clock::from(move || clock.now() + ahead)
    }

    /// The same, looked at from a machine whose clock is wrong.
    pub fn with_clock_ahead(mut self, ahead: TimeDelta) -> Self {
        self.ahead = ahead;
        self
    }

    /// The real client of it.
    pub fn live(&self) -> Live {
        self.live_as(Mode::ReadOnly)
    }

    /// The same, under which what is approved may be written.
    pub fn live_as(&self, mode: Mode) -> Live {
        let (consent, wire) = (Consent::new(mode == Mode::Act), self.wire.clone());
        Live::over(consent, wire, cluster(), TIMEOUT, self.clock())
    }

    pub fn scope(&self) -> Scope {
        Scope {
            namespace: Some(self.namespace.clone()),
            ..Scope::default()
        }
    }

    /// What `diagnose` reads and says.
    pub async fn diagnose(&self) -> (Snapshot, Diagnosis) {
        self.diagnose_about(self.scope()).await
    }

    /// The same about a part of it.
    pub async fn diagnose_about(&self, scope: Scope) -> (Snapshot, Diagnosis) {
        collect(&self.live(), &scope, &|_| {}).await.unwrap()
    }

    /// The same with consent to read in containers.
    pub async fn probe(&self) -> (Snapshot, Diagnosis) {
        let live = self.live();
        live.permit(Probing {
            exec: true,
            version_at: None,
        });
        collect(&live, &self.scope(), &|_| {}).await.unwrap()
    }

    /// Lets time pass.
    pub async fn pass(&self, seconds: u64) {
        sleep(Duration::from_secs(seconds)).await;
    }

    pub async fn get(&self, path: &str) -> Value {
        self.send(Method::GET, path, "json", &Value::Null).await
    }

    /// The names of the pods of an app that are not on their way out, the oldest first.
    pub async fn pods(&self, app: &str) -> Vec<String> {
        let path = format!("{}?labelSelector=app%3D{app}", self.at("pods", ""));
        let list = self.get(&path).await;
        let pods = list["items"].as_array().unwrap().iter();
        let there = pods.filter(|pod| pod["metadata"]["deletionTimestamp"].is_null());
        let mut named: Vec<(String, String)> = there
            .map(|pod| {
                let text = |value: &Value| value.as_str().unwrap().to_owned();
                let metadata = &pod["metadata"];
                (
                    text(&metadata["creationTimestamp"]),
                    text(&metadata["name"]),
                )
            })
            .collect();
        named.sort_unstable();
        named.into_iter().map(|(_, name)| name).collect()
    }

    /// `kubectl patch --type merge`.
    pub async fn patch(&self, resource: &str, name: &str, with: &Value) -> Value {
        let path = format!("{}?fieldManager=kubectl-patch", self.at(resource, name));
        self.send(Method::PATCH, &path, "merge-patch+json", with)
            .await
    }

    /// `kubectl delete`.
    pub async fn delete(&self, resource: &str, name: &str) {
        let path = self.at(resource, name);
        self.send(Method::DELETE, &path, "json", &Value::Null).await;
    }

    /// `kubectl create`.
    pub async fn create(&self, resource: &str, object: &Value) {
        let path = format!("{}?fieldManager=kubectl-create", self.at(resource, ""));
        self.send(Method::POST, &path, "json", object).await;
    }

    /// `kubectl rollout restart`.
    pub async fn restart(&self, deployment: &str) {
        let at = self
            .sim
            .clock()
            .now()
            .format("%Y-%m-%dT%H:%M:%SZ")
            .to_string();
        let annotations = json!({"kubectl.kubernetes.io/restartedAt": at});
        let with = json!({"spec": {"template": {"metadata": {"annotations": annotations}}}});
        let path = self.at("deployments", deployment) + "?fieldManager=kubectl-rollout";
        self.send(Method::PATCH, &path, "strategic-merge-patch+json", &with)
            .await;
    }

    /// `kubectl rollout status`: until every replica is of the last template and ready.
    pub async fn rolled_out(&self, deployment: &str) {
        for _ in 0..600 {
            let object = self.get(&self.at("deployments", deployment)).await;
            let wanted = &object["spec"]["replicas"];
            let status = &object["status"];
            let counts = ["replicas", "updatedReplicas", "availableReplicas"];
            let seen = status["observedGeneration"] == object["metadata"]["generation"];
            if seen && counts.iter().all(|count| status[*count] == *wanted) {
                return;
            }
            self.pass(1).await;
        }
        panic!("the rollout of {deployment} does not end");
    }

    /// The path of an object, or of a list where no name is given.
    fn at(&self, resource: &str, name: &str) -> String {
        let group = match resource {
            "deployments" | "replicasets" | "statefulsets" => "/apis/apps/v1",
            "poddisruptionbudgets" => "/apis/policy/v1",
            _ => "/api/v1",
        };
        let namespace = &self.namespace;
        let path = format!("{group}/namespaces/{namespace}/{resource}/{name}");
        path.trim_end_matches('/').to_owned()
    }

    async fn send(&self, method: Method, path: &str, form: &str, body: &Value) -> Value {
        let bytes = match body {
            Value::Null => Vec::new(),
            body => body.to_string().into_bytes(),
        };
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("content-type", format!("application/{form}"))
            .body(bytes)
            .unwrap();
        let sent = self.client.request(request).await;
        sent.unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Does what a plan prints, to the letter. What is only looked at is left out.
    pub async fn run(&self, line: &str) {
        for command in line.split(" && ") {
            let words = shell_words::split(command).unwrap();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let ["kubectl", "--context", "demo", "-n", namespace, rest @ ..] = &words[..] else {
                panic!("not for this cluster: {command}");
            };
            assert_eq!(*namespace, self.namespace, "{command}");
            self.kubectl(rest, command).await;
        }
    }

    async fn kubectl(&self, words: &[&str], command: &str) {
        match words {
            ["get" | "logs", ..] | ["rollout", "history", _] => {}
            ["patch", kind, name, "--type", "merge", "-p", patch] => {
                let patch: Value = serde_json::from_str(patch).unwrap();
                self.patch(&format!("{kind}s"), name, &patch).await;
            }
            ["rollout", verb, object] => {
                let name = object.strip_prefix("deployment/").unwrap();
                match *verb {
                    "restart" => self.restart(name).await,
                    "status" => self.rolled_out(name).await,
                    "undo" => self.undo(name).await,
                    "resume" => {
                        let with = json!({"spec": {"paused": null}});
                        self.patch("deployments", name, &with).await;
                    }
                    _ => panic!("nobody knows how to {command}"),
                }
            }
            ["delete", "pod", pods @ ..] => {
                for pod in pods {
                    self.delete("pods", pod).await;
                }
            }
            _ => panic!("nobody knows how to {command}"),
        }
    }

    /// `kubectl rollout undo`: the template of the revision before.
    async fn undo(&self, deployment: &str) {
        let revision = |object: &Value| -> u64 {
            let annotations = &object["metadata"]["annotations"];
            let text = annotations["deployment.kubernetes.io/revision"].as_str();
            text.unwrap().parse().unwrap()
        };
        let live = self.get(&self.at("deployments", deployment)).await;
        let sets = self.get(&self.at("replicasets", "")).await;
        let sets = sets["items"].as_array().unwrap().iter();
        let own = sets.filter(|set| set["metadata"]["ownerReferences"][0]["name"] == *deployment);
        let before = own.filter(|set| revision(set) < revision(&live));
        let before = before.max_by_key(|set| revision(set)).unwrap();
        let mut template = before["spec"]["template"].clone();
        let labels = template["metadata"]["labels"].as_object_mut().unwrap();
        labels.remove("pod-template-hash");
        let patch = json!([{"op": "replace", "path": "/spec/template", "value": template}]);
        let path = self.at("deployments", deployment) + "?fieldManager=kubectl-rollout";
        self.send(Method::PATCH, &path, "json-patch+json", &patch)
            .await;
    }
}

pub fn cluster() -> Cluster {
    Cluster {
        context: Some("demo".to_owned()),
        flags: None,
        server: "a cluster in memory".to_owned(),
        version: None,
    }
}

/// The one incident of a report.
pub fn only(diagnosis: &Diagnosis) -> &Incident {
    let [incident] = &diagnosis.incidents[..] else {
        panic!(
            "{} incidents: {}",
            diagnosis.incidents.len(),
            diagnosis.verdict
        );
    };
    incident
}
