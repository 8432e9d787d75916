//! What is chosen of a remedy, corrected, and handed on; and what its keys would do now.

use super::{App, RemedyAct};
use crate::app::msg::Effect;
use crate::remedy::{Closing, Goal, Method, PlanKind, Stage};

impl App {
    pub(super) fn export_remedy(&mut self) -> Vec<Effect> {
        let Some(remedy) = &self.remedy else {
            return Vec::new();
        };
        let Some(course) = &remedy.course else {
            self.notice = Some("Nothing was done yet that could be reported; `confsplit plan -o markdown` has the plan.".into());
            return Vec::new();
        };
        let checks = self.seeing(remedy, |seen| course.checks(seen));
        let told = Closing {
            course: course.clone(),
            checks,
            prevention: remedy.prevention.clone(),
        };
        vec![Effect::ExportRemedy(Box::new(told))]
    }

    /// Quits; while a remedy is under way only at a second press, since nobody would be there to see what comes of it.
    pub(in crate::app) fn quit(&mut self) -> Vec<Effect> {
        if !self.remedy_is_under_way() || std::mem::replace(&mut self.quitting, true) {
            return vec![Effect::Quit];
        }
        self.notice = Some("A remedy is under way: q once more leaves it as it is; the next start offers to go on or undo.".into());
        Vec::new()
    }

    /// Whether a key would do anything now.
    pub(in crate::app) fn remedy_offers(&self, act: RemedyAct) -> bool {
        let Some(remedy) = &self.remedy else {
            return false;
        };
        let stage = remedy.course.as_ref().map(|course| &course.stage);
        let looked_at = stage.is_none() && remedy.goal.is_ok();
        let chosen = looked_at && remedy.chosen.is_some();
        let repoints = remedy.kind == PlanKind::Repoint;
        match act {
            RemedyAct::GoOn => looked_at || matches!(stage, Some(Stage::Asking | Stage::Paused(_))),
            RemedyAct::NextChoice => chosen && remedy.choices.len() > 1 && remedy.puts_back(),
            RemedyAct::NextKey => chosen && remedy.keys.len() > 1,
            RemedyAct::OtherMethod => (chosen && !repoints) || matches!(stage, Some(Stage::Asking)),
            RemedyAct::Edit => chosen && self.options.edits,
            RemedyAct::Stop => remedy.is_under_way(),
            RemedyAct::Export => stage.is_some(),
            RemedyAct::Undo => {
                let wrote = remedy.course.as_ref().is_some_and(|course| course.wrote);
                wrote && !remedy.is_under_way()
            }
        }
    }

    /// Another content, another of its keys, or the other way to have the pods run it.
    pub(super) fn choose_otherwise(&mut self, act: RemedyAct) -> Vec<Effect> {
        let remedy = self.remedy.as_ref().filter(|_| self.remedy_offers(act));
        let Some((remedy, mut chosen)) = remedy.and_then(|r| Some((r, r.chosen.clone()?))) else {
            return Vec::new();
        };
        match act {
            RemedyAct::NextChoice => {
                chosen.content = (chosen.content + 1) % remedy.choices.len();
                (chosen.key, chosen.corrected) = (0, None);
            }
            RemedyAct::NextKey => {
                chosen.key = (chosen.key + 1) % (remedy.keys.len() + 1);
                chosen.corrected = None;
            }
            _ => {
                chosen.method = match chosen.method {
                    Method::Replace => Method::Restart,
                    Method::Restart => Method::Replace,
                };
            }
        }
        self.begin_remedy(remedy.kind, chosen)
    }

    /// Hands the text of the one key that is meant to an editor.
    pub(super) fn edit_target(&mut self) -> Vec<Effect> {
        let goal = self
            .remedy
            .as_ref()
            .and_then(|remedy| remedy.goal.as_ref().ok());
        let keys = goal.map_or_else(Vec::new, Goal::changed_keys);
        let text = |key: &str| {
            let content = &goal?.target.as_ref()?.content;
            content.get_text(key).map(str::to_owned)
        };
        let said = match keys.as_slice() {
            _ if !self.options.edits => {
                "Start with --allow-edit to correct a content before it is written."
            }
            [key] => match text(key) {
                Some(text) => {
                    let key = key.clone();
                    return vec![Effect::Edit { key, text }];
                }
                None => "What is put back under this key is no text.",
            },
            [] => "Nothing is written that could be corrected.",
            _ => "Several keys change: K takes one alone, which can then be corrected.",
        };
        self.notice = Some(said.into());
        Vec::new()
    }

    /// Back from the editor.
    pub(in crate::app) fn edited(
        &mut self,
        outcome: Result<Option<(String, String)>, String>,
    ) -> Vec<Effect> {
        let corrected = match outcome {
            Ok(Some(corrected)) => corrected,
            Ok(None) => {
                self.notice = Some("The text was left as it was.".into());
                return Vec::new();
            }
            Err(why) => {
                self.notice = Some(why);
                return Vec::new();
            }
        };
        let remedy = self.remedy.as_ref().filter(|r| r.course.is_none());
        let Some((kind, mut chosen)) = remedy.and_then(|r| Some((r.kind, r.chosen.clone()?)))
        else {
            return Vec::new();
        };
        chosen.corrected = Some(corrected);
        self.begin_remedy(kind, chosen)
    }
}
