//! The remedy on screen: what it would do, what was typed to agree to it, and how far it has come. What it is about it keeps by
//! itself: once it helps, there is no incident any more.

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
    self, Choice, Confirmation, Course, Goal, Heading, Method, PlanKind, Prepared, Stage,
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
    pub choice: usize,
    /// `None` while it is being asked.
    pub prepared: Option<Result<Box<Prepared>, WriteError>>,
    pub course: Option<Course>,
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
}

impl Remedy {
    fn new(
        kind: PlanKind,
        config: ConfigRef,
        workload: WorkloadRef,
        goal: Result<Goal, String>,
    ) -> Self {
        Self {
            kind,
            config,
            workload,
            goal,
            choices: Vec::new(),
            choice: 0,
            prepared: None,
            course: None,
            journal: None,
            begun: false,
            ended: false,
        }
    }

    /// Whether something may be written, or is waited for.
    pub fn is_under_way(&self) -> bool {
        self.course.as_ref().is_some_and(|course| !course.is_over())
    }

    /// The pair whose replicas tell how far it is: of another template, that of the config which it names.
    fn pair(&self) -> (ConfigRef, WorkloadRef) {
        let goal = self
            .course
            .as_ref()
            .map(|course| &course.goal)
            .or(self.goal.as_ref().ok());
        let config = goal.and_then(|goal| goal.repoint.clone());
        (
            config.unwrap_or_else(|| self.config.clone()),
            self.workload.clone(),
        )
    }
}

impl App {
    /// Opens the remedy of the incident on screen: the plan under the cursor, else the one that is recommended, else the first.
    pub(super) fn open_remedy(&mut self) -> Vec<Effect> {
        if self
            .remedy
            .as_ref()
            .is_some_and(|remedy| remedy.is_under_way())
        {
            self.show_remedy();
            return Vec::new();
        }
        let Some(kind) = self.chosen_plan() else {
            self.notice = Some("There is no plan for this.".into());
            return Vec::new();
        };
        self.begin_remedy(kind, 0, Method::Replace)
    }

    fn chosen_plan(&self) -> Option<PlanKind> {
        let (_, plans) = self.incident()?;
        let sheet = self.screen.sheet().filter(|sheet| sheet.tab == Tab::Plan);
        let steps = shown::steps(plans);
        let selected = sheet.and_then(|sheet| steps.get(sheet.step).map(|(plan, ..)| plan.kind));
        let recommended = plans.iter().find(|plan| plan.recommended).or(plans.first());
        selected.or(recommended.map(|plan| plan.kind))
    }

    fn begin_remedy(&mut self, kind: PlanKind, choice: usize, method: Method) -> Vec<Effect> {
        let Some((incident, _)) = self.incident() else {
            return Vec::new();
        };
        let incident = incident.clone();
        let config = self.facts.config(&incident.config);
        let mut goal = self
            .may_act()
            .and_then(|()| Goal::of(kind, &incident, config, choice));
        if let Ok(goal) = &mut goal
            && goal.repoint.is_none()
        {
            goal.method = method;
        }
        let mut remedy = Remedy::new(
            kind,
            incident.config.clone(),
            incident.workload.clone(),
            goal,
        );
        remedy.choices = remedy::choices(&incident);
        remedy.choice = choice;
        let meant = match &remedy.goal {
            Ok(goal) => goal.writes(
                Some(&incident),
                self.workload_of(&incident.workload),
                self.cluster_now(),
            ),
            Err(_) => Vec::new(),
        };
        self.remedy = Some(Box::new(remedy));
        self.show_remedy();
        match meant.is_empty() {
            true => Vec::new(),
            false => vec![Effect::Act(Act::Prepare(meant))],
        }
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
            (RemedyAct::NextChoice, None) if remedy.choices.len() > 1 => {
                let (kind, next) = (remedy.kind, (remedy.choice + 1) % remedy.choices.len());
                let method = remedy
                    .goal
                    .as_ref()
                    .map_or(Method::Replace, |goal| goal.method);
                return self.begin_remedy(kind, next, method);
            }
            (RemedyAct::OtherMethod, None) => return self.other_method(),
            (RemedyAct::Undo, course) if course.as_ref().is_none_or(Course::is_over) => {
                return self.undo();
            }
            _ => {}
        }
        Vec::new()
    }

    /// Quits; while a remedy is under way only at a second press, since nobody would be there to see what comes of it.
    pub(super) fn quit(&mut self) -> Vec<Effect> {
        let under_way = self
            .remedy
            .as_ref()
            .is_some_and(|remedy| remedy.is_under_way());
        if !under_way || std::mem::replace(&mut self.quitting, true) {
            return vec![Effect::Quit];
        }
        self.notice = Some("A remedy is under way: q once more leaves it as it is; the next start offers to go on or undo.".into());
        Vec::new()
    }

    /// Whether a key would do anything now.
    pub(super) fn remedy_offers(&self, act: RemedyAct) -> bool {
        let Some(remedy) = &self.remedy else {
            return false;
        };
        let stage = remedy.course.as_ref().map(|course| &course.stage);
        let looked_at = stage.is_none() && remedy.goal.is_ok();
        match act {
            RemedyAct::GoOn => looked_at || matches!(stage, Some(Stage::Asking | Stage::Paused(_))),
            RemedyAct::NextChoice => looked_at && remedy.choices.len() > 1,
            RemedyAct::OtherMethod => looked_at || matches!(stage, Some(Stage::Asking)),
            RemedyAct::Stop => remedy.is_under_way(),
            RemedyAct::Undo => stage.is_some() && !remedy.is_under_way(),
        }
    }

    fn other_method(&mut self) -> Vec<Effect> {
        let Some(remedy) = &self.remedy else {
            return Vec::new();
        };
        let Ok(goal) = &remedy.goal else {
            return Vec::new();
        };
        let other = match goal.method {
            Method::Replace => Method::Restart,
            Method::Restart => Method::Replace,
        };
        self.begin_remedy(remedy.kind, remedy.choice, other)
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
        let context = self.context_name();
        Some(Confirmation::wanted(
            &context,
            &goal.config.namespace,
            goal.needs_override(),
        ))
    }

    fn context_name(&self) -> String {
        self.options
            .cluster
            .context
            .clone()
            .unwrap_or_else(|| "in-cluster".into())
    }

    /// What was typed: nothing else than the very words begins it.
    pub(super) fn confirm(&mut self, typed: &str) -> Vec<Effect> {
        let context = self.context_name();
        let Some(remedy) = &mut self.remedy else {
            return Vec::new();
        };
        let Ok(goal) = remedy.goal.clone() else {
            return Vec::new();
        };
        let Some(confirmation) = Confirmation::typed(
            typed,
            &context,
            &goal.config.namespace,
            goal.needs_override(),
        ) else {
            self.notice =
                Some("Cancelled: that is not what was asked for, and nothing is written.".into());
            return Vec::new();
        };
        remedy.course = Some(Course::new(goal, confirmation));
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
        {
            remedy.prepared = Some(outcome);
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
        if let Some(course) = &mut remedy.course {
            let approved = self.seeing(&remedy.config, &remedy.workload, |seen| course.look(seen));
            if let Some(approved) = approved {
                let heading = match (remedy.begun, &remedy.prepared) {
                    (false, Some(Ok(prepared))) => prepared
                        .saved
                        .as_ref()
                        .and_then(|saved| Heading::of(&course.goal, &self.options.cluster, saved))
                        .map(Box::new),
                    _ => None,
                };
                remedy.begun |= heading.is_some();
                let approved = Box::new(approved);
                effects.push(Effect::Act(Act::Write { approved, heading }));
            }
            effects.extend(ending(&mut remedy));
        }
        self.remedy = Some(remedy);
        effects
    }
}

/// The last line of the journal, once it is over.
fn ending(remedy: &mut Remedy) -> Option<Effect> {
    let course = remedy.course.as_ref()?;
    if remedy.ended || !course.is_over() {
        return None;
    }
    remedy.ended = true;
    let (state, why) = match &course.stage {
        Stage::Closed { verified } => ("closed", format!("verified by traffic: {verified}")),
        Stage::Stopped(why) => ("stopped", why.clone()),
        _ => return None,
    };
    let state = if course.goal.kind == PlanKind::Undo && state == "closed" {
        "undone"
    } else {
        state
    };
    // What stopped it may be mended: the next start offers to go on.
    (state != "stopped").then_some(Effect::Act(Act::End { state, why }))
}
