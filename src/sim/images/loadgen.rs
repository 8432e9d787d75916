//! `loadgen URL PATH`: asks every two seconds and prints one line for each answer.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Beat, Launched, Program, Setting};
use crate::sim::object::seconds;

const PAUSE: TimeDelta = TimeDelta::seconds(2);
/// One that gets no answer for so long gives up.
const LIMIT: TimeDelta = TimeDelta::seconds(5);

#[derive(Debug)]
pub(crate) struct Loadgen {
    host: String,
    port: u16,
    path: String,
}

/// The line of an answer.
pub(crate) fn asked(at: DateTime<Utc>, path: &str, outcome: &str) -> String {
    format!("{} GET {path} -> {outcome}", seconds(at))
}

pub(super) fn launch(setting: &Setting<'_>) -> Launched {
    let words: Vec<&str> = setting.words.iter().map(String::as_str).collect();
    let (url, path) = match words[..] {
        [.., url, path] => (url, path),
        _ => ("http://localhost", "/"),
    };
    let host = url
        .strip_prefix("http://")
        .unwrap_or(url)
        .trim_end_matches('/');
    let (host, port) = host.split_once(':').unwrap_or((host, "80"));
    let mut launched = Launched::new(Program::Loadgen(Loadgen {
        host: host.to_owned(),
        port: port.parse().unwrap_or(80),
        path: path.to_owned(),
    }));
    launched.tick = Some(TimeDelta::milliseconds(20));
    launched
}

impl Loadgen {
    pub(super) fn beat(&self) -> Beat {
        Beat::Ask {
            host: self.host.clone(),
            port: self.port,
            path: self.path.clone(),
            limit: LIMIT,
            pause: PAUSE,
        }
    }
}
