//! The cluster in memory, as the real client sees it.

mod pods;
mod reads;
mod writes;

use chrono::{DateTime, TimeDelta, Utc};
use confsplit::sim::{Clock, Sim, World};
use http::{Method, Request};
use kube::Client;
use serde_json::{Value, json};

/// A cluster with the namespace `shop` at a time that stands still, and a client of it.
pub struct Lab {
    pub sim: Sim,
    pub client: Client,
}

impl Lab {
    pub async fn new() -> Self {
        let start: DateTime<Utc> = "2026-11-30T12:00:00Z".parse().unwrap();
        let sim = Sim::new(World::new(start), Clock::manual(start));
        let client = Client::new(sim.service(), "shop");
        let lab = Self { sim, client };
        let namespace = json!({"metadata": {"name": "shop"}});
        lab.send(Method::POST, "/api/v1/namespaces", "", &namespace)
            .await
            .unwrap();
        lab.pass(5);
        lab
    }

    /// Lets time pass, a second at a time.
    pub fn pass(&self, seconds: i64) {
        for _ in 0..seconds {
            self.sim.advance(TimeDelta::seconds(1));
        }
    }

    pub async fn get(&self, path: &str) -> kube::Result<Value> {
        self.send(Method::GET, path, "", &Value::Null).await
    }

    /// A patch of this form.
    pub async fn patch(&self, path: &str, form: &str, patch: &Value) -> kube::Result<Value> {
        let form = format!("application/{form}+json");
        self.send(Method::PATCH, path, &form, patch).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> kube::Result<Value> {
        self.send(Method::POST, path, "", body).await
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        form: &str,
        body: &Value,
    ) -> kube::Result<Value> {
        let form = if form.is_empty() {
            "application/json"
        } else {
            form
        };
        let body = if body.is_null() {
            Vec::new()
        } else {
            body.to_string().into_bytes()
        };
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("content-type", form)
            .body(body)
            .unwrap();
        self.client.request(request).await
    }

    pub async fn config(&self, name: &str, value: &str) -> Value {
        let object = json!({"metadata": {"name": name}, "data": {"mode": value}});
        self.post(CONFIGS, &object).await.unwrap()
    }

    /// Two printers of `MODE`, and the names of their pods.
    pub async fn printers(&self) -> Vec<String> {
        self.config("settings", "blue").await;
        let template = json!({
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{
                "name": "app",
                "image": "printer:1",
                "args": ["--every=1", "env:mode"],
                "envFrom": [{"configMapRef": {"name": "settings"}}],
            }]},
        });
        let object = json!({
            "metadata": {"name": "web"},
            "spec": {
                "replicas": 2,
                "selector": {"matchLabels": {"app": "web"}},
                "template": template,
            },
        });
        let path = "/apis/apps/v1/namespaces/shop/deployments";
        self.post(path, &object).await.unwrap();
        self.pass(20);
        let pods = self.get(PODS).await.unwrap();
        names(&pods)
    }
}

pub const CONFIGS: &str = "/api/v1/namespaces/shop/configmaps";
pub const PODS: &str = "/api/v1/namespaces/shop/pods";

pub fn names(list: &Value) -> Vec<String> {
    let items = list["items"].as_array().unwrap().iter();
    let names = items.map(|item| item["metadata"]["name"].as_str().unwrap().to_owned());
    names.collect()
}

pub fn failure(error: kube::Error) -> (u16, String) {
    match error {
        kube::Error::Api(status) => (status.code, status.message),
        other => panic!("no answer of the server: {other}"),
    }
}
