//! Reading inside containers: what would be run, where, and what the user said to it.

use super::App;
use super::msg::{Effect, Origin, Probe};
use super::screen::Overlay;
use super::shown::Note;
use crate::model::PodRef;
use crate::source::Probing;
use crate::source::live::probe_commands;
use crate::text::harmless;

/// What is known of it in this session.
#[derive(Debug, Default)]
pub struct Asking {
    /// What the user said, once.
    said: Option<bool>,
    /// It was told that there is something to be asked.
    told: bool,
    /// What would be run was on screen.
    seen: bool,
    /// The answer that is chosen while the question is open.
    pub yes: bool,
    /// Where something would be read.
    containers: Vec<(PodRef, String)>,
}

impl App {
    /// Whether commands are run in containers now.
    pub fn probes(&self) -> bool {
        let live = self.options.origin == Origin::Live;
        let always = self.options.preferences.probe == Probe::Always;
        live && self.probing.said.unwrap_or(always)
    }

    /// Whether anything beyond observing is agreed to.
    pub fn reads_inside(&self) -> bool {
        let asks = self.options.scope.version_at.is_some();
        self.probes() || (asks && self.options.origin == Origin::Live)
    }

    /// What the user agreed to, for those who read.
    pub fn consent(&self) -> Probing {
        let version_at = self.options.scope.version_at.as_deref();
        Probing {
            exec: self.probes(),
            version_at: version_at.and_then(|at| at.parse().ok()),
        }
    }

    /// There are containers that would be read: told once, and never in the way.
    pub(super) fn probeable(&mut self, containers: Vec<(PodRef, String)>) {
        self.probing.containers = containers;
        let count = self.probing.containers.len();
        let may_ask = self.never_probes().is_none();
        let asks = may_ask && !self.probes() && self.probing.said.is_none();
        if count == 0 || !asks || std::mem::replace(&mut self.probing.told, true) {
            return;
        }
        let containers = if count == 1 {
            "container"
        } else {
            "containers"
        };
        self.notice = Some(format!(
            "{count} {containers} could be probed: i shows what would run."
        ));
    }

    pub(super) fn forget_containers(&mut self) {
        self.probing.containers = Vec::new();
    }

    /// Opens the question, where there is one.
    pub(super) fn ask_to_probe(&mut self) {
        if let Some(why) = self.never_probes() {
            self.notice = Some(why.into());
            return;
        }
        self.close();
        self.probing.seen = true;
        self.probing.yes = self.probes();
        self.overlay = Some((Overlay::Probe, 0));
    }

    fn never_probes(&self) -> Option<&'static str> {
        match (&self.options.origin, self.options.preferences.probe) {
            (Origin::Capture { .. }, _) => {
                Some("A capture holds what was read then: nothing is run in containers.")
            }
            (_, Probe::Never) => {
                Some("Nothing is run in containers: --no-probe or the settings say so.")
            }
            _ => None,
        }
    }

    /// The other answer.
    pub(super) fn choose(&mut self) {
        self.probing.yes = !self.probing.yes;
    }

    /// Closes the question without another answer than there was; where there was none, that is a no.
    pub(super) fn leave_question(&mut self) -> Vec<Effect> {
        match self.probing.said {
            Some(_) => {
                self.close();
                Vec::new()
            }
            None => self.agree(self.probes()),
        }
    }

    pub(super) fn agree(&mut self, yes: bool) -> Vec<Effect> {
        self.close();
        self.probing.said = Some(yes);
        self.notice = Some(match yes {
            true => {
                "Containers are read from now on, by these commands alone; i takes it back.".into()
            }
            false => "Nothing is run in containers; i asks again.".into(),
        });
        vec![Effect::Permit(self.consent())]
    }

    /// `:probe allow`: nobody agrees to what was never on screen.
    pub(super) fn allow_by_name(&mut self) -> Result<Vec<Effect>, String> {
        if let Some(why) = self.never_probes() {
            return Err(why.trim_end_matches('.').to_lowercase());
        }
        if !self.probing.seen {
            self.ask_to_probe();
            return Ok(Vec::new());
        }
        Ok(self.agree(true))
    }
}

/// What would be run, why, and where.
pub(super) fn notes(app: &App) -> Vec<Note> {
    let mut notes = vec![Note::Text(
        "Read-only commands, without a shell; nothing is written or sent. Values of Secrets are hashed at once, what is not \
         asked for is wiped."
            .into(),
    )];
    notes.extend(
        probe_commands()
            .into_iter()
            .map(|(line, why)| Note::Command(format!("{line}  # {why}"))),
    );
    let mut pods: Vec<(&PodRef, Vec<&str>)> = Vec::new();
    for (pod, container) in &app.probing.containers {
        match pods.last_mut() {
            Some((last, containers)) if *last == pod => containers.push(container),
            _ => pods.push((pod, vec![container])),
        }
    }
    notes.push(Note::Heading(match pods.len() {
        0 => "In no pod now: what is known needs no more".into(),
        1 => "In 1 pod now, later where it matters".into(),
        count => format!("In {count} pods now, later where it matters"),
    }));
    notes.extend(pods.into_iter().map(|(pod, containers)| {
        let line = format!("{}/{}: {}", pod.namespace, pod.name, containers.join(", "));
        Note::Text(harmless(&line).into_owned())
    }));
    notes
}
