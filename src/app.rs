//! The dashboard's state: messages come in, effects go out, and nothing here touches the world.

mod commands;
pub mod diff;
pub mod keymap;
mod msg;
pub mod object;
pub mod screen;
pub mod shown;

use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::analysis::{Diagnosis, Incident};
use crate::model::Facts;
use crate::remedy::{self, Plan};
use crate::source::{Progress, SourceError};
use keymap::Context;
pub use msg::{Effect, Msg, News, Options, Origin};
use screen::{Overlay, Screen, Sheet, Tab};

/// How far the reading has come.
#[derive(Debug, Clone)]
pub enum Reading {
    /// What has arrived so far, a line each.
    Running(Vec<Progress>),
    Done,
    Failed(SourceError),
}

/// The whole state.
#[derive(Debug)]
pub struct App {
    pub options: Options,
    pub reading: Reading,
    diagnosis: Option<Arc<Diagnosis>>,
    facts: Facts,
    /// One list of plans for each incident.
    plans: Vec<Vec<Plan>>,
    pub screen: Screen,
    /// The selected incident of the list.
    pub triage: usize,
    pub overlay: Option<(Overlay, usize)>,
    pub local_time: bool,
    /// One line for the user, until the next key.
    pub notice: Option<String>,
    pub now: DateTime<Utc>,
    pub size: (u16, u16),
    /// A key was pressed: from then on no screen opens by itself.
    touched: bool,
}

impl App {
    /// A dashboard that waits for its first reading.
    pub fn new(options: Options, now: DateTime<Utc>) -> Self {
        Self {
            options,
            reading: Reading::Running(Vec::new()),
            diagnosis: None,
            facts: Facts::default(),
            plans: Vec::new(),
            screen: Screen::Triage,
            triage: 0,
            overlay: None,
            local_time: false,
            notice: None,
            now,
            size: (80, 24),
            touched: false,
        }
    }

    /// Takes in what happened; returns what is to be done.
    pub fn update(&mut self, msg: Msg) -> Vec<Effect> {
        match msg {
            Msg::Key(key) => return self.press(key),
            Msg::Resize { width, height } => self.size = (width, height),
            Msg::Tick(now) => self.now = now,
            Msg::Progress(progress) => self.progressed(progress),
            Msg::News(news) => {
                self.facts = news.facts;
                self.take(news.diagnosis);
                if news.complete {
                    self.reading = Reading::Done;
                    self.open_the_only_one();
                }
            }
            Msg::Failed(error) => self.reading = Reading::Failed(error),
            Msg::Copied(outcome) => {
                self.notice = Some(match outcome {
                    Ok(()) => {
                        "Sent to the terminal's clipboard (OSC 52); not every terminal takes it."
                            .into()
                    }
                    Err(why) => format!("Not copied: {why}."),
                });
            }
        }
        Vec::new()
    }

    pub fn diagnosis(&self) -> Option<&Diagnosis> {
        self.diagnosis.as_deref()
    }

    /// What the diagnosis rests on.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    pub fn incidents(&self) -> &[Incident] {
        self.diagnosis().map_or(&[], |d| &d.incidents)
    }

    /// The incident that is open or selected, and its plans.
    pub fn incident(&self) -> Option<(&Incident, &[Plan])> {
        let at = self.screen.sheet().map_or(self.triage, |sheet| sheet.index);
        let plans = self.plans.get(at).map_or(&[][..], Vec::as_slice);
        self.incidents().get(at).map(|incident| (incident, plans))
    }

    /// Where a key pressed now would go.
    pub fn context(&self) -> Context {
        match &self.overlay {
            Some(_) => Context::Overlay,
            None => self.context_below(),
        }
    }

    /// The context under an overlay: what the help is about.
    pub fn context_below(&self) -> Context {
        match &self.screen {
            Screen::Triage => Context::Triage,
            Screen::Sheet(sheet) if sheet.tab == Tab::Diff && sheet.diff.list.is_some() => {
                Context::Keys
            }
            Screen::Sheet(sheet) => Context::Sheet(sheet.tab),
            Screen::Object(_) => Context::Object,
        }
    }

    /// The moment that ages count from: now, or when the capture was taken.
    pub fn reference(&self) -> DateTime<Utc> {
        match (&self.options.origin, self.diagnosis()) {
            (Origin::Capture { .. }, Some(diagnosis)) => diagnosis.taken_at,
            _ => self.now,
        }
    }

    /// Whether something on screen changes by time alone.
    pub fn shows_age(&self) -> bool {
        self.options.origin == Origin::Live && self.diagnosis.is_some()
    }

    fn progressed(&mut self, progress: Progress) {
        let Reading::Running(lines) = &mut self.reading else {
            return;
        };
        // Only the last count of the further reads says something.
        if matches!(progress, Progress::Answered { .. }) {
            lines.retain(|line| !matches!(line, Progress::Answered { .. }));
        }
        lines.push(progress);
    }

    /// Takes a new diagnosis; what is selected and open stays so, by its names.
    fn take(&mut self, diagnosis: Arc<Diagnosis>) {
        let selected = self
            .incidents()
            .get(self.triage)
            .map(|incident| (incident.config.clone(), incident.workload.clone()));
        self.plans = diagnosis
            .incidents
            .iter()
            .map(|incident| remedy::plans(incident, &diagnosis.cluster))
            .collect();
        self.diagnosis = Some(diagnosis);
        let found = self.incidents().iter().position(|incident| {
            selected.as_ref().is_some_and(|(config, workload)| {
                *config == incident.config && *workload == incident.workload
            })
        });
        let last = self.incidents().len().saturating_sub(1);
        self.triage = found
            .filter(|_| self.touched)
            .unwrap_or(self.triage.min(last));
        self.reopen();
    }

    /// Points an open sheet to its incident's new place, or closes it where the incident is gone.
    fn reopen(&mut self) {
        let Some(diagnosis) = self.diagnosis.clone() else {
            return;
        };
        if let Screen::Object(object) = &mut self.screen {
            object.settle(&self.facts);
        }
        let Some(sheet) = self.screen.sheet_mut() else {
            return;
        };
        let place = diagnosis
            .incidents
            .iter()
            .position(|incident| sheet.is_about(incident));
        match place.and_then(|at| Some((at, diagnosis.incidents.get(at)?))) {
            Some((at, incident)) => {
                sheet.index = at;
                commands::settle(sheet, incident);
            }
            None => {
                self.notice = Some(format!(
                    "{} → {} is no longer among the incidents.",
                    sheet.config, sheet.workload
                ));
                self.screen = Screen::Triage;
                self.overlay = None;
            }
        }
    }

    /// Nobody should have to open a list of one.
    fn open_the_only_one(&mut self) {
        if self.touched || !matches!(self.screen, Screen::Triage) {
            return;
        }
        if let [incident] = self.incidents() {
            self.screen = Screen::Sheet(Box::new(Sheet::new(0, incident)));
        }
    }
}

#[cfg(test)]
mod tests;
