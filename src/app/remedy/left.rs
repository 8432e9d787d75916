//! Remedies that an earlier run left open, and undoing what was done: both begin from what a journal holds.

use super::{App, Remedy, notes};
use crate::app::msg::Effect;
use crate::app::screen::Overlay;
use crate::app::{shown, time};
use crate::model::Config;
use crate::remedy::{Goal, Heading, Left};
use crate::text::harmless;

impl App {
    /// Remedies that an earlier run left open: told, and offered.
    pub(in crate::app) fn take_left(&mut self, left: Vec<Left>) {
        self.left = left;
    }

    /// Offers it once everything is read, and nobody does something else.
    pub(in crate::app) fn offer_left(&mut self) {
        if !self.left.is_empty() && !self.touched && self.overlay.is_none() {
            self.overlay = Some((Overlay::Left, 0));
        }
    }

    pub fn notes_of_remedy(&self) -> Vec<shown::Note> {
        notes(self)
    }

    /// One that was left open, of the config that is looked at, or the newest.
    pub fn left_open(&self) -> Option<&Left> {
        let open = self.screen.sheet().map(|sheet| &sheet.config);
        let of = self
            .left
            .iter()
            .find(|left| Some(&left.heading.config) == open);
        of.or(self.left.first())
    }

    /// Goes on with what an earlier run left open.
    pub(in crate::app) fn go_on_with_left(&mut self, undo: bool) -> Vec<Effect> {
        self.close();
        let Some(left) = self.left_open().cloned() else {
            self.notice = Some("No remedy was left open on this cluster.".into());
            return Vec::new();
        };
        let config = self.facts.config(&left.heading.config);
        let goal = self.may_act().and_then(|()| {
            let config: &Config = config.ok_or("The config could not be read.")?;
            Ok(if undo {
                left.undo(config)
            } else {
                left.go_on(config)
            })
        });
        self.begin_again(&left.heading, goal, Some(left.journal.clone()))
    }

    /// Undoes what was done: what was there before comes back.
    pub(super) fn undo(&mut self) -> Vec<Effect> {
        let Some(remedy) = &self.remedy else {
            return Vec::new();
        };
        let prepared = remedy.prepared.as_ref().and_then(|p| p.as_ref().ok());
        let saved = prepared.and_then(|prepared| prepared.saved.as_deref());
        let course = remedy.course.as_ref().filter(|_| saved.is_some());
        let heading =
            course.and_then(|course| Heading::of(&course.goal, &self.options.cluster, saved));
        let Some(heading) = heading else {
            self.notice = Some("Nothing was written that could be undone.".into());
            return Vec::new();
        };
        let left = Left {
            journal: String::new(),
            at: self.now,
            last: String::new(),
            heading: heading.clone(),
        };
        let config = self.facts.config(&heading.config);
        let goal = config
            .map(|config| left.undo(config))
            .ok_or("The config could not be read.".into());
        self.begin_again(&heading, goal, None)
    }

    fn begin_again(
        &mut self,
        heading: &Heading,
        goal: Result<Goal, String>,
        journal: Option<String>,
    ) -> Vec<Effect> {
        let kind = goal.as_ref().map_or(heading.kind, |goal| goal.kind);
        let pair = (heading.config.clone(), heading.workload.clone());
        self.present(Remedy {
            journal,
            ..Remedy::new(kind, pair, goal)
        })
    }
}

/// What was left open, each with what was written last.
pub(in crate::app) fn left_notes(app: &App) -> Vec<shown::Note> {
    let mut notes = Vec::new();
    for left in &app.left {
        let heading = &left.heading;
        notes.push(shown::Note::Heading(format!(
            "{} of {} → {} in {}",
            heading.kind.as_str(),
            heading.config,
            heading.workload,
            heading.config.namespace
        )));
        notes.push(shown::Note::Text(format!(
            "begun {}; {} was to run",
            time::dated(app, left.at),
            heading.meant
        )));
        notes.push(shown::Note::Text(harmless(&left.last).into_owned()));
        notes.push(shown::Note::Text(format!("journal {}", left.journal)));
    }
    notes.push(shown::Note::Text(
        "What is so now was read afresh. Both show first what they would do, and write nothing before it is agreed to.".into(),
    ));
    notes
}
