//! What runs in a container: when it reads its files, and what it logs.

use super::volume::{Files, files, shows};
use super::{Millis, moment};
use crate::model::env::variables;
use crate::model::pod::{Run, Template};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// nginx: reads its configuration at its start and when it is told to reload (nginx.org, Beginner's Guide).
    Nginx,
    /// Reads its files again soon after they change, and logs nothing of them.
    Watches,
    /// Logs each setting with its value, at its start and from time to time.
    Prints { watches: bool, every: Millis },
}

impl Program {
    pub fn watches(self) -> bool {
        matches!(self, Self::Watches | Self::Prints { watches: true, .. })
    }

    pub fn image(self) -> &'static str {
        match self {
            Self::Nginx => "nginx:1.27-alpine",
            Self::Watches | Self::Prints { .. } => "registry.example/shop/app:5",
        }
    }
}

/// The lines of one run's log until a moment, each with the node's time.
pub fn log(
    template: &Template,
    container: usize,
    run: &Run,
    now: Millis,
    offset: Millis,
) -> Vec<String> {
    let end = run.finished.map_or(now, |at| at.min(now));
    let mut lines: Vec<(Millis, String)> = Vec::new();
    match template.programs[container] {
        Program::Nginx => {
            lines.push((
                run.started + 20,
                "2026/10/02 20:35:26 [notice] 1#1: nginx/1.27.5".to_owned(),
            ));
            for at in &run.reloads {
                lines.push((*at, "2026/10/02 20:36:26 [notice] 1#1: signal 1 (SIGHUP) received from 40, reconfiguring".to_owned()));
            }
        }
        Program::Watches => lines.push((run.started + 50, "listening on :8080".to_owned())),
        Program::Prints { every, .. } => {
            lines.push((run.started + 10, "starting".to_owned()));
            let mut at = run.started + 60;
            while at <= end {
                lines.extend(
                    values(template, container, run, at)
                        .into_iter()
                        .map(|line| (at, line)),
                );
                at += every;
            }
        }
    }
    lines
        .into_iter()
        .filter(|(at, _)| *at <= end)
        .map(|(at, line)| format!("{} {line}\n", moment(at + offset).to_rfc3339()))
        .collect()
}

/// `name=value` of everything that the process knows at a moment.
fn values(template: &Template, container: usize, run: &Run, at: Millis) -> Vec<String> {
    let spec = &template.containers[container];
    let (set, _) = variables(spec, &run.environment);
    let mut lines = Vec::new();
    for (name, (by, key)) in set {
        let value = by.config(spec).and_then(|config| {
            let data = run.environment.get(config)?.as_ref()?;
            data.get(key.as_str())
        });
        lines.push(format!("{name}={}", value.unwrap_or(&"fixed")));
    }
    for mount in &spec.mounts {
        let volume = template.volume(&mount.volume);
        let contents = match mount.sub_path {
            Some(_) => &run.bound[volume],
            None => &run.view(at)[volume],
        };
        let (found, _): (Files, bool) = files(&template.volumes[volume], contents);
        for (path, (source, key)) in found.iter().filter(|(path, _)| shows(mount, path)) {
            let data = contents[*source].as_ref().unwrap();
            lines.push(format!("{path}={}", data[key.as_str()]));
        }
    }
    lines
}
