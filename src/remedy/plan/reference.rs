//! Plans where what a template names is the matter: a config that is not there, or one that only some replicas name.

use super::patch::patch;
use super::{Draft, LONGEST_PATCH, Plan, PlanKind, Role, Step};
use crate::analysis::quote;
use crate::model::{ConfigKind, Content};

impl Draft<'_> {
    /// The config, or the key that is missing, is put back; what waits for it starts by itself then.
    pub(super) fn bring_back(&self) -> Plan {
        let config = &self.incident.config;
        let mut steps = match self.incident.absent {
            true => vec![self.create()],
            false => {
                let mut steps = self.save();
                steps.push(self.restore());
                steps
            }
        };
        steps.push(Step {
            what: "Watch the pods start: the kubelet tries again by itself, within a few minutes at most".to_owned(),
            command: self.kubectl("get pods -w"),
            role: Role::ByHand,
        });
        Plan {
            kind: PlanKind::RevertThenRestart,
            recommended: true,
            headline: format!(
                "Put back what is missing of {config}; the pods that wait for it start by themselves. Do not restart those that run."
            ),
            why: "Containers cannot start without it. Do not restart or delete a replica that still runs before it is there.".to_owned(),
            steps,
        }
    }

    /// Makes a config that is gone anew, where its content is known.
    fn create(&self) -> Step {
        let config = &self.incident.config;
        let known = self
            .incident
            .revisions
            .last()
            .filter(|_| config.kind == ConfigKind::ConfigMap)
            .and_then(|r| Some((r, r.content.as_ref()?)));
        let found = known.and_then(|(revision, content)| {
            let object = whole(&config.name, content);
            let source = revision.source.as_ref()?.to_string();
            (object.len() <= LONGEST_PATCH).then_some((revision, object, source))
        });
        match found {
            Some((revision, object, source)) => Step {
                what: format!(
                    "Make {config} again as it was last known, revision {} (content from the {source})",
                    revision.name
                ),
                command: format!(
                    "printf %s {} | {}",
                    quote(&object),
                    self.kubectl("create -f -")
                ),
                role: Role::Create,
            },
            None => Step {
                what: format!(
                    "Make {config} again from where it is kept: what it held was not recovered"
                ),
                command: self.kubectl(&format!(
                    "create {} {} --from-file=…",
                    match config.kind {
                        ConfigKind::ConfigMap => "configmap",
                        ConfigKind::Secret => "secret generic",
                    },
                    quote(&config.name)
                )),
                role: Role::ByHand,
            },
        }
    }

    /// The template's reference is put back, or the rollout goes on.
    pub(super) fn by_reference(&self) -> Vec<Plan> {
        let workload = &self.incident.workload;
        let name = self.object();
        let paused = self.incident.controller.as_ref().is_some_and(|c| c.paused);
        let step = |role: Role, what: &str, rest: String| Step {
            what: what.to_owned(),
            command: self.kubectl(&rest),
            role,
        };
        let status = step(
            Role::Wait,
            "Wait until the rollout is complete",
            format!("rollout status {name}"),
        );
        let undo = format!("rollout undo {name}");
        let back = match paused {
            true => Step {
                what: "Put the template back to the one of before. It is paused, and a paused one cannot be undone: both at once, so that it does not go on in between".to_owned(),
                command: format!(
                    "{} && {}",
                    self.kubectl(&format!("rollout resume {name}")),
                    self.kubectl(&undo)
                ),
                role: Role::Rollout,
            },
            false => step(
                Role::Rollout,
                "Put the template back to the one of before",
                undo,
            ),
        };
        let history = step(
            Role::Look,
            "See which revisions there are, and that the one of before is what you want",
            format!("rollout history {name}"),
        );
        let repoint = Plan {
            kind: PlanKind::Repoint,
            recommended: true,
            headline: format!(
                "Put the reference in the template of {workload} back; the rollout follows by itself."
            ),
            why: "The older config is still there, and replicas that name it serve: the template's reference is what differs.".to_owned(),
            steps: vec![history, back, status.clone()],
        };
        vec![repoint, self.go_on(paused, status)]
    }

    /// The rollout goes on to what the template names now.
    fn go_on(&self, paused: bool, status: Step) -> Plan {
        let workload = &self.incident.workload;
        let mut forward = Vec::new();
        if paused {
            forward.push(Step {
                what: "Let the rollout go on. See first why it was paused".to_owned(),
                command: self.kubectl(&format!("rollout resume {}", self.object())),
                role: Role::Rollout,
            });
        }
        forward.push(status);
        Plan {
            kind: PlanKind::RollForward,
            recommended: false,
            headline: format!(
                "Let the rollout of {workload} go on to {}.",
                self.incident.config
            ),
            why: format!(
                "Right if the change to {} was meant, and what held the rollout up is cleared.",
                self.incident.config
            ),
            steps: forward,
        }
    }
}

/// A ConfigMap as one line of JSON.
fn whole(name: &str, content: &Content) -> String {
    let data = patch(&Content::text([]), content);
    let rest = data.trim_start_matches('{');
    format!(
        "{{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{{\"name\":\"{name}\"}}{}{rest}",
        if rest == "}" { "" } else { "," }
    )
}
