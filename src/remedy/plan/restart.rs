//! How a workload is restarted, and how it is seen that this helped.

use super::{Draft, Role, Step};
use crate::analysis::quote;

impl Draft<'_> {
    pub(super) fn restart(&self, what: &str) -> Vec<Step> {
        let workload = &self.incident.workload;
        let name = self.object();
        let controller = self.incident.controller.as_ref();
        let step = |role: Role, what: String, rest: String| Step {
            what,
            command: self.kubectl(&rest),
            role,
        };
        let by_hand = controller.and_then(|c| c.strategy.as_deref()) == Some("OnDelete");
        match workload.kind.as_str() {
            "StatefulSet" | "DaemonSet" if by_hand => vec![step(
                Role::Replace,
                format!(
                    "{what}: its update strategy is OnDelete, so a rollout restart replaces nothing. Delete its pods one at a time, and wait until each new one is ready"
                ),
                format!("delete pod {}", self.any_pod()),
            )],
            "Deployment" | "StatefulSet" | "DaemonSet" => {
                let mut steps = Vec::new();
                if controller.is_some_and(|c| c.paused) {
                    steps.push(step(
                        Role::Rollout,
                        format!("Resume {workload}: its rollout is paused, and a paused one cannot be restarted. See first why it was paused"),
                        format!("rollout resume {name}"),
                    ));
                }
                steps.push(step(
                    Role::Rollout,
                    what.to_owned(),
                    format!("rollout restart {name}"),
                ));
                steps.push(step(
                    Role::Wait,
                    "Wait until the rollout is complete".to_owned(),
                    format!("rollout status {name}"),
                ));
                steps
            }
            "Pod" => vec![step(
                Role::ByHand,
                format!(
                    "{what}: a bare pod is not made again by anything, so delete and create it from its manifest"
                ),
                format!("get {name} -o yaml"),
            )],
            kind => vec![step(
                Role::ByHand,
                format!(
                    "{what}: restart {kind} {} the way that its controller provides",
                    workload.name
                ),
                format!("get {name} -o yaml"),
            )],
        }
    }

    /// The first pod to replace: one that fails, else one that is behind.
    pub(super) fn any_pod(&self) -> String {
        let fails = self.incident.failing.is_some();
        let first = self
            .incident
            .replicas
            .iter()
            .find(|r| r.live == Some(fails))
            .or(self.incident.replicas.first());
        first.map_or_else(String::new, |r| quote(&r.pod.name))
    }

    /// Where the failing value would still be seen.
    pub(super) fn verify(&self) -> Option<Step> {
        let bad = self
            .incident
            .replicas
            .iter()
            .flat_map(|r| &r.signals)
            .find(|s| s.revision.is_some() && s.revision == self.incident.failing)?;
        let name = self.object();
        Some(Step {
            what: format!("Watch two minutes: no replica logs {} any more", bad.text),
            command: self.kubectl(&format!(
                "logs {name} --all-pods --prefix --since=2m | grep -F {}",
                quote(&bad.text)
            )),
            role: Role::Verify,
        })
    }
}
