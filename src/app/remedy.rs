//! The remedy on screen: what it would do, what was typed to agree to it, and how far it has come. What it is about it keeps by
//! itself: once it helps, there is no incident any more.

mod choosing;
mod facts;
mod left;
mod notes;

pub(super) use self::left::left_notes;
pub use self::notes::diff_lines;
pub(super) use self::notes::notes;
use super::msg::{Act, Effect, Mode, Origin};
use super::prompt::{Asking, Prompt};
use super::screen::{Screen, Tab};
use super::{App, shown};
use crate::model::{ConfigRef, WorkloadRef};
use crate::remedy::{
    self, Choice, Confirmation, Course, Goal, Heading, Method, PlanKind, Prepared, Stage, Write,
    WriteError, Written,
};

/// A remedy that is looked at or under way.
#[derive(Debug)]
pub struct Remedy {
    pub kind: PlanKind,
    pub config: ConfigRef,
    pub workload: WorkloadRef,
    /// What it comes to, or why only the plan's commands can be followed.
    pub goal: Result<Goal, String>,
    pub choices: Vec<Choice>,
    /// `None` where it begins from a journal: there is nothing to choose.
    chosen: Option<Chosen>,
    /// The evidence says that this is the way, or there is no other.
    recommended: bool,
    /// What the writing of the content changes, line by line.
    pub diff: Vec<String>,
    /// Keys that the whole target changes.
    pub keys: Vec<String>,
    /// The writes that are on screen.
    pub announced: Vec<Write>,
    /// `None` while it is being asked.
    pub prepared: Option<Result<Box<Prepared>, WriteError>>,
    pub course: Option<Course>,
    /// What would have prevented it.
    prevention: Vec<(String, String)>,
    /// The journal of an earlier run that it goes on in.
    journal: Option<String>,
    /// The first write begins a journal of its own.
    begun: bool,
    /// The journal has its last line.
    ended: bool,
}

/// What is done with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RemedyAct {
    GoOn,
    NextChoice,
    OtherMethod,
    Stop,
    Undo,
    /// Writes the closing report.
    Export,
    /// One key alone, the next one, or all again.
    NextKey,
    /// Corrects the text of the key in an editor.
    Edit,
}

/// What was chosen of a plan.
#[derive(Debug, Clone, PartialEq)]
struct Chosen {
    /// Which earlier content.
    content: usize,
    /// Which of its changed keys alone, from 1; 0 is all.
    key: usize,
    method: Method,
    /// A key and its text as a person corrected it.
    corrected: Option<(String, String)>,
}

impl Chosen {
    fn first() -> Self {
        Self {
            content: 0,
            key: 0,
            method: Method::Replace,
            corrected: None,
        }
    }
}

impl Remedy {
    fn new(
        kind: PlanKind,
        (config, workload): (ConfigRef, WorkloadRef),
        goal: Result<Goal, String>,
    ) -> Self {
        Self {
            kind,
            config,
            workload,
            goal,
            choices: Vec::new(),
            chosen: None,
            recommended: true,
            diff: Vec::new(),
            keys: Vec::new(),
            announced: Vec::new(),
            prepared: None,
            course: None,
            prevention: Vec::new(),
            journal: None,
            begun: false,
            ended: false,
        }
    }

    /// Whether an earlier content is put back.
    fn puts_back(&self) -> bool {
        matches!(
            self.kind,
            PlanKind::RevertThenRestart | PlanKind::MitigateFirst
        )
    }

    fn is_under_way(&self) -> bool {
        self.course.as_ref().is_some_and(|course| !course.is_over())
    }

    /// Compares what is live with what the server says that it would be, where it was asked; where nothing is written, what was
    /// before with what is live. Once, since it may take long.
    fn compare(&mut self) {
        let delivered = match (&self.goal, self.choices.first()) {
            (Ok(goal), Some(before)) if goal.kind == PlanKind::RollForward => {
                let live = goal.seen.content.as_ref();
                live.map(|live| (&before.content, live))
            }
            _ => None,
        };
        let writes = self.announced.iter().find_map(|write| match write {
            Write::Content { from, to, .. } => Some((from, to)),
            _ => None,
        });
        let prepared = self
            .prepared
            .as_ref()
            .and_then(|prepared| prepared.as_ref().ok());
        let rehearsed = prepared.and_then(|prepared| prepared.rehearsed());
        let written = writes.map(|(from, to)| (from, rehearsed.unwrap_or(to)));
        let sides = written.or(delivered);
        self.diff = sides.map_or_else(Vec::new, |(from, to)| diff_lines(from, to));
    }

    /// The pair whose replicas tell how far it is: of another template, that of the config which it names.
    fn pair(&self) -> (ConfigRef, WorkloadRef) {
        let goal = self.goal.as_ref().ok();
        let config = goal.and_then(|goal| goal.repoint.as_ref());
        (
            config.unwrap_or(&self.config).clone(),
            self.workload.clone(),
        )
    }
}

impl Remedy {
    /// The last line of the journal, once it is over. What stopped it may be mended, and the next start offers to go on; where
    /// nothing was written there is nothing to go on with.
    fn ending(&mut self, course: &Course) -> Option<Effect> {
        let (state, why) = match &course.stage {
            Stage::Closed { .. } if course.goal.kind == PlanKind::Undo => ("undone", String::new()),
            Stage::Closed { verified } => ("closed", format!("verified by traffic: {verified}")),
            Stage::Stopped(why) if !course.wrote => ("stopped", why.clone()),
            _ => return None,
        };
        let first = !std::mem::replace(&mut self.ended, true);
        first.then_some(Effect::Act(Act::End { state, why }))
    }
}

impl App {
    /// Opens the remedy of the incident on screen: the plan under the cursor, else the one that is recommended, else the first.
    pub(super) fn open_remedy(&mut self) -> Vec<Effect> {
        if self.remedy_is_under_way() {
            self.show_remedy();
            return Vec::new();
        }
        let Some(kind) = self.chosen_plan() else {
            self.notice = Some("There is no plan for this.".into());
            return Vec::new();
        };
        self.begin_remedy(kind, Chosen::first())
    }

    fn chosen_plan(&self) -> Option<PlanKind> {
        let (_, plans) = self.incident()?;
        let sheet = self.screen.sheet().filter(|sheet| sheet.tab == Tab::Plan);
        let steps = shown::steps(plans);
        let selected = sheet.and_then(|sheet| steps.get(sheet.step).map(|(plan, ..)| plan.kind));
        let recommended = plans.iter().find(|plan| plan.recommended).or(plans.first());
        selected.or(recommended.map(|plan| plan.kind))
    }

    fn begin_remedy(&mut self, kind: PlanKind, chosen: Chosen) -> Vec<Effect> {
        let Some((incident, plans)) = self.incident() else {
            return Vec::new();
        };
        let mut plans = plans.iter();
        let recommended = plans.any(|plan| plan.recommended && plan.kind == kind);
        let incident = incident.clone();
        let config = self.facts.config(&incident.config);
        let mut goal = self
            .may_act()
            .and_then(|()| Goal::of(kind, &incident, config, chosen.content));
        let keys = goal
            .as_ref()
            .map_or_else(|_| Vec::new(), Goal::changed_keys);
        if let Ok(goal) = &mut goal {
            if goal.repoint.is_none() {
                goal.method = chosen.method;
            }
            let one = chosen.key.checked_sub(1).and_then(|at| keys.get(at));
            one.into_iter().for_each(|key| goal.only(key));
            if let Some((key, text)) = &chosen.corrected {
                goal.correct(key, text);
            }
        }
        let pair = (incident.config.clone(), incident.workload.clone());
        self.present(Remedy {
            choices: remedy::choices(&incident),
            keys,
            chosen: Some(chosen),
            recommended,
            prevention: remedy::prevention(&incident, &self.options.cluster),
            ..Remedy::new(kind, pair, goal)
        })
    }

    /// Puts a remedy on screen, and has the cluster asked what it says to the writes that it comes to.
    fn present(&mut self, mut remedy: Remedy) -> Vec<Effect> {
        let mut effects = Vec::new();
        if let Ok(goal) = &remedy.goal {
            let incident = self.incident_of(&remedy.config, &remedy.workload);
            let workload = self.workload_of(&remedy.workload);
            remedy.announced = goal.writes(incident, workload, self.cluster_now());
            effects.push(Effect::Act(Act::Prepare(remedy.announced.clone())));
        }
        remedy.compare();
        self.remedy = Some(Box::new(remedy));
        self.show_remedy();
        effects
    }

    /// Whether something may be written, or is waited for.
    pub(super) fn remedy_is_under_way(&self) -> bool {
        self.remedy
            .as_ref()
            .is_some_and(|remedy| remedy.is_under_way())
    }

    fn may_act(&self) -> Result<(), String> {
        match (&self.options.origin, self.options.mode) {
            (Origin::Capture { .. }, _) => Err("A capture is a file: the commands can be run where its cluster is.".into()),
            (_, Mode::ReadOnly) => Err("This session is read-only: start without --read-only, CONFSPLIT_READ_ONLY and the setting read-only to write.".into()),
            (_, Mode::Act) => Ok(()),
        }
    }

    fn show_remedy(&mut self) {
        if !matches!(self.screen, Screen::Remedy(_)) {
            let below = std::mem::replace(&mut self.screen, Screen::Triage);
            self.screen = Screen::Remedy(Box::new(super::screen::Below {
                screen: below,
                scroll: 0,
            }));
        }
    }

    /// What it was meant for is no more. One that nobody agreed to yet goes, too.
    pub(super) fn break_off_remedy(&mut self, why: &str) -> Vec<Effect> {
        let now = self.cluster_now();
        let course = self
            .remedy
            .as_mut()
            .and_then(|remedy| remedy.course.as_mut());
        let Some(course) = course else {
            self.remedy = None;
            return Vec::new();
        };
        course.break_off(now, why);
        self.show_remedy();
        self.advance()
    }

    pub(super) fn remedy_act(&mut self, act: RemedyAct) -> Vec<Effect> {
        let now = self.cluster_now();
        let Some(remedy) = &mut self.remedy else {
            return Vec::new();
        };
        match (act, &mut remedy.course) {
            (RemedyAct::GoOn, None) => self.ask_for_words(),
            (RemedyAct::GoOn, Some(course)) => {
                course.go_on(now);
                return self.advance();
            }
            (RemedyAct::OtherMethod, Some(course)) => {
                course.restart_all(now);
                return self.advance();
            }
            (RemedyAct::Stop, Some(course)) => {
                course.stop_here(now);
                return self.advance();
            }
            (RemedyAct::NextChoice | RemedyAct::NextKey | RemedyAct::OtherMethod, None) => {
                return self.choose_otherwise(act);
            }
            (RemedyAct::Edit, None) => return self.edit_target(),
            (RemedyAct::Undo, Some(course)) if course.is_over() && course.wrote => {
                return self.undo();
            }
            (RemedyAct::Export, _) => return self.export_remedy(),
            _ => {}
        }
        Vec::new()
    }

    /// Asks for the context and the namespace, where nothing stands against it.
    fn ask_for_words(&mut self) {
        let Some(remedy) = &self.remedy else {
            return;
        };
        let against = match (&remedy.goal, &remedy.prepared) {
            (Err(why), _) => Some(why.clone()),
            (Ok(_), None) => {
                Some("The cluster is still being asked what stands against it.".into())
            }
            (Ok(_), Some(Err(error))) => Some(format!("It could not be prepared: {error}.")),
            (Ok(_), Some(Ok(_))) => self.remedy_notes().into_iter().find_map(|note| match note {
                remedy::Note::Blocks(why) => Some(format!("It cannot be done so: {why}.")),
                _ => None,
            }),
        };
        match against {
            Some(why) => self.notice = Some(why),
            None => self.prompt = Some(Prompt::new(Asking::Confirm, "")),
        }
    }

    /// What has to be typed.
    pub fn wanted_words(&self) -> Option<String> {
        let goal = self.remedy.as_ref()?.goal.as_ref().ok()?;
        Some(Confirmation::wanted(
            self.options.cluster.context_name(),
            &goal.config.namespace,
            goal.needs_override(),
        ))
    }

    /// What was typed: nothing else than the very words begins it.
    pub(super) fn confirm(&mut self, typed: &str) -> Vec<Effect> {
        let context = self.options.cluster.context_name();
        let Some(remedy) = &mut self.remedy else {
            return Vec::new();
        };
        let Ok(goal) = remedy.goal.clone() else {
            return Vec::new();
        };
        let Some(confirmation) = Confirmation::typed(
            typed,
            context,
            &goal.config.namespace,
            goal.needs_override(),
        ) else {
            self.notice =
                Some("Cancelled: that is not what was asked for, and nothing is written.".into());
            return Vec::new();
        };
        let course = Course::new(goal, confirmation, &remedy.announced);
        remedy.course = Some(course);
        let mut effects = Vec::new();
        if let Some(name) = &remedy.journal {
            remedy.begun = true;
            effects.push(Effect::Act(Act::GoOn(name.clone())));
        }
        effects.extend(self.advance());
        effects
    }

    pub(super) fn prepared(&mut self, outcome: Result<Box<Prepared>, WriteError>) {
        if let Some(remedy) = &mut self.remedy
            && remedy.course.is_none()
            // What was asked for another choice may come late.
            && outcome.as_ref().map_or(true, |prepared| prepared.is_of(&remedy.announced))
        {
            remedy.prepared = Some(outcome);
            remedy.compare();
        }
    }

    pub(super) fn wrote(&mut self, outcome: Result<Written, WriteError>) -> Vec<Effect> {
        let now = self.cluster_now();
        if let Some(course) = self
            .remedy
            .as_mut()
            .and_then(|remedy| remedy.course.as_mut())
        {
            course.acted(outcome, now);
        }
        self.advance()
    }

    /// Looks at the facts: what is next?
    pub(super) fn advance(&mut self) -> Vec<Effect> {
        let Some(mut remedy) = self.remedy.take() else {
            return Vec::new();
        };
        let mut effects = Vec::new();
        if let Some(mut course) = remedy.course.take() {
            let approved = match course.is_over() {
                true => None,
                false => self.seeing(&remedy, |seen| course.look(seen)),
            };
            if let Some(approved) = approved {
                let saved = match (remedy.begun, &remedy.prepared) {
                    (false, Some(Ok(prepared))) => Some(prepared.saved.as_deref()),
                    _ => None,
                };
                let heading = saved.and_then(|saved| {
                    Heading::of(&course.goal, &self.options.cluster, saved).map(Box::new)
                });
                remedy.begun |= heading.is_some();
                let approved = Box::new(approved);
                effects.push(Effect::Act(Act::Write { approved, heading }));
            }
            effects.extend(remedy.ending(&course));
            remedy.course = Some(course);
        }
        self.remedy = Some(remedy);
        effects
    }
}
