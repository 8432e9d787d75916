//! Logs of containers: what was written, and what is being written.

use std::collections::VecDeque;

use axum::body::Body;
use bytes::Bytes;
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use futures::stream;
use serde_json::{Value, json};
use tokio::sync::watch::Receiver;

use super::Answer;
use super::asked::{Asked, Query};
use super::pods::{container, live};
use crate::sim::Sim;
use crate::sim::status::Failure;
use crate::sim::world::{Line, Lines};

/// What of a log is asked for.
#[derive(Debug, Clone)]
struct Wanted {
    previous: bool,
    timestamps: bool,
    since: Option<DateTime<Utc>>,
    tail: Option<usize>,
    /// So many bytes yet.
    left: Option<usize>,
}

pub(super) fn answer(sim: &Sim, asked: &Asked) -> Answer {
    let wanted = Wanted::of(sim, &asked.name, &asked.query)?;
    let pod = live(sim, asked)?;
    let container = container(&pod, asked.query.get("container"))?.to_owned();
    if pod["spec"].get("nodeName").is_none() {
        // Nobody can be asked, which is no error.
        return Ok(super::typed(204, "text/plain", Body::empty()));
    }
    waiting(&pod, &container, wanted.previous)?;
    let follow = asked.query.is_on("follow");
    let mut reader = Reader {
        sim: sim.clone(),
        namespace: asked.namespace.clone().unwrap_or_default(),
        pod: asked.name.clone(),
        container,
        wanted,
        changes: sim.changes(),
        told: 0,
        run: 0,
        ready: VecDeque::new(),
        over: false,
    };
    reader.changes.mark_unchanged();
    let lines = reader.lines(reader.wanted.previous)?;
    reader.begin(lines);
    let kind = "text/plain";
    if !follow {
        let whole: Vec<u8> = reader.ready.into_iter().flatten().collect();
        return Ok(super::typed(200, kind, Body::from(whole)));
    }
    let pieces = stream::unfold(reader, |mut reader| async move {
        let piece = reader.next().await?;
        Some((Ok::<_, std::convert::Infallible>(piece), reader))
    });
    Ok(super::typed(200, kind, Body::from_stream(pieces)))
}

impl Wanted {
    fn of(sim: &Sim, pod: &str, query: &Query) -> Result<Self, Failure> {
        let invalid = |field: &str, value: i64, why: &str| {
            let message = format!("Invalid value: {value}: {why}");
            let details = json!({
                "name": pod,
                "kind": "PodLogOptions",
                "causes": [{"reason": "FieldValueInvalid", "message": message, "field": field}],
            });
            let message = format!("PodLogOptions {pod:?} is invalid: {field}: {message}");
            Failure::new(422, "Invalid", message).with_details(details)
        };
        let tail = query.number("tailLines")?;
        if let Some(tail) = tail.filter(|n| *n < 0) {
            return Err(invalid(
                "tailLines",
                tail,
                "must be greater than or equal to 0",
            ));
        }
        let limit = query.number("limitBytes")?;
        if let Some(limit) = limit.filter(|n| *n < 1) {
            return Err(invalid("limitBytes", limit, "must be greater than 0"));
        }
        let seconds = query.number("sinceSeconds")?;
        if let Some(seconds) = seconds.filter(|n| *n < 1) {
            return Err(invalid("sinceSeconds", seconds, "must be greater than 0"));
        }
        let since = match (query.get("sinceTime"), seconds) {
            (Some(time), _) => Some(parse(time)?),
            (None, Some(seconds)) => Some(sim.clock().now() - TimeDelta::seconds(seconds)),
            (None, None) => None,
        };
        Ok(Self {
            previous: query.is_on("previous"),
            timestamps: query.is_on("timestamps"),
            since,
            tail: tail.and_then(|n| usize::try_from(n).ok()),
            left: limit.and_then(|n| usize::try_from(n).ok()),
        })
    }

    fn wants(&self, line: &Line) -> bool {
        self.since.is_none_or(|since| line.at >= since)
    }
}

fn parse(time: &str) -> Result<DateTime<Utc>, Failure> {
    let parsed = DateTime::parse_from_rfc3339(time);
    parsed.map(|at| at.to_utc()).map_err(|_| {
        Failure::bad_request(format!(
            "parsing time {time:?} as \"2006-01-02T15:04:05Z07:00\": cannot parse {time:?} as \"2006\""
        ))
    })
}

/// Fails where the container has not run yet, or not before.
fn waiting(pod: &Value, container: &str, previous: bool) -> Result<(), Failure> {
    let name = pod["metadata"]["name"].as_str().unwrap_or_default();
    let lists = ["containerStatuses", "initContainerStatuses"];
    let statuses = lists
        .iter()
        .filter_map(|list| pod["status"][*list].as_array());
    let status = statuses
        .flatten()
        .find(|status| status["name"] == container);
    if previous {
        let before = status.is_some_and(|s| s["lastState"].get("terminated").is_some());
        if !before {
            return Err(Failure::bad_request(format!(
                "previous terminated container {container:?} in pod {name:?} not found"
            )));
        }
        return Ok(());
    }
    let Some(status) = status else {
        // Nothing is known of it yet: on no node the answer is empty, as the server's is.
        return Ok(());
    };
    let waits = status["state"]["waiting"]["reason"].as_str();
    let ran = status["lastState"].get("terminated").is_some();
    match waits {
        Some(why) if !ran => Err(Failure::bad_request(format!(
            "container {container:?} in pod {name:?} is waiting to start: {why}"
        ))),
        _ => Ok(()),
    }
}

/// A log that is being read.
struct Reader {
    sim: Sim,
    namespace: String,
    pod: String,
    container: String,
    wanted: Wanted,
    changes: Receiver<u64>,
    /// So many lines of the run were told, or passed over.
    told: usize,
    /// The number of the run that is read.
    run: u64,
    ready: VecDeque<Bytes>,
    over: bool,
}

impl Reader {
    /// What was not told yet.
    fn lines(&self, previous: bool) -> Result<Lines, Failure> {
        let container = Some(self.container.as_str());
        self.sim.with(|world| {
            world.lines_after(&self.namespace, &self.pod, container, previous, self.told)
        })
    }

    /// Tells what is there, as much of it as is wanted.
    fn begin(&mut self, lines: Lines) {
        self.run = lines.run;
        self.told = lines.written;
        let chosen: Vec<&Line> = lines
            .lines
            .iter()
            .filter(|line| self.wanted.wants(line))
            .collect();
        let tail = self.wanted.tail.unwrap_or(chosen.len());
        let from = chosen.len().saturating_sub(tail);
        for line in chosen.into_iter().skip(from) {
            self.tell(line);
        }
        self.over |= lines.ended;
    }

    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(piece) = self.ready.pop_front() {
                return Some(piece);
            }
            if self.over || self.changes.changed().await.is_err() {
                return None;
            }
            self.changes.mark_unchanged();
            self.look();
        }
    }

    fn look(&mut self) {
        // The pod may be gone, or the container start again: then the rest of this run is told, and no more.
        let run = |lines: Result<Lines, Failure>| lines.ok().filter(|lines| lines.run == self.run);
        let lines = run(self.lines(self.wanted.previous)).or_else(|| run(self.lines(true)));
        let Some(lines) = lines else {
            self.over = true;
            return;
        };
        for line in &lines.lines {
            if self.wanted.wants(line) && !self.over {
                self.tell(line);
            }
        }
        self.told = lines.written;
        self.over |= lines.ended;
    }

    fn tell(&mut self, line: &Line) {
        let mut text = if self.wanted.timestamps {
            let at = line.at.to_rfc3339_opts(SecondsFormat::Nanos, true);
            format!("{at} {}\n", line.text)
        } else {
            format!("{}\n", line.text)
        }
        .into_bytes();
        if let Some(left) = &mut self.wanted.left {
            text.truncate(*left);
            *left -= text.len();
            self.over |= *left == 0;
        }
        if !text.is_empty() {
            self.ready.push_back(Bytes::from(text));
        }
    }
}

/// Of these lines what a query wants.
#[cfg(test)]
pub(super) fn written(lines: Vec<Line>, query: &str) -> Result<String, Failure> {
    use crate::sim::{Clock, World};
    let now = lines.last().map(|line| line.at).unwrap_or_default();
    let sim = Sim::new(World::new(now), Clock::manual(now));
    let uri = format!("/?{query}").parse().unwrap_or_default();
    let mut reader = Reader {
        wanted: Wanted::of(&sim, "pod", &Query::of(&uri))?,
        namespace: String::new(),
        pod: String::new(),
        container: String::new(),
        changes: sim.changes(),
        sim,
        told: 0,
        run: 0,
        ready: VecDeque::new(),
        over: false,
    };
    reader.begin(Lines {
        lines,
        ended: true,
        ..Lines::default()
    });
    let whole: Vec<u8> = reader.ready.into_iter().flatten().collect();
    Ok(String::from_utf8_lossy(&whole).into_owned())
}
