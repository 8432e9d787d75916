//! `web --port=8080 env:NAME file:PATH#key …`: answers with JSON that tells its settings, as it read them at its start, and logs
//! each request as JSON. `/info` has them under `config`.

use serde_json::{Value, json};

use super::items::Item;
use super::{Action, Launched, Program, Request, Seen, Setting};
use crate::sim::object::{micros, seconds};

#[derive(Debug)]
pub(crate) struct Web {
    port: u16,
    name: String,
    started: String,
    config: Value,
    served: u64,
}

pub(super) fn launch(setting: &Setting<'_>) -> Launched {
    let port = setting
        .words
        .iter()
        .find_map(|word| word.strip_prefix("--port="));
    let items = setting.words.iter().filter_map(|word| Item::parse(word));
    let mut config = json!({});
    for item in items {
        config[item.name()] = json!(item.value(setting.env, setting.read));
    }
    let port = port.and_then(|port| port.parse().ok()).unwrap_or(8080);
    let line = json!({
        "time": micros(setting.now), "level": "info", "msg": "listening", "port": port, "config": config,
    });
    let mut launched = Launched::new(Program::Web(Web {
        port,
        name: setting.pod.to_owned(),
        started: seconds(setting.now),
        config,
        served: 0,
    }));
    launched.lines.push(line.to_string());
    launched
}

impl Web {
    pub(super) fn listens(&self, port: u16) -> bool {
        self.port == port
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn answer(&mut self, request: &Request) -> Action {
        self.served += 1;
        let path = request.path.split('?').next().unwrap_or_default();
        let body = match path {
            "/healthz" => json!({"status": "ok"}),
            "/info" => json!({"pod": self.name, "started": self.started, "config": self.config}),
            _ => json!({"path": path, "served": self.served}),
        };
        Action::Answer {
            status: 200,
            body: format!("{body}\n"),
        }
    }

    pub(super) fn access(&self, request: &Request, seen: Seen) -> String {
        json!({
            "time": micros(seen.at), "level": "info", "msg": "request", "method": "GET", "path": request.path,
            "status": seen.status, "bytes": seen.bytes, "duration_ms": 1 + self.served % 4, "remote": request.client,
        })
        .to_string()
    }
}
