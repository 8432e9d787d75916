//! Plans for an incident, at most one of them recommended: what to do, in the order in which it is safe.

pub(super) mod patch;
mod reference;
mod restart;

use std::collections::BTreeMap;

use crate::analysis::{
    Code, ContentSource, Incident, Replica, Revision, Traffic, ValueChange, kubectl, quote,
    short_names,
};
use crate::model::{Cluster, ConfigKind};
use patch::patch;

/// The kinds of plan, by the names of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanKind {
    RevertThenRestart,
    RollForward,
    MitigateFirst,
    Repoint,
    Undo,
}

impl PlanKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RevertThenRestart => "revert-then-restart",
            Self::RollForward => "roll-forward",
            Self::MitigateFirst => "mitigate-first",
            Self::Repoint => "repoint",
            Self::Undo => "undo",
        }
    }
}

/// What to do, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub kind: PlanKind,
    pub recommended: bool,
    /// The steps in one sentence, for a place that has room for no more.
    pub headline: String,
    /// Why it is recommended, or when it would be right.
    pub why: String,
    pub steps: Vec<Step>,
}

/// One step and the command that does it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    pub what: String,
    pub command: String,
}

/// A patch longer than this does not fit a command line everywhere (Linux takes 128 KiB an argument).
const LONGEST_PATCH: usize = 100_000;

/// The plans for an incident, the recommended one first. None where the config is not the problem.
pub fn plans(incident: &Incident, cluster: &Cluster) -> Vec<Plan> {
    let cause = incident.findings.first().map(|f| f.code);
    let draft = Draft { incident, cluster };
    match cause {
        // The config is not the problem, or which edit was meant for it is not known.
        None | Some(Code::NoEndpoints | Code::EditedElsewhere | Code::OtherSource) => {
            return Vec::new();
        }
        Some(Code::MissingReference) => return vec![draft.bring_back()],
        Some(Code::SplitReference) => return draft.by_reference(),
        // What is live is what was there before: there is nothing to put back.
        Some(Code::EditedBack) => return vec![draft.replace_those_between(cured(incident))],
        Some(_) => {}
    }
    let fails = incident.failing.is_some();
    let cured = cured(incident);
    let mut plans = Vec::new();
    // Nobody is offered to put back what the evidence says fails.
    if !cured {
        plans.push(draft.revert_then_restart(fails));
    }
    if fails && cause != Some(Code::LoadedEverywhere) {
        plans.push(draft.mitigate_first());
    }
    if incident.replicas.iter().any(|r| r.live == Some(false)) {
        let forward = draft.roll_forward(fails, cured);
        if fails {
            plans.push(forward);
        } else {
            plans.insert(0, forward);
        }
    }
    plans
}

/// Whether only replicas behind the last edit fail, where one that runs what is live serves the same route well.
fn cured(incident: &Incident) -> bool {
    let of = |live: bool| {
        let replicas = incident.replicas.iter();
        replicas
            .filter(move |r| r.live == Some(live))
            .flat_map(|r| &r.traffic)
    };
    let failing: Vec<&str> = of(false)
        .filter(|t| fails(t))
        .map(|t| t.route.as_str())
        .collect();
    let serves = |t: &Traffic| t.total >= ENOUGH && t.failed * 10 <= t.total;
    of(true).any(|t| failing.contains(&t.route.as_str()) && serves(t)) && !of(true).any(fails)
}

/// Fewer answers than this may be chance.
const ENOUGH: usize = 3;

fn fails(traffic: &Traffic) -> bool {
    traffic.failed >= ENOUGH && traffic.failed * 2 >= traffic.total
}

struct Draft<'a> {
    incident: &'a Incident,
    cluster: &'a Cluster,
}

impl Draft<'_> {
    fn kubectl(&self, rest: &str) -> String {
        format!(
            "{} -n {} {rest}",
            kubectl(self.cluster),
            quote(&self.incident.config.namespace)
        )
    }

    /// `deployment/NAME`, as a command names the workload.
    fn object(&self) -> String {
        let workload = &self.incident.workload;
        format!("{}/{}", workload.kind.to_lowercase(), quote(&workload.name))
    }

    /// The replicas that run what is live, or that do not.
    fn on(&self, live: bool) -> Vec<&Replica> {
        let replicas = self.incident.replicas.iter();
        replicas.filter(|r| r.live == Some(live)).collect()
    }

    /// The replicas that fail: those that run what is live, and others that fail on the same route.
    fn failing(&self) -> Vec<&Replica> {
        let route = self.incident.route.as_deref();
        let counted = |t: &Traffic| route == Some(t.route.as_str()) && fails(t);
        let replicas = self.incident.replicas.iter();
        replicas
            .filter(|r| r.live == Some(true) || r.traffic.iter().any(counted))
            .collect()
    }

    fn revert_then_restart(&self, fails: bool) -> Plan {
        let why = if fails {
            "The evidence says that the live content fails. Put the earlier content back first: a restart before that gives every new pod the failing one.".to_owned()
        } else {
            "Right if the edit was a mistake. What was it meant to do? The evidence does not say which of the two was intended.".to_owned()
        };
        let mut steps = self.save();
        steps.push(self.restore());
        steps.extend(
            self.restart("Restart the workload, so that every replica runs the restored content"),
        );
        steps.extend(self.verify());
        Plan {
            kind: PlanKind::RevertThenRestart,
            recommended: fails,
            headline: format!(
                "{}, then restart {}.{}",
                self.restoring(),
                self.incident.workload,
                if fails {
                    " Do not restart or delete anything before."
                } else {
                    ""
                }
            ),
            why,
            steps,
        }
    }

    fn mitigate_first(&self) -> Plan {
        let failing = self.failing();
        let mut steps = self.save();
        steps.push(self.restore());
        let pods: Vec<String> = failing.iter().map(|r| quote(&r.pod.name)).collect();
        if self.incident.workload.kind != "Pod" {
            steps.push(Step {
                what: format!(
                    "Replace only what fails: {}. Until the replacement is ready, one endpoint fewer serves",
                    names(self.incident, &failing)
                ),
                command: self.kubectl(&format!("delete pod {}", pods.join(" "))),
            });
        }
        steps.extend(self.restart("Restart the workload afterwards, so that all replicas agree"));
        Plan {
            kind: PlanKind::MitigateFirst,
            recommended: false,
            headline: format!(
                "{}, replace only what fails, then restart {}.",
                self.restoring(),
                self.incident.workload
            ),
            why: "Right if the failures must go down before the whole workload can be restarted. The revert still comes first.".to_owned(),
            steps,
        }
    }

    fn roll_forward(&self, fails: bool, cured: bool) -> Plan {
        let why = if cured {
            "The replicas that run the revision before fail, and those that run what is live serve: the last edit looks like the cure, and has not reached every replica yet.".to_owned()
        } else if fails {
            "Only if the edit was meant and what it names is made to work first. As it is, this makes a part failure a whole one.".to_owned()
        } else {
            "Right if the edit was meant. What was it meant to do? The evidence does not say which of the two was intended.".to_owned()
        };
        let stale = self.on(false);
        let what = format!(
            "Restart the workload, so that {} too {} the live content",
            names(self.incident, &stale),
            if stale.len() == 1 { "runs" } else { "run" }
        );
        Plan {
            kind: PlanKind::RollForward,
            recommended: false,
            headline: format!(
                "Restart {}, so that the edit reaches every replica.",
                self.incident.workload
            ),
            why,
            steps: self.restart(&what),
        }
    }

    /// Edited and edited back: only those that started between run something else.
    fn replace_those_between(&self, cured: bool) -> Plan {
        let stale = self.on(false);
        let who = names(self.incident, &stale);
        let whole = self.roll_forward(false, cured);
        let mut pods: Vec<String> = stale.iter().map(|r| quote(&r.pod.name)).collect();
        pods.dedup();
        let steps = match self.incident.workload.kind.as_str() {
            "Pod" => whole.steps,
            _ => vec![Step {
                what: format!(
                    "Replace {who} alone, one at a time where several serve: they started between the two edits"
                ),
                command: self.kubectl(&format!("delete pod {}", pods.join(" "))),
            }],
        };
        Plan {
            headline: format!(
                "Replace {who}, and only {}.",
                if stale.len() == 1 { "that" } else { "those" }
            ),
            why: if cured {
                whole.why
            } else {
                "What is live is what was there before: there is nothing to put back, and the others run it already.".to_owned()
            },
            steps,
            ..whole
        }
    }

    fn save(&self) -> Vec<Step> {
        let mut steps = vec![self.save_live()];
        // What is in no other place goes with the pod.
        steps.extend(self.incident.only_copy.first().map(|(pod, container)| Step {
            what: format!(
                "Save what pod {} still holds: it may be the only copy of the earlier content, and goes with the pod. The file may hold values of Secrets",
                pod.name
            ),
            command: self.kubectl(&format!(
                "exec {} -c {} -- printenv > {}",
                quote(&pod.name),
                quote(container),
                quote(&format!("{}.env", pod.name))
            )),
        }));
        steps
    }

    fn save_live(&self) -> Step {
        let config = &self.incident.config;
        Step {
            what: match config.kind {
                ConfigKind::ConfigMap => format!("Save {config} as it is now"),
                ConfigKind::Secret => format!(
                    "Save {config} as it is now; the file then holds its values, so keep it safe"
                ),
            },
            command: self.kubectl(&format!(
                "get {} {} -o yaml > {}",
                config.kind.as_str().to_lowercase(),
                quote(&config.name),
                quote(&format!("{}.before-revert.yaml", config.name))
            )),
        }
    }

    /// The revision that is put back.
    fn target(&self) -> Option<&Revision> {
        let put_back = self.incident.put_back.as_ref()?;
        let mut revisions = self.incident.revisions.iter();
        revisions.find(|r| r.name == put_back.revision)
    }

    /// What putting it back turns round.
    fn turned(&self) -> &[ValueChange] {
        let put_back = self.incident.put_back.as_ref();
        put_back.map_or(&[], |put_back| &put_back.changes)
    }

    fn restore(&self) -> Step {
        let config = &self.incident.config;
        let kind = config.kind.as_str().to_lowercase();
        let edit = self.kubectl(&format!("edit {kind} {}", quote(&config.name)));
        let live = self
            .incident
            .revisions
            .last()
            .and_then(|r| r.content.as_ref());
        let target = self
            .target()
            .filter(|_| config.kind == ConfigKind::ConfigMap);
        let (Some(target), Some(live)) = (target, live) else {
            return Step {
                what: format!(
                    "Put the earlier content of {config} back; it was not recovered, so take it from where it is kept"
                ),
                command: edit,
            };
        };
        let source = target
            .source
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default();
        let what = match &target.source {
            Some(ContentSource::Reconstruction { .. }) => format!(
                "Write what is put together for revision {} of {config}{}: it is a {source}. Look at it before you write it{}",
                target.name,
                self.undone(),
                self.concerns_too()
            ),
            _ => format!(
                "Restore revision {} of {config}{} (content from the {source}){}",
                target.name,
                self.undone(),
                self.concerns_too()
            ),
        };
        let patch = target.content.as_ref().map(|content| patch(live, content));
        let command = match patch {
            Some(patch) if patch.len() <= LONGEST_PATCH => self.kubectl(&format!(
                "patch {kind} {} --type merge -p {}",
                quote(&config.name),
                quote(&patch)
            )),
            _ => edit,
        };
        Step { what, command }
    }

    /// `Restore api:8080 in ConfigMap/frontend-nginx (revision A)`.
    fn restoring(&self) -> String {
        let config = &self.incident.config;
        let before = match self.turned() {
            [change] => change.before.clone(),
            _ => None,
        };
        let what = match (before, self.target()) {
            (Some(before), Some(target)) => {
                format!("{before} in {config} (revision {})", target.name)
            }
            (None, Some(target)) => format!("revision {} of {config}", target.name),
            (_, None) => format!("the earlier content of {config}"),
        };
        let put_together = self
            .target()
            .is_some_and(|t| matches!(t.source, Some(ContentSource::Reconstruction { .. })));
        if put_together {
            return format!("Write the reconstruction of {what}");
        }
        format!("Restore {what}")
    }

    /// `; Deployment/other takes it too, and gets it at its next start`.
    fn concerns_too(&self) -> String {
        let others: Vec<String> = self
            .incident
            .shared_with
            .iter()
            .map(ToString::to_string)
            .collect();
        match others.as_slice() {
            [] => String::new(),
            [one] => format!("; {one} takes it too, and gets this at its next start"),
            several => format!(
                "; {} take it too, and get this at their next start",
                several.join(", ")
            ),
        }
    }

    /// `: api:8000 → api:8080`.
    fn undone(&self) -> String {
        match self.turned() {
            [change] => match (&change.before, &change.after) {
                (Some(before), Some(after)) => format!(": {after} → {before}"),
                _ => String::new(),
            },
            _ => String::new(),
        }
    }
}

fn names(incident: &Incident, replicas: &[&Replica]) -> String {
    let short: BTreeMap<String, String> =
        short_names(incident.replicas.iter().map(|r| r.pod.name.as_str()));
    let names: Vec<String> = replicas
        .iter()
        .map(|r| short.get(&r.pod.name).unwrap_or(&r.pod.name).clone())
        .collect();
    match names.as_slice() {
        [head @ .., last] if !head.is_empty() => format!("{} and {last}", head.join(", ")),
        _ => names.join(", "),
    }
}
