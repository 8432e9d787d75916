//! The lanes of an incident's timeline: their order, their names, and what happened on each.

use std::collections::HashMap;

use unicode_width::UnicodeWidthStr;

use crate::analysis::{Entry, Incident, Lane, Replica, short_names};

/// One config, workload or pod.
#[derive(Debug)]
pub struct Row {
    pub lane: Lane,
    /// A pod's is shortened among the pods', the others stay.
    pub name: String,
    /// Its replica's place in the incident.
    replica: Option<usize>,
    /// Its entries' places in the timeline.
    entries: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Config,
    Workload,
    Pod,
    Coverage,
}

fn kind(lane: &Lane) -> (Kind, &str) {
    match lane {
        Lane::Config(name) => (Kind::Config, name),
        Lane::Workload(name) => (Kind::Workload, name),
        Lane::Pod(name) => (Kind::Pod, name),
        Lane::Coverage => (Kind::Coverage, ""),
    }
}

impl Row {
    fn new((kind, name): (Kind, &str), replica: Option<usize>) -> Self {
        let name = name.to_owned();
        Self {
            lane: match kind {
                Kind::Config => Lane::Config(name.clone()),
                Kind::Workload => Lane::Workload(name.clone()),
                Kind::Pod => Lane::Pod(name.clone()),
                Kind::Coverage => Lane::Coverage,
            },
            name: match kind {
                Kind::Coverage => Lane::Coverage.name().to_owned(),
                _ => name,
            },
            replica,
            entries: Vec::new(),
        }
    }

    pub fn replica<'a>(&self, incident: &'a Incident) -> Option<&'a Replica> {
        incident.replicas.get(self.replica?)
    }

    pub fn entries<'a>(&self, incident: &'a Incident) -> Vec<&'a Entry> {
        let places = self.entries.iter();
        places.filter_map(|at| incident.timeline.get(*at)).collect()
    }
}

/// All of them: configs first, then workloads, then pods by their start; every lane that has an entry, and every replica's pod.
#[derive(Debug)]
pub struct Lanes {
    pub rows: Vec<Row>,
    /// The columns of the longest name.
    pub longest: usize,
    /// By the entry's place in the timeline.
    of_entry: Vec<usize>,
}

impl Lanes {
    pub fn of(incident: &Incident) -> Self {
        let mut replicas: HashMap<&str, usize> = HashMap::new();
        for (at, replica) in incident.replicas.iter().enumerate() {
            replicas.entry(&replica.pod.name).or_insert(at);
        }
        let mut rows: Vec<Row> = Vec::new();
        let mut known: HashMap<(Kind, &str), usize> = HashMap::new();
        let own = (Kind::Config, incident.config.name.as_str());
        let entries = incident.timeline.iter().enumerate();
        let pods = incident.replicas.iter().map(|r| r.pod.name.as_str());
        let all = std::iter::once((own, None))
            .chain(entries.map(|(at, entry)| (kind(&entry.lane), Some(at))))
            .chain(pods.map(|name| ((Kind::Pod, name), None)));
        for (lane, entry) in all {
            let at = *known.entry(lane).or_insert_with(|| {
                let replica = replicas.get(lane.1).filter(|_| lane.0 == Kind::Pod);
                rows.push(Row::new(lane, replica.copied()));
                rows.len() - 1
            });
            if let Some(row) = rows.get_mut(at) {
                row.entries.extend(entry);
            }
        }
        rows.sort_by_cached_key(|row| key(incident, row));
        shorten(&mut rows);
        let mut of_entry = vec![0; incident.timeline.len()];
        for (lane, row) in rows.iter().enumerate() {
            for at in &row.entries {
                of_entry[*at] = lane;
            }
        }
        Self {
            longest: rows.iter().map(|row| row.name.width()).max().unwrap_or(0),
            rows,
            of_entry,
        }
    }

    /// The lane that an entry of the timeline is on.
    pub fn of_entry(&self, at: usize) -> Option<usize> {
        self.of_entry.get(at).copied()
    }
}

type Key = (usize, Option<chrono::DateTime<chrono::Utc>>, String);

fn key(incident: &Incident, row: &Row) -> Key {
    let rank = match &row.lane {
        Lane::Config(name) => usize::from(*name != incident.config.name),
        Lane::Workload(_) => 2,
        Lane::Pod(_) => 3,
        Lane::Coverage => 4,
    };
    let first = row
        .entries
        .first()
        .and_then(|at| incident.timeline.get(*at));
    let begin = first.and_then(|entry| entry.at.anchor());
    let begin = begin.or_else(|| row.replica(incident)?.started_at);
    (rank, begin, row.name.clone())
}

/// Shortens the names of pods among themselves.
fn shorten(rows: &mut [Row]) {
    let is_pod = |row: &&Row| matches!(row.lane, Lane::Pod(_));
    let pods = rows.iter().filter(is_pod).map(|row| row.lane.name());
    let mut short = short_names(pods);
    for row in rows.iter_mut() {
        if let Lane::Pod(name) = &row.lane
            && let Some(short) = short.remove(name)
        {
            row.name = short;
        }
    }
}
