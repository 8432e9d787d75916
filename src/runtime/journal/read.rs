//! Journals as they are read again: those that came to no end, and one by its name.

use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{DateTime, Utc};
use serde_json::Value;

use super::SCHEMA;
use crate::model::{ConfigKind, ConfigRef, Content, WorkloadRef};
use crate::remedy::{Heading, Left, PlanKind};

/// More than a journal ever is: the object is a mebibyte at most.
const LONGEST: u64 = 16 << 20;

/// Journals of a cluster that came to no end, newest first. What cannot be read is none.
pub fn left(folder: &Path, server: &str) -> Vec<Left> {
    let mut all: Vec<Left> = names(folder)
        .into_iter()
        .filter_map(|name| read(folder, &name).ok())
        .filter(|(left, ended)| !ended && left.heading.server == server)
        .map(|(left, _)| left)
        .collect();
    all.sort_by_key(|left| std::cmp::Reverse(left.at));
    all
}

/// A journal by its path or name; the newest of a cluster where none is named.
pub fn find(folder: &Path, named: Option<&Path>, server: &str) -> Result<Left, String> {
    if let Some(path) = named {
        let inside = folder.join(path);
        let path = if path.exists() { path } else { &inside };
        let (parent, name) = (path.parent().unwrap_or(Path::new(".")), path.file_name());
        let name = name
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        return read(parent, &name)
            .map(|(left, _)| left)
            .map_err(|why| format!("{}: {why}", path.display()));
    }
    let mut all: Vec<Left> = names(folder)
        .into_iter()
        .filter_map(|name| read(folder, &name).ok())
        .map(|(left, _)| left)
        .filter(|left| left.heading.server == server)
        .collect();
    all.sort_by_key(|left| left.at);
    all.pop()
        .ok_or_else(|| format!("no journal of {server} is in {}", folder.display()))
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".jsonl"))
        .collect()
}

/// What a journal holds, and whether it came to an end.
fn read(folder: &Path, name: &str) -> Result<(Left, bool), String> {
    let path = folder.join(name);
    let size = fs::metadata(&path)
        .map_err(|error| error.to_string())?
        .len();
    if size > LONGEST {
        return Err("it is too long for a journal".to_owned());
    }
    let text = fs::read_to_string(&path).map_err(|error| error.to_string())?;
    let mut lines = text.lines();
    let head: Value = serde_json::from_str(lines.next().unwrap_or_default())
        .map_err(|error| format!("its first line is no heading of a journal: {error}"))?;
    if head["schema"] != SCHEMA {
        return Err(format!("it is no journal of this program ({SCHEMA})"));
    }
    let (heading, at) = heading(&head).ok_or("its heading lacks something")?;
    let mut last = "nothing was sent yet".to_owned();
    let mut ended = false;
    // A line that a crash cut off is none.
    for line in lines.filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let word = |field: &str| line[field].as_str().unwrap_or_default().to_owned();
        match word("state").as_str() {
            "sent" => last = format!("{}: sent, and no answer was written down", word("write")),
            "done" => last = format!("{}: done", word("write")),
            "failed" => last = format!("{}: {}", word("write"), word("why")),
            "closed" | "stopped" | "undone" => ended = true,
            _ => {}
        }
    }
    let left = Left {
        journal: name.to_owned(),
        at,
        heading,
        last,
    };
    Ok((left, ended))
}

fn heading(head: &Value) -> Option<(Heading, DateTime<Utc>)> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let kinds = [
        PlanKind::RevertThenRestart,
        PlanKind::RollForward,
        PlanKind::MitigateFirst,
        PlanKind::Repoint,
        PlanKind::Undo,
    ];
    let namespace = text(&head["config"]["namespace"])?;
    let heading = Heading {
        context: text(&head["context"])?,
        server: text(&head["server"])?,
        kind: kinds
            .into_iter()
            .find(|kind| head["plan"] == kind.as_str())?,
        config: ConfigRef::new(
            ConfigKind::ConfigMap,
            &namespace,
            head["config"]["name"].as_str()?,
        ),
        workload: WorkloadRef::new(
            head["workload"]["kind"].as_str()?,
            &namespace,
            head["workload"]["name"].as_str()?,
        ),
        meant: text(&head["meant"])?,
        target: content(&head["target"])?,
        before: content(&head["before"])?,
        saved: head["saved"].to_string(),
    };
    let at = DateTime::parse_from_rfc3339(head["at"].as_str()?).ok()?;
    Some((heading, at.with_timezone(&Utc)))
}

fn content(value: &Value) -> Option<Content> {
    let texts = |field: &str| -> Option<Vec<(String, String)>> {
        let map = value[field].as_object()?;
        map.iter()
            .map(|(key, text)| Some((key.clone(), text.as_str()?.to_owned())))
            .collect()
    };
    let binary: Option<_> = texts("binaryData")?
        .into_iter()
        .map(|(key, text)| Some((key, STANDARD.decode(text).ok()?)))
        .collect();
    Some(Content::Plain {
        data: texts("data")?.into_iter().collect(),
        binary: binary?,
    })
}
