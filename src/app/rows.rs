//! The lists row by row, as text: `ui` draws these words and the filter searches them, so that both mean the same.

use std::collections::HashMap;
use std::rc::Rc;

use super::triage::Listed;
use super::{App, shown, time};
use crate::analysis::{Entry, Evidence, Incident, Replica, Signal, Traffic, short_names};
use crate::remedy::{Plan, Step};

/// A count of failures, and whether there are any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failures {
    pub text: String,
    pub any: bool,
}

/// An incident in the list of all.
#[derive(Debug)]
pub struct TriageRow {
    pub code: &'static str,
    /// `cm/frontend-nginx → deploy/frontend`, after the namespace where there are several.
    pub target: String,
    /// `1 A | 1 B`.
    pub split: String,
    pub age: String,
    pub failing: Failures,
}

impl TriageRow {
    pub fn of(app: &App, listed: Listed<'_>) -> Self {
        let age = listed.edited();
        let age = age.map_or_else(|| "unknown".into(), |at| time::ago(app, at));
        let incident = match listed {
            Listed::Incident(incident) => incident,
            Listed::Suspect(suspect) => {
                return Self {
                    code: "suspect",
                    target: target(app, listed),
                    split: format!("{} ? of {}", suspect.behind, suspect.replicas),
                    age,
                    failing: Failures {
                        text: "not known".into(),
                        any: false,
                    },
                };
            }
        };
        let split = shown::split(incident);
        let split: Vec<String> = split
            .iter()
            .map(|(name, n)| format!("{n} {name}"))
            .collect();
        Self {
            code: incident.findings.first().map_or("?", |f| f.code.as_str()),
            target: target(app, listed),
            split: split.join(" | "),
            age,
            failing: failing(incident),
        }
    }

    fn text(&self) -> String {
        format!(
            "{} {} {} {} {}",
            self.code, self.target, self.split, self.age, self.failing.text
        )
    }
}

/// `cm/frontend-nginx → deploy/frontend`.
fn target(app: &App, listed: Listed<'_>) -> String {
    let (config, workload) = (listed.config(), listed.workload());
    let target = format!(
        "{}/{} → {}/{}",
        short_kind(config.kind.as_str()),
        config.name,
        short_kind(&workload.kind),
        workload.name
    );
    match app.options.scope.namespace {
        Some(_) => target,
        None => format!("{} {target}", config.namespace),
    }
}

/// As kubectl abbreviates the kinds that it abbreviates.
fn short_kind(kind: &str) -> &str {
    match kind {
        "ConfigMap" => "cm",
        "Secret" => "secret",
        "Deployment" => "deploy",
        "StatefulSet" => "sts",
        "DaemonSet" => "ds",
        "ReplicaSet" => "rs",
        "Job" => "job",
        "Pod" => "pod",
        other => other,
    }
}

/// Requests that failed within the impact's window, over all replicas and routes: failed, and all.
pub fn requests(incident: &Incident) -> (usize, usize) {
    let traffic = || incident.replicas.iter().flat_map(|r| &r.traffic);
    (
        traffic().map(|t| t.failed).sum(),
        traffic().map(|t| t.total).sum(),
    )
}

fn failing(incident: &Incident) -> Failures {
    let (failed, total) = requests(incident);
    let text = match (failed, total) {
        (_, 0) => "not known".into(),
        (0, total) => format!("0 of {total}"),
        (failed, total) => format!("{failed} of {total} FAIL"),
    };
    Failures {
        text,
        any: failed > 0,
    }
}

/// What the replicas of an incident come to: there may be ten thousand of them.
#[derive(Debug)]
pub struct Order {
    /// Places in the incident, in the order of [`shown::replicas`].
    places: Vec<usize>,
    short: HashMap<String, String>,
    /// Pods have several containers.
    several: bool,
    /// The route that is worth comparing.
    route: Option<String>,
}

impl Order {
    pub(super) fn of(incident: &Incident) -> Self {
        let all = &incident.replicas;
        let first = all.first().map(|r| &r.container);
        let short = short_names(all.iter().map(|r| r.pod.name.as_str()));
        Self {
            places: shown::order(incident),
            short: short.into_iter().collect(),
            several: all.iter().any(|r| Some(&r.container) != first),
            route: worst_route(incident).map(str::to_owned),
        }
    }
}

/// The replicas of an incident, from which each row is made when it is looked at.
#[derive(Debug)]
pub struct Replicas<'a> {
    incident: &'a Incident,
    order: Rc<Order>,
}

impl<'a> Replicas<'a> {
    pub(super) fn new(incident: &'a Incident, order: Rc<Order>) -> Self {
        Self { incident, order }
    }

    pub fn len(&self) -> usize {
        self.order.places.len()
    }

    pub fn is_empty(&self) -> bool {
        self.order.places.is_empty()
    }

    pub fn get(&self, at: usize) -> Option<&'a Replica> {
        self.incident.replicas.get(*self.order.places.get(at)?)
    }

    pub fn iter(&self) -> impl Iterator<Item = &'a Replica> {
        let places = self.order.places.iter();
        places.filter_map(|at| self.incident.replicas.get(*at))
    }

    /// The route that is worth comparing.
    pub fn route(&self) -> Option<&str> {
        self.order.route.as_deref()
    }

    /// The pod's name, shortened; with the container where pods have several.
    pub fn name(&self, replica: &Replica) -> String {
        let pod = &replica.pod.name;
        let name = self.order.short.get(pod).unwrap_or(pod);
        match self.order.several {
            true => format!("{name}/{}", replica.container),
            false => name.clone(),
        }
    }

    pub fn row(&self, app: &App, replica: &Replica) -> ReplicaRow {
        ReplicaRow {
            name: self.name(replica),
            revision: replica.loaded.clone().unwrap_or_else(|| "?".into()),
            live: live_word(replica.live),
            grade: replica.grade.as_str(),
            started: started(app, replica),
            ready: match (replica.ready, replica.state.as_str()) {
                (true, _) => "yes".to_owned(),
                (false, "Running") => "NO".to_owned(),
                (false, state) => state.to_owned(),
            },
            restarts: replica.restarts,
            failures: failures(traffic(replica, self.route())),
            signals: signals(replica),
            full: format!("{}/{}", replica.pod.name, replica.container),
        }
    }
}

pub fn started(app: &App, replica: &Replica) -> String {
    replica
        .started_at
        .map_or_else(|| "-".into(), |at| time::moment(app, at))
}

/// A replica in its list.
#[derive(Debug)]
pub struct ReplicaRow {
    pub name: String,
    pub revision: String,
    pub live: &'static str,
    pub grade: &'static str,
    pub started: String,
    pub ready: String,
    pub restarts: u32,
    pub failures: Failures,
    pub signals: String,
    /// The name uncut: what is pasted from elsewhere is found by it.
    full: String,
}

impl ReplicaRow {
    fn text(&self) -> String {
        format!(
            "{} {} {} {} {} {} {} {} {} {}",
            self.name,
            self.revision,
            self.live,
            self.grade,
            self.started,
            self.ready,
            self.restarts,
            self.failures.text,
            self.signals,
            self.full
        )
    }
}

fn signals(replica: &Replica) -> String {
    let texts: Vec<&str> = replica.signals.iter().map(short_signal).collect();
    texts.join(" ")
}

/// The word for whether a replica runs what is live.
pub fn live_word(live: Option<bool>) -> &'static str {
    match live {
        Some(true) => "=live",
        Some(false) => "≠live",
        None => "?",
    }
}

/// The route that fails most, over all replicas: the one that is worth comparing.
pub fn worst_route(incident: &Incident) -> Option<&str> {
    let mut routes: Vec<(&str, usize, usize)> = Vec::new();
    for traffic in incident.replicas.iter().flat_map(|r| &r.traffic) {
        match routes
            .iter_mut()
            .find(|(route, ..)| *route == traffic.route)
        {
            Some((_, failed, total)) => {
                *failed += traffic.failed;
                *total += traffic.total;
            }
            None => routes.push((&traffic.route, traffic.failed, traffic.total)),
        }
    }
    routes
        .into_iter()
        .max_by_key(|(_, failed, total)| (*failed, *total))
        .map(|(route, ..)| route)
}

/// A replica's answers for a route.
pub fn traffic<'a>(replica: &'a Replica, route: Option<&str>) -> Option<&'a Traffic> {
    replica
        .traffic
        .iter()
        .find(|t| Some(t.route.as_str()) == route)
}

/// `35 of 35 FAIL`, or `0 of 40` where none does.
pub fn failures(traffic: Option<&Traffic>) -> Failures {
    let (text, any) = match traffic {
        None => ("-".into(), false),
        Some(traffic) if traffic.failed == 0 => (format!("0 of {}", traffic.total), false),
        Some(traffic) => (
            format!("{} of {} FAIL", traffic.failed, traffic.total),
            true,
        ),
    };
    Failures { text, any }
}

/// A signal's text, short: of an address with a port only the port, which is what an edit changes.
pub fn short_signal(signal: &Signal) -> &str {
    match signal.text.rfind(':') {
        Some(at)
            if signal.text.len() > at + 1
                && signal.text[at + 1..].bytes().all(|b| b.is_ascii_digit()) =>
        {
            &signal.text[at..]
        }
        _ => &signal.text,
    }
}

fn entry(app: &App, entry: &Entry, name: &str) -> String {
    format!(
        "{} {name} {} {} {}",
        time::interval(app, entry.at),
        entry.what,
        shown::numbers(&entry.evidence),
        entry.lane.name()
    )
}

fn evidence(app: &App, item: &Evidence) -> String {
    let taken = time::moment(app, item.taken_at);
    format!("[{}] {} {taken}", item.number, item.source)
}

fn step((plan, number, step): (&Plan, usize, &Step)) -> String {
    format!("{} {number}. {}", plan.kind.as_str(), step.what)
}

/// The rows of the list of incidents, in the diagnosis's order.
pub(super) fn triage_texts(app: &App) -> Vec<String> {
    app.listed()
        .map(|listed| TriageRow::of(app, listed).text())
        .collect()
}

pub(super) fn replica_texts(app: &App) -> Vec<String> {
    let Some(all) = app.replicas() else {
        return Vec::new();
    };
    all.iter().map(|one| all.row(app, one).text()).collect()
}

pub(super) fn entry_texts(app: &App, incident: &Incident) -> Vec<String> {
    let Some(lanes) = app.lanes() else {
        return Vec::new();
    };
    let row = |at| lanes.rows.get(lanes.of_entry(at)?);
    let entries = incident.timeline.iter().enumerate();
    entries
        .map(|(at, one)| entry(app, one, row(at).map_or("", |row| &row.name)))
        .collect()
}

pub(super) fn evidence_texts(app: &App) -> Vec<String> {
    let items = app.evidence();
    items.into_iter().map(|item| evidence(app, item)).collect()
}

pub(super) fn step_texts(plans: &[Plan]) -> Vec<String> {
    shown::steps(plans).into_iter().map(step).collect()
}

/// An entry of the timeline with its date and without abbreviations, to be pasted elsewhere.
pub(super) fn entry_in_full(app: &App, entry: &Entry) -> String {
    let zone = time::zone(app);
    let when = match (entry.at.earliest, entry.at.latest) {
        (Some(from), Some(to)) if (to - from).num_seconds() > 1 => {
            format!("{}–{} {zone}", time::dated(app, from), time::dated(app, to))
        }
        (Some(at), Some(_)) => format!("{} {zone}", time::dated(app, at)),
        (Some(at), None) => format!("after {} {zone}", time::dated(app, at)),
        (None, Some(at)) => format!("by {} {zone}", time::dated(app, at)),
        (None, None) => "at an unknown time".into(),
    };
    format!("{when} {}: {}", entry.lane.name(), entry.what)
}
