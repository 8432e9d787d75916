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
    chosen: Chosen,
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
            chosen: Chosen::first(),
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
        let Some((incident, _)) = self.incident() else {
            return Vec::new();
        };
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
        let mut remedy = Remedy::new(
            kind,
            incident.config.clone(),
            incident.workload.clone(),
            goal,
        );
        remedy.choices = remedy::choices(&incident);
        remedy.keys = keys;
        remedy.chosen = chosen;
        remedy.prevention = remedy::prevention(&incident, &self.options.cluster);
        let meant = match &remedy.goal {
            Ok(goal) => goal.writes(
                Some(&incident),
                self.workload_of(&incident.workload),
                self.cluster_now(),
            ),
            Err(_) => Vec::new(),
        };
        remedy.announced.clone_from(&meant);
        self.remedy = Some(Box::new(remedy));
        self.show_remedy();
        match self
            .remedy
            .as_ref()
            .is_some_and(|remedy| remedy.goal.is_ok())
        {
            true => vec![Effect::Act(Act::Prepare(meant))],
            false => Vec::new(),
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
                let content = (remedy.chosen.content + 1) % remedy.choices.len();
                let chosen = Chosen {
                    content,
                    key: 0,
                    corrected: None,
                    ..remedy.chosen.clone()
                };
                let kind = remedy.kind;
                return self.begin_remedy(kind, chosen);
            }
            (RemedyAct::NextKey, None) if remedy.keys.len() > 1 => {
                let key = (remedy.chosen.key + 1) % (remedy.keys.len() + 1);
                let chosen = Chosen {
                    key,
                    corrected: None,
                    ..remedy.chosen.clone()
                };
                let kind = remedy.kind;
                return self.begin_remedy(kind, chosen);
            }
            (RemedyAct::Edit, None) => return self.edit_target(),
            (RemedyAct::OtherMethod, None) => return self.other_method(),
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
    // What stopped it may be mended: the next start offers to go on. Where nothing was written there is nothing to go on with.
    (state != "stopped" || !course.wrote).then_some(Effect::Act(Act::End { state, why }))
}
