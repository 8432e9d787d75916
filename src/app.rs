//! The dashboard's state: messages come in, effects go out, and nothing here touches the world.

pub mod axis;
mod commands;
mod copying;
pub mod diff;
pub mod filter;
pub mod kept;
pub mod keymap;
pub mod lanes;
pub mod lists;
pub mod logs;
mod msg;
mod news;
pub mod object;
mod outcomes;
pub mod palette;
pub mod probing;
pub mod prompt;
pub mod remedy;
pub mod rows;
pub mod screen;
pub mod shown;
pub mod time;
pub mod triage;

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};

use crate::analysis::{Diagnosis, Evidence, Incident};
use crate::model::{ConfigRef, Facts, WorkloadRef};
use crate::remedy::{Left, Plan};
use crate::source::{Progress, SourceError};
use axis::Axis;
use filter::Filter;
use kept::Kept;
use keymap::Context;
use lanes::Lanes;
use lists::Sort;
pub use msg::{
    Act, Effect, Exported, Hit, Link, Mode, Msg, News, Options, Origin, Preferences, Probe, Theme,
};
use prompt::{Asking, Prompt};
use rows::{Order, Replicas};
use screen::{Overlay, Screen, Tab};

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
    /// `None` where nothing can change, or nothing is connected yet.
    pub link: Option<Link>,
    focus: Option<(ConfigRef, WorkloadRef)>,
    diagnosis: Option<Arc<Diagnosis>>,
    facts: Facts,
    /// The pair that is open, judged though it is no incident.
    watched: Option<Arc<Incident>>,
    /// What is to be done, or under way.
    pub remedy: Option<Box<remedy::Remedy>>,
    /// Remedies that earlier runs left open.
    left: Vec<Left>,
    /// A first `q` while a remedy is under way.
    quitting: bool,
    /// One list of plans for each incident, made when it is first looked at.
    plans: Vec<OnceCell<Vec<Plan>>>,
    pub kept: Kept,
    pub screen: Screen,
    /// The selected incident of the list, by its place in the diagnosis.
    pub triage: usize,
    pub sort: Sort,
    pub overlay: Option<(Overlay, usize)>,
    /// The line that is typed now.
    pub prompt: Option<Prompt>,
    triage_filter: Filter,
    overlay_filter: Filter,
    /// Of what has no filter.
    unfiltered: Filter,
    pub mouse: bool,
    pub probing: probing::Asking,
    /// What was exported for a chat.
    pub summary: String,
    /// What the clipboard was asked to take, in words.
    copying: Option<String>,
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
            mouse: options.preferences.mouse,
            local_time: options.preferences.local_time,
            options,
            reading: Reading::Running(Vec::new()),
            link: None,
            focus: None,
            diagnosis: None,
            facts: Facts::default(),
            watched: None,
            remedy: None,
            left: Vec::new(),
            quitting: false,
            plans: Vec::new(),
            kept: Kept::default(),
            screen: Screen::Triage,
            triage: 0,
            sort: Sort::default(),
            overlay: None,
            prompt: None,
            triage_filter: Filter::default(),
            overlay_filter: Filter::default(),
            unfiltered: Filter::default(),
            summary: String::new(),
            probing: probing::Asking::default(),
            copying: None,
            notice: None,
            now,
            size: (80, 24),
            touched: false,
        }
    }

    /// Takes in what happened; returns what is to be done.
    pub fn update(&mut self, msg: Msg) -> Vec<Effect> {
        let mut effects = self.handle(msg);
        let sheet = self.screen.sheet();
        let open = sheet.map(|sheet| (sheet.config.clone(), sheet.workload.clone()));
        // What a remedy waits for is seen only of the pair that it is about.
        let open = self.remedied().or(open);
        // Who looks at a suspect wants to know.
        let open = open.or_else(|| match self.listed_at(self.triage)? {
            suspect @ triage::Listed::Suspect(_) if self.touched => Some(suspect.pair()),
            _ => None,
        });
        if open != self.focus {
            self.focus.clone_from(&open);
            effects.push(Effect::Focus(open));
        }
        effects
    }

    fn handle(&mut self, msg: Msg) -> Vec<Effect> {
        match msg {
            Msg::Key(key) => return self.press(key),
            Msg::Resize { width, height } => self.size = (width, height),
            Msg::Tick(now) => {
                self.now = now;
                return self.advance();
            }
            Msg::Progress(progress) => self.progressed(progress),
            // What was under way for another namespace when that was left.
            Msg::News(news) if self.is_of_another_namespace(&news) => {}
            Msg::News(news) => {
                self.facts = news.facts;
                self.watched = news.watched;
                self.take(news.diagnosis);
                if news.complete {
                    self.reading = Reading::Done;
                    self.open_the_only_one();
                    self.offer_left();
                }
                return self.advance();
            }
            Msg::Prepared(outcome) => self.prepared(outcome),
            Msg::Wrote(outcome) => return self.wrote(outcome),
            Msg::Edited(outcome) => return self.edited(outcome),
            Msg::Left(left) => self.take_left(left),
            Msg::Failed(error) => self.reading = Reading::Failed(error),
            Msg::Link(link) => self.link = Some(link),
            Msg::Notice(text) => self.notice = Some(text),
            Msg::Anew(why) => return self.begin_anew(&why),
            Msg::Probeable(containers) => self.probeable(containers),
            Msg::Copied(outcome) => self.copied(outcome),
            Msg::Paste(text) => self.typed(&text),
            Msg::Click(hit) => return self.click(hit),
            Msg::Wheel { down } => self.wheel(down),
            Msg::Exported(outcome) => return self.exported(outcome),
            Msg::LoggedIn(outcome) => return self.logged_in(outcome),
        }
        Vec::new()
    }

    fn is_of_another_namespace(&self, news: &News) -> bool {
        self.options.origin == Origin::Live
            && news.diagnosis.scope.namespace != self.options.scope.namespace
    }

    /// Begins anew, as with nothing read.
    fn forget(&mut self) {
        self.reading = Reading::Running(Vec::new());
        self.diagnosis = None;
        self.facts = Facts::default();
        self.plans = Vec::new();
        self.kept = Kept::default();
        self.screen = Screen::Triage;
        self.triage = 0;
        self.triage_filter = Filter::default();
        self.forget_containers();
        // What is worst stays selected, and a single incident opens by itself, as at the start.
        self.touched = false;
        self.close();
    }

    pub fn diagnosis(&self) -> Option<&Diagnosis> {
        self.diagnosis.as_deref()
    }

    /// The same, to be kept beyond the next reading.
    pub fn shared_diagnosis(&self) -> Option<Arc<Diagnosis>> {
        self.diagnosis.clone()
    }

    /// The pair whose sheet is open.
    pub fn focus(&self) -> Option<&(ConfigRef, WorkloadRef)> {
        self.focus.as_ref()
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
        let at = self.place();
        let diagnosis = self.diagnosis()?;
        let incident = diagnosis.incidents.get(at)?;
        let plans = self.plans.get(at).map_or(&[][..], |plans| {
            plans.get_or_init(|| crate::remedy::plans(incident, &diagnosis.cluster))
        });
        Some((incident, plans))
    }

    /// The place in the diagnosis of the incident that is open or selected.
    pub fn place(&self) -> usize {
        self.screen.sheet().map_or(self.triage, |sheet| sheet.index)
    }

    /// The lanes of its timeline.
    pub fn lanes(&self) -> Option<Rc<Lanes>> {
        let at = self.place();
        let incident = self.incidents().get(at)?;
        Some(self.kept.lanes.get(at, || Lanes::of(incident)))
    }

    /// The axis of its timeline in so many columns.
    pub fn axis(&self, columns: usize) -> Option<Rc<Axis>> {
        let at = self.place();
        let diagnosis = self.diagnosis()?;
        let incident = diagnosis.incidents.get(at)?;
        let fit = || Axis::fit(incident, Some(diagnosis.taken_at), columns);
        Some(self.kept.axis.get((at, columns), fit))
    }

    /// Its replicas in the order of their list.
    pub fn replicas(&self) -> Option<Replicas<'_>> {
        let at = self.place();
        let incident = self.incidents().get(at)?;
        let order = self.kept.order.get(at, || Order::of(incident));
        Some(Replicas::new(incident, order))
    }

    /// The evidence that it rests on.
    pub fn evidence(&self) -> Vec<&Evidence> {
        let at = self.place();
        let diagnosis = self.diagnosis();
        let Some((diagnosis, incident)) = diagnosis.and_then(|d| Some((d, d.incidents.get(at)?)))
        else {
            return Vec::new();
        };
        let places = self
            .kept
            .evidence
            .get(at, || shown::evidence(diagnosis, incident));
        let items = places.iter().filter_map(|at| diagnosis.evidence.get(*at));
        items.collect()
    }

    /// Where a key pressed now would go.
    pub fn context(&self) -> Context {
        match (&self.prompt, self.overlay) {
            (Some(prompt), _) => match prompt.asking {
                Asking::Filter => Context::Filter,
                Asking::Command => Context::Palette,
                Asking::Confirm => Context::Confirm,
            },
            (None, Some((Overlay::Export, _))) => Context::Menu,
            (None, Some((Overlay::Probe, _))) => Context::Consent,
            (None, Some(_)) => Context::Overlay,
            (None, None) => self.context_below(),
        }
    }

    /// The context under what lies over the screen: what the help is about, and what the palette can run.
    pub fn context_below(&self) -> Context {
        match &self.screen {
            Screen::Triage => Context::Triage,
            Screen::Sheet(sheet) if sheet.tab == Tab::Diff && sheet.diff.list.is_some() => {
                Context::Keys
            }
            Screen::Sheet(sheet) => Context::Sheet(sheet.tab),
            Screen::Object(_) => Context::Object,
            Screen::Remedy(_) => Context::Remedy,
        }
    }

    /// Whether keys are text that is being typed.
    pub fn is_typing(&self) -> bool {
        match &self.screen {
            Screen::Sheet(sheet) => sheet.tab == Tab::Logs && sheet.logs.prompt.is_some(),
            Screen::Triage | Screen::Object(_) | Screen::Remedy(_) => false,
        }
    }

    /// The moment that ages count from: now by the cluster's clock, or when the capture was taken.
    pub fn reference(&self) -> DateTime<Utc> {
        match (&self.options.origin, self.diagnosis()) {
            (Origin::Capture { .. }, Some(diagnosis)) => diagnosis.taken_at,
            // What the cluster tells is by its clock: this machine's may be hours off.
            _ => self.cluster_now(),
        }
    }

    /// Whether something on screen changes by time alone.
    pub fn shows_age(&self) -> bool {
        self.options.origin == Origin::Live && self.diagnosis.is_some()
    }

    /// Whether what is on screen reads otherwise now, by time alone: ages count seconds at first, and minutes later.
    pub fn is_due(&self, now: DateTime<Utc>) -> bool {
        const FRESH: TimeDelta = TimeDelta::seconds(130);
        let since = now - self.now;
        let fresh = |at: DateTime<Utc>| now - at < FRESH;
        let counts_seconds = matches!(self.link, Some(Link::Lost { .. }))
            || self.remedy_is_under_way()
            || self
                .screen
                .sheet()
                .is_some_and(|sheet| sheet.tab == Tab::Logs)
            || self.listed().filter_map(triage::Listed::edited).any(fresh);
        since >= TimeDelta::seconds(10) || (counts_seconds && since >= TimeDelta::milliseconds(900))
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
}

#[cfg(test)]
mod tests;
