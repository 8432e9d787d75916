//! Saving what is live, and putting an earlier content in its place.

use super::patch::patch;
use super::{Draft, LONGEST_PATCH, Role, Step};
use crate::analysis::{ContentSource, Revision, ValueChange, quote};
use crate::model::{ConfigKind, Content};

impl Draft<'_> {
    pub(super) fn save(&self) -> Vec<Step> {
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
            role: Role::Save,
        }));
        steps
    }

    pub(super) fn save_live(&self) -> Step {
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
            role: Role::Save,
        }
    }

    /// The revision that is put back.
    pub(super) fn target(&self) -> Option<&Revision> {
        let put_back = self.incident.put_back.as_ref()?;
        let mut revisions = self.incident.revisions.iter();
        revisions.find(|r| r.name == put_back.revision)
    }

    /// What putting it back turns round.
    pub(super) fn turned(&self) -> &[ValueChange] {
        let put_back = self.incident.put_back.as_ref();
        put_back.map_or(&[], |put_back| &put_back.changes)
    }

    pub(super) fn restore(&self) -> Step {
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
                role: Role::ByHand,
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
        let content = target.content.as_ref();
        let patch = content.and_then(|content| self.patch(live, content));
        let (command, role) = match patch {
            Some(patch) => (patch, Role::Write),
            None => (edit, Role::ByHand),
        };
        Step {
            what,
            command,
            role,
        }
    }

    /// The command that makes one content of another, where that fits a command line.
    pub(super) fn patch(&self, from: &Content, to: &Content) -> Option<String> {
        let patch = patch(from, to);
        let config = &self.incident.config;
        (patch.len() <= LONGEST_PATCH).then(|| {
            self.kubectl(&format!(
                "patch {} {} --type merge -p {}",
                config.kind.as_str().to_lowercase(),
                quote(&config.name),
                quote(&patch)
            ))
        })
    }

    /// `Restore api:8080 in ConfigMap/frontend-nginx (revision A)`.
    pub(super) fn restoring(&self) -> String {
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
    pub(super) fn concerns_too(&self) -> String {
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
    pub(super) fn undone(&self) -> String {
        match self.turned() {
            [change] => match (&change.before, &change.after) {
                (Some(before), Some(after)) => format!(": {after} → {before}"),
                _ => String::new(),
            },
            _ => String::new(),
        }
    }
}
