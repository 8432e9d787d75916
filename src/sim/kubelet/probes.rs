//! Probes: what is asked of a program, how often, and what follows from the answers.

use chrono::TimeDelta;
use serde_json::Value;

use super::Step;
use crate::sim::images::Request;
use crate::sim::network::Reply;
use crate::sim::nodes;
use crate::sim::object;
use crate::sim::world::World;

/// So long after somebody did something its consequences are over.
const SETTLED: TimeDelta = TimeDelta::minutes(30);
/// After a start the first probe comes so soon.
const FIRST: TimeDelta = TimeDelta::milliseconds(120);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Startup,
    Readiness,
    Liveness,
}

impl Kind {
    fn field(self) -> &'static str {
        match self {
            Self::Startup => "startupProbe",
            Self::Readiness => "readinessProbe",
            Self::Liveness => "livenessProbe",
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Startup => "Startup",
            Self::Readiness => "Readiness",
            Self::Liveness => "Liveness",
        }
    }
}

/// Answers of one kind, one after the other.
#[derive(Debug, Default, Clone, Copy)]
struct Row {
    fine: i64,
    failed: i64,
}

impl Row {
    /// It will hardly become another.
    fn is_firm(self) -> bool {
        self.fine.max(self.failed) >= 100
    }
}

#[derive(Debug, Default)]
pub(super) struct Checks([Row; 3]);

impl World {
    /// Begins with the probes of a run.
    pub(super) fn begin_probes(&mut self, uid: &str, number: u64, spec: &Value) {
        for kind in [Kind::Startup, Kind::Readiness, Kind::Liveness] {
            let Some(probe) = spec.get(kind.field()) else {
                continue;
            };
            let delay = object::number(probe, "/initialDelaySeconds").unwrap_or(0);
            let after = FIRST + TimeDelta::seconds(delay);
            self.later(after, Step::Probe(uid.to_owned(), number, kind));
        }
    }

    pub(super) fn probe(&mut self, uid: &str, number: u64, kind: Kind) {
        let Some(run) = self.kubelet.pods.get_mut(uid).filter(|run| !run.stopping) else {
            return;
        };
        let Some(container) = run.of_run(number) else {
            return;
        };
        let (name, started) = (container.name.clone(), container.started);
        let firm = container.checks.0[kind as usize].is_firm();
        let spec = run.spec(&name)[kind.field()].clone();
        let period = object::number(&spec, "/periodSeconds").unwrap_or(10).max(1);
        let again = Step::Probe(uid.to_owned(), number, kind);
        if kind == Kind::Startup && started {
            return;
        }
        let wait = self.probe_after(TimeDelta::seconds(period), firm);
        self.later(wait, again);
        if kind != Kind::Startup && !started {
            return;
        }
        let failure = self.check(uid, &name, &spec);
        let limit = |field: &str, default| object::number(&spec, field).unwrap_or(default);
        let (enough, most) = (limit("/successThreshold", 1), limit("/failureThreshold", 3));
        let run = self.kubelet.pods.get_mut(uid);
        let Some(container) = run.and_then(|run| run.of_run(number)) else {
            return;
        };
        let row = &mut container.checks.0[kind as usize];
        match &failure {
            None => {
                *row = Row {
                    fine: row.fine + 1,
                    failed: 0,
                }
            }
            Some(_) => {
                *row = Row {
                    fine: 0,
                    failed: row.failed + 1,
                }
            }
        }
        let row = *row;
        if let Some(failure) = failure {
            let message = format!("{} probe failed: {failure}", kind.word());
            self.record_pod(uid, Some(&name), ("Warning", "Unhealthy"), &message);
        }
        self.conclude(uid, number, kind, (row.fine >= enough, row.failed >= most));
    }

    /// When it is asked next. What was always the same is not asked through months in which nobody touches the cluster.
    fn probe_after(&self, period: TimeDelta, firm: bool) -> TimeDelta {
        let (since, until) = self.undisturbed;
        let rest = until - self.now;
        if !firm || self.now - since < SETTLED || rest < TimeDelta::days(1) {
            return period;
        }
        let periods = (rest - SETTLED).num_seconds() / period.num_seconds().max(1);
        period * i32::try_from(periods).unwrap_or(i32::MAX)
    }

    /// What follows from enough good answers, or from too many bad ones.
    fn conclude(&mut self, uid: &str, number: u64, kind: Kind, (good, bad): (bool, bool)) {
        let Some(run) = self.kubelet.pods.get_mut(uid) else {
            return;
        };
        let Some(name) = run.of_run(number).map(|c| c.name.clone()) else {
            return;
        };
        let has_readiness = run.spec(&name).get("readinessProbe").is_some();
        let Some(container) = run.of_run(number) else {
            return;
        };
        let before = (container.ready, container.started);
        match kind {
            Kind::Readiness if good => container.ready = true,
            Kind::Readiness if bad => container.ready = false,
            Kind::Startup if good => {
                container.started = true;
                container.ready |= !has_readiness;
            }
            Kind::Startup | Kind::Liveness if bad => {
                let word = kind.word().to_lowercase();
                let message = format!("Container {name} failed {word} probe, will be restarted");
                self.record_pod(uid, Some(&name), ("Normal", "Killing"), &message);
                self.exited(uid, number, 137);
                return;
            }
            _ => {}
        }
        if before != (container.ready, container.started) {
            self.report(uid);
        }
    }

    /// Asks; the answer is why it is not well.
    fn check(&mut self, uid: &str, name: &str, probe: &Value) -> Option<String> {
        let run = self.kubelet.pods.get(uid)?;
        let ip = run.ip.clone().unwrap_or_default();
        let (namespace, pod) = (
            run.key.namespace.clone().unwrap_or_default(),
            run.key.name.clone(),
        );
        let port = |probe: &Value| run.port(name, &probe["port"]);
        if let Some(http) = probe.get("httpGet") {
            let port = port(http);
            let path = match object::text(http, "/path") {
                "" => "/",
                path => path,
            };
            let request = Request {
                client: nodes::gateway(&run.node),
                path: path.to_owned(),
                host: format!("{ip}:{port}"),
                agent: "kube-probe/1.37",
                version: "1.1",
            };
            let limit = object::number(probe, "/timeoutSeconds").unwrap_or(1);
            let url = format!("Get \"http://{ip}:{port}{path}\"");
            return match self.ask(&ip, port, &request, 0) {
                Reply::Answer { after, .. } if after > TimeDelta::seconds(limit) => Some(format!(
                    "{url}: context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
                )),
                Reply::Answer { status, .. } if (200..400).contains(&status) => None,
                Reply::Answer { status, .. } => {
                    Some(format!("HTTP probe failed with statuscode: {status}"))
                }
                _ => Some(format!(
                    "{url}: dial tcp {ip}:{port}: connect: connection refused"
                )),
            };
        }
        if let Some(tcp) = probe.get("tcpSocket") {
            let port = port(tcp);
            let open = run
                .all()
                .any(|c| c.program.as_ref().is_some_and(|p| p.listens(port)));
            return (!open).then(|| format!("dial tcp {ip}:{port}: connect: connection refused"));
        }
        let words = object::list(probe, "/exec/command").iter();
        let words: Vec<String> = words.filter_map(Value::as_str).map(str::to_owned).collect();
        if words.is_empty() {
            return None;
        }
        match self.exec(&namespace, &pod, Some(name), &words) {
            Ok(output) if output.code == 0 => None,
            Ok(output) => Some(
                String::from_utf8_lossy(&output.stderr)
                    .trim_end()
                    .to_owned(),
            ),
            Err(failure) => Some(format!("command {words:?} failed: {failure}")),
        }
    }
}

impl super::PodRun {
    /// A port by its number, or by the name that the container gives it.
    fn port(&self, container: &str, port: &Value) -> u16 {
        let spec = self.spec(container);
        let named = |name: &str| {
            let mut ports = object::list(spec, "/ports").iter();
            let found = ports.find(|p| object::text(p, "/name") == name)?;
            object::number(found, "/containerPort")
        };
        let number = port.as_i64().or_else(|| named(port.as_str()?));
        number
            .and_then(|n| u16::try_from(n).ok())
            .unwrap_or_default()
    }
}
