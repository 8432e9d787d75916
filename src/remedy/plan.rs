//! Plans for an incident, at most one of them recommended: what to do, in the order in which it is safe.

pub(super) mod patch;
mod put_back;
mod reference;
mod restart;

use std::collections::BTreeMap;

use crate::analysis::{Code, Incident, Replica, Traffic, kubectl, quote, short_names};
use crate::model::Cluster;

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
    pub role: Role,
}

/// What a step is for: what it needs, and whether it can be run unseen, hangs on that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Reads, and ends.
    Look,
    /// Writes a file here.
    Save,
    /// Writes the config, by a patch.
    Write,
    /// Makes the config anew.
    Create,
    /// Has pods go, so that others come.
    Replace,
    /// Changes the template, or has it rolled out.
    Rollout,
    /// Ends once the rollout is complete.
    Wait,
    /// Prints what should not be there any more.
    Verify,
    /// Needs a person: an editor, or something that is filled in.
    ByHand,
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

/// The command that writes what is live now again, after another content was put in its place.
pub fn patch_back(incident: &Incident, cluster: &Cluster) -> Option<String> {
    let draft = Draft { incident, cluster };
    let live = incident.revisions.last()?.content.as_ref()?;
    draft.patch(draft.target()?.content.as_ref()?, live)
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
        .filter(|t| t.fails())
        .map(|t| t.route.as_str())
        .collect();
    let serves = |t: &Traffic| t.total >= Traffic::ENOUGH && t.failed * 10 <= t.total;
    of(true).any(|t| failing.contains(&t.route.as_str()) && serves(t))
        && !of(true).any(Traffic::fails)
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
        let counted = |t: &Traffic| route == Some(t.route.as_str()) && t.fails();
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
                role: Role::Replace,
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
                role: Role::Replace,
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
